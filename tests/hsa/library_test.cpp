// The library as a whole: its names, its life, agents and pools.
#include <dlfcn.h>
#include <link.h>

#include "fixture.h"

namespace gcnjit::hsa_tests {
namespace {

TEST(Library, ExportsWhatRocmsDoes) {
  std::ifstream names(GCNJIT_HSA_NAMES);
  std::string name;
  int count = 0;
  // Of the library itself, not of what else this program has.
  void* library = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  while (std::getline(names, name)) {
    EXPECT_NE(dlvsym(library, name.c_str(), "ROCR_1"), nullptr) << name;
    ++count;
  }
  EXPECT_EQ(count, 257);
  // A debugger finds no code objects.
  const auto* debugged = static_cast<const r_debug*>(dlvsym(library, "_amdgpu_r_debug", "ROCR_1"));
  ASSERT_NE(debugged, nullptr);
  EXPECT_EQ(debugged->r_map, nullptr);
}

TEST(Library, NothingWorksBeforeInit) {
  EXPECT_EQ(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  hsa_signal_t signal;
  EXPECT_EQ(hsa_signal_create(1, 0, nullptr, &signal), HSA_STATUS_ERROR_NOT_INITIALIZED);
  const auto none = [](hsa_agent_t, void*) { return HSA_STATUS_SUCCESS; };
  EXPECT_EQ(hsa_iterate_agents(none, nullptr), HSA_STATUS_ERROR_NOT_INITIALIZED);
}

TEST(Library, InitCounts) {
  ASSERT_OK(hsa_init());
  ASSERT_OK(hsa_init());
  EXPECT_OK(hsa_shut_down());
  hsa_signal_t signal;
  ASSERT_OK(hsa_signal_create(1, 0, nullptr, &signal));
  EXPECT_OK(hsa_signal_destroy(signal));
  EXPECT_OK(hsa_shut_down());
  EXPECT_EQ(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
}

TEST(Library, StatusStrings) {
  const char* text = nullptr;
  ASSERT_OK(hsa_status_string(HSA_STATUS_ERROR_INVALID_AGENT, &text));
  EXPECT_EQ(std::string(text).find("HSA_STATUS_ERROR_INVALID_AGENT"), 0u);
  EXPECT_OK(hsa_status_string(Amd(HSA_STATUS_ERROR_MEMORY_FAULT), &text));
  EXPECT_EQ(hsa_status_string(static_cast<hsa_status_t>(0x1FFF), &text),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_status_string(HSA_STATUS_SUCCESS, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

class Agents : public HsaTest {};

TEST_F(Agents, SayWhatTheyAre) {
  ASSERT_EQ(agents_.size(), 2u);
  hsa_device_type_t type;
  ASSERT_OK(hsa_agent_get_info(cpu_, HSA_AGENT_INFO_DEVICE, &type));
  EXPECT_EQ(type, HSA_DEVICE_TYPE_CPU);
  ASSERT_OK(hsa_agent_get_info(gpu_, HSA_AGENT_INFO_DEVICE, &type));
  EXPECT_EQ(type, HSA_DEVICE_TYPE_GPU);
  char name[64] = {};
  ASSERT_OK(hsa_agent_get_info(gpu_, HSA_AGENT_INFO_NAME, name));
  EXPECT_STREQ(name, "gfx900");
  uint32_t wave = 0;
  ASSERT_OK(hsa_agent_get_info(gpu_, HSA_AGENT_INFO_WAVEFRONT_SIZE, &wave));
  EXPECT_EQ(wave, 64u);
  hsa_isa_t isa;
  ASSERT_OK(hsa_agent_get_info(gpu_, HSA_AGENT_INFO_ISA, &isa));
  uint32_t length = 0;
  ASSERT_OK(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length));
  std::string isa_name(length, '\0');
  ASSERT_OK(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, isa_name.data()));
  EXPECT_STREQ(isa_name.c_str(), "amdgcn-amd-amdhsa--gfx900:xnack-");
  hsa_isa_t same;
  ASSERT_OK(hsa_isa_from_name(isa_name.c_str(), &same));
  EXPECT_EQ(same.handle, isa.handle);
}

TEST_F(Agents, HaveOneIsaWithOneKindOfWavefront) {
  hsa_isa_t isa;
  ASSERT_OK(hsa_agent_get_info(gpu_, HSA_AGENT_INFO_ISA, &isa));
  std::vector<uint64_t> isas;
  ASSERT_OK(hsa_agent_iterate_isas(
      gpu_,
      [](hsa_isa_t each, void* data) {
        static_cast<std::vector<uint64_t>*>(data)->push_back(each.handle);
        return HSA_STATUS_SUCCESS;
      },
      &isas));
  EXPECT_EQ(isas, std::vector<uint64_t>{isa.handle});
  std::vector<uint32_t> sizes;
  ASSERT_OK(hsa_isa_iterate_wavefronts(
      isa,
      [](hsa_wavefront_t wavefront, void* data) {
        uint32_t size = 0;
        EXPECT_OK(hsa_wavefront_get_info(wavefront, HSA_WAVEFRONT_INFO_SIZE, &size));
        static_cast<std::vector<uint32_t>*>(data)->push_back(size);
        return HSA_STATUS_SUCCESS;
      },
      &sizes));
  EXPECT_EQ(sizes, std::vector<uint32_t>{64});
  bool compatible = false;
  ASSERT_OK(hsa_isa_compatible(isa, isa, &compatible));
  EXPECT_TRUE(compatible);
  EXPECT_EQ(hsa_isa_compatible(isa, {77}, &compatible), HSA_STATUS_ERROR_INVALID_ISA);
  const auto none = [](hsa_isa_t, void*) { return HSA_STATUS_ERROR; };
  EXPECT_OK(hsa_agent_iterate_isas(cpu_, none, nullptr));
}

TEST_F(Agents, WrongArguments) {
  uint32_t value;
  const hsa_agent_t none = {1234};
  EXPECT_EQ(hsa_agent_get_info(none, HSA_AGENT_INFO_NODE, &value), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_agent_get_info(gpu_, HSA_AGENT_INFO_NODE, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_agent_get_info(gpu_, static_cast<hsa_agent_info_t>(31), &value),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_iterate_agents(nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_isa_t isa;
  EXPECT_EQ(hsa_isa_from_name("amdgcn-amd-amdhsa--gfx1030", &isa),
            HSA_STATUS_ERROR_INVALID_ISA_NAME);
  EXPECT_EQ(hsa_isa_get_info_alt({77}, HSA_ISA_INFO_NAME_LENGTH, &value),
            HSA_STATUS_ERROR_INVALID_ISA);
}

TEST_F(Agents, HavePoolsAndRegions) {
  for (const uint32_t flags : {kFine, kKernarg, kCoarse}) EXPECT_NE(PoolOf(cpu_, flags).handle, 0u);
  for (const uint32_t flags : {kFine, kCoarse}) EXPECT_NE(PoolOf(gpu_, flags).handle, 0u);
  hsa_amd_memory_pool_access_t access;
  ASSERT_OK(hsa_amd_agent_memory_pool_get_info(gpu_, PoolOf(gpu_, kCoarse),
                                               HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access));
  EXPECT_EQ(access, HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT);
  uint32_t hops = 0;
  ASSERT_OK(hsa_amd_agent_memory_pool_get_info(
      gpu_, PoolOf(cpu_, kFine), HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, &hops));
  EXPECT_EQ(hops, 1u);
  ASSERT_OK(hsa_amd_agent_memory_pool_get_info(
      gpu_, PoolOf(gpu_, kFine), HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, &hops));
  EXPECT_EQ(hops, 0u);
  ASSERT_OK(hsa_amd_agent_memory_pool_get_info(cpu_, PoolOf(gpu_, kCoarse),
                                               HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access));
  EXPECT_EQ(access, HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
  int regions = 0;
  ASSERT_OK(hsa_agent_iterate_regions(
      gpu_,
      [](hsa_region_t region, void* data) {
        size_t size = 0;
        EXPECT_OK(hsa_region_get_info(region, HSA_REGION_INFO_SIZE, &size));
        EXPECT_GT(size, 0u);
        ++*static_cast<int*>(data);
        return HSA_STATUS_SUCCESS;
      },
      &regions));
  EXPECT_EQ(regions, 5);
}

TEST_F(Agents, HaveCaches) {
  std::vector<uint32_t> sizes;
  ASSERT_OK(hsa_agent_iterate_caches(
      gpu_,
      [](hsa_cache_t cache, void* data) {
        uint32_t size = 0;
        EXPECT_OK(hsa_cache_get_info(cache, HSA_CACHE_INFO_SIZE, &size));
        static_cast<std::vector<uint32_t>*>(data)->push_back(size);
        return HSA_STATUS_SUCCESS;
      },
      &sizes));
  uint32_t levels[4];
  ASSERT_OK(hsa_agent_get_info(gpu_, HSA_AGENT_INFO_CACHE_SIZE, levels));
  EXPECT_EQ(sizes, std::vector<uint32_t>(levels, levels + 2));
  EXPECT_EQ(hsa_cache_get_info({1}, HSA_CACHE_INFO_SIZE, levels), HSA_STATUS_ERROR_INVALID_CACHE);
}

TEST_F(Agents, ClockRunsAtItsFrequency) {
  uint64_t frequency = 0, before = 0, after = 0;
  ASSERT_OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
  ASSERT_OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ASSERT_OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
  EXPECT_GE((after - before) * 1000 / frequency, 20u);
}

}  // namespace
}  // namespace gcnjit::hsa_tests
