#include "frontend/flow/merge_blocks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "frontend/flow/block_order.h"
#include "frontend/flow/high_halves.h"
#include "frontend/flow/known_masks.h"
#include "isa/encodings.h"

namespace gcnjit::frontend {
namespace {

// What it costs to run a block for nothing, against what it costs to split code at it: memory
// instructions without a lane are the dearest.
constexpr size_t kMostSkipped = 24;
// The same where the mask comes from work-item ids alone: hardly any wave has no lane then.
constexpr size_t kMostSkippedById = 128;
// Of one that has a lane as often as not: a test, and what it takes to begin and end the body, cost
// as much.
constexpr size_t kMostForNothing = 64;
// The same where code tests whether the body has a lane.
constexpr size_t kMostSkippedByTest = 256;
// Of a merged block: what the register allocator looks at has to stay small.
constexpr size_t kMostMerged = 2048;
// Of a graph, for all of it to become one: more hardly ever do.
constexpr size_t kMostBlocksOfOne = 64;

// MODE is no register of the analyses.
bool WritesMode(Opcode opcode) {
  switch (opcode) {
    case Opcode::S_SETREG_B32:
    case Opcode::S_SETREG_IMM32_B32:
    case Opcode::S_SETVSKIP:
    case Opcode::S_SET_GPR_IDX_ON:
    case Opcode::S_SET_GPR_IDX_OFF:
    case Opcode::S_SET_GPR_IDX_MODE: return true;
    default: return false;
  }
}

// Long bodies that may be merged.
enum class Bodies {
  kUsual,  // of divisions, which have no lane as a rule, and of integers in registers
  kAll,    // and such that access LDS
};

// Does no wave branch?
bool IsStraight(const ControlFlowGraph& graph) {
  return std::all_of(graph.blocks.begin(), graph.blocks.end(),
                     [](const CodeBlock& block) { return block.successors.size() <= 1; });
}

class Merger {
 public:
  Merger(const ControlFlowGraph& graph, const Liveness& liveness, Generation generation,
         const CanLiftAll& can_lift, std::span<const ReadableMemory> readable)
      : graph_(graph),
        liveness_(liveness),
        generation_(generation),
        can_lift_(can_lift),
        readable_(readable),
        predecessors_(graph.blocks.size()) {
    for (uint32_t n = 0; n < graph.blocks.size(); ++n) {
      for (const uint32_t to : graph.blocks[n].successors) predecessors_[to].push_back(n);
    }
    is_in_loop_ = FindLoopBlocks(graph, predecessors_);
  }

  // False: no block is extended.
  bool MayMerge() const {
    for (uint32_t n = 0; n < graph_.blocks.size(); ++n) {
      const CodeBlock& block = graph_.blocks[n];
      if (block.instructions.empty() || block.leaves || block.ends_program) continue;
      if (LastOpcode(block) == Opcode::S_CBRANCH_EXECZ) return true;
      if (block.successors.size() == 1 && IsOnlyPredecessor(block.successors[0], n) &&
          RunsOn(block)) {
        return true;
      }
    }
    return false;
  }

  ControlFlowGraph Run(Bodies tested) {
    tested_ = tested;
    std::vector<uint8_t> is_gone(graph_.blocks.size(), 0);
    std::map<uint32_t, CodeBlock> merged;  // by the first block's index
    for (const uint32_t n : BlockOrder(graph_)) {
      if (is_gone[n] != 0) continue;
      is_gone[n] = 1;
      Chain chain = ChainFrom(n);
      const bool begins_kernel = n == graph_.entry && predecessors_[n].empty();
      while (Extend(chain, is_gone, {kMostMerged, begins_kernel, {}})) {
      }
      merged.emplace(n, std::move(chain.code));
    }
    ControlFlowGraph result;
    std::vector<uint32_t> new_index(graph_.blocks.size(), 0);
    for (auto& [first, block] : merged) {
      new_index[first] = static_cast<uint32_t>(result.blocks.size());
      result.by_pc.emplace(block.begin, new_index[first]);
      result.blocks.push_back(std::move(block));
    }
    for (CodeBlock& block : result.blocks) {
      for (uint32_t& to : block.successors) to = new_index[to];
    }
    result.entry = new_index[graph_.entry];
    result.decoded = graph_.decoded;
    return result;
  }

 private:
  static Opcode LastOpcode(const CodeBlock& block) {
    return block.instructions.back().inst().opcode;
  }

  bool IsOnlyPredecessor(uint32_t of, uint32_t predecessor) const {
    return of != graph_.entry && predecessors_[of].size() == 1 &&
           predecessors_[of][0] == predecessor;
  }

  // Blocks that are one, in their order.
  struct Chain {
    CodeBlock code;
    std::vector<uint32_t> parts;  // the graph's blocks

    uint32_t last() const { return parts.back(); }
    bool Has(uint32_t block) const {
      return std::find(parts.begin(), parts.end(), block) != parts.end();
    }
  };
  Chain ChainFrom(uint32_t first) const { return {graph_.blocks[first], {first}}; }

  struct Limits {
    size_t most;         // instructions that a chain may have
    bool begins_kernel;  // before the chain come guards at most, and no lanes are loaded
    KnownMasks known;    // where the chain begins
  };

  // Appends what follows the chain; false if that cannot be.
  bool Extend(Chain& chain, std::vector<uint8_t>& is_gone, const Limits& limits) {
    const CodeBlock& code = chain.code;
    if (code.instructions.empty() || code.leaves || code.ends_program) return false;
    if (LastOpcode(code) == Opcode::S_CBRANCH_EXECZ) return ExtendBySkipped(chain, is_gone, limits);
    if (code.successors.size() != 1) return false;
    const uint32_t next = code.successors[0];
    if (!IsOnlyPredecessor(next, chain.last()) || !RunsOn(code)) return false;
    return MayAppend(chain, next, is_gone, limits.most) && Append(chain, ChainFrom(next), is_gone);
  }

  // Does control simply go on after the block's last instruction?
  static bool RunsOn(const CodeBlock& block) {
    switch (LastOpcode(block)) {
      // The wave waits.
      case Opcode::S_BARRIER:
      case Opcode::S_SLEEP:
      case Opcode::S_TRAP: return false;
      case Opcode::S_BRANCH: return true;
      default: return !block.instructions.back().inst().row().Has(BRANCH);
    }
  }

  bool MayAppend(const Chain& chain, uint32_t next, const std::vector<uint8_t>& is_gone,
                 size_t most) const {
    const CodeBlock& other = graph_.blocks[next];
    return is_gone[next] == 0 && !other.instructions.empty() &&
           chain.code.instructions.size() + other.instructions.size() <= most;
  }

  static bool Append(Chain& chain, Chain other, std::vector<uint8_t>& is_gone) {
    for (const uint32_t part : other.parts) is_gone[part] = 1;
    chain.parts.insert(chain.parts.end(), other.parts.begin(), other.parts.end());
    std::vector<DecodedInstruction> instructions = std::move(chain.code.instructions);
    instructions.insert(instructions.end(), other.code.instructions.begin(),
                        other.code.instructions.end());
    const uint64_t begin = chain.code.begin;
    chain.code = std::move(other.code);
    chain.code.begin = begin;
    chain.code.instructions = std::move(instructions);
    return true;
  }

  // chain: ... s_cbranch_execz target; skipped; target: ...
  bool ExtendBySkipped(Chain& chain, std::vector<uint8_t>& is_gone, const Limits& limits) {
    const CodeBlock& block = chain.code;
    if (block.successors.size() != 2) return false;
    const uint32_t skipped = block.successors[0];
    const uint32_t target = block.successors[1];
    const bool is_division = AsksForHighHalves(block.instructions);
    const bool is_by_id = limits.begins_kernel && LoadsNoLanes(block) && !is_division;
    const bool is_rest = is_by_id && IsEndOfKernel(target);
    const bool may_test = !is_by_id && !is_in_loop_[chain.last()];
    const size_t room = limits.most - std::min(limits.most, block.instructions.size());
    const size_t most_skipped = is_rest ? room
                                        : std::min(room, is_by_id   ? kMostSkippedById
                                                         : may_test ? kMostSkippedByTest
                                                                    : kMostSkipped);
    if (!IsOnlyPredecessor(skipped, chain.last())) return false;
    if (!MayAppend(chain, skipped, is_gone, limits.most)) return false;
    // Where MODE has changed, the lifter ends its block before the branch, which the interpreter
    // may execute then: it skips what the body writes.
    if (std::any_of(block.instructions.begin(), block.instructions.end(),
                    [](const auto& at) { return WritesMode(at.inst().opcode); })) {
      return false;
    }
    KnownMasks known = limits.known;
    for (const DecodedInstruction& at : block.instructions) {
      known.Follow(at.inst(), AccessOf(at.inst(), generation_).may_write.sgprs);
    }
    // What is skipped may have such branches itself.
    Chain body = ChainFrom(skipped);
    std::vector<uint8_t> is_gone_with_body = is_gone;
    while (Extend(body, is_gone_with_body, {most_skipped, is_by_id, known})) {
    }
    const CodeBlock& code = body.code;
    if (code.instructions.size() > most_skipped || code.successors.size() != 1 ||
        code.successors[0] != target || code.leaves || code.ends_program || !RunsOn(code)) {
      return false;
    }
    const bool is_long = code.instructions.size() > kMostSkipped;
    const bool is_of_integers = LoadsNoLanes(code) && !HasFloats(code);
    if (may_test && is_long && !is_division && tested_ == Bodies::kUsual && !is_of_integers) {
      return false;
    }
    if (!DoesNothingWithoutLanes(block, known, body, target, {is_by_id, is_rest})) return false;
    if (!WillBeOneBlock(block, code)) return false;
    // The branches inside count for themselves what they skip: without lanes they are taken, too.
    uint32_t skips = static_cast<uint32_t>(code.instructions.size());
    for (const DecodedInstruction& at : code.instructions) skips -= at.skips;
    chain.code.instructions.back().skips = skips;
    const bool is_worth_test =
        code.instructions.size() > (is_division ? kMostSkipped : kMostForNothing);
    chain.code.instructions.back().tests_lanes =
        (may_test && is_worth_test) || (!is_rest && AccessesLds(code));
    // The ways around end at the same block.
    const std::vector<uint32_t>& into = predecessors_[target];
    const uint32_t around = chain.last();
    const bool all = target != graph_.entry &&
                     std::all_of(into.begin(), into.end(),
                                 [&](uint32_t from) { return from == around || body.Has(from); });
    Append(chain, std::move(body), is_gone);
    if (all && MayAppend(chain, target, is_gone, limits.most))
      Append(chain, ChainFrom(target), is_gone);
    return true;
  }

  // Do masks in code that begins a kernel come from work-item ids and scalars alone?
  static bool LoadsNoLanes(const CodeBlock& block) {
    return std::none_of(block.instructions.begin(), block.instructions.end(), [](const auto& at) {
      const Encoding encoding = at.inst().encoding;
      return IsVectorMemory(encoding) || encoding == Encoding::kDs;
    });
  }

  static bool AccessesLds(const CodeBlock& block) {
    return std::any_of(block.instructions.begin(), block.instructions.end(),
                       [](const auto& at) { return at.inst().encoding == Encoding::kDs; });
  }

  // Lanes that are not in a body have what other code has left in registers, which as a float may
  // be one that takes the host long.
  static bool HasFloats(const CodeBlock& block) {
    return std::any_of(block.instructions.begin(), block.instructions.end(), [](const auto& at) {
      const Instruction& inst = at.inst();
      return IsFloat(inst.dst.type) || IsFloat(inst.src[0].type);
    });
  }

  bool IsEndOfKernel(uint32_t block) const {
    const CodeBlock& end = graph_.blocks[block];
    return end.ends_program && end.instructions.size() == 1;
  }

  struct Guarded {
    bool by_id;    // the mask comes from work-item ids, in code that begins a kernel
    bool is_rest;  // and the body is the rest of the kernel
  };
  // `known`: where `block` ends, after which the body is skipped or not.
  bool DoesNothingWithoutLanes(const CodeBlock& block, const KnownMasks& known, const Chain& body,
                               uint32_t target, const Guarded& guarded) const {
    const LivePoint& after = liveness_.AtBegin(target);
    SgprSet written_before = WrittenBy(block);
    KnownMasks masks = known.WithoutLanes();
    SgprSet visible;
    for (const uint32_t part : body.parts) {
      const std::vector<DecodedInstruction>& instructions = graph_.blocks[part].instructions;
      for (size_t n = 0; n < instructions.size(); ++n) {
        const Instruction& inst = instructions[n].inst();
        const RegisterAccess access = liveness_.Access(part, n);
        if (access.unknown) return false;
        if (WritesMode(inst.opcode)) return false;
        // Branches around LDS accesses are those of reductions and scans, where most waves have no
        // lane: the benchmark of that name takes 1.5 times as long without its branches.
        if (inst.encoding == Encoding::kDs && !guarded.is_rest && tested_ == Bodies::kUsual)
          return false;
        if (IsScalarMemory(inst) && !(guarded.by_id && IsReadable(inst, written_before)))
          return false;
        if (access.wide_vgpr_writes.any()) return false;
        const SgprSet& written = access.may_write.sgprs;
        masks.Follow(inst, written);
        if (!masks.IsExecZero()) return false;
        visible |= written & after.live.sgprs;
        if (access.may_write.scc && after.live.scc) return false;
        written_before |= written;
      }
    }
    for (int sgpr = 0; sgpr < static_cast<int>(visible.size()); ++sgpr) {
      const bool is_exec = sgpr == kCodeExecLo || sgpr == kCodeExecHi;
      if (visible.test(static_cast<size_t>(sgpr)) && !is_exec && !masks.IsKept(sgpr)) return false;
    }
    return true;
  }

  // It may fault, or write.
  static bool IsScalarMemory(const Instruction& inst) {
    return inst.encoding == Encoding::kSmrd || inst.encoding == Encoding::kSmem;
  }

  SgprSet WrittenBy(const CodeBlock& block) const {
    SgprSet written;
    for (const DecodedInstruction& at : block.instructions) {
      written |= AccessOf(at.inst(), generation_).may_write.sgprs;
    }
    return written;
  }

  // Is it a load from `readable_`, whose address is still where it was at the entry?
  bool IsReadable(const Instruction& load, const SgprSet& written) const {
    const std::optional<uint32_t> dwords = LoadedDwords(load.opcode);
    const Operand& base = load.src[0];
    const Operand& offset = load.src[1];
    if (!dwords || base.kind != OperandKind::kScalar) return false;
    if (written.test(base.index) || written.test(base.index + 1u)) return false;
    if (offset.kind != OperandKind::kNone && offset.kind != OperandKind::kConstant) return false;
    const int64_t begin =
        (load.has_offset ? load.offset : 0) + (offset.kind == OperandKind::kConstant
                                                   ? static_cast<int64_t>(offset.value & UINT32_MAX)
                                                   : 0);
    return begin >= 0 && std::any_of(readable_.begin(), readable_.end(), [&](const auto& memory) {
             return memory.sgpr == base.index && begin + *dwords * 4 <= int64_t{memory.bytes};
           });
  }

  static std::optional<uint32_t> LoadedDwords(Opcode opcode) {
    switch (opcode) {
      case Opcode::S_LOAD_DWORD: return 1;
      case Opcode::S_LOAD_DWORDX2: return 2;
      case Opcode::S_LOAD_DWORDX4: return 4;
      case Opcode::S_LOAD_DWORDX8: return 8;
      case Opcode::S_LOAD_DWORDX16: return 16;
      default: return std::nullopt;
    }
  }

  // How many instructions count as executed is known at the branch: what it skips must be lifted
  // into its block.
  bool WillBeOneBlock(const CodeBlock& block, const CodeBlock& body) const {
    if (!can_lift_(body.instructions)) return false;
    // After a change of FLAT_SCRATCH, the lifter begins another block at the next flat access.
    const bool has_flat =
        std::any_of(body.instructions.begin(), body.instructions.end(), [](const auto& at) {
          const Encoding encoding = at.inst().encoding;
          return encoding == Encoding::kFlat || encoding == Encoding::kScratch;
        });
    return !has_flat ||
           std::none_of(block.instructions.begin(), block.instructions.end(),
                        [&](const auto& at) { return MayWriteFlatScratch(at.inst()); });
  }
  bool MayWriteFlatScratch(const Instruction& inst) const {
    const SgprSet written = AccessOf(inst, generation_).may_write.sgprs;
    for (const int code : {kCodeFlatScratchGfx8, kCodeFlatScratchGfx7}) {
      if (written.test(code) || written.test(code + 1)) return true;
    }
    return false;
  }

  const ControlFlowGraph& graph_;
  const Liveness& liveness_;
  const Generation generation_;
  const CanLiftAll& can_lift_;
  const std::span<const ReadableMemory> readable_;
  std::vector<std::vector<uint32_t>> predecessors_;
  std::vector<uint8_t> is_in_loop_;  // by block
  Bodies tested_ = Bodies::kUsual;
};

}  // namespace

std::optional<ControlFlowGraph> MergeBlocks(const ControlFlowGraph& graph, const Liveness& liveness,
                                            Generation generation, const CanLiftAll& can_lift,
                                            std::span<const ReadableMemory> readable) {
  Merger merger(graph, liveness, generation, can_lift, readable);
  if (!merger.MayMerge()) return std::nullopt;
  // Tests pay where nothing but barriers is left between blocks: group code is one block then.
  if (graph.blocks.size() <= kMostBlocksOfOne) {
    ControlFlowGraph one = merger.Run(Bodies::kAll);
    if (IsStraight(one)) return one;
  }
  return merger.Run(Bodies::kUsual);
}

}  // namespace gcnjit::frontend
