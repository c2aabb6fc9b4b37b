// The commands of `gcnjit debug`, as text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/debug_target.h"
#include "cli/debug_view.h"

namespace gcnjit::cli {

class DebugConsole {
 public:
  DebugConsole(DebugTarget& target, const TextStyle& style, bool has_room)
      : target_(target), view_(target, style, has_room) {
    FollowRun();
  }

  // Executes a command, and returns what it has to say.
  Result<std::string> Execute(const std::string& line);
  // Where the run is.
  std::string Begin();
  bool is_over() const { return is_over_; }

  struct Command {
    const char* names;  // the first is the whole one
    const char* usage;
    const char* help;
    Result<std::string> (DebugConsole::*run)(std::span<const std::string> words);
  };
  static std::span<const Command> Commands();

 private:
  using Words = std::span<const std::string>;

  // debug_console.cpp
  Result<std::string> Help(Words words);
  Result<std::string> Quit(Words words);
  Result<std::string> Break(Words words);
  Result<std::string> Delete(Words words);
  Result<std::string> Enable(Words words);
  Result<std::string> Disable(Words words);
  Result<std::string> ListBreakpoints(Words words);
  Result<std::string> SetEnabled(Words words, bool enabled);

  // debug_console_run.cpp
  Result<std::string> Continue(Words words);
  Result<std::string> Step(Words words);
  Result<std::string> StepInstruction(Words words);
  Result<std::string> Next(Words words);
  Result<std::string> Finish(Words words);
  Result<std::string> ReverseContinue(Words words);
  Result<std::string> ReverseStep(Words words);
  Result<std::string> ReverseStepInstruction(Words words);
  Result<std::string> GoTo(Words words);
  Result<std::string> Restart(Words words);
  Result<std::string> StepBy(const std::string& what, Words count, bool back);
  // `keep`: the wave in focus stays in it unless it has ended.
  std::string Stopped(const debug::Stop& stop, bool keep = false);
  Result<std::string> StepByInstruction(Words count, bool back);
  void FollowRun();

  // debug_console_look.cpp
  Result<std::string> Where(Words words);
  Result<std::string> Backtrace(Words words);
  Result<std::string> Waves(Words words);
  Result<std::string> SelectWave(Words words);
  Result<std::string> SelectLane(Words words);
  Result<std::string> SelectItem(Words words);
  Result<std::string> Registers(Words words);
  Result<std::string> Print(Words words);
  Result<std::string> Lds(Words words);
  Result<std::string> Memory(Words words);
  Result<std::string> List(Words words);
  Result<std::string> Disassemble(Words words);
  Result<std::string> Findings(Words words);

  // debug_console_change.cpp
  Result<std::string> Set(Words words);

  // Of the wave in focus; an error when the kernel has ended.
  Result<const runtime::WaveState*> FocusState() const;
  std::string SourceAround(const std::string& file, uint32_t line, uint32_t here);

  DebugTarget& target_;
  DebugView view_;
  std::optional<DebugFocus> focus_;  // nothing: the kernel has ended
  bool is_over_ = false;
};

// "X[,Y[,Z]]" as a work-item of the launch.
Result<debug::WorkItem> ParseWorkItem(const std::string& text, const runtime::LaunchState& launch);

}  // namespace gcnjit::cli
