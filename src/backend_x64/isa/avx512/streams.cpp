#include "backend_x64/isa/avx512/streams.h"

#include "backend_x64/emit/stream_buffers.h"
#include "backend_x64/isa/avx512/access_code.h"

namespace gcnjit::backend::avx512 {

namespace {

constexpr int kLanes = kLanesPerRegister;
constexpr int kLaneBytes = StreamBuffer::kIterations * 4;
static_assert(kLaneBytes == 32);  // a ymm register's

// A lane's elements of all iterations, as dwords.
void LoadElements(x86::Assembler& a, const ir::MemoryAccess& access, int to, const x86::Mem& from) {
  switch (access.bytes) {
    case 1: access.sign_extend ? a.vpmovsxbd(Y(to), from) : a.vpmovzxbd(Y(to), from); break;
    case 2: access.sign_extend ? a.vpmovsxwd(Y(to), from) : a.vpmovzxwd(Y(to), from); break;
    default: a.vmovdqu32(Y(to), from); break;
  }
}

x86::Mem ElementsOf(int lane) { return Run(static_cast<size_t>(lane * kLaneBytes)); }
x86::Mem Saved(int reg) {
  return Access(offsetof(AccessBlock, data) +
                sizeof(AccessBlock::data[0]) * static_cast<size_t>(reg));
}

// Four lanes' elements, from lane `first` on.
void TurnRound(x86::Assembler& a, int first) {
  a.vmovdqa32(Y(2), ElementsOf(first));
  a.vpunpckldq(Y(0), Y(2), ElementsOf(first + 1));
  a.vpunpckhdq(Y(1), Y(2), ElementsOf(first + 1));
  a.vmovdqa32(Y(2), ElementsOf(first + 2));
  a.vpunpckhdq(Y(3), Y(2), ElementsOf(first + 3));
  a.vpunpckldq(Y(2), Y(2), ElementsOf(first + 3));
  a.vpunpcklqdq(Y(kT0), Y(0), Y(2));
  a.vpunpckhqdq(Y(kT1), Y(0), Y(2));
  a.vpunpcklqdq(Y(kT2), Y(1), Y(3));
  a.vpunpckhqdq(Y(0), Y(1), Y(3));
  const int of[4] = {kT0, kT1, kT2, 0};
  for (int n = 0; n < 4; ++n) {
    const x86::Mem to = x86::ptr(x86::rdx, n * StreamBuffer::kBytesOfIteration + first * 4);
    a.vmovdqu32(to, X(of[n]));
    a.vextracti32x4(to.cloneAdjusted(4 * StreamBuffer::kBytesOfIteration), Y(of[n]), 1);
  }
}

// Offsets from rax are in AccessBlock::low; rdx is where the first iteration's elements go. What
// may be interrupted changes no register of a value.
void EmitRoutine(RegionAssembler& region, const ir::MemoryAccess& access) {
  x86::Assembler& a = region.a;
  for (int lane = 0; lane < kLanes; ++lane) {
    a.mov(x86::ecx, Access(offsetof(AccessBlock, low) + static_cast<size_t>(lane) * 4));
    LoadElements(a, access, kT0, x86::ptr(x86::rax, x86::rcx));
    a.vmovdqa32(ElementsOf(lane), Y(kT0));
  }
  for (int reg = 0; reg < 4; ++reg) a.vmovdqa32(Saved(reg), Z(reg));
  for (int first = 0; first < kLanes; first += 4) TurnRound(a, first);
  for (int reg = 0; reg < 4; ++reg) a.vmovdqa32(Z(reg), Saved(reg));
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
  const int limit = offsets == kT1 ? kT0 : kT1;
  a.vpbroadcastd(Z(limit), x86::ecx);
  Under(a, s.mask).vpcmpud(K(kM0), Z(offsets), Z(limit), 5);
  a.kortestw(K(kM0), K(kM0));
  a.jnz(by_itself);
  if (s.stream->index >= 0) {
    const x86::Mem most = region.constants.Broadcast32(s.stream->most_index)._1to16();
    if (s.access.index_signed) {
      Under(a, s.mask).vpcmpd(K(kM0), Z(s.stream->index), most, 6);
    } else {
      Under(a, s.mask).vpcmpud(K(kM0), Z(s.stream->index), most, 6);
    }
    a.kortestw(K(kM0), K(kM0));
    a.jnz(by_itself);
  }
  // Lanes that are not active need nothing of their own.
  AccessCode(region).OrZero(s.mask).vmovdqa32(Z(limit), Z(offsets));
  a.vmovdqa32(Access(offsetof(AccessBlock, low)), Z(limit));
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
    Under(a, s.mask).vpcmpd(K(kM0), Z(s.high), s.stream->high._1to16(), 4);
    a.kortestw(K(kM0), K(kM0));
    a.jnz(other);
  }
  if (s.result[0] < 0) return;
  x86::Mem from = s.stream->elements;
  from.setIndex(x86::rax);
  AccessCode(region).OrZero(s.mask).vmovdqu32(Z(s.result[0]), from);
}

}  // namespace gcnjit::backend::avx512
