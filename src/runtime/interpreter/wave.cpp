#include "runtime/interpreter/wave.h"

#include "runtime/memory/host_memory.h"

namespace gcnjit::runtime {
namespace {

constexpr uint32_t kMxcsrMaskExceptions = 0x1F80;
constexpr uint32_t kMxcsrDenormalsAreZero = 1u << 6;
constexpr uint32_t kMxcsrFlushToZero = 1u << 15;

// MODE counts 0 nearest, 1 +inf, 2 -inf, 3 zero; MXCSR.RC 0 nearest, 1 -inf, 2 +inf, 3 zero.
constexpr uint32_t RoundingControl(uint32_t mode_field) {
  constexpr uint32_t kControl[4] = {0, 2, 1, 3};
  return kControl[mode_field & 3] << 13;
}

// MODE's denormal field: bit 0 keeps input denormals, bit 1 keeps output denormals.
constexpr uint32_t DenormalControl(uint32_t mode_field) {
  return ((mode_field & 1) != 0 ? 0 : kMxcsrDenormalsAreZero) |
         ((mode_field & 2) != 0 ? 0 : kMxcsrFlushToZero);
}

}  // namespace

bool Wave::LoadFromHost(uint64_t address, void* to, uint32_t bytes, int lane) {
  HostMemory* const host = dispatch.memory->host();
  if (host != nullptr && host->Read(address, to, bytes)) return true;
  RaiseFault(FaultKind::kMemoryRead, lane, address, bytes);
  return false;
}

bool Wave::StoreToHost(uint64_t address, const void* from, uint32_t bytes, int lane) {
  HostMemory* const host = dispatch.memory->host();
  if (host != nullptr && host->Write(address, from, bytes)) return true;
  RaiseFault(FaultKind::kMemoryWrite, lane, address, bytes);
  return false;
}

void Wave::SetMxcsr(FloatClass wanted) {
  const uint32_t mode = state.mode;
  uint32_t control = kMxcsrMaskExceptions;
  switch (wanted) {
    case FloatClass::kF32:
      control |=
          RoundingControl(mode >> kModeRound32Shift) | DenormalControl(mode >> kModeDenorm32Shift);
      break;
    case FloatClass::kF64F16:
      control |=
          RoundingControl(mode >> kModeRound64Shift) | DenormalControl(mode >> kModeDenorm64Shift);
      break;
    case FloatClass::kF32Flush:
      control |= RoundingControl(mode >> kModeRound32Shift) | DenormalControl(0);
      break;
    case FloatClass::kUnset:
    case FloatClass::kNearest: break;
  }
  // The memory clobber keeps loads of operands, and so the arithmetic on them, after the switch.
  asm volatile("ldmxcsr %0" : : "m"(control) : "memory");
  float_class = wanted;
  mxcsr_for_mode = mode;
}

}  // namespace gcnjit::runtime
