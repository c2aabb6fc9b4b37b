#include "backend_x64/emit/matrix_code.h"

#include <algorithm>

namespace gcnjit::backend {

using ir::MatrixElement;
using ir::MatrixPlace;
using ir::MatrixProduct;
using ir::MatrixShape;
namespace Id = x86::Inst;

namespace {

constexpr int kItemsOfGroup = 4;  // registers that have consecutive rows of a block
constexpr size_t kMostWidened = 24;

// Registers of 32-bit lanes that an operand takes once its elements are widened.
int UnitsOf(MatrixElement element) {
  switch (element) {
    case MatrixElement::kF16: return 4;
    case MatrixElement::kF32: return 1;
    default: return 2;
  }
}

}  // namespace

// By register and lane: the element that is there.
MatrixCode::ResultPlaces MatrixCode::PlacesOf(const MatrixShape& shape) {
  ResultPlaces places = {};
  for (int block = 0; block < shape.blocks; ++block) {
    for (int row = 0; row < shape.m; ++row) {
      for (int column = 0; column < shape.n; ++column) {
        const MatrixPlace at = shape.OfC(block, row, column);
        places[static_cast<size_t>(at.item)][static_cast<size_t>(at.lane)] = {block, row, column};
      }
    }
  }
  return places;
}

MatrixCode::Registers::Registers(int lanes) {
  const bool is_wide = lanes == 16;
  most_parts = is_wide ? 16 : 8;
  of_a = most_parts;
  temporary = of_a + 4;
  of_b = temporary + 3;
  b_count = (is_wide ? 32 : 16) - of_b;
}

MatrixCode::MatrixCode(BlockParts& parts)
    : a(parts.region.a),
      b_(parts),
      region_(parts.region),
      lanes_(parts.block.lanes),
      registers_(lanes_) {}

x86::Reg MatrixCode::V(int number) const {
  if (lanes_ == 16) return x86::Zmm(static_cast<uint32_t>(number));
  return x86::Ymm(static_cast<uint32_t>(number));
}
x86::Reg MatrixCode::Half(int number) const {
  if (lanes_ == 16) return x86::Ymm(static_cast<uint32_t>(number));
  return x86::Xmm(static_cast<uint32_t>(number));
}

x86::Mem MatrixCode::Vgpr(int number, int lane) const {
  return x86::ptr(x86::rbx, region_.options.layout.vgpr + number * kVgprBytes + lane * 4);
}

x86::Mem MatrixCode::At(const Place& place, int unit, int lane) const {
  const int32_t offset = place.offset + unit * kVgprBytes + lane * 4;
  return x86::ptr(place.is_temp ? x86::r14 : x86::rbx, offset);
}

void MatrixCode::Emit(std::span<const MatrixStep> steps) {
  for (const MatrixStep& step : steps) {
    const MatrixProduct& product = step.product;
    for (int n = 0; n < product.shape.ResultRegisters(); ++n) results_.set(product.d + n);
  }
  b_.environment.Set({});
  a.mov(x86::r14, x86::ptr(x86::r12, offsetof(RegionContext, region.temps)));
  // Before any result is written.
  for (const MatrixStep& step : steps) {
    for (const MatrixSource* source : {&step.a, &step.b}) {
      for (const ir::Value dword : *source) {
        if (dword) PlaceOf(dword);
      }
    }
  }
  for (const MatrixChain& chain : FindMatrixChains(steps)) EmitChain(chain);
  b_.environment.Restore();
  FreeTemps();
  for (const auto& [id, temp] : copied_) region_.frame.temps.Free(temp);
}

// ---- Sources

int MatrixCode::TakeTemps(int count) {
  taken_.emplace_back(region_.frame.temps.Take(count), count);
  return taken_.back().first;
}

void MatrixCode::FreeTemps() {
  for (const auto& [temp, count] : taken_) region_.frame.temps.Free(temp, count);
  taken_.clear();
  widened_.clear();
}

// Where the block has left it; or a copy, of what is no lane value, or lies where results will.
MatrixCode::Place MatrixCode::PlaceOf(ir::Value dword) {
  if (const auto found = copied_.find(dword.id); found != copied_.end()) {
    return {true, found->second * kVgprBytes};
  }
  const bool is_lanes = b_.block.IsLaneValue(dword);
  if (is_lanes && (b_.memory[dword].stored & 0xF) != 0xF) {
    region_.Fail("a matrix is multiplied before it is computed");
  }
  const int vgpr = is_lanes ? b_.memory[dword].vgpr : -1;
  if (vgpr >= 0 && !results_.test(static_cast<size_t>(vgpr))) {
    return {false, region_.options.layout.vgpr + vgpr * kVgprBytes};
  }
  if (is_lanes && vgpr < 0) return {true, b_.memory.TempOf(dword) * kVgprBytes};
  const int temp = region_.frame.temps.Take();
  copied_.emplace(dword.id, temp);
  CopyToTemp(dword, temp);
  return {true, temp * kVgprBytes};
}

void MatrixCode::CopyToTemp(ir::Value dword, int temp) {
  const bool is_lanes = b_.block.IsLaneValue(dword);
  if (!is_lanes) {
    I(Id::kIdVmovd, x86::xmm0, Gp(b_.scalars.Use(dword), false));
    I(Id::kIdVpbroadcastd, V(0), x86::xmm0);
    b_.scalars.UnpinAll();
  }
  for (int lane = 0; lane < ir::kLanes; lane += lanes_) {
    if (is_lanes) I(Id::kIdVmovups, V(0), Vgpr(b_.memory[dword].vgpr, lane));
    I(Id::kIdVmovups, x86::ptr(x86::r14, temp * kVgprBytes + lane * 4), V(0));
  }
}

MatrixCode::Place MatrixCode::Widened(const MatrixSource& source, MatrixElement element) {
  if (element == MatrixElement::kF32) return PlaceOf(source[0]);
  const auto [entry, is_new] = widened_.try_emplace({source[0].id, source[1].id, element}, 0);
  if (is_new) {
    const int temp = TakeTemps(UnitsOf(element));
    entry->second = temp;
    if (element == MatrixElement::kF16) {
      WidenHalves(PlaceOf(source[0]), temp);
      WidenHalves(PlaceOf(source[1]), temp + 2);
    } else {
      WidenIntegers(PlaceOf(source[0]), element == MatrixElement::kI8, temp);
    }
  }
  return {true, entry->second * kVgprBytes};
}

// Bytes 0 and 2 of each lane to 16 bits with their sign, and bytes 1 and 3; or the low and the high
// half to the high half of 32.
void MatrixCode::WidenIntegers(const Place& from, bool is_bytes, int temp) {
  for (int lane = 0; lane < ir::kLanes; lane += lanes_) {
    const x86::Reg low = V(0);
    const x86::Reg high = V(1);
    I(Id::kIdVmovups, high, At(from, 0, lane));
    I(is_bytes ? Id::kIdVpsllw : Id::kIdVpslld, low, high, asmjit::imm(is_bytes ? 8 : 16));
    if (is_bytes) {
      I(Id::kIdVpsraw, low, low, asmjit::imm(8));
      I(Id::kIdVpsraw, high, high, asmjit::imm(8));
    } else {
      I(Id::kIdVpsrld, high, high, asmjit::imm(16));
      I(Id::kIdVpslld, high, high, asmjit::imm(16));
    }
    I(Id::kIdVmovups, x86::ptr(x86::r14, temp * kVgprBytes + lane * 4), low);
    I(Id::kIdVmovups, x86::ptr(x86::r14, (temp + 1) * kVgprBytes + lane * 4), high);
  }
}

// The low and the high half of each lane to f32.
void MatrixCode::WidenHalves(const Place& from, int temp) {
  for (int lane = 0; lane < ir::kLanes; lane += lanes_) {
    if (lanes_ == 16) {
      I(Id::kIdVmovups, V(1), At(from, 0, lane));
      I(Id::kIdVpmovdw, Half(0), V(1));
      I(Id::kIdVpsrld, V(1), V(1), asmjit::imm(16));
      I(Id::kIdVpmovdw, Half(1), V(1));
      I(Id::kIdVcvtph2ps, V(0), Half(0));
      I(Id::kIdVcvtph2ps, V(1), Half(1));
    } else {
      // Lanes 0 to 3 and 4 to 7, low and high halves by turns.
      I(Id::kIdVcvtph2ps, V(2), At(from, 0, lane));
      I(Id::kIdVcvtph2ps, V(3), At(from, 0, lane + 4));
      for (int half = 0; half < 2; ++half) {
        I(Id::kIdVshufps, V(half), V(2), V(3), asmjit::imm(half == 0 ? 0x88 : 0xDD));
        I(Id::kIdVpermpd, V(half), V(half), asmjit::imm(0xD8));
      }
    }
    I(Id::kIdVmovups, x86::ptr(x86::r14, temp * kVgprBytes + lane * 4), V(0));
    I(Id::kIdVmovups, x86::ptr(x86::r14, (temp + 1) * kVgprBytes + lane * 4), V(1));
  }
}

// ---- Results

void MatrixCode::EmitChain(const MatrixChain& chain) {
  const MatrixProduct& first = chain.front().product;
  const MatrixShape& shape = first.shape;
  const int results = shape.ResultRegisters();
  if (widened_.size() + 2 * chain.size() > kMostWidened) FreeTemps();
  std::vector<Step> steps;
  for (const MatrixStep& step : chain) {
    steps.push_back({step.product, Widened(step.a, shape.element), Widened(step.b, shape.element)});
  }
  // Tiles are written one after the other: the sums of later ones must not be among the results.
  const bool overlaps = OverlapsInPart(first);
  const int temp = overlaps ? region_.frame.temps.Take(results) : -1;
  const int32_t to =
      overlaps ? temp * kVgprBytes : region_.options.layout.vgpr + first.d * kVgprBytes;

  // Groups of registers that have rows of the same block differ in where A's elements and the
  // results are, and in nothing else.
  places_ = PlacesOf(shape);
  const auto block_of = [&](int item) { return places_[static_cast<size_t>(item)][0].block; };
  for (int begin = 0; begin < results;) {
    int end = begin + kItemsOfGroup;
    while (end < results && block_of(end) == block_of(begin)) end += kItemsOfGroup;
    std::vector<Part> parts;
    for (int item = begin; item < begin + kItemsOfGroup; ++item) {
      for (int lane = 0; lane < ir::kLanes; lane += lanes_) parts.push_back({item, lane});
    }
    const auto emit_group = [&] {
      for (size_t n = 0; n < parts.size(); n += static_cast<size_t>(registers_.most_parts)) {
        EmitTile(steps, std::span(parts).subspan(n, static_cast<size_t>(registers_.most_parts)), to,
                 overlaps);
      }
    };
    const int groups = (end - begin) / kItemsOfGroup;
    if (groups == 1) {
      emit_group();
    } else {
      const int rows = places_[static_cast<size_t>(begin + kItemsOfGroup)][0].row -
                       places_[static_cast<size_t>(begin)][0].row;
      a.xor_(x86::r13d, x86::r13d);
      a.xor_(x86::r15d, x86::r15d);
      const asmjit::Label loop = a.newLabel();
      a.align(asmjit::AlignMode::kCode, 32);
      a.bind(loop);
      is_looping_ = true;
      emit_group();
      is_looping_ = false;
      a.add(x86::r15d, rows * 4);
      a.add(x86::r13d, kItemsOfGroup * kVgprBytes);
      a.cmp(x86::r13d, groups * kItemsOfGroup * kVgprBytes);
      a.jb(loop);
    }
    begin = end;
  }
  if (!overlaps) return;
  CopyResult(temp, first.d, results);
  region_.frame.temps.Free(temp, results);
}

void MatrixCode::CopyResult(int temp, int first_register, int count) {
  a.lea(x86::r15, x86::ptr(x86::r14, temp * kVgprBytes));
  a.xor_(x86::r13d, x86::r13d);
  const asmjit::Label loop = a.newLabel();
  a.bind(loop);
  I(Id::kIdVmovups, V(0), x86::ptr(x86::r15, x86::r13));
  I(Id::kIdVmovups,
    x86::ptr(x86::rbx, x86::r13, 0, region_.options.layout.vgpr + first_register * kVgprBytes),
    V(0));
  a.add(x86::r13d, lanes_ * 4);
  a.cmp(x86::r13d, count * kVgprBytes);
  a.jb(loop);
}

void MatrixCode::EmitTile(const std::vector<Step>& steps, std::span<const Part> parts,
                          int32_t result, bool is_temp) {
  const auto looped = [&](x86::Mem memory) {
    if (is_looping_) memory.setIndex(x86::r13);
    return memory;
  };
  for (size_t n = 0; n < parts.size(); ++n) {
    I(Id::kIdVmovups, V(static_cast<int>(n)),
      looped(Vgpr(steps[0].product.c + parts[n].item, parts[n].first_lane)));
  }
  if (steps[0].product.shape.element == MatrixElement::kF16) {
    // See Accumulate.
    I(Id::kIdVxorps, V(registers_.temporary), V(registers_.temporary), V(registers_.temporary));
    for (int n = 0; n < static_cast<int>(parts.size()); ++n) {
      I(Id::kIdVaddps, V(n), V(n), V(registers_.temporary));
    }
  }
  for (const Step& step : steps) {
    const MatrixShape& shape = step.product.shape;
    for (int at = 0; at < shape.k; at += shape.Items()) EmitStep(step, parts, at);
  }
  for (size_t n = 0; n < parts.size(); ++n) {
    const int32_t offset = result + parts[n].item * kVgprBytes + parts[n].first_lane * 4;
    I(Id::kIdVmovups, looped(x86::ptr(is_temp ? x86::r14 : x86::rbx, offset)),
      V(static_cast<int>(n)));
  }
}

MatrixCode::FactorLanes MatrixCode::FactorsOf(const Step& step, const Part& part, int at) const {
  const MatrixProduct& product = step.product;
  const MatrixShape& shape = product.shape;
  FactorLanes factors;
  for (int lane = 0; lane < lanes_; ++lane) {
    const ResultPlace& place =
        places_[static_cast<size_t>(part.item)][static_cast<size_t>(part.first_lane + lane)];
    const int block = MatrixShape::BroadcastBlock(place.block, product.cbsz, product.abid);
    factors.a.push_back(shape.OfA(block, place.row, at).lane);
    if (lane == 0) {
      factors.b_first =
          MatrixShape::PermutedLane(shape.OfB(place.block, at, place.column).lane, product.blgp);
    }
  }
  return factors;
}

// Elements `at` and on, as many as a lane has, of each row of A and column of B.
void MatrixCode::EmitStep(const Step& step, std::span<const Part> parts, int at) {
  const MatrixElement element = step.product.shape.element;
  const int units = UnitsOf(element);
  std::vector<FactorLanes> factors;
  std::vector<int> b_lanes;
  for (const Part& part : parts) {
    factors.push_back(FactorsOf(step, part, at));
    const int lane = factors.back().b_first;
    if (std::find(b_lanes.begin(), b_lanes.end(), lane) == b_lanes.end()) b_lanes.push_back(lane);
  }
  const bool in_registers = static_cast<int>(b_lanes.size()) * units <= registers_.b_count;
  const auto b_register = [&](size_t place, int unit) {
    return V(registers_.of_b + static_cast<int>(place) * units + unit);
  };
  for (size_t n = 0; in_registers && n < b_lanes.size(); ++n) {
    for (int unit = 0; unit < units; ++unit) {
      I(Id::kIdVmovups, b_register(n, unit), At(step.b, unit, b_lanes[n]));
    }
  }
  const std::vector<int>* loaded = nullptr;
  for (size_t n = 0; n < parts.size(); ++n) {
    if (loaded == nullptr || *loaded != factors[n].a) LoadA(step, factors[n].a);
    loaded = &factors[n].a;
    std::array<asmjit::Operand, 4> b;
    const auto place = static_cast<size_t>(
        std::find(b_lanes.begin(), b_lanes.end(), factors[n].b_first) - b_lanes.begin());
    for (int unit = 0; unit < units; ++unit) {
      b[static_cast<size_t>(unit)] = in_registers
                                         ? asmjit::Operand(b_register(place, unit))
                                         : asmjit::Operand(At(step.b, unit, factors[n].b_first));
    }
    Accumulate(element, static_cast<int>(n), std::span(b).first(static_cast<size_t>(units)));
  }
}

// One element for all lanes; or one for each four of them, which are four rows' elements of a
// block.
void MatrixCode::LoadA(const Step& step, const std::vector<int>& lanes) {
  const auto looped = [&](x86::Mem memory) {
    if (is_looping_) memory.setIndex(x86::r15);
    return memory;
  };
  const bool is_one =
      std::all_of(lanes.begin(), lanes.end(), [&](int lane) { return lane == lanes[0]; });
  for (int unit = 0; unit < UnitsOf(step.product.shape.element); ++unit) {
    const x86::Reg to = V(registers_.of_a + unit);
    if (is_one) {
      I(Id::kIdVbroadcastss, to, looped(At(step.a, unit, lanes[0])));
      continue;
    }
    const int first = lanes[0] / lanes_ * lanes_;
    int quads = 0;  // as an immediate operand
    bool in_order = true;
    for (int quad = 0; quad < lanes_ / 4; ++quad) {
      const int from = (lanes[static_cast<size_t>(quad * 4)] - first) / 4;
      quads |= from << (2 * quad);
      in_order &= from == quad;
    }
    x86::Mem memory = At(step.a, unit, first);
    const asmjit::Imm row = asmjit::imm(lanes[0] % 4 * 0x55);
    if (in_order) {
      I(Id::kIdVpermilps, to, memory, row);
    } else {
      I(Id::kIdVmovups, to, memory);
      I(Id::kIdVshuff32x4, to, to, to, asmjit::imm(quads));
      I(Id::kIdVpermilps, to, to, row);
    }
  }
}

// Sums are in the order that ir/matrix.h has. Of several NaNs the host takes the first operand's:
// that of A, of B, and then of what a fused multiplication adds to, in the form 231.
void MatrixCode::Accumulate(MatrixElement element, int accumulator,
                            std::span<const asmjit::Operand> b) {
  const x86::Reg sum = V(accumulator);
  const auto of_a = [&](int unit) { return V(registers_.of_a + unit); };
  const auto temporary = [&](int n) { return V(registers_.temporary + n); };
  const auto product = [&](int n, int unit) {
    const asmjit::Operand& of_b = b[static_cast<size_t>(unit)];
    if (element == MatrixElement::kF16) {
      // Exact. It may be -0, which a sum with +0 is not: that matters only if all products and C
      // are, so C is not.
      I(Id::kIdVmulps, temporary(n), of_a(unit), of_b);
    } else {
      I(Id::kIdVxorps, temporary(n), temporary(n), temporary(n));
      I(Id::kIdVfmadd231ps, temporary(n), of_a(unit), of_b);
    }
  };
  const auto add = [&](const x86::Reg& to, const x86::Reg& by) { I(Id::kIdVaddps, to, to, by); };
  switch (element) {
    case MatrixElement::kF32: I(Id::kIdVfmadd231ps, sum, of_a(0), b[0]); break;
    case MatrixElement::kBf16:
      product(0, 0);
      product(1, 1);
      add(temporary(0), temporary(1));
      add(sum, temporary(0));
      break;
    case MatrixElement::kF16:
      product(0, 0);
      product(1, 1);
      add(temporary(0), temporary(1));
      product(1, 2);
      product(2, 3);
      add(temporary(1), temporary(2));
      add(temporary(0), temporary(1));
      add(sum, temporary(0));
      break;
    default: break;  // not lifted
    case MatrixElement::kI8:
      for (int unit = 0; unit < 2; ++unit) {
        I(Id::kIdVpmaddwd, temporary(unit), of_a(unit), b[static_cast<size_t>(unit)]);
        I(Id::kIdVpaddd, sum, sum, temporary(unit));
      }
      break;
  }
}

}  // namespace gcnjit::backend
