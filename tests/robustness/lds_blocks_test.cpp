// A work-group's LDS reaches to the end of the last block that the hardware allocates: 64 dwords on
// gfx6, 128 dwords from gfx7 on (sources: runtime/state/lds_size.h). Up to there is memory, which
// starts with zeros in each group; beyond, DS loads give 0 and nothing is stored, flat accesses
// fault. Sizes around the blocks' ends, static and dynamic together, by every kind of access, in
// every engine, against a model of a few lines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

constexpr uint32_t kLdsItems = 128;
constexpr uint32_t kLdsGroups = 3;
// Of a work-item: what it loaded before it stored, and afterwards.
constexpr uint32_t kDwords = 4;
constexpr uint32_t kOutBytes = kLdsGroups * kLdsItems * 2 * kDwords * 4;
constexpr uint64_t kApertureOfLds = uint64_t{0x00010000} << 32;

enum class Way : uint8_t { kShare, kShareAtomic, kFlat, kFlatAtomic, kTransfer };

// A store and a load of the same bytes. {} is where loaded registers stand.
struct Kind {
  const char* name;
  Way way;
  uint32_t bytes;       // of an element
  uint32_t second = 0;  // bytes between two elements; 0: there is one
  Lines store;          // of v[4:7]; atomics load as well
  std::string load;
  Generation since = Generation::kGfx6;

  bool is_flat() const { return way == Way::kFlat || way == Way::kFlatAtomic; }
  bool is_atomic() const { return way == Way::kShareAtomic || way == Way::kFlatAtomic; }
  uint32_t dwords() const { return (bytes + 3) / 4 * (second != 0 ? 2 : 1); }
  uint32_t stride() const { return std::bit_ceil(second + bytes); }
};

const std::vector<Kind>& Kinds() {
  constexpr Generation g7 = Generation::kGfx7;
  static const std::vector<Kind> kinds = {
      {"b8", Way::kShare, 1, 0, {"ds_write_b8 v13, v4"}, "ds_read_u8 {}, v13"},
      {"b16", Way::kShare, 2, 0, {"ds_write_b16 v13, v4"}, "ds_read_u16 {}, v13"},
      {"b32", Way::kShare, 4, 0, {"ds_write_b32 v13, v4"}, "ds_read_b32 {}, v13"},
      {"b64", Way::kShare, 8, 0, {"ds_write_b64 v13, v[4:5]"}, "ds_read_b64 {}, v13"},
      {"b96", Way::kShare, 12, 0, {"ds_write_b96 v13, v[4:6]"}, "ds_read_b96 {}, v13", g7},
      {"b128", Way::kShare, 16, 0, {"ds_write_b128 v13, v[4:7]"}, "ds_read_b128 {}, v13", g7},
      {"2_b32",
       Way::kShare,
       4,
       12,
       {"ds_write2_b32 v13, v4, v5 offset1:3"},
       "ds_read2_b32 {}, v13 offset1:3"},
      {"2_b64",
       Way::kShare,
       8,
       8,
       {"ds_write2_b64 v13, v[4:5], v[6:7] offset1:1"},
       "ds_read2_b64 {}, v13 offset1:1"},
      {"add_rtn_u32",
       Way::kShareAtomic,
       4,
       0,
       {"ds_add_rtn_u32 {}, v13, v4"},
       "ds_read_b32 {}, v13"},
      {"or_rtn_b64",
       Way::kShareAtomic,
       8,
       0,
       {"ds_or_rtn_b64 {}, v13, v[4:5]"},
       "ds_read_b64 {}, v13"},
      {"flat_byte",
       Way::kFlat,
       1,
       0,
       {"flat_store_byte v[2:3], v4"},
       "flat_load_ubyte {}, v[2:3]",
       g7},
      {"flat_dword",
       Way::kFlat,
       4,
       0,
       {"flat_store_dword v[2:3], v4"},
       "flat_load_dword {}, v[2:3]",
       g7},
      {"flat_dwordx4",
       Way::kFlat,
       16,
       0,
       {"flat_store_dwordx4 v[2:3], v[4:7]"},
       "flat_load_dwordx4 {}, v[2:3]",
       g7},
      {"flat_atomic_add",
       Way::kFlatAtomic,
       4,
       0,
       {"flat_atomic_add {}, v[2:3], v4 glc"},
       "flat_load_dword {}, v[2:3]",
       g7},
      // Each lane's dword from memory, to M0 + 4 * lane.
      {"buffer_load lds",
       Way::kTransfer,
       4,
       0,
       {"v_readfirstlane_b32 s41, v13", "s_mov_b32 m0, s41",
        "buffer_load_dword v20, s[28:31], 0 offen lds", "s_waitcnt vmcnt(0)", "s_mov_b32 m0, s18"},
       "ds_read_b32 {}, v13"},
  };
  return kinds;
}

// FrameArguments, in s[16:31].
struct BlockArguments {
  uint32_t base = 0;  // s16: the first work-item's address
  uint32_t unused = 0;
  uint32_t m0 = 0;            // s18
  uint32_t end = 0xFFFFFFFF;  // s19: flat accesses are made only below that address
  uint64_t more[4] = {};
  uint64_t out = 0;  // s[28:31]: resource
  uint32_t out_records = kOutBytes;
  uint32_t out_word3 = 0x00027FAC;
};
static_assert(sizeof(BlockArguments) == sizeof(FrameArguments));

std::string Registers(uint32_t first, uint32_t count) {
  return count == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + count - 1);
}

// `base`: as known when the code is compiled; otherwise s16 is.
Lines LdsProgramOf(Generation g, const Kind& kind, const std::string& base) {
  constexpr const char* kWait = "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)";
  Lines lines = {"s_load_dwordx16 s[16:31], s[6:7], 0x0",
                 kWait,
                 "s_mov_b32 m0, s18",
                 "s_lshl_b32 s40, s10, 7",
                 "v_or_b32_e32 v20, s40, v0",
                 "v_lshlrev_b32_e32 v20, 5, v20",
                 AddLine(g, "v4", "1", "v0"),
                 "v_or_b32_e32 v5, 0x10000, v4",
                 "v_or_b32_e32 v6, 0x20000, v4",
                 "v_or_b32_e32 v7, 0x30000, v4",
                 fmt::format("v_mov_b32_e32 v14, {}", base),
                 fmt::format("v_lshlrev_b32_e32 v13, {}, v0", std::countr_zero(kind.stride())),
                 AddLine(g, "v13", "v14", "v13"),
                 "v_mov_b32_e32 v2, v13",
                 "v_mov_b32_e32 v3, 0x10000"};
  for (int n = 0; n < 8; ++n)
    lines.push_back(fmt::format("v_mov_b32_e32 v{}, 0", n < 4 ? 8 + n : 22 + n - 4));
  if (kind.is_flat()) {
    lines.emplace_back("v_cmp_gt_u32_e32 vcc, s19, v13");
    lines.emplace_back("s_and_b64 exec, exec, vcc");
  }
  const auto add = [&](const std::string& text, uint32_t to) {
    lines.push_back(fmt::format(fmt::runtime(text), Registers(to, kind.dwords())));
  };
  if (!kind.is_atomic()) add(kind.load, 22);
  lines.emplace_back(kWait);
  lines.emplace_back("s_barrier");
  for (const std::string& line : kind.store) add(line, 22);
  lines.emplace_back(kWait);
  lines.emplace_back("s_barrier");
  add(kind.load, 8);
  lines.emplace_back(kWait);
  lines.emplace_back("s_mov_b64 exec, -1");
  // Dwords: with an instruction that is interpreted there would be no code for the group as a
  // whole.
  for (uint32_t n = 0; n < 2 * kDwords; ++n) {
    lines.push_back(fmt::format("buffer_store_dword v{}, v20, s[28:31], 0 offen offset:{}",
                                n < kDwords ? 22 + n : 8 + n - kDwords, 4 * n));
  }
  lines.emplace_back("s_endpgm");
  return lines;
}

// Fills all LDS that there is, so that the host's memory beyond a smaller group's is not 0.
Lines FillingProgram(uint32_t bytes) {
  Lines lines = {"s_mov_b32 m0, -1", "v_lshlrev_b32_e32 v13, 3, v0", "v_mov_b32_e32 v4, 0x5a5a5a5a",
                 "v_mov_b32_e32 v5, v4"};
  for (uint32_t at = 0; at < bytes; at += kLdsItems * 8) {
    lines.push_back(fmt::format("ds_write_b64 v13, v[4:5] offset:{}", at));
  }
  lines.emplace_back("s_endpgm");
  return lines;
}

uint32_t BlockOf(Generation g) { return g == Generation::kGfx6 ? 256 : 512; }

// One run, and what is right.
struct Situation {
  Generation g;
  const Kind& kind;
  uint32_t bytes;  // that the launch asks for
  BlockArguments arguments;

  uint32_t allocated() const { return (bytes + BlockOf(g) - 1) / BlockOf(g) * BlockOf(g); }
  uint32_t limit(bool is_transfer) const {
    const bool by_m0 = !frontend::IsGfx9(g) && !kind.is_flat() && !is_transfer;
    return by_m0 ? std::min(allocated(), arguments.m0) : allocated();
  }
  // The address bits that count.
  uint32_t mask() const {
    if (frontend::IsGfx9(g)) return ~0u;
    return ~(std::bit_ceil(kind.is_flat() ? std::min(kind.bytes, 4u) : kind.bytes) - 1);
  }

  std::vector<uint32_t> Expected() const {
    std::vector<std::byte> lds(allocated());
    std::vector<uint32_t> out(kLdsItems * 2 * kDwords);
    const bool is_transfer = kind.way == Way::kTransfer;
    const auto for_each = [&](uint32_t most, bool transfers, auto f) {
      for (uint32_t item = 0; item < kLdsItems; ++item) {
        const uint32_t address = arguments.base + item * kind.stride();
        if (kind.is_flat() && address >= arguments.end) continue;
        if (transfers) {
          // M0[15:0] has the address of the wave's first lane.
          const uint32_t first = (arguments.base + item / 64 * 256) & 0xFFFF;
          const uint32_t at = first + item % 64 * 4;
          if (at + 4 <= most) f(item, 0u, lds.data() + at);
          continue;
        }
        for (uint32_t element = 0; element < (kind.second != 0 ? 2 : 1); ++element) {
          const uint32_t at = (address + element * kind.second) & mask();
          if (at + kind.bytes <= most) f(item, element, lds.data() + at);
        }
      }
    };
    for_each(limit(is_transfer), is_transfer, [&](uint32_t item, uint32_t element, std::byte* at) {
      const uint32_t data[] = {item + 1, (item + 1) | 0x10000, (item + 1) | 0x20000,
                               (item + 1) | 0x30000};
      std::memcpy(at, data + element * ((kind.bytes + 3) / 4), kind.bytes);
    });
    for_each(limit(false), false, [&](uint32_t item, uint32_t element, const std::byte* at) {
      uint32_t* to = &out[item * 2 * kDwords + kDwords + element * ((kind.bytes + 3) / 4)];
      std::memcpy(to, at, kind.bytes);
    });
    return out;
  }
};

class LdsBlocksTest : public testing::TestWithParam<Generation> {
 protected:
  void SetUp() override { out_ = *device_.Allocate(kOutBytes); }

  Result<LaunchResult> Run(const Program& program, const std::string& engine,
                           const Situation& situation, uint32_t dynamic) {
    std::vector<uint32_t> before(kOutBytes / 4);
    for (uint32_t item = 0; item < kLdsGroups * kLdsItems; ++item) {
      before[item * 2 * kDwords] = item % kLdsItems + 1;  // what buffer_load lds loads
    }
    std::memcpy(device_.Data(out_, kOutBytes).data(), before.data(), kOutBytes);
    LaunchConfig config;
    config.global.x = kLdsGroups * kLdsItems;
    config.local.x = kLdsItems;
    config.threads = 1;
    UseEngine(engine, config);
    BlockArguments arguments = situation.arguments;
    arguments.out = out_;
    Arguments all;
    all.Value(std::bit_cast<FrameArguments>(arguments));
    if (dynamic != 0) all.Local(dynamic);
    return Launch(device_, program, "frame", config, all);
  }

  void ExpectRight(const Program& program, const std::string& engine, const Situation& situation,
                   uint32_t dynamic) {
    const auto result = Run(program, engine, situation, dynamic);
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(static_cast<int>(result->status), static_cast<int>(LaunchStatus::kDone))
        << (result->fault ? result->fault->Describe() : "");
    const std::vector<uint32_t> expected = situation.Expected();
    std::vector<uint32_t> got(kOutBytes / 4);
    std::memcpy(got.data(), device_.Data(out_, kOutBytes).data(), kOutBytes);
    for (size_t n = 0; n < got.size(); ++n) {
      const size_t item = n / (2 * kDwords) % kLdsItems;
      ASSERT_EQ(got[n], expected[n % expected.size()])
          << "group " << n / expected.size() << ", work-item " << item << ", LDS address "
          << situation.arguments.base + item * situation.kind.stride() << ", dword " << n % kDwords
          << (n / kDwords % 2 == 0 ? " before" : " after") << " the store";
    }
  }

  // One lane too many of a flat access.
  void ExpectFault(const Program& program, const std::string& engine, Situation situation,
                   uint32_t dynamic) {
    const Kind& kind = situation.kind;
    situation.arguments.end += kind.stride();
    const auto result = Run(program, engine, situation, dynamic);
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_TRUE(result->fault);
    EXPECT_EQ(result->fault->kind,
              kind.is_atomic() ? FaultKind::kMemoryWrite : FaultKind::kMemoryRead);
    uint32_t address = situation.arguments.base;
    while (address + kind.bytes <= situation.allocated()) address += kind.stride();
    EXPECT_EQ(result->fault->address, kApertureOfLds + address);
  }

  Device device_ = *Device::Create();
  uint64_t out_ = 0;
};

TEST_P(LdsBlocksTest, ReachToTheEndOfTheLastBlock) {
  const Generation g = GetParam();
  const uint32_t most = g == Generation::kGfx6 ? 32 * 1024 : 64 * 1024;
  const std::vector<uint32_t> sizes = {1,   252, 256,  257,  260,        508,      512,
                                       513, 764, 1020, 4004, most - 511, most - 3, most};
  struct Cell {
    Situation situation;
    bool is_known;  // the address, by the compiler
    size_t first_line;
  };
  std::vector<Cell> cells;
  Lines lines;
  for (const Kind& kind : Kinds()) {
    if (g < kind.since) continue;
    for (const uint32_t bytes : sizes) {
      Situation situation{g, kind, bytes, {}};
      const uint32_t end = situation.allocated();
      if (kind.is_flat()) situation.arguments.end = end - kind.bytes + 1;
      for (const bool is_known : {false, true}) {
        // The end is between the two waves; or before the last lane, which alone is too much for
        // what compiled code knows to lie within LDS.
        const uint32_t before = (is_known ? kLdsItems - 1 : kLdsItems / 2) * kind.stride();
        situation.arguments.base = std::max(end, before) - before;
        cells.push_back({situation, is_known, lines.size()});
        const std::string base =
            is_known ? fmt::format("{:#x}", situation.arguments.base) : std::string("s16");
        for (std::string& line : LdsProgramOf(g, kind, base)) lines.push_back(std::move(line));
      }
    }
  }
  const std::vector<std::vector<uint32_t>> words = Assemble(g, lines);
  std::vector<std::byte> filling_file = FrameFile(g, AssembleProgram(g, FillingProgram(most)));
  ChangeFrame(filling_file, most, /*has_scratch=*/false);
  const auto filling = Program::Load(device_, filling_file);
  ASSERT_TRUE(filling) << filling.error().message;
  size_t launches = 0;
  for (const Cell& cell : cells) {
    std::vector<uint32_t> code;
    for (size_t n = cell.first_line; code.empty() || lines[n - 1] != "s_endpgm"; ++n) {
      code.insert(code.end(), words[n].begin(), words[n].end());
    }
    const uint32_t dynamic = cell.is_known ? 0 : cell.situation.bytes / 3;
    std::vector<std::byte> file = FrameFile(g, code);
    ChangeFrame(file, cell.situation.bytes - dynamic, /*has_scratch=*/false);
    for (const std::string& engine : Engines()) {
      const auto program = Program::Load(device_, file);
      ASSERT_TRUE(program) << program.error().message;
      SCOPED_TRACE(fmt::format("{}, {} bytes, {} of them dynamic, {}", cell.situation.kind.name,
                               cell.situation.bytes, dynamic, engine));
      const auto filled = Run(*filling, "interp", cell.situation, 0);
      ASSERT_TRUE(filled) << filled.error().message;
      ASSERT_EQ(static_cast<int>(filled->status), static_cast<int>(LaunchStatus::kDone));
      // M0 limits DS instructions before gfx9, and does not matter on gfx9.
      for (const uint32_t m0 : {0xFFFFFFFFu, cell.situation.bytes}) {
        Situation situation = cell.situation;
        situation.arguments.m0 = m0;
        ExpectRight(*program, engine, situation, dynamic);
        if (HasFatalFailure()) return;
        ++launches;
        // Across the end, where addresses need not be aligned.
        if (cell.is_known || situation.kind.way != Way::kShare || situation.kind.bytes == 1)
          continue;
        situation.arguments.base += situation.kind.bytes / 2;
        ExpectRight(*program, engine, situation, dynamic);
        if (HasFatalFailure()) return;
        ++launches;
      }
      if (!cell.situation.kind.is_flat()) continue;
      ExpectFault(*program, engine, cell.situation, dynamic);
      if (HasFailure()) return;
      ++launches;
    }
  }
  RecordProperty("launches", static_cast<int>(launches));
}

// Blocks are larger from gfx7 on; gfx9's instructions are those of gfx8 and more.
INSTANTIATE_TEST_SUITE_P(Generations, LdsBlocksTest,
                         testing::Values(Generation::kGfx6, Generation::kGfx7, Generation::kGfx90a),
                         [](const auto& info) { return frontend::TargetName(info.param); });

}  // namespace
}  // namespace gcnjit::robustness
