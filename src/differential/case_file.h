// A divergence as a file: everything that is needed to see it again, and nothing else.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "differential/narrow.h"
#include "gcnjit/error.h"

namespace gcnjit::differential {

// As JSON. Runs the divergence in both engines to learn which pages of memory it needs.
std::string WriteCase(Place& place, const Engine& reference, const Engine& tested,
                      const Divergence& divergence);

// What a case file holds, ready to run. Its addresses are taken, so there is one in a process.
struct LoadedCase {
  std::shared_ptr<runtime::GuestMemory> memory;
  std::vector<std::byte> lds;
  std::atomic<bool> stop{false};
  std::unique_ptr<GuestImage> image;
  std::unique_ptr<Place> place;
  Situation from;
  uint64_t instructions = 0;
  std::string reference;  // names of the engines
  std::string tested;
};
Result<std::unique_ptr<LoadedCase>> ReadCase(const std::string& text);

}  // namespace gcnjit::differential
