// What AMD's OpenCL is told otherwise than HIP: src/runtime/hsa/client.h says why.
#include <hsa/hsa_ext_image.h>

#include <cstdlib>

#include "fixture.h"

extern "C" hsa_status_t AskAsOpenCl(hsa_agent_t agent, hsa_agent_info_t attribute, void* value);

namespace gcnjit::hsa_tests {
namespace {

using Ask = hsa_status_t(hsa_agent_t, hsa_agent_info_t, void*);

struct Answers {
  bool has_images = false;
  uint32_t image_handles = 0;
  hsa_profile_t profile = {};
  uint32_t wave_size = 0;
};

Answers Of(hsa_agent_t agent, Ask* ask) {
  Answers answers;
  uint8_t extensions[128] = {};
  EXPECT_OK(ask(agent, HSA_AGENT_INFO_EXTENSIONS, extensions));
  answers.has_images = (extensions[0] >> HSA_EXTENSION_IMAGES & 1) != 0;
  uint32_t handles = HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES;
  EXPECT_OK(ask(agent, static_cast<hsa_agent_info_t>(handles), &answers.image_handles));
  EXPECT_OK(ask(agent, HSA_AGENT_INFO_PROFILE, &answers.profile));
  EXPECT_OK(ask(agent, HSA_AGENT_INFO_WAVEFRONT_SIZE, &answers.wave_size));
  return answers;
}

class Client : public HsaTest {};

TEST_F(Client, BothAreToldOfImages) {
  for (Ask* const ask : {hsa_agent_get_info, AskAsOpenCl}) {
    const Answers answers = Of(gpu_, ask);
    EXPECT_TRUE(answers.has_images);
    EXPECT_GT(answers.image_handles, 0u);
    EXPECT_EQ(answers.wave_size, 64u);
  }
}

TEST_F(Client, OpenClHasTheBaseProfile) {
  EXPECT_EQ(Of(gpu_, AskAsOpenCl).profile, HSA_PROFILE_BASE);
}

TEST_F(Client, CpuHasTheFullProfileForBoth) {
  hsa_profile_t profile = {};
  EXPECT_OK(AskAsOpenCl(cpu_, HSA_AGENT_INFO_PROFILE, &profile));
  EXPECT_EQ(profile, HSA_PROFILE_FULL);
}

class ClientDeathTest : public HsaTest {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  void TearDown() override {}

  [[noreturn]] void ExitIfGfx701Is(Ask* ask, hsa_profile_t wanted) {
    setenv("GCNJIT_DEVICE", "gfx701", 1);
    HsaTest::SetUp();
    std::exit(Of(gpu_, ask).profile == wanted ? 0 : 1);
  }
};

TEST_F(ClientDeathTest, Gfx701IsIntegratedForHipOnly) {
  const auto well = testing::ExitedWithCode(0);
  EXPECT_EXIT(ExitIfGfx701Is(hsa_agent_get_info, HSA_PROFILE_FULL), well, "");
  EXPECT_EXIT(ExitIfGfx701Is(AskAsOpenCl, HSA_PROFILE_BASE), well, "");
}

}  // namespace
}  // namespace gcnjit::hsa_tests
