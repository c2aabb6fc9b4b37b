// What runs programs: the interpreter, the JIT for a host instruction set, or an interpreter with a
// planted error.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gcnjit/launch.h"
#include "isa/opcode_table.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::differential {

struct GridPlace;

// As runtime::RunWave: up to `budget` instructions; returns how many were executed.
using RunFunction = std::function<uint64_t(runtime::Wave&, uint64_t budget)>;

// What runs of a launch: the first `groups` work-groups, on this thread or on as many, which begin
// together. After so many seconds it ends with LaunchStatus::kTimeout.
struct LaunchLimits {
  uint64_t groups = 0;
  double seconds = 0;
  unsigned threads = 1;
};
// Runs it from memory as it is.
using LaunchFunction =
    std::function<LaunchResult(GridPlace&, const KernelInfo&, const LaunchLimits&)>;

// What the JIT compiled and what it left to the interpreter, over all programs.
struct CompileCounts {
  uint64_t compiled = 0;  // instructions
  std::map<frontend::Opcode, uint64_t> interpreted;

  double CompiledShare() const;
  // "98.50 % of the instructions compiled", and the rows that are interpreted most often.
  std::string Describe() const;
};

struct Engine {
  std::string name;
  // For the code of one program. The map outlives the function.
  std::function<RunFunction(runtime::CodeMap&)> prepare;
  std::shared_ptr<CompileCounts> counts = nullptr;  // of a JIT
  // False: registers that are never read again may hold anything at the end; only memory counts.
  bool exact_registers = true;
  // Likewise, for whole launches; empty: this engine has none.
  std::function<LaunchFunction(runtime::CodeMap&)> prepare_launch = nullptr;
};

Engine InterpreterEngine();
// Executes instructions of row `from` by the function of row `to`.
Engine WrongEngine(frontend::Opcode from, frontend::Opcode to);
// Does so in whole launches only: in each work-group that follows another one in its row, or in
// launches on several threads.
Engine WrongRowsEngine(frontend::Opcode from, frontend::Opcode to);
Engine WrongThreadsEngine(frontend::Opcode from, frontend::Opcode to);
// "avx2", "avx512": with exact registers. "avx2-live", "avx512-live": as kernels are compiled,
// where values that are not read need not be there; these have launches, too. Nothing if the host
// cannot run it.
std::optional<Engine> JitEngine(std::string_view isa);

// The names that EngineOf knows: "interp", and those of JitEngine. Besides,
// "wrong:V_ADD_F32:V_SUB_F32" is a WrongEngine, "wrong-rows:..." a WrongRowsEngine, and
// "wrong-threads:..." a WrongThreadsEngine.
std::span<const std::string_view> EngineNames();
// Nothing if there is no such engine, or not on this host.
std::optional<Engine> EngineOf(std::string_view name);

}  // namespace gcnjit::differential
