// Contiguous stores that go past the caches.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ir/printer.h"
#include "tests/unit/backend_x64/emit/contiguous_accesses.h"

namespace gcnjit::backend::contiguous_tests {
namespace {

// How many parts of stores may go past the caches, by listing; what they store is the same wherever
// cache lines begin.
void ExpectPastCaches(const std::vector<Access>& accesses, bool does) {
  const Function function = FunctionOfAccesses(accesses);
  for (const HostIsa isa : HostIsas()) {
    CompiledBlock block(function, isa, {}, /*listing=*/true);
    EXPECT_EQ(block.listing().find("vmovntdq") != std::string::npos, does) << block.listing();
    for (const bool exceeds_caches : {false, true}) {
      if (exceeds_caches) block.ExceedCaches();
      for (const uint32_t distance : {0u, 4u, 16u, 32u, 60u, 64u, 0u}) {
        for (const uint32_t step : {1u, 2u}) {
          const Machine machine = MachineOf(kMiddleOfPages + distance, 7, step, 0xFFFF00FF0F055001);
          const Outcome expected = RunEvaluator(function, machine);
          ASSERT_EQ(Difference(block.Run(machine), expected), "")
              << NameOf(isa) << ", " << distance << '\n'
              << ir::Print(function);
        }
      }
    }
  }
}

// What a wave stores after a barrier may tell others of what another one has stored before.
TEST(ContiguousAccesses, StoresOfWavesThatWaitDoNotGoPastTheCaches) {
  const Function function = FunctionOfAccesses({{.imm = 0, .is_store = true}});
  for (const HostIsa isa : HostIsas()) {
    for (const bool has_barriers : {false, true}) {
      CompileOptions options;
      options.isa = isa;
      options.layout = Machine::Layout();
      options.notes.listing = true;
      options.group.has_barriers = has_barriers;
      std::string error;
      const auto region = Compile(function, options, &error);
      ASSERT_NE(region, nullptr) << error;
      EXPECT_EQ(region->notes.listing.find("vmovntdq") == std::string::npos, has_barriers);
    }
  }
}

TEST(ContiguousAccesses, LastStoresGoPastTheCaches) {
  const Access store = {.imm = 0, .is_store = true};
  ExpectPastCaches({store}, true);
  ExpectPastCaches({{.base = 2}, store}, true);
  ExpectPastCaches({{.base = 2, .is_store = true}, {.index = 1}, store}, true);
  // The block loads there, stores after it, or not from all lanes.
  ExpectPastCaches({{.imm = 8}, store}, false);
  ExpectPastCaches({store, {.base = 2, .is_store = true, .is_masked = true}}, false);
  ExpectPastCaches({{.imm = 0, .is_store = true, .is_masked = true}}, false);
  ExpectPastCaches({{.imm = 0, .bytes = 8, .is_store = true}}, false);
  ExpectPastCaches({{.imm = 0, .bytes = 2, .is_store = true}}, false);
}

}  // namespace
}  // namespace gcnjit::backend::contiguous_tests
