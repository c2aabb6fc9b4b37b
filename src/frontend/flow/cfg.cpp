// First every instruction that can be reached is decoded once, by a worklist of block leaders; then
// the blocks are cut at the leaders. Streams may overlap (a jump into the middle of an
// instruction): where one runs into the other, a leader is put, and the rest is shared.
#include "frontend/flow/cfg.h"

#include <algorithm>
#include <array>
#include <optional>

#include "frontend/decode/decoder.h"

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

Flow FlowOf(const Instruction& inst, uint64_t pc, Barriers barriers) {
  const OpcodeRow& row = inst.row();
  constexpr Flow kLeaves = {true, false, true, false, {}};
  constexpr Flow kEnds = {true, false, false, true, {}};
  if (row.refusal != nullptr) return kLeaves;
  if (row.Has(END)) return kEnds;
  const uint64_t next = pc + inst.size;
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
    case Opcode::S_BARRIER: return {.ends_block = barriers == Barriers::kWait};
    case Opcode::S_SLEEP: return {.ends_block = true};
    default: break;
  }
  // s_setpc, s_swappc, s_call, fork and join.
  return row.Has(BRANCH) ? kLeaves : Flow{};
}

// What is known of each pc: code is decoded from one to the next, so those near the last one are
// found at once.
class PcTable {
 public:
  static constexpr uint32_t kNone = 0;
  struct Entry {
    uint32_t number : 31 = kNone;  // of the instruction there, counted from 1
    bool is_leader : 1 = false;
  };

  Entry& operator[](uint64_t pc) {
    const uint64_t page = pc / kPageBytes;
    if (page != last_page_ || last_ == nullptr) {
      last_ = &pages_[page];
      last_page_ = page;
    }
    return (*last_)[pc % kPageBytes / kWordBytes];
  }

 private:
  static constexpr uint64_t kPageBytes = 1024;
  using Page = std::array<Entry, kPageBytes / kWordBytes>;

  std::unordered_map<uint64_t, Page> pages_;
  uint64_t last_page_ = 0;
  Page* last_ = nullptr;
};

class Builder {
 public:
  Builder(const Processor& processor, const CodeBytes& code, size_t max_instructions,
          Barriers barriers)
      : processor_(processor),
        code_(code),
        limit_(std::max<size_t>(max_instructions, 1)),
        barriers_(barriers) {}

  ControlFlowGraph Build(uint64_t entry) {
    AddLeader(entry);
    while (!pending_.empty()) {
      const uint64_t pc = pending_.back();
      pending_.pop_back();
      DecodeFrom(pc);
    }
    MakeBlocks();
    graph_.entry = graph_.by_pc.at(entry);
    graph_.decoded = decoded_;
    return std::move(graph_);
  }

 private:
  void AddLeader(uint64_t pc) {
    // Not the same as the pc of the word that it lies in.
    if (pc % kWordBytes != 0) {
      if (std::ranges::find(leaders_, pc) != leaders_.end()) return;
    } else {
      PcTable::Entry& entry = at_[pc];
      if (entry.is_leader) return;
      entry.is_leader = true;
    }
    leaders_.push_back(pc);
    pending_.push_back(pc);
  }

  void DecodeFrom(uint64_t pc) {
    if (pc % kWordBytes != 0 || at_[pc].number != PcTable::kNone) return;
    std::span<const uint32_t> words = code_(pc);
    while (decoded_->size() < limit_) {
      // From a copy: what is decoded and what is remembered as its source are the same.
      std::array<uint32_t, kMostInstructionWords> copy;
      const std::span<uint32_t> read = std::span(copy).first(std::min(words.size(), copy.size()));
      std::ranges::copy(words.first(read.size()), read.begin());
      Instruction next;
      if (Decode(processor_, read, next) != DecodeStatus::kOk) return;
      decoded_->Add(next);
      graph_.source.instructions.push_back({pc, next.size / uint32_t{kWordBytes}});
      graph_.source.words.insert(graph_.source.words.end(), read.begin(),
                                 read.begin() + next.size / kWordBytes);
      at_[pc].number = static_cast<uint32_t>(decoded_->size()) & 0x7FFFFFFF;
      const Flow flow = FlowOf(next, pc, barriers_);
      if (flow.target) AddLeader(*flow.target);
      pc += next.size;
      if (!flow.falls_through) return;
      if (flow.ends_block || at_[pc].number != PcTable::kNone) return AddLeader(pc);
      if (at_[pc].is_leader) return;
      words = words.subspan(next.size / kWordBytes);
    }
  }

  const Instruction* InstructionAt(uint64_t pc) {
    if (pc % kWordBytes != 0) return nullptr;
    const uint32_t number = at_[pc].number;
    return number == PcTable::kNone ? nullptr : &(*decoded_)[number - 1];
  }

  void MakeBlocks() {
    std::vector<uint64_t> sorted = leaders_;
    std::sort(sorted.begin(), sorted.end());
    graph_.blocks.resize(sorted.size());
    graph_.by_pc.reserve(sorted.size());
    for (uint32_t n = 0; n < sorted.size(); ++n) graph_.by_pc.emplace(sorted[n], n);
    for (uint32_t n = 0; n < sorted.size(); ++n) {
      FillBlock(sorted[n], n + 1 < sorted.size() ? sorted[n + 1] : ~uint64_t{0}, graph_.blocks[n]);
    }
  }

  void FillBlock(uint64_t begin, uint64_t next_leader, CodeBlock& block) {
    block.begin = block.end = begin;
    block.instructions.reserve(MostUpTo(begin, next_leader));
    while (const Instruction* at = InstructionAt(block.end)) {
      block.instructions.push_back({block.end, at});
      const Flow flow = FlowOf(*at, block.end, barriers_);
      block.end += at->size;
      block.leaves = flow.leaves;
      block.ends_program = flow.ends_program;
      const bool next_is_leader = at_[block.end].is_leader;
      if (flow.falls_through && next_is_leader) AddSuccessor(block, block.end);
      if (flow.target) AddSuccessor(block, *flow.target);
      if (flow.ends_block || next_is_leader) return;
    }
    block.leaves = true;  // nothing decoded at block.end
  }

  // There are no more instructions between two leaders.
  size_t MostUpTo(uint64_t begin, uint64_t next_leader) const {
    return std::min<uint64_t>(decoded_->size(), (next_leader - begin) / kWordBytes);
  }

  void AddSuccessor(CodeBlock& block, uint64_t pc) const {
    const uint32_t index = graph_.by_pc.at(pc);
    if (std::ranges::find(block.successors, index) == block.successors.end()) {
      block.successors.push_back(index);
    }
  }

  const Processor processor_;
  const CodeBytes& code_;
  const size_t limit_;
  const Barriers barriers_;
  const std::shared_ptr<InstructionStore> decoded_ = std::make_shared<InstructionStore>();
  PcTable at_;
  std::vector<uint64_t> leaders_;
  std::vector<uint64_t> pending_;  // leaders to decode from
  ControlFlowGraph graph_;
};

}  // namespace

ControlFlowGraph BuildCfg(const Processor& processor, const CodeBytes& code, uint64_t entry,
                          size_t max_instructions, Barriers barriers) {
  return Builder(processor, code, max_instructions, barriers).Build(entry);
}

}  // namespace gcnjit::frontend
