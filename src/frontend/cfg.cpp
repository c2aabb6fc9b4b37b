// First every instruction that can be reached is decoded once, by a worklist of block leaders; then
// the blocks are cut at the leaders. Streams may overlap (a jump into the middle of an
// instruction): where one runs into the other, a leader is put, and the rest is shared.
#include "frontend/cfg.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "frontend/decoder.h"

namespace gcnjit::frontend {
namespace {

constexpr uint64_t kWordBytes = 4;

// How control goes on after an instruction; by default, to the next one in the same block.
struct Flow {
  bool ends_block = false;
  bool falls_through = true;
  bool leaves = false;
  bool ends_program = false;
  std::optional<uint64_t> target = {};
};

// s_trap 3, llvm.debugtrap, does nothing without a debugger; the others stop the wave with a fault
// (LLVM AMDGPUUsage, "Trap handler ABI").
bool IsDebugTrap(const Instruction& inst) { return (inst.imm & 0xFF) == 3; }

Flow FlowOf(const DecodedInstruction& decoded) {
  const Instruction& inst = decoded.inst;
  const OpcodeRow& row = inst.row();
  constexpr Flow kLeaves = {true, false, true, false, {}};
  constexpr Flow kEnds = {true, false, false, true, {}};
  if (row.refusal != nullptr) return kLeaves;
  if (row.Has(END)) return kEnds;
  const uint64_t next = decoded.pc + inst.size;
  const uint64_t target = next + static_cast<uint64_t>(int64_t{inst.imm} * 4);
  switch (inst.opcode) {
    case Opcode::S_BRANCH: return {true, false, false, false, target};
    case Opcode::S_CBRANCH_SCC0:
    case Opcode::S_CBRANCH_SCC1:
    case Opcode::S_CBRANCH_VCCZ:
    case Opcode::S_CBRANCH_VCCNZ:
    case Opcode::S_CBRANCH_EXECZ:
    case Opcode::S_CBRANCH_EXECNZ:
    case Opcode::S_CBRANCH_CDBGSYS:
    case Opcode::S_CBRANCH_CDBGUSER:
    case Opcode::S_CBRANCH_CDBGSYS_OR_USER:
    case Opcode::S_CBRANCH_CDBGSYS_AND_USER: return {true, true, false, false, target};
    case Opcode::S_TRAP: return IsDebugTrap(inst) ? Flow{.ends_block = true} : kEnds;
    // The wave waits for others, so compiled code has to return here.
    case Opcode::S_BARRIER:
    case Opcode::S_SLEEP: return {.ends_block = true};
    default: break;
  }
  // s_setpc, s_swappc, s_call, fork and join.
  return row.Has(BRANCH) ? kLeaves : Flow{};
}

class Builder {
 public:
  Builder(Generation generation, const CodeBytes& code, size_t max_instructions)
      : generation_(generation), code_(code), limit_(std::max<size_t>(max_instructions, 1)) {}

  ControlFlowGraph Build(uint64_t entry) {
    AddLeader(entry);
    while (!pending_.empty()) {
      const uint64_t pc = pending_.back();
      pending_.pop_back();
      DecodeFrom(pc);
    }
    MakeBlocks();
    graph_.entry = graph_.by_pc.at(entry);
    return std::move(graph_);
  }

 private:
  void AddLeader(uint64_t pc) {
    if (leaders_.insert(pc).second) pending_.push_back(pc);
  }

  void DecodeFrom(uint64_t pc) {
    if (index_of_.contains(pc)) return;
    if (pc % kWordBytes != 0) return;
    std::span<const uint32_t> words = code_(pc);
    while (decoded_.size() < limit_) {
      DecodedInstruction next{pc, {}};
      if (Decode(generation_, words, next.inst) != DecodeStatus::kOk) return;
      index_of_.emplace(pc, decoded_.size());
      decoded_.push_back(next);
      const Flow flow = FlowOf(next);
      if (flow.target) AddLeader(*flow.target);
      pc += next.inst.size;
      if (!flow.falls_through) return;
      if (flow.ends_block || index_of_.contains(pc)) return AddLeader(pc);
      if (leaders_.contains(pc)) return;
      words = words.subspan(next.inst.size / kWordBytes);
    }
  }

  const DecodedInstruction* InstructionAt(uint64_t pc) const {
    const auto found = index_of_.find(pc);
    return found == index_of_.end() ? nullptr : &decoded_[found->second];
  }

  void MakeBlocks() {
    std::vector<uint64_t> sorted(leaders_.begin(), leaders_.end());
    std::sort(sorted.begin(), sorted.end());
    graph_.blocks.resize(sorted.size());
    graph_.by_pc.reserve(sorted.size());
    for (uint32_t n = 0; n < sorted.size(); ++n) graph_.by_pc.emplace(sorted[n], n);
    for (uint32_t n = 0; n < sorted.size(); ++n) FillBlock(sorted[n], graph_.blocks[n]);
  }

  void FillBlock(uint64_t begin, CodeBlock& block) {
    block.begin = block.end = begin;
    while (const DecodedInstruction* at = InstructionAt(block.end)) {
      block.instructions.push_back(*at);
      block.end += at->inst.size;
      const Flow flow = FlowOf(*at);
      block.leaves = flow.leaves;
      block.ends_program = flow.ends_program;
      const bool next_is_leader = leaders_.contains(block.end);
      if (flow.falls_through && next_is_leader) AddSuccessor(block, block.end);
      if (flow.target) AddSuccessor(block, *flow.target);
      if (flow.ends_block || next_is_leader) return;
    }
    block.leaves = true;  // nothing decoded at block.end
  }

  void AddSuccessor(CodeBlock& block, uint64_t pc) const {
    const uint32_t index = graph_.by_pc.at(pc);
    if (std::ranges::find(block.successors, index) == block.successors.end()) {
      block.successors.push_back(index);
    }
  }

  const Generation generation_;
  const CodeBytes& code_;
  const size_t limit_;
  std::vector<DecodedInstruction> decoded_;
  std::unordered_map<uint64_t, size_t> index_of_;  // pc -> decoded_
  std::unordered_set<uint64_t> leaders_;
  std::vector<uint64_t> pending_;  // leaders to decode from
  ControlFlowGraph graph_;
};

}  // namespace

ControlFlowGraph BuildCfg(Generation generation, const CodeBytes& code, uint64_t entry,
                          size_t max_instructions) {
  return Builder(generation, code, max_instructions).Build(entry);
}

}  // namespace gcnjit::frontend
