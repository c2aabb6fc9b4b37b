#include "differential/generator.h"

#include <string_view>

#include "differential/program_builder.h"
#include "isa/image_operands.h"

namespace gcnjit::differential {
namespace {

using frontend::Generation;
using frontend::Opcode;

// Weights of the kinds of pieces (PieceKind) in a program: mixed ones, and ones in which a kind is
// dense enough that its instructions meet.
constexpr int kProfiles[][kPieceKinds] = {
    // salu valu lane lds flat buf smem br loop block_loop exec idx mode call fork misc gds fault
    {18, 40, 4, 6, 6, 5, 4, 6, 3, 3, 6, 1, 2, 1, 1, 2, 1, 1},
    {10, 85, 4, 0, 0, 0, 0, 0, 0, 0, 4, 1, 2, 0, 0, 1, 0, 0},
    {60, 10, 2, 0, 0, 0, 10, 8, 4, 0, 6, 0, 2, 2, 2, 2, 0, 0},
    {10, 20, 2, 20, 14, 14, 8, 2, 1, 1, 3, 0, 0, 0, 0, 1, 1, 2},
    {12, 20, 4, 3, 3, 2, 2, 18, 10, 4, 20, 1, 1, 2, 2, 2, 0, 0},
    {15, 40, 25, 6, 2, 0, 0, 4, 2, 0, 10, 4, 0, 0, 0, 0, 0, 0},
    {15, 30, 2, 2, 2, 2, 2, 4, 6, 35, 8, 0, 0, 0, 0, 0, 0, 0},
};

// Compiled code depends on the group's shape, and is another one where the ids are not as that
// says. Most programs have only one of the two: each has to be compiled.
ProgramGroup RandomGroup(Random& random) {
  constexpr std::array<uint32_t, 3> kSizes[] = {
      {64, 1, 1}, {64, 1, 1}, {128, 1, 1}, {256, 1, 1}, {32, 2, 1},
      {32, 8, 1}, {16, 4, 1}, {16, 16, 1}, {8, 8, 1},   {8, 8, 2},
      {8, 4, 8},  {4, 4, 4},  {2, 32, 1},  {24, 8, 1},  {12, 16, 1},
  };
  constexpr int kWeights[] = {25, 67, 8};
  ProgramGroup group;
  const size_t kind = random.Weighted(kWeights);
  if (kind == 0) {
    group.id_vgprs = 0;
    return group;
  }
  group.size = random.Pick(kSizes);
  group.id_vgprs = random.Between(group.size[2] > 1 ? 2 : 1, 3);
  const uint32_t waves = group.size[0] * group.size[1] * group.size[2] / runtime::kLanes;
  group.wave = random.Percent(50) ? 0 : random.Below(waves);
  group.ids_percent = kind == 1 ? 100 : 60;
  return group;
}

}  // namespace

uint32_t RandomMode(Random& random, Generation generation) {
  if (random.Percent(30)) return 0x3C0;  // what HSA compilers ask for
  uint32_t mode = random.Bits(8);
  if (random.Percent(50)) mode |= 0xF0;
  if (random.Percent(60)) mode &= ~0xFu;
  if (random.Percent(60)) mode |= runtime::kModeDx10Clamp;
  if (random.Percent(60)) mode |= runtime::kModeIeee;
  if (frontend::Has(generation, frontend::kFp16Overflow) && random.Percent(15))
    mode |= runtime::kModeFp16Overflow;
  return mode;
}

const char* ExcludedReason(Opcode opcode) {
  const frontend::OpcodeRow& row = frontend::RowOf(opcode);
  if (std::string_view(row.id).starts_with("IMAGE_")) {
    const frontend::ImageKind kind = frontend::ImageFormOf(row).kind;
    const bool is_made = kind == frontend::ImageKind::kLoad ||
                         kind == frontend::ImageKind::kStore ||
                         kind == frontend::ImageKind::kSample;
    return is_made ? nullptr : "most images and values of DMASK are not for it";
  }
  switch (opcode) {
    case Opcode::S_MEMTIME:
    case Opcode::S_MEMREALTIME: return "reads a clock";
    case Opcode::V_SMFMAC_I32_16X16X64_I8:
    case Opcode::V_SMFMAC_I32_32X32X32_I8: return "most registers hold no indices for it";
    case Opcode::S_SENDMSGHALT: return "always ends the wave with a trap";
    default: return nullptr;
  }
}

Program GenerateProgram(Generation generation, uint64_t seed) {
  Random random(seed * static_cast<uint64_t>(frontend::kGenerationCount) +
                static_cast<uint64_t>(generation));
  Program program;
  program.generation = generation;
  program.sram_ecc = frontend::Has(generation, frontend::kSramEcc) && random.Percent(50);
  program.seed = seed;
  program.mode = RandomMode(random, generation);
  program.vgpr_count = random.Percent(92) ? random.Between(23, 35) : random.Between(36, 256);
  // Addresses are pairs at the end.
  if (frontend::Has(generation, frontend::kEvenVgprTuples)) program.vgpr_count &= ~1u;
  program.group = RandomGroup(random);
  const auto& profile = kProfiles[random.Below(std::size(kProfiles))];
  const uint32_t length = random.Percent(20) ? random.Between(1, 4) : random.Between(4, 100);
  ProgramBuilder builder(program, profile, random);
  builder.Build(static_cast<int>(length));
  return program;
}

Program GenerateRows(Generation generation, uint64_t seed) {
  constexpr uint32_t kSizes[] = {64, 64, 64, 128, 256, 32, 100};
  constexpr uint32_t kMostItems = 512;
  // The other profiles' branches and loops would keep groups from being compiled together.
  // salu valu lane lds flat buf smem br loop block_loop exec idx mode call fork misc gds fault
  constexpr int kProfile[kPieceKinds] = {36, 40, 4, 0, 2, 4, 14, 1, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0};
  Random random(~seed * static_cast<uint64_t>(frontend::kGenerationCount) +
                static_cast<uint64_t>(generation));
  Program program;
  program.generation = generation;
  program.sram_ecc = frontend::Has(generation, frontend::kSramEcc) && random.Percent(50);
  program.seed = seed;
  program.mode = RandomMode(random, generation);
  program.vgpr_count = 2 * random.Between(12, 18);
  program.group.size = {random.Pick(kSizes), 1, 1};
  ProgramRows& rows = program.rows;
  rows.groups[0] = random.Between(2, kMostItems / program.group.size[0]);
  const uint32_t most_rows = kMostItems / program.group.size[0] / rows.groups[0];
  if (random.Percent(40)) rows.groups[1] = random.Between(1, most_rows);
  if (random.Percent(20)) rows.missing_items[0] = random.Below(program.group.size[0]);
  rows.fixed_bytes = random.Percent(40) ? kRowArgumentBytes : 4 * random.Below(97);
  ProgramBuilder(program, kProfile, random).BuildRows(static_cast<int>(random.Between(1, 30)));
  return program;
}

}  // namespace gcnjit::differential
