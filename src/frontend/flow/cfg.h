// The control-flow graph of decoded code reachable from one entry, for the analyses and the lifter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "isa/instruction.h"
#include "isa/processor.h"

namespace gcnjit::frontend {

// The words from pc to the end of the code range that pc lies in; empty where there is no code.
using CodeBytes = std::function<std::span<const uint32_t>(uint64_t pc)>;

// Decoded instructions that stay where they are while others are added.
class InstructionStore {
 public:
  // The number that it has from now on.
  size_t Add(const Instruction& instruction) {
    if (size_ % kChunk == 0) chunks_.push_back(std::make_unique<Chunk>());
    (*chunks_.back())[size_ % kChunk] = instruction;
    return size_++;
  }
  size_t size() const { return size_; }
  const Instruction& operator[](size_t n) const { return (*chunks_[n / kChunk])[n % kChunk]; }

 private:
  static constexpr size_t kChunk = 64;
  using Chunk = std::array<Instruction, kChunk>;

  std::vector<std::unique_ptr<Chunk>> chunks_;
  size_t size_ = 0;
};

// What a graph was made from: where its instructions lie, and a copy of the words that they were
// decoded from.
struct SourceCode {
  struct Place {
    uint64_t pc = 0;
    uint32_t dwords = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  std::vector<Place> instructions;  // in the order in which they were decoded
  std::vector<uint32_t> words;      // of one after the other
};

// An instruction at its place. The graph owns what has been decoded.
struct DecodedInstruction {
  uint64_t pc = 0;
  const Instruction* decoded = nullptr;
  // Of a branch inside a block (merge_blocks.h): how many of the following instructions it skips if
  // it is taken.
  uint32_t skips = 0;
  // Are these so many that code had better test whether there is a lane for them?
  bool tests_lanes = false;

  const Instruction& inst() const { return *decoded; }
};

// A run of instructions entered only at its first one and left only after its last one (faults and
// what an engine does not compile apart). Branches inside it, which MergeBlocks may have put there,
// make no difference to what the rest of the block does.
struct CodeBlock {
  uint64_t begin = 0;
  uint64_t end = 0;  // the pc after the last instruction: where falling through arrives
  // Empty where `begin` is no code, cannot be decoded, or is past the limit; the block then
  // `leaves`. So every branch of the graph has a block to go to.
  std::vector<DecodedInstruction> instructions;
  // Indices of blocks, without duplicates. Of a conditional branch: the fall-through first.
  std::vector<uint32_t> successors;
  // Control may go to code outside the graph: after s_setpc, s_swappc, s_call, s_cbranch_*_fork,
  // s_cbranch_join, an instruction that is refused, or because nothing was decoded at `end`.
  bool leaves = false;
  // The last instruction ends the wave: s_endpgm, or an s_trap that is a fault.
  bool ends_program = false;
};

struct ControlFlowGraph {
  std::vector<CodeBlock> blocks;                 // by ascending `begin`
  std::unordered_map<uint64_t, uint32_t> by_pc;  // begin -> index
  uint32_t entry = 0;                            // there is always an entry block
  // What the blocks' instructions refer to; shared by graphs of the same code.
  std::shared_ptr<const InstructionStore> decoded;
  SourceCode source;  // of BuildCfg's graphs, and empty in those that were made from them
};

// Does s_barrier make a wave wait? In a work-group of one wave all have arrived at once (LLVM's
// SIISelLowering.cpp leaves it out there).
enum class Barriers { kWait, kPass };

// Blocks end after branches, s_endpgm, s_trap, what makes the wave wait (s_barrier, s_sleep), and
// whatever sets the pc, and before branch targets. Total for any code: decodes at most
// max_instructions (at least 1). What does not decode is the end of a block that `leaves`, so the
// graph depends on its source alone, and on what is code at all. Each word is read once.
ControlFlowGraph BuildCfg(const Processor& processor, const CodeBytes& code, uint64_t entry,
                          size_t max_instructions, Barriers barriers = Barriers::kWait);

}  // namespace gcnjit::frontend
