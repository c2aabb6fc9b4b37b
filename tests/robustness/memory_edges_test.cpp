// Waves whose elements reach to the last byte of an allocation: what compiled code reads beside an
// element, to be quick, must be accessible. After an allocation nothing is. Every kind and size of
// load, with consecutive elements, in every engine, against the memory itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "gcnjit/device.h"
#include "robustness/frame.h"

namespace gcnjit::robustness {
namespace {

using frontend::Generation;
using Lines = std::vector<std::string>;

constexpr uint32_t kEdgeItems = 4096;  // so that elements of any size fill whole pages

struct Load {
  std::string text;  // {} is where loaded registers stand
  uint32_t bytes;
  uint32_t dwords() const { return (bytes + 3) / 4; }
};

std::vector<Load> LoadsOf(Generation g) {
  std::vector<Load> loads;
  const auto add = [&](const char* unit, const char* address) {
    for (const auto& [name, bytes] : {std::pair{"ubyte", 1u},
                                      {"ushort", 2u},
                                      {"dword", 4u},
                                      {"dwordx2", 8u},
                                      {"dwordx3", 12u},
                                      {"dwordx4", 16u}}) {
      loads.push_back({fmt::format("{}_load_{} {{}}, {}", unit, name, address), bytes});
    }
  };
  add("buffer", "v4, s[20:23], 0 offen");
  add("flat", "v[2:3]");
  if (frontend::IsGfx9(g)) add("global", "v[2:3], off");
  return loads;
}

// FrameArguments, in s[16:31].
struct EdgeArguments {
  uint64_t from = 0;  // s[16:17]
  uint64_t unused = 0;
  uint64_t from_resource = 0;  // s[20:23]
  uint32_t from_records = 0;
  uint32_t from_word3 = 0x00027FAC;
  uint64_t more[2] = {};
  uint64_t out = 0;  // s[28:31]: resource
  uint32_t out_records = kEdgeItems * 4;
  uint32_t out_word3 = 0x00027FAC;
};
static_assert(sizeof(EdgeArguments) == sizeof(FrameArguments));

// Stores a sum of each element's dwords.
Lines EdgeProgramOf(Generation g, const Load& load) {
  constexpr uint32_t kLoaded = 20;
  const bool is_gfx9 = frontend::IsGfx9(g);
  const std::string add = is_gfx9                  ? "v_add_co_u32_e32"
                          : g == Generation::kGfx7 ? "v_add_i32_e32"
                                                   : "v_add_u32_e32";
  const std::string add_carry = is_gfx9 ? "v_addc_co_u32_e32" : "v_addc_u32_e32";
  const std::string to = load.dwords() == 1
                             ? fmt::format("v{}", kLoaded)
                             : fmt::format("v[{}:{}]", kLoaded, kLoaded + load.dwords() - 1);
  Lines lines = {"s_load_dwordx16 s[16:31], s[6:7], 0x0",
                 "s_waitcnt lgkmcnt(0)",
                 "s_lshl_b32 s40, s10, 6",
                 AddLine(g, "v0", "s40", "v0"),
                 fmt::format("v_mul_lo_u32 v4, v0, {}", load.bytes),
                 "v_mov_b32_e32 v3, s17",
                 fmt::format("{} v2, vcc, s16, v4", add),
                 fmt::format("{} v3, vcc, 0, v3, vcc", add_carry),
                 fmt::format(fmt::runtime(load.text), to),
                 "s_waitcnt vmcnt(0) lgkmcnt(0)"};
  for (uint32_t n = 1; n < load.dwords(); ++n) {
    lines.push_back(fmt::format("v_mul_lo_u32 v{0}, v{0}, {1}", kLoaded + n, 2 * n + 1));
    lines.push_back(AddLine(g, "v20", "v20", fmt::format("v{}", kLoaded + n)));
  }
  lines.emplace_back("v_lshlrev_b32_e32 v0, 2, v0");
  lines.emplace_back("buffer_store_dword v20, v0, s[28:31], 0 offen");
  lines.emplace_back("s_endpgm");
  return lines;
}

std::vector<uint32_t> Expected(const Load& load, const std::vector<std::byte>& from) {
  std::vector<uint32_t> sums(kEdgeItems);
  for (uint32_t item = 0; item < kEdgeItems; ++item) {
    uint32_t element[4] = {};
    std::memcpy(element, &from[size_t{item} * load.bytes], load.bytes);
    for (uint32_t n = 0; n < load.dwords(); ++n)
      sums[item] += element[n] * (n == 0 ? 1 : 2 * n + 1);
  }
  return sums;
}

class MemoryEdgesTest : public testing::TestWithParam<Generation> {};

TEST_P(MemoryEdgesTest, LoadsReachToTheLastByte) {
  for (const Load& load : LoadsOf(GetParam())) {
    Device device = *Device::Create();
    std::vector<std::byte> from(size_t{kEdgeItems} * load.bytes);
    for (size_t n = 0; n < from.size(); ++n) from[n] = std::byte(n * 2654435761u >> 24);
    EdgeArguments arguments;
    arguments.from = *device.Allocate(from.size());
    arguments.from_resource = arguments.from;
    arguments.from_records = static_cast<uint32_t>(from.size());
    arguments.out = *device.Allocate(kEdgeItems * 4);
    std::memcpy(device.Data(arguments.from, from.size()).data(), from.data(), from.size());
    const std::vector<uint32_t> expected = Expected(load, from);
    const auto file =
        FrameFile(GetParam(), AssembleProgram(GetParam(), EdgeProgramOf(GetParam(), load)));
    for (const std::string& engine : Engines()) {
      SCOPED_TRACE(fmt::format("{} on {}", load.text, engine));
      const auto program = Program::Load(device, file);
      ASSERT_TRUE(program) << program.error().message;
      const auto out = device.Data(arguments.out, kEdgeItems * 4);
      std::memset(out.data(), 0xCD, out.size());
      LaunchConfig config;
      config.global.x = kEdgeItems;
      config.local.x = 64;
      config.threads = 1;
      UseEngine(engine, config);
      const auto result = Launch(device, *program, "frame", config,
                                 Arguments().Value(std::bit_cast<FrameArguments>(arguments)));
      ASSERT_TRUE(result) << result.error().message;
      ASSERT_EQ(static_cast<int>(result->status), static_cast<int>(LaunchStatus::kDone))
          << (result->fault ? result->fault->Describe() : "");
      std::vector<uint32_t> got(kEdgeItems);
      std::memcpy(got.data(), out.data(), out.size());
      EXPECT_EQ(got, expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Generations, MemoryEdgesTest,
                         testing::Values(Generation::kGfx7, Generation::kGfx8,
                                         Generation::kGfx900));

}  // namespace
}  // namespace gcnjit::robustness
