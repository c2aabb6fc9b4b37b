// What runs programs: the interpreter, the JIT for a host instruction set, or an interpreter with a
// planted error.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "frontend/isa/opcode_table.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::differential {

// As runtime::RunWave: up to `budget` instructions; returns how many were executed.
using RunFunction = std::function<uint64_t(runtime::Wave&, uint64_t budget)>;

struct Engine {
  std::string name;
  // For the code of one program. The map outlives the function.
  std::function<RunFunction(runtime::CodeMap&)> prepare;
};

Engine InterpreterEngine();
// Executes instructions of row `from` by the function of row `to`.
Engine WrongEngine(frontend::Opcode from, frontend::Opcode to);
// "avx2", "avx512"; nothing if the host cannot run it.
std::optional<Engine> JitEngine(std::string_view isa);

}  // namespace gcnjit::differential
