#include "differential/kernel_writer.h"

#include <algorithm>
#include <vector>

namespace gcnjit::differential {
namespace {

using frontend::IsGfx8Plus;
using frontend::IsGfx9;
using frontend::Opcode;

constexpr uint32_t kKernarg = 0;   // s[0:1]
constexpr uint32_t kGroupIds = 2;  // s2 to s4

// What kernels read lies within as many dwords.
constexpr uint32_t kInputDwords = (uint32_t{Machine::kMemoryBytes} - kInputAt) / 4;

}  // namespace

KernelWriter::KernelWriter(Program& program, Random& random)
    : KernelCode(program, random),
      is_by_column_(random.Percent(50)),
      wraps_(random.Percent(10)),
      pointers_(*this, wraps_) {
  program.vgpr_count = kKernelVgprs + 2 * random.Below(4);
}

uint32_t KernelWriter::group_items() const {
  const auto& [x, y, z] = program().group.size;
  return x * y * z;
}

uint32_t KernelWriter::grid_items() const {
  const auto& [x, y, z] = program().rows.groups;
  return group_items() * x * y * z;
}

void KernelWriter::Begin(uint32_t most_trips, uint32_t most_inner_trips) {
  most_trips_ = most_trips;
  most_inner_trips_ = most_inner_trips;
  DrawArguments();
  LoadArguments();
  if (!IsGfx9(program().generation)) {
    Add(assembler().Sop1(Opcode::S_MOV_B32, frontend::kCodeM0, kMinusOne));
  }
  MakeIds();
  PlaceOutput();
  for (uint32_t sum = 3; sum < kSumCount; ++sum) Multiply(sum, Constant(sum * 77 + 5), kGlobal);
  for (const uint32_t sum : {0u, 1u, 2u})
    Move(sum, Sgpr(random().Between(kKernelArguments, kSecondBound)));
}

// Rows and columns of the largest numbers lie within the input; seldom they do not.
void KernelWriter::DrawArguments() {
  std::vector<RowArgument>& arguments = program().rows.arguments;
  const uint32_t items = grid_items();
  const uint32_t trips = std::max(most_trips_ * most_inner_trips_, 1u);
  const uint32_t too_far = random().Percent(2) ? 16 : 1;
  const uint32_t stride = std::min(kInputDwords / 3 / items, 64u) * too_far;
  const uint32_t step = std::min(kInputDwords / 3 / trips, 600u);
  arguments.push_back({kTrips, 0, most_trips_});
  arguments.push_back({kInnerTrips, 0, most_inner_trips_});
  arguments.push_back({kStride, random().Percent(50) ? 1u : 0, stride, wraps_ ? 3u << 30 : 0});
  const bool is_near = random().Percent(60);
  arguments.push_back({kBound, is_near ? items - std::min(items, 70u) : 0, items + 5});
  arguments.push_back({kFirst, 0, 200});
  arguments.push_back({kLaneTrips, 0, 40});
  arguments.push_back({kColumnStep, 0, step});
  const uint32_t rows = program().group.size[1] * program().rows.groups[1];
  arguments.push_back({kSecondBound, 0, rows + 2});
}

void KernelWriter::LoadArguments() {
  struct Piece {
    Opcode opcode;
    uint32_t first;
  };
  std::vector<Piece> pieces = {{Opcode::S_LOAD_DWORDX4, kDataBase},
                               {Opcode::S_LOAD_DWORDX4, kBuffer},
                               {Opcode::S_LOAD_DWORDX8, kInput}};
  if (random().Percent(60)) {
    pieces.push_back({Opcode::S_LOAD_DWORDX8, kKernelArguments});
  } else {
    for (uint32_t n = 0; n < 8; n += 2)
      pieces.push_back({Opcode::S_LOAD_DWORDX2, kKernelArguments + n});
  }
  for (const Piece& piece : pieces) {
    Add(memory().ScalarLoad(piece.opcode, piece.first, kKernarg, piece.first * 4));
  }
  Add(assembler().Sopp(Opcode::S_WAITCNT, 0));
  Add(assembler().Sop1(Opcode::S_MOV_B32, kInputAtSgpr, Literal(kInputAt)));
  Add(assembler().Sop1(Opcode::S_MOV_B32, kOutputAtSgpr, Literal(kAtomicBytes)));
}

// Of v0 to v2, or of v0 alone where ids are packed.
void KernelWriter::MakeIds() {
  const ProgramGroup& group = program().group;
  const auto& groups = program().rows.groups;
  const bool is_packed = frontend::Has(program().generation, frontend::kPackedWorkItemIds);
  constexpr uint32_t kBits = 10;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const uint32_t id = kIdX + axis;
    if (axis >= group.id_vgprs) {
      Move(id, Inline(0));
    } else if (is_packed && group.id_vgprs > 1) {
      Add(assembler().Vop3(Opcode::V_BFE_U32, id, {Vgpr(0), Inline(kBits * axis), Inline(kBits)}));
    } else {
      Move(id, Vgpr(axis));
    }
  }
  // z * height + y, times the width, and x.
  const auto number = [&](uint32_t vgpr, const auto& place, const auto& size, uint32_t temp) {
    Multiply(temp, Constant(size[1]), place[2]);
    AddTo(temp, Vgpr(place[1]));
    Multiply(vgpr, Constant(size[0]), temp);
    AddTo(vgpr, Vgpr(place[0]));
  };
  number(kLocal, std::array{kIdX, kIdY, kIdZ}, group.size, kTemp);
  std::array<uint32_t, 3> size = group.size;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const uint32_t vgpr = axis == 2 ? kTemp + 1 : kGlobalX + axis;
    Scalar(Opcode::S_MUL_I32, kScalarTemp, Sgpr(kGroupIds + axis), Constant(group.size[axis]));
    Move(vgpr, Vgpr(kIdX + axis));
    AddTo(vgpr, Sgpr(kScalarTemp));
    size[axis] *= groups[axis];
  }
  number(kGlobal, std::array<uint32_t, 3>{kGlobalX, kGlobalY, kTemp + 1}, size, kTemp);
}

void KernelWriter::PlaceOutput() {
  if (is_by_column_) {
    Move(kOwnPlace, Vgpr(kGlobal));
  } else {
    Multiply(kOwnPlace, Constant(own_dwords()), kGlobal);
  }
}

void KernelWriter::End() {
  SetUnit(0);
  const Pointer own = pointers_.Any(kOwnAddress, kOutput);
  pointers_.Point(own, kOwnPlace, 2);
  constexpr uint32_t kStored = 4;
  for (uint32_t n = 0; n < kStored; ++n) {
    if (n != 0) pointers_.Advance(own, Constant(own_step() * 4));
    pointers_.At(own, Access::kStoreDword, RandomSum());
  }
  Add(assembler().Sopp(Opcode::S_ENDPGM));
}

}  // namespace gcnjit::differential
