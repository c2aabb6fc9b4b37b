// DS instructions that move values between lanes (no memory involved), and those that act once for
// the whole wave.
#include "runtime/interpreter/ds_update.h"
#include "runtime/interpreter/memory_segments.h"

namespace gcnjit::runtime {

using frontend::IsGfx9;

namespace {

// dst[lane] = data[source[lane]], 0 where the source lane is inactive.
void GatherLanes(Wave& w, int dst, int data, const uint8_t (&source)[kLanes]) {
  const uint64_t exec = w.exec();
  alignas(64) uint32_t result[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const int from = source[lane];
    result[lane] = ((exec >> from) & 1) != 0 ? w.state.vgpr[data][from] : 0;
  }
  ForEachLane(exec, [&](int lane) {
    w.state.vgpr[dst][lane] = result[lane];
    return true;
  });
}

uint32_t Reverse5(uint32_t v) {
  return (v & 1) << 4 | (v & 2) << 2 | (v & 4) | (v & 8) >> 2 | (v & 16) >> 4;
}

// The lane that `lane` reads. FFT and rotate modes came with gfx9 (LLVM accepts them from there
// on). Sources: RDNA3 and RDNA4 ISA, DS_SWIZZLE_B32 (all four modes); CLRX GcnInstrsDs.md and gem5
// ds.cc (quad and bit-mask modes).
uint32_t SwizzleSource(uint32_t lane, uint32_t offset, bool gfx9) {
  const uint32_t half = lane & 0x20;
  if (gfx9 && offset >= 0xE000) {
    const uint32_t mask = offset & 0x1F;
    return (Reverse5(lane & 0x1F) >> std::popcount(mask)) | (lane & mask) | half;
  }
  if (gfx9 && offset >= 0xC000) {
    const uint32_t mask = offset & 0x1F;
    const uint32_t amount = (offset >> 5) & 0x1F;
    const uint32_t rotated = (offset & 0x400) != 0 ? lane - amount : lane + amount;
    return (((lane & mask) | (rotated & ~mask)) & 0x1F) | half;
  }
  if ((offset & 0x8000) != 0) return (lane & 0x3C) | ((offset >> (2 * (lane & 3))) & 3);
  const uint32_t and_mask = offset & 0x1F;
  const uint32_t or_mask = (offset >> 5) & 0x1F;
  const uint32_t xor_mask = (offset >> 10) & 0x1F;
  return (((lane & and_mask) | or_mask) ^ xor_mask) | half;
}

// One addition of `amount` for the wave; all active lanes get the old value.
// LDS: LLVM passes the pointer in M0 (ds_append tests), manuals "(M0.base + instr_offset)"; so M0
// is an address here and no limit, on any generation. GDS: the base is in M0[31:16].
void AppendConsume(Wave& w, const Instruction& i, uint32_t amount) {
  if (w.exec() == 0) return;
  DataShare share = ShareOf(w, i);
  if (!CheckShareBase<uint32_t>(w, share)) return;
  uint32_t address = static_cast<uint32_t>(i.offset);
  if (!i.gds) {
    share.limit = w.group.lds_bytes;
    address += w.state.m0() & 0xFFFF;
  }
  address &= ~3u;
  uint32_t old = 0;
  if (uint64_t{address} + 4 <= share.limit) {
    old = UpdateShare(share, address, AtomicAdd{}, amount, 0u);
  }
  ForEachLane(w.exec(), [&](int lane) {
    w.state.vgpr[i.dst.index][lane] = old;
    return true;
  });
}

}  // namespace

void exec_DS_SWIZZLE_B32(Wave& w, const Instruction& i) {
  alignas(64) uint8_t source[kLanes];
  const bool gfx9 = IsGfx9(w.generation());
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    source[lane] = static_cast<uint8_t>(SwizzleSource(lane, static_cast<uint32_t>(i.offset), gfx9));
  }
  GatherLanes(w, i.dst.index, i.src[0].index, source);
}

// Lane numbers are byte addresses of dwords: bits 7:2 count, the rest is ignored.
// Sources for both permutes: RDNA4 ISA DS_PERMUTE_B32 / DS_BPERMUTE_B32; gem5 ds.cc. (CLRX applies
// the offset to the lane whose address register is read, which contradicts both.)
void exec_DS_BPERMUTE_B32(Wave& w, const Instruction& i) {
  alignas(64) uint8_t source[kLanes];
  const uint32_t* address = w.state.vgpr[i.src[0].index];
  for (int lane = 0; lane < kLanes; ++lane) {
    source[lane] =
        static_cast<uint8_t>(((address[lane] + static_cast<uint32_t>(i.offset)) >> 2) & 63);
  }
  GatherLanes(w, i.dst.index, i.src[1].index, source);
}

// Of several sources the highest lane wins; lanes that no lane writes to get 0.
void exec_DS_PERMUTE_B32(Wave& w, const Instruction& i) {
  alignas(64) uint32_t result[kLanes] = {};
  ForEachLane(w.exec(), [&](int lane) {
    const uint32_t address = w.state.vgpr[i.src[0].index][lane] + static_cast<uint32_t>(i.offset);
    result[(address >> 2) & 63] = w.state.vgpr[i.src[1].index][lane];
    return true;
  });
  ForEachLane(w.exec(), [&](int lane) {
    w.state.vgpr[i.dst.index][lane] = result[lane];
    return true;
  });
}

void exec_DS_APPEND(Wave& w, const Instruction& i) {
  AppendConsume(w, i, static_cast<uint32_t>(std::popcount(w.exec())));
}
void exec_DS_CONSUME(Wave& w, const Instruction& i) {
  AppendConsume(w, i, 0u - static_cast<uint32_t>(std::popcount(w.exec())));
}

void exec_DS_NOP(Wave&, const Instruction&) {}

}  // namespace gcnjit::runtime
