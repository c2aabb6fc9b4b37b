// Commands that look at where the run is.
#include <fmt/format.h>

#include <algorithm>

#include "cli/debug_console.h"

namespace gcnjit::cli {

using debug::NumberFormat;

namespace {

Error NoLook(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// Words before "as FORMAT", and the format.
struct Request {
  std::vector<std::string> words;
  NumberFormat format;
  bool has_format = false;  // one is named
};
Result<Request> TakeFormat(std::span<const std::string> words, NumberFormat usual) {
  Request request{{words.begin(), words.end()}, usual};
  const auto as = std::ranges::find(request.words, "as");
  if (as == request.words.end()) return request;
  const auto format =
      as + 1 == request.words.end() ? std::nullopt : debug::ParseNumberFormat(as[1]);
  if (!format || as + 2 != request.words.end()) {
    return NoLook("expected at the end: as hex, u32, i32, f32, u64, i64, f64 or u8");
  }
  request.format = *format;
  request.has_format = true;
  request.words.erase(as, request.words.end());
  return request;
}

// The word of that number; a number itself if there is none. Nothing: it is no number.
std::optional<uint64_t> NumberAt(const std::vector<std::string>& words, size_t at, uint64_t usual) {
  return at < words.size() ? ParseNumber(words[at]) : std::optional(usual);
}

constexpr uint64_t kMostShown = 1 << 20;  // that are shown at a time

}  // namespace

Result<const runtime::WaveState*> DebugConsole::FocusState() const {
  if (!focus_) return NoLook("the kernel has ended: go back first (reverse-step, goto STEP)");
  return &target_.machine().Find(focus_->wave.group)->registers(focus_->wave.wave);
}

Result<std::string> DebugConsole::Where(Words) {
  if (!focus_) return view_.StopText({debug::StopReason::kEnd, {}, {}});
  return fmt::format("step {}\n{}", target_.machine().step(), view_.Where(*focus_));
}

Result<std::string> DebugConsole::Backtrace(Words) {
  if (const auto state = FocusState(); !state) return state.error();
  return view_.Frames(*focus_);
}

Result<std::string> DebugConsole::Waves(Words) {
  return view_.Waves(focus_.value_or(DebugFocus{}));
}

Result<std::string> DebugConsole::SelectWave(Words words) {
  if (const auto state = FocusState(); !state) return state.error();
  if (words.empty()) return NoLook("expected: wave NUMBER | wave GROUP:NUMBER");
  const size_t colon = words[0].find(':');
  const bool has_group = colon != std::string::npos;
  const auto group = has_group ? ParseNumber(words[0].substr(0, colon)) : focus_->wave.group;
  const auto wave = ParseNumber(has_group ? words[0].substr(colon + 1) : words[0]);
  if (!group || !wave) return NoLook(fmt::format("'{}' names no wave", words[0]));
  const debug::WorkGroup* found = target_.machine().Find(*group);
  if (found == nullptr) return NoLook(fmt::format("group {} has not begun, or has ended", *group));
  if (*wave >= found->wave_count()) {
    return NoLook(fmt::format("the group has {} waves", found->wave_count()));
  }
  focus_->wave = {*group, static_cast<uint32_t>(*wave)};
  return view_.Where(*focus_);
}

Result<std::string> DebugConsole::SelectLane(Words words) {
  if (const auto state = FocusState(); !state) return state.error();
  const auto lane = words.empty() ? std::nullopt : ParseNumber(words[0]);
  if (!lane || *lane >= runtime::kLanes) return NoLook("expected: lane NUMBER, 0 to 63");
  focus_->lane = static_cast<int>(*lane);
  return view_.Who(*focus_) + "\n";
}

Result<std::string> DebugConsole::SelectItem(Words words) {
  if (const auto state = FocusState(); !state) return state.error();
  const auto item =
      ParseWorkItem(words.empty() ? std::string() : words[0], target_.machine().launch());
  if (!item) return item.error();
  const auto place = *debug::PlaceOf(target_.machine().launch(), *item);
  if (target_.machine().Find(place.wave.group) == nullptr) {
    return NoLook(fmt::format("its group {} has not begun, or has ended", place.wave.group));
  }
  focus_ = DebugFocus{place.wave, place.lane};
  return view_.Where(*focus_);
}

Result<std::string> DebugConsole::Registers(Words words) {
  if (const auto state = FocusState(); !state) return state.error();
  const auto request = TakeFormat(words, NumberFormat::kHex);
  if (!request) return request.error();
  if (debug::BytesOf(request->format) != 4) return NoLook("expected: as hex, u32, i32 or f32");
  const std::string which = request->words.empty() ? "all" : request->words[0];
  if (which != "all" && which != "scalar" && which != "vector") {
    return NoLook("expected: registers [scalar | vector] [as FORMAT]; 'print' shows one");
  }
  std::string text;
  if (which != "vector") text += view_.ScalarRegisters(*focus_, request->format);
  if (which != "scalar") text += view_.VectorRegisters(*focus_, request->format);
  return text;
}

Result<std::string> DebugConsole::Print(Words words) {
  const auto state = FocusState();
  if (!state) return state.error();
  const auto request = TakeFormat(words, NumberFormat::kHex);
  if (!request) return request.error();
  if (request->words.empty()) return NoLook("expected: print REGISTER... [as FORMAT]");
  std::string text;
  for (const std::string& word : request->words) {
    const auto name = debug::ParseRegister(word, target_.machine().code().generation());
    if (!name) {
      // No register in all lanes.
      const std::string as(request->has_format ? fmt::format(" as {}", words.back()) : "");
      const auto expression = ParseExpression(target_, *focus_, word + as);
      if (!expression) return expression.error();
      const auto value = ValueText(target_, *focus_, *expression);
      if (!value) return value.error();
      text += fmt::format("{:<6} {}\n", word, *value);
      continue;
    }
    if (!Has(**state, *name)) {
      return NoLook(fmt::format("the kernel has {} VGPRs and {} AccVGPRs: no {}",
                                (*state)->vgpr_count, (*state)->acc_vgpr_count, word));
    }
    if (name->count * 4 < debug::BytesOf(request->format)) {
      return NoLook(fmt::format("a 64-bit number takes two registers, as in v[2:3]: not {}", word));
    }
    text += view_.Register(*focus_, word, *name, request->format);
  }
  return text;
}

Result<std::string> DebugConsole::Lds(Words words) {
  if (const auto state = FocusState(); !state) return state.error();
  const auto request = TakeFormat(words, NumberFormat::kHex);
  if (!request) return request.error();
  const runtime::WorkgroupState& group = target_.machine().Find(focus_->wave.group)->state();
  if (group.lds_bytes == 0) return NoLook("the kernel has no LDS");
  const auto address = NumberAt(request->words, 0, 0);
  const auto bytes = NumberAt(request->words, 1, 128);
  if (!address || !bytes) return NoLook("expected: lds [ADDRESS [BYTES]] [as FORMAT]");
  if (*address >= group.lds_bytes) {
    return NoLook(fmt::format("the group has {} bytes of LDS", group.lds_bytes));
  }
  const uint64_t count = std::min(*bytes, group.lds_bytes - *address);
  return view_.Bytes(*address, {group.lds + *address, count}, request->format);
}

Result<std::string> DebugConsole::Memory(Words words) {
  const auto state = FocusState();
  if (!state) return state.error();
  const auto request = TakeFormat(words, NumberFormat::kHex);
  if (!request) return request.error();
  if (request->words.empty()) return NoLook("expected: memory ADDRESS [BYTES] [as FORMAT]");
  const auto address = target_.FindAddress(request->words[0], **state, focus_->lane);
  if (!address) return address.error();
  const auto bytes = NumberAt(request->words, 1, 64);
  if (!bytes) return NoLook(fmt::format("'{}' is no number of bytes", request->words[1]));
  const auto memory = target_.Memory(*address, std::min(*bytes, kMostShown));
  if (memory.empty()) {
    return NoLook(fmt::format("the kernel cannot read {:#x}: {}", *address,
                              target_.DescribeAddress(*address)));
  }
  return view_.Bytes(*address, memory, request->format);
}

std::string DebugConsole::SourceAround(const std::string& file, uint32_t line, uint32_t here) {
  constexpr uint32_t kAround = 5;
  const uint32_t first = line > kAround ? line - kAround : 1;
  std::string text;
  for (uint32_t n = first; n <= line + kAround; ++n) text += view_.Source(file, n, n, here);
  return text;
}

Result<std::string> DebugConsole::List(Words words) {
  const auto state = FocusState();
  if (!state) return state.error();
  const SourceFrames& frames = target_.session().lines().At((*state)->pc);
  if (frames.empty()) return NoLook("no source line is known here: was the kernel built with -g?");
  std::string file = frames.front().file;
  const uint32_t here = frames.front().line;
  uint32_t line = here;
  if (!words.empty()) {
    const auto places = target_.FindPlaces(words[0], (*state)->pc);
    if (!places) return places.error();
    const SourceFrames& found = target_.session().lines().At(places->pcs.front());
    if (found.empty()) return NoLook(fmt::format("no source line is known of {}", words[0]));
    file = found.front().file;
    line = found.front().line;
  }
  const std::string text = SourceAround(file, line, file == frames.front().file ? here : 0);
  if (text.empty()) return NoLook(fmt::format("{} cannot be read", file));
  return text;
}

Result<std::string> DebugConsole::Disassemble(Words words) {
  const auto state = FocusState();
  if (!state) return state.error();
  const uint64_t here = (*state)->pc;
  if (words.empty()) return view_.Instructions(target_.InstructionsAround(here, 8, 12), here);
  const auto places = target_.FindPlaces(words[0], here);
  if (!places) return places.error();
  const auto count = words.size() > 1 ? ParseNumber(words[1]) : std::optional<uint64_t>(16);
  if (!count) return NoLook(fmt::format("'{}' is no count", words[1]));
  return view_.Instructions(target_.InstructionsAround(places->pcs.front(), 0, *count), here);
}

Result<std::string> DebugConsole::Findings(Words) {
  if (!target_.session().checks()) return NoLook("nothing is checked: start with --check");
  std::string text;
  for (size_t n = 0; n < target_.session().findings().size(); ++n) {
    text += fmt::format("finding {}: {}", n + 1, target_.FindingAt(n).Describe());
  }
  return text.empty() ? "no findings\n" : text;
}

}  // namespace gcnjit::cli
