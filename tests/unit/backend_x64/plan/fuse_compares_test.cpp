#include "backend_x64/plan/fuse_compares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ir/analysis/uses.h"
#include "ir/parser.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"

namespace gcnjit::backend {
namespace {

ir::Function Parse(const std::string& lines) {
  const ir::ParseResult parsed = ir::Parse(
      "block 0x40 instructions=1\nguest 0 0x40\n"
      "%1 = get_sgpr64.u64 s126\n%2 = get_vgpr.v32 v0\n%3 = get_vgpr.v32 v1\n"
      "%4 = get_sgpr.u32 s4\n%5 = get_sgpr64.u64 s8\n" +
      lines + "exit end, 0x44\n");
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{});
  return parsed.function;
}

// The numbers of the block's lane operations in their new order; of a fused compare, minus that.
using FusedOrder = std::vector<int>;
FusedOrder Fused(const std::string& lines) {
  const ir::Function function = Parse(lines);
  std::vector<ir::Value> ops;
  for (const ir::Value v : function.blocks[0].insts) {
    switch (function[v].op) {
      case ir::Op::kConst:
      case ir::Op::kExit:
      case ir::Op::kGetSgpr:
      case ir::Op::kGetSgpr64:
      case ir::Op::kGetVgpr:
      case ir::Op::kSetSgpr64: break;
      default: ops.push_back(v);
    }
  }
  const std::vector<ir::Value> before = ops;
  std::vector<uint8_t> is_fused(function.insts.size(), 0);
  const std::vector<uint32_t> uses = ir::CountUses(function, function.blocks[0]);
  FuseCompares(function, uses, ops, is_fused);
  FusedOrder order;
  for (const ir::Value v : ops) {
    const auto number =
        static_cast<int>(std::find(before.begin(), before.end(), v) - before.begin()) + 1;
    order.push_back(is_fused[v.id] != 0 ? -number : number);
  }
  // A second time nothing changes.
  const std::vector<ir::Value> once = ops;
  const std::vector<uint8_t> marks = is_fused;
  FuseCompares(function, uses, ops, is_fused);
  EXPECT_EQ(ops, once);
  EXPECT_EQ(is_fused, marks);
  return order;
}

TEST(FuseCompares, WithTheMaskTheyNarrow) {
  EXPECT_EQ(Fused("%10 = ne.u64 %2, %3\n%11 = and.u64 %1, %10\nset_sgpr64 s126, %11\n"),
            (FusedOrder{-1, 2}));
  EXPECT_EQ(Fused("%10 = fcmp.u64 %2, 4.0 {nle_us, rn}\n%11 = and.u64 %10, %1\n"
                  "set_sgpr64 s126, %11\n"),
            (FusedOrder{-1, 2}));
  EXPECT_EQ(Fused("%10 = lt_u.u64 %2, %3\n%11 = andnot.u64 %1, %10\nset_sgpr64 s126, %11\n"),
            (FusedOrder{-1, 2}));
}

TEST(FuseCompares, MoveToTheirUser) {
  EXPECT_EQ(Fused("%10 = ne.u64 %2, %3\n%11 = add.v32 %2, %3\n%12 = and.u64 %1, %10\n"
                  "set_sgpr64 s126, %12\nset_vgpr v2, %11\n"),
            (FusedOrder{2, -1, 3, 4}));
}

TEST(FuseCompares, OneOfTwo) {
  EXPECT_EQ(Fused("%10 = ne.u64 %2, %3\n%11 = ne.u64 %2, %4\n%12 = and.u64 %10, %11\n"
                  "set_sgpr64 s126, %12\n"),
            (FusedOrder{1, -2, 3}));
}

TEST(FuseCompares, AChain) {
  EXPECT_EQ(Fused("%10 = ne.u64 %2, %3\n%11 = ne.u64 %2, %4\n%12 = and.u64 %10, %11\n"
                  "%13 = lt_s.u64 %3, %4\n%14 = andnot.u64 %12, %13\nset_sgpr64 s126, %14\n"),
            (FusedOrder{1, -2, 3, -4, 5}));
}

TEST(FuseCompares, NotIfSomethingElseReadsTheMask) {
  EXPECT_EQ(Fused("%10 = ne.u64 %2, %3\n%11 = and.u64 %1, %10\nset_sgpr64 s126, %11\n"
                  "set_sgpr64 s10, %10\n"),
            (FusedOrder{1, 2}));
  EXPECT_EQ(Fused("%10 = ne.u64 %2, %3\n%11 = and.u64 %10, %10\nset_sgpr64 s126, %11\n"),
            (FusedOrder{1, 2}));
}

TEST(FuseCompares, NotWhatIsToBeNarrowedByAndnot) {
  EXPECT_EQ(Fused("%10 = ne.u64 %2, %3\n%11 = andnot.u64 %10, %1\nset_sgpr64 s126, %11\n"),
            (FusedOrder{1, 2}));
}

TEST(FuseCompares, NotLanesOf64Bits) {
  EXPECT_EQ(Fused("%10 = pack.v64 %2, %3\n%11 = ne.u64 %10, %5\n%12 = and.u64 %1, %11\n"
                  "set_sgpr64 s126, %12\n"),
            (FusedOrder{1, 2, 3}));
}

TEST(FuseCompares, NotPastAWrittenRegister) {
  EXPECT_EQ(Fused("%10 = ne.u64 %2, %3\nset_vgpr v0, %3\n%11 = and.u64 %1, %10\n"
                  "set_sgpr64 s126, %11\n"),
            (FusedOrder{1, 2, 3}));
}

// Every predicate, and its opposite, for numbers that differ in what they say to each.
TEST(FuseCompares, GiveWhatTheTwoGive) {
  const std::vector<HostIsa> isas = HostIsas();
  if (std::find(isas.begin(), isas.end(), HostIsa::kAvx512) == isas.end()) {
    GTEST_SKIP() << "the processor has no AVX-512";
  }
  Machine machine;
  constexpr uint32_t kNumbers[] = {0,          1,          0x7FFFFFFF, 0x80000000,
                                   0xFFFFFFFF, 0x7FC00000, 0x3F800000, 0xBF800000};
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    machine.vgpr[0][lane] = kNumbers[lane % 8];
    machine.vgpr[1][lane] = kNumbers[lane / 8];
  }
  machine.sgpr[126] = 0x7FFFBFFF;
  machine.sgpr[127] = 0xFDFFFFFF;
  std::vector<std::string> compares;
  for (const char* op : {"eq", "ne", "lt_u", "le_u", "lt_s", "le_s"}) {
    compares.push_back(std::string(op) + ".u64 %2, %3\n");
  }
  for (const char* predicate : {"eq_oq", "lt_os", "le_os", "unord_q", "neq_uq", "nlt_us", "nle_us",
                                "ord_q", "eq_uq", "neq_oq", "gt_os", "ge_os"}) {
    compares.push_back(std::string("fcmp.u64 %2, %3 {") + predicate + ", rn}\n");
  }
  for (const std::string& compare : compares) {
    for (const char* op : {"and", "andnot"}) {
      const ir::Function function =
          Parse("%10 = " + compare + "%11 = " + op + ".u64 %1, %10\nset_sgpr64 s10, %11\n");
      CompiledBlock compiled(function, HostIsa::kAvx512, {}, /*listing=*/true);
      EXPECT_EQ(Difference(compiled.Run(machine), RunEvaluator(function, machine)), "")
          << op << " of " << compare;
      EXPECT_EQ(compiled.listing().find("kand"), std::string::npos) << compiled.listing();
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend
