// Runs waves in the interpreter and counts what they do.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "profile/code_counts.h"
#include "runtime/check/access.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/interpreter.h"

namespace gcnjit::profile {

// Flops of one lane of an instruction. An addition, a multiplication, a minimum or the like is one,
// a fused or unfused multiply-add two, in f16, f32 and f64 alike. Conversions, comparisons and
// scalings by powers of two are none, approximate functions one.
int FlopsOf(const frontend::OpcodeRow& row);

class WaveCounter {
 public:
  explicit WaveCounter(runtime::CodeMap& code) : code_(code), reader_(code) {}

  // As runtime::RunWave.
  uint64_t Run(runtime::Wave& w, uint64_t budget);

  CountsByPc Counts() const;

 private:
  struct Seen {
    CodeCounts counts;
    frontend::Instruction instruction;
    runtime::check::InstructionInfo info;
    bool is_vector = false;  // skipped while MODE.vskip is set
  };

  Seen& SeenAt(uint64_t pc);
  void CountAccesses(runtime::Wave& w, Seen& seen);
  // Where a wave is after an instruction, if it is not the next one.
  void NoteTarget(const runtime::Wave& w, const Seen& seen, uint64_t pc);

  runtime::CodeMap& code_;
  runtime::CodeReader reader_;
  runtime::check::AccessList accesses_;
  std::unordered_map<uint64_t, Seen> seen_;  // by guest address
};

}  // namespace gcnjit::profile
