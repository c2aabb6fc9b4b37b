// How much of its code a program keeps, decoded and compiled.
#include <gtest/gtest.h>

#include <cstdint>

#include "gcnjit/device.h"
#include "gcnjit/launch.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/program/loaded_program.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit {
namespace {

// What a program holds of its code, decoded and compiled, has bounds, however much code it
// executes.
TEST(LaunchBoundsTest, CodeOfAnySize) {
  constexpr uint64_t kCodeLimit = 4 << 20;
  constexpr uint64_t kMostOfARegion = 16 << 20;
  for (const Engine engine : {Engine::kInterpreter, Engine::kJit}) {
    Device device = *Device::Create();
    const auto program = Program::Load(device, ReadTestFile("executable_zeros.co"));
    ASSERT_TRUE(program) << program.error().message;
    LaunchConfig config;
    config.engine = engine;
    config.compile_first = true;
    config.code_limit = kCodeLimit;
    config.global.x = config.local.x = 64;
    const auto result = Launch(device, *program, "slide", config, {});
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(result->status, LaunchStatus::kFault);
    EXPECT_EQ(result->fault->kind, FaultKind::kInstructionFetch);
    EXPECT_GE(result->statistics.wave_instructions, 2u << 20 >> 2);
    auto& code = program->internal()->Derived<runtime::CodeMap>([] { return nullptr; });
    EXPECT_LE(code.DecodedPages(), runtime::CodeMap::kMostPages);
    EXPECT_EQ(code.DecodedPages() > runtime::CodeMap::kMostPages / 2,
              engine == Engine::kInterpreter);
    EXPECT_LE(result->statistics.code_bytes, kCodeLimit + kMostOfARegion);
    EXPECT_EQ(result->statistics.discarded_regions > 0, engine == Engine::kJit);
  }
}

}  // namespace
}  // namespace gcnjit
