#include "differential/kernel_tiles.h"

#include <bit>

namespace gcnjit::differential {

using frontend::kCodeExecLo;

void KernelTiles::Begin() {
  const uint32_t items = w_.group_items();
  pitch_ = random_.Pick({4u, 4u, 4u, 8u, 16u});
  uint32_t bytes = 2 * items * pitch_;
  if (random_.Percent(10)) bytes = random_.Below(bytes);
  w_.program().rows.lds_bytes = bytes;
  w_.Multiply(kLdsAddress, Constant(pitch_), kLocal);
}

// Each piece ends with a barrier: the next one may write what it has read.
void KernelTiles::Add() {
  const int unit = w_.BeginUnit();
  switch (random_.Below(6)) {
    case 0:
    case 1: Tile(); break;
    case 2: TileLoop(); break;
    case 3:
    case 4: Tree(); break;
    default: Bins(); break;
  }
  w_.SetUnit(unit);
}

// ---- Places

void KernelTiles::WriteOwn() {
  if (pitch_ >= 8 && random_.Percent(50)) {
    w_.Add(w_.memory().LdsStore(Opcode::DS_WRITE_B64, kLdsAddress, 2 * random_.Below(4), 0));
  } else {
    const Opcode opcode =
        random_.Pick({Opcode::DS_WRITE_B32, Opcode::DS_WRITE_B32, Opcode::DS_WRITE_B32,
                      Opcode::DS_WRITE_B16, Opcode::DS_WRITE_B8});
    w_.Add(w_.memory().LdsStore(opcode, kLdsAddress, w_.RandomSum(), 0));
  }
  Wait();
}

void KernelTiles::OtherPlace(uint32_t vgpr) {
  const Assembler& a = w_.assembler();
  const auto& [width, height, depth] = w_.program().group.size;
  const uint32_t items = w_.group_items();
  w_.Move(vgpr, Vgpr(kLocal));
  switch (random_.Below(6)) {
    case 0:  // neighbours, around the tile's end where that is a power of two
      w_.AddTo(vgpr, Constant(random_.Pick({1u, 1u, 2u, 16u, 32u, 64u, width})));
      w_.Add(a.Vop2(Opcode::V_AND_B32, vgpr, Constant(std::bit_ceil(items) - 1), vgpr));
      break;
    case 1:  // kept within the tile
      w_.Add(a.Vop2(Opcode::V_ADD_CO_U32, vgpr, random_.Pick({kMinusOne, Inline(1)}), vgpr));
      w_.Add(a.Vop2(Opcode::V_MAX_I32, vgpr, Inline(0), vgpr));
      w_.Add(a.Vop2(Opcode::V_MIN_I32, vgpr, Constant(items - 1), vgpr));
      break;
    case 2: w_.Add(a.Vop2(Opcode::V_SUB_CO_U32, vgpr, Constant(items - 1), vgpr)); break;
    case 3:  // transposed
      w_.Multiply(vgpr, Constant(height), kIdX);
      w_.AddTo(vgpr, Vgpr(kIdY));
      break;
    case 4: w_.Move(vgpr, Constant(random_.Below(items))); break;
    default: w_.Add(a.Vop2(Opcode::V_AND_B32, vgpr, Constant(random_.Below(64)), vgpr)); break;
  }
  w_.Multiply(vgpr, Constant(pitch_), vgpr);
}

void KernelTiles::ReadOthers(uint32_t count) {
  const MemoryAssembler& memory = w_.memory();
  for (; count > 0; --count) {
    OtherPlace(kTemp);
    const Opcode opcode =
        random_.Pick({Opcode::DS_READ_B32, Opcode::DS_READ_B32, Opcode::DS_READ_B64,
                      Opcode::DS_READ2_B32, Opcode::DS_READ_U8, Opcode::DS_READ_I16});
    // Two places, of which the second is further on.
    const uint32_t offset = opcode == Opcode::DS_READ2_B32 ? random_.Below(64) << 8 : 0;
    const bool needs_eight = opcode == Opcode::DS_READ_B64 && pitch_ < 8;
    w_.Add(memory.LdsLoad(needs_eight ? Opcode::DS_READ_B32 : opcode, kLoaded, kTemp, offset));
    Wait();
    w_.Combine(kLoaded);
    const bool is_pair = opcode == Opcode::DS_READ2_B32 || opcode == Opcode::DS_READ_B64;
    if (is_pair && !needs_eight) w_.Combine(kLoaded + 1);
  }
}

// ---- Pieces

void KernelTiles::Tile() {
  WriteOwn();
  Barrier();
  ReadOthers(random_.Between(1, 4));
  w_.RandomVectors(random_.Below(3));
  Barrier();
}

// A tile of memory after the other, each read by all.
void KernelTiles::TileLoop() {
  const Assembler& a = w_.assembler();
  const bool is_known = random_.Percent(40);
  const Source trips = is_known ? Inline(random_.Between(1, 4)) : Sgpr(kInnerTrips);
  const Pointer from = p_.Any(kPointers, kInput);
  w_.Move(kIndex, Vgpr(kLocal));
  w_.AddTo(kIndex, Sgpr(kFirst));
  p_.Point(from, kIndex, 2);
  w_.Add(a.Sop1(Opcode::S_MOV_B32, kCounter, Inline(0)));
  w_.Scalar(Opcode::S_LSHL_B32, kTileStep, Sgpr(kColumnStep), Inline(2));
  int skip = -1;
  if (!is_known) {
    w_.Add(a.Sopc(Opcode::S_CMP_EQ_U32, trips, Inline(0)));
    skip = w_.Branch(Opcode::S_CBRANCH_SCC1);
  }
  const int begin = w_.here();
  p_.At(from, Access::kLoadDword, kLoaded);
  Wait();
  w_.Add(w_.memory().LdsStore(Opcode::DS_WRITE_B32, kLdsAddress, kLoaded, 0));
  Wait();
  Barrier();
  ReadOthers(random_.Between(1, 4));
  Barrier();
  p_.Advance(from, Sgpr(kTileStep));
  w_.Scalar(Opcode::S_ADD_U32, kCounter, Sgpr(kCounter), Inline(1));
  w_.Add(a.Sopc(Opcode::S_CMP_LT_U32, Sgpr(kCounter), trips));
  w_.Target(w_.Branch(Opcode::S_CBRANCH_SCC1), begin);
  if (skip >= 0) w_.TargetHere(skip);
}

// Sums of halves, quarters and so on, to the first place.
void KernelTiles::Tree() {
  const Assembler& a = w_.assembler();
  w_.Add(w_.memory().LdsStore(Opcode::DS_WRITE_B32, kLdsAddress, w_.RandomSum(), 0));
  Wait();
  const uint32_t half = std::bit_ceil(w_.group_items()) / 2;
  if (random_.Percent(65)) {
    for (uint32_t distance = half; distance > 0; distance /= 2) {
      // What a single wave does needs no barrier.
      TreeStep(Constant(distance), random_.Percent(50) ? 0 : 2 * distance);
    }
  } else if (half > 0) {
    w_.Add(a.Sop1(Opcode::S_MOV_B32, kTileStep, Constant(half)));
    const int begin = w_.here();
    TreeStep(Sgpr(kTileStep), 0);
    w_.Scalar(Opcode::S_LSHR_B32, kTileStep, Sgpr(kTileStep), Inline(1));
    w_.Add(a.Sopc(Opcode::S_CMP_LG_U32, Sgpr(kTileStep), Inline(0)));
    w_.Target(w_.Branch(Opcode::S_CBRANCH_SCC1), begin);
  }
  Barrier();
  w_.Move(kTemp, Inline(0));
  w_.Add(w_.memory().LdsLoad(Opcode::DS_READ_B32, kLoaded, kTemp, 0));
  Wait();
  w_.Combine(kLoaded);
  Barrier();
}

// `items`: how many take part, if that is known to be no more than a wave; 0: it is not.
void KernelTiles::TreeStep(Source distance, uint32_t items) {
  const Assembler& a = w_.assembler();
  if (items == 0 || items > runtime::kLanes / 2) Barrier();
  w_.Add(a.Vopc(Opcode::V_CMP_GT_U32, distance, kLocal));
  w_.Add(a.Sop1(Opcode::S_AND_SAVEEXEC_B64, kInnerExec, kVcc));
  const int skip = random_.Percent(60) ? w_.Branch(Opcode::S_CBRANCH_EXECZ) : -1;
  w_.Move(kTemp, Vgpr(kLocal));
  w_.AddTo(kTemp, distance);
  w_.Multiply(kTemp, Constant(pitch_), kTemp);
  w_.Add(w_.memory().LdsLoad(Opcode::DS_READ_B32, kLoaded, kTemp, 0));
  w_.Add(w_.memory().LdsLoad(Opcode::DS_READ_B32, kLoaded + 1, kLdsAddress, 0));
  Wait();
  w_.AddTo(kLoaded, Vgpr(kLoaded + 1));
  w_.Add(w_.memory().LdsStore(Opcode::DS_WRITE_B32, kLdsAddress, kLoaded, 0));
  Wait();
  if (skip >= 0) w_.TargetHere(skip);
  w_.Scalar(Opcode::S_OR_B64, kCodeExecLo, kExec, Sgpr(kInnerExec));
}

// Atomics of one kind, which commute, to places that data say.
void KernelTiles::Bins() {
  const Assembler& a = w_.assembler();
  w_.Add(w_.memory().LdsStore(Opcode::DS_WRITE_B32, kLdsAddress, w_.RandomSum(), 0));
  Wait();
  Barrier();
  const Opcode atomic =
      random_.Pick({Opcode::DS_ADD_U32, Opcode::DS_SUB_U32, Opcode::DS_OR_B32, Opcode::DS_XOR_B32,
                    Opcode::DS_MAX_U32, Opcode::DS_MIN_I32, Opcode::DS_ADD_U32});
  for (uint32_t n = random_.Between(1, 3); n > 0; --n) {
    const Source mask = Constant((1u << random_.Below(7)) - 1);
    w_.Add(a.Vop2(Opcode::V_AND_B32, kTemp, mask, random_.Pick({kLocal, kIdX, w_.RandomSum()})));
    w_.Multiply(kTemp, Constant(pitch_), kTemp);
    w_.Add(w_.memory().LdsStore(atomic, kTemp, w_.RandomSum(), 0));
  }
  Wait();
  Barrier();
  ReadOthers(random_.Between(1, 2));
  Barrier();
}

}  // namespace gcnjit::differential
