// Blocks of IR, and waves that start in them, for tests of group code.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/parser.h"
#include "ir/verifier.h"
#include "workgroup/specialise.h"

namespace gcnjit::workgroup {

// Waves whose v0 counts on from wave to wave.
inline GroupStart Waves(uint32_t count) {
  GroupStart start;
  start.lds_bytes = 64;
  for (uint32_t wave = 0; wave < count; ++wave) {
    LaneValues ids;
    for (uint32_t lane = 0; lane < ids.size(); ++lane) ids[lane] = wave * 64 + lane;
    start.waves.push_back({~uint64_t{0}, {{0, ids}}});
  }
  return start;
}

inline ir::Function Parse(const std::string& text) {
  ir::ParseResult parsed = ir::Parse(text);
  if (parsed.error) ADD_FAILURE() << parsed.error->line << ": " << parsed.error->message;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{});
  return std::move(parsed.function);
}

// Values have numbers of their own in each block.
inline std::string Block(int begin, const std::string& lines) {
  const std::string pc = std::to_string(begin);
  std::string numbered;
  for (const char c : lines) {
    numbered += c;
    if (c == '%') numbered += std::to_string(begin + 1) + "0";
  }
  return "block " + pc + " instructions=" + std::to_string(begin / 16 + 1) + "\nguest 0 " + pc +
         "\n" + numbered;
}

inline constexpr const char* kStore =
    "%90 = get_sgpr.u32 s0\nstore %90, %90, 0xffffffffffffffff:u64, %90 {bytes=4}\n";

// if (v0 < limit) goes to `yes`, else to `no`.
inline std::string IfBelow(int limit, int yes, int no) {
  return "%1 = get_vgpr.v32 v0\n%2 = lt_u.u64 %1, " + std::to_string(limit) +
         "\n%3 = get_sgpr64.u64 s126\n%4 = and.u64 %2, %3\nset_sgpr64 s20, %3\nset_sgpr64 s126, "
         "%4\n"
         "%5 = ne.u1 %4, 0:u64\nbranch %5, " +
         std::to_string(yes) + ", " + std::to_string(no) + "\n";
}
inline constexpr const char* kRestore = "%80 = get_sgpr64.u64 s20\nset_sgpr64 s126, %80\n";

inline size_t CountIn(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
  return found;
}

}  // namespace gcnjit::workgroup
