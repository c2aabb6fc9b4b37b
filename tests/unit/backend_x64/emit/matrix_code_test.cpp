// Products of matrices, compiled, against the evaluator: all shapes that fit into the machine's
// registers, with operands, sums and results that lie apart, are the same, or overlap.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/matrix.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"

namespace gcnjit::backend {
namespace {

using ir::MatrixElement;
using ir::MatrixProduct;
using ir::MatrixShape;

constexpr MatrixShape kShapes[] = {
    {16, 16, 1, 4, MatrixElement::kF32},  {4, 4, 1, 16, MatrixElement::kF32},
    {32, 32, 2, 1, MatrixElement::kF32},  {16, 16, 4, 1, MatrixElement::kF32},
    {16, 16, 4, 4, MatrixElement::kF16},  {4, 4, 4, 16, MatrixElement::kF16},
    {32, 32, 8, 1, MatrixElement::kF16},  {16, 16, 16, 1, MatrixElement::kF16},
    {16, 16, 2, 4, MatrixElement::kBf16}, {4, 4, 2, 16, MatrixElement::kBf16},
    {32, 32, 4, 1, MatrixElement::kBf16}, {16, 16, 8, 1, MatrixElement::kBf16},
    {16, 16, 4, 4, MatrixElement::kI8},   {4, 4, 4, 16, MatrixElement::kI8},
    {32, 32, 8, 1, MatrixElement::kI8},   {16, 16, 16, 1, MatrixElement::kI8},
};

class MatrixCode : public testing::TestWithParam<HostIsa> {
 protected:
  void SetUp() override {
    if (!HostHas(GetParam())) GTEST_SKIP() << NameOf(GetParam()) << " is not available";
  }
  int Below(int end) { return static_cast<int>(random_() % static_cast<uint32_t>(end)); }
  uint16_t First(int registers) {
    return static_cast<uint16_t>(Below(Machine::kVgprs - registers + 1));
  }

  MatrixProduct Random(const MatrixShape& shape) {
    MatrixProduct product;
    product.shape = shape;
    product.d = First(shape.ResultRegisters());
    product.c = Below(3) != 0 ? product.d : First(shape.ResultRegisters());
    product.cbsz = static_cast<uint8_t>(Below(std::bit_width(unsigned{shape.blocks})));
    product.abid = static_cast<uint8_t>(Below(1 << product.cbsz));
    product.blgp = Below(2) != 0 ? static_cast<uint8_t>(Below(8)) : uint8_t{0};
    return product;
  }

  // What is multiplied: registers, which the block may write, among them those of results; what is
  // computed of them; and what all lanes have in common.
  void EmitBlock(ir::Builder& b, const std::vector<MatrixProduct>& products) {
    std::vector<ir::Value> values;
    std::vector<bool> is_read(Machine::kVgprs);
    for (int n = 0; n < 6; ++n) {
      const int vgpr = Below(Machine::kVgprs);
      if (is_read[static_cast<size_t>(vgpr)]) continue;
      is_read[static_cast<size_t>(vgpr)] = true;
      values.push_back(b.Emit(ir::Op::kGetVgpr, ir::Type::kV32, {}, vgpr));
    }
    values.push_back(b.Binary(ir::Op::kXor, values[0], b.U32(0x80000000)));
    values.push_back(b.Binary(ir::Op::kXor, b.LaneId(), b.U32(0x3C000000)));
    values.push_back(b.Emit(ir::Op::kGetSgpr, ir::Type::kU32, {}, 5));
    values.push_back(b.U32(0x3F803C00));
    const auto pick = [&] {
      return values[static_cast<size_t>(Below(static_cast<int>(values.size())))];
    };
    std::vector<std::vector<ir::Value>> sources;
    for (const MatrixProduct& product : products) {
      sources.emplace_back();
      for (int n = 0; n < 2 * product.shape.SourceRegisters(); ++n)
        sources.back().push_back(pick());
    }
    for (int vgpr = 0; vgpr < Machine::kVgprs; ++vgpr) {
      if (Below(6) == 0) b.Emit(ir::Op::kSetVgpr, ir::Type::kVoid, {pick()}, vgpr);
    }
    for (size_t n = 0; n < products.size(); ++n) {
      ir::Inst inst;
      products[n].PutInto(inst);
      b.EmitList(ir::Op::kMatrix, ir::Type::kVoid, sources[n].data(),
                 static_cast<int>(sources[n].size()), inst.imm, inst.aux);
    }
  }

  // Numbers whose sums are rounded, and now and then any bits: NaNs, infinities, denormals.
  uint32_t Value() {
    switch (Below(8)) {
      case 0: return static_cast<uint32_t>(random_());
      case 1: return static_cast<uint32_t>(random_()) & 0x807F807F;
      case 2: return Below(2) != 0 ? 0x7F800000u : 0xFFC07F81u;
      case 3: return Below(2) != 0 ? 0x80000000u : 0u;
      default: return 0x3C003C00u ^ (static_cast<uint32_t>(random_()) & 0x83FF87FFu);
    }
  }

  std::mt19937 random_{7};
};

TEST_P(MatrixCode, LeavesWhatTheEvaluatorLeaves) {
  for (int n = 0; n < 600; ++n) {
    ir::Function function;
    ir::Block block;
    block.begin = 0x1000;
    block.guest_pcs = {0x1000};
    block.instruction_count = 1;
    ir::Builder builder(function, block);
    const MatrixShape& shape = kShapes[static_cast<size_t>(n) % std::size(kShapes)];
    std::vector<MatrixProduct> products;
    MatrixProduct product = Random(shape);
    for (int left = Below(5); left >= 0; --left) {
      products.push_back(product);
      // Another one to the same sum, or anything.
      const MatrixProduct next = Random(Below(4) != 0 ? shape : kShapes[Below(16)]);
      const MatrixProduct last = std::exchange(product, next);
      if (Below(4) != 0 && product.shape == last.shape) product.c = product.d = last.d;
    }
    EmitBlock(builder, products);
    block.targets[0] = 0x2000;
    builder.Emit(ir::Op::kExit, ir::Type::kVoid, {}, 0);
    function.blocks.push_back(block);
    ASSERT_EQ(ir::Verify(function), std::vector<std::string>{});
    // Whatever environment the code is entered with, matrices have their own.
    CompiledBlock compiled(function, GetParam(), {static_cast<uint16_t>(Below(2) * 0xE040)});
    Machine machine;
    machine.sgpr[5] = Value();
    for (auto& vgpr : machine.vgpr) {
      for (uint32_t& lane : vgpr) lane = Value();
    }
    ASSERT_EQ(Difference(compiled.Run(machine), RunEvaluator(function, machine)), "")
        << ir::Print(function);
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, MatrixCode, testing::Values(HostIsa::kAvx2, HostIsa::kAvx512),
                         [](const auto& isa) { return std::string(NameOf(isa.param)); });

}  // namespace
}  // namespace gcnjit::backend
