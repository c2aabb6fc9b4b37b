#include "runtime/hsa/svm_attributes.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "runtime/hsa/runtime.h"

namespace gcnjit::hsa {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kGpuExecution = 7;      // HSA_AMD_SVM_ATTRIB_GPU_EXEC, not in older headers
constexpr uint64_t kMostGranularity = 18;  // as with ROCm: 1 GiB
constexpr uint64_t kGranularity = 9;       // if not set: 2 MiB

uint64_t BeginOf(uint64_t address) { return address / kPage * kPage; }
uint64_t EndOf(uint64_t address, uint64_t bytes) {
  return (address + bytes + kPage - 1) / kPage * kPage;
}

bool IsAccess(uint64_t attribute) {
  return attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE ||
         attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE ||
         attribute == HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
}

bool IsFlag(uint64_t attribute) {
  return attribute == HSA_AMD_SVM_ATTRIB_READ_ONLY || attribute == HSA_AMD_SVM_ATTRIB_HIVE_LOCAL ||
         attribute == HSA_AMD_SVM_ATTRIB_READ_MOSTLY || attribute == kGpuExecution;
}

// SUCCESS: the attribute may be set to this.
hsa_status_t CheckPlain(const Runtime& runtime, const hsa_amd_svm_attribute_pair_t& pair) {
  if (IsFlag(pair.attribute) || pair.attribute == HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY) {
    return HSA_STATUS_SUCCESS;
  }
  if (pair.attribute == HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG) {
    return pair.value < HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE ? HSA_STATUS_SUCCESS
                                                              : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  if (pair.attribute == HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION) {
    return pair.value == 0 || runtime.Find(hsa_agent_t{pair.value}) != nullptr
               ? HSA_STATUS_SUCCESS
               : HSA_STATUS_ERROR_INVALID_AGENT;
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

uint64_t StoredValue(const hsa_amd_svm_attribute_pair_t& pair) {
  if (IsFlag(pair.attribute)) return pair.value != 0 ? 1 : 0;
  if (pair.attribute == HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY) {
    return std::min(pair.value, kMostGranularity);
  }
  return pair.value;
}

// What to say of an attribute that has these values in parts of a range.
uint64_t Together(uint64_t attribute, const std::set<uint64_t>& values) {
  if (values.size() == 1) return *values.begin();
  switch (attribute) {
    case HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG: return HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE;
    case HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY: return *values.begin();
    default: return 0;  // a flag that not all have, different agents
  }
}

}  // namespace

bool SvmAttributes::IsRange(uint64_t address, uint64_t bytes) {
  constexpr uint64_t kLast = UINT64_MAX - kPage;
  return address >= kPage && address <= kLast && bytes != 0 && bytes <= kLast - address;
}

uint64_t SvmAttributes::ValueOf(const Values& values, uint64_t attribute) {
  const auto found = values.plain.find(attribute);
  if (found != values.plain.end()) return found->second;
  return attribute == HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY ? kGranularity : 0;
}

uint64_t SvmAttributes::AccessOf(const Values& values, const Agent& agent) {
  const auto found = values.access.find(&agent);
  if (found != values.access.end()) return found->second;
  return HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE;
}

void SvmAttributes::SplitAt(uint64_t address) {
  auto found = ranges_.lower_bound(address);
  if (found == ranges_.begin()) return;
  --found;
  if (found->second.end <= address) return;
  ranges_[address] = found->second;
  found->second.end = address;
}

template <typename Change>
void SvmAttributes::ChangeAll(uint64_t address, uint64_t bytes, Change&& change) {
  const uint64_t begin = BeginOf(address), end = EndOf(address, bytes);
  SplitAt(begin);
  SplitAt(end);
  for (uint64_t at = begin; at < end;) {
    const auto next = ranges_.lower_bound(at);
    if (next == ranges_.end() || next->first != at) {
      const uint64_t gap_end = next == ranges_.end() ? end : std::min(end, next->first);
      ranges_[at] = {gap_end, {}};
      continue;
    }
    change(next->second.values);
    at = next->second.end;
  }
}

template <typename Visit>
void SvmAttributes::VisitAll(uint64_t address, uint64_t bytes, Visit&& visit) const {
  const Values unset;
  const uint64_t end = EndOf(address, bytes);
  for (uint64_t at = BeginOf(address); at < end;) {
    const auto above = ranges_.upper_bound(at);
    const bool is_in = above != ranges_.begin() && at < std::prev(above)->second.end;
    visit(is_in ? std::prev(above)->second.values : unset);
    at = is_in ? std::prev(above)->second.end : above == ranges_.end() ? end : above->first;
  }
}

hsa_status_t SvmAttributes::Set(const Runtime& runtime, uint64_t address, uint64_t bytes,
                                Pairs pairs) {
  std::set<uint64_t> seen;
  std::set<const Agent*> agents;
  for (const auto& pair : pairs) {
    if (IsAccess(pair.attribute)) {
      const Agent* const agent = runtime.Find(hsa_agent_t{pair.value});
      if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
      if (!agents.insert(agent).second) return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
      continue;
    }
    const hsa_status_t status = CheckPlain(runtime, pair);
    if (status != HSA_STATUS_SUCCESS) return status;
    if (!seen.insert(pair.attribute).second) return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  }
  if (!IsRange(address, bytes)) return HSA_STATUS_ERROR;
  const std::scoped_lock lock(mutex_);
  ChangeAll(address, bytes, [&](Values& values) {
    for (const auto& pair : pairs) {
      if (IsAccess(pair.attribute)) {
        values.access[runtime.Find(hsa_agent_t{pair.value})] = pair.attribute;
      } else {
        values.plain[pair.attribute] = StoredValue(pair);
      }
    }
  });
  return HSA_STATUS_SUCCESS;
}

hsa_status_t SvmAttributes::Get(const Runtime& runtime, uint64_t address, uint64_t bytes,
                                Pairs pairs) const {
  std::vector<hsa_amd_svm_attribute_pair_t> answers(pairs.begin(), pairs.end());
  for (const auto& pair : answers) {
    const bool is_query = pair.attribute == HSA_AMD_SVM_ATTRIB_ACCESS_QUERY;
    if (is_query && runtime.Find(hsa_agent_t{pair.value}) == nullptr) {
      return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    if (!is_query && (pair.attribute > HSA_AMD_SVM_ATTRIB_READ_MOSTLY)) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  }
  if (!IsRange(address, bytes)) return HSA_STATUS_ERROR;
  const std::scoped_lock lock(mutex_);
  for (auto& pair : answers) {
    std::set<uint64_t> found;
    if (pair.attribute == HSA_AMD_SVM_ATTRIB_ACCESS_QUERY) {
      const Agent& agent = *runtime.Find(hsa_agent_t{pair.value});
      VisitAll(address, bytes,
               [&](const Values& values) { found.insert(AccessOf(values, agent)); });
      pair.attribute =
          found.size() == 1 ? *found.begin() : uint64_t{HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS};
      continue;
    }
    VisitAll(address, bytes, [&](const Values& values) {
      if (pair.attribute != HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION) {
        found.insert(ValueOf(values, pair.attribute));
      } else {
        found.insert(values.prefetched == nullptr ? 0 : values.prefetched->handle().handle);
      }
    });
    pair.value = Together(pair.attribute, found);
  }
  std::ranges::copy(answers, pairs.begin());
  return HSA_STATUS_SUCCESS;
}

void SvmAttributes::Prefetched(uint64_t address, uint64_t bytes, const Agent& agent) {
  const std::scoped_lock lock(mutex_);
  ChangeAll(address, bytes, [&](Values& values) { values.prefetched = &agent; });
}

}  // namespace gcnjit::hsa
