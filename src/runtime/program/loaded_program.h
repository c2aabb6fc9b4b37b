// Code objects in guest memory: relocated, protected, ready to launch. Mostly one; a HIP program
// has one for each of its source files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "frontend/code_object/code_object.h"
#include "frontend/code_object/kernel_descriptor.h"
#include "gcnjit/error.h"
#include "gcnjit/program.h"
#include "isa/processor.h"
#include "runtime/memory/guest_memory.h"

namespace gcnjit::runtime {

struct LoadedKernel {
  const KernelInfo* info = nullptr;       // lives as long as the program
  frontend::KernelDescriptor descriptor;  // its addresses are the code object's own
  uint64_t descriptor_address = 0;        // guest address: the kernel object of a dispatch packet
  uint64_t entry_address = 0;             // guest address of the first instruction
  std::shared_ptr<const std::vector<std::string>> printf_formats = nullptr;  // null: none known
};

class LoadedProgram {
 public:
  // Copies each image into one allocation and relocates it. Segments that the code object does not
  // mark writable are read-only to the guest, and pages with code to the host too. Of two kernels
  // or variables with one name (a template in two source files) the first counts. `objects` is not
  // empty; its generations are equal. The budget is that of the file which the objects come from.
  // `device`: target ID of the device, which says what the objects' own do not; empty: a usual one.
  // `externals`: guest addresses of symbols that the objects need from elsewhere.
  using Externals = std::map<std::string, uint64_t, std::less<>>;
  static Result<std::shared_ptr<LoadedProgram>> Load(std::shared_ptr<GuestMemory> memory,
                                                     std::vector<frontend::CodeObject> objects,
                                                     frontend::LoadBudget& budget,
                                                     std::string_view device,
                                                     const Externals& externals = {});
  // The program whose code is at that guest address, in the memory of whatever device; null:
  // none's.
  static std::shared_ptr<const LoadedProgram> WithCodeAt(uint64_t address);
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  const std::string& target() const { return target_; }
  const frontend::Processor& processor() const { return processor_; }
  frontend::Generation generation() const { return processor_.generation; }
  const std::shared_ptr<GuestMemory>& memory() const { return memory_; }
  // Guest addresses [begin, end) of the executable segments, ascending.
  const std::vector<std::pair<uint64_t, uint64_t>>& code_ranges() const { return code_ranges_; }
  // Functions and variables, at guest addresses. Their names live as long as the program.
  const std::vector<frontend::Symbol>& symbols() const { return symbols_; }
  // Guest addresses of the images, in the order of the code objects.
  struct Image {
    uint64_t base = 0;  // of the allocation
    uint64_t bytes = 0;
    uint64_t load_bias = 0;  // guest address minus the code object's own address
  };
  const std::vector<Image>& images() const { return images_; }

  const std::vector<KernelInfo>& kernels() const { return infos_; }
  Result<const LoadedKernel*> Find(std::string_view name) const;
  Result<Program::Variable> FindVariable(std::string_view name) const;

  // What an engine derives from the code (decoded instructions, host code): one T a program, made
  // by make() on first use, even if several threads ask, and kept as long as the program.
  template <typename T>
  T& Derived(const std::function<std::shared_ptr<T>()>& make) const {
    const std::lock_guard lock(derived_mutex_);
    std::shared_ptr<void>& slot = derived_[std::type_index(typeid(T))];
    if (!slot) slot = make();
    return *static_cast<T*>(slot.get());
  }

 private:
  LoadedProgram(std::shared_ptr<GuestMemory> memory, std::string target,
                const frontend::Processor& processor)
      : memory_(std::move(memory)), target_(std::move(target)), processor_(processor) {}

  Result<void> Add(frontend::CodeObject& object, frontend::LoadBudget& budget,
                   const Externals& externals);
  void CopyImage(const frontend::CodeObject& object, const Image& image);
  Result<void> Relocate(const frontend::CodeObject& object, const Image& image,
                        frontend::LoadBudget& budget, const Externals& externals);
  Result<void> ProtectImage(const frontend::CodeObject& object, const Image& image);
  // The kernels' descriptions move here.
  Result<void> AddKernels(frontend::CodeObject& object, const Image& image,
                          frontend::LoadBudget& budget);
  Result<void> AddSymbols(const frontend::CodeObject& object, const Image& image,
                          frontend::LoadBudget& budget);
  void SortVariables();

  const std::shared_ptr<GuestMemory> memory_;
  const std::string target_;
  const frontend::Processor processor_;
  std::vector<Image> images_;
  std::vector<std::pair<uint64_t, uint64_t>> code_ranges_;
  std::vector<std::unique_ptr<char[]>> names_;  // of the symbols of each image
  std::vector<frontend::Symbol> symbols_;
  std::vector<uint32_t> variables_;  // those of symbols_, by name
  std::vector<KernelInfo> infos_;
  std::map<std::string_view, LoadedKernel> kernels_;  // names and infos are those of infos_
  mutable std::mutex derived_mutex_;
  mutable std::map<std::type_index, std::shared_ptr<void>> derived_;
};

}  // namespace gcnjit::runtime
