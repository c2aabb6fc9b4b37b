#include "debug/code_lines.h"

#include <algorithm>

namespace gcnjit::debug {
namespace {

// Instructions whose lines are asked for together: each time a process is asked.
constexpr size_t kTogether = 64;

bool IsEndOf(const std::string& path, const std::string& end) {
  if (!path.ends_with(end)) return false;
  return path.size() == end.size() || end.starts_with('/') ||
         path[path.size() - end.size() - 1] == '/';
}

}  // namespace

uint64_t CodeLines::SizeAt(uint64_t pc) const {
  const runtime::CodeSlot slot = code_.SlotAt(pc);
  return slot.status == frontend::DecodeStatus::kOk ? slot.instruction.size : 4;
}

std::vector<uint64_t> CodeLines::InstructionsOf(uint64_t begin, uint64_t end) const {
  std::vector<uint64_t> pcs;
  for (uint64_t pc = begin; pc < end; pc += SizeAt(pc)) pcs.push_back(pc);
  return pcs;
}

const SourceFrames& CodeLines::At(uint64_t pc) {
  if (const auto found = known_.find(pc); found != known_.end()) return found->second;
  std::vector<uint64_t> pcs;
  const uint64_t end = code_.RangeAt(pc).end;
  for (uint64_t next = pc; next < end && pcs.size() < kTogether; next += SizeAt(next)) {
    if (!known_.contains(next)) pcs.push_back(next);
  }
  std::vector<SourceFrames> frames = lines_.At(pcs);
  for (size_t n = 0; n < pcs.size(); ++n) known_[pcs[n]] = std::move(frames[n]);
  return known_[pc];
}

bool CodeLines::IsSameLine(uint64_t a, uint64_t b) {
  const SourceFrames& x = At(a);
  const SourceFrames& y = At(b);
  return std::ranges::equal(x, y, [](const SourceFrame& m, const SourceFrame& n) {
    return m.line == n.line && m.file == n.file && m.function == n.function;
  });
}

std::optional<CodeLines::Place> CodeLines::Find(const std::string& file, uint32_t line,
                                                uint64_t begin, uint64_t end) {
  const std::vector<uint64_t> pcs = InstructionsOf(begin, end);
  std::optional<Place> place;
  for (const uint64_t pc : pcs) {
    for (const SourceFrame& frame : At(pc)) {
      if (frame.line < line || (place && frame.line >= place->line) || !IsEndOf(frame.file, file)) {
        continue;
      }
      place = {frame.file, frame.line, {}};
    }
  }
  if (!place) return place;
  // What is inlined at the line counts only if nothing else is of the line.
  const auto is_of = [&](uint64_t pc, bool inlined) {
    const SourceFrames& frames = At(pc);
    const size_t count = inlined ? frames.size() : std::min<size_t>(frames.size(), 1);
    return std::any_of(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(count),
                       [&](const SourceFrame& frame) {
                         return frame.line == place->line && frame.file == place->file;
                       });
  };
  for (const bool inlined : {false, true}) {
    for (const uint64_t pc : pcs) {
      const bool is_known =
          std::ranges::any_of(place->pcs, [&](uint64_t known) { return IsSameLine(known, pc); });
      if (is_of(pc, inlined) && !is_known) place->pcs.push_back(pc);
    }
    if (!place->pcs.empty()) break;
  }
  return place;
}

}  // namespace gcnjit::debug
