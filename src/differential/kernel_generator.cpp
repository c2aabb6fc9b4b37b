// Kernels with loops and LDS, which a launch of leaves the same in whatever order their groups run.
#include <algorithm>

#include "differential/generator.h"
#include "differential/kernel_loops.h"
#include "differential/kernel_tiles.h"
#include "differential/kernel_writer.h"

namespace gcnjit::differential {
namespace {

using frontend::Generation;
using frontend::Opcode;

constexpr uint32_t kMostGridItems = 512;

struct Size {
  std::array<uint32_t, 3> items;
  uint32_t axes;
};

constexpr Size kGroupSizes[] = {
    {{64, 1, 1}, 1},  {{64, 1, 1}, 1}, {{128, 1, 1}, 1}, {{256, 1, 1}, 1}, {{32, 1, 1}, 1},
    {{100, 1, 1}, 1}, {{96, 1, 1}, 1}, {{33, 1, 1}, 1},  {{7, 1, 1}, 1},   {{16, 16, 1}, 2},
    {{8, 8, 1}, 2},   {{32, 4, 1}, 2}, {{64, 2, 1}, 2},  {{16, 4, 1}, 2},  {{10, 7, 1}, 2},
    {{33, 3, 1}, 2},  {{4, 64, 1}, 2}, {{16, 8, 1}, 2},  {{4, 4, 4}, 3},   {{8, 4, 2}, 3},
    {{5, 3, 4}, 3},   {{16, 2, 2}, 3}, {{64, 1, 2}, 3},  {{512, 1, 1}, 1}, {{300, 1, 1}, 1},
    {{32, 16, 1}, 2}, {{64, 5, 1}, 2}, {{128, 3, 1}, 2}, {{16, 8, 4}, 3},
};

void ChooseShape(Random& random, Program& program) {
  const Size& size = kGroupSizes[random.Below(std::size(kGroupSizes))];
  program.group.size = size.items;
  program.group.id_vgprs = random.Percent(80) ? size.axes : 3;
  ProgramRows& rows = program.rows;
  // In small grids each item has more to store to.
  const uint32_t most = random.Percent(40) ? kMostGridItems / 4 : kMostGridItems;
  uint32_t left = most / (size.items[0] * size.items[1] * size.items[2]);
  left = std::clamp(left, 1u, random.Percent(60) ? 16u : 4u);
  rows.groups[0] = random.Between(std::min(left, 2u), left);
  for (const size_t axis : {1, 2}) {
    left /= rows.groups[axis - 1];
    if (random.Percent(size.axes > axis ? 50 : 20)) rows.groups[axis] = random.Between(1, left);
  }
  for (size_t axis = 0; axis < 3; ++axis) {
    if (random.Percent(25)) rows.missing_items[axis] = random.Below(size.items[axis]);
  }
}

// if (id < n), around all that follows. Returns the branch, which is to go to the end.
int KernelGuard(KernelWriter& w) {
  const Assembler& a = w.assembler();
  Random& random = w.random();
  const Source bound =
      random.Percent(60) ? Sgpr(kBound) : Literal(w.grid_items() - random.Below(8));
  w.Add(a.Vopc(Opcode::V_CMP_GT_U32, bound, kGlobal));
  if (random.Percent(25)) {
    w.Add(a.Sop1(Opcode::S_MOV_B64, kKernelExec, kVcc));
    w.Add(a.Vopc(Opcode::V_CMP_GT_I32, Sgpr(kSecondBound), kGlobalY));
    w.Scalar(Opcode::S_AND_B64, frontend::kCodeVccLo, kVcc, Sgpr(kKernelExec));
  }
  w.Add(a.Sop1(Opcode::S_AND_SAVEEXEC_B64, kKernelExec, kVcc));
  return w.Branch(Opcode::S_CBRANCH_EXECZ);
}

// What some kernels do before all else, or in the place of a loop.
void StraightLoads(KernelWriter& w) {
  const int unit = w.BeginUnit();
  Random& random = w.random();
  for (uint32_t n = random.Between(1, 3); n > 0; --n) {
    const Pointer from = w.pointers().Any(kPointers, kInput);
    w.Multiply(kIndex, Sgpr(kStride), random.Pick({kGlobal, kLocal, kGlobalX}));
    w.AddTo(kIndex, Sgpr(kFirst));
    w.pointers().Point(from, kIndex, 2);
    w.pointers().At(from, Access::kLoadDword, kLoaded);
    w.Combine(kLoaded);
    w.RandomVectors(random.Below(3));
  }
  w.SetUnit(unit);
}

}  // namespace

Program GenerateKernel(Generation generation, uint64_t seed) {
  constexpr uint32_t kTripCounts[][2] = {{1, 1},  {3, 3},  {8, 4},  {8, 8}, {12, 4},
                                         {20, 4}, {24, 2}, {40, 2}, {90, 1}};
  constexpr int kPieces[] = {45, 35, 20};  // loops, tiles, loads
  Random random(~seed * static_cast<uint64_t>(frontend::kGenerationCount) +
                static_cast<uint64_t>(generation) + (uint64_t{1} << 63));
  Program program;
  program.generation = generation;
  program.sram_ecc = frontend::Has(generation, frontend::kSramEcc) && random.Percent(50);
  program.seed = seed;
  program.mode = RandomMode(random, generation);
  ChooseShape(random, program);
  program.rows.is_orderly = true;
  program.rows.fixed_bytes = random.Percent(40) ? kRowArgumentBytes : 4 * random.Below(97);
  KernelWriter writer(program, random);
  const auto& trips = kTripCounts[random.Below(std::size(kTripCounts))];
  writer.Begin(trips[0], trips[1]);
  KernelLoops loops(writer);
  KernelTiles tiles(writer);
  const bool has_tiles = random.Percent(50);
  if (has_tiles) tiles.Begin();
  const int guard = random.Percent(60) ? KernelGuard(writer) : -1;
  for (uint32_t n = random.Between(1, 3); n > 0; --n) {
    switch (random.Weighted(kPieces)) {
      case 0: loops.Add(/*depth=*/0); break;
      case 1: has_tiles ? tiles.Add() : loops.Add(/*depth=*/0); break;
      default: StraightLoads(writer); break;
    }
  }
  writer.End();
  if (guard >= 0) writer.Target(guard, writer.here() - 1);
  return program;
}

Program GenerateLaunch(Generation generation, uint64_t seed) {
  return Random(seed).Percent(50) ? GenerateKernel(generation, seed)
                                  : GenerateRows(generation, seed);
}

}  // namespace gcnjit::differential
