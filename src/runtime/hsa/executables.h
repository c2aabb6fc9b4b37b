// Code objects on their way to a queue: readers, executables, symbols, and the kernel objects that
// packets refer to.
#pragma once

#include <hsa/hsa.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "gcnjit/error.h"
#include "runtime/hsa/agent.h"
#include "runtime/loaded_program.h"

namespace gcnjit::hsa {

struct Reader {
  std::vector<std::byte> bytes;
};

// A kernel or variable of an executable; lives as long as that does.
struct Symbol {
  std::string name;
  const Agent* agent = nullptr;                   // null: the same for all (a host variable)
  const runtime::LoadedKernel* kernel = nullptr;  // null: a variable
  uint64_t address = 0;
  uint64_t size = 0;

  hsa_executable_symbol_t handle() const { return {reinterpret_cast<uint64_t>(this)}; }
};

struct LoadedObject {
  const Agent* agent = nullptr;
  std::shared_ptr<runtime::LoadedProgram> program;
};

// The table's lock guards it.
struct Executable {
  hsa_profile_t profile = HSA_PROFILE_BASE;
  hsa_default_float_rounding_mode_t rounding = HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT;
  bool is_frozen = false;
  std::vector<LoadedObject> objects;
  std::map<std::string, uint64_t, std::less<>> defined;  // variables of the host program
  std::vector<std::unique_ptr<Symbol>> symbols;

  // Null: none of that name for that agent.
  const Symbol* Find(std::string_view name, const Agent* agent) const;
};

// A kernel that a packet refers to, and what has to live as long as it runs.
struct KernelObject {
  const runtime::LoadedKernel* kernel = nullptr;
  const Agent* agent = nullptr;
  std::shared_ptr<runtime::LoadedProgram> program;
};

class ExecutableTable {
 public:
  hsa_code_object_reader_t AddReader(std::vector<std::byte> bytes);
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
  // Likewise for a symbol.
  template <typename Function>
  hsa_status_t With(hsa_executable_symbol_t handle, Function&& function) {
    const std::scoped_lock lock(mutex_);
    const auto found = symbols_.find(handle.handle);
    if (found == symbols_.end()) return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
    return function(*found->second);
  }

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
  void AddSymbols(Executable& executable, const LoadedObject& object);

  std::mutex mutex_;  // guards what follows
  uint64_t last_handle_ = 0;
  std::unordered_map<uint64_t, std::shared_ptr<const Reader>> readers_;
  std::unordered_map<uint64_t, std::unique_ptr<Executable>> executables_;
  std::unordered_map<uint64_t, const Symbol*> symbols_;

  mutable std::shared_mutex kernels_mutex_;  // guards kernels_; taken after mutex_
  std::unordered_map<uint64_t, KernelObject> kernels_;
};

}  // namespace gcnjit::hsa
