// Memory for compiled code: written through one mapping, executed through another, so that no page
// is ever writable and executable.
#pragma once

#include <asmjit/core.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>

namespace gcnjit::backend {

class CodeMemory {
 public:
  // `anonymous`: see below.
  explicit CodeMemory(bool anonymous);
  ~CodeMemory();
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;

  // Places finished code; nullptr and a message if that fails.
  const std::byte* Add(asmjit::CodeHolder& code, std::string* error);
  // Places a copy of code that may lie anywhere.
  const std::byte* Add(std::span<const std::byte> code, std::string* error);
  void Release(const std::byte* code);

  // One for the process.
  static CodeMemory& Instance();

 private:
  const std::byte* AddAnonymous(asmjit::CodeHolder& code, std::string* error);
  const std::byte* MapAnonymous(std::span<const std::byte> code, std::string* error);

  // Each piece of code has an anonymous mapping of its own, made executable once it is written:
  // perf looks into its map for such memory only.
  const bool anonymous_;
  std::mutex mutex_;
  std::unordered_map<const std::byte*, size_t> mappings_;  // guarded by mutex_
  asmjit::JitRuntime runtime_;                             // guarded by mutex_
};

}  // namespace gcnjit::backend
