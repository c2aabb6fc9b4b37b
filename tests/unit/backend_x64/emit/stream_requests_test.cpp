// Streams of contiguous accesses: when memory is asked for, and how far ahead.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/backend_x64/emit/contiguous_accesses.h"

namespace gcnjit::backend::contiguous_tests {
namespace {

// The registers of the addresses that are asked for in one slice, in order, by the number of their
// first appearance; "0101" for two streams by turns.
std::string AskedByTurns(const std::vector<Access>& accesses, HostIsa isa, const Tuning& tuning) {
  CompileOptions options;
  options.tuning = &tuning;
  const CompiledBlock block(FunctionOfAccesses(accesses), isa, {}, /*listing=*/true, {},
                            /*has_full_exec=*/true, options);
  const std::string inline_code = block.listing().substr(0, block.listing().find("\nout of line"));
  std::vector<std::string> registers;
  std::string order;
  for (size_t at = 0; (at = inline_code.find("prefetch", at)) != std::string::npos; ++at) {
    const size_t begin = inline_code.find('[', at) + 1;
    const std::string name =
        inline_code.substr(begin, inline_code.find_first_of("+]", begin) - begin);
    const auto found = std::find(registers.begin(), registers.end(), name);
    order += std::to_string(found - registers.begin());
    if (found == registers.end()) registers.push_back(name);
  }
  return order;
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int n = 0; n < times; ++n) all += text;
  return all;
}

TEST(ContiguousAccesses, StreamsAreAskedForByTurns) {
  const std::vector<Access> two = {
      {.imm = 0}, {.base = 2}, {.imm = 0, .is_store = true}, {.base = 2, .is_store = true}};
  const std::vector<Access> one = {{.imm = 0}, {.imm = 0, .is_store = true}};
  // The second stream has one access only.
  const std::vector<Access> single = {{.imm = 0}, {.base = 2}, {.imm = 0, .is_store = true}};
  for (const HostIsa isa : HostIsas()) {
    const int lines = isa == HostIsa::kAvx512 ? 4 : 2;  // of a slice
    for (const Tuning& tuning : Tunings()) {
      SCOPED_TRACE(tuning.name);
      for (const auto& accesses : {two, single}) {
        EXPECT_EQ(AskedByTurns(accesses, isa, tuning),
                  Repeated(tuning.is_second_level ? "00" : "01", lines));
      }
      EXPECT_EQ(AskedByTurns(one, isa, tuning), Repeated("0", lines)) << "a single stream";
    }
  }
  for (const auto& accesses : {two, one, single}) {
    for (const uint32_t step : {1u, 2u}) {
      Check(accesses, {MachineOf(kMiddleOfPages, 7, step, ~uint64_t{0})});
    }
  }
}

// How far ahead of a load the first request is, and on which side of it.
void ExpectRequestsOf(const Tuning& tuning, HostIsa isa, const std::vector<Access>& accesses,
                      bool is_few, bool is_single) {
  CompileOptions options;
  options.tuning = &tuning;
  const CompiledBlock block(FunctionOfAccesses(accesses), isa, {}, /*listing=*/true, {},
                            /*has_full_exec=*/true, options);
  const bool is_after = is_few && tuning.bytes_ahead_of_few != 0;
  const std::string& listing = block.listing();
  const size_t request = listing.find("prefetch");
  ASSERT_NE(request, std::string::npos);
  const size_t offset = listing.find("+0x", request);
  const bool is_wave = listing.find("1 slice of 64") < request;
  EXPECT_EQ(std::stoi(listing.substr(offset + 1), nullptr, 16),
            (is_after ? tuning.bytes_ahead_of_few : tuning.bytes_ahead) *
                (is_wave ? 1 : tuning.times_for_parts));
  const bool has_turn = !tuning.is_second_level && !is_single;
  EXPECT_EQ(listing.find("for later waves") < request, is_after || has_turn) << listing;
}

TEST(ContiguousAccesses, FewStreamsAreAskedForAfterTheirLoads) {
  const std::vector<Access> one = {{.imm = 0}};
  const std::vector<Access> two = {{.imm = 0}, {.base = 2}, {.base = 2, .is_store = true}};
  const std::vector<Access> three = {{.imm = 0}, {.base = 2}, {.index = 1, .is_store = true}};
  for (const HostIsa isa : HostIsas()) {
    for (const Tuning& tuning : Tunings()) {
      SCOPED_TRACE(tuning.name);
      ExpectRequestsOf(tuning, isa, one, /*is_few=*/true, /*is_single=*/true);
      ExpectRequestsOf(tuning, isa, two, /*is_few=*/true, /*is_single=*/false);
      ExpectRequestsOf(tuning, isa, three, /*is_few=*/false, /*is_single=*/false);
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend::contiguous_tests
