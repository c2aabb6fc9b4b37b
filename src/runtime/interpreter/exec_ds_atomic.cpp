// DS atomics, with and without return, and the exchange instructions.
//
// Waves of a group run on one host thread, so plain read-modify-write is atomic on LDS. GDS is
// shared by groups on other threads: there the operations are atomic on the host. Sources: CLRX
// GcnInstrsDs.md; Vega manual as quoted in gem5 ds.cc; CDNA3 ISA 9.2 "Float memory atomics"
// (rounding, denormals, NaNs).
#include "runtime/interpreter/atomic_float_add.h"
#include "runtime/interpreter/atomics.h"
#include "runtime/interpreter/ds_update.h"
#include "runtime/interpreter/memory_segments.h"

namespace gcnjit::runtime {
namespace {

// The in-range lanes of an atomic. Before gfx9 the low address bits are ignored; on gfx9, where
// unaligned DS accesses are on, a misaligned atomic is an error.
template <typename T>
uint64_t AtomicAddresses(Wave& w, const DataShare& share, int reg, uint32_t offset,
                         uint32_t (&at)[kLanes]) {
  if (!CheckShareBase<T>(w, share)) return 0;
  const uint64_t in_range = ShareAddresses(w, share, reg, offset, sizeof(T), at);
  if (!frontend::Has(w.generation(), frontend::kUnalignedLds)) return in_range;
  ForEachLane(in_range, [&](int lane) {
    if (at[lane] % sizeof(T) == 0) [[likely]]
      return true;
    w.RaiseFault(FaultKind::kMisaligned, lane, at[lane], sizeof(T),
                 "a DS atomic needs its natural alignment");
    return false;
  });
  return w.event == WaveEvent::kFault ? 0 : in_range;
}

// data is src[1], data2 is src[2]; the old value goes to dst if there is one.
template <typename T, typename Op>
void DsAtomic(Wave& w, const Instruction& i, const Op& op) {
  const DataShare share = ShareOf(w, i);
  alignas(64) uint32_t at[kLanes];
  const uint64_t in_range =
      AtomicAddresses<T>(w, share, i.src[0].index, static_cast<uint32_t>(i.offset), at);
  if (w.event == WaveEvent::kFault) return;
  const bool returns = i.dst.kind == OperandKind::kVector;
  const bool has_data2 = i.src[2].kind == OperandKind::kVector;
  ForEachLane(w.exec(), [&](int lane) {
    T old = 0;
    if (((in_range >> lane) & 1) != 0) {
      const T data = LaneValue<T>(w, i.src[1].index, lane);
      const T data2 = has_data2 ? LaneValue<T>(w, i.src[2].index, lane) : T{0};
      old = UpdateShare(share, at[lane], op, data, data2);
    }
    if (returns) SetLaneValue(w, i.dst.index, lane, old);
    return true;
  });
}

// Stores data to vaddr + offset0 * scale and data2 to vaddr + offset1 * scale; both old values are
// read before either store.
template <typename T>
void DsExchange2(Wave& w, const Instruction& i, uint32_t scale) {
  const DataShare share = ShareOf(w, i);
  alignas(64) uint32_t at0[kLanes];
  alignas(64) uint32_t at1[kLanes];
  const int address = i.src[0].index;
  const uint64_t in_range0 = AtomicAddresses<T>(w, share, address, i.offset0 * scale, at0);
  const uint64_t in_range1 = AtomicAddresses<T>(w, share, address, i.offset1 * scale, at1);
  if (w.event == WaveEvent::kFault) return;
  ForEachLane(w.exec(), [&](int lane) {
    const T data0 = LaneValue<T>(w, i.src[1].index, lane);
    const T data1 = LaneValue<T>(w, i.src[2].index, lane);
    T old0 = 0;
    T old1 = 0;
    const bool first = ((in_range0 >> lane) & 1) != 0;
    const bool second = ((in_range1 >> lane) & 1) != 0;
    if (first) old0 = UpdateShare(share, at0[lane], AtomicSwap{}, data0, T{0});
    if (second) old1 = UpdateShare(share, at1[lane], AtomicSwap{}, data1, T{0});
    if (first && second && at0[lane] == at1[lane]) old1 = old0;
    SetLaneValue(w, i.dst.index, lane, old0);
    SetLaneValue(w, i.dst.index + static_cast<int>(sizeof(T) / 4), lane, old1);
    return true;
  });
}

// CONDXCHG32: each dword of the data whose bit 31 is set is stored with that bit cleared; all old
// dwords are returned. Sources for 64 bits: RDNA3 and CDNA3 ISA, DS_CONDXCHG32_RTN_B64. The 128-bit
// form of gfx7 is described nowhere beyond its name; it is taken to do the same to four dwords.
template <int kDwords>
void DsConditionalExchange(Wave& w, const Instruction& i) {
  const DataShare share = ShareOf(w, i);
  if (!CheckShareBase<uint32_t>(w, share)) return;
  alignas(64) uint32_t at[kLanes];
  const uint64_t in_range =
      ShareAddresses(w, share, i.src[0].index, static_cast<uint32_t>(i.offset), kDwords * 4, at);
  ForEachLane(w.exec(), [&](int lane) {
    for (uint32_t n = 0; n < kDwords; ++n) {
      const uint32_t data = w.state.vgpr[i.src[1].index + n][lane];
      uint32_t old = 0;
      if (((in_range >> lane) & 1) != 0) {
        // The address is forced to the size of the whole operand on every generation.
        const uint32_t address = (at[lane] & ~(kDwords * 4u - 1)) + n * 4;
        old = UpdateShare(share, address, AtomicConditionalExchange{}, data, 0u);
      }
      w.state.vgpr[i.dst.index + n][lane] = old;
    }
    return true;
  });
}

}  // namespace

// clang-format off
#define DS_ATOMIC(id, type, op)     void exec_##id(Wave& w, const Instruction& i) { DsAtomic<type>(w, i, op); }
// Float selections follow MODE's denormal fields.
#define DS_ATOMIC_F32(id, op)       DS_ATOMIC(id, uint32_t, op{Denormals32(w).flush_inputs})
#define DS_ATOMIC_F64(id, op)       DS_ATOMIC(id, uint64_t, op{Denormals64(w).flush_inputs})

DS_ATOMIC(DS_ADD_U32,        uint32_t, AtomicAdd{})
DS_ATOMIC(DS_SUB_U32,        uint32_t, AtomicSub{})
DS_ATOMIC(DS_RSUB_U32,       uint32_t, AtomicRsub{})
DS_ATOMIC(DS_INC_U32,        uint32_t, AtomicInc{})
DS_ATOMIC(DS_DEC_U32,        uint32_t, AtomicDec{})
DS_ATOMIC(DS_MIN_I32,        uint32_t, AtomicSmin{})
DS_ATOMIC(DS_MAX_I32,        uint32_t, AtomicSmax{})
DS_ATOMIC(DS_MIN_U32,        uint32_t, AtomicUmin{})
DS_ATOMIC(DS_MAX_U32,        uint32_t, AtomicUmax{})
DS_ATOMIC(DS_AND_B32,        uint32_t, AtomicAnd{})
DS_ATOMIC(DS_OR_B32,         uint32_t, AtomicOr{})
DS_ATOMIC(DS_XOR_B32,        uint32_t, AtomicXor{})
DS_ATOMIC(DS_MSKOR_B32,      uint32_t, AtomicMskor{})
DS_ATOMIC(DS_CMPST_B32,      uint32_t, AtomicCmpStore{})
DS_ATOMIC_F32(DS_CMPST_F32,  AtomicFcmpStore)
DS_ATOMIC_F32(DS_MIN_F32,    AtomicFmin)
DS_ATOMIC_F32(DS_MAX_F32,    AtomicFmax)
DS_ATOMIC(DS_ADD_F32,        uint32_t, AddF32::For(w))

DS_ATOMIC(DS_ADD_RTN_U32,       uint32_t, AtomicAdd{})
DS_ATOMIC(DS_SUB_RTN_U32,       uint32_t, AtomicSub{})
DS_ATOMIC(DS_RSUB_RTN_U32,      uint32_t, AtomicRsub{})
DS_ATOMIC(DS_INC_RTN_U32,       uint32_t, AtomicInc{})
DS_ATOMIC(DS_DEC_RTN_U32,       uint32_t, AtomicDec{})
DS_ATOMIC(DS_MIN_RTN_I32,       uint32_t, AtomicSmin{})
DS_ATOMIC(DS_MAX_RTN_I32,       uint32_t, AtomicSmax{})
DS_ATOMIC(DS_MIN_RTN_U32,       uint32_t, AtomicUmin{})
DS_ATOMIC(DS_MAX_RTN_U32,       uint32_t, AtomicUmax{})
DS_ATOMIC(DS_AND_RTN_B32,       uint32_t, AtomicAnd{})
DS_ATOMIC(DS_OR_RTN_B32,        uint32_t, AtomicOr{})
DS_ATOMIC(DS_XOR_RTN_B32,       uint32_t, AtomicXor{})
DS_ATOMIC(DS_MSKOR_RTN_B32,     uint32_t, AtomicMskor{})
DS_ATOMIC(DS_WRXCHG_RTN_B32,    uint32_t, AtomicSwap{})
DS_ATOMIC(DS_CMPST_RTN_B32,     uint32_t, AtomicCmpStore{})
DS_ATOMIC_F32(DS_CMPST_RTN_F32, AtomicFcmpStore)
DS_ATOMIC_F32(DS_MIN_RTN_F32,   AtomicFmin)
DS_ATOMIC_F32(DS_MAX_RTN_F32,   AtomicFmax)
DS_ATOMIC(DS_WRAP_RTN_B32,      uint32_t, AtomicWrap{})
DS_ATOMIC(DS_ADD_RTN_F32,       uint32_t, AddF32::For(w))
DS_ATOMIC(DS_ADD_F64,           uint64_t, AddF64::For(w))
DS_ATOMIC(DS_ADD_RTN_F64,       uint64_t, AddF64::For(w))

DS_ATOMIC(DS_PK_ADD_F16,      uint32_t, AtomicAddHalves::OfDs(w))
DS_ATOMIC(DS_PK_ADD_RTN_F16,  uint32_t, AtomicAddHalves::OfDs(w))
DS_ATOMIC(DS_PK_ADD_BF16,     uint32_t, AtomicAddBf16::OfDs(w))
DS_ATOMIC(DS_PK_ADD_RTN_BF16, uint32_t, AtomicAddBf16::OfDs(w))

DS_ATOMIC(DS_ADD_U64,        uint64_t, AtomicAdd{})
DS_ATOMIC(DS_SUB_U64,        uint64_t, AtomicSub{})
DS_ATOMIC(DS_RSUB_U64,       uint64_t, AtomicRsub{})
DS_ATOMIC(DS_INC_U64,        uint64_t, AtomicInc{})
DS_ATOMIC(DS_DEC_U64,        uint64_t, AtomicDec{})
DS_ATOMIC(DS_MIN_I64,        uint64_t, AtomicSmin{})
DS_ATOMIC(DS_MAX_I64,        uint64_t, AtomicSmax{})
DS_ATOMIC(DS_MIN_U64,        uint64_t, AtomicUmin{})
DS_ATOMIC(DS_MAX_U64,        uint64_t, AtomicUmax{})
DS_ATOMIC(DS_AND_B64,        uint64_t, AtomicAnd{})
DS_ATOMIC(DS_OR_B64,         uint64_t, AtomicOr{})
DS_ATOMIC(DS_XOR_B64,        uint64_t, AtomicXor{})
DS_ATOMIC(DS_MSKOR_B64,      uint64_t, AtomicMskor{})
DS_ATOMIC(DS_CMPST_B64,      uint64_t, AtomicCmpStore{})
DS_ATOMIC_F64(DS_CMPST_F64,  AtomicFcmpStore)
DS_ATOMIC_F64(DS_MIN_F64,    AtomicFmin)
DS_ATOMIC_F64(DS_MAX_F64,    AtomicFmax)

DS_ATOMIC(DS_ADD_RTN_U64,       uint64_t, AtomicAdd{})
DS_ATOMIC(DS_SUB_RTN_U64,       uint64_t, AtomicSub{})
DS_ATOMIC(DS_RSUB_RTN_U64,      uint64_t, AtomicRsub{})
DS_ATOMIC(DS_INC_RTN_U64,       uint64_t, AtomicInc{})
DS_ATOMIC(DS_DEC_RTN_U64,       uint64_t, AtomicDec{})
DS_ATOMIC(DS_MIN_RTN_I64,       uint64_t, AtomicSmin{})
DS_ATOMIC(DS_MAX_RTN_I64,       uint64_t, AtomicSmax{})
DS_ATOMIC(DS_MIN_RTN_U64,       uint64_t, AtomicUmin{})
DS_ATOMIC(DS_MAX_RTN_U64,       uint64_t, AtomicUmax{})
DS_ATOMIC(DS_AND_RTN_B64,       uint64_t, AtomicAnd{})
DS_ATOMIC(DS_OR_RTN_B64,        uint64_t, AtomicOr{})
DS_ATOMIC(DS_XOR_RTN_B64,       uint64_t, AtomicXor{})
DS_ATOMIC(DS_MSKOR_RTN_B64,     uint64_t, AtomicMskor{})
DS_ATOMIC(DS_WRXCHG_RTN_B64,    uint64_t, AtomicSwap{})
DS_ATOMIC(DS_CMPST_RTN_B64,     uint64_t, AtomicCmpStore{})
DS_ATOMIC_F64(DS_CMPST_RTN_F64, AtomicFcmpStore)
DS_ATOMIC_F64(DS_MIN_RTN_F64,   AtomicFmin)
DS_ATOMIC_F64(DS_MAX_RTN_F64,   AtomicFmax)

#undef DS_ATOMIC
#undef DS_ATOMIC_F32
#undef DS_ATOMIC_F64
// clang-format on

void exec_DS_WRXCHG2_RTN_B32(Wave& w, const Instruction& i) { DsExchange2<uint32_t>(w, i, 4); }
void exec_DS_WRXCHG2_RTN_B64(Wave& w, const Instruction& i) { DsExchange2<uint64_t>(w, i, 8); }
void exec_DS_WRXCHG2ST64_RTN_B32(Wave& w, const Instruction& i) {
  DsExchange2<uint32_t>(w, i, 4 * 64);
}
void exec_DS_WRXCHG2ST64_RTN_B64(Wave& w, const Instruction& i) {
  DsExchange2<uint64_t>(w, i, 8 * 64);
}

void exec_DS_CONDXCHG32_RTN_B64(Wave& w, const Instruction& i) { DsConditionalExchange<2>(w, i); }
void exec_DS_CONDXCHG32_RTN_B128(Wave& w, const Instruction& i) { DsConditionalExchange<4>(w, i); }

}  // namespace gcnjit::runtime
