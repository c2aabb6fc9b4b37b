// What case files have in common: numbers and bytes as text, code, pages of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>

#include "differential/guest_image.h"
#include "differential/trial.h"
#include "runtime/memory/guest_memory.h"

// What reads throws std::exception, of what is not as it should be.
namespace gcnjit::differential::case_json {

using nlohmann::json;

std::string Hex(uint64_t value);
uint64_t Number(const json& value);

// Pairs of digits; zeros at the end are left out. Read, the rest becomes zeros.
std::string HexOf(std::span<const std::byte> bytes);
void BytesOf(const json& value, std::span<std::byte> bytes);

json CodeToJson(const CodeRanges& ranges);
// All of its pages must be there.
CodeRanges CodeFrom(const json& from, const runtime::GuestMemory& memory);

json MemoryToJson(runtime::GuestMemory& memory, const std::set<uint64_t>& pages);

// Guest memory of its own, at the addresses of the process that wrote the case: in one allocation,
// up to `end` at least, in which only the pages of `from` can be accessed.
struct CaseMemory {
  std::shared_ptr<runtime::GuestMemory> memory;
  uint64_t begin = 0;  // of the allocation
  uint64_t end = 0;
};
CaseMemory MemoryFrom(const json& base, const json& from, uint64_t end = 0);

}  // namespace gcnjit::differential::case_json
