#include "backend_x64/emit/stream_fill.h"

#include "backend_x64/abi/region_abi.h"
#include "backend_x64/emit/slow_path.h"

namespace gcnjit::backend {

namespace {

constexpr int kLaneBytes = StreamBuffer::kIterations * 4;
static_assert(kLaneBytes == 32);  // a ymm register's

class StreamRoutine {
 public:
  StreamRoutine(RegionAssembler& region, const ir::MemoryAccess& access, int lanes, int scratch)
      : a(region.a),
        access_(access),
        lanes_(lanes),
        scratch_(scratch),
        bytes_ahead_(region.options.tuning->bytes_ahead_of_rows) {}

  // Offsets from rax are in AccessBlock::low; rdx is where the first iteration's elements go. What
  // may be interrupted changes no register of a value.
  void EmitRows() {
    for (int lane = 0; lane < lanes_; ++lane) CopyElements(lane);
    for (int reg = 0; reg < RegistersUsed(); ++reg) Move(Saved(reg), Whole(reg));
    lanes_ == kMaxPartLanes ? TurnSixteen() : TurnEight();
    for (int reg = 0; reg < RegistersUsed(); ++reg) Move(Whole(reg), Saved(reg));
    a.ret();
  }

  // The same, where all offsets are the first one.
  void EmitOnePlace() {
    CopyElements(0);
    for (int n = 0; n < StreamBuffer::kIterations; ++n) {
      a.vpbroadcastd(Whole(scratch_), ElementsOf(0).cloneAdjusted(n * 4));
      Move(Iteration(n), Whole(scratch_));
    }
    a.ret();
  }

 private:
  // Four registers, and one that is free.
  struct Four {
    int reg[4];
    int spare;
  };

  // Of values, from the first on.
  int RegistersUsed() const { return lanes_ == kMaxPartLanes ? 8 : 4; }
  static_assert(kMaxPartLanes * (kLaneBytes + 8 * 4) <= sizeof(RunBlock::data));

  static x86::Xmm Xmm(int reg) { return x86::xmm(static_cast<uint32_t>(reg)); }
  static x86::Ymm Ymm(int reg) { return x86::ymm(static_cast<uint32_t>(reg)); }
  static x86::Zmm Zmm(int reg) { return x86::zmm(static_cast<uint32_t>(reg)); }
  // All that the instruction set has of it.
  x86::Vec Whole(int reg) const {
    return lanes_ == kMaxPartLanes ? x86::Vec(Zmm(reg)) : x86::Vec(Ymm(reg));
  }
  void Move(const asmjit::Operand& to, const asmjit::Operand& from) {
    a.emit(x86::Inst::kIdVmovups, to, from);
  }

  static x86::Mem ElementsOf(int lane) { return Run(static_cast<size_t>(lane * kLaneBytes)); }
  x86::Mem Saved(int reg) const {
    return Run(static_cast<size_t>(lanes_ * (kLaneBytes + reg * 4)));
  }
  static x86::Mem Iteration(int n) {
    return x86::ptr(x86::rdx, n * StreamBuffer::kBytesOfIteration);
  }

  // A lane's elements of all iterations, as dwords.
  void CopyElements(int lane) {
    a.mov(x86::ecx, Access(offsetof(AccessBlock, low) + static_cast<size_t>(lane) * 4));
    a.prefetcht0(x86::ptr(x86::rax, x86::rcx, 0, bytes_ahead_));
    const x86::Mem from = x86::ptr(x86::rax, x86::rcx);
    const bool is_signed = access_.sign_extend;
    const x86::Ymm to = Ymm(scratch_);
    switch (access_.bytes) {
      case 1: is_signed ? a.vpmovsxbd(to, from) : a.vpmovzxbd(to, from); break;
      case 2: is_signed ? a.vpmovsxwd(to, from) : a.vpmovzxwd(to, from); break;
      default: a.vmovups(to, from); break;
    }
    a.vmovups(ElementsOf(lane), to);
  }

  // Turns round the 4 x 4 dwords in each 128 bits.
  Four Turn(const Four& rows) {
    const auto [r, spare] = rows;
    a.emit(x86::Inst::kIdVpunpckldq, Whole(spare), Whole(r[0]), Whole(r[1]));
    a.emit(x86::Inst::kIdVpunpckhdq, Whole(r[1]), Whole(r[0]), Whole(r[1]));
    a.emit(x86::Inst::kIdVpunpckldq, Whole(r[0]), Whole(r[2]), Whole(r[3]));
    a.emit(x86::Inst::kIdVpunpckhdq, Whole(r[3]), Whole(r[2]), Whole(r[3]));
    a.emit(x86::Inst::kIdVpunpcklqdq, Whole(r[2]), Whole(spare), Whole(r[0]));
    a.emit(x86::Inst::kIdVpunpckhqdq, Whole(spare), Whole(spare), Whole(r[0]));
    a.emit(x86::Inst::kIdVpunpcklqdq, Whole(r[0]), Whole(r[1]), Whole(r[3]));
    a.emit(x86::Inst::kIdVpunpckhqdq, Whole(r[1]), Whole(r[1]), Whole(r[3]));
    return {{r[2], spare, r[0], r[1]}, r[3]};
  }

  // Four iterations of lanes 0 to 3 in the low halves of registers, of lanes 4 to 7 in the high
  // ones.
  void TurnEight() {
    for (const int first : {0, 4}) {
      for (int reg = 0; reg < 4; ++reg) {
        a.vmovups(Xmm(reg), ElementsOf(reg).cloneAdjusted(first * 4));
        a.vinsertf128(Ymm(reg), Ymm(reg), ElementsOf(reg + 4).cloneAdjusted(first * 4), 1);
      }
      const Four turned = Turn({{0, 1, 2, 3}, scratch_});
      for (int n = 0; n < 4; ++n) a.vmovups(Iteration(first + n), Ymm(turned.reg[n]));
    }
  }

  // Eight iterations: of lanes 0 to 7 in four registers, of lanes 8 to 15 in four more.
  void TurnSixteen() {
    for (int reg = 0; reg < 8; ++reg) {
      const int lane = reg % 4 + reg / 4 * 8;
      a.vmovups(Ymm(reg), ElementsOf(lane));
      a.vinserti64x4(Zmm(reg), Zmm(reg), ElementsOf(lane + 4), 1);
    }
    // Each has iterations n and n + 4 of four lanes, then of four more.
    const Four low = Turn({{0, 1, 2, 3}, scratch_});
    const Four high = Turn({{4, 5, 6, 7}, low.spare});
    for (int n = 0; n < 4; ++n) {
      for (const int later : {0, 1}) {
        const x86::Zmm to = Zmm(high.spare);
        a.vshufi32x4(to, Zmm(low.reg[n]), Zmm(high.reg[n]), later == 0 ? 0x88 : 0xDD);
        a.vmovups(Iteration(n + 4 * later), to);
      }
    }
  }

  x86::Assembler& a;
  const ir::MemoryAccess access_;
  const int lanes_;
  const int scratch_;
  const int32_t bytes_ahead_;
};

}  // namespace

void PrepareStreamFill(RegionAssembler& region, const ir::MemoryAccess& access, int lanes,
                       int scratch) {
  for (const bool one_place : {false, true}) {
    const uint64_t key = StreamBuffer::KeyOf(access, one_place);
    const auto [it, is_new] = region.routines.try_emplace(key);
    if (!is_new) continue;
    it->second = region.a.newLabel();
    region.cold.push_back([&region, access, lanes, scratch, one_place, label = it->second] {
      const size_t begin = region.a.offset();
      region.a.bind(label);
      StreamRoutine routine(region, access, lanes, scratch);
      one_place ? routine.EmitOnePlace() : routine.EmitRows();
      NoteRoutine(region, begin);
    });
  }
}

void EmitStreamLimit(RegionAssembler& region, const PartAccess& s, const asmjit::Label& fail) {
  constexpr int kLater = StreamBuffer::kIterations - 1;
  if (s.stream->access != 0) {
    region.a.test(Context(offsetof(RegionContext, loop.loads_of_stored), 4), s.stream->access);
    region.a.jnz(fail);
  }
  region.a.mov(x86::ecx, RegionAssembler::WindowField(s.site, offsetof(MemoryWindow, lane_end), 4));
  region.a.sub(x86::ecx, kLater * s.access.bytes);
  region.a.jbe(fail);
}

void EmitStreamFillCall(RegionAssembler& region, const PartAccess& s) {
  x86::Assembler& a = region.a;
  a.mov(x86::ecx, RegionAssembler::WindowField(s.site, offsetof(MemoryWindow, high), 4));
  a.mov(s.stream->high, x86::ecx);
  a.lea(x86::rdx, s.stream->elements);
  const asmjit::Label one_place = a.newLabel();
  const asmjit::Label filled = a.newLabel();
  a.jz(one_place);
  a.call(region.routines.at(StreamBuffer::KeyOf(s.access, false)));
  a.jmp(filled);
  a.bind(one_place);
  a.call(region.routines.at(StreamBuffer::KeyOf(s.access, true)));
  a.bind(filled);
  a.mov(s.stream->next, 0);
  a.jmp(s.stream->read);
}

}  // namespace gcnjit::backend
