#include "ir/text_format.h"

namespace gcnjit::ir {

TextFormat FormatOf(Op op) {
  switch (op) {
    case Op::kConst: return TextFormat::kConst;
    case Op::kGetSgpr:
    case Op::kSetSgpr: return TextFormat::kSgpr;
    case Op::kGetSgpr64:
    case Op::kSetSgpr64: return TextFormat::kSgpr64;
    case Op::kSetVgpr: return TextFormat::kSetVgpr;
    case Op::kGetVgpr:
    case Op::kGetVgprAt:
    case Op::kSetVgprAt: return TextFormat::kVgpr;
    case Op::kFAdd:
    case Op::kFSub:
    case Op::kFMul:
    case Op::kFFma:
    case Op::kFDiv:
    case Op::kFSqrt:
    case Op::kI32ToF32:
    case Op::kU32ToF32:
    case Op::kF32ToI32:
    case Op::kF32ToU32:
    case Op::kI32ToF64:
    case Op::kU32ToF64:
    case Op::kF64ToI32:
    case Op::kF64ToU32:
    case Op::kF32ToF64:
    case Op::kF64ToF32:
    case Op::kF16ToF32: return TextFormat::kEnv;
    case Op::kFRound: return TextFormat::kEnvRound;
    case Op::kF32ToF16: return TextFormat::kEnvHalf;
    case Op::kFCmp: return TextFormat::kEnvPredicate;
    case Op::kPermute:
    case Op::kPermuteMask: return TextFormat::kPattern;
    case Op::kMaskBelow: return TextFormat::kMaskPart;
    case Op::kLoad:
    case Op::kStore:
    case Op::kLoadSwizzled:
    case Op::kStoreSwizzled:
    case Op::kAtomic:
    case Op::kLoadLds:
    case Op::kStoreLds:
    case Op::kAtomicLds: return TextFormat::kAccess;
    case Op::kLoadScalar: return TextFormat::kScalarLoad;
    case Op::kPart: return TextFormat::kPart;
    case Op::kSkipped: return TextFormat::kCount;
    case Op::kSetCommon:
    case Op::kGetCommon: return TextFormat::kNumber;
    case Op::kBitwise: return TextFormat::kTable;
    case Op::kMatrix: return TextFormat::kMatrix;
    case Op::kJump:
    case Op::kBranch: return TextFormat::kTargets;
    case Op::kProceed: return TextFormat::kProceed;
    case Op::kExit: return TextFormat::kExit;
    case Op::kCodeBase:
    case Op::kGetScc:
    case Op::kSetScc:
    case Op::kSetMode:
    case Op::kNoteExec:
    case Op::kGuard:
    case Op::kFence:
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kMulHiU:
    case Op::kMulHiS:
    case Op::kMulWideU:
    case Op::kMulWideS:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kAndNot:
    case Op::kNot:
    case Op::kShl:
    case Op::kLshr:
    case Op::kAshr:
    case Op::kFshr:
    case Op::kMinU:
    case Op::kMaxU:
    case Op::kMinS:
    case Op::kMaxS:
    case Op::kPopcount:
    case Op::kClz:
    case Op::kCtz:
    case Op::kBitReverse:
    case Op::kPermByte:
    case Op::kSext8:
    case Op::kSext16:
    case Op::kPack:
    case Op::kLow:
    case Op::kHigh:
    case Op::kZext:
    case Op::kSext:
    case Op::kEq:
    case Op::kNe:
    case Op::kLtU:
    case Op::kLeU:
    case Op::kLtS:
    case Op::kLeS:
    case Op::kSelect:
    case Op::kLaneId:
    case Op::kReadLane:
    case Op::kFirstLane:
    case Op::kBpermute:
    case Op::kJumpIndirect:
    case Op::kCount: return TextFormat::kPlain;
  }
  return TextFormat::kPlain;
}

namespace {

constexpr std::string_view kTypes[] = {"void", "u1", "u32", "u64", "v32", "v64"};
constexpr std::string_view kRoundings[] = {"rn", "rd", "ru", "rz"};
constexpr std::string_view kFRounds[] = {"nearest", "floor", "ceil", "trunc"};
constexpr std::string_view kHalfRoundings[] = {"nearest", "up", "down", "zero"};
constexpr std::string_view kMaskParts[] = {"low", "high", "all"};
constexpr std::string_view kReasons[] = {"next", "interpret", "end", "barrier", "yield", "fault"};
constexpr std::string_view kMatrixElements[] = {"f32", "f16", "bf16", "i8"};
// clang-format off
constexpr std::string_view kPredicates[] = {
    "eq_oq", "lt_os", "le_os", "unord_q", "neq_uq", "nlt_us", "nle_us", "ord_q",
    "eq_uq", "nge_us", "ngt_us", "false_oq", "neq_oq", "ge_os", "gt_os", "true_uq",
    "eq_os", "lt_oq", "le_oq", "unord_s", "neq_us", "nlt_uq", "nle_uq", "ord_s",
    "eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq", "gt_oq", "true_us",
};
constexpr std::string_view kAtomics[] = {
    "swap", "cmpswap", "add", "sub", "revsub", "min_s", "min_u", "max_s", "max_u", "and", "or",
    "xor", "inc", "dec", "fadd", "fmin", "fmax", "fcmpswap", "maskedor", "wrap",
};
// clang-format on
static_assert(std::size(kAtomics) == static_cast<size_t>(AtomicOp::kWrap) + 1);
static_assert(std::size(kReasons) == static_cast<size_t>(ExitReason::kFault) + 1);

}  // namespace

std::string_view NameOf(Type type) { return kTypes[static_cast<size_t>(type)]; }
std::span<const std::string_view> TypeNames() { return kTypes; }
std::span<const std::string_view> RoundingNames() { return kRoundings; }
std::span<const std::string_view> FRoundNames() { return kFRounds; }
std::span<const std::string_view> HalfRoundingNames() { return kHalfRoundings; }
std::span<const std::string_view> PredicateNames() { return kPredicates; }
std::span<const std::string_view> MaskPartNames() { return kMaskParts; }
std::span<const std::string_view> AtomicNames() { return kAtomics; }
std::span<const std::string_view> ReasonNames() { return kReasons; }
std::span<const std::string_view> MatrixElementNames() { return kMatrixElements; }

}  // namespace gcnjit::ir
