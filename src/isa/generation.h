// The instruction sets that are told apart, what they differ in besides their instructions, and the
// targets that have them. Nothing compares generations by their order: what depends on one asks for
// a feature, so that a further generation is a row here and its targets in generation.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace gcnjit::frontend {

// clang-format off
enum class Generation : uint8_t {
  kGfx6,    // GCN 1.0: gfx600, gfx601, gfx602
  kGfx7,    // GCN 1.1: gfx700 to gfx705
  kGfx8,    // GCN 1.2: gfx801, gfx802, gfx803, gfx805, gfx810
  kGfx900,  // GCN 1.4: gfx900, gfx902
  kGfx906,  // GCN 1.4: gfx906, with additions, and fma_mix in place of mad_mix
  kGfx908,  // CDNA 1: gfx908, gfx906 with AccVGPRs and matrix instructions
  kGfx90a,  // CDNA 2: gfx90a, AccVGPRs as operands, packed f32, matrices of f64
  kGfx942,  // CDNA 3: gfx942, scratch without SGPRs, matrices of 8 bits
};

enum Feature : uint64_t {
  kGfx8Isa = 1u << 0,               // gfx8's encodings and registers: SMEM, SDWA, DPP, 102 SGPRs
  kGfx9Isa = 1u << 1,               // gfx9's: gfx8's with VOP3P, GLOBAL, SCRATCH, OP_SEL
  kHasFlat = 1u << 2,               // FLAT instructions
  kFlatScratchAt104 = 1u << 3,      // FLAT_SCRATCH's operand code is 104, not 102
  kFlatScratchIsAddress = 1u << 4,  // FLAT_SCRATCH is scratch's address, not a size and an offset
  kSmemLiteralOffset = 1u << 5,     // SMRD may have a literal, which counts dwords
  kUnpackedD16 = 1u << 6,           // formatted D16 accesses have a register for each half
  kLds64K = 1u << 7,                // 64 KiB of LDS in blocks of 128 dwords, not 32 KiB and 64
  kLdsLimitInM0 = 1u << 8,          // M0 limits what LDS instructions access
  kUnalignedLds = 1u << 9,          // LDS addresses need no alignment
  kLdsBaseIsSigned = 1u << 10,      // a negative LDS base is out of range, whatever the offset is
  kUnalignedBuffers = 1u << 11,     // buffer addresses need no alignment
  kRecordsIfSwizzled = 1u << 12,    // NUM_RECORDS counts records only of swizzled buffers
  kStoresCountAsExports = 1u << 13, // EXP_CNT waits for memory stores to have read their data
  kFp16Overflow = 1u << 14,         // MODE.FP16_OVFL
  kFractBelowOne = 1u << 15,        // v_fract_f32 and _f64 are always less than 1
  kFrexpOfInfinity = 1u << 16,      // v_frexp_* give an infinity itself, and 0
  kSramEcc = 1u << 17,              // there are devices with SRAM-ECC
  kAccVgprs = 1u << 18,             // AccVGPRs: as many as VGPRs, in a file of their own
  kUnifiedVgprs = 1u << 19,         // of one file with VGPRs: memory and matrix operands are either
  kEvenVgprTuples = 1u << 20,       // tuples of vector registers begin at even numbers
  kSccBit = 1u << 21,               // memory instructions have SCC (coherence), and neither TFE nor NV
  kDppNewBroadcast = 1u << 22,      // DPP's row_newbcast, also for instructions with 64-bit operands
  kFloatAtomicsReturn = 1u << 23,   // float additions in memory can return the old value
  kMatrixConstants = 1u << 24,      // C of matrix instructions can be an inline constant
  kGdsOnlySyncs = 1u << 25,         // of DS, GDS is there for global wave sync only
  kNoLdsDirect = 1u << 26,          // src0 cannot be LDS_DIRECT
  kPackedWorkItemIds = 1u << 27,    // v0 has the ids along all axes, 10 bits each
  kMatricesFlushHalves = 1u << 28,  // matrices of f16 and bf16 have no denormals, nor do their sums
  kGfx942Isa = 1u << 29,            // gfx942's: SC0, SC1, NT; SVE; LDS loads with numbers of their own
  kMatricesAlignSums = 1u << 30,    // products of f16 and bf16 are aligned and cut off to be added
  kScratchIsGiven = 1u << 31,       // FLAT_SCRATCH starts as the wave's scratch; no SGPR says where
  kKernargPreload = 1ull << 32,     // SGPRs can start with kernel arguments
};
// clang-format on

struct GenerationFacts {
  Generation generation;
  const char* target;  // the one whose name stands for the generation
  uint64_t features;
};

namespace generation_facts {
inline constexpr uint64_t kSinceGfx7 =
    kHasFlat | kLds64K | kUnalignedBuffers | kFractBelowOne | kFrexpOfInfinity;
inline constexpr uint64_t kSinceGfx9 =
    kSinceGfx7 | kGfx8Isa | kGfx9Isa | kFlatScratchIsAddress | kUnalignedLds | kFp16Overflow;
}  // namespace generation_facts

inline constexpr GenerationFacts kGenerationFacts[] = {
    {Generation::kGfx6, "gfx600", kLdsLimitInM0 | kLdsBaseIsSigned | kStoresCountAsExports},
    {Generation::kGfx7, "gfx700",
     generation_facts::kSinceGfx7 | kLdsLimitInM0 | kFlatScratchAt104 | kSmemLiteralOffset},
    {Generation::kGfx8, "gfx803",
     generation_facts::kSinceGfx7 | kGfx8Isa | kLdsLimitInM0 | kUnpackedD16 | kRecordsIfSwizzled},
    {Generation::kGfx900, "gfx900", generation_facts::kSinceGfx9},
    {Generation::kGfx906, "gfx906", generation_facts::kSinceGfx9 | kSramEcc},
    {Generation::kGfx908, "gfx908", generation_facts::kSinceGfx9 | kSramEcc | kAccVgprs},
    {Generation::kGfx90a, "gfx90a",
     generation_facts::kSinceGfx9 | kSramEcc | kAccVgprs | kUnifiedVgprs | kEvenVgprTuples |
         kSccBit | kDppNewBroadcast | kFloatAtomicsReturn | kMatrixConstants | kGdsOnlySyncs |
         kNoLdsDirect | kPackedWorkItemIds | kMatricesFlushHalves | kKernargPreload},
    {Generation::kGfx942, "gfx942",
     generation_facts::kSinceGfx9 | kSramEcc | kAccVgprs | kUnifiedVgprs | kEvenVgprTuples |
         kSccBit | kDppNewBroadcast | kFloatAtomicsReturn | kMatrixConstants | kGdsOnlySyncs |
         kNoLdsDirect | kPackedWorkItemIds | kGfx942Isa | kMatricesAlignSums | kScratchIsGiven |
         kKernargPreload},
};

inline constexpr int kGenerationCount = std::size(kGenerationFacts);
inline constexpr auto kGenerations = [] {
  std::array<Generation, kGenerationCount> all{};
  for (size_t n = 0; n < all.size(); ++n) all[n] = kGenerationFacts[n].generation;
  return all;
}();

constexpr const GenerationFacts& FactsOf(Generation g) {
  return kGenerationFacts[static_cast<size_t>(g)];
}
static_assert(
    [] {
      for (const Generation g : kGenerations) {
        if (FactsOf(g).generation != g) return false;
      }
      return true;
    }(),
    "the facts are in the order of the enumerators");

constexpr bool Has(Generation g, Feature feature) { return (FactsOf(g).features & feature) != 0; }
constexpr bool IsGfx8Plus(Generation g) { return Has(g, kGfx8Isa); }
constexpr bool IsGfx9(Generation g) { return Has(g, kGfx9Isa); }

// "gfx600", "gfx700", "gfx803", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942".
constexpr const char* TargetName(Generation generation) { return FactsOf(generation).target; }

// Generation of a target such as "gfx601" or "gfx906:sramecc-:xnack-"; nullopt if it is not
// emulated.
std::optional<Generation> GenerationOfTarget(std::string_view target);

}  // namespace gcnjit::frontend
