#include "ir/compute.h"

#include <bit>

namespace gcnjit::ir {
namespace {

constexpr uint64_t kLow32 = 0xFFFFFFFF;

}  // namespace

bool Compute(Op op, int width, uint64_t a, uint64_t b, uint64_t c, uint64_t* r) {
  const auto sign = [width](uint64_t v) {
    return static_cast<int64_t>(v << (64 - width)) >> (64 - width);
  };
  const auto sign32 = [](uint64_t v) { return int64_t{static_cast<int32_t>(v)}; };
  const uint64_t count = b & static_cast<uint64_t>(width - 1);
  // clang-format off
  switch (op) {
    case Op::kAdd:        *r = a + b; break;
    case Op::kSub:        *r = a - b; break;
    case Op::kMul:        *r = a * b; break;
    case Op::kMulHiU:     *r = a * b >> 32; break;
    case Op::kMulHiS:     *r = static_cast<uint64_t>(sign32(a) * sign32(b)) >> 32; break;
    case Op::kMulWideU:   *r = a * b; break;
    case Op::kMulWideS:   *r = static_cast<uint64_t>(sign32(a) * sign32(b)); break;
    case Op::kAnd:        *r = a & b; break;
    case Op::kOr:         *r = a | b; break;
    case Op::kXor:        *r = a ^ b; break;
    case Op::kAndNot:     *r = a & ~b; break;
    case Op::kNot:        *r = ~a; break;
    case Op::kShl:        *r = a << count; break;
    case Op::kLshr:       *r = a >> count; break;
    case Op::kAshr:       *r = static_cast<uint64_t>(sign(a) >> count); break;
    case Op::kFshr:       *r = (a << 32 | b) >> (c & 31); break;
    case Op::kMinU:       *r = a < b ? a : b; break;
    case Op::kMaxU:       *r = a < b ? b : a; break;
    case Op::kMinS:       *r = sign(a) < sign(b) ? a : b; break;
    case Op::kMaxS:       *r = sign(a) < sign(b) ? b : a; break;
    case Op::kPopcount:   *r = static_cast<uint64_t>(std::popcount(a)); break;
    case Op::kClz:        *r = static_cast<uint64_t>(std::countl_zero(a) - 64 + width); break;
    case Op::kCtz:        *r = static_cast<uint64_t>(a == 0 ? width : std::countr_zero(a)); break;
    case Op::kSext8:      *r = static_cast<uint64_t>(int64_t{static_cast<int8_t>(a)}); break;
    case Op::kSext16:     *r = static_cast<uint64_t>(int64_t{static_cast<int16_t>(a)}); break;
    case Op::kPack:       *r = a | b << 32; break;
    case Op::kLow:        *r = a & kLow32; break;
    case Op::kHigh:       *r = a >> 32; break;
    case Op::kZext:       *r = a; break;
    case Op::kSext:       *r = static_cast<uint64_t>(sign32(a)); break;
    case Op::kEq:         *r = a == b; break;
    case Op::kNe:         *r = a != b; break;
    case Op::kLtU:        *r = a < b; break;
    case Op::kLeU:        *r = a <= b; break;
    case Op::kLtS:        *r = sign(a) < sign(b); break;
    case Op::kLeS:        *r = sign(a) <= sign(b); break;
    case Op::kSelect:     *r = a != 0 ? b : c; break;
    case Op::kFirstLane:  *r = static_cast<uint64_t>(a == 0 ? 0 : std::countr_zero(a)); break;
    default: return false;
  }
  // clang-format on
  return true;
}

}  // namespace gcnjit::ir
