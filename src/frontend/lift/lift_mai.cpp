// Matrices, and moves between VGPRs and AccVGPRs.
#include <utility>

#include "frontend/lift/lifter.h"
#include "isa/matrix_shape.h"

namespace gcnjit::frontend {

void Lifter::Multiply(const ir::MatrixProduct& product, int a, int b) {
  const int count = product.shape.SourceRegisters();
  std::vector<Value> sources;
  for (int n = 0; n < count; ++n) sources.push_back(VgprExactly(a + n));
  for (int n = 0; n < count; ++n) sources.push_back(VgprExactly(b + n));
  for (int n = 0; n < product.shape.ResultRegisters(); ++n) {
    // A result of an earlier one is in the state by then.
    if (!matrix_results_[product.c + n]) matrix_addends_.set(product.c + n);
  }
  for (int n = 0; n < product.shape.ResultRegisters(); ++n) matrix_results_.set(product.d + n);
  matrices_.push_back({product, std::move(sources), this->b.guest()});
}

bool Lifter::MustFollowMatrices(const Instruction& i, const RegisterAccess& access) const {
  if (const MatrixShape* shape = MatrixShapeOf(i.opcode)) {
    for (int n = 0; n < shape->SourceRegisters(); ++n) {
      if (matrix_results_[i.src[0].index + n] || matrix_results_[i.src[1].index + n]) return true;
    }
    if (i.src[2].kind != OperandKind::kConstant) return false;
    // The constant is written before all of them.
    for (int n = 0; n < shape->ResultRegisters(); ++n) {
      if (matrix_results_[i.dst.index + n] || matrix_addends_[i.dst.index + n]) return true;
    }
    return false;
  }
  return ((access.reads.vgprs | access.may_write.vgprs) & matrix_results_).any() ||
         (access.may_write.vgprs & matrix_addends_).any();
}

void Lifter::EmitMatrices() {
  const uint16_t guest = b.guest();
  for (const WaitingProduct& waiting : matrices_) {
    ir::Inst inst;
    waiting.product.PutInto(inst);
    b.SetGuest(waiting.guest);
    b.EmitList(Op::kMatrix, ir::Type::kVoid, waiting.sources.data(),
               static_cast<int>(waiting.sources.size()), inst.imm, inst.aux);
  }
  b.SetGuest(guest);
}

namespace {

void Multiply(Lifter& l, const Instruction& i, const MatrixShape& shape) {
  // MODE does not round these sums, but which of them it flushes is not known.
  constexpr uint32_t kKeepDenormals = 3;
  if (shape.element != MatrixElement::kI8 && (l.mode() >> 4 & 3) != kKeepDenormals) {
    return l.Refuse("MODE flushes denormals of f32, which it is not known how matrices do");
  }
  const bool is_half =
      shape.element == MatrixElement::kF16 || shape.element == MatrixElement::kBf16;
  if (is_half && Has(l.generation(), kMatricesFlushHalves)) {
    return l.Refuse("sums of f16 and bf16 without denormals");
  }
  if (is_half && Has(l.generation(), kMatricesAlignSums)) {
    return l.Refuse("sums of aligned products");
  }
  const Operand& c = i.src[2];
  const bool is_constant = c.kind == OperandKind::kConstant;
  const uint16_t first = is_constant ? i.dst.index : c.index;
  l.Multiply({i.dst.index, first, shape, i.cbsz, i.abid, i.blgp}, i.src[0].index, i.src[1].index);
  if (!is_constant) return;
  // To D, which A and B may be part of.
  const Value value = l.b.U32(static_cast<uint32_t>(c.value));
  for (int n = 0; n < shape.ResultRegisters(); ++n) {
    l.SetVgprExactly(i.dst.index + n, value, l.b.U64(~uint64_t{0}));
  }
}

}  // namespace

void lift_V_ACCVGPR_READ_B32(Lifter& l, const Instruction& i) { l.Write32(i, l.Src32(i, 0)); }
void lift_V_ACCVGPR_WRITE_B32(Lifter& l, const Instruction& i) { l.Write32(i, l.Src32(i, 0)); }
void lift_V_ACCVGPR_MOV_B32(Lifter& l, const Instruction& i) { l.Write32(i, l.Src32(i, 0)); }

#define GCN_MFMA(id, ...) \
  void lift_##id(Lifter& l, const Instruction& i) { Multiply(l, i, *MatrixShapeOf(Opcode::id)); }
#include "isa/mai.def"
#undef GCN_MFMA

}  // namespace gcnjit::frontend
