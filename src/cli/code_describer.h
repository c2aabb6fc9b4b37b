// What there is at a guest address of a loaded program, in words.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/interpreter/code_map.h"
#include "runtime/jit/code_names.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::cli {

class CodeDescriber {
 public:
  explicit CodeDescriber(const runtime::LoadedProgram& program);

  // "saxpy+0x40"
  std::string PlaceOf(uint64_t pc) const { return names_.NameOf(pc); }
  // The instruction, disassembled.
  std::string InstructionAt(uint64_t pc) const;

 private:
  runtime::CodeNames names_;
  runtime::CodeMap code_;
};

}  // namespace gcnjit::cli
