// Contiguous loads whose lanes are made of what their neighbours have loaded.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/unit/backend_x64/emit/contiguous_accesses.h"

namespace gcnjit::backend::contiguous_tests {
namespace {

// How many parts of loads are made of registers, on AVX-512; none with other instructions.
void ExpectShifted(const std::vector<Access>& accesses, int parts) {
  for (const HostIsa isa : HostIsas()) {
    const CompiledBlock block(FunctionOfAccesses(accesses), isa, {}, /*listing=*/true);
    const std::string& text = block.listing();
    int found = 0;
    for (size_t at = 0; (at = text.find("valignd", at)) != text.npos; ++at) ++found;
    EXPECT_EQ(found, isa == HostIsa::kAvx512 ? parts : 0) << text;
  }
  for (const uint64_t mask : {~uint64_t{0}, uint64_t{0}, uint64_t{0xFFFF00FF0F055001}}) {
    Check(accesses, {MachineOf(kMiddleOfPages, 7, 1, mask)});
    Check(accesses, {MachineOf(kMiddleOfPages, 7, 2, mask), MachineOf(kMiddleOfPages, 7, 1, mask),
                     MachineOf(0x1000, 7, 1, mask), MachineOf(kMiddleOfPages, 7, 0, mask)});
  }
}

TEST(ContiguousAccesses, NeighboursComeFromRegisters) {
  for (int32_t dwords = -17; dwords <= 17; ++dwords) {
    const int parts = dwords != 0 && std::abs(dwords) < 16 ? 3 : 0;
    for (const bool is_masked : {false, true}) {
      ExpectShifted({{.imm = 8}, {.imm = 8 + 4 * dwords, .is_masked = is_masked}}, parts);
    }
  }
  // One after the store, which may be to where both loads are from.
  ExpectShifted({{.imm = 0}, {.imm = 4}, {.imm = 4, .is_store = true}}, 3);
}

TEST(ContiguousAccesses, NeighboursThatDoNot) {
  ExpectShifted({{.imm = 0, .is_masked = true}, {.imm = 4}}, 0);
  ExpectShifted({{.imm = 0}, {.imm = 4, .is_store = true}, {.imm = 8}}, 0);
  ExpectShifted({{.imm = 0}, {.imm = 4, .is_store = true, .is_masked = true}, {.imm = 8}}, 0);
  ExpectShifted({{.imm = 0, .is_store = true}, {.imm = 4}, {.imm = 8}}, 0);
  ExpectShifted({{.imm = 0}, {.imm = 2}, {.imm = 5}}, 0);
  ExpectShifted({{.imm = 0, .bytes = 2}, {.imm = 4, .bytes = 2}}, 0);
  ExpectShifted({{.base = 0, .imm = 0}, {.base = 2, .imm = 4}}, 0);
}

}  // namespace
}  // namespace gcnjit::backend::contiguous_tests
