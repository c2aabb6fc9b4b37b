// What kMatrix multiplies, and where its results go.
#pragma once

#include <cstdint>

#include "ir/function.h"
#include "isa/matrix_shape.h"

namespace gcnjit::ir {

using frontend::MatrixElement;
using frontend::MatrixPlace;
using frontend::MatrixShape;

// Of each block of matrices, D = A * B + C. Where an element of each is: MatrixShape. Sums, with
// each step rounded to nearest even, no denormal flushed, and NaNs as opcodes.def says of floats:
//   f32   a chain of fused multiply-adds that begins with C, in K's order
//   f16   of four products at a time, each of them fma(a, b, +0): C + ((p0 + p1) + (p2 + p3))
//   bf16  of two: C + (p0 + p1)
//   i8    modulo 2^32
struct MatrixProduct {
  uint16_t d = 0, c = 0;  // first registers
  MatrixShape shape = {};
  uint8_t cbsz = 0;  // MatrixShape::BroadcastBlock
  uint8_t abid = 0;
  uint8_t blgp = 0;  // MatrixShape::PermutedLane

  // In imm and aux.
  void PutInto(Inst& inst) const {
    inst.imm = static_cast<int64_t>(d) | static_cast<int64_t>(c) << 16;
    // M and N are the same.
    inst.aux = (shape.m & 63u) | (shape.k & 31u) << 6 | (shape.blocks & 31u) << 11 |
               (static_cast<uint32_t>(shape.element) & 7u) << 16 | (cbsz & 7u) << 19 |
               (abid & 15u) << 22 | (blgp & 7u) << 26;
  }
  static MatrixProduct Of(const Inst& inst) {
    const auto field = [&](int at, uint32_t mask) {
      return static_cast<uint8_t>(inst.aux >> at & mask);
    };
    MatrixProduct product;
    product.d = static_cast<uint16_t>(inst.imm);
    product.c = static_cast<uint16_t>(inst.imm >> 16);
    product.shape = {field(0, 63), field(0, 63), field(6, 31), field(11, 31),
                     static_cast<MatrixElement>(field(16, 7))};
    product.cbsz = field(19, 7);
    product.abid = field(22, 15);
    product.blgp = field(26, 7);
    return product;
  }

  // Is it a shape that instructions have?
  constexpr bool IsKnownShape() const {
    const int size = shape.m * shape.blocks;
    if ((shape.m != 4 && shape.m != 16 && shape.m != 32) || shape.element > MatrixElement::kI8 ||
        size < 16 || size > 64 || 64 % size != 0 || shape.k % (64 / size) != 0) {
      return false;
    }
    switch (shape.element) {
      case MatrixElement::kF32: return shape.Items() == 1;
      case MatrixElement::kBf16: return shape.Items() == 2;
      default: return shape.Items() == 4;
    }
  }
};

}  // namespace gcnjit::ir
