#include "wave_fixture.h"

#include <xmmintrin.h>

#include <span>

#include "isa/image_operands.h"
#include "isa/matrix_shape.h"

namespace gcnjit::frontend {

using runtime::kLanes;
using runtime::WaveState;

namespace {

constexpr uint32_t kSpecials[] = {0,          1,          2,          3,          16,
                                  31,         64,         0x80000000, 0x3F800000, 0xBF800000,
                                  0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0x00000001,
                                  0x807FFFFF, 0x00003C00, 0x7C007C00, 0x3FF00000, 0x7FF00000};

}  // namespace

DwordPool::DwordPool() : dwords_(1 << 18) {
  Random random(1);
  for (uint32_t& dword : dwords_) {
    dword = OneIn(random, 4) ? kSpecials[random() % std::size(kSpecials)]
                             : static_cast<uint32_t>(random());
  }
}

void DwordPool::Fill(Random& random, uint32_t* to, size_t count) const {
  const size_t at = random() % (dwords_.size() - count);
  std::memcpy(to, &dwords_[at], count * sizeof *to);
}

TestMemory::TestMemory()
    : guest_(runtime::GuestMemory::Reserve().value()), lds_(kLdsBytes), gds_(kGdsBytes) {
  arena_ = guest_->Allocate(kArenaBytes, "arena").value();
  Random random(2);
  pristine_.resize(kArenaBytes + kLdsBytes + kGdsBytes);
  const DwordPool pool;
  for (size_t at = 0; at < pristine_.size(); at += 4) {
    const uint32_t dword = pool.Next(random);
    std::memcpy(&pristine_[at], &dword, 4);
  }
  TakeChanges();
}

TestMemory::~TestMemory() { (void)guest_->Free(arena_); }

std::vector<std::byte> TestMemory::TakeChanges() {
  constexpr size_t kPiece = 1024;
  std::vector<std::byte> changes;
  size_t at = 0;
  const auto take = [&](std::byte* memory, size_t bytes) {
    for (const std::byte* const end = memory + bytes; memory < end;
         memory += kPiece, at += kPiece) {
      const std::byte* const first = &pristine_[at];
      if (std::memcmp(memory, first, kPiece) == 0) continue;
      const auto where = std::as_bytes(std::span(&at, 1));
      changes.insert(changes.end(), where.begin(), where.end());
      changes.insert(changes.end(), memory, memory + kPiece);
      std::memcpy(memory, first, kPiece);
    }
  };
  take(reinterpret_cast<std::byte*>(arena_), kArenaBytes);
  take(lds_.data(), kLdsBytes);
  take(gds_.data(), kGdsBytes);
  return changes;
}

Stepper::Stepper(Generation generation, TestMemory& memory) {
  dispatch_.memory = memory.guest();
  dispatch_.processor = generation;
  dispatch_.scratch_base = memory.arena();
  dispatch_.gds = memory.gds();
  dispatch_.stop = &stop_;
  group_.lds = memory.lds();
  group_.lds_bytes = TestMemory::kLdsBytes;
  group_.wave_count = 1;
}

runtime::WaveEvent Stepper::Step(WaveState& state, const runtime::CodeSlot& slot) {
  const uint32_t host_mxcsr = _mm_getcsr();
  // The same at each step; its barriers are open.
  runtime::GlobalWaveSync wave_sync;
  for (uint32_t n = 0; n < runtime::GlobalWaveSync::kResources; ++n) wave_sync.Init(n, 0);
  dispatch_.wave_sync = &wave_sync;
  runtime::Wave wave{state, group_, dispatch_};
  runtime::StepWave(wave, slot);
  _mm_setcsr(host_mxcsr);
  return wave.event;
}

void CopyState(const WaveState& from, size_t registers, WaveState& to) {
  std::memcpy(static_cast<void*>(&to), &from, StateBytes(registers));
}

void FillState(const DwordPool& pool, Random& random, size_t registers, WaveState& state) {
  pool.Fill(random, state.sgpr, std::size(state.sgpr));
  for (size_t n = 0; n < registers; ++n) pool.Fill(random, state.vgpr[n], kLanes);
  state.scc = random() & 1;
  const uint64_t exec = OneIn(random, 8)   ? 0
                        : OneIn(random, 3) ? ~uint64_t{0}
                        : OneIn(random, 2) ? random() & random() & random()
                                           : random();
  state.SetPair(kCodeExecLo, exec);
  // Rounding and denormals, clamp, IEEE; now and then an entry on the branch stack.
  state.mode = static_cast<uint32_t>(random() & 0x3FF) | (OneIn(random, 4) ? 1u << 29 : 0);
  state.pc = 0x10000;
  state.vgpr_count = state.acc_vgpr_count = runtime::kMaxVgprs;
  state.wave_in_group = 0;
}

namespace {

class Operands {
 public:
  Operands(const Instruction& instruction, Generation generation, const TestMemory& memory,
           Random& random, WaveState& state)
      : i_(instruction), generation_(generation), memory_(memory), random_(random), state_(state) {}

  void Prepare() {
    // A small number for s_movrel, an LDS address with a type for LDS_DIRECT, a limit for DS.
    constexpr uint32_t kM0[] = {0, 1, 2, 0x20010, 0x8000, 0x4FFFF, 0xFFFFFFFF, 0x400};
    if (i_.gds) {
      Set(kCodeM0, OneIn(random_, 4) ? 0x00404000 : 0x0000FFFF);
    } else {
      Set(kCodeM0, kM0[random_() % std::size(kM0)]);
    }
    switch (i_.encoding) {
      case Encoding::kSmrd:
      case Encoding::kSmem: return Smem();
      case Encoding::kDs: return Lanes(i_.src[0], 0, 512);
      case Encoding::kMubuf:
      case Encoding::kMtbuf: return Buffer();
      case Encoding::kMimg: return Image();
      case Encoding::kFlat: return Flat();
      case Encoding::kGlobal: return Global();
      case Encoding::kScratch: return Scratch();
      default: return SparseIndices();
    }
  }

 private:
  void Set(int code, uint32_t value) { state_.sgpr[code] = value; }
  uint32_t Small(uint32_t count) { return static_cast<uint32_t>(random_() % count) * 16; }

  // Lanes of a VGPR: base + a small multiple of 16.
  void Lanes(const Operand& operand, uint32_t base, uint32_t count) {
    if (operand.kind != OperandKind::kVector) return;
    for (uint32_t& lane : state_.vgpr[operand.index]) lane = base + Small(count);
  }
  void LanePairs(const Operand& operand, uint64_t base, uint32_t count) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint64_t address = base + Small(count);
      state_.vgpr[operand.index][lane] = static_cast<uint32_t>(address);
      state_.vgpr[operand.index + 1][lane] = static_cast<uint32_t>(address >> 32);
    }
  }

  void Resource(int code) {
    // The 256 formats of word 3 are mostly undefined: 32_32_32_32 float and uint, 8 and 16 bits.
    constexpr uint32_t kFormats[] = {14 << 15 | 7 << 12, 14 << 15 | 4 << 12, 10 << 15 | 0 << 12,
                                     4 << 15 | 4 << 12,  2 << 15 | 0 << 12,  5 << 15 | 7 << 12,
                                     1 << 15 | 4 << 12,  11 << 15 | 7 << 12, 13 << 15 | 7 << 12,
                                     12 << 15 | 7 << 12};
    const uint64_t base = memory_.middle();
    const uint32_t stride = OneIn(random_, 2) ? 0 : 16;
    const bool swizzle = i_.row().Has(LOAD) && OneIn(random_, 8);
    Set(code, static_cast<uint32_t>(base));
    Set(code + 1, static_cast<uint32_t>(base >> 32) | stride << 16 | (swizzle ? 1u << 31 : 0));
    Set(code + 2, stride == 0 ? 0x4000 : 0x400);
    const uint32_t identity = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    const uint32_t some = OneIn(random_, 4) ? 4 | 1 << 3 | 0 << 6 | 4 << 9 : identity;
    Set(code + 3, (i_.row().Has(STORE) ? identity : some) |
                      kFormats[random_() % std::size(kFormats)] |
                      (OneIn(random_, 8) ? 1u << 23 : 0));
  }

  void Smem() {
    if (i_.src[1].kind == OperandKind::kScalar) Set(i_.src[1].index, Small(64));
    if (i_.src[0].kind != OperandKind::kScalar) return;
    if (i_.src[0].type == OperandType::B128) return Resource(i_.src[0].index);
    state_.SetPair(i_.src[0].index, memory_.middle());
  }

  void Buffer() {
    if (i_.src[3].kind == OperandKind::kScalar) Set(i_.src[3].index, Small(16));
    if (i_.src[2].kind == OperandKind::kScalar) Resource(i_.src[2].index);
    if (i_.src[0].kind != OperandKind::kVector) return;
    if (i_.addr64) return LanePairs(i_.src[0], 0, 512);
    Lanes(i_.src[0], 0, i_.idxen ? 4 : 512);
    if (i_.idxen && i_.offen) {
      for (uint32_t& lane : state_.vgpr[i_.src[0].index + 1]) lane = Small(16);
    }
  }

  // A linear image of 16 x 8 texels, with few layers or little depth, and a sampler.
  void Image() {
    // 8_8_8_8 UNORM and UINT, 32 UINT, 32_32 UINT, 16_16_16_16 and 32_32_32_32 FLOAT.
    constexpr uint32_t kFormats[] = {10 << 20,           10 << 20 | 4 << 26, 4 << 20 | 4 << 26,
                                     11 << 20 | 4 << 26, 12 << 20 | 7 << 26, 14 << 20 | 7 << 26};
    constexpr uint32_t kComponents[] = {4, 4, 1, 2, 4, 4};
    constexpr uint32_t kIdentity = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    constexpr uint32_t kOne = 1 | 1 << 3 | 1 << 6 | 1 << 9;
    constexpr uint32_t kTypes[] = {9, 9, 8, 10};
    const uint64_t base = memory_.middle() >> 8;
    constexpr uint32_t kFloat32 = 4 << 20 | 7 << 26, kFirst = 4 | 4 << 3 | 4 << 6 | 4 << 9;
    const bool compares = frontend::ImageFormOf(i_.row()).compares;
    const size_t format = random_() % std::size(kFormats);
    const uint32_t own = (1u << 3 * kComponents[format]) - 1;
    const uint32_t selects = compares ? kFirst : (kIdentity & own) | (kOne & ~own);
    const uint32_t type =
        i_.da ? 12 + static_cast<uint32_t>(random_() % 2) : kTypes[random_() % (compares ? 3 : 4)];
    const int code = i_.src[2].index;
    Set(code, static_cast<uint32_t>(base));
    Set(code + 1, static_cast<uint32_t>(base >> 32) | (compares ? kFloat32 : kFormats[format]));
    Set(code + 2, 15 | 7 << 14);
    Set(code + 3, selects | type << 28 | (IsGfx9(generation_) ? 0 : 8 << 20));
    Set(code + 4, 1 | 15 << 13);
    Set(code + 5, IsGfx9(generation_) ? 0 : 1 << 13);
    Set(code + 6, 0);
    Set(code + 7, 0);
    if (i_.src[3].kind == OperandKind::kScalar) {
      constexpr uint32_t kClamps[] = {0, 0x49, 0x92, 0x1b6};
      Set(i_.src[3].index, kClamps[random_() % 4] | static_cast<uint32_t>(random_() % 8) << 12);
      Set(i_.src[3].index + 1, 0xFFF000);
      Set(i_.src[3].index + 2, OneIn(random_, 2) ? 0x500000 : 0);
      Set(i_.src[3].index + 3, 0);
      return;
    }
    for (int n = 0; n < 4 && i_.src[0].index + n < runtime::kMaxVgprs; ++n) {
      for (uint32_t& lane : state_.vgpr[i_.src[0].index + n])
        lane = static_cast<uint32_t>(random_() % 3);
    }
  }

  void Flat() {
    if (IsGfx9(generation_)) {
      state_.SetPair(kCodeFlatScratchGfx8, memory_.arena());
    } else {
      const int code = IsGfx8Plus(generation_) ? kCodeFlatScratchGfx8 : kCodeFlatScratchGfx7;
      Set(code, 0x1000);
      Set(code + 1, 0);
    }
    const uint64_t base = OneIn(random_, 3) && !i_.row().Has(ATOMIC) ? kPrivateAperture
                          : OneIn(random_, 3)                        ? kSharedAperture
                                                                     : memory_.middle();
    LanePairs(i_.src[0], base, 128);
  }

  void Global() {
    if (i_.src[2].kind == OperandKind::kScalar) {
      state_.SetPair(i_.src[2].index, memory_.middle());
      return Lanes(i_.src[0], 0, 512);
    }
    LanePairs(i_.src[0], memory_.middle(), 512);
  }

  void Scratch() {
    state_.SetPair(kCodeFlatScratchGfx8, memory_.arena());
    Lanes(i_.src[0], 0x1000 + static_cast<uint32_t>(random_() % 2), 16);
    if (i_.src[2].kind == OperandKind::kScalar && i_.src[2].index != kCodeFlatScratchGfx8 &&
        i_.src[2].index != kCodeFlatScratchGfx8 + 1) {
      Set(i_.src[2].index, 0x1000 + Small(16));
    }
  }

  // Pairs that ascend.
  void SparseIndices() {
    if (!MultipliesMatrices(i_.row()) || MatrixShapeOf(i_.opcode) != nullptr) return;
    constexpr uint32_t kPairs[] = {0x4, 0x8, 0xC, 0x9, 0xD, 0xE};
    for (uint32_t& lane : state_.vgpr[i_.src[2].index]) {
      for (int n = 0; n < 8; ++n) lane = lane << 4 | kPairs[random_() % std::size(kPairs)];
    }
  }

  const Instruction& i_;
  const Generation generation_;
  const TestMemory& memory_;
  Random& random_;
  WaveState& state_;
};

}  // namespace

void PrepareOperands(const Instruction& instruction, Generation generation,
                     const TestMemory& memory, Random& random, WaveState& state) {
  Operands(instruction, generation, memory, random, state).Prepare();
}

}  // namespace gcnjit::frontend
