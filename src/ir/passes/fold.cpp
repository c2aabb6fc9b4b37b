// Folding: one walk over each block; every instruction is simplified by the rules for its operation
// until none applies. Rules are exact, in every lane.
#include <algorithm>
#include <bit>
#include <utility>

#include "ir/append.h"
#include "ir/passes.h"
#include "ir/passes/folder.h"

namespace gcnjit::ir {
namespace {

// Each rewriting makes an instruction simpler, so that few are ever needed; this guards against two
// rules that undo each other.
constexpr int kMaxRewrites = 16;

uint64_t OnesUpTo(uint64_t largest) {
  return largest == 0 ? 0 : ~uint64_t{0} >> std::countl_zero(largest);
}

// All bits from the lowest of these on.
uint64_t OnesFrom(uint64_t bits) { return bits == 0 ? 0 : ~uint64_t{0} << std::countr_zero(bits); }

}  // namespace

Folder::Folder(Function& function)
    : function_(function),
      masks_(function),
      replaced_(function.insts.size()),
      bits_(function.insts.size(), ~uint64_t{0}),
      uses_(function.insts.size()) {}

void Folder::Run(Block& block) {
  std::fill(std::begin(vgpr_written_), std::end(vgpr_written_), false);
  in_loop_ = block.IsLoop();
  for (const Value value : block.insts) {
    const Inst& inst = function_[value];
    for (int n = 0; n < inst.argument_count; ++n) ++uses_[inst.args[n].id];
  }
  out_.clear();
  out_.reserve(block.insts.size() + block.insts.size() / 4);
  for (const Value value : block.insts) {
    Inst inst = function_[value];
    guest_ = inst.guest;
    for (int n = 0; n < inst.argument_count; ++n) {
      const Value by = replaced_[inst.args[n].id];
      if (by) inst.args[n] = by;
    }
    if (inst.op == Op::kBranch) FoldBranch(inst, block);
    if (inst.op == Op::kProceed) FoldProceed(inst, block);
    if (inst.op == Op::kSetVgpr) {
      if (IsRedundantSet(inst)) continue;
      vgpr_written_[inst.imm] = true;
    }
    const Value use = Place(inst, value);
    if (use != value) replaced_[value.id] = use;
  }
  block.insts.swap(out_);
}

Value Folder::Place(Inst inst, Value value) {
  for (int n = 0; n < kMaxRewrites; ++n) {
    const Outcome outcome = Simplify(inst);
    if (outcome.value) return outcome.value;
    if (!outcome.changed) break;
  }
  if (!value) {
    value = Append(function_, inst);
    replaced_.emplace_back();
    bits_.push_back(0);
    uses_.push_back(0);
    for (int n = 0; n < inst.argument_count; ++n) ++uses_[inst.args[n].id];
  } else {
    function_[value] = inst;
  }
  bits_[value.id] = ComputePossibleBits(inst) & OnesOf(inst.type);
  out_.push_back(value);
  return value;
}

Value Folder::Emit(Op op, Type type, std::initializer_list<Value> args, int64_t imm) {
  Inst inst;
  inst.op = op;
  inst.type = type;
  inst.guest = guest_;
  inst.imm = imm;
  inst.argument_count = static_cast<uint8_t>(args.size());
  std::copy(args.begin(), args.end(), inst.args);
  return Place(inst, {});
}

Value Folder::Const(Type type, uint64_t value) {
  return Emit(Op::kConst, type, {}, static_cast<int64_t>(value & OnesOf(type)));
}
Value Folder::ConstLike(Type type, uint64_t value) { return Const(ScalarOf(type), value); }

Folder::Outcome Folder::Rewrite(Inst& inst, Op op, std::initializer_list<Value> args) {
  inst.op = op;
  inst.imm = 0;
  inst.argument_count = static_cast<uint8_t>(args.size());
  std::copy(args.begin(), args.end(), inst.args);
  return Changed();
}

bool Folder::IsConst(Value value, uint64_t* constant) const {
  const Inst& inst = function_[value];
  if (inst.op != Op::kConst) return false;
  *constant = static_cast<uint64_t>(inst.imm);
  return true;
}

bool Folder::MaskWithin(Value a, Value b) const {
  if (a == b) return true;
  const Inst& inst = function_[a];
  if (inst.op == Op::kAnd) return inst.args[0] == b || inst.args[1] == b;
  return inst.op == Op::kAndNot && inst.args[0] == b;
}

void Folder::FoldBranch(Inst& inst, Block& block) {
  while (IsOp(inst.args[0], Op::kNot)) {
    inst.args[0] = Def(inst.args[0]).args[0];
    std::swap(block.targets[0], block.targets[1]);
  }
  uint64_t taken = 0;
  if (!IsConst(inst.args[0], &taken)) return;
  if (taken == 0) block.targets[0] = block.targets[1];
  block.targets[1] = 0;
  inst.op = Op::kJump;
  inst.argument_count = 0;
}

void Folder::FoldProceed(Inst& inst, Block& block) {
  uint64_t holds = 0;
  if (!IsConst(inst.args[0], &holds)) return;
  if (holds == 0) block.targets[0] = block.targets[1];
  block.targets[1] = 0;
  inst.op = holds != 0 ? Op::kJump : Op::kExit;
  inst.imm = holds != 0 ? 0 : static_cast<int64_t>(ExitReason::kInterpret);
  inst.argument_count = 0;
}

// Puts back what was read from there.
bool Folder::IsRedundantSet(const Inst& inst) {
  const Inst& value = Def(inst.args[0]);
  return value.op == Op::kGetVgpr && value.imm == inst.imm && !vgpr_written_[inst.imm];
}

uint64_t Folder::ComputePossibleBits(const Inst& inst) const {
  const auto arg = [&](int n) { return PossibleBits(inst.args[n]); };
  uint64_t count = 0;
  switch (inst.op) {
    case Op::kConst: return static_cast<uint64_t>(inst.imm);
    case Op::kAnd: return arg(0) & arg(1);
    case Op::kAndNot: return IsConst(inst.args[1], &count) ? arg(0) & ~count : arg(0);
    case Op::kOr:
    case Op::kXor:
    case Op::kMinS:
    case Op::kMaxS:
    case Op::kMaxU: return arg(0) | arg(1);
    case Op::kMinU: return OnesUpTo(std::min(arg(0), arg(1)));
    case Op::kSelect: return arg(1) | arg(2);
    case Op::kAdd: {
      const uint64_t a = OnesUpTo(arg(0));
      const uint64_t b = OnesUpTo(arg(1));
      return (a > ~b ? ~uint64_t{0} : OnesUpTo(a + b)) & OnesFrom(arg(0) | arg(1));
    }
    case Op::kSub: return OnesFrom(arg(0) | arg(1));
    case Op::kShl:
      if (!IsConst(inst.args[1], &count)) break;
      return arg(0) << (count % WidthOf(inst.type));
    case Op::kLshr:
      if (!IsConst(inst.args[1], &count)) return OnesUpTo(arg(0));
      return arg(0) >> (count % WidthOf(inst.type));
    case Op::kMulWideU:
    case Op::kMul:
      if ((arg(0) | arg(1)) >> 32 != 0) break;
      return OnesUpTo(OnesUpTo(arg(0)) * OnesUpTo(arg(1)));
    case Op::kPopcount:
    case Op::kClz:
    case Op::kCtz:
    case Op::kMaskBelow: return 0x7F;
    case Op::kLaneId:
    case Op::kFirstLane: return 0x3F;
    case Op::kZext: return arg(0);
    case Op::kSext: return OnesFrom(arg(0));
    case Op::kLow: return arg(0);
    case Op::kHigh: return arg(0) >> 32;
    case Op::kPack: return arg(0) | arg(1) << 32;
    case Op::kF32ToF16: return 0xFFFF;
    case Op::kReadLane:
    case Op::kPermute:
    case Op::kBpermute: return arg(0);
    case Op::kLoad:
    case Op::kLoadSwizzled:
    case Op::kLoadLds:
      if (inst.access().sign_extend) break;
      return inst.access().bytes == 1 ? 0xFF : inst.access().bytes == 2 ? 0xFFFF : ~uint64_t{0};
    default: break;
  }
  return ~uint64_t{0};
}

Folder::Outcome Folder::Simplify(Inst& inst) {
  if (inst.op == Op::kConst) return Nothing();
  uint64_t constant = 0;
  if (FoldConstant(inst, &constant)) return Use(Const(ScalarOf(inst.type), constant));
  const Outcome scalar = MakeScalar(inst);
  if (scalar.value || scalar.changed) return scalar;
  if (InfoOf(inst.op).Has(Trait::kCommutes) && IsConst(inst.args[0]) && !IsConst(inst.args[1])) {
    std::swap(inst.args[0], inst.args[1]);
  }
  if (inst.type == Type::kU64 && inst.op != Op::kConst) {
    const Outcome mask = FoldMask(inst);
    if (mask.value || mask.changed) return mask;
  }
  switch (inst.op) {
    case Op::kAdd: return FoldAdd(inst);
    case Op::kSub: return FoldSub(inst);
    case Op::kMul:
    case Op::kMulHiU:
    case Op::kMulHiS: return FoldMul(inst);
    case Op::kMulWideU:
    case Op::kMulWideS: return FoldMulWide(inst);
    case Op::kAnd: return FoldAnd(inst);
    case Op::kOr: return FoldOr(inst);
    case Op::kXor: return FoldXor(inst);
    case Op::kAndNot: return FoldAndNot(inst);
    case Op::kNot: return FoldNot(inst);
    case Op::kShl:
    case Op::kLshr:
    case Op::kAshr: return FoldShift(inst);
    case Op::kFshr: return FoldFshr(inst);
    case Op::kMinU:
    case Op::kMaxU:
    case Op::kMinS:
    case Op::kMaxS: return FoldMinMax(inst);
    case Op::kSext8:
    case Op::kSext16: return FoldSextInRegister(inst);
    case Op::kFAdd:
    case Op::kFMul:
    case Op::kFFma: return FoldFloat(inst);
    case Op::kFCmp: return FoldFCmp(inst);
    case Op::kF32ToF16: return FoldToHalf(inst);
    case Op::kPack: return FoldPack(inst);
    case Op::kLow:
    case Op::kHigh: return FoldHalf(inst);
    case Op::kZext:
    case Op::kSext: return FoldExtension(inst);
    case Op::kEq:
    case Op::kNe:
    case Op::kLtU:
    case Op::kLeU:
    case Op::kLtS:
    case Op::kLeS: return FoldCompare(inst);
    case Op::kSelect: return FoldSelect(inst);
    case Op::kReadLane:
    case Op::kPermute:
    case Op::kPermuteMask:
    case Op::kBpermute:
    case Op::kMaskBelow: return FoldLanes(inst);
    case Op::kLoad:
    case Op::kStore:
    case Op::kLoadSwizzled:
    case Op::kStoreSwizzled:
    case Op::kAtomic:
    case Op::kLoadLds:
    case Op::kStoreLds:
    case Op::kAtomicLds:
    case Op::kLoadScalar: return FoldAddress(inst);
    default: return Nothing();
  }
}

void FoldInstructions(Function& function) {
  Folder folder(function);
  for (Block& block : function.blocks) folder.Run(block);
}

}  // namespace gcnjit::ir
