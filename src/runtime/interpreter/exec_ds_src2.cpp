// DS_*_SRC2_*: operations between two places of a data share.
//
//   A = vaddr, aligned; B = A + 4 * (offset1[7] ? {A[31], A[31:17]} : {offset1[6], offset1[6:0],
//   offset0}) MEM[A] = MEM[A] op MEM[B]
// Sources: Vega manual as quoted in gem5 ds.cc; CLRX GcnInstrsDs.md, which adds that A is cut to 17
// bits where its upper bits hold the displacement.
#include "runtime/interpreter/atomics.h"
#include "runtime/interpreter/ds_update.h"
#include "runtime/interpreter/memory_segments.h"

namespace gcnjit::runtime {
namespace {

struct AddressPair {
  uint32_t a;
  uint32_t b;
};

AddressPair Src2Addresses(uint32_t vaddr, uint32_t offset, uint32_t bytes) {
  const bool from_vaddr = (offset & 0x8000) != 0;
  const uint32_t alignment = ~(bytes - 1);
  const uint32_t a = (from_vaddr ? vaddr & 0x1FFFF : vaddr) & alignment;
  // Both displacements are 16-bit signed, their top bit doubled.
  const uint32_t field = from_vaddr ? (vaddr >> 17) | ((vaddr >> 16) & 0x8000)
                                    : (offset & 0x7FFF) | ((offset << 1) & 0x8000);
  const auto displacement =
      static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(field)));
  return {a, (a + displacement * 4) & alignment};
}

template <typename T, typename Op>
void DsSrc2(Wave& w, const Instruction& i, const Op& op) {
  const DataShare share = ShareOf(w, i);
  if (!CheckShareBase<T>(w, share) || share.limit < sizeof(T)) return;
  const uint32_t last = share.limit - static_cast<uint32_t>(sizeof(T));
  ForEachLane(w.exec(), [&](int lane) {
    const AddressPair at = Src2Addresses(w.state.vgpr[i.src[0].index][lane],
                                         static_cast<uint32_t>(i.offset), sizeof(T));
    if (at.a > last) return true;
    T source = 0;
    if (at.b <= last) std::memcpy(&source, share.bytes + at.b, sizeof source);
    UpdateShare(share, at.a, op, source, T{0});
    return true;
  });
}

}  // namespace

// clang-format off
#define DS_SRC2(id, type, op) void exec_##id(Wave& w, const Instruction& i) { DsSrc2<type>(w, i, op); }

DS_SRC2(DS_ADD_SRC2_U32,   uint32_t, AtomicAdd{})
DS_SRC2(DS_SUB_SRC2_U32,   uint32_t, AtomicSub{})
DS_SRC2(DS_RSUB_SRC2_U32,  uint32_t, AtomicRsub{})
DS_SRC2(DS_INC_SRC2_U32,   uint32_t, AtomicInc{})
DS_SRC2(DS_DEC_SRC2_U32,   uint32_t, AtomicDec{})
DS_SRC2(DS_MIN_SRC2_I32,   uint32_t, AtomicSmin{})
DS_SRC2(DS_MAX_SRC2_I32,   uint32_t, AtomicSmax{})
DS_SRC2(DS_MIN_SRC2_U32,   uint32_t, AtomicUmin{})
DS_SRC2(DS_MAX_SRC2_U32,   uint32_t, AtomicUmax{})
DS_SRC2(DS_AND_SRC2_B32,   uint32_t, AtomicAnd{})
DS_SRC2(DS_OR_SRC2_B32,    uint32_t, AtomicOr{})
DS_SRC2(DS_XOR_SRC2_B32,   uint32_t, AtomicXor{})
DS_SRC2(DS_WRITE_SRC2_B32, uint32_t, AtomicSwap{})
DS_SRC2(DS_MIN_SRC2_F32,   uint32_t, AtomicFmin{Denormals32(w).flush_inputs})
DS_SRC2(DS_MAX_SRC2_F32,   uint32_t, AtomicFmax{Denormals32(w).flush_inputs})
DS_SRC2(DS_ADD_SRC2_F32,   uint32_t, AddF32::For(w))
DS_SRC2(DS_ADD_SRC2_U64,   uint64_t, AtomicAdd{})
DS_SRC2(DS_SUB_SRC2_U64,   uint64_t, AtomicSub{})
DS_SRC2(DS_RSUB_SRC2_U64,  uint64_t, AtomicRsub{})
DS_SRC2(DS_INC_SRC2_U64,   uint64_t, AtomicInc{})
DS_SRC2(DS_DEC_SRC2_U64,   uint64_t, AtomicDec{})
DS_SRC2(DS_MIN_SRC2_I64,   uint64_t, AtomicSmin{})
DS_SRC2(DS_MAX_SRC2_I64,   uint64_t, AtomicSmax{})
DS_SRC2(DS_MIN_SRC2_U64,   uint64_t, AtomicUmin{})
DS_SRC2(DS_MAX_SRC2_U64,   uint64_t, AtomicUmax{})
DS_SRC2(DS_AND_SRC2_B64,   uint64_t, AtomicAnd{})
DS_SRC2(DS_OR_SRC2_B64,    uint64_t, AtomicOr{})
DS_SRC2(DS_XOR_SRC2_B64,   uint64_t, AtomicXor{})
DS_SRC2(DS_WRITE_SRC2_B64, uint64_t, AtomicSwap{})
DS_SRC2(DS_MIN_SRC2_F64,   uint64_t, AtomicFmin{Denormals64(w).flush_inputs})
DS_SRC2(DS_MAX_SRC2_F64,   uint64_t, AtomicFmax{Denormals64(w).flush_inputs})

#undef DS_SRC2
// clang-format on

}  // namespace gcnjit::runtime
