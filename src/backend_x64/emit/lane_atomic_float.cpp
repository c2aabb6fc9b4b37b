#include "backend_x64/emit/lane_atomic_float.h"

namespace gcnjit::backend {

namespace x86 = asmjit::x86;

void LaneAtomicFloat::EmitToTemp() {
  bits_ == 64 ? a_.vmovq(temp_, x86::rdx) : a_.vmovd(temp_, x86::edx);
}

void LaneAtomicFloat::EmitCompare(const x86::Xmm& x, const asmjit::Operand& y) {
  a_.emit(bits_ == 64 ? x86::Inst::kIdVucomisd : x86::Inst::kIdVucomiss, x, y);
}

void LaneAtomicFloat::EmitSum(const Mem& data) {
  EmitToTemp();
  if (bits_ == 64) {
    a_.vaddsd(temp_, temp_, data);
    a_.vmovq(x86::rdx, temp_);
  } else {
    a_.vaddss(temp_, temp_, data);
    a_.vmovd(x86::edx, temp_);
  }
}

void LaneAtomicFloat::EmitMemorySum(const Mem& memory, const Mem& data) {
  if (bits_ == 64) {
    a_.vmovsd(temp_, memory);
    a_.vaddsd(temp_, temp_, data);
    a_.vmovsd(memory, temp_);
  } else {
    a_.vmovss(temp_, memory);
    a_.vaddss(temp_, temp_, data);
    a_.vmovss(memory, temp_);
  }
}

void LaneAtomicFloat::EmitExtreme(const Mem& data, bool is_least) {
  const Gp value = Sized(x86::rdx);
  const int quiet = bits_ == 64 ? 51 : 22;  // a NaN's bit
  const asmjit::Label nan = a_.newLabel();
  const asmjit::Label old_is_quiet = a_.newLabel();
  const asmjit::Label data_is_nan = a_.newLabel();
  const asmjit::Label take = a_.newLabel();
  const asmjit::Label keep = a_.newLabel();
  EmitToTemp();
  EmitCompare(temp_, data);
  a_.jp(nan);
  is_least ? a_.ja(take) : a_.jb(take);
  a_.jne(keep);
  // Zeros, or what counts as such: their signs decide.
  a_.test(value, value);
  is_least ? a_.js(keep) : a_.jns(keep);
  a_.cmp(data, 0);
  is_least ? a_.jns(keep) : a_.js(keep);
  a_.bind(take);
  a_.mov(value, data);
  a_.jmp(keep);

  a_.bind(nan);
  EmitCompare(temp_, temp_);
  a_.jnp(data_is_nan);
  a_.bt(value, quiet);
  a_.jc(old_is_quiet);
  a_.bts(value, quiet);
  a_.jmp(keep);
  a_.bind(old_is_quiet);
  bits_ == 64 ? a_.vmovsd(temp_, data) : a_.vmovss(temp_, data);
  EmitCompare(temp_, temp_);
  a_.jnp(take);
  a_.bind(data_is_nan);
  a_.bt(data, quiet);
  a_.jc(keep);
  a_.mov(value, data);
  a_.bts(value, quiet);
  a_.bind(keep);
}

void LaneAtomicFloat::EmitComparedSwap(const Mem& data, const Mem& data2) {
  const asmjit::Label keep = a_.newLabel();
  EmitToTemp();
  EmitCompare(temp_, data);
  a_.jp(keep);
  a_.jne(keep);
  a_.mov(Sized(x86::rdx), data2);
  a_.bind(keep);
}

void LaneAtomicFloat::EmitFlush(const Mem& temp) {
  const Gp value = Sized(x86::rdx);
  const int sign = static_cast<int>(bits_) - 1;
  const int fraction = bits_ == 64 ? 52 : 23;
  const asmjit::Label normal = a_.newLabel();
  a_.mov(temp, value);
  a_.shl(temp, 1);
  a_.shr(temp, fraction + 1);  // the exponent
  a_.jnz(normal);
  a_.shr(value, sign);
  a_.shl(value, sign);
  a_.bind(normal);
}

}  // namespace gcnjit::backend
