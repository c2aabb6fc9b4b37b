// VOP3P-MAI: matrix multiplications and moves between VGPRs and AccVGPRs.
//
// Field positions: AMD's matrix instruction calculator (CBSZ, ABID, BLGP) and LLVM,
// VOP3PInstructions.td (VOP3Pe_MAI).
#include "frontend/decode/decoder_internal.h"
#include "isa/matrix_shape.h"

namespace gcnjit::frontend::decoder_internal {
namespace {

// v_accvgpr_read and v_accvgpr_write. Assemblers set the bits of OP_SEL_HI, which mean nothing
// (LLVM leaves them open), CLAMP is ignored (isa/ignored_fields.h); all other fields that such an
// instruction has no use for must be 0.
bool AccVgprMove(Decoding& d, const OpcodeRow& row) {
  constexpr uint32_t kUnused0 = 0xBF00;
  constexpr uint32_t kUnused1 = 0xE7FFFE00;
  if ((d.word0() & kUnused0) != 0 || (d.word1() & kUnused1) != 0) return false;
  Instruction& out = d.out();
  const uint32_t destination = Bits(d.word0(), 0, 8);
  const uint32_t source = Bits(d.word1(), 0, 9);
  if (row.opcode == Opcode::V_ACCVGPR_READ_B32) {
    return source >= kCodeFirstVgpr && d.Vgpr(destination, row.dst, out.dst) &&
           d.AccVgpr(source - kCodeFirstVgpr, row.src[0], out.src[0]);
  }
  if (!d.AccVgpr(destination, row.dst, out.dst) ||
      !d.Source(source, row.src[0], kAllowVgpr, out.src[0])) {
    return false;
  }
  // On gfx908 a VGPR or an inline constant (LLVM, validateMAIAccWrite).
  return Has(d.generation(), kUnifiedVgprs) || out.src[0].kind == OperandKind::kVector ||
         out.src[0].kind == OperandKind::kConstant;
}

// Do the operands have registers in common?
bool Overlap(const Operand& a, const Operand& b) {
  return a.index < b.index + RegistersOf(b.type) && b.index < a.index + RegistersOf(a.type);
}

// The hardware reads the sources while it writes the result: of those that take several passes, the
// result must lie apart from A and B, and must be C or lie apart from it (LLVM: earlyclobber).
bool ResultLiesApart(const Instruction& in) {
  if (RegistersOf(in.dst.type) <= 4) return true;
  const bool is_c = in.dst.index == in.src[2].index;
  return !Overlap(in.dst, in.src[0]) && !Overlap(in.dst, in.src[1]) &&
         (is_c || in.src[2].kind == OperandKind::kConstant || !Overlap(in.dst, in.src[2]));
}

bool Register(Decoding& d, uint32_t index, bool is_acc, OperandType type, Operand& operand) {
  return is_acc ? d.AccVgpr(index, type, operand) : d.Vgpr(index, type, operand);
}

// C as a constant, the same for all elements. gfx908 calculates wrongly with it (LLVM,
// FeatureMFMAInlineLiteralBug).
bool ConstantAddend(Decoding& d, uint32_t code, MatrixElement element, Operand& operand) {
  if (!Has(d.generation(), kMatrixConstants)) return false;
  const OperandType of_row = operand.type;
  const OperandType type = element == MatrixElement::kF64  ? OperandType::F64
                           : element == MatrixElement::kI8 ? OperandType::I32
                                                           : OperandType::F32;
  if (!d.Source(code, type, kAllowNone, operand)) return false;
  operand.type = of_row;
  return operand.kind == OperandKind::kConstant;
}

// Of f64 neither blocks nor lanes can be rearranged (AMD's matrix instruction calculator).
bool ArrangementIsDefined(const Instruction& in, const MatrixShape& shape) {
  const int broadcast = 1 << in.cbsz;
  if (shape.element == MatrixElement::kF64) return in.cbsz == 0 && in.abid == 0 && in.blgp == 0;
  return broadcast <= shape.blocks && in.abid < broadcast;
}

bool Matrix(Decoding& d, const OpcodeRow& row, const MatrixShape& shape) {
  Instruction& out = d.out();
  const uint32_t word0 = d.word0();
  const uint32_t word1 = d.word1();
  out.cbsz = static_cast<uint8_t>(Bits(word0, 8, 3));
  out.abid = static_cast<uint8_t>(Bits(word0, 11, 4));
  // Of gfx942's f64 NEG (AMD's matrix instruction calculator; LLVM, VOP3PInstructions.td).
  const bool negates = shape.element == MatrixElement::kF64 && Has(d.generation(), kGfx942Isa);
  (negates ? out.neg : out.blgp) = static_cast<uint8_t>(Bits(word1, 29, 3));
  if (!ArrangementIsDefined(out, shape)) return false;
  // On gfx908 C and D are always AccVGPRs, and the bit is reserved.
  const bool unified = Has(d.generation(), kUnifiedVgprs);
  if (!unified && Bit(word0, 15)) return false;
  const bool result_is_acc = !unified || Bit(word0, 15);
  if (!Register(d, Bits(word0, 0, 8), result_is_acc, row.dst, out.dst)) return false;
  for (size_t n = 0; n < row.src.size(); ++n) {
    const uint32_t code = Bits(word1, static_cast<int>(9 * n), 9);
    Operand& operand = out.src[n];
    operand.type = row.src[n];
    if (code < kCodeFirstVgpr) {
      if (n != 2 || !ConstantAddend(d, code, shape.element, operand)) return false;
      continue;
    }
    const bool is_acc = n == 2 ? result_is_acc : Bit(word1, 27 + static_cast<int>(n));
    if (!Register(d, code - kCodeFirstVgpr, is_acc, row.src[n], operand)) return false;
  }
  return ResultLiesApart(out);
}

// Of sparse matrices: the third source is a VGPR that says which elements there are.
bool SparseMatrix(Decoding& d, const OpcodeRow& row) {
  Instruction& out = d.out();
  const uint32_t word0 = d.word0();
  const uint32_t word1 = d.word1();
  out.cbsz = static_cast<uint8_t>(Bits(word0, 8, 3));
  out.abid = static_cast<uint8_t>(Bits(word0, 11, 4));
  if (Bits(word1, 29, 3) != 0) return false;
  if (!Register(d, Bits(word0, 0, 8), Bit(word0, 15), row.dst, out.dst)) return false;
  for (size_t n = 0; n < row.src.size(); ++n) {
    const uint32_t code = Bits(word1, static_cast<int>(9 * n), 9);
    const bool is_acc = n != 2 && Bit(word1, 27 + static_cast<int>(n));
    if (code < kCodeFirstVgpr ||
        !Register(d, code - kCodeFirstVgpr, is_acc, row.src[n], out.src[n])) {
      return false;
    }
  }
  return true;
}

}  // namespace

DecodeStatus DecodeMai(Decoding& d) {
  const OpcodeRow* row = d.SetOpcode(Format::kMai, Bits(d.word0(), 16, 7), Encoding::kMai);
  if (row == nullptr) return DecodeStatus::kUnknownOpcode;
  const MatrixShape* shape = MatrixShapeOf(row->opcode);
  const bool ok = shape != nullptr                   ? Matrix(d, *row, *shape)
                  : row->src[1] != OperandType::NONE ? SparseMatrix(d, *row)
                                                     : AccVgprMove(d, *row);
  return ok ? DecodeStatus::kOk : DecodeStatus::kBadOperand;
}

}  // namespace gcnjit::frontend::decoder_internal
