// The target computes the address of each lane in 64 bits, though what differs between lanes is
// usually a 32-bit index:
//
//   base + (ext(index) << shift) + constant,   base the same for all lanes
//
// Loads and stores whose address is such a sum get base and index instead of the address, in their
// indexed form: base is scalar code, and the sums of lanes die if they have no other use. Loads
// from a scalar address, and stores of one dword there, get it as base, and an index of 0: its
// halves are not used then.
#include <optional>

#include "ir/append.h"
#include "ir/passes.h"

namespace gcnjit::ir {
namespace {

// What a 64-bit lane value is the sum of, modulo 2^64.
struct Address {
  Value base;   // u64; none: 0
  Value index;  // v32; none: 0
  bool index_signed = false;
  uint32_t shift = 0;
  uint64_t constant = 0;
};

class Indexer {
 public:
  explicit Indexer(Function& function) : function_(function) {}

  void Run(Block& block) {
    out_.clear();
    out_.reserve(block.insts.size() + 16);
    made_.clear();
    for (const Value value : block.insts) {
      if (Def(value).op == Op::kLoad || Def(value).op == Op::kStore) Rewrite(value);
      out_.push_back(value);
    }
    block.insts.swap(out_);
  }

 private:
  static constexpr int kMostTerms = 8;

  const Inst& Def(Value value) const { return function_[value]; }

  void Rewrite(Value value) {
    const Inst inst = Def(value);
    const Inst& low = Def(inst.args[0]);
    const Inst& high = Def(inst.args[1]);
    if (low.op != Op::kLow || high.op != Op::kHigh || low.args[0] != high.args[0]) return;
    guest_ = inst.guest;
    if (Def(low.args[0]).type != Type::kV64) return RewriteScalar(value, low.args[0]);
    std::optional<Address> address = Decompose(low.args[0], kMostTerms);
    if (!address || !address->index || address->shift > 31) return;
    const auto offset = static_cast<int64_t>(static_cast<uint64_t>(inst.imm) + address->constant);
    const bool fits = offset < kMaxLaneOffset && offset > -kMaxLaneOffset;
    if (!fits) address->base = Sum(address->base, Constant(Type::kU64, address->constant));
    MemoryAccess access = inst.access();
    access.indexed = true;
    access.index_signed = address->index_signed;
    access.index_shift = static_cast<uint8_t>(address->shift);
    const Value base = address->base ? address->base : Constant(Type::kU64, 0);
    Inst& result = function_[value];
    result.args[0] = address->index;
    result.args[1] = base;
    result.aux = access.Pack();
    if (fits) result.imm = offset;
  }

  void RewriteScalar(Value value, Value address) {
    MemoryAccess access = Def(value).access();
    if (Def(value).op == Op::kStore && access.Dwords() != 1) return;
    access.indexed = true;
    const Value index = Constant(Type::kU32, 0);
    Inst& result = function_[value];
    result.args[0] = index;
    result.args[1] = address;
    result.aux = access.Pack();
  }

  // `depth`: operations to look through; sums of sums of the same values must not take for ever.
  std::optional<Address> Decompose(Value value, int depth) {
    const Inst inst = Def(value);
    Address result;
    if (depth == 0) return std::nullopt;
    if (inst.op == Op::kConst) {
      result.constant = static_cast<uint64_t>(inst.imm);
      return result;
    }
    if (inst.type == Type::kU64) {
      result.base = value;
      return result;
    }
    switch (inst.op) {
      case Op::kSext:
      case Op::kZext:
        if (Def(inst.args[0]).type != Type::kV32) return std::nullopt;
        result.index = inst.args[0];
        result.index_signed = inst.op == Op::kSext;
        return result;
      case Op::kAdd: {
        std::optional<Address> a = Decompose(inst.args[0], depth - 1);
        if (!a) return a;
        const std::optional<Address> b = Decompose(inst.args[1], depth - 1);
        if (!b || (a->index && b->index)) return std::nullopt;
        if (b->index) {
          a->index = b->index;
          a->index_signed = b->index_signed;
          a->shift = b->shift;
        }
        a->base = Sum(a->base, b->base);
        a->constant += b->constant;
        return a;
      }
      case Op::kShl: {
        const Inst& count = Def(inst.args[1]);
        if (count.op != Op::kConst) return std::nullopt;
        const auto by = static_cast<uint32_t>(count.imm) & 63;
        std::optional<Address> a = Decompose(inst.args[0], depth - 1);
        if (!a) return a;
        if (a->base) a->base = Combine(Op::kShl, a->base, inst.args[1]);
        a->shift += by;
        a->constant <<= by;
        return a;
      }
      default: return std::nullopt;
    }
  }

  Value Sum(Value a, Value b) {
    if (!a) return b;
    return b ? Combine(Op::kAdd, a, b) : a;
  }

  // A scalar operation, made once a block.
  Value Combine(Op op, Value a, Value b) {
    for (const Value known : made_) {
      const Inst& inst = Def(known);
      if (inst.op == op && inst.args[0] == a && inst.args[1] == b) return known;
    }
    Inst inst;
    inst.op = op;
    inst.type = Type::kU64;
    inst.guest = guest_;
    inst.argument_count = 2;
    inst.args[0] = a;
    inst.args[1] = b;
    made_.push_back(Append(inst));
    return made_.back();
  }
  Value Constant(Type type, uint64_t value) {
    const auto imm = static_cast<int64_t>(value);
    for (const Value known : made_) {
      const Inst& inst = Def(known);
      if (inst.op == Op::kConst && inst.type == type && inst.imm == imm) return known;
    }
    Inst inst;
    inst.op = Op::kConst;
    inst.type = type;
    inst.guest = guest_;
    inst.imm = imm;
    made_.push_back(Append(inst));
    return made_.back();
  }
  Value Append(const Inst& inst) {
    const Value value = ir::Append(function_, inst);
    out_.push_back(value);
    return value;
  }

  Function& function_;
  std::vector<Value> out_;
  std::vector<Value> made_;  // scalar code of the block
  uint16_t guest_ = 0;
};

}  // namespace

void IndexAddresses(Function& function) {
  Indexer indexer(function);
  for (Block& block : function.blocks) indexer.Run(block);
}

}  // namespace gcnjit::ir
