// The folding pass, shared by its files. Private to src/ir/passes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "ir/analysis/mask_logic.h"
#include "ir/compute.h"
#include "ir/function.h"

namespace gcnjit::ir {

class Folder {
 public:
  explicit Folder(Function& function);
  void Run(Block& block);

 private:
  // ---- fold.cpp: the walk
  // What rules say of an instruction: a value to use instead; or none, and whether they changed it
  // (then they are asked again).
  struct Outcome {
    Value value;
    bool changed = false;
  };
  Outcome Simplify(Inst& inst);
  // Puts an instruction at `value` unless a rule knows better; returns what to use.
  Value Place(Inst inst, Value value);
  Value Emit(Op op, Type type, std::initializer_list<Value> args, int64_t imm = 0);
  Value Const(Type type, uint64_t value);
  // A constant of the width of `type`, which may have lanes.
  Value ConstLike(Type type, uint64_t value);
  void FoldBranch(Inst& inst, Block& block);
  void FoldProceed(Inst& inst, Block& block);
  bool IsRedundantSet(const Inst& inst);
  static Outcome Use(Value value) { return {value, false}; }
  static Outcome Changed() { return {{}, true}; }
  static Outcome Nothing() { return {}; }
  static Outcome Rewrite(Inst& inst, Op op, std::initializer_list<Value> args);

  // ---- What is known
  const Inst& Def(Value value) const { return function_[value]; }
  Type TypeOf(Value value) const { return function_[value].type; }
  bool IsConst(Value value, uint64_t* constant) const;
  bool IsConst(Value value) const { return function_[value].op == Op::kConst; }
  bool IsOp(Value value, Op op) const { return function_[value].op == op; }
  bool IsUsedOnce(Value value) const { return uses_[value.id] == 1; }
  // Bits that may be set in any lane.
  uint64_t PossibleBits(Value value) const { return bits_[value.id]; }
  uint64_t ComputePossibleBits(const Inst& inst) const;
  // Does every bit of mask a belong to mask b, by their form?
  bool MaskWithin(Value a, Value b) const;

  // ---- fold_constants.cpp
  bool FoldConstant(const Inst& inst, uint64_t* result) const;
  // Operations on lanes that are all the same become operations on scalars.
  Outcome MakeScalar(Inst& inst);

  // ---- fold_integers.cpp: sums, products, shifts, bits
  Outcome FoldAdd(Inst& inst);
  Outcome FoldSub(Inst& inst);
  Outcome FoldMul(Inst& inst);
  Outcome FoldMulWide(Inst& inst);
  Outcome FoldAnd(Inst& inst);
  Outcome FoldAndConst(Inst& inst, uint64_t mask);
  Outcome FoldAlignment(Inst& inst, uint64_t mask);
  Outcome FoldOr(Inst& inst);
  Outcome FoldXor(Inst& inst);
  Outcome FoldAndNot(Inst& inst);
  Outcome FoldNot(Inst& inst);
  Outcome FoldShift(Inst& inst);
  Outcome FoldShiftConst(Inst& inst, uint64_t count);
  Outcome FoldFshr(Inst& inst);
  Outcome FoldMinMax(Inst& inst);
  Outcome FoldSextInRegister(Inst& inst);

  // ---- fold_floats.cpp: sums, products, comparisons and conversions of floats
  Outcome FoldFloat(Inst& inst);
  Outcome FoldFCmp(Inst& inst);
  Outcome FoldToHalf(const Inst& inst);
  std::optional<uint32_t> LeastOf(Value v, int depth) const;

  // ---- fold_masks.cpp: masks that together say less than each alone
  Outcome FoldMask(Inst& inst);
  Outcome FoldNestedSelect(Inst& inst);

  // ---- fold_flags.cpp: masks that are kept as bits of lanes
  // A mask that is made of earlier ones: a constant; `mask`, or what it has not (kNot); the step
  // `x` and the one before this, by `op`.
  struct FlagStep {
    Op op = Op::kOr;
    std::optional<uint64_t> constant = {};
    Value mask = {};
    size_t x = 0;
  };
  bool FindFlags(Value v, uint32_t wanted, std::vector<FlagStep>& steps, int depth = 0) const;
  Value EmitFlags(const std::vector<FlagStep>& steps);
  Outcome FoldFlags(Inst& inst, uint64_t constant);

  // ---- fold_halves.cpp: pack, low, high, extensions
  Outcome FoldPack(Inst& inst);
  Outcome FoldHalf(Inst& inst);
  Outcome FoldExtension(Inst& inst);

  // ---- fold_selects.cpp: select, comparisons, lanes, memory addresses
  Outcome FoldSelect(Inst& inst);
  Outcome FoldCompare(Inst& inst);
  Outcome FoldCompareConst(Inst& inst, uint64_t constant);
  Outcome FoldLanes(Inst& inst);
  Outcome FoldAddress(Inst& inst);

  Function& function_;
  MaskLogic masks_;
  std::vector<Value> replaced_;
  std::vector<uint64_t> bits_;
  std::vector<uint32_t> uses_;  // of the function as it was, and of what has been added
  std::vector<Value> out_;      // the block's new instructions
  uint16_t guest_ = 0;
  bool in_loop_ = false;  // of one block
  bool vgpr_written_[kVgprs] = {};
};

inline Type ScalarOf(Type type) {
  return type == Type::kV32 ? Type::kU32 : type == Type::kV64 ? Type::kU64 : type;
}
inline bool IsPowerOfTwo(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

}  // namespace gcnjit::ir
