// Names of guest addresses, for profiles: the kernel or function and the offset into it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/program/loaded_program.h"

namespace gcnjit::runtime {

class CodeNames {
 public:
  explicit CodeNames(const LoadedProgram& program);

  // "saxpy+0x40"; the address alone where no symbol is before it.
  std::string NameOf(uint64_t pc) const;

 private:
  std::map<uint64_t, std::string> names_;  // by the address where the code begins
};

}  // namespace gcnjit::runtime
