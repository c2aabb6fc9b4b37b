// Barriers of global wave sync. Sources: Vega ISA manual, "LDS & GDS Instructions" (DS_GWS_INIT,
// DS_GWS_BARRIER); LLVM AMDGPUInstructionSelector.cpp, selectDSGWSIntrinsic (which resource).
#include <bit>

#include "runtime/interpreter/wave.h"
#include "runtime/state/global_wave_sync.h"

namespace gcnjit::runtime {
namespace {

// The instruction's offset and M0[21:16], modulo 64.
uint32_t ResourceOf(const Wave& w, const Instruction& i) {
  return (uint32_t{i.offset0} + (w.state.m0() >> 16)) % GlobalWaveSync::kResources;
}

// The data of the first active lane; false after a fault.
bool TakeCounter(Wave& w, const Instruction& i, uint32_t& counter) {
  if (w.dispatch.wave_sync == nullptr) {
    w.RaiseUnsupported(
        "global wave sync: only queues for cooperative launches have it "
        "(hipLaunchCooperativeKernel, HSA_QUEUE_TYPE_COOPERATIVE)");
    return false;
  }
  if (w.exec() == 0) {
    w.RaiseUnsupported("global wave sync with an EXEC of 0: no lane has a counter");
    return false;
  }
  counter = w.state.vgpr[i.src[0].index][std::countr_zero(w.exec())];
  return true;
}

}  // namespace

void exec_DS_GWS_INIT(Wave& w, const Instruction& i) {
  uint32_t counter = 0;
  if (TakeCounter(w, i, counter)) w.dispatch.wave_sync->Init(ResourceOf(w, i), counter);
}

// A wave that has to wait comes to the same instruction again, in its next turn.
void exec_DS_GWS_BARRIER(Wave& w, const Instruction& i) {
  uint32_t counter = 0;
  if (!TakeCounter(w, i, counter)) return;
  GlobalWaveSync& sync = *w.dispatch.wave_sync;
  const uint32_t resource = ResourceOf(w, i);
  uint64_t& phase = w.state.wave_sync_phase;
  if (phase == 0) {
    phase = sync.Arrive(resource, counter);
  } else if (sync.IsOpen(resource, phase)) {
    phase = 0;
  }
  if (phase == 0) return;
  w.next_pc = w.state.pc;
  w.event = WaveEvent::kYield;
}

}  // namespace gcnjit::runtime
