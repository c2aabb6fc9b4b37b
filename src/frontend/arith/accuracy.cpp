#include "frontend/arith/accuracy.h"

#include <algorithm>
#include <array>

namespace gcnjit::frontend::arith {
namespace {

using enum Opcode;

constexpr const char* kCorrectlyRounded = "correctly rounded; the manuals allow 1 ulp";
constexpr const char* kOneUlp = "the manuals allow 1 ulp";
constexpr const char* kF16 = "the f32 function, rounded once more";

struct Row {
  Opcode opcode;
  Accuracy accuracy;
};
constexpr std::array kRows = {
    Row{V_EXP_F32, {0.96, kOneUlp}},
    Row{V_EXP_LEGACY_F32, {0.96, kOneUlp}},
    Row{V_LOG_F32, {0.95, kOneUlp}},
    Row{V_LOG_LEGACY_F32, {0.95, kOneUlp}},
    Row{V_LOG_CLAMP_F32, {0.95, kOneUlp}},
    Row{V_RCP_F32, {0.5, kCorrectlyRounded}},
    Row{V_RCP_IFLAG_F32, {0.5, kCorrectlyRounded}},
    Row{V_RCP_LEGACY_F32, {0.5, kCorrectlyRounded}},
    Row{V_RCP_CLAMP_F32, {0.5, kCorrectlyRounded}},
    Row{V_RSQ_F32, {0.65, kOneUlp}},
    Row{V_RSQ_LEGACY_F32, {0.65, kOneUlp}},
    Row{V_RSQ_CLAMP_F32, {0.65, kOneUlp}},
    Row{V_SQRT_F32, {0.5, kCorrectlyRounded}},
    Row{V_SIN_F32, {2.3, "absolute 2.3 * 2^-24 for arguments up to 256 revolutions"}},
    Row{V_COS_F32, {2.3, "of results near 1: absolute 2.3 * 2^-24 up to 256 revolutions"}},
    Row{V_RCP_F64, {0.5, "correctly rounded; the hardware's is within 2^29 ulp"}},
    Row{V_RCP_CLAMP_F64, {0.5, "correctly rounded; the hardware's is within 2^29 ulp"}},
    Row{V_RSQ_F64, {1.5, "the hardware's is within 2^29 ulp"}},
    Row{V_RSQ_CLAMP_F64, {1.5, "the hardware's is within 2^29 ulp"}},
    Row{V_SQRT_F64, {0.5, "correctly rounded; the hardware's is within 2^29 ulp"}},
    Row{V_EXP_F16, {0.51, kF16}},
    Row{V_LOG_F16, {0.51, kF16}},
    Row{V_RCP_F16, {0.51, kF16}},
    Row{V_RSQ_F16, {0.51, kF16}},
    Row{V_SQRT_F16, {0.51, kF16}},
    Row{V_SIN_F16, {0.51, kF16}},
    Row{V_COS_F16, {0.51, kF16}},
};

}  // namespace

const Accuracy* AccuracyOf(Opcode opcode) {
  const auto* found = std::find_if(kRows.begin(), kRows.end(),
                                   [&](const Row& row) { return row.opcode == opcode; });
  return found == kRows.end() ? nullptr : &found->accuracy;
}

}  // namespace gcnjit::frontend::arith
