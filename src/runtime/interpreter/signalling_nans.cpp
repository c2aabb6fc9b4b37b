#include "runtime/interpreter/signalling_nans.h"

#include "runtime/interpreter/lanes.h"

namespace gcnjit::runtime {
namespace {

// A NaN in another format: the highest bits of its fraction stay. A signalling one of which nothing
// would be left is quiet (what hardware makes of it is not known).
template <typename To, typename From>
uint64_t NanAs(typename Format<From>::Bits bits) {
  using F = Format<From>;
  using T = Format<To>;
  if (!F::IsNan(bits)) return 0;
  const uint64_t sign = (bits & F::kSign) != 0 ? T::kSign : 0;
  const uint64_t fraction = bits & F::kFraction;
  constexpr int kShift = T::kFractionBits - F::kFractionBits;
  const uint64_t moved = kShift >= 0 ? fraction << (kShift & 63) : fraction >> (-kShift & 63);
  return sign | T::kInfinity | (moved == 0 ? T::kQuiet : moved);
}

template <typename To, typename From>
void AddNans(const From* values, NanOperands& to) {
  uint64_t(&patterns)[kLanes] = to.patterns[to.count++];
  for (int lane = 0; lane < kLanes; ++lane) {
    patterns[lane] = NanAs<To, From>(Format<From>::Of(values[lane]));
  }
}

template <typename To, typename From>
void ReadNans(Wave& w, const Instruction& i, int n, NanOperands& to) {
  alignas(64) From buffer[kLanes];
  AddNans<To, From>(ReadLanes<From>(w, i, n, buffer), to);
}

// The destination's old value, which v_mac_* and v_fmac_* add to.
template <typename To>
void ReadDestination(Wave& w, const Instruction& i, NanOperands& to) {
  const uint32_t(*registers)[kLanes] = &w.state.vgpr[VgprIndex(w, i.dst, 3)];
  alignas(64) To values[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    uint64_t bits = registers[0][lane];
    if constexpr (sizeof(To) == 8) bits |= static_cast<uint64_t>(registers[1][lane]) << 32;
    if constexpr (sizeof(To) == 2) bits &= 0xFFFF;
    values[lane] = Format<To>::From(static_cast<typename Format<To>::Bits>(bits));
  }
  AddNans<To, To>(values, to);
}

template <typename To>
void ReadSources(Wave& w, const Instruction& i, NanOperands& to) {
  const frontend::OpcodeRow& row = i.row();
  const bool from_last = frontend::PrefersLastNan(row);
  for (int turn = 0; turn < 3; ++turn) {
    const int n = from_last ? 2 - turn : turn;
    switch (row.src[static_cast<size_t>(n)]) {
      case OperandType::F16: ReadNans<To, Half>(w, i, n, to); break;
      case OperandType::F32: ReadNans<To, float>(w, i, n, to); break;
      case OperandType::F64: ReadNans<To, double>(w, i, n, to); break;
      case OperandType::LITERAL: ReadNans<To, To>(w, i, n, to); break;
      default: break;
    }
  }
  if (row.Has(frontend::READS_DST)) ReadDestination<To>(w, i, to);
}

}  // namespace

void ReadNanOperands(Wave& w, const Instruction& i, NanOperands& to) {
  to.count = 0;
  switch (i.row().dst) {
    case OperandType::F16: return ReadSources<Half>(w, i, to);
    case OperandType::F32: return ReadSources<float>(w, i, to);
    case OperandType::F64: return ReadSources<double>(w, i, to);
    default: return;  // packed results see to theirs
  }
}

}  // namespace gcnjit::runtime
