#include "ir/rewrite/quadword_loads.h"

#include <array>
#include <cstddef>

#include "ir/append.h"

namespace gcnjit::ir {
namespace {

class Rewriter {
 public:
  Rewriter(Function& alone, std::vector<LaneShape>& shapes, bool of_lds)
      : function_(alone), shapes_(shapes), of_lds_(of_lds), facts_(alone.insts.size()) {
    FindUses();
  }

  void Run() {
    std::vector<Value> insts;
    insts.swap(function_.blocks[0].insts);
    out_.reserve(insts.size());
    for (size_t n = 0; n < insts.size(); ++n) {
      const Value v = insts[n];
      if (const Value quadword = facts_[facts_[v.id].low.id].quadword) {
        facts_[v.id].instead = quadword;
        continue;
      }
      if (facts_[v.id].instead) continue;  // a part of a load that has been rewritten
      Inst& inst = function_[v];
      for (int arg = 0; arg < inst.argument_count; ++arg) {
        if (const Value other = facts_[inst.args[arg].id].instead) inst.args[arg] = other;
      }
      out_.push_back(v);
      if (inst.op != Op::kLoad && !(inst.op == Op::kLoadLds && of_lds_)) continue;
      const Dwords dwords = DwordsOf(insts, n);
      if (IsWorthIt(inst, dwords)) Rewrite(v, dwords);
    }
    function_.blocks[0].insts.swap(out_);
  }

 private:
  // Of a load, by dword; none: nothing uses it.
  using Dwords = std::array<Value, 4>;

  struct Facts {
    Value instead;           // of this value
    Value low;               // of a quadword that is made of two dwords of a load
    bool is_joined = false;  // a dword of such a quadword
    bool has_other_use = false;
    Value quadword;  // that is loaded, of its lower dword
  };

  // The lower dword, if the operation makes a quadword of two dwords of a load.
  Value LowDwordOf(const Inst& inst) const {
    if (inst.op != Op::kPack || inst.type != Type::kV64) return {};
    const Inst& low = function_[inst.args[0]];
    const Inst& high = function_[inst.args[1]];
    if (high.op != Op::kPart || high.imm % 2 == 0) return {};
    const bool is_low = high.imm == 1 ? inst.args[0] == high.args[0]
                                      : low.op == Op::kPart && low.args[0] == high.args[0] &&
                                            low.imm == high.imm - 1;
    return is_low ? inst.args[0] : Value{};
  }

  void FindUses() {
    for (const Value v : function_.blocks[0].insts) {
      const Inst& inst = function_[v];
      if (inst.op == Op::kPart) continue;
      const Value low = facts_[v.id].low = LowDwordOf(inst);
      for (int n = 0; n < inst.argument_count; ++n) {
        Facts& facts = facts_[inst.args[n].id];
        (low ? facts.is_joined : facts.has_other_use) = true;
      }
    }
  }

  Dwords DwordsOf(const std::vector<Value>& insts, size_t load) const {
    Dwords dwords{insts[load]};
    for (size_t n = load + 1; n < insts.size(); ++n) {
      const Inst& part = function_[insts[n]];
      if (part.op != Op::kPart || part.args[0] != insts[load]) break;
      dwords[static_cast<size_t>(part.imm)] = insts[n];
    }
    return dwords;
  }

  // Are quadwords made of all that is used?
  bool IsWorthIt(const Inst& load, const Dwords& dwords) const {
    const auto bytes = load.access().bytes;
    if (bytes != 8 && bytes != 16) return false;
    bool has_any = false;
    for (size_t n = 0; n < bytes / 4u; n += 2) {
      if (facts_[dwords[n].id].is_joined && facts_[dwords[n + 1].id].is_joined) {
        has_any = true;
      } else if (facts_[dwords[n].id].has_other_use || facts_[dwords[n + 1].id].has_other_use) {
        return false;
      }
    }
    return has_any;
  }

  // The load's value becomes its first quadword, what follows it the second one.
  void Rewrite(Value load, const Dwords& old) {
    const uint16_t guest = function_[load].guest;
    MemoryAccess access = function_[load].access();
    access.quadwords = true;
    function_[load].aux = access.Pack();
    function_[load].type = Type::kV64;
    shapes_[load.id] = {};
    for (size_t n = 1; n < old.size(); ++n) {
      if (!old[n]) continue;
      function_[old[n]].op = Op::kConst;  // no part any more
      facts_[old[n].id].instead = load;
    }
    facts_[load.id].quadword = load;
    Value second;
    if (old[2] && facts_[old[2].id].is_joined) {
      second = {load.id + 1};
      function_[second] = Inst::Of(Op::kPart, Type::kV64, guest, {load});
      function_[second].imm = 2;
      shapes_[second.id] = {};
      facts_[old[2].id].quadword = second;
      out_.push_back(second);
    }
    for (size_t n = 0; n < old.size(); ++n) {
      if (!facts_[old[n].id].has_other_use) continue;
      facts_[old[n].id].instead =
          Append(n % 2 == 0 ? Op::kLow : Op::kHigh, guest, n < 2 ? load : second);
    }
  }

  Value Append(Op op, uint16_t guest, Value quadword) {
    const Value v = ir::Append(function_, Inst::Of(op, Type::kV32, guest, {quadword}));
    shapes_.emplace_back();
    facts_.emplace_back();
    out_.push_back(v);
    return v;
  }

  Function& function_;
  std::vector<LaneShape>& shapes_;
  const bool of_lds_;
  std::vector<Facts> facts_;  // by value
  std::vector<Value> out_;
};

}  // namespace

void LoadQuadwords(Function& alone, std::vector<LaneShape>& shapes, bool of_lds) {
  Rewriter(alone, shapes, of_lds).Run();
}

}  // namespace gcnjit::ir
