// What loops access: through rows of each lane, columns, and single places.
#include <algorithm>

#include "differential/kernel_loops.h"

namespace gcnjit::differential {
namespace {

// What a stream goes through.
enum Pattern : uint32_t {
  kRow,
  kRowOfGroup,
  kColumn,
  kNeighbours,
  kOnePlace,
  kOnePlaceByArgument,
  kPatterns
};

uint32_t ShiftOf(Access access) {
  uint32_t shift = 0;
  while (1u << shift < BytesOf(access)) ++shift;
  return shift;
}

}  // namespace

// To kIndex: of the first iteration's element.
void KernelLoops::FirstIndex(const Loop& loop, uint32_t pattern) {
  const Assembler& a = w_.assembler();
  switch (pattern) {
    case kRow:
    case kRowOfGroup: {
      const uint32_t id = pattern == kRow ? kGlobal : random_.Pick({kLocal, kIdX, kIdY});
      if (random_.Percent(70)) {
        w_.Multiply(kIndex, Sgpr(kStride), id);
      } else {
        w_.Multiply(kIndex, Constant(random_.Between(1, 8)), id);
      }
      break;
    }
    case kOnePlace:
    case kOnePlaceByArgument: w_.Move(kIndex, Sgpr(kFirst)); break;
    default: w_.Move(kIndex, Vgpr(random_.Pick({kGlobal, kGlobal, kLocal, kGlobalX}))); break;
  }
  if (random_.Percent(60)) w_.AddTo(kIndex, Sgpr(kFirst));
  if (random_.Percent(25)) w_.AddTo(kIndex, Constant(random_.Below(80)));
  if (loop.depth == 1 && random_.Percent(60)) w_.AddTo(kIndex, Sgpr(kCounter));
  if (pattern == kNeighbours && random_.Percent(25)) {  // backwards
    w_.Add(a.Vop2(Opcode::V_SUB_CO_U32, kIndex, Literal(1500), kIndex));
  }
}

KernelLoops::Stream KernelLoops::RandomLoad(const Loop& loop, uint32_t vgpr) {
  Stream stream;
  stream.access = random_.Pick({Access::kLoadDword, Access::kLoadDword, Access::kLoadDword,
                                Access::kLoadUbyte, Access::kLoadSbyte, Access::kLoadUshort,
                                Access::kLoadSshort, Access::kLoadDwordx2, Access::kLoadDwordx4});
  stream.pointer = p_.Any(vgpr, kInput);
  const uint32_t pattern = random_.Below(kPatterns);
  // Wide elements overlap: what is read stays in reach.
  const uint32_t shift = std::min(ShiftOf(stream.access), 2u);
  FirstIndex(loop, pattern);
  ChooseStep(loop, pattern, stream);
  if (random_.Percent(8)) w_.AddTo(kIndex, Constant(random_.Below(4)));
  p_.Point(stream.pointer, kIndex, shift);
  if (random_.Percent(6)) p_.Advance(stream.pointer, Inline(random_.Between(1, 3)));
  if (random_.Percent(30) && p_.HasOffset(stream.pointer)) stream.offset = 4 * random_.Below(64);
  // One of the loop's streams.
  if (loop.streams.empty() && random_.Percent(30)) {
    p_.WalkByScalar(stream.pointer, kWalkingBase + 2 * loop.depth);
  }
  stream.is_indexed = stream.pointer.scalar == 0 && pattern != kColumn &&
                      loop.kind != Kind::kOfLanes && random_.Percent(20);
  stream.is_gathered = stream.is_indexed && random_.Percent(60);
  return stream;
}

void KernelLoops::ChooseStep(const Loop& loop, uint32_t pattern, Stream& stream) {
  const uint32_t bytes = BytesOf(stream.access);
  switch (pattern) {
    case kColumn:
    case kOnePlaceByArgument:
      stream.step = Sgpr(kStepBytes + loop.depth);
      w_.Scalar(Opcode::S_LSHL_B32, stream.step.code, Sgpr(kColumnStep),
                Inline(std::min(ShiftOf(stream.access), 2u)));
      stream.step_grows = loop.most_trips <= 40 && random_.Percent(40);
      return;
    case kNeighbours:
      stream.step = Constant(random_.Pick({0u, 1u, 2u, 4u, 4u, 8u, 16u, 64u}));
      return;
    default: stream.step = Constant(random_.Percent(60) ? bytes : std::min(bytes, 4u)); return;
  }
}

// To what is the work-item's own: on through its row or column, if that is long enough, or always
// to the same place, where a sum may be kept.
KernelLoops::Stream KernelLoops::RandomStore(const Loop& loop, uint32_t vgpr) {
  Stream stream;
  stream.stores = true;
  stream.access = random_.Pick({Access::kStoreDword, Access::kStoreDword, Access::kStoreDword,
                                Access::kStoreShort, Access::kStoreByte});
  stream.pointer = p_.Any(vgpr, kOutput);
  const uint32_t trips = loop.depth == 0 ? loop.most_trips : w_.most_trips(1);
  const bool walks = loop.kind != Kind::kOfLanes && trips < w_.own_dwords() && random_.Percent(80);
  stream.step = Constant(walks ? w_.own_step() * 4 : 0);
  // What is stored is loaded in a later iteration.
  const uint32_t ahead = random_.Between(1, 3);
  const uint32_t offset = 4 * w_.own_step() * ahead;
  const bool has_room = ahead + (walks ? trips : 0) < w_.own_dwords() && offset < 4096;
  if (has_room && p_.HasOffset(stream.pointer) && random_.Percent(60)) stream.offset = offset;
  p_.Point(stream.pointer, kOwnPlace, 2);
  return stream;
}

void KernelLoops::Load(const Loop& loop, const Stream& stream, uint32_t to) {
  if (!stream.is_indexed) {
    return p_.At(stream.pointer, stream.access, to, stream.offset);
  }
  if (stream.is_gathered) {
    w_.Add(w_.assembler().Vop2(Opcode::V_AND_B32, kIndex, Literal(1023), w_.RandomSum()));
  } else {
    w_.Multiply(kIndex, Constant(random_.Between(1, 4)), random_.Pick({kGlobal, kLocal, kIdX}));
    w_.AddTo(kIndex, Sgpr(loop.counter()));
  }
  p_.Point(stream.pointer, kIndex, std::min(ShiftOf(stream.access), 2u));
  p_.At(stream.pointer, stream.access, to);
}

void KernelLoops::StepOn(const Loop& loop) {
  for (const Stream& stream : loop.streams) {
    const bool stays = stream.step.code == Inline(0).code;
    if (!stays && !stream.is_indexed) p_.Advance(stream.pointer, stream.step);
    if (stream.step_grows) {
      w_.Scalar(Opcode::S_ADD_U32, stream.step.code, stream.step, Inline(4));
    }
  }
}

// To one place, or to those that data say.
void KernelLoops::Atomic() {
  const Assembler& a = w_.assembler();
  const Source mask = random_.Pick({Inline(0), Inline(15), Inline(63)});
  w_.Add(a.Vop2(Opcode::V_AND_B32, kIndex, mask, random_.Pick({kGlobal, kIdX, w_.RandomSum()})));
  const Pointer pointer = p_.Any(kTemp, kDataBase);
  p_.Point(pointer, kIndex, 2);
  p_.At(pointer, atomic_, w_.RandomSum());
}

// The same for all lanes, from one iteration's place to the next one's.
void KernelLoops::ScalarLoad() {
  constexpr uint32_t kValue = kScalarTemp + 1;
  w_.Add(w_.memory().ScalarLoad(Opcode::S_LOAD_DWORD, kValue, kWalk, 4 * random_.Below(3)));
  w_.Add(w_.assembler().Sopp(Opcode::S_WAITCNT, 0));
  w_.AddTo(w_.RandomSum(), Sgpr(kValue));
  w_.Scalar(Opcode::S_ADD_U32, kWalk, Sgpr(kWalk), Inline(4));
  w_.Scalar(Opcode::S_ADDC_U32, kWalk + 1, Sgpr(kWalk + 1), Inline(0));
}

}  // namespace gcnjit::differential
