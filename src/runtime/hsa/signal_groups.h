// Groups of signals, of which a thread waits for any.
#pragma once

#include <hsa/hsa.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace gcnjit::hsa {

class SignalGroups {
 public:
  hsa_signal_group_t Add(std::vector<hsa_signal_t> signals) {
    const std::scoped_lock lock(mutex_);
    groups_.emplace(++last_, std::move(signals));
    return {last_};
  }
  bool Remove(hsa_signal_group_t group) {
    const std::scoped_lock lock(mutex_);
    return groups_.erase(group.handle) != 0;
  }
  // nullopt: there is none.
  std::optional<std::vector<hsa_signal_t>> Find(hsa_signal_group_t group) {
    const std::scoped_lock lock(mutex_);
    const auto found = groups_.find(group.handle);
    return found == groups_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::mutex mutex_;  // guards what follows
  uint64_t last_ = 0;
  std::map<uint64_t, std::vector<hsa_signal_t>> groups_;
};

}  // namespace gcnjit::hsa
