// Where code objects' instructions come from, if they have debug information (-g).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "confined/process.h"
#include "gcnjit/source.h"

namespace gcnjit::confined {

// Has it debug information with lines?
bool HasLines(std::span<const std::byte> object);

class SourceLines {
 public:
  // `object`: an ELF code object, which must stay. `reader`: the path of the gcnjit program.
  explicit SourceLines(std::span<const std::byte> object, std::string reader = kThisProgram);

  // Of addresses in the code object's own address space; empty where nothing is known. The first
  // call starts the process that reads the debug information, if there is any.
  std::vector<SourceFrames> At(std::span<const uint64_t> addresses);

  // Why nothing is known of any address any more; empty: there is no reason.
  const std::string& failure() const { return failure_; }

 private:
  bool Start();

  std::span<const std::byte> object_;
  std::string reader_;
  std::optional<Process> process_;
  std::string failure_;
  bool is_over_ = false;  // there is no process, and will be none
};

}  // namespace gcnjit::confined
