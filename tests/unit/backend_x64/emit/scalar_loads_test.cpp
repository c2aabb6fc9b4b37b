// Scalar loads: what of them is read, by whom, and with how many registers to spare.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/parser.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"

namespace gcnjit::backend {
namespace {

// The load is %10, its dwords 1 to 15 are %11 to %25.
std::string Load(int dwords, int offset) {
  std::string text = "%10 = load_scalar.u32 %1 {dwords=" + std::to_string(dwords) +
                     ", offset=" + std::to_string(offset) + "}\n";
  for (int n = 1; n < dwords; ++n) {
    text += "%" + std::to_string(10 + n) + " = part.u32 %10 {dword=" + std::to_string(n) + "}\n";
  }
  return text;
}

Machine MachineAt(uint64_t address) {
  Machine machine;
  for (size_t n = 0; n < machine.memory.size(); ++n) {
    machine.memory[n] = static_cast<std::byte>(n * 37 + n / 256);
  }
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) machine.vgpr[0][lane] = lane;
  machine.sgpr[4] = static_cast<uint32_t>(address);
  machine.sgpr[5] = static_cast<uint32_t>(address >> 32);
  for (uint32_t n = 20; n < 40; ++n) machine.sgpr[n] = n * 0x01010101;
  return machine;
}

// The second run goes the fast way.
void Check(const std::string& lines) {
  const ir::ParseResult parsed = ir::Parse(
      "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_sgpr64.u64 s4\n%2 = get_vgpr.v32 v0\n" +
      lines + "exit end, 0x4\n");
  ASSERT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  ASSERT_EQ(ir::Verify(parsed.function), std::vector<std::string>{});
  constexpr uint64_t kEnd = GuestPages::kBegin + GuestPages::kSize;
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(parsed.function, isa);
    for (const uint64_t address :
         {GuestPages::kBegin + 0x100, GuestPages::kBegin, kEnd - 64, kEnd - 32, kEnd}) {
      const Machine machine = MachineAt(address);
      const Outcome expected = RunEvaluator(parsed.function, machine);
      for (int run = 0; run < 2; ++run) {
        const uint64_t before = block.helper_calls();
        EXPECT_EQ(Difference(block.Run(machine), expected), "")
            << NameOf(isa) << ", run " << run << '\n'
            << lines;
        if (run == 1 && !expected.fault) {
          EXPECT_EQ(block.helper_calls(), before);
        }
      }
    }
  }
}

std::string Set(int sgpr, int value) {
  return "set_sgpr s" + std::to_string(sgpr) + ", %" + std::to_string(value) + "\n";
}

// More dwords than registers.
TEST(ScalarLoads, AllDwords) {
  for (const int dwords : {1, 2, 4, 8, 16}) {
    std::string lines = Load(dwords, 0);
    for (int n = 0; n < dwords; ++n) lines += Set(40 + n, 10 + n);
    Check(lines);
  }
}

TEST(ScalarLoads, SomeDwords) {
  Check(Load(4, 8) + Set(40, 11) + Set(41, 13));
  Check(Load(8, -16) + Set(40, 17));
  Check(Load(8, 0) + "%30 = add.v32 %2, %14\nset_vgpr v1, %30\n" + Set(40, 14) + Set(41, 10));
  Check(Load(2, 4));  // none is read
}

// Values that wait in registers are still there after the load.
TEST(ScalarLoads, OtherValuesStayWhereTheyAre) {
  std::string lines;
  std::string after;
  for (int n = 0; n < 6; ++n) {
    const std::string number = std::to_string(n);
    lines += "%3" + number + " = get_sgpr.u32 s2" + number + "\n%4" + number + " = add.u32 %3" +
             number + ", 7\n";
    after +=
        "%5" + number + " = xor.u32 %4" + number + ", %1" + number + "\n" + Set(60 + n, 50 + n);
  }
  Check(lines + Load(6, 0) + after);
  Check(lines + Load(16, 0) + after + Set(80, 22) + Set(81, 25));
}

// A load of dwords %number and so on, which go to SGPRs from `sgpr` on.
struct LoadPiece {
  int number;
  int dwords;
  int offset;
  int sgpr;
};
std::string LoadsOff(const char* address, const std::vector<LoadPiece>& pieces,
                     const std::string& between = "") {
  std::string loads;
  std::string sets;
  for (const LoadPiece& piece : pieces) {
    if (!loads.empty()) loads += between;
    const std::string number = "%" + std::to_string(piece.number);
    loads += number + " = load_scalar.u32 " + address + " {dwords=" + std::to_string(piece.dwords) +
             ", offset=" + std::to_string(piece.offset) + "}\n";
    for (int n = 0; n < piece.dwords; ++n) {
      if (n != 0) {
        loads += "%" + std::to_string(piece.number + n) + " = part.u32 " + number +
                 " {dword=" + std::to_string(n) + "}\n";
      }
      sets += Set(piece.sgpr + n, piece.number + n);
    }
  }
  return loads + sets;
}

// Done at once, where all are accessible; else each faults, or not, by itself.
TEST(ScalarLoads, SeveralOffOneAddress) {
  Check(LoadsOff("%1", {{10, 2, 24, 40}, {20, 4, 0, 50}, {30, 1, 16, 60}}));
  Check(LoadsOff("%1", {{10, 1, 0, 40}, {20, 1, 4, 50}, {30, 1, 8, 60}, {40, 1, 12, 61}}));
  Check(LoadsOff("%1", {{10, 1, 60, 40}, {20, 1, 0, 50}, {30, 8, 4, 60}, {40, 1, 60, 70}}));
  Check(LoadsOff("%1", {{10, 4, -8, 40}, {20, 4, -16, 50}, {30, 2, 32, 60}}));
  // Too far apart for all of them.
  Check(LoadsOff("%1", {{10, 1, 64, 40}, {20, 1, 0, 50}, {30, 1, 128, 60}, {40, 1, 124, 61}}));
  Check(LoadsOff("%1", {{10, 16, 0, 40}, {30, 1, -4, 60}, {40, 16, 64, 64}}));
  // No whole dwords apart.
  Check(LoadsOff("%1", {{10, 2, 0, 40}, {20, 2, 6, 50}, {30, 2, 8, 60}}));
}

TEST(ScalarLoads, ThoseOfAnotherAddressAreApart) {
  Check("%8 = add.u64 %1, 16:u64\n" + LoadsOff("%1", {{10, 2, 0, 40}, {20, 2, 8, 50}}) +
        LoadsOff("%8", {{30, 2, 8, 60}, {40, 2, 0, 64}}));
}

// What some of them load is not read; that they fault counts all the same.
TEST(ScalarLoads, SeveralOfWhichOneIsRead) {
  const std::string unread = "%40 = load_scalar.u32 %1 {dwords=4, offset=32}\n";
  Check(LoadsOff("%1", {{10, 2, 24, 40}}) + unread);
  Check(unread + LoadsOff("%1", {{10, 2, 24, 40}}));
}

TEST(ScalarLoads, StoresAndFencesBetween) {
  const std::vector<LoadPiece> pieces = {{10, 2, 0, 40}, {20, 2, 8, 50}};
  Check(LoadsOff("%1", pieces, "fence\n"));
  Check("%9 = zext.v64 %2\n" + LoadsOff("%1", pieces,
                                        "store %2, %1, 1:u64, 0x12345678 "
                                        "{bytes=4, index=zext<<0, offset=8}\n"));
}

TEST(ScalarLoads, Pairs) {
  Check(Load(4, 0) +
        "%30 = pack.u64 %10, %11\n%31 = pack.u64 %12, %13\n%32 = add.u64 %30, %31\n"
        "set_sgpr64 s40, %32\nset_sgpr64 s42, %30\n");
  // For lanes, too.
  Check(Load(4, 0) +
        "%30 = pack.u64 %10, %11\n%31 = zext.v64 %2\n%32 = add.v64 %31, %30\n"
        "%33 = high.v32 %32\nset_vgpr v1, %33\nset_sgpr64 s40, %30\n");
  // More of them than registers.
  std::string lines = Load(16, 0);
  std::string sets;
  for (int n = 0; n < 8; ++n) {
    lines += "%" + std::to_string(30 + n) + " = pack.u64 %" + std::to_string(10 + 2 * n) + ", %" +
             std::to_string(11 + 2 * n) + "\n";
    sets += "set_sgpr64 s" + std::to_string(40 + 2 * n) + ", %" + std::to_string(30 + n) + "\n";
  }
  Check(lines + sets);
}

// Packs that do not come whole with the load.
TEST(ScalarLoads, OtherPairs) {
  Check(Load(4, 0) + "%30 = pack.u64 %11, %10\nset_sgpr64 s40, %30\n");
  Check(Load(4, 0) + "%30 = pack.u64 %10, %10\nset_sgpr64 s40, %30\n");
  Check(Load(4, 0) + "%30 = pack.u64 %10, %12\nset_sgpr64 s40, %30\n");
  Check(Load(4, 0) + "%30 = pack.u64 %12, %13\nset_sgpr64 s40, %30\n" + Set(42, 12));
  Check(Load(4, 0) + "%30 = pack.u64 %12, %13\nset_sgpr64 s40, %30\n" + Set(42, 13));
  Check(Load(4, 0) + "%30 = pack.u64 %10, %11\nset_sgpr64 s40, %30\n" + Set(42, 10));
  Check(Load(4, 0) + "%30 = pack.u64 %10, %11\nset_sgpr64 s40, %30\n" + Set(42, 11));
  // The middle one belongs to two.
  Check(Load(4, 0) +
        "%30 = pack.u64 %10, %11\n%31 = pack.u64 %11, %12\nset_sgpr64 s40, %30\n"
        "set_sgpr64 s42, %31\n");
  Check(Load(4, 0) + "%30 = pack.u64 %11, %12\nset_sgpr64 s40, %30\n" + Set(42, 10) + Set(43, 13));
  // The pack is of a later stage than the load.
  Check(Load(2, 0) +
        "%30 = add.v32 %2, %10\n%31 = readlane.u32 %30, 5\n%32 = pack.u64 %31, %11\n"
        "set_sgpr64 s40, %32\n");
}

}  // namespace
}  // namespace gcnjit::backend
