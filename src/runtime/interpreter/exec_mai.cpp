// VOP3P-MAI: matrix multiplications and moves between VGPRs and AccVGPRs.
//
// Sources, layout: isa/matrix_shape.h. Multiplications look at no EXEC (kernels written by hand
// rely on it, "MFMA ignores EXEC"); the moves follow it (gem5 vop3p.cc; LLVM copies whole registers
// with EXEC set to all lanes, preserve-wwm-copy-dst-reg.ll). Numbers: microsoft/MMA-Sim, measured
// on CDNA 1 and 2: f32 and f64 are a chain of fused multiply-adds; of f16 and bf16 the products
// that a lane has the factors of (four; of bf16 without _1k two) are added in pairs, then to the
// sum; all to nearest even. On CDNA 2 f16 and bf16, and their sums, have no denormals (also AMD's
// MIOpen, "MI200 MFMA behavior specifics"). On CDNA 3 they, xf32 and 8-bit floats are added as
// aligned_sum.h says; f64 has NEG (AMD's matrix instruction calculator). MODE's rounding is ignored
// and its denormals of f32 are respected (LLVM, VOP3PInstructions.td). Whether in each sum is not
// known: where MODE flushes any, none may occur.
#include <cmath>
#include <cstring>

#include "isa/matrix_shape.h"
#include "runtime/interpreter/aligned_sum.h"
#include "runtime/interpreter/float8.h"
#include "runtime/interpreter/half.h"
#include "runtime/interpreter/lanes.h"
#include "runtime/interpreter/matrix_registers.h"

namespace gcnjit::runtime {
namespace {

using frontend::MatrixElement;
using frontend::MatrixPlace;
using frontend::MatrixShape;

constexpr int kMostItems = 8;   // elements of A or B that a lane has
constexpr int kMostDepth = 32;  // K
constexpr int kMostRegisters = 32;

template <typename T>
struct Items {
  T of[kMostItems][kLanes];
  T At(MatrixPlace place) const { return of[place.item][place.lane]; }
};

double DoubleAt(MatrixRegisters registers, int item, int lane) {
  const uint64_t low = registers[2 * item][lane];
  return Format<double>::From(low | static_cast<uint64_t>(registers[2 * item + 1][lane]) << 32);
}

// Of A (n is 0) or B.
void ReadBytes(MatrixRegisters registers, const MatrixShape& shape, int n, Items<float>& to) {
  const bool is_fp8 =
      n == 0 ? shape.element >= MatrixElement::kFp8Bf8
             : shape.element == MatrixElement::kBf8Fp8 || shape.element == MatrixElement::kFp8Fp8;
  for (int item = 0; item < shape.Items(); ++item) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint32_t byte = BitsOfItem(registers, item, lane, 8);
      to.of[item][lane] = is_fp8 ? FromByte<Fp8>(byte) : FromByte<Bf8>(byte);
    }
  }
}

// How what is read of registers differs from what they hold.
struct Reading {
  bool flushes = false;   // denormals of f16 are zeros
  bool negative = false;  // f64: the sign is changed
};

void ReadItems(MatrixRegisters registers, const MatrixShape& shape, int n, Reading how,
               Items<float>& to) {
  if (IsBytes(shape.element)) return ReadBytes(registers, shape, n, to);
  for (int item = 0; item < shape.Items(); ++item) {
    Half halves[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      if (BitsOf(shape.element) == 32) {
        // Of xf32 the low bits do not count.
        const uint32_t counts = shape.element == MatrixElement::kXf32 ? ~0x1FFFu : ~0u;
        to.of[item][lane] = Format<float>::From(BitsOfItem(registers, item, lane, 32) & counts);
      } else {
        const uint32_t bits = BitsOfItem(registers, item, lane, 16);
        halves[lane] = {static_cast<uint16_t>(bits)};
        to.of[item][lane] = Format<float>::From(bits << 16);  // of bf16
      }
    }
    if (shape.element == MatrixElement::kF16) Widen(halves, to.of[item], how.flushes);
  }
}

void ReadItems(MatrixRegisters registers, const MatrixShape&, int, Reading how, Items<double>& to) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const double value = DoubleAt(registers, 0, lane);
    to.of[0][lane] = how.negative ? -value : value;
  }
}

void ReadItems(MatrixRegisters registers, const MatrixShape& shape, int, Reading,
               Items<int32_t>& to) {
  for (int item = 0; item < shape.Items(); ++item) {
    for (int lane = 0; lane < kLanes; ++lane) {
      to.of[item][lane] = static_cast<int8_t>(BitsOfItem(registers, item, lane, 8));
    }
  }
}

// ---- An element of the result: a row of A times a column of B, of k elements, and C's element.

// T: float or double. Denormals count, but it is noted that there were any.
template <typename T>
class ChainDot {
 public:
  using Element = T;
  using Word = typename Format<T>::Bits;
  Word operator()(const T* a, const T* b, int k, Word c) {
    T sum = Noted(Format<T>::From(c));
    for (int n = 0; n < k; ++n) sum = Fma(Noted(a[n]), Noted(b[n]), sum);
    return Format<T>::Of(sum);
  }
  // Of all that occurred: operands, products that are rounded, sums.
  bool met_denormal() const { return met_denormal_; }

 protected:
  T Noted(T value) {
    met_denormal_ |= std::fpclassify(value) == FP_SUBNORMAL;
    return value;
  }
  T Fma(T a, T b, T c) { return Noted(FirstNan(a, b, c, std::fma(a, b, c))); }

 private:
  bool met_denormal_ = false;
};

// Of f16 and bf16, `group` products at a time. kFlushes: denormals are zeros.
template <bool kFlushes>
class PairwiseDot : ChainDot<float> {
 public:
  using Element = float;
  using Word = uint32_t;
  explicit PairwiseDot(int group) : group_(group) {}
  Word operator()(const float* a, const float* b, int k, Word c) {
    float sum = Operand(F::From(c));
    for (int n = 0; n < k; n += group_) sum = Sum(sum, GroupSum(a + n, b + n, group_));
    return F::Of(sum);
  }
  bool met_denormal() const { return !kFlushes && ChainDot<float>::met_denormal(); }

 private:
  using F = Format<float>;

  // Operands lose the sign of zeros that were denormals, results keep it (MMA-Sim).
  float Operand(float value) {
    if constexpr (!kFlushes) return Noted(value);
    return (F::Of(value) & F::kInfinity) == 0 ? 0 : value;
  }
  float Result(float value) { return kFlushes ? F::From(F::FlushDenormal(F::Of(value))) : value; }
  float Sum(float a, float b) { return Result(Noted(FirstNan(a, b, a + b))); }
  float GroupSum(const float* a, const float* b, int count) {
    // Products are added to zero, so that none is -0.
    if (count == 1) return Result(Fma(Operand(*a), Operand(*b), 0));
    const int half = count / 2;
    const float first = GroupSum(a, b, half);
    return Sum(first, GroupSum(a + half, b + half, half));
  }

  const int group_;
};

struct IntegerDot {
  using Element = int32_t;
  using Word = uint32_t;
  Word operator()(const int32_t* a, const int32_t* b, int k, Word c) const {
    for (int n = 0; n < k; ++n) c += static_cast<uint32_t>(a[n] * b[n]);
    return c;
  }
  bool met_denormal() const { return false; }
};

// ---- Results, in registers or pairs of them

uint32_t AddendOf(const Wave& w, const Operand& c, MatrixPlace at, uint32_t) {
  if (c.kind == OperandKind::kConstant) return static_cast<uint32_t>(c.value);
  return w.state.vgpr[c.index + at.item][at.lane];
}
uint64_t AddendOf(const Wave& w, const Operand& c, MatrixPlace at, uint64_t) {
  if (c.kind == OperandKind::kConstant) return c.value;
  return Format<double>::Of(DoubleAt(w.state.vgpr + c.index, at.item, at.lane));
}

using Result = uint32_t[kMostRegisters][kLanes];
void PutWord(Result& result, MatrixPlace at, uint32_t word) { result[at.item][at.lane] = word; }
void PutWord(Result& result, MatrixPlace at, uint64_t word) {
  result[2 * at.item][at.lane] = static_cast<uint32_t>(word);
  result[2 * at.item + 1][at.lane] = static_cast<uint32_t>(word >> 32);
}

template <typename Dot>
void MultiplyBy(Dot dot, Wave& w, const Instruction& i, const MatrixShape& shape) {
  using T = typename Dot::Element;
  using Word = typename Dot::Word;
  uint32_t(*const vgpr)[kLanes] = w.state.vgpr;
  Items<T> a;
  Items<T> b;
  const bool flushes = frontend::Has(w.generation(), frontend::kMatricesFlushHalves);
  ReadItems(vgpr + i.src[0].index, shape, 0, {flushes, (i.neg & 1) != 0}, a);
  ReadItems(vgpr + i.src[1].index, shape, 1, {flushes, (i.neg & 2) != 0}, b);
  // Of f64.
  const Word sign_of_c = (i.neg & 4) != 0 ? Word{1} << (8 * sizeof(Word) - 1) : 0;
  alignas(64) Result result;
  for (int block = 0; block < shape.blocks; ++block) {
    const int block_of_a = MatrixShape::BroadcastBlock(block, i.cbsz, i.abid);
    for (int row = 0; row < shape.m; ++row) {
      for (int column = 0; column < shape.n; ++column) {
        T of_row[kMostDepth];
        T of_column[kMostDepth];
        for (int k = 0; k < shape.k; ++k) {
          const MatrixPlace from = shape.OfB(block, k, column);
          of_row[k] = a.At(shape.OfA(block_of_a, row, k));
          of_column[k] = b.At({from.item, MatrixShape::PermutedLane(from.lane, i.blgp)});
        }
        const MatrixPlace to = shape.OfC(block, row, column);
        const Word c = AddendOf(w, i.src[2], to, Word{}) ^ sign_of_c;
        PutWord(result, to, dot(of_row, of_column, shape.k, c));
      }
    }
  }
  constexpr uint32_t kKeepDenormals = 3;
  const int shift = sizeof(Word) == 8 ? kModeDenorm64Shift : kModeDenorm32Shift;
  if (dot.met_denormal() && (w.state.mode >> shift & 3) != kKeepDenormals) {
    return w.RaiseUnsupported(
        "a denormal in a product of matrices while MODE flushes those of its sums; it is not known "
        "which hardware flushes");
  }
  const auto registers = static_cast<size_t>(RegistersOf(i.dst.type));
  std::memcpy(vgpr + i.dst.index, result, registers * sizeof result[0]);
}

void MultiplyMatrices(Wave& w, const Instruction& i, const MatrixShape& shape) {
  if (!HasNoIndexing(w)) return;
  w.UseFloatClass(FloatClass::kNearest);
  switch (shape.element) {
    case MatrixElement::kF64: return MultiplyBy(ChainDot<double>(), w, i, shape);
    case MatrixElement::kF32: return MultiplyBy(ChainDot<float>(), w, i, shape);
    case MatrixElement::kI8: return MultiplyBy(IntegerDot(), w, i, shape);
    default: break;
  }
  if (frontend::Has(w.generation(), frontend::kMatricesAlignSums)) {
    return MultiplyBy(AlignedDot(shape.element), w, i, shape);
  }
  if (frontend::Has(w.generation(), frontend::kMatricesFlushHalves)) {
    return MultiplyBy(PairwiseDot<true>(shape.Items()), w, i, shape);
  }
  MultiplyBy(PairwiseDot<false>(shape.Items()), w, i, shape);
}

void MoveRegister(Wave& w, const Instruction& i) {
  if (!HasNoIndexing(w)) return;
  uint32_t* const to = w.state.vgpr[i.dst.index];
  const Operand& from = i.src[0];
  const bool is_vector = from.kind == OperandKind::kVector;
  const uint32_t scalar = is_vector ? 0 : ReadScalar32(w, from);
  const uint64_t exec = w.exec();
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    to[lane] = is_vector ? w.state.vgpr[from.index][lane] : scalar;
  }
}

}  // namespace

void exec_V_ACCVGPR_READ_B32(Wave& w, const Instruction& i) { MoveRegister(w, i); }
void exec_V_ACCVGPR_WRITE_B32(Wave& w, const Instruction& i) { MoveRegister(w, i); }
void exec_V_ACCVGPR_MOV_B32(Wave& w, const Instruction& i) { MoveRegister(w, i); }

#define GCN_MFMA(id, ...)                                                   \
  void exec_##id(Wave& w, const Instruction& i) {                           \
    MultiplyMatrices(w, i, *frontend::MatrixShapeOf(frontend::Opcode::id)); \
  }
#include "isa/mai.def"
#undef GCN_MFMA

}  // namespace gcnjit::runtime
