// What a client of the Debug Adapter Protocol is shown: waves as threads, their lines as frames,
// registers as variables.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/dap_memory.h"
#include "cli/debug_expression.h"
#include "cli/debug_target.h"

namespace gcnjit::cli {

class DapView {
 public:
  explicit DapView(DebugTarget& target) : target_(target) {}

  // Numbers that have been given to frames and variables mean nothing any more.
  void Forget();

  uint64_t ThreadOf(const debug::WaveName& wave) const;
  Result<debug::WaveName> WaveOf(uint64_t thread) const;
  nlohmann::json Threads() const;

  // The bodies of the responses.
  Result<nlohmann::json> StackTrace(const nlohmann::json& arguments);
  Result<nlohmann::json> Scopes(const nlohmann::json& arguments);
  Result<nlohmann::json> Variables(const nlohmann::json& arguments);
  Result<nlohmann::json> Evaluate(const nlohmann::json& arguments);
  // `forgets`: whether the run had been executed further, which it has forgotten.
  Result<nlohmann::json> SetVariable(const nlohmann::json& arguments, bool& forgets);
  Result<nlohmann::json> SetExpression(const nlohmann::json& arguments, bool& forgets);
  Result<nlohmann::json> WriteMemory(const nlohmann::json& arguments, bool& forgets);
  Result<nlohmann::json> ReadMemory(const nlohmann::json& arguments);
  Result<nlohmann::json> Disassemble(const nlohmann::json& arguments);

 private:
  enum class Kind : uint8_t { kWave, kScalars, kVectors, kLanes, kLds, kLdsRow };
  // What a variablesReference stands for, less one.
  struct Reference {
    debug::WaveName wave;
    Kind kind = Kind::kWave;
    uint32_t reg = 0;  // of kLanes; of kLdsRow the address in LDS
  };

  int Refer(const debug::WaveName& wave, Kind kind, uint32_t reg = 0);
  const runtime::WaveState& StateOf(const debug::WaveName& wave) const;
  nlohmann::json WaveVariables(const debug::WaveName& wave);
  nlohmann::json ScalarVariables(const debug::WaveName& wave);
  nlohmann::json VectorVariables(const debug::WaveName& wave);
  nlohmann::json LaneVariables(const debug::WaveName& wave, uint32_t reg);
  nlohmann::json LdsVariables(const debug::WaveName& wave);
  nlohmann::json LdsWords(const debug::WaveName& wave, uint32_t row);
  // The first that EXEC has.
  int LaneOf(const debug::WaveName& wave) const;
  // Of the frame that the arguments name; of the wave that executes next if they name none.
  Result<DebugFocus> FocusOf(const nlohmann::json& arguments) const;
  Result<nlohmann::json> Set(const DebugFocus& focus, const std::string& text,
                             const std::string& value, bool& forgets);
  Result<MemoryPlace> PlaceOf(const nlohmann::json& arguments) const;
  nlohmann::json InstructionAt(uint64_t pc);
  nlohmann::json SourceOf(const SourceFrame& frame) const;

  DebugTarget& target_;
  std::vector<debug::WaveName> frames_;  // by id, less one
  std::vector<Reference> references_;
};

}  // namespace gcnjit::cli
