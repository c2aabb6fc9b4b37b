// A wave with random contents and the memory it may touch, for tests that run single instructions
// in the interpreter.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "isa/generation.h"
#include "isa/instruction.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/interpreter.h"
#include "runtime/memory/guest_memory.h"
#include "runtime/state/global_wave_sync.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::frontend {

using Random = std::mt19937_64;

inline bool OneIn(Random& random, uint64_t n) { return random() % n == 0; }

// Random dwords, a quarter of them small numbers and floats of every class.
class DwordPool {
 public:
  DwordPool();
  uint32_t Next(Random& random) const { return dwords_[random() % dwords_.size()]; }
  void Fill(Random& random, uint32_t* to, size_t count) const;

 private:
  std::vector<uint32_t> dwords_;
};

// Global memory, LDS and GDS with known contents.
class TestMemory {
 public:
  static constexpr uint64_t kArenaBytes = 256 * 1024;
  static constexpr uint32_t kLdsBytes = 32 * 1024;
  static constexpr uint32_t kGdsBytes = 64 * 1024;

  TestMemory();
  ~TestMemory();
  TestMemory(const TestMemory&) = delete;
  TestMemory& operator=(const TestMemory&) = delete;

  // An address with memory on both sides of it.
  uint64_t middle() const { return arena_ + kArenaBytes / 4; }
  uint64_t arena() const { return arena_; }
  // What is not as it was first, with where it is; puts back what was there.
  std::vector<std::byte> TakeChanges();
  runtime::GuestMemory* guest() const { return guest_.get(); }
  std::byte* lds() { return lds_.data(); }
  std::byte* gds() { return gds_.data(); }

 private:
  std::shared_ptr<runtime::GuestMemory> guest_;
  uint64_t arena_ = 0;
  std::vector<std::byte> lds_;
  std::vector<std::byte> gds_;
  std::vector<std::byte> pristine_;
};

// Executes instructions on a state of its own choosing.
class Stepper {
 public:
  Stepper(Generation generation, TestMemory& memory);

  // One instruction at state.pc; says how it ended.
  runtime::WaveEvent Step(runtime::WaveState& state, const runtime::CodeSlot& slot);

 private:
  runtime::DispatchState dispatch_;
  runtime::WorkgroupState group_;
  std::atomic<bool> stop_{false};
};

// How many vector registers instructions of the generation can name.
inline size_t NamedVectorRegisters(Generation generation) {
  return Has(generation, kAccVgprs) ? kVectorRegisters : kFirstAccVgpr;
}

// How much of a state its first `registers` vector registers and all before them are.
inline size_t StateBytes(size_t registers) {
  return offsetof(runtime::WaveState, vgpr) + registers * sizeof runtime::WaveState::vgpr[0];
}

// Random registers, EXEC (none, some, all lanes) and MODE, without GPR_IDX_EN and VSKIP.
// `registers`: the first so many vector registers.
void FillState(const DwordPool& pool, Random& random, size_t registers, runtime::WaveState& state);
// All but the vector registers after the first `registers`, which are half of what would be copied.
void CopyState(const runtime::WaveState& from, size_t registers, runtime::WaveState& to);

// Puts addresses into the registers that a memory instruction takes them from, so that it seldom
// faults; M0 gets a value that means something to some instruction.
void PrepareOperands(const Instruction& instruction, Generation generation,
                     const TestMemory& memory, Random& random, runtime::WaveState& state);

}  // namespace gcnjit::frontend
