// Memory, and the instructions in it.
#include "cli/dap_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/dap_arguments.h"
#include "cli/dap_view.h"

namespace gcnjit::cli {

using nlohmann::json;

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<MemoryPlace> ParseMemoryReference(const std::string& text) {
  constexpr std::string_view kLds = "lds:";
  if (!text.starts_with(kLds)) {
    const auto address = ParseNumber(text);
    if (!address) return std::nullopt;
    return MemoryPlace{{}, *address};
  }
  const size_t colon = text.find(':', kLds.size());
  if (colon == std::string::npos) return std::nullopt;
  const auto group = ParseNumber(text.substr(kLds.size(), colon - kLds.size()));
  const auto address = ParseNumber(text.substr(colon + 1));
  if (!group || !address) return std::nullopt;
  return MemoryPlace{group, *address};
}

std::string LdsReference(uint64_t group, uint64_t address) {
  return fmt::format("lds:{}:{:#x}", group, address);
}

std::string Base64(std::span<const std::byte> bytes) {
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(bytes.size() - at, 3);
    uint32_t bits = 0;
    for (size_t n = 0; n < count; ++n)
      bits |= std::to_integer<uint32_t>(bytes[at + n]) << (16 - 8 * n);
    for (size_t n = 0; n < 4; ++n) text += n > count ? '=' : kDigits[bits >> (18 - 6 * n) & 63];
  }
  return text;
}

std::optional<std::vector<std::byte>> FromBase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t at = 0; at < text.size(); at += 4) {
    const bool is_last = at + 4 == text.size();
    const size_t digits = is_last ? 4 - padding : 4;
    uint32_t bits = 0;
    for (size_t n = 0; n < digits; ++n) {
      const size_t digit = kDigits.find(text[at + n]);
      if (digit == kDigits.npos) return std::nullopt;
      bits |= static_cast<uint32_t>(digit) << (18 - 6 * n);
    }
    for (size_t n = 0; n + 1 < digits; ++n) {
      bytes.push_back(static_cast<std::byte>(bits >> (16 - 8 * n)));
    }
  }
  return bytes;
}

Result<MemoryPlace> DapView::PlaceOf(const json& arguments) const {
  const auto reference = TextIn(arguments, "memoryReference");
  auto place = ParseMemoryReference(reference);
  if (!place) return Error{ErrorCode::kNotFound, fmt::format("no memory '{}'", reference)};
  place->address += static_cast<uint64_t>(NumberIn<int64_t>(arguments, "offset", 0));
  return *place;
}

// All of the bytes, or with allowPartial those before the first that cannot be written.
Result<json> DapView::WriteMemory(const json& arguments, bool& forgets) {
  const auto place = PlaceOf(arguments);
  if (!place) return place.error();
  auto bytes = FromBase64(TextIn(arguments, "data"));
  if (!bytes) return Error{ErrorCode::kInvalidArgument, "the data are not Base64"};
  const bool is_partial = FlagIn(arguments, "allowPartial", false);
  debug::Change change;
  change.kind = place->lds_of ? debug::Change::Kind::kLds : debug::Change::Kind::kMemory;
  change.wave.group = place->lds_of.value_or(0);
  change.address = place->address;
  change.bytes = std::move(*bytes);
  if (is_partial) change.bytes.resize(target_.machine().Fitting(change));
  if (!change.bytes.empty()) {
    const auto made = target_.session().Make(change);
    if (!made) return made.error();
    forgets = *made;
  }
  return is_partial ? json{{"bytesWritten", change.bytes.size()}} : json::object();
}

Result<json> DapView::ReadMemory(const json& arguments) {
  constexpr uint64_t kMostBytes = 1 << 20;
  const auto place = PlaceOf(arguments);
  if (!place) return place.error();
  const uint64_t address = place->address;
  const uint64_t count = std::min(NumberIn<uint64_t>(arguments, "count"), kMostBytes);
  std::span<const std::byte> bytes;
  if (!place->lds_of) {
    bytes = target_.Memory(address, count);
  } else if (const debug::WorkGroup* group = target_.machine().Find(*place->lds_of)) {
    const std::span<const std::byte> lds(group->state().lds, group->state().lds_bytes);
    if (address < lds.size()) bytes = lds.subspan(address, std::min(count, lds.size() - address));
  }
  json body = {{"address", fmt::format("{:#x}", address)}, {"data", Base64(bytes)}};
  if (bytes.size() < count) body["unreadableBytes"] = count - bytes.size();
  return body;
}

json DapView::InstructionAt(uint64_t pc) {
  const runtime::CodeMap& code = target_.machine().code();
  const std::span<const uint32_t> words = code.WordsAt(pc);
  const std::string address = fmt::format("{:#x}", pc);
  if (words.empty()) {
    return {{"address", address}, {"instruction", "(no code)"}, {"presentationHint", "invalid"}};
  }
  json instruction = {{"address", address},
                      {"instruction", target_.Disassembly(pc)},
                      {"symbol", target_.PlaceText(pc)}};
  std::string bytes;
  const size_t size = std::min<size_t>(target_.session().lines().SizeAt(pc) / 4, words.size());
  for (const uint32_t word : words.first(size)) {
    bytes += fmt::format("{}{:08X}", bytes.empty() ? "" : " ", word);
  }
  instruction["instructionBytes"] = bytes;
  const SourceFrames& frames = target_.session().lines().At(pc);
  if (!frames.empty()) {
    instruction["location"] = SourceOf(frames.front());
    instruction["line"] = frames.front().line;
  }
  return instruction;
}

// As many as are asked for: where there is no code, that is said.
Result<json> DapView::Disassemble(const json& arguments) {
  constexpr int64_t kMost = 10'000;
  const auto reference = TextIn(arguments, "memoryReference");
  const auto place = ParseMemoryReference(reference);
  if (!place || place->lds_of) {
    return Error{ErrorCode::kNotFound, fmt::format("no code '{}'", reference)};
  }
  const uint64_t at =
      (place->address + static_cast<uint64_t>(NumberIn<int64_t>(arguments, "offset", 0))) &
      ~uint64_t{3};
  const int64_t count =
      std::clamp(NumberIn<int64_t>(arguments, "instructionCount"), int64_t{0}, kMost);
  const int64_t from =
      std::clamp(NumberIn<int64_t>(arguments, "instructionOffset", 0), -kMost, kMost);
  std::vector<uint64_t> before;
  std::vector<uint64_t> after;
  for (const uint64_t pc :
       target_.InstructionsAround(at, static_cast<size_t>(std::max<int64_t>(-from, 0)),
                                  static_cast<size_t>(std::max<int64_t>(from + count, 0)))) {
    (pc < at ? before : after).push_back(pc);
  }
  json instructions = json::array();
  for (int64_t n = from; n < from + count; ++n) {
    const std::vector<uint64_t>& side = n < 0 ? before : after;
    const auto index = n < 0 ? static_cast<int64_t>(before.size()) + n : n;
    if (index >= 0 && index < static_cast<int64_t>(side.size())) {
      instructions.push_back(InstructionAt(side[static_cast<size_t>(index)]));
      continue;
    }
    // Beyond the code, dword by dword.
    const uint64_t edge =
        n < 0
            ? (before.empty() ? at : before.front())
            : (after.empty() ? at : after.back() + target_.session().lines().SizeAt(after.back()));
    const int64_t beyond = n < 0 ? index : index - static_cast<int64_t>(after.size());
    instructions.push_back(
        {{"address", fmt::format("{:#x}", edge + static_cast<uint64_t>(beyond * 4))},
         {"instruction", "(no code)"},
         {"presentationHint", "invalid"}});
  }
  return json{{"instructions", instructions}};
}

}  // namespace gcnjit::cli
