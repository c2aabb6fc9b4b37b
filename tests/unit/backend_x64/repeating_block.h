// Blocks in which some VGPRs repeat themselves along the wave, so that their values are alike in
// all parts of a slice, and others do not.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend {

inline constexpr int kRepeating = 6;  // v0 to v5 repeat themselves; of the others nothing is known
inline constexpr auto kLow = static_cast<uint32_t>(GuestPages::kBegin);
inline constexpr auto kHigh = static_cast<uint32_t>(GuestPages::kBegin >> 32);
inline constexpr uint64_t kAll = ~uint64_t{0};

// Bits of a lane's number that values depend on: those of v0 to v2, and of v3 to v5.
struct LaneBits {
  uint32_t first = 0;
  uint32_t second = 0;
};

// The bits of `value` that `mask` has, side by side.
inline uint32_t Gathered(uint32_t value, uint32_t mask) {
  uint32_t result = 0;
  for (uint32_t to = 1; mask != 0; to <<= 1, mask &= mask - 1) {
    if ((value & mask & -mask) != 0) result |= to;
  }
  return result;
}

// v0 to v2 have the same offsets, so that they can be exchanged in loops.
inline std::vector<ir::VgprShape> ShapesOf(LaneBits bits) {
  std::vector<ir::VgprShape> shapes;
  for (int n = 0; n < kRepeating; ++n) {
    ir::VgprShape shape{n, ir::kLanes, 0, {}};
    const uint32_t factor = n < 3 ? 0x403u : 0x10005u * static_cast<uint32_t>(n);
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      const uint32_t place = Gathered(lane, n < 3 ? bits.first : bits.second);
      shape.offsets[lane] = n == 5 ? place * 4 : place * place * factor;
    }
    shapes.push_back(shape);
  }
  return shapes;
}

inline Machine RepeatingMachine(uint64_t seed, LaneBits bits) {
  std::mt19937_64 random(seed);
  Machine machine;
  FillRandom(random, machine.vgpr);
  for (const ir::VgprShape& shape : ShapesOf(bits)) {
    auto& vgpr = machine.vgpr[static_cast<size_t>(shape.vgpr)];
    // v5 is small: an address in LDS.
    const uint32_t base = shape.vgpr == 5 ? vgpr[0] & 0x1FC : vgpr[0];
    for (size_t lane = 0; lane < ir::kLanes; ++lane) vgpr[lane] = base + shape.offsets[lane];
  }
  for (uint32_t& sgpr : machine.sgpr) sgpr = static_cast<uint32_t>(random());
  FillRandom(random, machine.memory);
  FillRandom(random, machine.lds);
  // s[8:9] is where indexed accesses begin.
  machine.sgpr[8] = kLow + 64;
  machine.sgpr[9] = kHigh;
  // EXEC: code for all lanes is another version.
  if (seed % 2 == 0) machine.sgpr[126] = machine.sgpr[127] = ~0u;
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    machine.vgpr[30][lane] = 0;
    machine.vgpr[31][lane] = lane * 5 % 9;
  }
  return machine;
}

// A block while it is built: a loop that s0 counts down, or not.
class RepeatingBlock {
 public:
  RepeatingBlock() : b(function_, NewBlock()) {}

  ir::Value Vgpr(int n) {
    if (!vgprs_[n]) vgprs_[n] = b.Emit(ir::Op::kGetVgpr, ir::Type::kV32, {}, n);
    return vgprs_[n];
  }
  ir::Value Sgpr(int n) { return b.Emit(ir::Op::kGetSgpr, ir::Type::kU32, {}, n); }
  // One value a pair: accesses of one base and index share more than that.
  ir::Value Pair(int n) {
    if (!pairs_[n]) pairs_[n] = b.Emit(ir::Op::kGetSgpr64, ir::Type::kU64, {}, n);
    return pairs_[n];
  }
  ir::Value All() { return b.U64(kAll); }
  void Set(int n, ir::Value v) { b.Emit(ir::Op::kSetVgpr, ir::Type::kVoid, {v}, n); }
  // Of loops: all old values are read first.
  void SetLast(int n, ir::Value v) { sets_.emplace_back(n, v); }
  // Makes any number an address within memory, and the index of one.
  ir::Value Address(ir::Value v) { return b.Add(b.And(v, b.U32(0x1FF0)), b.U32(kLow)); }
  ir::Value Index(ir::Value v) { return b.And(v, b.U32(0x7FF)); }
  std::vector<ir::Value> Parts(ir::Value load, uint8_t bytes) {
    std::vector<ir::Value> parts;
    for (int n = 0; n < bytes / 4; ++n) parts.push_back(b.Part(load, n));
    return parts;
  }
  std::vector<ir::Value> Load(ir::Value address, ir::Value mask, uint8_t bytes = 4,
                              ir::Space space = ir::Space::kGlobal) {
    ir::MemoryAccess access;
    access.bytes = bytes;
    access.space = space;
    return Parts(
        b.Emit(ir::Op::kLoad, ir::Type::kV32, {address, b.U32(kHigh), mask}, 16, access.Pack()),
        bytes);
  }
  std::vector<ir::Value> LoadIndexed(ir::Value index, ir::Value mask, uint8_t bytes = 4) {
    return Parts(
        b.Emit(ir::Op::kLoad, ir::Type::kV32, {index, Pair(8), mask}, 8, Indexed(bytes).Pack()),
        bytes);
  }
  std::vector<ir::Value> LoadLds(ir::Value address, ir::Value mask, uint8_t bytes = 4,
                                 int64_t imm = 0) {
    ir::MemoryAccess access;
    access.bytes = bytes;
    return Parts(b.Emit(ir::Op::kLoadLds, ir::Type::kV32, {address, mask, b.U32(0x10000)}, imm,
                        access.Pack()),
                 bytes);
  }
  void Store(ir::Value index, ir::Value mask, ir::Value v) {
    b.Emit(ir::Op::kStore, ir::Type::kVoid, {index, Pair(8), mask, v}, 0, Indexed(4).Pack());
  }
  void StoreLds(ir::Value address, ir::Value mask, ir::Value v) {
    b.Emit(ir::Op::kStoreLds, ir::Type::kVoid, {address, mask, b.U32(0x10000), v}, 0,
           ir::MemoryAccess{}.Pack());
  }

  const ir::Function& Finish() {
    b.Emit(ir::Op::kExit, ir::Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
    return function_;
  }
  // Lanes leave when v30 has come to v31.
  const ir::Function& FinishUntilNoLane() {
    const ir::Value next = b.Add(Vgpr(30), b.U32(1));
    SetLast(30, b.Select(Pair(126), next, Vgpr(30)));
    const ir::Value exec = b.And(Pair(126), b.Compare(ir::Op::kLtU, next, Vgpr(31)));
    EmitSets();
    b.Emit(ir::Op::kSetSgpr64, ir::Type::kVoid, {exec}, 126);
    return End(b.Compare(ir::Op::kNe, exec, b.U64(0)));
  }
  const ir::Function& FinishLoop() {
    const ir::Value left = b.Sub(Sgpr(0), b.U32(1));
    EmitSets();
    b.Emit(ir::Op::kSetSgpr, ir::Type::kVoid, {left}, 0);
    return End(b.Compare(ir::Op::kNe, left, b.U32(0)));
  }

 private:
  void EmitSets() {
    for (const auto& [n, v] : sets_) Set(n, v);
  }
  const ir::Function& End(ir::Value condition) {
    function_.blocks[0].targets[0] = function_.blocks[0].begin;
    function_.blocks[0].targets[1] = 0x2000;
    b.Emit(ir::Op::kBranch, ir::Type::kVoid, {condition});
    return function_;
  }
  ir::Block& NewBlock() {
    function_.blocks.resize(1);
    function_.blocks[0].begin = 0x1000;
    function_.blocks[0].instruction_count = 1;
    function_.blocks[0].guest_pcs = {0};
    return function_.blocks[0];
  }
  static ir::MemoryAccess Indexed(uint8_t bytes) {
    ir::MemoryAccess access;
    access.bytes = bytes;
    access.indexed = true;
    access.index_shift = 2;
    return access;
  }

  ir::Function function_;
  ir::Value vgprs_[Machine::kVgprs];
  ir::Value pairs_[128];
  std::vector<std::pair<int, ir::Value>> sets_;

 public:
  ir::Builder b;
};

// All parts alike; every second one, and pairs of neighbours, of 8 and of 16 lanes.
inline constexpr LaneBits kLaneBits[] = {{15, 15},     {7, 7},       {1, 1},       {0, 0},
                                         {0x1F, 0x30}, {0x37, 0x0F}, {0x2F, 0x1F}, {0x20, 0x2F}};
inline std::ostream& operator<<(std::ostream& out, LaneBits bits) {
  return out << "lane bits " << bits.first << ", " << bits.second;
}

inline int CountOf(const std::string& text, const std::string& what) {
  int count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// In how many parts does `build(block)`, which multiplies once in lanes, do it? The bits are those
// of registers of 8 lanes; of wider ones, twice as many.
template <typename F>
void ExpectParts(int expected, LaneBits bits, F build, bool is_loop = false) {
  RepeatingBlock block;
  build(block);
  const ir::Function& function = is_loop ? block.FinishLoop() : block.Finish();
  for (const HostIsa isa : HostIsas()) {
    const bool is_wide = isa == HostIsa::kAvx512;
    const LaneBits lane_bits = is_wide ? LaneBits{bits.first << 1 | 1, bits.second << 1 | 1} : bits;
    CompiledBlock compiled(function, isa, {}, /*listing=*/true, ShapesOf(lane_bits));
    EXPECT_EQ(CountOf(compiled.listing(), "vpmulld"), expected) << NameOf(isa) << '\n'
                                                                << compiled.listing();
  }
}

// Does it once for all parts, or for each?
template <typename F>
void ExpectShared(bool expected, F build, bool is_loop = false) {
  ExpectParts(expected ? 1 : 4, {7, 7}, build, is_loop);
}

// The same result on each instruction set, with windows and without, whatever repeats itself.
inline void ExpectTheSame(const ir::Function& function, bool is_loop = false) {
  ASSERT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
  for (const LaneBits bits : kLaneBits) {
    for (const HostIsa isa : HostIsas()) {
      CompiledBlock block(function, isa, {}, /*listing=*/is_loop, ShapesOf(bits));
      if (is_loop) {
        ASSERT_NE(block.listing().find("next iteration"), std::string::npos) << "no loop";
      }
      for (const uint32_t trips : {1u, 2u, 7u}) {
        Machine machine = RepeatingMachine(trips, bits);
        machine.sgpr[0] = trips;
        const Outcome expected =
            is_loop ? RunEvaluatorLoop(function, machine) : RunEvaluator(function, machine);
        ASSERT_FALSE(expected.fault) << ir::Print(function);
        const Outcome actual =
            is_loop ? block.RunLoop(machine, trips == 2 ? 1 : kAll / 2) : block.Run(machine);
        ASSERT_EQ(Difference(actual, expected), "") << NameOf(isa) << ", " << bits << '\n'
                                                    << ir::Print(function);
      }
    }
  }
}

}  // namespace gcnjit::backend
