// The interpreter's view of a running wave: its state, where to go next, and what happened.
// Every exec_* function gets one of these and a decoded instruction.
#pragma once

#include <xmmintrin.h>

#include <cstdint>
#include <string>

#include "gcnjit/launch.h"
#include "isa/instruction.h"
#include "runtime/interpreter/element.h"
#include "runtime/memory/guest_memory.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::runtime {

using frontend::Generation;
using frontend::Instruction;
using frontend::Operand;
using frontend::OperandKind;
using frontend::OperandType;

// What makes a wave leave the instruction loop.
enum class WaveEvent : uint8_t {
  kNone,
  kEnd,      // s_endpgm
  kBarrier,  // s_barrier: continue when all waves of the group are there
  kYield,    // s_sleep and the like: let other waves run, then continue
  kFault,    // see Wave::fault
  kStopped,  // the dispatch was told to stop
};

struct PendingFault {
  FaultKind kind = FaultKind::kUnsupported;
  int lane = -1;
  uint64_t address = 0;
  uint32_t bytes = 0;
  std::string detail;
};

// Which fields of MODE govern host floating-point arithmetic (MXCSR) at the moment.
enum class FloatClass : uint8_t {
  kUnset,
  kF32,       // MODE's f32 round and denormal fields
  kF64F16,    // MODE's f64/f16 fields
  kF32Flush,  // f32 rounding, denormals flushed whatever MODE says (v_mad_f32, v_mac_f32)
  kNearest,   // nearest even, denormals kept (approximate functions, host-side helpers)
};

struct NanOperands;

struct Wave {
  WaveState& state;
  WorkgroupState& group;
  DispatchState& dispatch;
  uint64_t next_pc = 0;  // set to the following instruction before each exec_*; branches change it
  WaveEvent event = WaveEvent::kNone;
  FloatClass float_class = FloatClass::kUnset;
  uint32_t mxcsr_for_mode = ~0u;              // MODE value for which float_class was set up
  uint64_t dpp_write_mask = ~uint64_t{0};     // lanes that a DPP instruction may write, see lanes.h
  const NanOperands* nan_operands = nullptr;  // of an instruction that must not quiet them
  PendingFault fault = {};

  Generation generation() const { return dispatch.processor.generation; }
  uint64_t exec() const { return state.exec(); }

  // The first fault of an instruction wins; the rest of its lanes may still be executed.
  void RaiseFault(FaultKind kind, int lane, uint64_t address, uint32_t bytes,
                  std::string detail = {}) {
    if (event == WaveEvent::kFault) return;
    event = WaveEvent::kFault;
    fault = {kind, lane, address, bytes, std::move(detail)};
  }
  void RaiseUnsupported(std::string detail) {
    RaiseFault(FaultKind::kUnsupported, -1, 0, 0, std::move(detail));
  }

  // Makes MXCSR follow MODE for a class of operations. The instruction loop calls it for rows
  // flagged FP32 or FP64; functions with rules of their own call it again.
  void UseFloatClass(FloatClass wanted) {
    if (wanted == float_class && mxcsr_for_mode == state.mode) return;
    SetMxcsr(wanted);
  }
  void SetMxcsr(FloatClass wanted);

  // Memory access for one lane (lane -1: scalar). False after raising a fault.
  bool Load(uint64_t address, void* to, uint32_t bytes, int lane) {
    if (!dispatch.memory->Readable(address, bytes)) [[unlikely]]
      return LoadFromHost(address, to, bytes, lane);
    LoadElement(to, reinterpret_cast<const void*>(address), bytes);
    return true;
  }
  bool Store(uint64_t address, const void* from, uint32_t bytes, int lane) {
    if (!dispatch.memory->Writable(address, bytes)) [[unlikely]]
      return StoreToHost(address, from, bytes, lane);
    StoreElement(reinterpret_cast<void*>(address), from, bytes);
    return true;
  }
  // What is no allocation: the host's memory if that is shared.
  bool LoadFromHost(uint64_t address, void* to, uint32_t bytes, int lane);
  bool StoreToHost(uint64_t address, const void* from, uint32_t bytes, int lane);
};

using ExecFunction = void (*)(Wave&, const Instruction&);

// exec_<id>; nullptr where the row is refused (OpcodeRow::refusal says why).
ExecFunction ExecFunctionOf(frontend::Opcode opcode);

}  // namespace gcnjit::runtime
