// How operations are spelled, for the printer and the parser; and what their imm and aux hold.
#pragma once

#include <span>
#include <string_view>

#include "ir/function.h"

namespace gcnjit::ir {

// What an operation shows besides its type and arguments.
enum class TextFormat : uint8_t {
  kPlain,         // nothing
  kConst,         // its value, in place of arguments
  kSgpr,          // imm: s4
  kSgpr64,        // imm: s4, of the pair s4, s5
  kVgpr,          // imm: v4
  kSetVgpr,       // imm: v4, aux: {active}, see Op::kSetVgpr
  kEnv,           // aux: a FloatEnv, {rn, daz, ftz}
  kEnvRound,      // and imm: {floor}
  kEnvHalf,       // and imm: {half=nearest}
  kEnvPredicate,  // and imm: {lt_os}
  kPattern,       // imm: {pattern=2}
  kMaskPart,      // imm: {low}
  kAccess,        // aux: a MemoryAccess, imm: {bytes=4, flat, offset=16}
  kScalarLoad,    // {dwords=2, offset=16}
  kPart,          // imm: {dword=1}
  kCount,         // imm: {count=5}, aux: {tested}
  kNumber,        // imm: {number=3}
  kTable,         // imm: {table=0xca}
  kMatrix,        // imm, aux: {d=256, c=256, shape=32x32x1x2, f32, cbsz=1, abid=0}, see matrix.h
  kTargets,       // guest addresses after the arguments
  kProceed,       // the same, and imm: {count=5}
  kExit,          // reason and guest address
};
TextFormat FormatOf(Op op);

std::string_view NameOf(Type type);
inline constexpr std::string_view kActiveText = "active";
inline constexpr std::string_view kTestedText = "tested";

// Names by value.
std::span<const std::string_view> RoundingNames();      // of FloatEnv
std::span<const std::string_view> FRoundNames();        // of kFRound
std::span<const std::string_view> HalfRoundingNames();  // of kF32ToF16
std::span<const std::string_view> PredicateNames();
std::span<const std::string_view> MaskPartNames();
std::span<const std::string_view> AtomicNames();
std::span<const std::string_view> ReasonNames();
std::span<const std::string_view> MatrixElementNames();
std::span<const std::string_view> TypeNames();

}  // namespace gcnjit::ir
