#include "ir/analysis/region_shapes.h"

#include <algorithm>
#include <utility>

#include "ir/analysis/region_flow.h"
#include "ir/analysis/shape_transfer.h"
#include "ir/matrix.h"

namespace gcnjit::ir {
namespace {

// What is known of the registers at a point.
struct State {
  std::array<LaneShape, kVgprs> vgprs;
  std::bitset<kSgprs> ones;  // SGPRs that have nothing but ones
  SgprPairs apart;           // pairs that have no lane in common with EXEC

  // No way that leads there has been seen.
  static State Unseen() {
    State state;
    state.vgprs.fill(LaneShape::Unseen());
    state.ones.set();
    state.apart.set();
    return state;
  }
  static State Unknown() {
    State state;
    state.vgprs.fill({});
    return state;
  }
  bool IsUnseen() const { return vgprs[0].IsUnseen(); }
};

class Analysis {
 public:
  Analysis(const Function& function, const ShapeAssumptions& assumptions)
      : function_(function),
        assumptions_(assumptions),
        flow_(function, assumptions),
        at_begin_(function.blocks.size(), State::Unseen()) {
    result_.of_value.resize(function.insts.size());
  }

  RegionShapes Run() {
    ShapeTransfer transfer(function_, result_.patterns, result_.of_value);
    if (assumptions_.blocks_apart) {
      for (State& state : at_begin_) state = State::Unknown();
    } else {
      FindBegins(transfer);
    }
    for (size_t n = 0; n < function_.blocks.size(); ++n) RunBlock(n, transfer);
    KeepWhatIsLive();
    return std::move(result_);
  }

 private:
  State RunBlock(size_t block, ShapeTransfer& transfer) {
    State state = at_begin_[block];
    for (const Value v : function_.blocks[block].insts) {
      const Inst& inst = function_[v];
      if (inst.op == Op::kGetVgpr) {
        result_.of_value[v.id] = state.vgprs[inst.imm];
      } else if (inst.op == Op::kSetVgpr) {
        state.vgprs[inst.imm] = result_.of_value[inst.args[0].id];
      } else if (inst.op == Op::kSetVgprAt) {
        for (auto vgpr = inst.imm; vgpr < kVgprs; ++vgpr) state.vgprs[vgpr] = {};
      } else if (inst.op == Op::kMatrix) {
        const MatrixProduct product = MatrixProduct::Of(inst);
        for (int n = 0; n < product.shape.ResultRegisters(); ++n) state.vgprs[product.d + n] = {};
      } else {
        FollowSgprs(inst, state, transfer, v);
        result_.of_value[v.id] = transfer.Of(v);
      }
    }
    state.apart = ApartMasksAtEnd(function_, function_.blocks[block], state.apart);
    return state;
  }

  void FollowSgprs(const Inst& inst, State& state, ShapeTransfer& transfer, Value v) {
    const auto n = static_cast<size_t>(inst.imm);
    switch (inst.op) {
      case Op::kGetSgpr: return transfer.SetOnes(v, state.ones[n]);
      case Op::kGetSgpr64: return transfer.SetOnes(v, state.ones[n] && state.ones[n + 1]);
      case Op::kSetSgpr: state.ones[n] = transfer.IsOnes(inst.args[0]); return;
      case Op::kSetSgpr64:
        state.ones[n] = state.ones[n + 1] = transfer.IsOnes(inst.args[0]);
        return;
      default: return;
    }
  }

  void FindBegins(ShapeTransfer& transfer) {
    for (const uint64_t begin : assumptions_.entries) {
      const size_t* const entry = flow_.BlockAt(begin);
      if (entry == nullptr) continue;
      State state = State::Unknown();
      if (assumptions_.has_full_exec) state.ones.set(kExec).set(kExec + 1);
      for (const VgprShape& known : assumptions_.at_entry) {
        LanePatterns::Offsets offsets;
        std::copy(known.offsets.begin(), known.offsets.end(), offsets.begin());
        state.vgprs[known.vgpr] = result_.patterns.Make(known.run, known.zeros, offsets, false);
      }
      Enter(*entry, state);
    }
    Settle(transfer);
    // What no known way leads to.
    for (size_t n = 0; n < function_.blocks.size(); ++n) {
      if (!at_begin_[n].IsUnseen()) continue;
      Enter(n, State::Unknown());
      Settle(transfer);
    }
  }

  void Settle(ShapeTransfer& transfer) {
    while (!pending_.empty()) {
      // In the region's order: loops' ends come last.
      const auto next = std::min_element(pending_.begin(), pending_.end());
      const size_t block = *next;
      pending_.erase(next);
      const State state = RunBlock(block, transfer);
      for (const RegionFlow::Way& way : flow_.From(block)) Go(way, state);
    }
  }

  void Go(const RegionFlow::Way& way, State state) {
    for (int vgpr = 0; vgpr < kVgprs; ++vgpr) {
      if (way.written[vgpr]) state.vgprs[vgpr] = {};
    }
    state.ones &= ~way.written_sgprs;
    for (size_t sgpr = 0; sgpr < kSgprs; ++sgpr) {
      if (way.written_sgprs[sgpr]) ForgetApartMasks(sgpr, state.apart);
    }
    Enter(way.block, state);
  }

  void Enter(size_t block, const State& state) {
    bool changed = false;
    State& begin = at_begin_[block];
    for (int vgpr = 0; vgpr < kVgprs; ++vgpr) {
      LaneShape& shape = begin.vgprs[vgpr];
      if (shape == state.vgprs[vgpr]) continue;
      const LaneShape met = result_.patterns.Meet(shape, state.vgprs[vgpr], false);
      changed |= !(met == shape);
      shape = met;
    }
    changed |= (begin.ones & ~state.ones).any() || (begin.apart & ~state.apart).any();
    begin.ones &= state.ones;
    begin.apart &= state.apart;
    if (changed && std::find(pending_.begin(), pending_.end(), block) == pending_.end()) {
      pending_.push_back(block);
    }
  }

  // Registers by number: VGPRs, then SGPRs.
  using Registers = std::bitset<kVgprs + kSgprs>;

  // Of an operation of one of these kinds, the registers that it is about.
  static void AddRegisters(const Inst& inst, Op vgpr, Op sgpr, Op pair, Registers& to) {
    const auto n = static_cast<size_t>(inst.imm);
    if (inst.op == vgpr) to.set(n);
    if (inst.op == sgpr || inst.op == pair) to.set(kVgprs + n);
    if (inst.op == pair) to.set(kVgprs + n + 1);
  }

  // Registers whose values at a block's begin may be read in it or after it.
  void KeepWhatIsLive() {
    const size_t count = function_.blocks.size();
    std::vector<Registers> read(count), written(count), live(count);
    for (size_t n = 0; n < count; ++n) {
      for (const Value v : function_.blocks[n].insts) {
        const Inst& inst = function_[v];
        Registers reads;
        AddRegisters(inst, Op::kGetVgpr, Op::kGetSgpr, Op::kGetSgpr64, reads);
        if (inst.op == Op::kGetVgprAt) {
          for (auto vgpr = inst.imm; vgpr < kVgprs; ++vgpr) reads.set(static_cast<size_t>(vgpr));
        }
        Registers results;
        if (inst.op == Op::kMatrix) {
          const MatrixProduct product = MatrixProduct::Of(inst);
          for (int r = 0; r < product.shape.ResultRegisters(); ++r) {
            reads.set(product.c + r);
            results.set(product.d + r);
          }
        }
        read[n] |= reads & ~written[n];
        written[n] |= results;
        AddRegisters(inst, Op::kSetVgpr, Op::kSetSgpr, Op::kSetSgpr64, written[n]);
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t n = count; n-- > 0;) {
        Registers after;
        for (const uint64_t target : function_.blocks[n].targets) {
          if (const size_t* const block = flow_.BlockAt(target)) after |= live[*block];
        }
        const auto before = read[n] | (after & ~written[n]);
        changed |= before != live[n];
        live[n] = before;
      }
    }
    result_.at_begin.resize(count);
    result_.ones_at_begin.resize(count);
    result_.apart_at_begin.resize(count);
    result_.constants_at_begin.resize(count);
    for (size_t n = 0; n < count; ++n) {
      for (size_t sgpr = 0; sgpr < kSgprs; ++sgpr) {
        result_.ones_at_begin[n][sgpr] = live[n][kVgprs + sgpr] && at_begin_[n].ones[sgpr];
      }
      for (size_t sgpr = 0; sgpr + 1 < kExec; ++sgpr) {
        const auto is_live = [&](size_t of) { return live[n][kVgprs + of]; };
        result_.apart_at_begin[n][sgpr] =
            at_begin_[n].apart[sgpr] && is_live(sgpr) && is_live(sgpr + 1) && is_live(kExec);
      }
      for (int vgpr = 0; vgpr < kVgprs; ++vgpr) {
        const LaneShape shape = at_begin_[n].vgprs[vgpr];
        if (live[n][vgpr] && shape.run > 1) {
          result_.at_begin[n].push_back({static_cast<uint16_t>(vgpr), shape});
        }
      }
    }
  }

  const Function& function_;
  const ShapeAssumptions& assumptions_;
  const RegionFlow flow_;
  RegionShapes result_;
  std::vector<State> at_begin_;
  std::vector<size_t> pending_;
};

}  // namespace

bool RegionShapes::Hold(size_t block, const uint32_t (*vgprs)[kLanes],
                        const uint32_t* sgprs) const {
  const std::bitset<kSgprs>& ones = ones_at_begin[block];
  for (size_t n = 0; n < kSgprs && ones.any(); ++n) {
    if (ones[n] && ~sgprs[n] != 0) return false;
  }
  const SgprPairs& apart = apart_at_begin[block];
  for (size_t n = 0; n + 1 < kExec && apart.any(); ++n) {
    if (!apart[n]) continue;
    if (((sgprs[n] & sgprs[kExec]) | (sgprs[n + 1] & sgprs[kExec + 1])) != 0) return false;
  }
  for (const RegisterConstant& constant : constants_at_begin[block]) {
    const bool is_sgpr = constant.number < kSgprs;
    const uint32_t* const begin =
        is_sgpr ? sgprs + constant.number : vgprs[constant.number - kSgprs];
    const auto differs = [&](uint32_t value) { return value != constant.value; };
    if (std::any_of(begin, begin + (is_sgpr ? 1 : kLanes), differs)) return false;
  }
  for (const Entry& entry : at_begin[block]) {
    const uint32_t* lanes = vgprs[entry.vgpr];
    const auto& offsets = patterns[entry.shape.offsets].offsets;
    const int run = entry.shape.run;
    const uint32_t zeros = entry.shape.zeros >= 32 ? ~0u : (1u << entry.shape.zeros) - 1;
    uint32_t wrong = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint32_t base = lanes[lane & -run];
      wrong |= (base & zeros) | (lanes[lane] ^ (base + static_cast<uint32_t>(offsets[lane])));
    }
    if (wrong != 0) return false;
  }
  return true;
}

void RegionShapes::KeepBegins(size_t count) {
  of_value = {};
  at_begin.resize(count);
  ones_at_begin.resize(count);
  apart_at_begin.resize(count);
  constants_at_begin.resize(count);
  // Nearly all patterns were of values inside blocks.
  LanePatterns kept;
  for (std::vector<Entry>& entries : at_begin) {
    for (Entry& entry : entries) {
      entry.shape.offsets = kept.Intern(patterns[entry.shape.offsets].offsets);
    }
  }
  patterns = std::move(kept);
}

RegionShapes FindLaneShapes(const Function& function, const ShapeAssumptions& assumptions) {
  return Analysis(function, assumptions).Run();
}

}  // namespace gcnjit::ir
