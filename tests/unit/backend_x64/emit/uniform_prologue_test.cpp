// Waves that start after another one of their group, with what it has computed from the SGPRs;
// and groups of a row likewise.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::Function;
using ir::Op;
using ir::Type;
using ir::Value;

constexpr int kWavesOfPrologue = 4;
// In the guest's pages.
constexpr uint64_t kTable = 0x1000;  // what scalar loads read, 64 bytes
constexpr uint64_t kStores = 0x2000;

Function ParseGroupCode(const std::string& lines) {
  const ir::ParseResult parsed = ir::Parse(
      "block 0x0 instructions=9\nguest 0 0x0\n"
      "%1 = get_sgpr64.u64 s4\n%2 = get_sgpr64.u64 s6\n%3 = get_vgpr.v32 v0\n"
      "%4 = get_sgpr.u32 s8\n%5 = get_sgpr.u32 s9\n" +
      lines + "exit end, 0x4\n");
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{});
  return parsed.function;
}

// Waves with the same SGPRs: s[4:5] is the table, s[6:7] where stores go, s8 and s9 are numbers. v0
// goes on from wave to wave, v1 is anything.
std::vector<Machine> Waves(uint64_t seed, uint64_t stores = kStores) {
  std::mt19937_64 random(seed);
  Machine machine;
  FillRandom(random, machine.memory);
  for (uint32_t& sgpr : machine.sgpr) sgpr = static_cast<uint32_t>(random());
  SetPair(machine, 4, GuestPages::kBegin + kTable);
  SetPair(machine, 6, GuestPages::kBegin + stores);
  SetPair(machine, 126, ~uint64_t{0});
  std::vector<Machine> waves(kWavesOfPrologue, machine);
  for (size_t n = 0; n < waves.size(); ++n) {
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      waves[n].vgpr[0][lane] = static_cast<uint32_t>(n) * ir::kLanes + lane;
      waves[n].vgpr[1][lane] = static_cast<uint32_t>(random());
    }
  }
  return waves;
}

// One after another, in the evaluator.
std::vector<Machine> Expected(const Function& function, std::vector<Machine> waves) {
  for (size_t n = 0; n < waves.size(); ++n) {
    if (n != 0) waves[n].memory = waves[n - 1].memory;
    const uint64_t begin = waves[n].pc;
    const Outcome outcome = RunEvaluator(function, waves[n]);
    EXPECT_FALSE(outcome.fault);
    waves[n] = outcome.machine;
    // Waves of groups to come rely on it that the others' PC is where they have begun.
    if (n + 1 != waves.size()) waves[n].pc = begin;
  }
  return waves;
}

// The group's memory is in its first machine.
std::string DifferenceOf(CompiledBlock::Group group, const std::vector<Machine>& expected,
                         uint64_t instructions) {
  if (group.fault) return "a fault";
  if (group.ended != expected.size()) return "waves that have not ended";
  if (group.executed != instructions * expected.size()) return "instructions executed";
  const std::vector<std::byte> memory = group.machines[0].memory;
  for (size_t n = 0; n < expected.size(); ++n) {
    Outcome actual{group.machines[n], {}, {}, 0};
    Outcome wanted{expected[n], {}, {}, 0};
    actual.machine.memory = memory;
    wanted.machine.memory = expected.back().memory;
    const std::string difference = Difference(actual, wanted);
    if (!difference.empty()) return "wave " + std::to_string(n) + ": " + difference;
  }
  return "";
}

// Three times over: the first time each access asks the runtime.
void CheckWaves(const Function& function, const std::vector<Machine>& waves, uint64_t begin,
                uint64_t end) {
  const std::vector<Machine> expected = Expected(function, waves);
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(function, isa, {}, /*listing=*/false, {}, /*has_full_exec=*/true);
    block.NarrowStores(begin, end);
    for (int run = 0; run < 3; ++run) {
      ASSERT_EQ(DifferenceOf(block.RunGroup(waves), expected, function.blocks[0].instruction_count),
                "")
          << NameOf(isa) << ", run " << run << '\n'
          << ir::Print(function);
    }
  }
}

// How many waves had values of the first one's SGPRs, in a run on the fast ways: they are given
// others of their own, which they would not be by the runtime.
int CountFollowers(const Function& function, uint64_t begin, uint64_t end, HostIsa isa) {
  CompiledBlock block(function, isa, {}, /*listing=*/false, {}, /*has_full_exec=*/true);
  block.NarrowStores(begin, end);
  std::vector<Machine> waves = Waves(1);
  block.RunGroup(waves);
  block.RunGroup(waves);
  for (size_t n = 0; n < waves.size(); ++n) waves[n].sgpr[8] = 1000 + static_cast<uint32_t>(n);
  const auto group = block.RunGroup(waves);
  int followers = 0;
  for (size_t n = 1; n < waves.size(); ++n) {
    Machine own = waves[n];
    own.sgpr[8] = waves[0].sgpr[8];
    followers += group.machines[n].vgpr[3] == RunEvaluator(function, own).machine.vgpr[3];
  }
  return followers;
}

// Scalars of every kind that lanes and scalars read: v3 is made of s8.
const std::string kScalarLines =
    "%10 = load_scalar.u32 %1 {dwords=4, offset=8}\n%11 = part.u32 %10 {dword=1}\n"
    "%12 = part.u32 %10 {dword=3}\n%13 = mul.u32 %10, %4\n%14 = add.u32 %13, %11\n"
    "%15 = xor.u32 %14, %5\n%16 = zext.u64 %15\n%17 = shl.u64 %16, 3\n"
    "%18 = load_scalar.u32 %1 {dwords=2, offset=40}\n%19 = part.u32 %18 {dword=1}\n";
const std::string kLanes =
    "%30 = add.v32 %3, %14\n%31 = xor.v32 %30, %12\n%32 = add.v32 %31, %19\n"
    "set_vgpr v3, %32\n";
const std::string kStoreLines =
    "store %3, %2, 0xffffffffffffffff:u64, %32 {bytes=4, index=sext<<2}\n";

TEST(UniformPrologue, AreWorkedOutOnce) {
  for (const std::string& lines :
       {kScalarLines + kLanes, kScalarLines + kLanes + kStoreLines,
        // Scalars that are each wave's own, with values that all waves have.
        kScalarLines +
            "%20 = readlane.u32 %3, 5\n%21 = add.u32 %20, %15\n%22 = low.u32 %17\n"
            "%23 = mul.u32 %21, %22\n%33 = add.v32 %3, %23\nset_vgpr v4, %33\n" +
            kLanes + kStoreLines,
        // What comes after the lanes, and EXEC for fault reports.
        kScalarLines + kLanes + "%24 = zext.u64 %15\nnote_exec %24\n" + kStoreLines +
            "%25 = readlane.u32 %32, 7\n%26 = sub.u32 %25, %13\n%34 = add.v32 %3, %26\n"
            "set_vgpr v5, %34\n"}) {
    const Function function = ParseGroupCode(lines);
    CheckWaves(function, Waves(1), kStores, GuestPages::kSize);
    for (const HostIsa isa : HostIsas()) {
      EXPECT_EQ(CountFollowers(function, kStores, GuestPages::kSize, isa), kWavesOfPrologue - 1)
          << lines;
    }
  }
}

// EXEC is each wave's own.
TEST(UniformPrologue, AreNotMadeOfExec) {
  const Function function = ParseGroupCode(
      kScalarLines + "%20 = get_sgpr64.u64 s126\n%21 = popcount.u32 %20\n%22 = add.u32 %21, %14\n" +
      kLanes + "%33 = add.v32 %3, %22\nset_vgpr v4, %33\n");
  std::vector<Machine> waves = Waves(1);
  for (size_t n = 0; n < waves.size(); ++n) SetPair(waves[n], 126, (uint64_t{1} << (n * 9)) - 1);
  const std::vector<Machine> expected = Expected(function, waves);
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(function, isa);
    EXPECT_TRUE(block.HasFollow());
    for (int run = 0; run < 2; ++run) {
      EXPECT_EQ(DifferenceOf(block.RunGroup(waves), expected, 9), "") << NameOf(isa);
    }
  }
}

// Not after stores that may reach what has been loaded, wherever their window begins and ends.
TEST(UniformPrologue, NotWhereStoresCouldChangeThem) {
  const Function function = ParseGroupCode(kScalarLines + kLanes + kStoreLines);
  constexpr uint64_t kFirst = kTable + 8;  // byte that is loaded
  constexpr uint64_t kLast = kTable + 47;
  const struct {
    uint64_t begin, end;
    bool may_follow;
  } kWindows[] = {
      {0, GuestPages::kSize, false},
      {kTable, GuestPages::kSize, false},
      {kLast, GuestPages::kSize, false},
      {kLast + 1, GuestPages::kSize, true},
      {kFirst + 4, GuestPages::kSize, false},
      {kLast + 64, GuestPages::kSize, true},
      {0, kFirst + 1, false},
      {0, kFirst - 15, true},
      {0, kLast, false},
  };
  for (const auto& window : kWindows) {
    for (const HostIsa isa : HostIsas()) {
      CompiledBlock block(function, isa, {}, /*listing=*/false, {}, /*has_full_exec=*/true);
      // The stores go to the window.
      const uint64_t stores = window.end == GuestPages::kSize ? window.end - 0x800 : 0;
      block.NarrowStores(window.begin, window.end);
      std::vector<Machine> waves = Waves(1, stores);
      block.RunGroup(waves);
      block.RunGroup(waves);
      waves[1].sgpr[8] += 1;
      const auto group = block.RunGroup(waves);
      const bool has_own =
          group.machines[1].vgpr[3] == RunEvaluator(function, waves[1]).machine.vgpr[3];
      EXPECT_EQ(!has_own, window.may_follow) << NameOf(isa) << ' ' << window.begin;
    }
  }
}

// Each wave's store changes what the next one loads; by the code itself, or by the runtime.
TEST(UniformPrologue, StoresToWhatIsLoaded) {
  const Function function = ParseGroupCode(kScalarLines + kLanes + kStoreLines);
  for (uint64_t stores = kTable - 4 * ir::kLanes * kWavesOfPrologue; stores <= kTable + 64;
       stores += 4) {
    CheckWaves(function, Waves(stores, stores), 0, GuestPages::kSize);
    CheckWaves(function, Waves(stores, stores), kStores, GuestPages::kSize);
    CheckWaves(function, Waves(stores, stores), 0, kTable);
    if (HasFailure()) return;
  }
}

TEST(UniformPrologue, OnlyWhereItPays) {
  const std::string kFew = "%10 = add.u32 %4, %5\n%32 = add.v32 %3, %10\nset_vgpr v3, %32\n";
  const std::string kLds = "store_lds %3, 0xffffffffffffffff:u64, 1024, %32 {bytes=4}\n";
  std::string many_stores;
  for (int n = 0; n < 5; ++n) many_stores += kStoreLines;
  for (const HostIsa isa : HostIsas()) {
    const std::string kMasked =
        "%29 = get_sgpr64.u64 s126\nstore %3, %2, %29, %32 {bytes=4, index=sext<<2}\n";
    const auto has_follow = [&](const std::string& lines, bool has_full_exec) {
      const Function function = ParseGroupCode(lines);
      return CompiledBlock(function, isa, {}, /*listing=*/false, {}, has_full_exec).HasFollow();
    };
    EXPECT_TRUE(has_follow(kScalarLines + kLanes, false));
    EXPECT_TRUE(has_follow(kScalarLines + kLanes + kMasked, true));
    EXPECT_FALSE(has_follow(kScalarLines + kLanes + kMasked, false));  // there are two versions
    EXPECT_FALSE(has_follow(kFew, true));
    for (const std::string& others : {
             kLds,
             std::string("%28 = load_lds.v32 %3, 0xffffffffffffffff:u64, 1024 {bytes=4}\n"),
             std::string("%28 = atomic.v32 %3, 0, 0xffffffffffffffff:u64, %32 {bytes=4, add}\n"),
             std::string("fence\n"),
         }) {
      EXPECT_FALSE(has_follow(kScalarLines + kLanes + others, true)) << others;
    }
    EXPECT_FALSE(has_follow(kScalarLines + kLanes + many_stores, true));
  }
}

// Waves whose first accesses fault: no wave follows.
TEST(UniformPrologue, AFaultEndsThem) {
  const Function function = ParseGroupCode(kScalarLines + kLanes + kStoreLines);
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(function, isa, {}, /*listing=*/false, {}, /*has_full_exec=*/true);
    for (const bool in_scalar_load : {true, false}) {
      std::vector<Machine> waves = Waves(1);
      for (Machine& wave : waves) SetPair(wave, in_scalar_load ? 4 : 6, 0x1000);
      const auto group = block.RunGroup(waves);
      EXPECT_TRUE(group.fault);
      EXPECT_EQ(group.ended, 0u);
    }
  }
}

class RandomBlock {
 public:
  explicit RandomBlock(uint64_t seed) : random_(seed) {
    function.blocks[0].guest_pcs = {0};
    function.blocks[0].instruction_count = 7;
    const Value table = b_.Emit(Op::kGetSgpr64, Type::kU64, {}, 4);
    const Value stores = b_.Emit(Op::kGetSgpr64, Type::kU64, {}, 6);
    for (int n = 8; n < 12; ++n) scalars_.push_back(b_.Emit(Op::kGetSgpr, Type::kU32, {}, n));
    scalars_.push_back(b_.U32(static_cast<uint32_t>(random_())));
    const Value v0 = b_.Emit(Op::kGetVgpr, Type::kV32, {}, 0);
    lanes_ = {v0, b_.Emit(Op::kGetVgpr, Type::kV32, {}, 1)};
    const int size = 10 + static_cast<int>(random_() % 40);
    for (int n = 0; n < size; ++n) Step(table, stores, v0);
    for (int n = 0; n < 3; ++n) b_.Emit(Op::kSetVgpr, Type::kVoid, {Pick(lanes_)}, 3 + n);
    b_.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
  }

  Function function;

 private:
  void Step(Value table, Value stores, Value v0) {
    constexpr Op kOps[] = {Op::kAdd, Op::kSub, Op::kMul, Op::kXor, Op::kShl, Op::kMinU};
    const Op op = kOps[random_() % std::size(kOps)];
    switch (random_() % 12) {
      case 0:
      case 1: {
        const uint32_t dwords = 1u << random_() % 3;
        const auto offset = static_cast<int64_t>(random_() % 12 * 4);
        const Value load =
            b_.Emit(Op::kLoadScalar, Type::kU32, {table}, offset, static_cast<uint16_t>(dwords));
        for (uint32_t n = 0; n < dwords; ++n) {
          scalars_.push_back(b_.Part(load, static_cast<int>(n)));
        }
        return;
      }
      case 2:
        scalars_.push_back(b_.Emit(Op::kReadLane, Type::kU32, {Pick(lanes_), b_.U32(9)}));
        return;
      case 3: {
        const Value is_less = b_.Emit(Op::kLtU, Type::kU1, {Pick(scalars_), Pick(scalars_)});
        scalars_.push_back(
            b_.Emit(Op::kSelect, Type::kU32, {is_less, Pick(scalars_), Pick(scalars_)}));
        return;
      }
      case 4: {
        const Value pair = b_.Emit(Op::kPack, Type::kU64, {Pick(scalars_), Pick(scalars_)});
        scalars_.push_back(b_.Emit(Op::kHigh, Type::kU32, {pair}));
        lanes_.push_back(b_.Emit(Op::kSelect, Type::kV32, {pair, Pick(lanes_), Pick(scalars_)}));
        return;
      }
      case 5:
        if (++stores_ <= 4) Store(stores, v0);
        return;
      case 6:
      case 7:
      case 8: lanes_.push_back(b_.Emit(op, Type::kV32, {Pick(lanes_), Pick(scalars_)})); return;
      default: scalars_.push_back(b_.Emit(op, Type::kU32, {Pick(scalars_), Pick(scalars_)}));
    }
  }

  void Store(Value stores, Value v0) {
    ir::MemoryAccess form;
    form.bytes = 4;
    form.indexed = true;
    form.index_signed = true;
    form.index_shift = 2;
    const Value args[] = {v0, stores, b_.U64(~uint64_t{0}), Pick(lanes_)};
    b_.EmitList(Op::kStore, Type::kVoid, args, 4, 0, form.Pack());
  }

  Value Pick(const std::vector<Value>& from) { return from[random_() % from.size()]; }

  std::mt19937_64 random_;
  Builder b_{function, function.blocks.emplace_back()};
  std::vector<Value> scalars_, lanes_;
  int stores_ = 0;
};

TEST(UniformPrologue, RandomBlocks) {
  const uint64_t count = RandomBlocks(400);
  uint64_t followed = 0;
  for (uint64_t seed = 1; seed <= count; ++seed) {
    const RandomBlock block(seed);
    ASSERT_EQ(ir::Verify(block.function), std::vector<std::string>{}) << ir::Print(block.function);
    // Apart from the table, over it, and around it.
    const uint64_t stores = seed % 3 == 0 ? kTable - seed % 1024 / 4 * 4 : kStores;
    CheckWaves(block.function, Waves(seed, stores), seed % 2 == 0 ? 0 : kStores, GuestPages::kSize);
    if (HasFailure()) return;
    followed += CompiledBlock(block.function, HostIsas()[0], {}, false, {}, true).HasFollow();
  }
  EXPECT_GT(followed, count / 2);
}

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
}  // namespace gcnjit::backend
