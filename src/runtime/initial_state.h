// Registers of a wave when it starts.
// Source: LLVM AMDGPUUsage, "Initial Kernel Execution State", "Flat Scratch", "Private Segment
// Buffer".
#pragma once

#include <array>
#include <cstdint>

#include "frontend/code_object/kernel_descriptor.h"
#include "gcnjit/launch.h"
#include "runtime/wave_state.h"

namespace gcnjit::runtime {

// What is the same for all waves of a launch.
struct LaunchState {
  frontend::Generation generation = frontend::Generation::kGfx900;
  frontend::KernelDescriptor descriptor;
  uint64_t entry = 0;    // guest address of the first instruction
  uint64_t kernarg = 0;  // guest addresses
  uint64_t dispatch_packet = 0;
  uint64_t queue = 0;
  uint64_t scratch_base = 0;      // of all waves' scratch
  uint64_t scratch_total = 0;     // bytes
  uint32_t scratch_per_lane = 0;  // bytes, a multiple of 4
  uint32_t lds_bytes = 0;
  Dim3 global;
  Dim3 local;
};

// Fills `state` for wave `wave` of a work-group whose scratch starts `scratch_offset` bytes after
// scratch_base. Lanes are packed: work-items of a partial group are numbered by its actual size.
void InitialiseWave(const LaunchState& launch, const WorkgroupState& group, uint32_t wave,
                    uint64_t scratch_offset, WaveState& state);

// Local ids of a lane's work-item in its group.
std::array<uint32_t, 3> LocalId(const WorkgroupState& group, uint32_t wave, int lane);

// MODE as a kernel's waves begin with it.
uint32_t ModeAtStart(const frontend::KernelDescriptor& kd, frontend::Generation generation);

}  // namespace gcnjit::runtime
