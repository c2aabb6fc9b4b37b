// The verifier: a table of signatures, and the few rules that a signature cannot express.
#include "ir/verifier.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>

#include "ir/matrix.h"
#include "ir/text_format.h"

namespace gcnjit::ir {
namespace {

// Sets of result types.
constexpr unsigned Bit(Type type) { return 1u << static_cast<unsigned>(type); }
constexpr unsigned kVoid = Bit(Type::kVoid), k1 = Bit(Type::kU1), k32 = Bit(Type::kU32),
                   k64 = Bit(Type::kU64), kV32 = Bit(Type::kV32), kV64 = Bit(Type::kV64);
constexpr unsigned kInt = k32 | k64 | kV32 | kV64, kDword = k32 | kV32, kQword = k64 | kV64;

// Arguments, a letter each. "Lane-wise": scalar if the result is, scalar or lanes otherwise.
//   e  lane-wise, of the result's width     h  lane-wise, 32 bits      x  lane-wise, 64 bits
//   l  u32 or v32                           k  anything; all k alike in width
//   p  u32 or u64; of a v32 result lane-wise, 32 bits
//   c  u64 if the result has lanes, else u1
//   m  u64     u  u32     b  u1     z  u1 if the result is u32, else as h
//   s  u1, u32 or u64
struct Signature {
  Op op;
  unsigned results;
  std::string_view arguments;  // of operations whose number varies: the first ones
};

// clang-format off
constexpr Signature kSignatures[] = {
    {Op::kConst,        k1 | k32 | k64, ""},
    {Op::kCodeBase,     k64,    ""},
    {Op::kGetSgpr,      k32,    ""},
    {Op::kGetSgpr64,    k64,    ""},
    {Op::kSetSgpr,      kVoid,  "u"},
    {Op::kSetSgpr64,    kVoid,  "m"},
    {Op::kGetScc,       k1,     ""},
    {Op::kSetScc,       kVoid,  "b"},
    {Op::kSetMode,      kVoid,  "u"},
    {Op::kGetVgpr,      kV32,   ""},
    {Op::kSetVgpr,      kVoid,  "l"},
    {Op::kGetVgprAt,    kV32,   "u"},
    {Op::kSetVgprAt,    kVoid,  "uml"},
    {Op::kMatrix,       kVoid,  ""},
    {Op::kSetCommon,    kVoid,  "s"},
    {Op::kGetCommon,    k1 | k32 | k64, ""},
    {Op::kNoteExec,     kVoid,  "m"},
    {Op::kGuard,        kVoid,  "b"},
    {Op::kSkipped,      kVoid,  "m"},
    {Op::kAdd,          kInt,   "ee"},
    {Op::kSub,          kInt,   "ee"},
    {Op::kMul,          kDword | k64, "ee"},
    {Op::kMulHiU,       kDword, "ee"},
    {Op::kMulHiS,       kDword, "ee"},
    {Op::kMulWideU,     kQword, "hh"},
    {Op::kMulWideS,     kQword, "hh"},
    {Op::kAnd,          kInt | k1, "ee"},
    {Op::kOr,           kInt | k1, "ee"},
    {Op::kXor,          kInt | k1, "ee"},
    {Op::kAndNot,       kInt | k1, "ee"},
    {Op::kNot,          kInt | k1, "e"},
    {Op::kBitwise,      kV32,   "eee"},
    {Op::kShl,          kInt,   "eh"},
    {Op::kLshr,         kInt,   "eh"},
    {Op::kAshr,         kInt,   "eh"},
    {Op::kFshr,         kDword, "eee"},
    {Op::kMinU,         kDword, "ee"},
    {Op::kMaxU,         kDword, "ee"},
    {Op::kMinS,         kDword, "ee"},
    {Op::kMaxS,         kDword, "ee"},
    {Op::kPopcount,     kDword, "p"},
    {Op::kClz,          kDword, "p"},
    {Op::kCtz,          kDword, "p"},
    {Op::kBitReverse,   kDword | k64, "e"},
    {Op::kPermByte,     kV32,   "eee"},
    {Op::kSext8,        kDword, "e"},
    {Op::kSext16,       kDword, "e"},
    {Op::kPack,         kQword, "hh"},
    {Op::kLow,          kDword, "x"},
    {Op::kHigh,         kDword, "x"},
    {Op::kZext,         k32 | kQword, "z"},
    {Op::kSext,         kQword, "h"},
    {Op::kEq,           k1 | k64, "kk"},
    {Op::kNe,           k1 | k64, "kk"},
    {Op::kLtU,          k1 | k64, "kk"},
    {Op::kLeU,          k1 | k64, "kk"},
    {Op::kLtS,          k1 | k64, "kk"},
    {Op::kLeS,          k1 | k64, "kk"},
    {Op::kSelect,       kInt | k1, "cee"},
    {Op::kFAdd,         kInt,   "ee"},
    {Op::kFSub,         kInt,   "ee"},
    {Op::kFMul,         kInt,   "ee"},
    {Op::kFFma,         kInt,   "eee"},
    {Op::kFDiv,         kInt,   "ee"},
    {Op::kFSqrt,        kInt,   "e"},
    {Op::kFRound,       kInt,   "e"},
    {Op::kFCmp,         k1 | k64, "kk"},
    {Op::kI32ToF32,     kDword, "h"},
    {Op::kU32ToF32,     kDword, "h"},
    {Op::kF32ToI32,     kDword, "h"},
    {Op::kF32ToU32,     kDword, "h"},
    {Op::kI32ToF64,     kQword, "h"},
    {Op::kU32ToF64,     kQword, "h"},
    {Op::kF64ToI32,     kDword, "x"},
    {Op::kF64ToU32,     kDword, "x"},
    {Op::kF32ToF64,     kQword, "h"},
    {Op::kF64ToF32,     kDword, "x"},
    {Op::kF16ToF32,     kV32,   "h"},
    {Op::kF32ToF16,     kV32,   "h"},
    {Op::kLaneId,       kV32,   ""},
    {Op::kReadLane,     k32,    "lu"},
    {Op::kFirstLane,    k32,    "m"},
    {Op::kPermute,      kV32,   "l"},
    {Op::kPermuteMask,  k64,    "m"},
    {Op::kBpermute,     kV32,   "llm"},
    {Op::kMaskBelow,    kV32,   "m"},
    {Op::kLoad,         kV32 | kV64, "llm"},
    {Op::kStore,        kVoid,  "llm"},
    {Op::kLoadSwizzled, kV32,   "llml"},
    {Op::kStoreSwizzled, kVoid, "llmll"},
    {Op::kAtomic,       kVoid | kV32, "llm"},
    {Op::kLoadLds,      kV32 | kV64, "lmu"},
    {Op::kStoreLds,     kVoid,  "lmu"},
    {Op::kAtomicLds,    kVoid | kV32, "lmu"},
    {Op::kLoadScalar,   k32,    "m"},
    {Op::kFence,        kVoid,  ""},
    {Op::kPart,         kDword | kV64, "k"},
    {Op::kJump,         kVoid,  ""},
    {Op::kBranch,       kVoid,  "b"},
    {Op::kProceed,      kVoid,  "b"},
    {Op::kJumpIndirect, kVoid,  "m"},
    {Op::kExit,         kVoid,  ""},
};
// clang-format on

constexpr bool InOrder() {
  for (size_t n = 0; n < std::size(kSignatures); ++n) {
    if (kSignatures[n].op != static_cast<Op>(n)) return false;
  }
  return std::size(kSignatures) == static_cast<size_t>(Op::kCount);
}
static_assert(InOrder(), "kSignatures has a row for every operation, in the order of opcodes.def");

bool Accepts(char rule, Type result, Type argument) {
  const bool lanes = IsLanes(result);
  const bool is32 = argument == Type::kU32 || (lanes && argument == Type::kV32);
  const bool is64 = argument == Type::kU64 || (lanes && argument == Type::kV64);
  switch (rule) {
    case 'e': return result == Type::kU1 ? argument == Type::kU1 : Is64(result) ? is64 : is32;
    case 'h': return is32;
    case 'x': return is64;
    case 'l': return argument == Type::kU32 || argument == Type::kV32;
    case 'p': return is32 || (!lanes && argument == Type::kU64);
    case 'c': return argument == (lanes ? Type::kU64 : Type::kU1);
    case 'm': return argument == Type::kU64;
    case 'u': return argument == Type::kU32;
    case 'b': return argument == Type::kU1;
    case 's': return argument != Type::kVoid && !IsLanes(argument);
    case 'z': return result == Type::kU32 ? argument == Type::kU1 : is32;
    case 'k': return argument != Type::kVoid;
    default: return false;
  }
}

constexpr uint16_t kEnvBits =
    FloatEnv::kFlushInputs | FloatEnv::kFlushResults | 3 << FloatEnv::kRoundShift;

bool IsMemory(Op op) {
  return op == Op::kLoad || op == Op::kStore || IsSwizzled(op) || op == Op::kAtomic ||
         op == Op::kLoadLds || op == Op::kStoreLds || op == Op::kAtomicLds;
}
bool IsAtomic(Op op) { return op == Op::kAtomic || op == Op::kAtomicLds; }

class BlockVerifier {
 public:
  BlockVerifier(const Function& function, const Block& block, std::vector<uint8_t>& defined,
                std::vector<std::string>& messages)
      : function_(function), block_(block), defined_(defined), messages_(messages) {}

  void Run() {
    if (block_.insts.empty()) return Complain("the block is empty");
    for (size_t n = 0; n < block_.insts.size(); ++n) {
      value_ = block_.insts[n];
      if (value_.id == 0 || value_.id >= function_.insts.size()) {
        inst_ = nullptr;
        Complain("no such value");
        continue;
      }
      inst_ = &function_[value_];
      const bool last = n + 1 == block_.insts.size();
      if (inst_->op >= Op::kCount) {
        Complain("no such operation");
      } else {
        if (defined_[value_.id] != 0) Complain("defined twice");
        if ((InfoOf(inst_->op).effect == Effect::kEnd) != last) {
          Complain(last ? "the block does not end here" : "the block ends too early");
        }
        if (CheckArguments()) CheckDetails();
        CheckMode(last);
      }
      defined_[value_.id] = 1;
      // Parts may follow a load and its other parts.
      if (inst_->op != Op::kPart) part_owner_ = value_;
    }
    // Values do not cross blocks.
    for (const Value value : block_.insts) {
      if (value.id < defined_.size()) defined_[value.id] = 2;
    }
  }

 private:
  void Complain(std::string_view what) {
    const bool known = inst_ != nullptr && inst_->op < Op::kCount;
    messages_.push_back(fmt::format("block {:#x}: %{} {}: {}", block_.begin, value_.id,
                                    known ? InfoOf(inst_->op).name : "?", what));
  }

  Type ArgType(int n) const { return function_[inst_->args[n]].type; }

  // Number, order and types.
  bool CheckArguments() {
    const size_t before = messages_.size();
    const Inst& inst = *inst_;
    const Signature& signature = kSignatures[static_cast<size_t>(inst.op)];
    if ((signature.results & Bit(inst.type)) == 0) {
      Complain(fmt::format("cannot be a {}", NameOf(inst.type)));
      return false;
    }
    const int expected = ExpectedArguments();
    if (inst.argument_count != expected || expected > kMaxArguments) {
      Complain(fmt::format("has {} arguments, not {}", inst.argument_count, expected));
      return false;
    }
    for (int n = 0; n < inst.argument_count; ++n) {
      const Value arg = inst.args[n];
      if (arg.id == 0 || arg.id >= function_.insts.size() || defined_[arg.id] != 1) {
        Complain(fmt::format("argument {} is not defined before it in its block", n));
        return false;
      }
      // What follows the signature's letters is data: dwords.
      char rule = n < static_cast<int>(signature.arguments.size()) ? signature.arguments[n] : 'l';
      if (n == 1 && inst.IsIndexed()) rule = 'm';
      if (!Accepts(rule, inst.type, ArgType(n))) {
        Complain(fmt::format("argument {} is a {}", n, NameOf(ArgType(n))));
      }
    }
    if (messages_.size() == before && signature.arguments == "kk") CheckCompare();
    return messages_.size() == before;
  }

  int ExpectedArguments() const {
    const Inst& inst = *inst_;
    const int fixed = InfoOf(inst.op).arguments;
    if (fixed >= 0) return fixed;
    if (inst.op == Op::kMatrix) {
      const MatrixProduct product = MatrixProduct::Of(inst);
      return product.IsKnownShape() ? 2 * product.shape.SourceRegisters() : 2;
    }
    const MemoryAccess access = inst.access();
    return 3 + access.Dwords() * (IsAtomic(inst.op) ? AtomicOperands(access.atomic) : 1);
  }

  void CheckCompare() {
    const Type a = ArgType(0);
    const Type b = ArgType(1);
    const bool one_bit = a == Type::kU1 || b == Type::kU1;
    if (Is64(a) != Is64(b) || (a == Type::kU1) != (b == Type::kU1)) {
      Complain("compares values of different widths");
    }
    if (inst_->type == Type::kU1 && (IsLanes(a) || IsLanes(b))) {
      Complain("compares lanes, which gives a u64");
    }
    if (one_bit && (inst_->type != Type::kU1 || (inst_->op != Op::kEq && inst_->op != Op::kNe))) {
      Complain("u1 can only be compared for equality");
    }
  }

  void Range(std::string_view what, int64_t value, int64_t low, int64_t high) {
    if (value < low || value > high) Complain(fmt::format("{} {} is out of range", what, value));
  }

  void CheckMatrix() {
    const MatrixProduct product = MatrixProduct::Of(*inst_);
    if (!product.IsKnownShape()) return Complain("multiplies matrices of no known shape");
    Range("CBSZ", 1 << product.cbsz, 1, product.shape.blocks);
    Range("ABID", product.abid, 0, (1 << product.cbsz) - 1);
    Range("VGPR", product.c + product.shape.ResultRegisters(), 1, kVgprs);
    Range("VGPR", product.d + product.shape.ResultRegisters(), 1, kVgprs);
  }

  void CheckDetails() {
    const Inst& inst = *inst_;
    switch (FormatOf(inst.op)) {
      case TextFormat::kPlain: break;
      case TextFormat::kConst: CheckConst(); break;
      case TextFormat::kSgpr: Range("SGPR", inst.imm, 0, 127); break;
      case TextFormat::kSgpr64: Range("SGPR", inst.imm, 0, 126); break;
      case TextFormat::kVgpr: Range("VGPR", inst.imm, 0, kVgprs - 1); break;
      case TextFormat::kSetVgpr:
        Range("VGPR", inst.imm, 0, kVgprs - 1);
        Range("aux", inst.aux, 0, 1);
        break;
      case TextFormat::kEnv: CheckEnv(); break;
      case TextFormat::kEnvRound:
      case TextFormat::kEnvHalf:
        CheckEnv();
        Range("rounding", inst.imm, 0, 3);
        break;
      case TextFormat::kEnvPredicate:
        CheckEnv();
        Range("predicate", inst.imm, 0, 31);
        break;
      case TextFormat::kPattern: CheckPattern(); break;
      case TextFormat::kNumber: Range("number", inst.imm, 0, INT32_MAX); break;
      case TextFormat::kMaskPart: Range("part", inst.imm, 0, 2); break;
      case TextFormat::kAccess: CheckAccess(); break;
      case TextFormat::kScalarLoad: Range("dwords", inst.aux, 1, 16); break;
      case TextFormat::kPart: CheckPart(); break;
      case TextFormat::kProceed: Range("count", inst.imm, 1, INT32_MAX); break;
      case TextFormat::kCount:
        Range("count", inst.imm, 1, INT32_MAX);
        Range("aux", inst.aux, 0, 1);
        break;
      case TextFormat::kTable: Range("table", inst.imm, 0, 255); break;
      case TextFormat::kMatrix: CheckMatrix(); break;
      case TextFormat::kTargets: break;
      case TextFormat::kExit:
        Range("reason", inst.imm, 0, static_cast<int64_t>(ExitReason::kFault));
        break;
    }
    if (!block_.guest_pcs.empty() && inst.guest >= block_.guest_pcs.size()) {
      Complain("belongs to no guest instruction of the block");
    }
  }

  // Code is for one value of MODE.
  void CheckMode(bool last) {
    if (inst_->op == Op::kSetMode) {
      if (sets_mode_) Complain("MODE is set twice");
      sets_mode_ = true;
    }
    if (last && sets_mode_ && inst_->op != Op::kExit) Complain("a block that sets MODE exits");
  }

  void CheckConst() {
    const auto value = static_cast<uint64_t>(inst_->imm);
    const uint64_t most = inst_->type == Type::kU1    ? 1
                          : inst_->type == Type::kU32 ? 0xFFFFFFFF
                                                      : ~uint64_t{0};
    if (value > most) Complain("does not fit its type");
  }
  void CheckEnv() {
    if ((inst_->aux & ~uint32_t{kEnvBits}) != 0) Complain("has unknown bits in its FloatEnv");
  }
  void CheckPattern() {
    if (inst_->imm < 0 || static_cast<size_t>(inst_->imm) >= function_.patterns.size()) {
      return Complain("no such pattern");
    }
    for (const uint8_t lane : function_.patterns[static_cast<size_t>(inst_->imm)]) {
      if (lane >= kLanes && lane != kNoLane) return Complain("the pattern names no lane");
    }
  }
  void CheckAccess() {
    const MemoryAccess access = inst_->access();
    const bool atomic = IsAtomic(inst_->op);
    const int bytes = access.bytes;
    const bool fits =
        atomic ? bytes == 4 || bytes == 8
               : bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 12 || bytes == 16;
    if (!fits) Complain(fmt::format("accesses {} bytes", bytes));
    if (IsSwizzled(inst_->op) && (bytes > 4 || access.space != Space::kGlobal)) {
      Complain("is not at most a dword of a buffer");
    }
    if (access.space > Space::kFlat) Complain("unknown space");
    if (access.atomic > AtomicOp::kWrap) Complain("unknown atomic operation");
    if (access.Pack() != inst_->aux) Complain("has unknown bits in its MemoryAccess");
    const bool may_be_indexed = inst_->op == Op::kLoad || inst_->op == Op::kStore;
    if (!may_be_indexed && access.indexed) Complain("has no indexed form");
    if (access.wraps && !may_be_indexed && inst_->op != Op::kAtomic)
      Complain("has no wrapping form");
    const bool is_load = inst_->op == Op::kLoad || inst_->op == Op::kLoadLds;
    if (access.quadwords && (!is_load || bytes % 8 != 0)) Complain("has no quadwords");
    if (is_load && access.quadwords != (inst_->type == Type::kV64)) {
      Complain("is not of its results' type");
    }
    if (!access.indexed && (access.index_signed || access.index_shift != 0)) {
      Complain("has no index");
    }
    if (may_be_indexed || IsSwizzled(inst_->op) || inst_->op == Op::kAtomic) {
      Range("offset", inst_->imm, 1 - kMaxLaneOffset, kMaxLaneOffset - 1);
    }
  }
  void CheckPart() {
    const Inst& owner = function_[inst_->args[0]];
    if (inst_->args[0] != part_owner_) return Complain("is not right after its load");
    Range("dword", inst_->imm, 1, ResultDwords(owner) - 1);
    if (inst_->type != owner.type) Complain("is not of its load's type");
    if (owner.type == Type::kV64 && inst_->imm % 2 != 0) Complain("is half a quadword");
  }

  const Function& function_;
  const Block& block_;
  std::vector<uint8_t>& defined_;  // 1: in this block, 2: in another
  std::vector<std::string>& messages_;
  Value value_;
  const Inst* inst_ = nullptr;
  Value part_owner_;
  bool sets_mode_ = false;
};

}  // namespace

int AtomicOperands(AtomicOp atomic) {
  return atomic == AtomicOp::kCmpSwap || atomic == AtomicOp::kFCmpSwap ||
                 atomic == AtomicOp::kMaskedOr || atomic == AtomicOp::kWrap
             ? 2
             : 1;
}

int ResultDwords(const Inst& inst) {
  if (inst.op == Op::kLoadScalar) return static_cast<int>(inst.aux);
  return IsMemory(inst.op) && inst.type != Type::kVoid ? inst.access().Dwords() : 0;
}

std::vector<std::string> Verify(const Function& function) {
  std::vector<std::string> messages;
  std::vector<uint8_t> defined(function.insts.size());
  for (const Block& block : function.blocks) {
    BlockVerifier(function, block, defined, messages).Run();
  }
  return messages;
}

}  // namespace gcnjit::ir
