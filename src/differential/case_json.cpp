#include "differential/case_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "runtime/memory/memory_base.h"

namespace gcnjit::differential::case_json {

using runtime::GuestMemory;

std::string Hex(uint64_t value) { return fmt::format("{:#x}", value); }

uint64_t Number(const json& value) {
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  const std::string text = value.get<std::string>();
  uint64_t number = 0;
  const std::string_view digits = std::string_view(text).substr(text.starts_with("0x") ? 2 : 0);
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, number, 16);
  if (digits.size() == text.size() || error != std::errc() || at != end) {
    throw std::runtime_error("'" + text + "' is no number");
  }
  return number;
}

std::string HexOf(std::span<const std::byte> bytes) {
  while (!bytes.empty() && bytes.back() == std::byte{0}) bytes = bytes.first(bytes.size() - 1);
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

void BytesOf(const json& value, std::span<std::byte> bytes) {
  const std::string text = value.get<std::string>();
  if (text.size() % 2 != 0 || text.size() / 2 > bytes.size()) {
    throw std::runtime_error("a string of bytes has the wrong length");
  }
  std::ranges::fill(bytes, std::byte{0});
  for (size_t n = 0; n < text.size() / 2; ++n) {
    unsigned byte = 0;
    const char* const at = text.data() + 2 * n;
    const auto [end, error] = std::from_chars(at, at + 2, byte, 16);
    if (error != std::errc() || end != at + 2) throw std::runtime_error("no hexadecimal digits");
    bytes[n] = std::byte(byte);
  }
}

json MemoryToJson(GuestMemory& memory, const std::set<uint64_t>& pages) {
  json list = json::array();
  for (const uint64_t page : pages) {
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(page), kPage);
    list.push_back(
        {{"address", Hex(page)}, {"writable", memory.Writable(page, 1)}, {"bytes", HexOf(bytes)}});
  }
  return list;
}

json CodeToJson(const CodeRanges& ranges) {
  json code = json::array();
  for (const auto& [begin, end] : ranges) {
    code.push_back({{"begin", Hex(begin)}, {"end", Hex(end)}});
  }
  return code;
}

CodeRanges CodeFrom(const json& from, const GuestMemory& memory) {
  CodeRanges code;
  for (const json& range : from) {
    const uint64_t begin = Number(range.at("begin"));
    const uint64_t end = Number(range.at("end"));
    for (uint64_t page = begin / kPage * kPage; page < end; page += kPage) {
      if (!memory.Readable(page, 1)) throw std::runtime_error("some of its code is missing");
    }
    code.emplace_back(begin, end);
  }
  return code;
}

CaseMemory MemoryFrom(const json& base, const json& from, uint64_t end) {
  using enum GuestMemory::Access;
  CaseMemory to;
  runtime::SetGuestMemoryBase(Number(base));
  auto memory = GuestMemory::Reserve();
  runtime::SetGuestMemoryBase(0);
  if (!memory) throw std::runtime_error(memory.error().message);
  to.memory = *std::move(memory);
  const uint64_t first = to.memory->base() + GuestMemory::kGuardBytes;
  const uint64_t most = to.memory->base() + GuestMemory::kRangeBytes;
  to.end = std::max(first, end);
  for (const json& page : from) {
    const uint64_t address = Number(page.at("address"));
    if (address % kPage != 0 || address < first || address >= most) {
      throw std::runtime_error("its memory is not where it says");
    }
    to.end = std::max(to.end, address + kPage);
  }
  if (from.empty()) throw std::runtime_error("it has no memory");
  const auto allocated = to.memory->Allocate(to.end - first, "memory of the case");
  if (!allocated) throw std::runtime_error(allocated.error().message);
  if (*allocated != first) throw std::runtime_error("its memory is not where it says");
  to.begin = first;
  (void)to.memory->Protect(first, to.end - first, kNone);
  for (const json& page : from) {
    const uint64_t address = Number(page.at("address"));
    BytesOf(page.at("bytes"), {reinterpret_cast<std::byte*>(address), kPage});
    const auto access = page.at("writable").get<bool>() ? kReadWrite : kReadOnly;
    if (const auto done = to.memory->Protect(address, kPage, access); !done) {
      throw std::runtime_error(done.error().message);
    }
  }
  return to;
}

}  // namespace gcnjit::differential::case_json
