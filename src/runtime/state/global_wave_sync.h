// Global wave sync: barriers between waves of different work-groups (ds_gws_init, ds_gws_barrier).
// Source: Vega ISA manual, "LDS & GDS Instructions", DS_GWS_INIT and DS_GWS_BARRIER.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

namespace gcnjit::runtime {

// The resources of a queue, or of a launch that comes from no queue.
class GlobalWaveSync {
 public:
  static constexpr uint32_t kResources = 64;
  struct Resource {
    uint32_t counter = 0;
    uint64_t opened = 0;  // barriers
  };
  using Resources = std::array<Resource, kResources>;

  // `counter`: how many waves wait at the next barrier, that is, come before the one that opens it.
  void Init(uint32_t resource, uint32_t counter) {
    const std::scoped_lock lock(mutex_);
    resources_[resource].counter = counter;
  }

  // A wave comes to the barrier. 0: it is the one that opens it; the next barrier has `counter`.
  // Otherwise what to ask IsOpen with.
  uint64_t Arrive(uint32_t resource, uint32_t counter) {
    const std::scoped_lock lock(mutex_);
    Resource& at = resources_[resource];
    if (at.counter != 0) {
      --at.counter;
      return at.opened + 1;
    }
    ++at.opened;
    at.counter = counter;
    return 0;
  }

  // What it holds, for a launch that is taken back to where it was before.
  Resources Save() {
    const std::scoped_lock lock(mutex_);
    return resources_;
  }
  void Restore(const Resources& resources) {
    const std::scoped_lock lock(mutex_);
    resources_ = resources;
  }

  bool IsOpen(uint32_t resource, uint64_t phase) {
    const std::scoped_lock lock(mutex_);
    return resources_[resource].opened >= phase;
  }

 private:
  std::mutex mutex_;
  Resources resources_;
};

}  // namespace gcnjit::runtime
