// Where lifted code orders memory: loads that go past the first-level cache, and invalidations of
// it, wait for earlier stores. Words as llvm-mc encodes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontend/flow/cfg.h"
#include "frontend/flow/liveness.h"
#include "frontend/lift/lift_region.h"
#include "ir/passes.h"

namespace gcnjit::lift_tests {
namespace {

using frontend::Generation;
using ir::Op;

struct FenceCase {
  const char* name;
  Generation generation;
  std::vector<uint32_t> words;
  bool fence;
};

const FenceCase kCases[] = {
    {"global_load_glc", Generation::kGfx900, {0xDC518000, 0x017F0002}, true},
    {"global_load", Generation::kGfx900, {0xDC508000, 0x017F0002}, false},
    {"flat_load_glc", Generation::kGfx900, {0xDC510000, 0x01000002}, true},
    {"flat_load_glc_gfx7", Generation::kGfx7, {0xDC310000, 0x01000002}, true},
    {"buffer_load_glc", Generation::kGfx900, {0xE0505000, 0x80010102}, true},
    {"buffer_load", Generation::kGfx900, {0xE0501000, 0x80010102}, false},
    {"buffer_load_glc_gfx6", Generation::kGfx6, {0xE030C000, 0x80010102}, true},
    {"s_load_glc", Generation::kGfx900, {0xC0030001, 0x00000000}, true},
    {"s_load", Generation::kGfx900, {0xC0020001, 0x00000000}, false},
    {"buffer_wbinvl1_vol", Generation::kGfx900, {0xE0FC0000, 0x00000000}, true},
    {"buffer_wbinvl1_vol_gfx7", Generation::kGfx7, {0xE1C00000, 0x00000000}, true},
    {"buffer_wbinvl1", Generation::kGfx900, {0xE0F80000, 0x00000000}, true},
    {"buffer_wbinvl1_gfx6", Generation::kGfx6, {0xE1C40000, 0x00000000}, true},
    {"s_dcache_inv", Generation::kGfx900, {0xC0800000, 0x00000000}, true},
    {"s_dcache_wb", Generation::kGfx900, {0xC0840000, 0x00000000}, false},
    {"s_waitcnt", Generation::kGfx900, {0xBF8C0F70}, false},
};

class LiftFence : public testing::TestWithParam<FenceCase> {};
INSTANTIATE_TEST_SUITE_P(All, LiftFence, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(LiftFence, IsBeforeTheLoad) {
  constexpr uint64_t kBegin = 0x1000;
  std::vector<uint32_t> words = GetParam().words;
  words.push_back(0xBF810000);  // s_endpgm
  const auto graph = frontend::BuildCfg(
      GetParam().generation,
      [&](uint64_t pc) -> std::span<const uint32_t> {
        const uint64_t at = (pc - kBegin) / 4;
        return at < words.size() ? std::span(words).subspan(at) : std::span<const uint32_t>();
      },
      kBegin, 10);
  frontend::LiveAtEnd at_end;
  at_end.live = frontend::RegisterSet::All();
  const frontend::Liveness liveness(graph, GetParam().generation, at_end);
  frontend::LiftStatistics statistics;
  ir::Function function =
      frontend::LiftRegion(graph, liveness, {GetParam().generation, 0xF0, 256}, &statistics);
  ASSERT_TRUE(statistics.interpreted.empty()) << statistics.interpreted.begin()->second.reason;
  ir::Optimise(function);
  std::vector<Op> ops;
  for (const ir::Value v : function.blocks.at(0).insts) ops.push_back(function[v].op);
  const auto fence = std::ranges::find(ops, Op::kFence);
  ASSERT_EQ(fence != ops.end(), GetParam().fence);
  const auto load =
      std::ranges::find_if(ops, [](Op op) { return op == Op::kLoad || op == Op::kLoadScalar; });
  EXPECT_TRUE(!GetParam().fence || fence <= load);
}

}  // namespace
}  // namespace gcnjit::lift_tests
