// Memory for compiled code: written through one mapping, executed through another, so that no page
// is ever writable and executable.
#pragma once

#include <asmjit/core.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>

#include "backend_x64/host/code_block.h"

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
  // Does this address of the process, which is that of a mapping, belong to memory that is mapped
  // twice?
  bool Holds(uint64_t address) const;

  // Around a fork. The pages are shared, so that both processes have them afterwards: what is there
  // may be executed by either and is not written any more. Each takes new ones for new code.
  void BeginFork();
  void EndFork();

  // One for the process, which expects forks.
  static CodeMemory& Instance();

 private:
  static CodeMemory& Make();
  const std::byte* Take(size_t bytes, CodeBlock** block);
  const std::byte* MapAnonymous(std::span<const std::byte> code, std::string* error);

  // Each piece of code has an anonymous mapping of its own, made executable once it is written:
  // perf looks into its map for such memory only.
  const bool anonymous_;
  mutable std::mutex mutex_;                               // guards what follows
  std::unordered_map<const std::byte*, size_t> mappings_;  // of anonymous_
  std::list<CodeBlock> blocks_;                            // otherwise
};

}  // namespace gcnjit::backend
