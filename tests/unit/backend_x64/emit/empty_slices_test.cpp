// Blocks in which some slices have no active lane.
#include <string>

#include "backend_x64/plan/stages.h"
#include "ir/parser.h"
#include "tests/unit/backend_x64/emit/loop_function.h"

namespace gcnjit::backend {
namespace {

Function BlockOf(const std::string& lines) {
  ir::ParseResult parsed =
      ir::Parse("block 0x1000 instructions=2\nguest 0 0x0\n" + lines + "jump 0x2000\n");
  EXPECT_FALSE(parsed.error) << lines << (parsed.error ? parsed.error->message : "");
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{}) << lines;
  return std::move(parsed.function);
}

// v0 and v1 are numbers, v2 and v3 addresses, v4 and v5 others.
const std::string kOperands =
    "%1 = get_sgpr64.u64 s126\n%9 = get_vgpr.v32 v6\n%10 = get_vgpr.v32 v0\n%11 = get_vgpr.v32 v1\n"
    "%12 = get_vgpr.v32 v2\n%13 = get_vgpr.v32 v3\n%14 = get_vgpr.v32 v4\n%15 = get_vgpr.v32 v5\n"
    "%16 = lt_u.u64 %10, %11\n%17 = and.u64 %1, %16\n%18 = get_sgpr64.u64 s8\n";

// Masks for other stages and for registers, and what is kept of VGPRs.
const std::string kMaskResults =
    "%20 = or.u64 %17, %18\n%21 = add.v32 %10, %11\n%22 = select.v32 %17, %21, %10\n"
    "%23 = andnot.u64 %1, %17\n%24 = select.v32 %23, %10, %11\n%25 = ne.u1 %17, 0:u64\n"
    "set_vgpr v0, %22\nset_vgpr v1, %24\nset_sgpr64 s4, %17\nset_sgpr64 s6, %20\n"
    "set_sgpr64 s8, %23\nset_scc %25\n";
// Stores and loads of the same lanes, with other masks.
const std::string kStoresAndLoads =
    "store %12, %13, %1, %10 {bytes=4}\n%20 = load.v32 %14, %15, %17 {bytes=4}\n"
    "guest 1 0x1\n%21 = select.v32 %17, %20, %11\nstore %12, %13, %17, %21 {bytes=4}\n"
    "%22 = load.v32 %12, %13, %1 {bytes=4}\n%24 = select.v32 %1, %22, %9\nset_vgpr v1, "
    "%21\nset_vgpr v6, %24\n"
    "set_sgpr64 s4, %17\n";
// EXEC gets lanes back, and loses some.
const std::string kLanesBack =
    "%20 = or.u64 %1, %18\nnote_exec %20\nstore %12, %13, %20, %10 {bytes=4}\n"
    "%21 = and.u64 %20, %16\nguest 1 0x1\nnote_exec %21\n"
    "%22 = load.v32 %14, %15, %21 {bytes=4}\n%23 = select.v32 %1, %10, %11\n"
    "%24 = select.v32 %21, %22, %9\nset_vgpr v1, %23\nset_vgpr v6, %24\nset_sgpr64 s126, %21\n";
// Lanes of other slices are read.
const std::string kReadLanes =
    "%21 = add.v32 %10, %11\n%22 = select.v32 %17, %21, %10\n%23 = readlane.u32 %22, 40\n"
    "%24 = readlane.u32 %22, 3\nset_vgpr v0, %22\nset_sgpr s4, %23\nset_sgpr s5, %24\n";

// Lanes of an access at v2:v3 or v4:v5.
void SetLanesAt(Machine& machine, int vgpr, std::mt19937_64& random, uint32_t dwords) {
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    const uint64_t address = GuestPages::kBegin + random() % dwords * 4;
    machine.vgpr[vgpr][lane] = static_cast<uint32_t>(address);
    machine.vgpr[vgpr + 1][lane] = static_cast<uint32_t>(address >> 32);
  }
}

// Whole slices, few lanes, all, none.
uint64_t SparseMask(std::mt19937_64& random) {
  switch (random() % 5) {
    case 0: return uint64_t{0xFF} << (random() % 8 * 8);
    case 1: return uint64_t{1} << random() % 64;
    case 2: return (uint64_t{1} << random() % 64) - 1;
    case 3: return random() & random() & random();
    default: return random() % 4 == 0 ? 0 : ~uint64_t{0};
  }
}

// `dwords`: of which GuestPages::kSize / 4 are there.
void Check(const std::string& lines, uint32_t dwords) {
  const Function function = BlockOf(kOperands + lines);
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(function, isa);
    for (uint64_t seed = 0; seed < 300; ++seed) {
      std::mt19937_64 random(seed);
      Machine machine = RandomMachine(seed);
      SetPair(machine, 126, SparseMask(random));
      SetPair(machine, 8, SparseMask(random));
      SetLanesAt(machine, 2, random, dwords);
      SetLanesAt(machine, 4, random, dwords);
      EXPECT_EQ(Difference(block.Run(machine), RunEvaluator(function, machine)), "")
          << NameOf(isa) << ", seed " << seed << '\n'
          << lines;
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(EmptySlices, AreAsIfTheyWereRun) {
  for (const std::string& lines : {kMaskResults, kStoresAndLoads, kLanesBack, kReadLanes}) {
    Check(lines, GuestPages::kSize / 4);
  }
}

// The report has EXEC of all slices.
TEST(EmptySlices, FaultsInOthers) {
  for (const std::string& lines : {kStoresAndLoads, kLanesBack})
    Check(lines, GuestPages::kSize / 4 + 20);
}

}  // namespace
}  // namespace gcnjit::backend
