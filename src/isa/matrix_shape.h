// What matrix instructions multiply, and in which registers and lanes the matrices lie.
//
// D = A * B + C for each block; A has M rows of K elements, B has K rows of N, C and D have M rows
// of N. Sources: gem5, vega/insts/instructions.hh (Inst_VOP3P_MAI__V_MFMA), after the CDNA3 ISA
// manual, 7.1.4; AMD's matrix instruction calculator, which also describes CBSZ, ABID and BLGP, and
// where f64 lies.
#pragma once

#include <cstdint>

#include "isa/opcode_table.h"

namespace gcnjit::frontend {

// The last four: of A, and of B.
enum class MatrixElement : uint8_t {
  kF32,
  kF16,
  kBf16,
  kI8,
  kF64,
  kXf32,
  kBf8Bf8,
  kBf8Fp8,
  kFp8Bf8,
  kFp8Fp8,
};
constexpr int BitsOf(MatrixElement element) {
  switch (element) {
    case MatrixElement::kF64: return 64;
    case MatrixElement::kF32:
    case MatrixElement::kXf32: return 32;
    case MatrixElement::kF16:
    case MatrixElement::kBf16: return 16;
    default: return 8;
  }
}

// A register and a lane of it.
struct MatrixPlace {
  int item;  // the element's number among the lane's: several may lie in one register
  int lane;
};

struct MatrixShape {
  uint8_t m, n, k, blocks;
  MatrixElement element;

  friend constexpr bool operator==(const MatrixShape&, const MatrixShape&) = default;

  // Elements of A or B that a lane has.
  constexpr int Items() const { return k / (64 / (m * blocks)); }
  // Registers of A or B, and of C or D.
  constexpr int SourceRegisters() const { return Items() * BitsOf(element) / 32; }
  constexpr int ResultRegisters() const {
    return m * n * blocks / 64 * (element == MatrixElement::kF64 ? 2 : 1);
  }
  constexpr MatrixPlace OfA(int block, int row, int at) const {
    return {at % Items(), row + m * (block + blocks * (at / Items()))};
  }
  constexpr MatrixPlace OfB(int block, int at, int column) const {
    return {at % Items(), column + n * (block + blocks * (at / Items()))};
  }
  // Of C and D, whose items are registers, or pairs of f64: four rows of a block lie in consecutive
  // ones; of f64, in quarters of the wave.
  constexpr MatrixPlace OfC(int block, int row, int column) const {
    if (element == MatrixElement::kF64) {
      return {row / 4, column + n * (block + blocks * (row % 4))};
    }
    const int blocks_of_item = m * n / 4 < 64 ? 64 * 4 / (m * n) : 1;
    const int rows_of_item = 64 / blocks_of_item / n;
    const int group = row / (4 * rows_of_item) + m / (4 * rows_of_item) * (block / blocks_of_item);
    return {row % 4 + 4 * group,
            column + n * (row / 4 % rows_of_item + rows_of_item * (block % blocks_of_item))};
  }

  // The block of A that stands for `block`: of 2^cbsz blocks the one with the number abid.
  static constexpr int BroadcastBlock(int block, int cbsz, int abid) {
    return (block >> cbsz << cbsz) + abid;
  }
  // The lane from which B's lane is read.
  static constexpr int PermutedLane(int lane, int blgp) {
    switch (blgp) {
      case 1: return lane % 32;
      case 2: return lane % 32 + 32;
      case 3: return (lane + 16) % 64;
      case 4:
      case 5:
      case 6:
      case 7: return lane % 16 + 16 * (blgp - 4);
      default: return lane;
    }
  }
};

// nullptr: the instruction multiplies no matrices, or sparse ones.
const MatrixShape* MatrixShapeOf(Opcode opcode);

// Sparse ones, too?
inline bool MultipliesMatrices(const OpcodeRow& row) {
  return row.on89.on942.format == Format::kMai && row.Has(CROSS_LANE);
}

}  // namespace gcnjit::frontend
