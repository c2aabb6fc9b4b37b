#include "cli/debug_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace gcnjit::cli {

using debug::StopReason;

namespace {

std::string TripleText(const auto& ids) {
  return fmt::format("({}, {}, {})", ids[0], ids[1], ids[2]);
}

}  // namespace

const runtime::WaveState& DebugView::StateOf(const DebugFocus& focus) const {
  return target_.machine().Find(focus.wave.group)->registers(focus.wave.wave);
}

std::string DebugView::Who(const DebugFocus& focus) const {
  const debug::WorkGroup& group = *target_.machine().Find(focus.wave.group);
  std::string text = fmt::format("group {}, wave {} of {}, lane {}", TripleText(group.state().id),
                                 focus.wave.wave, group.wave_count(), focus.lane);
  const auto item = ItemOf(target_.machine().launch(), focus.wave, focus.lane);
  return text + (item ? ", work-item " + TripleText(*item) : ", no work-item");
}

std::string DebugView::StopText(const debug::Stop& stop) {
  std::string text;
  for (const size_t number : stop.findings) {
    text += style_.Red(fmt::format("finding {}: ", number + 1));
    text += target_.FindingAt(number).Describe();
  }
  switch (stop.reason) {
    case StopReason::kGoal:
    case StopReason::kFinding: return text;
    case StopReason::kBreakpoint:
      return style_.Yellow(fmt::format("breakpoint {}", fmt::join(stop.breakpoints, ", "))) + "\n";
    case StopReason::kFault: return text + style_.Red("fault: ") + target_.Fault().Describe();
    case StopReason::kEnd: {
      text = fmt::format("The kernel has ended: {} instructions", target_.machine().step());
      const auto& findings = target_.session().findings();
      if (target_.session().checks()) text += fmt::format(", {} findings", findings.size());
      return style_.Green(text) + "\n";
    }
    case StopReason::kBegin: return "The kernel is about to begin\n";
    case StopReason::kInterrupted: return style_.Yellow("interrupted") + "\n";
  }
  return text;
}

std::string DebugView::Where(const DebugFocus& focus) {
  const uint64_t pc = StateOf(focus).pc;
  std::string text = fmt::format("{}\n", style_.Dim(Who(focus)));
  const SourceFrames& frames = target_.session().lines().At(pc);
  if (!frames.empty()) {
    const SourceFrame& frame = frames.front();
    const uint32_t around = has_room_ && frame.line != 0 ? 2 : 0;
    text += fmt::format("{}\n", style_.Cyan(DescribeSource(frames, ", inlined at ")));
    text += Source(frame.file, std::max(frame.line, around + 1) - around, frame.line + around,
                   frame.line);
  }
  if (!has_room_) return text + Instructions({pc}, pc);
  return text + Instructions(target_.InstructionsAround(pc, 2, 4), pc);
}

std::string DebugView::Frames(const DebugFocus& focus) {
  const uint64_t pc = StateOf(focus).pc;
  std::string text;
  int number = 0;
  for (const SourceFrame& frame : target_.session().lines().At(pc)) {
    text += fmt::format("#{} {}\n", number++, DescribeSource({frame}, ""));
  }
  return text + fmt::format("#{} {}  pc {:#x}\n", number, target_.PlaceText(pc), pc);
}

std::string DebugView::Source(const std::string& file, uint32_t first, uint32_t last,
                              uint32_t here) {
  std::string text;
  for (uint32_t line = first; line <= last; ++line) {
    const std::string words = target_.source().Line(file, line);
    if (words.empty()) continue;
    const std::string shown = fmt::format("{:>6}  {}", line, words);
    text += (line == here ? style_.Bold(shown) : shown) + "\n";
  }
  return text;
}

std::string DebugView::Instructions(const std::vector<uint64_t>& pcs, uint64_t here) {
  std::string text;
  for (const uint64_t pc : pcs) {
    const std::string line = fmt::format("{} {:<20} {}", pc == here ? "=>" : "  ",
                                         target_.PlaceText(pc), target_.Disassembly(pc));
    text += (pc == here ? style_.Bold(line) : line) + "\n";
  }
  return text;
}

std::string DebugView::Waves(const DebugFocus& focus) {
  static constexpr const char* kStatus[] = {"can run", "at barrier", "ended"};
  const debug::Machine& machine = target_.machine();
  std::string text;
  for (const auto& [number, group] : machine.groups()) {
    text += fmt::format("group {} {}\n", number, TripleText(group->state().id));
    for (uint32_t n = 0; n < group->wave_count(); ++n) {
      const auto& state = group->registers(n);
      const auto status = group->progress.schedule.status(n);
      const debug::WaveName name{number, n};
      std::string line =
          fmt::format("{} wave {:<3} {:<10} {:<20} exec {:#018x}{}", name == focus.wave ? "*" : " ",
                      n, kStatus[static_cast<int>(status)], target_.PlaceText(state.pc),
                      state.exec(), name == machine.next() ? "  <- next" : "");
      const SourceFrames& frames = target_.session().lines().At(state.pc);
      if (!frames.empty()) line += "  " + DescribeSource({frames.front()}, "");
      const bool is_ended = status == debug::GroupSchedule::Status::kEnded;
      text += (name == focus.wave ? style_.Bold(line) : is_ended ? style_.Dim(line) : line) + "\n";
    }
  }
  return text;
}

std::string DebugView::Breakpoints() const {
  std::string text;
  for (const debug::Breakpoint& breakpoint : target_.session().breakpoints().all()) {
    text += fmt::format("{:<3} {}{}, {} hits\n", breakpoint.number, breakpoint.text,
                        breakpoint.is_enabled ? "" : " (disabled)", breakpoint.hits);
    for (const uint64_t pc : breakpoint.pcs) {
      text += fmt::format("      {}\n", target_.PlaceText(pc));
    }
  }
  return text.empty() ? "no breakpoints\n" : text;
}

}  // namespace gcnjit::cli
