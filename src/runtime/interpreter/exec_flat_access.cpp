// FLAT, GLOBAL and SCRATCH loads and stores.
//
// Sources: CLRX GcnInstrsFlat.md; CDNA3 ISA chapter 10 (addressing of the three segments); LLVM
// AMDGPUUsage "Flat Scratch".
#include <algorithm>
#include <type_traits>

#include "runtime/interpreter/flat_address.h"
#include "runtime/interpreter/guest_access.h"
#include "runtime/interpreter/lane_access.h"
#include "runtime/interpreter/memory_order.h"
#include "runtime/interpreter/memory_segments.h"

namespace gcnjit::runtime {
namespace {

uint32_t InstructionOffset(const Instruction& i) { return static_cast<uint32_t>(i.offset); }

// The lanes' offsets within scratch, SGPR or VGPR plus the instruction's.
void ScratchOffsets(const Wave& w, const Instruction& i, uint32_t (&offsets)[kLanes]) {
  uint32_t common = InstructionOffset(i);
  if (i.src[2].kind == OperandKind::kScalar) common += w.state.sgpr[i.src[2].index];
  const bool has_vaddr = i.src[0].kind == OperandKind::kVector;
  for (int lane = 0; lane < kLanes; ++lane) {
    offsets[lane] = common + (has_vaddr ? w.state.vgpr[i.src[0].index][lane] : 0);
  }
}

// The active lanes that are not aligned.
uint64_t MisalignedLanes(const Wave& w, const uint32_t (&offsets)[kLanes], uint32_t bytes) {
  const uint32_t low_bits = std::min(bytes, 4u) - 1;
  uint64_t lanes = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    lanes |= uint64_t{(offsets[lane] & low_bits) != 0} << lane;
  }
  return lanes & w.exec();
}

// Of the dwords from `offset` on, n dwords further.
void ScratchRow(const ScratchWindow& window, const uint32_t (&offsets)[kLanes], uint64_t n,
                LaneAddresses& at) {
  const ScratchWindow scratch = {window.base + n * kLanes * 4, window.bytes_per_lane};
  for (int lane = 0; lane < kLanes; ++lane) at[lane] = ScratchAddress(scratch, offsets[lane], lane);
}

template <typename Form>
void FlatLoad(Wave& w, const Instruction& i) {
  if (i.lds) return RefuseLds(w);
  FenceIfCoherent(i);
  LaneAddresses at;
  FlatAddresses(w, i, at);
  if (!AnyInApertures(at, w.exec())) {
    LoadAt<Form>(w, i.dst.index, w.exec(), at);
  } else {
    ForEachLane(w.exec(), [&](int lane) {
      uint32_t raw[Form::kRegisters] = {};
      if (!ReadFlat(w, lane, at[lane], raw, Form::kBytes)) return false;
      PutLane<Form>(w, i.dst.index, lane, raw);
      return true;
    });
  }
  PutTfeStatus(w, i, Form::kRegisters);
}

template <typename Form>
void FlatStore(Wave& w, const Instruction& i) {
  if (i.lds) return RefuseLds(w);
  LaneAddresses at;
  FlatAddresses(w, i, at);
  if (!AnyInApertures(at, w.exec())) return StoreAt<Form>(w, i.src[1].index, w.exec(), at);
  ForEachLane(w.exec(), [&](int lane) {
    uint32_t raw[Form::kRegisters];
    TakeLane<Form>(w, i.src[1].index, lane, raw);
    return WriteFlat(w, lane, at[lane], raw, Form::kBytes);
  });
}

template <typename Form>
void GlobalLoad(Wave& w, const Instruction& i) {
  FenceIfCoherent(i);
  LaneAddresses at;
  GlobalAddresses(w, i, at);
  if (i.lds) {
    if constexpr (kLoadsToLds<Form>) {
      return LoadToLds<Form>(w, InstructionOffset(i), w.exec(), at);
    } else {
      return RefuseLds(w);
    }
  }
  LoadAt<Form>(w, i.dst.index, w.exec(), at);
}

template <typename Form>
void GlobalStore(Wave& w, const Instruction& i) {
  if (i.lds) return RefuseLds(w);
  LaneAddresses at;
  GlobalAddresses(w, i, at);
  StoreAt<Form>(w, i.src[1].index, w.exec(), at);
}

// Lanes that are aligned access memory dword by dword, each for all of them, which decides what
// faults first; then the others, one after the other.
template <typename Form>
void ScratchLoad(Wave& w, const Instruction& i) {
  const ScratchWindow window = FlatScratchOf(w);
  alignas(64) uint32_t offsets[kLanes];
  LaneAddresses at;
  ScratchOffsets(w, i, offsets);
  const uint64_t others = MisalignedLanes(w, offsets, Form::kBytes);
  const uint64_t aligned = w.exec() & ~others;
  if (i.lds) {
    if constexpr (kLoadsToLds<Form>) {
      ScratchRow(window, offsets, 0, at);
      if (others == 0) return LoadToLds<Form>(w, InstructionOffset(i), aligned, at);
    }
    return RefuseLds(w);
  }
  using Piece = std::conditional_t<Form::kRegisters == 1, Form, LoadDwords<1>>;
  for (int n = 0; n < Form::kRegisters && w.event != WaveEvent::kFault; ++n) {
    ScratchRow(window, offsets, static_cast<uint64_t>(n), at);
    LoadAt<Piece>(w, i.dst.index + n, aligned, at);
  }
  if (w.event == WaveEvent::kFault) return;
  ForEachLane(others, [&](int lane) {
    uint32_t raw[Form::kRegisters] = {};
    if (!ReadScratch(w, window, lane, offsets[lane], raw, Form::kBytes)) return false;
    PutLane<Form>(w, i.dst.index, lane, raw);
    return true;
  });
}

template <typename Form>
void ScratchStore(Wave& w, const Instruction& i) {
  if (i.lds) return RefuseLds(w);
  const ScratchWindow window = FlatScratchOf(w);
  alignas(64) uint32_t offsets[kLanes];
  LaneAddresses at;
  ScratchOffsets(w, i, offsets);
  const uint64_t others = MisalignedLanes(w, offsets, Form::kBytes);
  using Piece = std::conditional_t<Form::kRegisters == 1, Form, StoreDwords<1>>;
  for (int n = 0; n < Form::kRegisters && w.event != WaveEvent::kFault; ++n) {
    ScratchRow(window, offsets, static_cast<uint64_t>(n), at);
    StoreAt<Piece>(w, i.src[1].index + n, w.exec() & ~others, at);
  }
  if (w.event == WaveEvent::kFault) return;
  ForEachLane(others, [&](int lane) {
    uint32_t raw[Form::kRegisters];
    TakeLane<Form>(w, i.src[1].index, lane, raw);
    return WriteScratch(w, window, lane, offsets[lane], raw, Form::kBytes);
  });
}

}  // namespace

// clang-format off
#define LOAD(suffix, form)                                                               \
  void exec_FLAT_LOAD_##suffix(Wave& w, const Instruction& i) { FlatLoad<form>(w, i); }       \
  void exec_GLOBAL_LOAD_##suffix(Wave& w, const Instruction& i) { GlobalLoad<form>(w, i); }   \
  void exec_SCRATCH_LOAD_##suffix(Wave& w, const Instruction& i) { ScratchLoad<form>(w, i); }
#define D16_FORM(load, form, from, w, i) \
  ((i).zeroes_half ? load<form<from, true>>(w, i) : load<form<from, false>>(w, i))
#define D16_LOAD(suffix, form, from)                                                                                    \
  void exec_FLAT_LOAD_##suffix(Wave& w, const Instruction& i) { D16_FORM(FlatLoad, form, from, w, i); }       \
  void exec_GLOBAL_LOAD_##suffix(Wave& w, const Instruction& i) { D16_FORM(GlobalLoad, form, from, w, i); }   \
  void exec_SCRATCH_LOAD_##suffix(Wave& w, const Instruction& i) { D16_FORM(ScratchLoad, form, from, w, i); }
#define STORE(suffix, form)                                                              \
  void exec_FLAT_STORE_##suffix(Wave& w, const Instruction& i) { FlatStore<form>(w, i); }     \
  void exec_GLOBAL_STORE_##suffix(Wave& w, const Instruction& i) { GlobalStore<form>(w, i); } \
  void exec_SCRATCH_STORE_##suffix(Wave& w, const Instruction& i) { ScratchStore<form>(w, i); }

LOAD(UBYTE,        LoadUbyte)
LOAD(SBYTE,        LoadSbyte)
LOAD(USHORT,       LoadUshort)
LOAD(SSHORT,       LoadSshort)
LOAD(DWORD,        LoadDwords<1>)
LOAD(DWORDX2,      LoadDwords<2>)
LOAD(DWORDX3,      LoadDwords<3>)
LOAD(DWORDX4,      LoadDwords<4>)
D16_LOAD(UBYTE_D16,    LoadD16, LoadUbyte)
D16_LOAD(UBYTE_D16_HI, LoadD16Hi, LoadUbyte)
D16_LOAD(SBYTE_D16,    LoadD16, LoadSbyte)
D16_LOAD(SBYTE_D16_HI, LoadD16Hi, LoadSbyte)
D16_LOAD(SHORT_D16,    LoadD16, LoadUshort)
D16_LOAD(SHORT_D16_HI, LoadD16Hi, LoadUshort)

STORE(BYTE,         StoreByte)
STORE(BYTE_D16_HI,  StoreByteD16Hi)
STORE(SHORT,        StoreShort)
STORE(SHORT_D16_HI, StoreShortD16Hi)
STORE(DWORD,        StoreDwords<1>)
STORE(DWORDX2,      StoreDwords<2>)
STORE(DWORDX3,      StoreDwords<3>)
STORE(DWORDX4,      StoreDwords<4>)

// To LDS: as with the LDS bit of older generations.
#define LDS_LOAD(suffix, form)                                                               \
  void exec_GLOBAL_LOAD_LDS_##suffix(Wave& w, const Instruction& i) { GlobalLoad<form>(w, i); } \
  void exec_SCRATCH_LOAD_LDS_##suffix(Wave& w, const Instruction& i) { ScratchLoad<form>(w, i); }

LDS_LOAD(UBYTE,  LoadUbyte)
LDS_LOAD(SBYTE,  LoadSbyte)
LDS_LOAD(USHORT, LoadUshort)
LDS_LOAD(SSHORT, LoadSshort)
LDS_LOAD(DWORD,  LoadDwords<1>)

#undef LDS_LOAD
#undef LOAD
#undef D16_FORM
#undef D16_LOAD
#undef STORE
// clang-format on

}  // namespace gcnjit::runtime
