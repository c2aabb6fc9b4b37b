#include "backend_x64/isa/avx2/streams.h"

#include "backend_x64/emit/stream_buffers.h"
#include "backend_x64/isa/avx2/access_code.h"

namespace gcnjit::backend::avx2 {

namespace {

constexpr int kLanes = kLanesPerRegister;
constexpr int kLaneBytes = StreamBuffer::kIterations * 4;
static_assert(kLaneBytes == 32);  // a register's

// A lane's elements of all iterations, as dwords.
void LoadElements(x86::Assembler& a, const ir::MemoryAccess& access, int to, const x86::Mem& from) {
  switch (access.bytes) {
    case 1: access.sign_extend ? a.vpmovsxbd(Y(to), from) : a.vpmovzxbd(Y(to), from); break;
    case 2: access.sign_extend ? a.vpmovsxwd(Y(to), from) : a.vpmovzxwd(Y(to), from); break;
    default: a.vmovdqu(Y(to), from); break;
  }
}

x86::Mem ElementsOf(int lane) { return Run(static_cast<size_t>(lane * kLaneBytes)); }
x86::Mem Saved(int reg) {
  return Access(offsetof(AccessBlock, data) +
                sizeof(AccessBlock::data[0]) * static_cast<size_t>(reg));
}

// Four lanes' elements, from lane `first` on.
void TurnRound(x86::Assembler& a, int first) {
  a.vmovdqa(Y(2), ElementsOf(first));
  a.vpunpckldq(Y(0), Y(2), ElementsOf(first + 1));
  a.vpunpckhdq(Y(1), Y(2), ElementsOf(first + 1));
  a.vmovdqa(Y(2), ElementsOf(first + 2));
  a.vpunpckhdq(Y(3), Y(2), ElementsOf(first + 3));
  a.vpunpckldq(Y(2), Y(2), ElementsOf(first + 3));
  a.vpunpcklqdq(Y(kT0), Y(0), Y(2));
  a.vpunpckhqdq(Y(kT1), Y(0), Y(2));
  a.vpunpcklqdq(Y(kT2), Y(1), Y(3));
  a.vpunpckhqdq(Y(0), Y(1), Y(3));
  const int of[4] = {kT0, kT1, kT2, 0};
  for (int n = 0; n < 4; ++n) {
    const x86::Mem to = x86::ptr(x86::rdx, n * StreamBuffer::kBytesOfIteration + first * 4);
    a.vmovdqu(to, X(of[n]));
    a.vextracti128(to.cloneAdjusted(4 * StreamBuffer::kBytesOfIteration), Y(of[n]), 1);
  }
}

// Offsets from rax are in AccessBlock::low; rdx is where the first iteration's elements go. What
// may be interrupted changes no register of a value.
void EmitRoutine(RegionAssembler& region, const ir::MemoryAccess& access) {
  x86::Assembler& a = region.a;
  for (int lane = 0; lane < kLanes; ++lane) {
    a.mov(x86::ecx, Access(offsetof(AccessBlock, low) + static_cast<size_t>(lane) * 4));
    LoadElements(a, access, kT0, x86::ptr(x86::rax, x86::rcx));
    a.vmovdqa(ElementsOf(lane), Y(kT0));
  }
  for (int reg = 0; reg < 4; ++reg) a.vmovdqa(Saved(reg), Y(reg));
  for (int first = 0; first < kLanes; first += 4) TurnRound(a, first);
  for (int reg = 0; reg < 4; ++reg) a.vmovdqa(Y(reg), Saved(reg));
  a.ret();
}

}  // namespace

void PrepareStreamFill(RegionAssembler& region, const ir::MemoryAccess& access) {
  const auto [it, is_new] = region.routines.try_emplace(StreamBuffer::KeyOf(access));
  if (!is_new) return;
  it->second = region.a.newLabel();
  region.cold.push_back([&region, access, routine = it->second] {
    const size_t begin = region.a.offset();
    region.a.bind(routine);
    EmitRoutine(region, access);
    NoteRoutine(region, begin);
  });
}

void EmitStreamFill(RegionAssembler& region, const PartAccess& s, int offsets) {
  x86::Assembler& a = region.a;
  const asmjit::Label by_itself = a.newLabel();
  const int32_t ahead = (StreamBuffer::kIterations - 1) * s.access.bytes;
  a.mov(x86::ecx, RegionAssembler::WindowField(s.site, offsetof(MemoryWindow, lane_end), 4));
  a.sub(x86::ecx, ahead);
  a.jbe(by_itself);
  const int beyond = offsets == kT1 ? kT2 : kT1;
  a.vmovd(X(beyond), x86::ecx);
  a.vpbroadcastd(Y(beyond), X(beyond));
  a.vpmaxud(Y(beyond), Y(beyond), Y(offsets));
  a.vpcmpeqd(Y(beyond), Y(beyond), Y(offsets));
  const int mask = s.mask < 0 ? beyond : s.mask;
  a.vtestps(Y(beyond), Y(mask));
  a.jnz(by_itself);
  if (s.stream->index >= 0) {
    // Above the most, or all that is not below the number after it.
    if (s.access.index_signed) {
      a.vpcmpgtd(Y(beyond), Y(s.stream->index), region.constants.Whole(s.stream->most_index));
    } else {
      a.vpmaxud(Y(beyond), Y(s.stream->index), region.constants.Whole(s.stream->most_index + 1));
      a.vpcmpeqd(Y(beyond), Y(beyond), Y(s.stream->index));
    }
    a.vtestps(Y(beyond), Y(mask));
    a.jnz(by_itself);
  }
  // Lanes that are not active need nothing of their own.
  int active = offsets;
  if (s.mask >= 0) {
    active = beyond;
    a.vpand(Y(active), Y(offsets), Y(s.mask));
  }
  a.vmovdqa(Access(offsetof(AccessBlock, low)), Y(active));
  a.mov(x86::ecx, RegionAssembler::WindowField(s.site, offsetof(MemoryWindow, high), 4));
  a.mov(s.stream->high, x86::ecx);
  a.lea(x86::rdx, s.stream->elements);
  a.call(region.routines.at(StreamBuffer::KeyOf(s.access)));
  a.mov(s.stream->next, 0);
  a.jmp(s.stream->read);
  a.bind(by_itself);
}

// The elements that are there, if these are still those of the lanes' addresses.
void EmitStreamRead(RegionAssembler& region, const PartAccess& s, const asmjit::Label& other) {
  x86::Assembler& a = region.a;
  EmitStreamCheck(region, *s.stream, other);
  if (s.high >= 0) {
    a.vpbroadcastd(Y(kT0), s.stream->high);
    a.vpcmpeqd(Y(kT0), Y(kT0), Y(s.high));
    EmitAllCheck(a, kT0, s.mask, x86::ecx, other);
  }
  if (s.result[0] < 0) return;
  x86::Mem from = s.stream->elements;
  from.setIndex(x86::rax);
  a.vmovups(Y(s.result[0]), from);
  if (s.mask >= 0) a.vandps(Y(s.result[0]), Y(s.result[0]), Y(s.mask));
}

}  // namespace gcnjit::backend::avx2
