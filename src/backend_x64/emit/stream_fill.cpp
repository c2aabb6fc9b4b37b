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
        scratch_(Ymm(scratch)),
        bytes_ahead_(region.options.tuning->bytes_ahead_of_rows) {}

  // Offsets from rax are in AccessBlock::low; rdx is where the first iteration's elements go. What
  // may be interrupted changes no register of a value.
  void Emit() {
    for (int lane = 0; lane < lanes_; ++lane) {
      a.mov(x86::ecx, Access(offsetof(AccessBlock, low) + static_cast<size_t>(lane) * 4));
      a.prefetcht0(x86::ptr(x86::rax, x86::rcx, 0, bytes_ahead_));
      LoadElements(x86::ptr(x86::rax, x86::rcx));
      a.vmovups(ElementsOf(lane), scratch_);
    }
    for (int reg = 0; reg < kUsed; ++reg) a.emit(x86::Inst::kIdVmovups, Saved(reg), Whole(reg));
    for (int first = 0; first < lanes_; first += 4) TurnRound(first);
    for (int reg = 0; reg < kUsed; ++reg) a.emit(x86::Inst::kIdVmovups, Whole(reg), Saved(reg));
    a.ret();
  }

 private:
  static constexpr int kUsed = 5;  // registers of values, from the first on
  static_assert(kMaxPartLanes * (kLaneBytes + kUsed * 4) <= sizeof(RunBlock::data));

  static x86::Ymm Ymm(int reg) { return x86::ymm(static_cast<uint32_t>(reg)); }
  // All that the instruction set has of it.
  x86::Vec Whole(int reg) const {
    const auto id = static_cast<uint32_t>(reg);
    return lanes_ == kMaxPartLanes ? x86::Vec(x86::zmm(id)) : x86::Vec(x86::ymm(id));
  }
  static x86::Mem ElementsOf(int lane) { return Run(static_cast<size_t>(lane * kLaneBytes)); }
  x86::Mem Saved(int reg) const {
    return Run(static_cast<size_t>(lanes_ * (kLaneBytes + reg * 4)));
  }

  // A lane's elements of all iterations, as dwords.
  void LoadElements(const x86::Mem& from) {
    const bool is_signed = access_.sign_extend;
    switch (access_.bytes) {
      case 1: is_signed ? a.vpmovsxbd(scratch_, from) : a.vpmovzxbd(scratch_, from); break;
      case 2: is_signed ? a.vpmovsxwd(scratch_, from) : a.vpmovzxwd(scratch_, from); break;
      default: a.vmovups(scratch_, from); break;
    }
  }

  // Four lanes' elements, from lane `first` on.
  void TurnRound(int first) {
    a.vmovups(Ymm(2), ElementsOf(first));
    a.vpunpckldq(Ymm(0), Ymm(2), ElementsOf(first + 1));
    a.vpunpckhdq(Ymm(1), Ymm(2), ElementsOf(first + 1));
    a.vmovups(Ymm(2), ElementsOf(first + 2));
    a.vpunpckhdq(Ymm(3), Ymm(2), ElementsOf(first + 3));
    a.vpunpckldq(Ymm(2), Ymm(2), ElementsOf(first + 3));
    // Of iteration n, and of the fourth one after it.
    for (int n = 0; n < 4; ++n) {
      const x86::Ymm x = Ymm(n / 2);
      const x86::Ymm y = Ymm(n / 2 + 2);
      n % 2 == 0 ? a.vpunpcklqdq(Ymm(4), x, y) : a.vpunpckhqdq(Ymm(4), x, y);
      const x86::Mem to = x86::ptr(x86::rdx, n * StreamBuffer::kBytesOfIteration + first * 4);
      a.vmovups(to, Ymm(4).xmm());
      a.vextracti128(to.cloneAdjusted(4 * StreamBuffer::kBytesOfIteration), Ymm(4), 1);
    }
  }

  x86::Assembler& a;
  const ir::MemoryAccess access_;
  const int lanes_;
  const x86::Ymm scratch_;
  const int32_t bytes_ahead_;
};

}  // namespace

void PrepareStreamFill(RegionAssembler& region, const ir::MemoryAccess& access, int lanes,
                       int scratch) {
  const auto [it, is_new] = region.routines.try_emplace(StreamBuffer::KeyOf(access));
  if (!is_new) return;
  it->second = region.a.newLabel();
  region.cold.push_back([&region, access, lanes, scratch, routine = it->second] {
    const size_t begin = region.a.offset();
    region.a.bind(routine);
    StreamRoutine(region, access, lanes, scratch).Emit();
    NoteRoutine(region, begin);
  });
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
  a.call(region.routines.at(StreamBuffer::KeyOf(s.access)));
  a.mov(s.stream->next, 0);
  a.jmp(s.stream->read);
}

}  // namespace gcnjit::backend
