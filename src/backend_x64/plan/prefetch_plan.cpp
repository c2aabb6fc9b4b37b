#include "backend_x64/plan/prefetch_plan.h"

#include <algorithm>
#include <cstdlib>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

// A wave's own accesses are usually a power of two apart.
constexpr int32_t kWithinWave = 4096;

// What the block leaves in the register that `read` reads; none: it leaves it alone.
Value WrittenBack(const ir::Function& function, const ir::Block& block, const Inst& read) {
  const Op set = read.op == Op::kGetVgpr ? Op::kSetVgpr : Op::kSetSgpr;
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    if (inst.op == set && inst.imm == read.imm) return inst.args[0];
  }
  return {};
}

}  // namespace

Streams::Streams(const ir::Function& function, const ir::Block& block)
    : function_(function), block_(block) {
  for (const Value v : block.insts) {
    const Inst& inst = function[v];
    if (!inst.IsIndexed()) continue;
    Stream& stream = streams_[KeyOf(inst)];
    stream.lowest = std::min(stream.lowest, inst.imm);
    stream.highest = std::max(stream.highest, inst.imm);
    stream.has_load |= inst.op == Op::kLoad;
  }
}

Streams::Key Streams::KeyOf(const Inst& access) { return {access.args[0].id, access.args[1].id}; }

// What the block adds to a register that the index is, or that it is a sum with: by so much it will
// be further when the block runs the next time.
Value Streams::StepOf(Value index) const {
  constexpr int kMostTerms = 8;
  Value terms[kMostTerms] = {index};
  for (int done = 0, count = 1; done < count; ++done) {
    const Inst& inst = function_[terms[done]];
    if (inst.op == Op::kAdd && count + 2 <= kMostTerms) {
      terms[count++] = inst.args[0];
      terms[count++] = inst.args[1];
    }
    if (inst.op != Op::kGetVgpr && inst.op != Op::kGetSgpr) continue;
    const Value next = WrittenBack(function_, block_, inst);
    if (!next || next == terms[done]) continue;
    const Inst& step = function_[next];
    if (step.op != Op::kAdd) continue;
    if (step.args[0] == terms[done]) return step.args[1];
    if (step.args[1] == terms[done]) return step.args[0];
  }
  return {};
}

bool Streams::IsLoaded(Value index, Value base) const {
  const auto found = streams_.find({index.id, base.id});
  return found != streams_.end() && found->second.has_load;
}

std::optional<Streams::ScalarSum> Streams::ScalarSumOf(Value v) const {
  const Inst& sum = function_[v];
  if (sum.op != Op::kAdd || sum.type != ir::Type::kV32) return {};
  const int number = function_[sum.args[0]].type == ir::Type::kU32 ? 0 : 1;
  if (function_[sum.args[number]].type != ir::Type::kU32) return {};
  return ScalarSum{sum.args[1 - number], sum.args[number]};
}

// The scalar by which an index is less than another one, where it is the other one less a scalar,
// or both are lanes and a scalar (ir/passes/gather_scalars.cpp); none: it is not.
Value Streams::Distance(Value index, Value other) const {
  const auto difference = [this](Value v, Value from) {
    const Inst& inst = function_[v];
    const bool is_it = inst.op == Op::kSub && inst.args[0] == from &&
                       function_[inst.args[1]].type == ir::Type::kU32;
    return is_it ? inst.args[1] : Value{};
  };
  if (const Value number = difference(index, other)) return number;
  const auto sum = ScalarSumOf(index);
  const auto of_other = ScalarSumOf(other);
  if (!sum || !of_other || sum->lanes != of_other->lanes) return {};
  return difference(sum->number, of_other->number);
}

// Likewise, but that it is the other one that is made of the index.
Value Streams::Before(Value index, Value other) const {
  const auto of_other = ScalarSumOf(other);
  if (!of_other) return {};
  if (of_other->lanes == index) return of_other->number;
  const auto sum = ScalarSumOf(index);
  if (!sum || sum->lanes != of_other->lanes) return {};
  const Inst& number = function_[of_other->number];
  if (number.op != Op::kAdd) return {};
  for (int n = 0; n < 2; ++n) {
    if (number.args[n] == sum->number) return number.args[1 - n];
  }
  return {};
}

// A load at a scalar distance before another one says that waves go from here to there: the other
// one leads it. The foremost one follows a load whose index or base is a sum with its own. A sum
// alone says nothing: it may begin where all waves together end.
void Streams::FindLead(const Inst& load, Lookahead& lookahead) const {
  const Value index = load.args[0];
  const Value base = load.args[1];
  bool is_followed = false;
  for (const auto& [key, stream] : streams_) {
    if (!stream.has_load || key[1] != base.id) continue;
    if (const Value number = Distance(index, Value{key[0]})) {
      lookahead.lead = number;
      return;
    }
    is_followed |= static_cast<bool>(Distance(Value{key[0]}, index));
  }
  if (!is_followed) return;
  for (const auto& [key, stream] : streams_) {
    if (!stream.has_load) continue;
    const Value other_index{key[0]};
    const Value other_base{key[1]};
    if (other_index == index && other_base != base) {
      const Inst& sum = function_[other_base];
      if (sum.op != Op::kAdd || (sum.args[0] != base && sum.args[1] != base)) continue;
      lookahead.lead = other_base;
      lookahead.lead_from = base;
    } else if (other_base == base) {
      if (const Value number = Before(index, other_index)) lookahead.lead = number;
    }
  }
}

std::optional<Lookahead> Streams::Ask(const Inst& access, int32_t next_waves) {
  Stream& stream = streams_[KeyOf(access)];
  const auto is_near = [&](int64_t asked) { return std::abs(access.imm - asked) < kCacheLine; };
  if (std::any_of(stream.asked.begin(), stream.asked.end(), is_near)) return {};
  stream.asked.push_back(access.imm);
  const Value step = StepOf(access.args[0]);
  // A wave that streams through memory is too short for the processor to look ahead by itself.
  const bool reads_on =
      access.imm - stream.lowest >= kCacheLine || stream.highest - access.imm >= kCacheLine;
  if (!step) {
    Lookahead next{reads_on ? kWithinWave : next_waves};
    if (access.op == Op::kLoad) FindLead(access, next);
    return next;
  }
  // Stores of a loop wait for nothing.
  if (access.op == Op::kStore) return {};
  constexpr int64_t kFarthest = 1 << 24;
  const Inst& by = function_[step];
  const auto units = static_cast<int32_t>(by.imm);
  if (by.op == Op::kConst && units < kFarthest && units > -kFarthest) {
    return Lookahead{units << access.access().index_shift, {}, /*is_loop=*/true};
  }
  if (by.op == Op::kGetSgpr && access.access().index_shift <= 3) {
    return Lookahead{0, step, /*is_loop=*/true};
  }
  return {};
}

}  // namespace gcnjit::backend
