// Translated regions in the cache: found again by another program object whose code lies elsewhere,
// and only for what they were made for. The program is gfx900 code, as llvm-mc encodes it.
#include "runtime/jit/region_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcnjit/device.h"
#include "runtime/disk_cache/build_id.h"
#include "runtime/disk_cache/hash.h"
#include "runtime/jit/code_epoch.h"
#include "runtime/jit/jit_runner.h"
#include "runtime/jit/region_image.h"
#include "runtime/jit/region_key.h"
#include "runtime/jit/translate_region.h"

namespace gcnjit::runtime {
namespace {

namespace fs = std::filesystem;

// clang-format off
// Leaves its own address in s[6:7], that of the table after it plus s0 in s[8:9], what s[4:5]
// points at plus the lane in v1, and stores that.
constexpr uint32_t kProgram[] = {
    0xBE861C00,              // s_getpc_b64 s[6:7]
    0x8008FF06, 0x00001000,  // s_add_u32 s8, s6, 0x1000
    0x82098007,              // s_addc_u32 s9, s7, 0
    0xC0020082, 0x00000000,  // s_load_dword s2, s[4:5], 0x0
    0xBF8CC07F,              // s_waitcnt lgkmcnt(0)
    0x68020002,              // v_add_u32_e32 v1, s2, v0
    0x24040082,              // v_lshlrev_b32_e32 v2, 2, v0
    0xDC708004, 0x00040102,  // global_store_dword v2, v1, s[4:5] offset:4
    0x800AA406,              // s_add_u32 s10, s6, 36
    0x820B8007,              // s_addc_u32 s11, s7, 0
    0xBF810000,              // s_endpgm
};
// clang-format on
constexpr uint32_t kMode = 0xF0;
constexpr frontend::VgprCounts kVgprs = {8, 0};
constexpr uint64_t kCodeBytes = 4096;

std::vector<backend::HostIsa> HostIsas() {
  std::vector<backend::HostIsa> isas;
  for (const auto isa : {backend::HostIsa::kAvx2, backend::HostIsa::kAvx512}) {
    if (backend::HostHas(isa)) isas.push_back(isa);
  }
  return isas;
}

// The program in memory of its own, with the JIT's view of it.
struct Loaded {
  explicit Loaded(backend::HostIsa isa, const std::shared_ptr<CacheFolder>& cache = nullptr,
                  uint64_t before = 4096)
      : options{isa, /*exact_state=*/true, {}} {
    (void)*memory->Allocate(before, "what moves the rest");
    base = *memory->Allocate(kCodeBytes, "code");
    data = *memory->Allocate(4096, "data");
    std::memcpy(reinterpret_cast<void*>(base), kProgram, sizeof kProgram);
    *reinterpret_cast<uint32_t*>(data) = 1000;
    map.emplace(frontend::Generation::kGfx900,
                std::vector<std::pair<uint64_t, uint64_t>>{{base, base + kCodeBytes}});
    jit.emplace(*map, options);
    jit->SetCache(cache);
  }
  std::unique_ptr<WaveState> Run(uint32_t mode = kMode, frontend::VgprCounts vgprs = kVgprs) {
    auto state = std::make_unique<WaveState>();
    state->pc = base;
    state->mode = mode;
    state->vgpr_count = vgprs.vgprs;
    state->SetPair(4, data);
    state->SetPair(frontend::kCodeExecLo, ~uint64_t{0});
    for (uint32_t lane = 0; lane < kLanes; ++lane) state->vgpr[0][lane] = lane;
    std::atomic<bool> stop = false;
    DispatchState dispatch;
    dispatch.memory = memory.get();
    dispatch.entry = base;
    dispatch.stop = &stop;
    WorkgroupState group;
    Wave wave{*state, group, dispatch};
    JitRunner runner(*map, *jit, *memory);
    do {
      runner.Run(wave, uint64_t{1} << 40);
    } while (wave.event == WaveEvent::kNone);
    EXPECT_EQ(wave.event, WaveEvent::kEnd) << wave.fault.detail;
    return state;
  }
  void ExpectRun(const WaveState& state) const {
    EXPECT_EQ(state.Pair(6), base + 4);
    EXPECT_EQ(state.Pair(8), base + 4 + 0x1000);
    EXPECT_EQ(state.Pair(10), base + 4 + 36);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      ASSERT_EQ(state.vgpr[1][lane], 1000 + lane);
      ASSERT_EQ(reinterpret_cast<const uint32_t*>(data)[lane + 1], 1000 + lane);
    }
  }
  TranslatedRegion Translate(const GroupShape& shape = {}) const {
    std::string error;
    TranslatedRegion region =
        TranslateRegion(*map, options, {kMode, kVgprs, shape}, base, base, &error);
    EXPECT_EQ(error, "");
    return region;
  }

  // Code of whole groups of four waves, for no wave by itself.
  TranslatedRegion TranslateForGroups(const CodeMap& code) const {
    frontend::KernelDescriptor descriptor;
    descriptor.private_segment_buffer = descriptor.kernarg_segment_ptr = true;
    const GroupShape shape = GroupShapeOf({256, 1, 1}, descriptor, {0, 64});
    std::string error;
    TranslatedRegion region = TranslateRegion(code, {options.isa, /*exact_state=*/false, {}},
                                              {kMode, kVgprs, shape}, base, base, &error);
    EXPECT_EQ(error, "");
    return region;
  }

  const JitOptions options;
  std::shared_ptr<GuestMemory> memory = *GuestMemory::Reserve();
  uint64_t base = 0;
  uint64_t data = 0;
  std::optional<CodeMap> map;
  std::optional<RegionCache> jit;
};

class RegionCacheTest : public testing::TestWithParam<backend::HostIsa> {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "gcnjit-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
    cache_ = std::make_shared<CacheFolder>(path_, 1 << 20);
  }
  void TearDown() override { fs::remove_all(path_); }

  std::string path_;
  std::shared_ptr<CacheFolder> cache_;
};

TEST_P(RegionCacheTest, TheSecondTimeNothingIsCompiled) {
  Loaded first(GetParam(), cache_);
  first.ExpectRun(*first.Run());
  const JitStatistics compiled = first.jit->Statistics();
  EXPECT_GT(compiled.regions, 0u);
  EXPECT_EQ(compiled.cached_regions, 0u);
  for (const uint64_t before : {4096, 1 << 20}) {
    Loaded again(GetParam(), cache_, before);
    EXPECT_NE(again.base, first.base);
    EXPECT_TRUE(again.jit->IsCached(again.base, {kMode, kVgprs, {}}));
    again.ExpectRun(*again.Run());
    const JitStatistics cached = again.jit->Statistics();
    EXPECT_EQ(cached.regions, 0u);
    EXPECT_EQ(cached.guest_instructions, 0u);
    EXPECT_EQ(cached.cached_regions, compiled.regions);
    EXPECT_EQ(cached.host_bytes, compiled.host_bytes);
    EXPECT_EQ(cached.fallbacks.size(), compiled.fallbacks.size());
    EXPECT_EQ(again.jit->LiveAt(again.base), first.jit->LiveAt(first.base));
  }
}

// Code that the run which filled the cache has not compiled is not compiled at once by the next.
TEST_P(RegionCacheTest, WhatWasNotCompiledStaysColdForAWhile) {
  constexpr uint64_t kElsewhere = 2048;
  constexpr uint32_t kFunction[] = {0x68020002, 0xBF810000};  // v_add_u32, s_endpgm
  const JitKey key{kMode, kVgprs, {}};
  CodeEpoch user;
  const auto run = [&](Loaded& loaded) {
    std::memcpy(reinterpret_cast<void*>(loaded.base + kElsewhere), kFunction, sizeof kFunction);
    loaded.ExpectRun(*loaded.Run());
  };
  const auto find = [&](Loaded& loaded) {
    return loaded.jit->Find(loaded.base + kElsewhere, loaded.base, key, user);
  };
  Loaded first(GetParam(), cache_);
  run(first);

  Loaded second(GetParam(), cache_);
  run(second);
  EXPECT_TRUE(find(second).is_cold);
  EXPECT_EQ(find(second).region, nullptr);
  second.jit->CountCold(second.base, 100'000);
  EXPECT_TRUE(find(second).is_cold);
  EXPECT_EQ(second.jit->Statistics().regions, 0u);
  second.jit->CountCold(second.base, 100'000);
  EXPECT_FALSE(find(second).is_cold);
  EXPECT_NE(find(second).region, nullptr);
  EXPECT_EQ(second.jit->Statistics().regions, 1u);

  Loaded third(GetParam(), cache_);
  run(third);
  EXPECT_NE(find(third).region, nullptr);
  EXPECT_EQ(third.jit->Statistics().regions, 0u);

  // Of a kernel that has been compiled, all code is worth it.
  EXPECT_NE(find(first).region, nullptr);
  user.Leave();
}

TEST_P(RegionCacheTest, OnlyForWhatItWasCompiledFor) {
  Loaded first(GetParam(), cache_);
  (void)first.Run();
  {
    Loaded other(GetParam(), cache_);
    (void)other.Run(kMode | 1 << 12);
    EXPECT_EQ(other.jit->Statistics().cached_regions, 0u);
  }
  {
    Loaded other(GetParam(), cache_);
    (void)other.Run(kMode, {12, 0});
    EXPECT_EQ(other.jit->Statistics().cached_regions, 0u);
  }
  {
    // Any other code in the range will do.
    Loaded other(GetParam(), cache_);
    *reinterpret_cast<uint32_t*>(other.base + kCodeBytes - 4) = 1;
    other.ExpectRun(*other.Run());
    EXPECT_EQ(other.jit->Statistics().cached_regions, 0u);
  }
}

TEST_P(RegionCacheTest, DamagedEntriesAreCompiledAgain) {
  Loaded first(GetParam(), cache_);
  (void)first.Run();
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path_)) files.push_back(entry.path());
  ASSERT_FALSE(files.empty());
  for (const fs::path& file : files) fs::resize_file(file, fs::file_size(file) - 1);
  for (const bool is_damaged : {true, false}) {
    Loaded again(GetParam(), cache_);
    again.ExpectRun(*again.Run());
    EXPECT_EQ(again.jit->Statistics().cached_regions == 0, is_damaged);
  }
}

TEST_P(RegionCacheTest, ImagesDoNotDependOnWhereTheCodeLies) {
  const Loaded here(GetParam());
  const Loaded there(GetParam(), nullptr, 1 << 20);
  ASSERT_NE(here.base, there.base);
  const auto pack = [](const Loaded& at, const TranslatedRegion& region) {
    return PackRegion(region, at.map->RangeAt(at.base));
  };
  const auto image = pack(here, here.Translate());
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ(image, pack(there, there.Translate()));
  const auto moved = UnpackRegion(*image, *there.map, there.map->RangeAt(there.base));
  ASSERT_TRUE(moved.has_value());
  EXPECT_EQ(pack(there, *moved), image);
}

// In groups of whole waves, of which the first works out the scalars for the others.
TEST_P(RegionCacheTest, ImagesKnowWhereOtherWavesBegin) {
  const Loaded at(GetParam());
  const CodeMap::CodeRange range = at.map->RangeAt(at.base);
  const TranslatedRegion region = at.Translate(GroupShapeOf({256, 1, 1}, 1));
  ASSERT_NE(region.code->follow, nullptr);
  const auto again = UnpackRegion(*PackRegion(region, range), *at.map, range);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->code->follow - again->code->code, region.code->follow - region.code->code);
}

// Of code for whole groups, which no wave enters by itself.
TEST_P(RegionCacheTest, ImagesKnowWhereGroupsBegin) {
  const Loaded at(GetParam());
  const CodeMap::CodeRange range = at.map->RangeAt(at.base);
  const TranslatedRegion region = at.TranslateForGroups(*at.map);
  ASSERT_NE(region.code, nullptr);
  const auto again = UnpackRegion(*PackRegion(region, range), *at.map, range);
  ASSERT_TRUE(again.has_value());
  for (const TranslatedRegion* const one : {&region, &*again}) {
    ASSERT_NE(one->code->group.begin, nullptr);
    EXPECT_EQ(one->code->group.begin, one->code->code) << "a place like others";
    EXPECT_TRUE(one->code->group.is_one_block);
    EXPECT_EQ(one->code->group.row_instructions, region.code->group.row_instructions);
    EXPECT_NE(one->code->group.row_instructions, 0u);
    EXPECT_TRUE(one->code->entries.empty());
    EXPECT_EQ(one->blocks, std::vector<uint64_t>{at.base});
    uint32_t waves = 0;
    for (const backend::MemorySite& site : one->code->sites) waves |= 1u << site.place.wave;
    EXPECT_EQ(waves, 0xFu);
  }
}

TEST_P(RegionCacheTest, ImagesAreNotTrusted) {
  const Loaded at(GetParam());
  const CodeMap::CodeRange range = at.map->RangeAt(at.base);
  const std::vector<std::byte> image = *PackRegion(at.Translate(), range);
  for (size_t bytes = 0; bytes < image.size(); ++bytes) {
    ASSERT_FALSE(UnpackRegion(std::span(image).first(bytes), *at.map, range).has_value()) << bytes;
  }
  // Flipped bits may make another image that is well-formed, but nothing worse.
  size_t refused = 0;
  for (size_t byte = 0; byte < image.size(); ++byte) {
    for (const unsigned bit : {0u, 7u}) {
      std::vector<std::byte> damaged = image;
      damaged[byte] ^= static_cast<std::byte>(1u << bit);
      refused += !UnpackRegion(damaged, *at.map, range).has_value();
    }
  }
  EXPECT_GT(refused, 0u);
}

// A hash of code that a guest chooses tells nothing: each bit of each word is compared, of code for
// waves and of code for whole groups.
TEST_P(RegionCacheTest, ImagesAreOfTheirCodeWordForWord) {
  const Loaded at(GetParam());
  const CodeMap::CodeRange range = at.map->RangeAt(at.base);
  auto* const words = reinterpret_cast<uint32_t*>(at.base);
  const auto first_wave = GroupShapeOf({256, 1, 1}, 1);
  const TranslatedRegion regions[] = {at.Translate(), at.Translate(first_wave),
                                      at.TranslateForGroups(*at.map)};
  for (const TranslatedRegion& region : regions) {
    ASSERT_NE(region.code, nullptr);
    const std::vector<std::byte> image = *PackRegion(region, range);
    for (size_t n = 0; n < std::size(kProgram); ++n) {
      for (int bit = 0; bit < 32; ++bit) {
        words[n] ^= 1u << bit;
        EXPECT_FALSE(UnpackRegion(image, *at.map, range).has_value()) << n << " " << bit;
        words[n] ^= 1u << bit;
      }
    }
    words[std::size(kProgram)] ^= 1;  // after its end
    EXPECT_TRUE(UnpackRegion(image, *at.map, range).has_value());
    words[std::size(kProgram)] ^= 1;
  }
}

// What is kept is the code that was compiled, whatever has become of it since.
TEST_P(RegionCacheTest, ImagesAreOfTheCodeThatWasCompiled) {
  const Loaded at(GetParam());
  const CodeMap::CodeRange range = at.map->RangeAt(at.base);
  auto* const words = reinterpret_cast<uint32_t*>(at.base);
  for (size_t n = 0; n < std::size(kProgram); ++n) {
    const TranslatedRegion region = at.Translate();
    words[n] ^= 1;
    const std::vector<std::byte> image = *PackRegion(region, range);
    EXPECT_FALSE(UnpackRegion(image, *at.map, range).has_value()) << n;
    words[n] ^= 1;
    EXPECT_TRUE(UnpackRegion(image, *at.map, range).has_value()) << n;
  }
}

// Two codes of one key, as a guest may make them where keys have a hash of the code. The entry of
// one is not used for the other, and gives way to the other's.
TEST_P(RegionCacheTest, EntriesOfOtherCodeWithTheSameKeyAreNotUsed) {
  constexpr size_t kAdd = 7;
  for (const uint32_t other_add :
       {0x68020080u, 0x68020081u, 0x680200C1u}) {  // v1 = {0, 1, -1} + v0
    const Loaded evil(GetParam());
    const auto change = [&](const Loaded& victim) {
      reinterpret_cast<uint32_t*>(victim.base)[kAdd] = other_add;
    };
    Loaded victim(GetParam(), cache_);
    change(victim);
    const CodeMap::CodeRange range = victim.map->RangeAt(victim.base);
    const JitKey key{kMode, kVgprs, {}};
    const std::vector<std::byte> name = RegionKey(
        BuildId(), victim.options, key, frontend::Generation::kGfx900, range,
        HashOf(std::as_bytes(victim.map->WordsAt(range.begin))), victim.base, victim.base);
    cache_->Write(name, *PackRegion(evil.Translate(), evil.map->RangeAt(evil.base)));
    ASSERT_TRUE(victim.jit->IsCached(victim.base, key));
    const auto expect_right = [&](Loaded& loaded, uint64_t compiled) {
      const auto state = loaded.Run();
      const uint32_t first = other_add == 0x680200C1 ? ~0u : other_add & 1;
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        ASSERT_EQ(state->vgpr[1][lane], first + lane);
      }
      EXPECT_EQ(loaded.jit->Statistics().regions, compiled);
    };
    expect_right(victim, 1);
    Loaded again(GetParam(), cache_);
    change(again);
    expect_right(again, 0);
  }
}

// What lies in another range of code is not in the key, nor at a known distance: a region ends
// there.
TEST_P(RegionCacheTest, CodeOfAnotherRangeIsNotKept) {
  const Loaded at(GetParam());
  constexpr uint64_t kElsewhere = 2048;
  std::memcpy(reinterpret_cast<void*>(at.base + kElsewhere), kProgram, sizeof kProgram);
  *reinterpret_cast<uint32_t*>(at.base) = 0xBF820000 | (kElsewhere / 4 - 1);  // s_branch
  const CodeMap one(frontend::Generation::kGfx900, {{at.base, at.base + kCodeBytes}});
  const CodeMap two(frontend::Generation::kGfx900,
                    {{at.base, at.base + 1024}, {at.base + 1024, at.base + kCodeBytes}});
  const CodeMap::CodeRange whole = one.RangeAt(at.base);
  const CodeMap::CodeRange part = two.RangeAt(at.base);
  const auto expect_kept = [&](const TranslatedRegion& of_one, const TranslatedRegion& of_two) {
    EXPECT_TRUE(PackRegion(of_one, whole).has_value());
    EXPECT_FALSE(PackRegion(of_one, part).has_value());
    EXPECT_TRUE(PackRegion(of_two, part).has_value());
    EXPECT_EQ(of_two.source.words.size(), 1u);  // the branch
  };
  const TranslatedRegion for_groups = at.TranslateForGroups(one);
  ASSERT_NE(for_groups.code, nullptr);
  EXPECT_TRUE(for_groups.code->group.is_one_block);
  expect_kept(for_groups, at.TranslateForGroups(two));
  const auto translate = [&](const CodeMap& map) {
    std::string error;
    return TranslateRegion(map, at.options, {kMode, kVgprs, {}}, at.base, at.base, &error);
  };
  expect_kept(translate(one), translate(two));
}

TEST_P(RegionCacheTest, KeysTellAllThatCodeDependsOn) {
  const JitKey key{kMode, kVgprs, {}};
  const JitOptions options{GetParam(), false, {}};
  const CodeMap::CodeRange range = {0x1000, 0x2000};
  const std::vector<std::byte> build(20);
  const auto generation = frontend::Generation::kGfx900;
  const auto known = RegionKey(build, options, key, generation, range, {1, 2}, 0x1100, 0x1100);
  // The same, loaded elsewhere; the kernel begins elsewhere.
  const CodeMap::CodeRange moved = {0x5000, 0x6000};
  EXPECT_EQ(known, RegionKey(build, options, key, generation, moved, {1, 2}, 0x5100, 0x5100));
  const auto expect_other = [&](const std::vector<std::byte>& other) { EXPECT_NE(known, other); };
  std::vector<std::byte> newer = build;
  newer[19] = std::byte{1};
  expect_other(RegionKey(newer, options, key, generation, range, {1, 2}, 0x1100, 0x1100));
  JitOptions exact = options;
  exact.exact_state = true;
  expect_other(RegionKey(build, exact, key, generation, range, {1, 2}, 0x1100, 0x1100));
  JitOptions isa = options;
  isa.isa =
      isa.isa == backend::HostIsa::kAvx2 ? backend::HostIsa::kAvx512 : backend::HostIsa::kAvx2;
  expect_other(RegionKey(build, isa, key, generation, range, {1, 2}, 0x1100, 0x1100));
  expect_other(RegionKey(build, options, {kMode + 1, kVgprs, {}}, generation, range, {1, 2}, 0x1100,
                         0x1100));
  expect_other(
      RegionKey(build, options, {kMode, {12, 0}, {}}, generation, range, {1, 2}, 0x1100, 0x1100));
  expect_other(
      RegionKey(build, options, {kMode, {8, 4}, {}}, generation, range, {1, 2}, 0x1100, 0x1100));
  const GroupShape shape = GroupShapeOf({16, 16, 1}, 2);
  expect_other(
      RegionKey(build, options, {kMode, kVgprs, shape}, generation, range, {1, 2}, 0x1100, 0x1100));
  expect_other(
      RegionKey(build, options, key, frontend::Generation::kGfx906, range, {1, 2}, 0x1100, 0x1100));
  EXPECT_NE(RegionKey(build, options, key, {frontend::Generation::kGfx906, true}, range, {1, 2},
                      0x1100, 0x1100),
            RegionKey(build, options, key, {frontend::Generation::kGfx906, false}, range, {1, 2},
                      0x1100, 0x1100));
  expect_other(RegionKey(build, options, key, generation, range, {1, 3}, 0x1100, 0x1100));
  expect_other(RegionKey(build, options, key, generation, range, {2, 2}, 0x1100, 0x1100));
  expect_other(
      RegionKey(build, options, key, generation, {0x1000, 0x2004}, {1, 2}, 0x1100, 0x1100));
  expect_other(RegionKey(build, options, key, generation, range, {1, 2}, 0x1104, 0x1104));
  expect_other(RegionKey(build, options, key, generation, range, {1, 2}, 0x1100, 0x1104));
}

INSTANTIATE_TEST_SUITE_P(Isas, RegionCacheTest, testing::ValuesIn(HostIsas()),
                         [](const auto& param) { return std::string(NameOf(param.param)); });

}  // namespace
}  // namespace gcnjit::runtime
