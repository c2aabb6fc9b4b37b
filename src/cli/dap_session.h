// A launch that a client of the Debug Adapter Protocol controls.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/dap_stream.h"
#include "cli/dap_view.h"
#include "cli/debug_target.h"

namespace gcnjit::cli {

class DapSession {
 public:
  // `is_told`: the client knows the event 'invalidated'.
  DapSession(DebugTarget& target, DapStream& stream, bool stops_on_entry, bool is_told);

  // Answers requests until the client has had enough.
  void Serve();

 private:
  using Json = nlohmann::json;
  using Handler = Result<Json> (DapSession::*)(const Json& arguments);

  static const std::map<std::string, Handler>& Handlers();
  void Answer(const Json& request);
  bool AnswerMeanwhile();

  Result<Json> ConfigurationDone(const Json& arguments);
  Result<Json> SetBreakpoints(const Json& arguments);
  Result<Json> SetInstructionBreakpoints(const Json& arguments);
  Result<Json> SetExceptionBreakpoints(const Json& arguments);
  Result<Json> Threads(const Json& arguments);
  Result<Json> StackTrace(const Json& arguments);
  Result<Json> Scopes(const Json& arguments);
  Result<Json> Variables(const Json& arguments);
  Result<Json> Evaluate(const Json& arguments);
  Result<Json> SetVariable(const Json& arguments);
  Result<Json> SetExpression(const Json& arguments);
  Result<Json> ReadMemory(const Json& arguments);
  Result<Json> WriteMemory(const Json& arguments);
  Result<Json> Disassemble(const Json& arguments);
  Result<Json> Continue(const Json& arguments);
  Result<Json> Next(const Json& arguments);
  Result<Json> StepIn(const Json& arguments);
  Result<Json> StepOut(const Json& arguments);
  Result<Json> StepBack(const Json& arguments);
  Result<Json> ReverseContinue(const Json& arguments);
  Result<Json> Pause(const Json& arguments);
  Result<Json> Disconnect(const Json& arguments);

  void TellChange();
  // Replaces the breakpoints `numbers`; each of `wanted` is looked up by `find`.
  Json Replace(std::vector<int>& numbers, const Json& wanted,
               const std::function<Result<DebugTarget::Places>(const Json&)>& find);
  Json Add(std::vector<int>& numbers, const Json& wanted, Result<DebugTarget::Places> places);
  using Move = std::function<debug::Stop()>;
  Result<Json> Step(const Json& arguments, bool back,
                    const std::function<debug::Goal(const debug::WaveName&)>& by_line);
  void Run(const Move& move);
  void TellStop(const debug::Stop& stop, std::string reason);

  DebugTarget& target_;
  DapStream& stream_;
  DapView view_;
  const bool stops_on_entry_;
  const bool is_told_;
  std::map<std::string, std::vector<int>> by_source_;  // breakpoints
  std::vector<int> by_instruction_;
  Move move_;                   // to make when the request has been answered
  debug::WaveName stepped_;     // that the move is about
  bool is_at_end_ = false;      // before the last instruction of all, and the client knows
  bool has_changed_ = false;    // by the request that is answered
  bool has_forgotten_ = false;  // likewise: what had been executed further on
  bool is_over_ = false;
};

}  // namespace gcnjit::cli
