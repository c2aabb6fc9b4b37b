// Groups of a row that start after another one, with what does not depend on the group's id.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/printer.h"
#include "tests/unit/backend_x64/emit/prologue_block.h"

namespace gcnjit::backend::prologue_tests {
namespace {

// The id of a row's groups; s[4:5] has the address of the table, which nothing changes.
constexpr int kId = 8;
const std::vector<ir::FixedMemory> kTableIsFixed = {{4, 64}};

// As the code of all waves of a group.
Function OfGroup(Function function) {
  ir::Block& block = function.blocks[0];
  block.begin = ir::WithWave(block.begin, 0);
  for (uint64_t& pc : block.guest_pcs) pc = ir::WithWave(pc, 0);
  return function;
}

CompileOptions ForRow(const std::vector<ir::FixedMemory>& fixed, bool listing = false) {
  CompileOptions options;
  options.group.row_sgpr = kId;
  options.group.fixed = fixed;
  options.notes.listing = listing;
  return options;
}

// Several times over: the first time each access asks the runtime. `run`: of the row's groups, so
// many.
void CheckRow(const Function& function, const Machine& machine, uint64_t groups,
              const std::vector<ir::FixedMemory>& fixed, uint64_t run) {
  Outcome expected{machine, {}, {}, 0};
  for (uint64_t n = 0; n < run; ++n) {
    if (n != 0) ++expected.machine.sgpr[kId];
    expected = RunEvaluator(function, expected.machine);
    ASSERT_FALSE(expected.fault);
  }
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(function, isa, {}, /*listing=*/false, {}, /*has_full_exec=*/true,
                        ForRow(fixed));
    for (int again = 0; again < 3; ++again) {
      // Instructions are those of one group: the runtime knows how many there were.
      ASSERT_EQ(Difference(block.RunRow(machine, groups), expected), "")
          << NameOf(isa) << ", run " << again << ", " << groups << '\n'
          << ir::Print(function);
    }
  }
}

TEST(RowPrologue, RandomBlocks) {
  const uint64_t count = RandomBlocks(400);
  for (uint64_t seed = 1; seed <= count; ++seed) {
    const Function function = OfGroup(RandomBlock(seed).function);
    // Where they may change the table, it is not given as fixed.
    const bool is_apart = seed % 2 == 0;
    const Machine machine = Waves(seed, is_apart ? kStores : kTable - seed % 1024 / 4 * 4)[0];
    const uint64_t groups = 1 + seed % 5;
    // Some loads are beyond what is fixed, or end there.
    const auto fixed = static_cast<uint32_t>(seed % 5 == 0 ? 64 : 4 * (seed / 2 % 17));
    CheckRow(function, machine, groups,
             is_apart ? std::vector<ir::FixedMemory>{{4, fixed}} : decltype(kTableIsFixed){},
             groups);
    if (HasFailure()) return;
  }
}

// Scalar operations that are done for each group of a row, without their arguments; those of
// `lines` that are not lanes' as a rule.
std::vector<std::string> DoneForEach(const std::string& lines,
                                     const std::vector<ir::FixedMemory>& fixed, HostIsa isa) {
  const Function function = OfGroup(ParseGroupCode(lines));
  std::string listing = CompiledBlock(function, isa, {}, /*listing=*/true, {},
                                      /*has_full_exec=*/true, ForRow(fixed, true))
                            .listing();
  listing.resize(listing.find("\nout of line"));
  size_t at = listing.find("other groups of the row begin here");
  if (at == std::string::npos) return {"all"};
  std::vector<std::string> each;
  while ((at = listing.find(" = ", at + 1)) != std::string::npos) {
    const std::string op = listing.substr(at + 3, listing.find(' ', at + 3) - at - 3);
    if (op.ends_with(".u32") || op.ends_with(".u64")) each.push_back(op);
  }
  return each;
}

using Texts = std::vector<std::string>;
// Enough that it pays; kScalarLines makes five of the id, which is s8.
const std::string kWork =
    "%20 = add.u32 %5, 7\n%21 = mul.u32 %20, %5\n%22 = xor.u32 %21, 9\n%23 = sub.u32 %22, %5\n"
    "%33 = add.v32 %3, %23\nset_vgpr v4, %33\n";
const Texts kOfId = {"get_sgpr.u32", "mul.u32", "add.u32", "xor.u32", "zext.u64", "shl.u64"};

Texts With(Texts texts, const Texts& more) {
  texts.insert(texts.end(), more.begin(), more.end());
  return texts;
}

TEST(RowPrologue, AreWorkedOutOnce) {
  const std::string kMore =
      "%24 = get_sgpr64.u64 s7\n%25 = high.u32 %24\n%26 = max_u.u32 %25, %5\n"
      "%34 = add.v32 %3, %26\nset_vgpr v5, %34\n";
  for (const HostIsa isa : HostIsas()) {
    EXPECT_EQ(DoneForEach(kScalarLines + kLanes + kWork, kTableIsFixed, isa), kOfId);
    EXPECT_EQ(DoneForEach(kScalarLines + kLanes + kWork + kMore, kTableIsFixed, isa),
              With(kOfId, {"get_sgpr64.u64", "high.u32", "max_u.u32"}))
        << "s[7:8] has the id, too";
  }
}

// But not what memory may have changed by then: a load that ends after what is fixed, or is from
// elsewhere.
TEST(RowPrologue, AreNotLoadedFromAnywhere) {
  const std::string kMore =
      "%24 = load_scalar.u32 %2 {dwords=1, offset=0}\n%25 = min_u.u32 %24, %5\n"
      "%34 = add.v32 %3, %25\nset_vgpr v5, %34\n";
  for (const HostIsa isa : HostIsas()) {
    const auto with = [&](const std::string& lines, uint32_t bytes) {
      return DoneForEach(kScalarLines + kLanes + kWork + lines, {{4, bytes}}, isa);
    };
    const auto loads = [](const Texts& each) {
      return std::count(each.begin(), each.end(), "load_scalar.u32");
    };
    EXPECT_EQ(loads(with("", 48)), 0);
    EXPECT_EQ(loads(with("", 47)), 1) << "the second one ends there";
    EXPECT_EQ(loads(with("", 23)), 2);
    EXPECT_EQ(loads(with(kMore, 48)), 1);
    EXPECT_EQ(with(kMore, 48).back(), "min_u.u32");
    EXPECT_EQ(DoneForEach(kScalarLines + kLanes, kTableIsFixed, isa), Texts{"all"}) << "too few";
  }
}

// After a group that executes fewer instructions the row ends, so that the runtime counts them.
TEST(RowPrologue, EndWithAGroupThatSkips) {
  const Function function = OfGroup(ParseGroupCode(kScalarLines + kLanes +
                                                   "%40 = sub.u32 %4, 102\n%41 = zext.u64 %40\n"
                                                   "%42 = zext.u64 %5\nskipped %42 {count=2}\n"
                                                   "skipped %41 {count=3}\n"));
  Machine machine = Waves(1, kStores)[0];
  machine.sgpr[9] = 1;
  machine.sgpr[kId] = 100;
  CheckRow(function, machine, /*groups=*/6, kTableIsFixed, /*run=*/3);
  CheckRow(function, machine, /*groups=*/3, kTableIsFixed, /*run=*/3);
  CheckRow(function, machine, /*groups=*/2, kTableIsFixed, /*run=*/2);
  machine.sgpr[kId] = 103;
  CheckRow(function, machine, /*groups=*/6, kTableIsFixed, /*run=*/6);
}

}  // namespace
}  // namespace gcnjit::backend::prologue_tests
