// The source operands that are no registers. Sources: CLRX GcnOperands; Vega manual "Scalar
// operands"; LLVM SIRegisterInfo.td for the apertures.
#include "runtime/interpreter/scalar_operands.h"

#include <string>

namespace gcnjit::runtime {
namespace {

// One value from LDS for all lanes: M0[15:0] is the byte address, M0[18:16] the type.
uint32_t ReadLdsDirect(Wave& w) {
  const uint32_t m0 = w.state.m0();
  const uint32_t address = m0 & 0xFFFF;
  const uint32_t type = m0 >> 16 & 7;
  uint32_t bytes = 0;
  switch (type) {
    case 0:
    case 4: bytes = 1; break;
    case 1:
    case 5: bytes = 2; break;
    case 2: bytes = 4; break;
    default:
      w.RaiseUnsupported("lds_direct with data type " + std::to_string(type) +
                         " in M0[18:16]: the ISA documents define 0, 1, 2, 4 and 5");
      return 0;
  }
  if (address % bytes != 0) {
    w.RaiseFault(FaultKind::kMisaligned, -1, address, bytes,
                 "the LDS address in M0[15:0] is not a multiple of the data type's size");
    return 0;
  }
  if (address + bytes > w.group.lds_bytes) return 0;  // LDS reads out of range give 0
  uint32_t value = 0;
  std::memcpy(&value, w.group.lds + address, bytes);
  if (type == 4) return static_cast<uint32_t>(static_cast<int8_t>(value));
  if (type == 5) return static_cast<uint32_t>(static_cast<int16_t>(value));
  return value;
}

}  // namespace

uint64_t ReadSpecial(Wave& w, const Operand& operand) {
  // 64-bit registers; a 32-bit operand sees the low half, which is 0 (bases) or all ones (limits).
  constexpr uint64_t kApertureLimit = 0xFFFFFFFF;
  if (operand.kind != OperandKind::kSpecial) {
    w.RaiseUnsupported("a vector register or no operand where a scalar operand is needed");
    return 0;
  }
  switch (operand.index) {
    case frontend::kCodeSharedBase: return kSharedAperture;
    case frontend::kCodeSharedLimit: return kSharedAperture | kApertureLimit;
    case frontend::kCodePrivateBase: return kPrivateAperture;
    case frontend::kCodePrivateLimit: return kPrivateAperture | kApertureLimit;
    case frontend::kCodePopsExitingWaveId:
      w.RaiseUnsupported("src_pops_exiting_wave_id belongs to pixel shaders");
      return 0;
    case frontend::kCodeVccz: return w.state.vcc() == 0 ? 1 : 0;
    case frontend::kCodeExecz: return w.exec() == 0 ? 1 : 0;
    case frontend::kCodeScc: return w.state.scc;
    case frontend::kCodeLdsDirect: return ReadLdsDirect(w);
    default: w.RaiseUnsupported("source operand code " + std::to_string(operand.index)); return 0;
  }
}

}  // namespace gcnjit::runtime
