// Objects for other platforms than HSA, as LLVM writes them: Mesa's and the graphics driver's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "frontend/code_object/code_object.h"
#include "gcnjit/device.h"
#include "gcnjit/launch.h"
#include "gcnjit/program.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit {
namespace {

class PlatformTest : public testing::TestWithParam<const char*> {
 protected:
  std::vector<std::byte> Read(const std::string& platform, const std::string& suffix) const {
    return ReadTestFile(platform + "_" + GetParam() + suffix);
  }
};

INSTANTIATE_TEST_SUITE_P(Targets, PlatformTest,
                         testing::Values("gfx600", "gfx700", "gfx803", "gfx900", "gfx906"),
                         [](const auto& info) { return std::string(info.param); });

// AMDGPUUsage: a mesa3d kernel begins with amd_kernel_code_t, its arguments at offset 0.
TEST_P(PlatformTest, MesaKernelsRun) {
  for (const char* suffix : {".o", ".co"}) {
    auto device = *Device::Create();
    const auto program = Program::Load(device, Read("mesa", suffix));
    ASSERT_TRUE(program.ok()) << program.error().message;
    ASSERT_EQ(program->Kernels().size(), 1u) << "neither the function nor the shader is a kernel";
    EXPECT_FALSE(program->Kernels()[0].has_metadata);
    for (const Engine engine : {Engine::kInterpreter, Engine::kJit}) {
      const uint64_t out = *device.Allocate(256);
      LaunchConfig config;
      config.global = config.local = {64, 1, 1};
      config.engine = engine;
      config.compile_first = true;
      const auto result =
          Launch(device, *program, "twice", config, Arguments().Buffer(out).Value(uint32_t{3}));
      ASSERT_TRUE(result.ok()) << result.error().message;
      ASSERT_EQ(result->status, LaunchStatus::kDone);
      uint32_t values[64];
      std::memcpy(values, device.Data(out, 256).data(), 256);
      for (uint32_t n = 0; n < 64; ++n) EXPECT_EQ(values[n], 3 * n);
    }
  }
}

TEST_P(PlatformTest, PalShadersAreFoundButNotRun) {
  for (const char* suffix : {".o", ".co"}) {
    const auto file = Read("pal", suffix);
    const auto object = frontend::ParseCodeObject(file);
    ASSERT_TRUE(object.ok()) << object.error().message;
    EXPECT_EQ(object->platform, frontend::Platform::kPal);
    EXPECT_EQ(object->target.substr(0, 6), GetParam());
    EXPECT_TRUE(object->kernels.empty());
    const auto shader = std::ranges::find(object->symbols, "shader", &frontend::Symbol::name);
    ASSERT_NE(shader, object->symbols.end());
    EXPECT_EQ(shader->kind, frontend::SymbolKind::kFunction);
    EXPECT_FALSE(object->AtAddress(shader->address, shader->size).empty());
    auto device = *Device::Create();
    const auto program = Program::Load(device, file);
    ASSERT_FALSE(program.ok());
    EXPECT_EQ(program.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(program.error().message.find("PAL"), std::string::npos);
  }
}

}  // namespace
}  // namespace gcnjit
