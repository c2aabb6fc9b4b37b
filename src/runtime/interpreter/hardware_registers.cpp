// Ids: LLVM AMDGPU hwreg operand, gfx7 to gfx9. Field layouts: GCN3 and Vega manuals, "Hardware
// registers"; the HW_ID layout also in HIP's device headers; sizes in GPR_ALLOC and LDS_ALLOC and
// the fields of TRAPSTS also in the Linux amdkfd context-save handlers and in rocm-dbgapi.
#include "runtime/interpreter/hardware_registers.h"

#include <algorithm>
#include <string>

#include "runtime/state/lds_size.h"

namespace gcnjit::runtime {
namespace {

enum HwregId : uint32_t {
  kMode = 1,
  kStatus = 2,
  kTrapSts = 3,
  kHwId = 4,
  kGprAlloc = 5,
  kLdsAlloc = 6,
  kIbSts = 7,
  // gfx9
  kShMemBases = 15,
  kTbaLo = 16,
  kTbaHi = 17,
  kTmaLo = 18,
  kTmaHi = 19,
  kXccId = 20,  // gfx942
};

// Bits of MODE that gcnjit honours or that have no effect on results.
uint32_t SupportedModeBits(Generation generation) {
  constexpr uint32_t kRoundAndDenormals = 0xFF;
  constexpr uint32_t kLodClamped = 1u << 10;  // a sticky flag of image samplers
  uint32_t bits = kRoundAndDenormals | kModeDx10Clamp | kModeIeee | kLodClamped | kModeVskip |
                  7u << kModeCspShift;
  if (IsGfx8Plus(generation)) bits |= kModeGprIdxEn;
  if (frontend::Has(generation, frontend::kFp16Overflow)) bits |= kModeFp16Overflow;
  return bits;
}

// No trap handler, debugger, thread trace or performance counter is present, the wave is not
// halted, and priorities have no effect.
uint32_t Status(const Wave& w) {
  constexpr int kExecz = 9, kVccz = 10, kInThreadGroup = 11, kValid = 16;
  return w.state.scc | (w.exec() == 0 ? 1u << kExecz : 0) | (w.state.vcc() == 0 ? 1u << kVccz : 0) |
         (w.group.wave_count > 1 ? 1u << kInThreadGroup : 0) | 1u << kValid;
}

// A place that depends on the work-group and wave numbers only, so that runs are repeatable:
// consecutive waves of a group go to the four SIMDs in turn, groups to compute units.
uint32_t HwId(const Wave& w) {
  const uint32_t wave = w.state.wave_in_group;
  const uint32_t group = w.group.id[0] + w.group.id[1] + w.group.id[2];
  const uint32_t wave_id = wave / 4 % 10;
  const uint32_t simd = wave % 4;
  const uint32_t compute_unit = group % 16;
  const uint32_t shader_engine = group / 16 % 4;
  const uint32_t thread_group = group / 64 % 16;
  return wave_id | simd << 4 | compute_unit << 8 | shader_engine << 13 | thread_group << 16;
}

// Sizes minus one, in units of 4 VGPRs and of 8 (gfx6-7) or 16 (gfx8-9) SGPRs. Each wave has the
// whole scalar register file.
uint32_t GprAlloc(const Wave& w) {
  const uint32_t vgpr_size = (std::max(w.state.vgpr_count, 1u) - 1) / 4;
  const uint32_t sgpr_size = IsGfx8Plus(w.generation()) ? 112 / 16 - 1 : 104 / 8 - 1;
  return vgpr_size << 8 | sgpr_size << 24;
}

// LDS_SIZE counts 64 dwords.
uint32_t LdsAlloc(const Wave& w) {
  constexpr uint32_t kUnit = 64 * 4;
  return (AllocatedLdsBytes(w.generation(), w.group.lds_bytes) / kUnit & 0x1FF) << 12;
}

// High halves of the aperture bases: private in the low half, shared in the high half.
constexpr uint32_t kShMemBasesValue = static_cast<uint32_t>(kPrivateAperture >> 48) |
                                      static_cast<uint32_t>(kSharedAperture >> 48) << 16;
static_assert((kPrivateAperture & 0xFFFFFFFFFFFF) == 0 && (kSharedAperture & 0xFFFFFFFFFFFF) == 0);

// EXCP, and EXCP_HI on gfx9: sticky flags. Instructions do not raise them, since collecting them
// for active lanes alone would cost every float operation; a program reads what it wrote. SAVECTX,
// ILLEGAL_INST, the cycle of an exception and DP_RATE belong to trap handlers and read as 0.
uint32_t WritableTrapStatus(Generation generation) {
  return 0x1FF | (IsGfx9(generation) ? 7u << 12 : 0);
}

void WriteMode(Wave& w, uint32_t mode) {
  const uint32_t supported = SupportedModeBits(w.generation());
  if ((mode & ~supported & ~w.state.mode) != 0) {
    w.RaiseUnsupported(
        "sets MODE bits that gcnjit does not implement (debugging, exceptions that "
        "trap, or reserved): new value " +
        std::to_string(mode));
    return;
  }
  w.state.mode = mode;
}

void RaiseUnknown(Wave& w, uint32_t id) {
  w.RaiseUnsupported("hardware register " + std::to_string(id) +
                     " is not implemented; 1 to 7 and, on gfx9, 15 to 19 are");
}

}  // namespace

uint32_t ReadHwreg(Wave& w, const HwregField& field) {
  uint32_t value = 0;
  switch (field.id) {
    case kMode: value = w.state.mode; break;
    case kStatus: value = Status(w); break;
    case kTrapSts: value = w.state.trapsts; break;
    case kHwId: value = HwId(w); break;
    case kGprAlloc:
      if (frontend::Has(w.generation(), frontend::kUnifiedVgprs)) {
        w.RaiseUnsupported("GPR_ALLOC of a file for VGPRs and AccVGPRs; its layout is not known");
        return 0;
      }
      value = GprAlloc(w);
      break;
    case kLdsAlloc: value = LdsAlloc(w); break;
    case kIbSts: break;  // counters of outstanding operations: every operation is complete
    case kShMemBases:
    case kTbaLo:
    case kTbaHi:
    case kTmaLo:
    case kTmaHi:
      if (!IsGfx9(w.generation())) {
        RaiseUnknown(w, field.id);
        return 0;
      }
      value = field.id == kShMemBases ? kShMemBasesValue : 0;  // there is no trap handler
      break;
    case kXccId:
      // A device has one die.
      if (frontend::Has(w.generation(), frontend::kGfx942Isa)) break;
      [[fallthrough]];
    default: RaiseUnknown(w, field.id); return 0;
  }
  return (value & field.Mask()) >> field.offset;
}

void WriteHwreg(Wave& w, const HwregField& field, uint32_t value) {
  const uint32_t mask = field.Mask();
  switch (field.id) {
    case kMode: WriteMode(w, (w.state.mode & ~mask) | (value << field.offset & mask)); return;
    case kTrapSts: {
      const uint32_t written = mask & WritableTrapStatus(w.generation());
      w.state.trapsts = (w.state.trapsts & ~written) | (value << field.offset & written);
      return;
    }
    case kStatus:
    case kHwId:
    case kGprAlloc:
    case kLdsAlloc:
    case kIbSts:
    case kShMemBases:
    case kTbaLo:
    case kTbaHi:
    case kTmaLo:
    case kTmaHi:
      w.RaiseUnsupported("writes hardware register " + std::to_string(field.id) +
                         ", which is read-only outside trap handlers");
      return;
    default: RaiseUnknown(w, field.id);
  }
}

}  // namespace gcnjit::runtime
