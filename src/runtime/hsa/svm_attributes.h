// What the host program says of ranges of shared virtual memory. All memory is accessible to all
// agents where it is; so this is only remembered, for queries.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <span>

#include "runtime/hsa/agent.h"

namespace gcnjit::hsa {

class Runtime;

class SvmAttributes {
 public:
  using Pairs = std::span<hsa_amd_svm_attribute_pair_t>;

  // Of the whole pages around [address, address + bytes). All pairs are looked at before any is
  // set.
  hsa_status_t Set(const Runtime& runtime, uint64_t address, uint64_t bytes, Pairs pairs);
  // Changes the values, and of queries for access the attributes.
  hsa_status_t Get(const Runtime& runtime, uint64_t address, uint64_t bytes, Pairs pairs) const;
  void Prefetched(uint64_t address, uint64_t bytes, const Agent& agent);

  // False: these bytes have no whole pages around them.
  static bool IsRange(uint64_t address, uint64_t bytes);

 private:
  struct Values {
    std::map<uint64_t, uint64_t> plain;       // attribute -> value, where it was set
    std::map<const Agent*, uint64_t> access;  // likewise, of AGENT_ACCESSIBLE and so on
    const Agent* prefetched = nullptr;
  };
  struct Range {
    uint64_t end = 0;
    Values values;
  };

  static uint64_t ValueOf(const Values& values, uint64_t attribute);
  static uint64_t AccessOf(const Values& values, const Agent& agent);
  // The caller holds mutex_.
  void SplitAt(uint64_t address);
  template <typename Change>
  void ChangeAll(uint64_t address, uint64_t bytes, Change&& change);
  template <typename Visit>
  void VisitAll(uint64_t address, uint64_t bytes, Visit&& visit) const;

  mutable std::mutex mutex_;          // guards what follows
  std::map<uint64_t, Range> ranges_;  // by address; what is in none has never been set
};

}  // namespace gcnjit::hsa
