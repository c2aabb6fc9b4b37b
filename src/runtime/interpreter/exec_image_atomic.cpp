// Image atomics: on texels of one or two dwords, whatever their format says they are.
//
// Sources: CLRX GcnInstrsMimg.md (data by DMASK; the old value with GLC); LLVM MIMGInstructions.td
// (one dword or two; twice as many for cmpswap); CDNA3 ISA 9.1.5.1 (dropped out of range, giving
// 0).
#include "runtime/image/texel.h"
#include "runtime/interpreter/atomics.h"
#include "runtime/interpreter/image_data.h"
#include "runtime/interpreter/image_operation.h"

namespace gcnjit::runtime {
namespace {

template <typename T, typename Op>
void ImageAtomicOn(Wave& w, const Instruction& i, const ImageOperation& operation) {
  ForEachLane(w.exec(), [&](int lane) {
    T old = 0;
    uint64_t address = 0;
    if (operation.LocateTexel(w, lane, &address)) {
      const T data = LaneValue<T>(w, i.src[1].index, lane);
      const T data2 = SecondData<T, Op>(w, i.src[1].index, lane);
      if (!AtomicAt(w, lane, address, Op{}, data, data2, &old)) return false;
    }
    if (i.dst.kind == OperandKind::kVector) SetLaneValue(w, i.dst.index, lane, old);
    PutImageStatus(w, i, lane);
    return true;
  });
}

template <typename Op>
void ImageAtomic(Wave& w, const Instruction& i, const frontend::ImageForm& form) {
  ImageOperation operation;
  if (!PrepareImageOperation(w, i, form, &operation)) return;
  const int values = i.stored_vgprs / (operation.form.has_pair ? 2 : 1);
  const bool is_dense = (i.imm & (i.imm + 1)) == 0;
  if (!is_dense || values < 1 || values > 2 ||
      i.stored_vgprs != values * (operation.form.has_pair ? 2 : 1)) {
    return w.RaiseUnsupported("image atomics have DMASK 1 or 3, and 3 or 15 to compare and swap");
  }
  if (operation.resource.format.bytes != static_cast<uint32_t>(values) * 4) {
    return w.RaiseUnsupported(
        "the texels of an image atomic have as many bits as DMASK names; use a format of 32 or 64");
  }
  values == 1 ? ImageAtomicOn<uint32_t, Op>(w, i, operation)
              : ImageAtomicOn<uint64_t, Op>(w, i, operation);
}

}  // namespace

// clang-format off
#define ATOMIC(suffix, op)                                                          \
  void exec_IMAGE_ATOMIC_##suffix(Wave& w, const Instruction& i) {                  \
    ImageAtomic<op>(w, i, ImageFormFor<frontend::Opcode::IMAGE_ATOMIC_##suffix>()); \
  }

ATOMIC(SWAP,     AtomicSwap)
ATOMIC(CMPSWAP,  AtomicCmpSwap)
ATOMIC(ADD,      AtomicAdd)
ATOMIC(SUB,      AtomicSub)
ATOMIC(RSUB,     AtomicRsub)
ATOMIC(SMIN,     AtomicSmin)
ATOMIC(UMIN,     AtomicUmin)
ATOMIC(SMAX,     AtomicSmax)
ATOMIC(UMAX,     AtomicUmax)
ATOMIC(AND,      AtomicAnd)
ATOMIC(OR,       AtomicOr)
ATOMIC(XOR,      AtomicXor)
ATOMIC(INC,      AtomicInc)
ATOMIC(DEC,      AtomicDec)
ATOMIC(FCMPSWAP, AtomicFcmpSwap)
ATOMIC(FMIN,     AtomicFmin)
ATOMIC(FMAX,     AtomicFmax)

#undef ATOMIC
// clang-format on

}  // namespace gcnjit::runtime
