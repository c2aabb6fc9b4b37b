#include "backend_x64/plan/hoist_selects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backend_x64/plan/fuse_compares.h"
#include "ir/analysis/uses.h"
#include "ir/parser.h"
#include "ir/verifier.h"

namespace gcnjit::backend {
namespace {

// The block's operations in their new order: numbers of the old one.
std::vector<uint32_t> Hoisted(const std::string& lines) {
  const ir::ParseResult parsed = ir::Parse(
      "block 0x40 instructions=1\nguest 0 0x40\n"
      "%1 = get_sgpr64.u64 s126\n%2 = get_vgpr.v32 v0\n%3 = get_vgpr.v32 v1\n" +
      lines + "exit end, 0x44\n");
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{});
  const ir::Block& block = parsed.function.blocks[0];
  std::vector<ir::Value> ops;
  for (const ir::Value v : block.insts) {
    const ir::Inst& inst = parsed.function[v];
    const bool is_read = inst.op == ir::Op::kGetSgpr64 || inst.op == ir::Op::kGetVgpr;
    if (inst.op != ir::Op::kConst && inst.type != ir::Type::kVoid && !is_read) ops.push_back(v);
  }
  const std::vector<ir::Value> before = ops;
  HoistSelects(parsed.function, ir::CountUses(parsed.function, block), ops);
  std::vector<uint32_t> order;
  for (const ir::Value v : ops) {
    order.push_back(
        static_cast<uint32_t>(std::find(before.begin(), before.end(), v) - before.begin()));
  }
  return order;
}

using HoistedOrder = std::vector<uint32_t>;

const std::string kNextExec =
    "%10 = fcmp.u64 %2, 4.0 {nle_us, rn}\n%11 = and.u64 %1, %10\n%12 = andnot.u64 %1, %11\n";

TEST(HoistSelects, BeforeTheLastOtherUseOfTheMask) {
  const std::string select = "%13 = select.v32 %1, 7, %3\nset_vgpr v1, %13\nset_sgpr64 s126, %12\n";
  // The masks stay together.
  EXPECT_EQ(Hoisted(kNextExec + select), (HoistedOrder{3, 0, 1, 2}));
  // So does what only the first of them wants, but not what others want, too.
  const std::string of_sum =
      "%10 = fcmp.u64 %9, 4.0 {nle_us, rn}\n%11 = and.u64 %1, %10\n"
      "%12 = andnot.u64 %1, %11\n";
  const std::string sum = "%9 = add.v32 %2, %2\n";
  EXPECT_EQ(Hoisted(sum + of_sum + select), (HoistedOrder{4, 0, 1, 2, 3}));
  EXPECT_EQ(Hoisted(sum + of_sum + "%14 = add.v32 %9, 1\n" + select),
            (HoistedOrder{0, 5, 1, 2, 3, 4}));
  // But not where the first of them reads what the select overwrites, or the select's arguments
  // come later.
  EXPECT_EQ(Hoisted("%10 = fcmp.u64 %3, 4.0 {nle_us, rn}\n%11 = and.u64 %1, %10\n"
                    "%12 = andnot.u64 %1, %11\n" +
                    select),
            (HoistedOrder{0, 1, 3, 2}));
}

TEST(HoistSelects, NotBeforeWhatTheyNeed) {
  EXPECT_EQ(Hoisted(kNextExec + "%13 = add.v32 %2, 1\n%14 = select.v32 %1, %13, %3\n"
                                "set_vgpr v1, %14\nset_sgpr64 s126, %12\n"),
            (HoistedOrder{0, 1, 2, 3, 4}));
}

TEST(HoistSelects, NotIfTheMaskLivesOn) {
  EXPECT_EQ(Hoisted(kNextExec + "%13 = select.v32 %1, 7, %3\n%14 = or.u64 %1, %12\n"
                                "set_vgpr v1, %13\nset_sgpr64 s126, %14\n"),
            (HoistedOrder{0, 1, 2, 3, 4}));
}

TEST(HoistSelects, NotIfWhatOtherLanesKeepLivesOn) {
  EXPECT_EQ(Hoisted(kNextExec + "%13 = select.v32 %1, 7, %3\n%14 = add.v32 %3, 1\n"
                                "set_vgpr v1, %13\nset_vgpr v2, %14\nset_sgpr64 s126, %12\n"),
            (HoistedOrder{0, 1, 2, 3, 4}));
}

TEST(HoistSelects, AllThatShareAMask) {
  EXPECT_EQ(Hoisted(kNextExec + "%13 = select.v32 %1, 7, %3\n%14 = select.v32 %1, 5, %2\n"
                                "set_vgpr v1, %13\nset_vgpr v0, %14\nset_sgpr64 s126, %12\n"),
            (HoistedOrder{3, 0, 1, 4, 2}));
  // One of them has to stay, and with it the mask.
  EXPECT_EQ(Hoisted(kNextExec + "%13 = select.v32 %1, 7, %3\n%14 = select.v32 %12, 5, 6\n"
                                "%15 = select.v32 %1, %14, %2\n"
                                "set_vgpr v1, %13\nset_vgpr v0, %15\nset_sgpr64 s126, %12\n"),
            (HoistedOrder{0, 1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace gcnjit::backend
