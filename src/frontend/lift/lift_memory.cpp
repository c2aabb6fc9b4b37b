#include "frontend/lift/lift_memory.h"

#include <algorithm>

namespace gcnjit::frontend {

Dwords PartsOf(Lifter& l, Value load, int count) {
  Dwords parts;
  for (int n = 0; n < count; ++n) parts[n] = l.b.Part(load, n);
  return parts;
}

void WriteLoaded(Lifter& l, const Instruction& i, const MemoryForm& form, const Dwords& loaded,
                 int first) {
  const int dst = i.dst.index + first;
  if (form.d16 == D16::kNone) {
    for (int n = 0; n < form.Dwords(); ++n) l.SetVgpr(dst + n, loaded[n]);
    return;
  }
  const bool high = form.d16 == D16::kHigh;
  Value half = loaded[0];
  if (high) {
    half = l.b.Shl(half, 16);
  } else if (form.sign_extend) {
    half = l.b.And(half, l.b.U32(0xFFFF));
  }
  if (i.zeroes_half) return l.SetVgpr(dst, half);
  const Value kept = l.b.And(l.Vgpr(dst), l.b.U32(high ? 0xFFFF : 0xFFFF0000));
  l.SetVgpr(dst, l.b.Or(kept, half));
}

Dwords StoredDwords(Lifter& l, const MemoryForm& form, int src) {
  Dwords dwords;
  for (int n = 0; n < form.Dwords(); ++n) dwords[n] = l.Vgpr(src + n);
  if (form.d16 == D16::kHigh) dwords[0] = l.b.Lshr(dwords[0], 16);
  return dwords;
}

void EmitAtomic(Lifter& l, const Instruction& i, Op op, const std::array<Value, 3>& lead,
                std::initializer_list<int> data, int dwords, int64_t imm, MemoryAccess access) {
  Value args[ir::kMaxArguments];
  int count = static_cast<int>(std::copy(lead.begin(), lead.end(), args) - args);
  for (const int first : data) {
    for (int n = 0; n < dwords; ++n) args[count++] = l.Vgpr(first + n);
  }
  const Value old = l.b.EmitList(op, Type::kV32, args, count, imm, access.Pack());
  if (i.dst.kind != OperandKind::kVector) return;
  const Dwords parts = PartsOf(l, old, dwords);
  for (int n = 0; n < dwords; ++n) l.SetVgpr(i.dst.index + n, parts[n]);
}

void EmitGlobalAtomic(Lifter& l, const Instruction& i, const AtomicForm& form,
                      const std::array<Value, 3>& lead, int64_t imm, const MemoryAccess& access) {
  const int data = i.src[1].index;
  const int dwords = form.Dwords();
  if (form.op == AtomicOp::kCmpSwap || form.op == AtomicOp::kFCmpSwap) {
    EmitAtomic(l, i, Op::kAtomic, lead, {data + dwords, data}, dwords, imm, access);
  } else {
    EmitAtomic(l, i, Op::kAtomic, lead, {data}, dwords, imm, access);
  }
}

}  // namespace gcnjit::frontend
