// Lines of commands, from a file, a pipe or a device.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "gcnjit/error.h"
#include "runtime/disk_cache/file_descriptor.h"

namespace gcnjit::cli {

class CommandLines {
 public:
  // What is no command's is not to fill the memory: /dev/zero is one line, which does not end.
  static constexpr size_t kMostBytes = 64 << 10;  // of a line

  static Result<CommandLines> Open(const std::string& path);
  static CommandLines OfStandardInput();

  // The next line, without its end; waits for it. Nothing: there are no more. An Error: what comes
  // next cannot be read, or is too long.
  Result<std::optional<std::string>> Next();

 private:
  explicit CommandLines(runtime::FileDescriptor file);

  runtime::FileDescriptor file_;
  std::string bytes_;  // that have been read
  size_t begin_ = 0;   // of the next line
  bool has_ended_ = false;
};

}  // namespace gcnjit::cli
