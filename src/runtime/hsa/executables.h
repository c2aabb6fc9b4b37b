// Code objects on their way to a queue: readers, executables, symbols, and the kernel objects that
// packets refer to.
#pragma once

#include <hsa/hsa.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gcnjit/error.h"
#include "runtime/hsa/agent.h"
#include "runtime/hsa/symbol_table.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::hsa {

// A code object that is loaded later. Its bytes are the caller's as long as the reader is there
// (hsa.h: "the lifetime of the buffer must exceed that of any associated code object reader"), or
// `read`.
struct Reader {
  std::span<const std::byte> bytes;
  std::vector<std::byte> read;  // from a file
};

// A kernel or variable of an executable; lives as long as that does.
struct Symbol {
  std::string name;
  const Agent* agent = nullptr;                   // null: the same for all (a host variable)
  const runtime::LoadedKernel* kernel = nullptr;  // null: a variable
  uint64_t address = 0;
  uint64_t size = 0;
  hsa_executable_symbol_t handle = {};
};

struct LoadedObject {
  const Agent* agent = nullptr;
  std::shared_ptr<runtime::LoadedProgram> program;
  // The code object, for the source lines of reports; null: there are none.
  std::shared_ptr<const std::vector<std::byte>> with_lines;
};

// The table's lock guards it.
struct Executable {
  hsa_profile_t profile = HSA_PROFILE_BASE;
  hsa_default_float_rounding_mode_t rounding = HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT;
  bool is_frozen = false;
  std::vector<LoadedObject> objects;
  std::map<std::string, uint64_t, std::less<>> defined;  // variables of the host program
  std::deque<Symbol> symbols;
  std::multimap<std::string_view, const Symbol*> by_name;  // of equal names the first counts

  // Null: none of that name for that agent.
  const Symbol* Find(std::string_view name, const Agent* agent) const;
};

// A kernel that a packet refers to, and what has to live as long as it runs.
struct KernelObject {
  const runtime::LoadedKernel* kernel = nullptr;
  const Agent* agent = nullptr;
  std::shared_ptr<runtime::LoadedProgram> program;
  std::shared_ptr<const std::vector<std::byte>> with_lines;
};

class ExecutableTable {
 public:
  // `keeps_lines`: code objects with source lines are kept for reports.
  explicit ExecutableTable(bool keeps_lines) : keeps_lines_(keeps_lines) {}

  hsa_code_object_reader_t AddReader(Reader reader);
  bool RemoveReader(hsa_code_object_reader_t handle);

  hsa_executable_t AddExecutable(hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding);
  hsa_status_t RemoveExecutable(hsa_executable_t handle);

  // Calls function(executable), with the lock held; INVALID_EXECUTABLE: there is none.
  template <typename Function>
  hsa_status_t With(hsa_executable_t handle, Function&& function) {
    const std::scoped_lock lock(mutex_);
    const auto found = executables_.find(handle.handle);
    if (found == executables_.end()) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    return function(*found->second);
  }
  // Without a lock. Null: there is no such symbol. It lives as long as its executable.
  const Symbol* Find(hsa_executable_symbol_t handle) const { return symbols_.Find(handle.handle); }

  hsa_status_t Load(const std::shared_ptr<runtime::GuestMemory>& memory, hsa_executable_t handle,
                    const Agent& agent, hsa_code_object_reader_t reader,
                    hsa_loaded_code_object_t* loaded);
  hsa_status_t Load(const std::shared_ptr<runtime::GuestMemory>& memory, hsa_executable_t handle,
                    const Agent& agent, std::span<const std::byte> bytes,
                    hsa_loaded_code_object_t* loaded);

  // What the kernel object of a packet stands for; kernel null: nothing.
  KernelObject FindKernel(uint64_t kernel_object) const;

 private:
  // The caller holds mutex_.
  hsa_status_t Load(const std::shared_ptr<runtime::GuestMemory>& memory, Executable& executable,
                    const Agent& agent, std::span<const std::byte> bytes,
                    hsa_loaded_code_object_t* loaded);
  hsa_status_t AddSymbols(Executable& executable, const LoadedObject& object);

  const bool keeps_lines_;
  std::mutex mutex_;  // guards what follows
  uint64_t last_handle_ = 0;
  std::unordered_map<uint64_t, std::shared_ptr<const Reader>> readers_;
  std::unordered_map<uint64_t, std::unique_ptr<Executable>> executables_;
  SymbolTable<Symbol> symbols_;  // reading needs no lock

  mutable std::shared_mutex kernels_mutex_;  // guards kernels_; taken after mutex_
  std::unordered_map<uint64_t, KernelObject> kernels_;
};

}  // namespace gcnjit::hsa
