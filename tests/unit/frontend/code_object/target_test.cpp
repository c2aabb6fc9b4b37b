// Names of targets: by version, by flags, and which code fits which processor.
#include "frontend/code_object/target.h"

#include <gtest/gtest.h>

#include <string_view>

namespace gcnjit {
namespace {

// AMDGPUUsage, "Code Object V2 Supported Processors and Fixed Target Feature Settings".
TEST(TargetTest, IsaVersionsOfV2) {
  using frontend::TargetOfIsaVersion;
  EXPECT_EQ(TargetOfIsaVersion(6, 0, 1), "gfx601");
  EXPECT_EQ(TargetOfIsaVersion(7, 0, 5), "gfx705");
  EXPECT_EQ(TargetOfIsaVersion(8, 0, 0), "gfx802");
  EXPECT_EQ(TargetOfIsaVersion(8, 0, 1), "gfx801:xnack+");
  EXPECT_EQ(TargetOfIsaVersion(8, 0, 2), "gfx802");
  EXPECT_EQ(TargetOfIsaVersion(8, 0, 3), "gfx803");
  EXPECT_EQ(TargetOfIsaVersion(8, 0, 4), "gfx803");
  EXPECT_EQ(TargetOfIsaVersion(8, 0, 5), "gfx805");
  EXPECT_EQ(TargetOfIsaVersion(8, 1, 0), "gfx810:xnack+");
  EXPECT_EQ(TargetOfIsaVersion(9, 0, 0), "gfx900:xnack-");
  EXPECT_EQ(TargetOfIsaVersion(9, 0, 1), "gfx900:xnack+");
  EXPECT_EQ(TargetOfIsaVersion(9, 0, 2), "gfx902:xnack-");
  EXPECT_EQ(TargetOfIsaVersion(9, 0, 3), "gfx902:xnack+");
  EXPECT_EQ(TargetOfIsaVersion(9, 0, 6), "gfx906:sramecc-:xnack-");
  EXPECT_EQ(TargetOfIsaVersion(9, 0, 7), "gfx906:sramecc-:xnack+");
  EXPECT_EQ(TargetOfIsaVersion(9, 0, 12), "gfx90c");
}

TEST(TargetTest, FeaturesInFlags) {
  using frontend::TargetOfFlags;
  EXPECT_EQ(TargetOfFlags(0x2F, 3), "gfx906:sramecc-:xnack-");
  EXPECT_EQ(TargetOfFlags(0x32F, 3), "gfx906:sramecc+:xnack+");
  EXPECT_EQ(TargetOfFlags(0x2A, 3), "gfx803");
  EXPECT_EQ(TargetOfFlags(0x230, 3), "gfx908:sramecc+:xnack-");
  EXPECT_EQ(TargetOfFlags(0x530, 4), "gfx908");
  EXPECT_EQ(TargetOfFlags(0xE30, 4), "gfx908:sramecc+:xnack-");
  EXPECT_EQ(TargetOfFlags(0x52F, 4), "gfx906");  // any, any
  EXPECT_EQ(TargetOfFlags(0xE2F, 4), "gfx906:sramecc+:xnack-");
  EXPECT_EQ(TargetOfFlags(0x92F, 5), "gfx906:sramecc-");  // off, any
  // Generic processors, with their version in the topmost byte (LLVM AMDGPUUsage, "ELF Header").
  EXPECT_EQ(TargetOfFlags(0x01000151, 6), "gfx9-generic");
  EXPECT_EQ(TargetOfFlags(0x01000251, 6), "gfx9-generic:xnack-");
  EXPECT_EQ(TargetOfFlags(0x01000E5F, 6), "gfx9-4-generic:sramecc+:xnack-");
  EXPECT_EQ(TargetOfFlags(0x01000054, 6), "gfx11-generic");
  EXPECT_EQ(TargetOfFlags(0xFF, 4), "machine 0xff");
}

TEST(TargetTest, Fits) {
  using frontend::TargetFits;
  EXPECT_TRUE(TargetFits("gfx900", "gfx900"));
  EXPECT_TRUE(TargetFits("gfx900", "gfx900:xnack-"));
  EXPECT_TRUE(TargetFits("gfx900:xnack-", "gfx900"));
  EXPECT_FALSE(TargetFits("gfx900:xnack-", "gfx900:xnack+"));
  EXPECT_TRUE(TargetFits("gfx906:sramecc-:xnack+", "gfx906:xnack+"));
  // Each feature is named once, as on or off.
  for (const char* wanted :
       {"gfx906:", "gfx906:xnack", "gfx906:xnack+:xnack-", "gfx906:xnack-:xnack-", "gfx906:+",
        "gfx906:tgsplit+", "gfx906::xnack-"}) {
    EXPECT_FALSE(TargetFits("gfx906", wanted)) << wanted;
    EXPECT_FALSE(frontend::GenerationOfTarget(wanted)) << wanted;
  }
  EXPECT_TRUE(frontend::GenerationOfTarget("gfx906:xnack+:sramecc-"));
  EXPECT_FALSE(TargetFits("gfx906:sramecc-:xnack+", "gfx906:sramecc+:xnack+"));
  EXPECT_TRUE(TargetFits("gfx906", "gfx906:sramecc+:xnack-"));
  EXPECT_TRUE(TargetFits("gfx906:sramecc+:xnack-", "gfx906:sramecc+:xnack-"));
  EXPECT_FALSE(TargetFits("gfx90", "gfx900"));
  EXPECT_FALSE(TargetFits("gfx900", "gfx906"));
}

// Which processors run code for a generic one: LLVM AMDGPUUsage, "Generic Processors", and ROCr's
// isa.cpp (the last column of ISAREG_ENTRY_GEN), whose names of features are compared as others'.
TEST(TargetTest, GenericCodeFitsItsProcessors) {
  using frontend::TargetFits;
  for (const char* device : {"gfx900", "gfx900:xnack-", "gfx902", "gfx906:sramecc+:xnack-"}) {
    EXPECT_TRUE(TargetFits("gfx9-generic", device)) << device;
    EXPECT_TRUE(TargetFits("gfx9-generic:xnack-", device)) << device;
    EXPECT_FALSE(TargetFits("gfx9-4-generic", device)) << device;
    EXPECT_FALSE(TargetFits(device, "gfx9-generic")) << device;
  }
  EXPECT_FALSE(TargetFits("gfx9-generic:xnack+", "gfx906:sramecc+:xnack-"));
  for (const char* device : {"gfx803", "gfx908", "gfx90a", "gfx942", "gfx9", ""}) {
    EXPECT_FALSE(TargetFits("gfx9-generic", device)) << device;
  }
  EXPECT_TRUE(TargetFits("gfx9-4-generic", "gfx942:sramecc+:xnack-"));
  EXPECT_FALSE(TargetFits("gfx9-4-generic:sramecc-", "gfx942:sramecc+:xnack-"));
  EXPECT_FALSE(TargetFits("gfx11-generic", "gfx1100"));
  EXPECT_EQ(frontend::ProcessorOfTarget("gfx9-4-generic"),
            frontend::Processor(frontend::Generation::kGfx942, true));
  EXPECT_EQ(frontend::ProcessorOfTarget("gfx9-generic", "gfx902"),
            frontend::Processor(frontend::Generation::kGfx900));
  EXPECT_FALSE(frontend::ProcessorOfTarget("gfx11-generic"));
}

// The code object's own word counts, then the device's; cards with SRAM-ECC come with it switched
// on.
TEST(Target, SaysWhetherThereIsSramEcc) {
  const auto sram_ecc = [](std::string_view target, std::string_view device) {
    const auto processor = frontend::ProcessorOfTarget(target, device);
    EXPECT_TRUE(processor) << target;
    return processor && processor->sram_ecc;
  };
  for (const char* device : {"", "gfx906", "gfx906:sramecc+:xnack-"}) {
    EXPECT_TRUE(sram_ecc("gfx906", device)) << device;
    EXPECT_TRUE(sram_ecc("gfx906:xnack-", device)) << device;
    EXPECT_TRUE(sram_ecc("gfx906:sramecc+:xnack-", device)) << device;
    EXPECT_FALSE(sram_ecc("gfx906:sramecc-", device)) << device;
  }
  EXPECT_FALSE(sram_ecc("gfx906:xnack-", "gfx906:sramecc-:xnack-"));
  EXPECT_TRUE(sram_ecc("gfx906:sramecc+:xnack-", "gfx906:sramecc-:xnack-"));
  for (const char* target : {"gfx600", "gfx701", "gfx803", "gfx900:xnack-", "gfx9-generic"}) {
    EXPECT_FALSE(sram_ecc(target, "")) << target;
  }
  EXPECT_FALSE(frontend::ProcessorOfTarget("gfx1030"));
  for (const frontend::Processor& processor : frontend::kProcessors) {
    EXPECT_EQ(frontend::ProcessorOfTarget(frontend::TargetOf(processor)), processor)
        << frontend::TargetOf(processor);
  }
}

}  // namespace
}  // namespace gcnjit
