// What fields mean that depend on the generation.
#include "frontend/code_object/kernel_descriptor.h"

#include <gtest/gtest.h>

namespace gcnjit::frontend {
namespace {

// `granules`: of VGPRs, and of ACCUM_OFFSET; both fields count from 0.
KernelDescriptor Descriptor(Generation generation, uint32_t granules, uint32_t accum_offset = 0) {
  KernelDescriptor descriptor;
  descriptor.generation = generation;
  descriptor.rsrc1 = granules;
  descriptor.rsrc3 = accum_offset | 1u << 16;  // TG_SPLIT
  return descriptor;
}

TEST(KernelDescriptorTest, VgprsOfOneFile) {
  EXPECT_EQ(Descriptor(Generation::kGfx906, 5).Vgprs(), (VgprCounts{24, 0}));
  EXPECT_EQ(Descriptor(Generation::kGfx908, 5).Vgprs(), (VgprCounts{24, 24}));
  EXPECT_EQ(Descriptor(Generation::kGfx908, 63).Vgprs(), (VgprCounts{256, 256}));
}

// LLVM AMDGPUUsage, COMPUTE_PGM_RSRC1 and COMPUTE_PGM_RSRC3 of gfx90a: eights of registers, fours
// of ACCUM_OFFSET.
TEST(KernelDescriptorTest, VgprsOfASharedFile) {
  EXPECT_EQ(Descriptor(Generation::kGfx90a, 5, 7).Vgprs(), (VgprCounts{32, 16}));
  EXPECT_EQ(Descriptor(Generation::kGfx90a, 5, 11).Vgprs(), (VgprCounts{48, 0}));
  EXPECT_EQ(Descriptor(Generation::kGfx90a, 5, 63).Vgprs(), (VgprCounts{48, 0}));
  EXPECT_EQ(Descriptor(Generation::kGfx90a, 63, 63).Vgprs(), (VgprCounts{256, 256}));
  EXPECT_EQ(Descriptor(Generation::kGfx90a, 63, 0).Vgprs(), (VgprCounts{4, 256}));
  EXPECT_EQ(Descriptor(Generation::kGfx90a, 5, 7).VgprCount(), 48u);
}

// AMDGPUUsage, "Flat Scratch": of gfx942 the same bit asks for no SGPR.
TEST(KernelDescriptorTest, WhereScratchIs) {
  KernelDescriptor descriptor = Descriptor(Generation::kGfx90a, 0);
  descriptor.rsrc2 = 1;
  EXPECT_TRUE(descriptor.ScratchWaveOffset());
  EXPECT_FALSE(descriptor.StartsWithScratch());
  descriptor.generation = Generation::kGfx942;
  EXPECT_FALSE(descriptor.ScratchWaveOffset());
  EXPECT_TRUE(descriptor.StartsWithScratch());
  descriptor.rsrc2 = 0;
  EXPECT_FALSE(descriptor.StartsWithScratch());
}

TEST(KernelDescriptorTest, WorkitemIds) {
  KernelDescriptor descriptor = Descriptor(Generation::kGfx908, 0);
  descriptor.rsrc2 = 1 << 11;
  EXPECT_EQ(descriptor.WorkitemIdVgprs(), 2u);
  descriptor.generation = Generation::kGfx90a;
  EXPECT_EQ(descriptor.WorkitemIdVgprs(), 1u);
  EXPECT_EQ(descriptor.WorkitemIdAxes(), 2u);
}

}  // namespace
}  // namespace gcnjit::frontend
