#include "backend_x64/plan/prefetch_plan.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "ir/parser.h"
#include "ir/verifier.h"

namespace gcnjit::backend {
namespace {

// What is asked for by each access of the block, in order: "1792" bytes ahead, "next 64" bytes,
// "next s4" units, or "-"; "1792 led by %3" if another load leads by that distance.
std::vector<std::string> Asked(const std::string& lines) {
  const ir::ParseResult parsed = ir::Parse(
      "block 0x40 instructions=1\nguest 0 0x40\n%1 = get_sgpr64.u64 s0\n%2 = get_vgpr.v32 v0\n"
      "%3 = get_sgpr.u32 s4\n%4 = get_vgpr.v32 v1\n" +
      lines + "jump 0x40\n");
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{});
  const ir::Block& block = parsed.function.blocks[0];
  Streams streams(parsed.function, block);
  std::vector<std::string> asked;
  for (const ir::Value v : block.insts) {
    const ir::Inst& inst = parsed.function[v];
    if (inst.op != ir::Op::kLoad && inst.op != ir::Op::kStore) continue;
    const std::optional<Lookahead> ahead = streams.Ask(inst, 1792);
    std::string text = !ahead ? "-" : ahead->is_loop ? "next " : "";
    if (ahead && ahead->step) {
      text += "s" + std::to_string(parsed.function[ahead->step].imm);
    } else if (ahead) {
      text += std::to_string(ahead->bytes);
    }
    if (ahead && ahead->lead) text += " led by %" + std::to_string(ahead->lead.id);
    if (ahead && ahead->lead_from) text += " - %" + std::to_string(ahead->lead_from.id);
    asked.push_back(text);
  }
  return asked;
}

using Texts = std::vector<std::string>;
const std::string kForm = ", %1, 0xffffffffffffffff:u64 {bytes=4, index=sext<<2}\n";
const std::string kSameLine = ", %1, 0xffffffffffffffff:u64 {bytes=4, index=sext<<2, offset=60}\n";
const std::string kFar = ", %1, 0xffffffffffffffff:u64 {bytes=4, index=sext<<2, offset=64}\n";

TEST(PrefetchPlan, GoOnFarAhead) {
  EXPECT_EQ(Asked("%10 = load.v32 %2" + kForm), Texts{"1792"});
  EXPECT_EQ(Asked("store %2, %1, 0xffffffffffffffff:u64, %4 {bytes=4, index=sext<<2}\n"),
            Texts{"1792"});
}

TEST(PrefetchPlan, AreAskedForOnce) {
  EXPECT_EQ(Asked("%10 = load.v32 %2" + kForm + "%11 = load.v32 %2" + kSameLine +
                  "%12 = load.v32 %2" + kFar + "%13 = load.v32 %4" + kForm),
            (Texts{"4096", "-", "4096", "1792"}));
}

TEST(PrefetchPlan, AreAskedForOnceThoughReadAndWritten) {
  EXPECT_EQ(Asked("%10 = load.v32 %2" + kForm +
                  "store %2, %1, 0xffffffffffffffff:u64, %10 {bytes=4, index=sext<<2}\n"
                  "store %4, %1, 0xffffffffffffffff:u64, %10 {bytes=4, index=sext<<2}\n"),
            (Texts{"1792", "-", "1792"}));
  EXPECT_EQ(Asked("store %2, %1, 0xffffffffffffffff:u64, %4 {bytes=4, index=sext<<2}\n"
                  "%10 = load.v32 %2" +
                  kForm + "%11 = load.v32 %2" + kFar),
            (Texts{"4096", "-", "4096"}));
}

// Rows of a matrix: between the first one that is asked for and the others lies an SGPR's value.
TEST(PrefetchPlan, LeadOthersByNumbers) {
  const std::string kMore =
      "%10 = zext.u64 %3\n%11 = add.u64 %1, %10\n%12 = sub.v32 %2, %3\n%13 = add.v32 %3, %2\n";
  const auto load = [](int index, int base) {
    static int value = 20;
    return "%" + std::to_string(value++) + " = load.v32 %" + std::to_string(index) + ", %" +
           std::to_string(base) + ", 0xffffffffffffffff:u64 {bytes=4, index=sext<<2}\n";
  };
  EXPECT_EQ(Asked(kMore + load(2, 1) + load(12, 1)), (Texts{"1792", "1792 led by %3"}));
  EXPECT_EQ(Asked(kMore + load(12, 1) + load(2, 1)), (Texts{"1792 led by %3", "1792"}));
  // The middle one of three: as sums, others say nothing.
  EXPECT_EQ(Asked(kMore + load(2, 1) + load(13, 1)), (Texts{"1792", "1792"}));
  EXPECT_EQ(Asked(kMore + load(2, 1) + load(2, 11)), (Texts{"1792", "1792"}));
  EXPECT_EQ(Asked(kMore + load(2, 1) + load(13, 1) + load(12, 1)),
            (Texts{"1792 led by %3", "1792", "1792 led by %3"}));
  EXPECT_EQ(Asked(kMore + load(12, 1) + load(2, 1) + load(2, 11)),
            (Texts{"1792 led by %3", "1792 led by %11 - %1", "1792"}));
  EXPECT_EQ(Asked(kMore + load(2, 11) + load(12, 11)), (Texts{"1792", "1792 led by %3"}));
  // Of loads alone, and of the same array.
  const std::string kStoreNext =
      "store %13, %1, 0xffffffffffffffff:u64, %4 {bytes=4, index=sext<<2}\n";
  EXPECT_EQ(Asked(kMore + load(12, 1) + load(2, 1) + kStoreNext),
            (Texts{"1792 led by %3", "1792", "1792"}));
  EXPECT_EQ(Asked(kMore + kStoreNext + load(13, 1) + load(12, 1)), (Texts{"1792", "-", "1792"}));
  EXPECT_EQ(Asked(kMore + load(2, 1) + load(12, 11)), (Texts{"1792", "1792"}));
  // By lanes' own distances.
  EXPECT_EQ(Asked("%10 = sub.v32 %2, %4\n%11 = load.v32 %2" + kForm + "%12 = load.v32 %10" + kForm),
            (Texts{"1792", "1792"}));
}

// Where scalars have been added up first (ir/passes/gather_scalars.cpp).
TEST(PrefetchPlan, LeadOthersByNumbersInScalars) {
  const std::string kMore =
      "%10 = get_sgpr.u32 s5\n%11 = add.v32 %2, %10\n%12 = sub.u32 %10, %3\n"
      "%13 = add.v32 %12, %2\n%14 = add.u32 %3, %10\n%15 = add.v32 %2, %14\n"
      "%16 = add.v32 %4, %12\n";
  const auto load = [](int index) {
    static int value = 20;
    return "%" + std::to_string(value++) + " = load.v32 %" + std::to_string(index) + kForm;
  };
  EXPECT_EQ(Asked(kMore + load(11) + load(13)), (Texts{"1792", "1792 led by %3"}));
  EXPECT_EQ(Asked(kMore + load(13) + load(11)), (Texts{"1792 led by %3", "1792"}));
  EXPECT_EQ(Asked(kMore + load(11) + load(15)), (Texts{"1792", "1792"}));
  EXPECT_EQ(Asked(kMore + load(11) + load(15) + load(13)),
            (Texts{"1792 led by %3", "1792", "1792 led by %3"}));
  EXPECT_EQ(Asked(kMore + load(11) + load(16)), (Texts{"1792", "1792"})) << "of other lanes";
}

TEST(PrefetchPlan, GoByWhatALoopAdds) {
  EXPECT_EQ(Asked("%10 = load.v32 %2" + kForm + "%11 = add.v32 %2, 16\nset_vgpr v0, %11\n"),
            Texts{"next 64"});
  EXPECT_EQ(Asked("%10 = load.v32 %2" + kForm + "%11 = add.v32 %3, %2\nset_vgpr v0, %11\n"),
            Texts{"next s4"});
  // A term of the index that goes on.
  EXPECT_EQ(Asked("%10 = add.v32 %3, %2\n%11 = load.v32 %10" + kForm +
                  "%12 = add.u32 %3, 0xfffffff0\nset_sgpr s4, %12\n"),
            Texts{"next -64"});
}

TEST(PrefetchPlan, AreLeftAloneWhereTheNextOneIsNotKnown) {
  EXPECT_EQ(Asked("%10 = load.v32 %2" + kForm + "%11 = add.v32 %2, %4\nset_vgpr v0, %11\n"),
            Texts{"-"});
  EXPECT_EQ(Asked("%10 = load.v32 %2" + kForm + "%11 = add.v32 %2, 0x10000000\nset_vgpr v0, %11\n"),
            Texts{"-"});
  EXPECT_EQ(Asked("store %2, %1, 0xffffffffffffffff:u64, %4 {bytes=4, index=sext<<2}\n"
                  "%11 = add.v32 %2, 16\nset_vgpr v0, %11\n"),
            Texts{"-"});
}

}  // namespace
}  // namespace gcnjit::backend
