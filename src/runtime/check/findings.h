// Collects findings: one for each kind and pair of instructions, with a count.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "gcnjit/check.h"
#include "gcnjit/launch.h"
#include "runtime/check/access.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/state/initial_state.h"

namespace gcnjit::runtime::check {

// A party of a finding, short.
struct Site {
  uint64_t pc = 0;
  uint64_t group = 0;  // x fastest
  uint32_t wave = 0;
  int lane = -1;
  std::optional<AccessType> access;
};

// Where and at what. The texts are made only for the first of its kind.
struct Evidence {
  FindingKind kind = FindingKind::kOutOfBounds;
  Site site;
  std::optional<Site> other;
  uint64_t address = 0;
  uint32_t bytes = 0;
};

class Findings {
 public:
  Findings(const LaunchState& launch, const KernelInfo& kernel, const CodeMap& code, size_t limit);

  // Counts what is known already. Otherwise returns the new finding, to add the rest to; null: it
  // was counted, or there are too many.
  Finding* Add(const Evidence& evidence, uint64_t count = 1);

  uint64_t GroupNumber(const std::array<uint32_t, 3>& id) const;
  std::string InstructionText(uint64_t pc) const;

  const std::vector<Finding>& so_far() const { return findings_; }
  std::vector<Finding> Take() { return std::move(findings_); }
  uint64_t left_out() const { return left_out_.size(); }

 private:
  using Key = std::tuple<FindingKind, uint64_t, uint64_t>;
  FindingSite Describe(const Site& site) const;

  const LaunchState& launch_;
  const KernelInfo& kernel_;
  const CodeMap& code_;
  const size_t limit_;
  const std::array<uint32_t, 3> groups_;
  std::vector<Finding> findings_;
  std::map<Key, size_t> known_;
  std::set<Key> left_out_;
};

}  // namespace gcnjit::runtime::check
