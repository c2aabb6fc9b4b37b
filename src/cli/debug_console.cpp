#include "cli/debug_console.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>

#include "cli/names.h"

namespace gcnjit::cli {

using Console = DebugConsole;

namespace {

Error Mistake(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

std::vector<std::string> SplitWords(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> NamesOf(const Console::Command& command) {
  return SplitNames(command.names);
}

constexpr Console::Command kNoCommand = {"", "", "", nullptr};

// That has the name; else the only one whose whole name begins with it.
Result<Console::Command> FindCommand(const std::string& name) {
  Console::Command found = kNoCommand;
  std::string several;
  for (const Console::Command& command : Console::Commands()) {
    const std::vector<std::string> names = NamesOf(command);
    if (std::ranges::count(names, name) != 0) return command;
    if (!names.front().starts_with(name)) continue;
    several += (several.empty() ? "" : ", ") + names.front();
    found = command;
  }
  if (found.run == nullptr) return Mistake(fmt::format("no command '{}'; 'help' lists all", name));
  if (several.find(',') != std::string::npos) {
    return Mistake(fmt::format("'{}' may be {}", name, several));
  }
  return found;
}

std::optional<int> BreakpointNumber(const std::string& text) {
  const auto number = ParseNumber(text);
  if (!number || *number > static_cast<uint64_t>(std::numeric_limits<int>::max())) return {};
  return static_cast<int>(*number);
}

}  // namespace

Result<debug::WorkItem> ParseWorkItem(const std::string& text, const runtime::LaunchState& launch) {
  const auto triple = ParseTriple("item", text, 0, 0xFFFFFFFF);
  if (!triple) return triple.error();
  if (!debug::PlaceOf(launch, triple->values)) {
    return Mistake(fmt::format("the grid has no work-item {}: it is {} x {} x {}", text,
                               launch.global.x, launch.global.y, launch.global.z));
  }
  return triple->values;
}

std::span<const Console::Command> Console::Commands() {
  static constexpr Command kCommands[] = {
      {"break,b", "break PLACE [item X,Y,Z] | break item X,Y,Z",
       "Stop at a place: NAME, NAME+0x40, +0x40 in the kernel, *ADDRESS, FILE:LINE or LINE; with\n"
       "  an item only when its wave comes there and EXEC has its lane. Without a place: where "
       "the\n"
       "  item's wave begins. Findings of --check and faults stop the run without being asked.",
       &Console::Break},
      {"delete", "delete [NUMBER]", "Remove a breakpoint, or all.", &Console::Delete},
      {"enable", "enable NUMBER", "Switch a breakpoint on.", &Console::Enable},
      {"disable", "disable NUMBER", "Switch a breakpoint off.", &Console::Disable},
      {"breakpoints", "breakpoints", "List breakpoints.", &Console::ListBreakpoints},
      {"continue,c", "continue", "Run to the next breakpoint, finding or fault, or to the end.",
       &Console::Continue},
      {"step,s", "step [line | instruction | wave | barrier | end] [COUNT]",
       "Run the wave in focus to its next line (that is what 'step' alone does), by an "
       "instruction,\n"
       "  past its next barrier or to its end; 'step wave': until another wave has its turn.",
       &Console::Step},
      {"stepi,si", "stepi [COUNT]", "step instruction", &Console::StepInstruction},
      {"next,n", "next", "Step a line, but not into what it calls, inlined or not.",
       &Console::Next},
      {"finish", "finish", "Run until the wave in focus is back in what has called this code.",
       &Console::Finish},
      {"reverse-continue,rc", "reverse-continue",
       "Go back to where 'continue' would have stopped last.", &Console::ReverseContinue},
      {"reverse-step,rs", "reverse-step [line | instruction | wave | barrier] [COUNT]",
       "Go back: to the begin of the line or of the one before, by an instruction, to the begin "
       "of\n"
       "  a turn, to the last barrier.",
       &Console::ReverseStep},
      {"reverse-stepi,rsi", "reverse-stepi [COUNT]", "reverse-step instruction",
       &Console::ReverseStepInstruction},
      {"goto", "goto STEP", "Go to where so many instructions have been executed, either way.",
       &Console::GoTo},
      {"restart", "restart", "goto 0", &Console::Restart},
      {"where,w", "where", "Show where the run is.", &Console::Where},
      {"backtrace,bt", "backtrace", "Show the line, and what it is inlined at.",
       &Console::Backtrace},
      {"waves", "waves", "List the waves of the groups that have begun and not ended.",
       &Console::Waves},
      {"wave", "wave NUMBER | wave GROUP:NUMBER",
       "Look at another wave; groups are numbered, x fastest.", &Console::SelectWave},
      {"lane", "lane NUMBER", "Look at another lane.", &Console::SelectLane},
      {"item", "item X[,Y[,Z]]", "Look at the wave and the lane of a work-item.",
       &Console::SelectItem},
      {"registers,r", "registers [scalar | vector] [as FORMAT]",
       "Show registers, vector registers of the lane in focus. FORMAT: hex, u32, i32 or f32.",
       &Console::Registers},
      {"print,p", "print REGISTER... [as FORMAT]",
       "Show registers, vector registers in all lanes: v2, v[2:3], s4, s[4:5], vcc, exec, m0, "
       "scc,\n"
       "  mode, pc; v3[5]: lane 5; lds[ADDRESS], mem[ADDRESS]: one number there.\n"
       "  FORMAT: hex, u32, i32, f32, u64, i64, f64, u8.",
       &Console::Print},
      {"set", "set EXPRESSION = VALUE",
       "Change a register, LDS or memory: v3[5] (lane 5), s4, exec, pc, lds[0x40], mem[arg1+8],\n"
       "  with 'as FORMAT' after it if VALUE is to be read like that. The change stays with its "
       "place\n"
       "  in the run, on the way back and forwards; what had been executed after it is forgotten.\n"
       "  Not under --check.",
       &Console::Set},
      {"lds", "lds [ADDRESS [BYTES]] [as FORMAT]", "Show the group's LDS.", &Console::Lds},
      {"memory,x", "memory ADDRESS [BYTES] [as FORMAT]",
       "Show memory. ADDRESS: a number, argN for the buffer of an argument, or a pair of "
       "registers,\n"
       "  and perhaps +OFFSET.",
       &Console::Memory},
      {"list,l", "list [LINE | FILE:LINE]", "Show source.", &Console::List},
      {"disassemble,dis", "disassemble [PLACE] [COUNT]", "Show instructions.",
       &Console::Disassemble},
      {"findings", "findings", "Show what --check has found.", &Console::Findings},
      {"help,h", "help [COMMAND]", "Explain commands.", &Console::Help},
      {"quit,q", "quit", "End the debugger.", &Console::Quit},
  };
  return kCommands;
}

Result<std::string> Console::Execute(const std::string& line) {
  std::vector<std::string> words = SplitWords(line);
  if (!words.empty() && words.front() == "info") words.erase(words.begin());
  if (words.empty()) return std::string();
  const auto command = FindCommand(words.front());
  if (!command) return command.error();
  return (this->*command->run)(std::span(words).subspan(1));
}

Result<std::string> Console::Help(Words words) {
  if (!words.empty()) {
    const auto command = FindCommand(words[0]);
    if (!command) return command.error();
    return fmt::format("{}\n  {}\n", command->usage, command->help);
  }
  std::string text;
  for (const Command& command : Commands()) {
    const std::vector<std::string> names = NamesOf(command);
    const std::string help(command.help);
    text += fmt::format("{:<17} {:<4} {}\n", names[0], names.size() > 1 ? names[1] : "",
                        help.substr(0, help.find_first_of(":.\n")));
  }
  return text + "'help COMMAND' explains one. 'info' before a command changes nothing.\n";
}

Result<std::string> Console::Quit(Words) {
  is_over_ = true;
  return std::string();
}

Result<std::string> Console::Break(Words words) {
  debug::Breakpoint breakpoint;
  const auto item = std::ranges::find(words, "item");
  if (item != words.end()) {
    if (item + 2 != words.end()) return Mistake("expected: item X[,Y[,Z]], at the end");
    const auto parsed = ParseWorkItem(item[1], target_.machine().launch());
    if (!parsed) return parsed.error();
    breakpoint.item = *parsed;
  }
  std::string place;
  for (auto word = words.begin(); word != item; ++word) {
    place += (place.empty() ? "" : " ") + *word;
  }
  if (place == "fault") return std::string("A fault stops the run without being asked\n");
  if (place == "finding") {
    if (!target_.session().checks()) return Mistake("nothing is checked: start with --check");
    return std::string("Findings stop the run without being asked\n");
  }
  if (!place.empty()) {
    const uint64_t pc = focus_ ? (*FocusState())->pc : target_.machine().launch().entry;
    auto places = target_.FindPlaces(place, pc);
    if (!places) return places.error();
    breakpoint.pcs = std::move(places->pcs);
    breakpoint.text = std::move(places->text);
  } else if (!breakpoint.item) {
    return Mistake("expected: break PLACE [item X,Y,Z] | break item X,Y,Z");
  }
  if (breakpoint.item)
    breakpoint.text += fmt::format("{}item {}", place.empty() ? "" : " ", item[1]);
  const size_t count = breakpoint.pcs.size();
  const debug::Breakpoint& added = target_.session().breakpoints().Add(std::move(breakpoint));
  std::string text = fmt::format("breakpoint {}: {}", added.number, added.text);
  if (count > 1) text += fmt::format(", {} places", count);
  return text + "\n";
}

Result<std::string> Console::Delete(Words words) {
  if (words.empty()) {
    target_.session().breakpoints().Clear();
    return std::string();
  }
  const auto number = BreakpointNumber(words[0]);
  if (!number || !target_.session().breakpoints().Remove(*number)) {
    return Mistake(fmt::format("no breakpoint {}", words[0]));
  }
  return std::string();
}

Result<std::string> Console::SetEnabled(Words words, bool enabled) {
  if (words.empty()) return Mistake("give the breakpoint's number");
  const auto number = BreakpointNumber(words[0]);
  if (!number || !target_.session().breakpoints().Enable(*number, enabled)) {
    return Mistake(fmt::format("no breakpoint {}", words[0]));
  }
  return std::string();
}

Result<std::string> Console::Enable(Words words) { return SetEnabled(words, true); }
Result<std::string> Console::Disable(Words words) { return SetEnabled(words, false); }
Result<std::string> Console::ListBreakpoints(Words) { return view_.Breakpoints(); }

}  // namespace gcnjit::cli
