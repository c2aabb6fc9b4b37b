// VOP3P-MAI: matrix multiplications and moves between VGPRs and AccVGPRs.
//
// Sources, layout: isa/matrix_shape.h. Multiplications look at no EXEC (kernels written by hand
// rely on it, "MFMA ignores EXEC"); the moves follow it (gem5 vop3p.cc; LLVM copies whole registers
// with EXEC set to all lanes, preserve-wwm-copy-dst-reg.ll). Numbers: microsoft/MMA-Sim, measured
// on CDNA 1: f32 is a chain of fused multiply-adds; of f16 the products of four, of bf16 those of
// two are added in pairs, then to the sum; all to nearest even, with denormals (which are flushed
// on MI200 only: AMD's MIOpen, "MI200 MFMA behavior specifics"). MODE's rounding is ignored and its
// denormals of f32 are respected (LLVM, VOP3PInstructions.td). Whether in each sum is not known:
// where MODE flushes any, none may occur.
#include <cmath>
#include <cstring>

#include "isa/matrix_shape.h"
#include "runtime/interpreter/half.h"
#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

using frontend::MatrixElement;
using frontend::MatrixPlace;
using frontend::MatrixShape;

using Registers = const uint32_t (*)[kLanes];

constexpr int kMostItems = 4;   // elements of A or B that a lane has
constexpr int kMostDepth = 16;  // K
constexpr int kMostRegisters = 32;

template <typename T>
struct Items {
  T of[kMostItems][kLanes];
  T At(MatrixPlace place) const { return of[place.item][place.lane]; }
};

uint32_t BitsOfItem(Registers registers, int item, int lane, int bits) {
  const int per_register = 32 / bits;
  return registers[item / per_register][lane] >> (item % per_register * bits);
}

void ReadItems(Registers registers, const MatrixShape& shape, Items<float>& to) {
  for (int item = 0; item < shape.Items(); ++item) {
    Half halves[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      if (shape.element == MatrixElement::kF32) {
        to.of[item][lane] = Format<float>::From(BitsOfItem(registers, item, lane, 32));
      } else {
        const uint32_t bits = BitsOfItem(registers, item, lane, 16);
        halves[lane] = {static_cast<uint16_t>(bits)};
        to.of[item][lane] = Format<float>::From(bits << 16);  // of bf16
      }
    }
    if (shape.element == MatrixElement::kF16) Widen(halves, to.of[item], false);
  }
}

void ReadItems(Registers registers, const MatrixShape& shape, Items<int32_t>& to) {
  for (int item = 0; item < shape.Items(); ++item) {
    for (int lane = 0; lane < kLanes; ++lane) {
      to.of[item][lane] = static_cast<int8_t>(BitsOfItem(registers, item, lane, 8));
    }
  }
}

// ---- An element of the result: a row of A times a column of B, of k elements, and C's element.

class FloatDot {
 public:
  uint32_t operator()(MatrixElement element, const float* a, const float* b, int k, uint32_t c) {
    for (int n = 0; n < k; ++n) Noted(a[n]), Noted(b[n]);
    float sum = Noted(Format<float>::From(c));
    switch (element) {
      case MatrixElement::kF16:
        for (int n = 0; n < k; n += 4) {
          sum = Sum(sum, Sum(PairOf(a + n, b + n), PairOf(a + n + 2, b + n + 2)));
        }
        break;
      case MatrixElement::kBf16:
        for (int n = 0; n < k; n += 2) sum = Sum(sum, PairOf(a + n, b + n));
        break;
      default:
        for (int n = 0; n < k; ++n) sum = Fma(a[n], b[n], sum);
        break;
    }
    return Format<float>::Of(sum);
  }
  // Of all that occurred: operands, products that are rounded, sums.
  bool met_denormal() const { return met_denormal_; }

 private:
  float Noted(float value) {
    met_denormal_ |= std::fpclassify(value) == FP_SUBNORMAL;
    return value;
  }
  float Fma(float a, float b, float c) { return Noted(FirstNan(a, b, c, std::fma(a, b, c))); }
  float Sum(float a, float b) { return Noted(FirstNan(a, b, a + b)); }
  // Products are added to zero, so that none is -0.
  float PairOf(const float* a, const float* b) {
    return Sum(Fma(a[0], b[0], 0), Fma(a[1], b[1], 0));
  }

  bool met_denormal_ = false;
};

struct IntegerDot {
  uint32_t operator()(MatrixElement, const int32_t* a, const int32_t* b, int k, uint32_t c) const {
    for (int n = 0; n < k; ++n) c += static_cast<uint32_t>(a[n] * b[n]);
    return c;
  }
  bool met_denormal() const { return false; }
};

template <typename T, typename Dot>
void MultiplyAs(Wave& w, const Instruction& i, const MatrixShape& shape) {
  uint32_t(*const vgpr)[kLanes] = w.state.vgpr;
  const Registers addend = vgpr + i.src[2].index;
  Items<T> a;
  Items<T> b;
  ReadItems(vgpr + i.src[0].index, shape, a);
  ReadItems(vgpr + i.src[1].index, shape, b);
  alignas(64) uint32_t result[kMostRegisters][kLanes];
  Dot dot;
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
        result[to.item][to.lane] =
            dot(shape.element, of_row, of_column, shape.k, addend[to.item][to.lane]);
      }
    }
  }
  constexpr uint32_t kKeepDenormals = 3;
  if (dot.met_denormal() && (w.state.mode >> kModeDenorm32Shift & 3) != kKeepDenormals) {
    return w.RaiseUnsupported(
        "a denormal in a product of matrices while MODE flushes those of f32; it is not known "
        "which "
        "sums hardware flushes");
  }
  const auto registers = static_cast<size_t>(RegistersOf(i.dst.type));
  std::memcpy(vgpr + i.dst.index, result, registers * sizeof result[0]);
}

// False after a fault.
bool HasNoIndexing(Wave& w) {
  if ((w.state.mode & kModeGprIdxEn) == 0) return true;
  w.RaiseUnsupported(
      "AccVGPRs and matrices under s_set_gpr_idx_on; it is not known what hardware does");
  return false;
}

void MultiplyMatrices(Wave& w, const Instruction& i, const MatrixShape& shape) {
  if (!HasNoIndexing(w)) return;
  w.UseFloatClass(FloatClass::kNearest);
  if (shape.element == MatrixElement::kI8) return MultiplyAs<int32_t, IntegerDot>(w, i, shape);
  MultiplyAs<float, FloatDot>(w, i, shape);
}

void MoveRegister(Wave& w, const Instruction& i) {
  if (!HasNoIndexing(w)) return;
  uint32_t* const to = w.state.vgpr[i.dst.index];
  const Operand& from = i.src[0];
  const bool is_constant = from.kind == OperandKind::kConstant;
  const uint64_t exec = w.exec();
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    to[lane] = is_constant ? static_cast<uint32_t>(from.value) : w.state.vgpr[from.index][lane];
  }
}

}  // namespace

void exec_V_ACCVGPR_READ_B32(Wave& w, const Instruction& i) { MoveRegister(w, i); }
void exec_V_ACCVGPR_WRITE_B32(Wave& w, const Instruction& i) { MoveRegister(w, i); }

#define GCN_MFMA(id, ...)                                                   \
  void exec_##id(Wave& w, const Instruction& i) {                           \
    MultiplyMatrices(w, i, *frontend::MatrixShapeOf(frontend::Opcode::id)); \
  }
#include "isa/mai.def"
#undef GCN_MFMA

}  // namespace gcnjit::runtime
