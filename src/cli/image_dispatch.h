// A launch whose waves are run by hand, on a copy of its memory.
#pragma once

#include <atomic>

#include "differential/guest_image.h"
#include "runtime/state/initial_state.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::cli {

inline runtime::DispatchState DispatchOn(differential::GuestImage& image,
                                         const runtime::LaunchState& launch,
                                         std::atomic<bool>* stop) {
  runtime::DispatchState dispatch;
  dispatch.memory = &image.memory();
  dispatch.processor = launch.processor;
  dispatch.scratch_base = launch.scratch_base;
  dispatch.entry = launch.entry;
  dispatch.gds = image.gds().data();
  dispatch.dispatch_packet = launch.dispatch_packet;
  dispatch.queue = launch.queue;
  dispatch.stop = stop;
  return dispatch;
}

}  // namespace gcnjit::cli
