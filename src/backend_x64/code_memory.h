// Memory for compiled code: written through one mapping, executed through another, so that no page
// is ever writable and executable.
#pragma once

#include <asmjit/core.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

namespace gcnjit::backend {

class CodeMemory {
 public:
  CodeMemory();
  ~CodeMemory();
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;

  // Places finished code; nullptr and a message if that fails.
  const std::byte* Add(asmjit::CodeHolder& code, std::string* error);
  void Release(const std::byte* code);

  // One for the process.
  static CodeMemory& Instance();

 private:
  std::mutex mutex_;
  asmjit::JitRuntime runtime_;  // guarded by mutex_
};

}  // namespace gcnjit::backend
