// Which bits of a wave's registers were never given a value: set bits are undefined.
#pragma once

#include <array>
#include <cstdint>

#include "frontend/code_object/kernel_descriptor.h"
#include "frontend/flow/register_access.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::runtime::check {

class ShadowRegisters {
 public:
  // As a wave starts. Source: LLVM AMDGPUUsage, "Initial Kernel Execution State".
  void Start(const frontend::KernelDescriptor& kd, frontend::Generation generation);

  const uint32_t* Vgpr(size_t n) const { return vgpr_[n]; }
  // Lanes of the VGPR with undefined bits.
  uint64_t UndefinedLanes(size_t n) const { return undefined_lanes_[n]; }
  // Sets the bits of `which` to `undefined` in one lane.
  void SetVgpr(size_t n, int lane, uint32_t undefined, uint32_t which = ~0u) {
    uint32_t& bits = vgpr_[n][lane];
    bits = (bits & ~which) | (undefined & which);
    const uint64_t bit = uint64_t{1} << lane;
    undefined_lanes_[n] = bits != 0 ? undefined_lanes_[n] | bit : undefined_lanes_[n] & ~bit;
  }
  void DefineVgpr(size_t n, uint64_t lanes, uint32_t which = ~0u);

  uint32_t Sgpr(size_t n) const { return sgpr_[n]; }
  uint64_t Pair(size_t n) const { return sgpr_[n] | uint64_t{sgpr_[n + 1]} << 32; }
  void SetSgpr(size_t n, uint32_t undefined) {
    sgpr_[n] = undefined;
    undefined_sgprs_[n] = undefined != 0;
  }

  bool scc() const { return scc_; }
  void SetScc(bool undefined) { scc_ = undefined; }

  // Is anything undefined that may be read, VGPRs in the lanes of EXEC where those are all that is
  // read?
  bool AnyRead(const frontend::RegisterAccess& access, uint64_t exec) const;
  // What is written now is defined.
  void DefineWritten(const frontend::RegisterAccess& access, uint64_t exec);

 private:
  alignas(64) uint32_t vgpr_[kVectorRegisters][kLanes];
  std::array<uint64_t, kVectorRegisters> undefined_lanes_;
  std::array<uint32_t, 128> sgpr_;
  frontend::SgprSet undefined_sgprs_;
  bool scc_ = true;
};

}  // namespace gcnjit::runtime::check
