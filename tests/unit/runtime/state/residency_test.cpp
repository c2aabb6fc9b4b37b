// How many groups the device holds. Expected values: 64 compute units of four SIMDs, ten waves
// each; register files and their granules as LLVM's AMDGPUBaseInfo.cpp has them.
#include "runtime/state/residency.h"

#include <gtest/gtest.h>

namespace gcnjit::runtime {
namespace {

using frontend::Generation;

// COMPUTE_PGM_RSRC1 counts VGPRs in fours and SGPRs in eights.
frontend::KernelDescriptor Kernel(uint32_t vgprs, uint32_t sgprs) {
  frontend::KernelDescriptor kernel;
  kernel.rsrc1 = (vgprs / 4 - 1) | (sgprs / 8 - 1) << 6;
  return kernel;
}

uint64_t OfComputeUnit(Generation generation, uint32_t vgprs, uint32_t sgprs, uint32_t lds,
                       uint64_t waves) {
  return ResidentGroups(generation, Kernel(vgprs, sgprs), lds, waves) / 64;
}

TEST(Residency, WavesOfASimd) {
  EXPECT_EQ(OfComputeUnit(Generation::kGfx900, 8, 16, 0, 1), 40u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx900, 24, 16, 0, 1), 40u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx900, 28, 16, 0, 1), 36u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx900, 84, 16, 0, 1), 12u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx900, 128, 16, 0, 1), 8u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx900, 132, 16, 0, 1), 4u);
}

TEST(Residency, ScalarRegisters) {
  EXPECT_EQ(OfComputeUnit(Generation::kGfx6, 8, 48, 0, 1), 40u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx7, 8, 56, 0, 1), 36u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx7, 8, 104, 0, 1), 16u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx8, 8, 80, 0, 1), 40u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx8, 8, 88, 0, 1), 32u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx906, 8, 104, 0, 1), 28u);
}

TEST(Residency, GroupsOfSeveralWaves) {
  EXPECT_EQ(OfComputeUnit(Generation::kGfx900, 8, 16, 0, 2), 16u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx900, 8, 16, 0, 4), 10u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx900, 8, 16, 0, 16), 2u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx900, 64, 16, 0, 16), 1u);
}

TEST(Residency, Lds) {
  EXPECT_EQ(OfComputeUnit(Generation::kGfx900, 8, 16, 65536, 1), 1u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx900, 8, 16, 32768, 4), 2u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx6, 8, 16, 32768, 4), 2u);
  EXPECT_EQ(OfComputeUnit(Generation::kGfx900, 8, 16, 1024, 2), 16u);
}

// Of VGPRs and AccVGPRs: 512 a SIMD, in eights, for at most eight waves.
TEST(Residency, SharedFile) {
  const auto waves = [](uint32_t registers) {
    frontend::KernelDescriptor kernel;
    kernel.generation = Generation::kGfx90a;
    kernel.rsrc1 = registers / 8 - 1;
    return ResidentGroups(Generation::kGfx90a, kernel, 0, 1) / 64;
  };
  EXPECT_EQ(waves(8), 32u);
  EXPECT_EQ(waves(64), 32u);
  EXPECT_EQ(waves(72), 28u);
  EXPECT_EQ(waves(512), 4u);
}

// A launch of one group is not refused, whatever it needs.
TEST(Residency, OneAtLeast) {
  EXPECT_EQ(OfComputeUnit(Generation::kGfx900, 256, 104, 65536, 16), 1u);
}

}  // namespace
}  // namespace gcnjit::runtime
