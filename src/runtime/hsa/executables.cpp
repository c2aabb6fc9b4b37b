#include "runtime/hsa/executables.h"

#include <cstdio>
#include <utility>

#include "confined/source_lines.h"
#include "frontend/code_object/bundle.h"
#include "frontend/code_object/code_object.h"
#include "frontend/code_object/load_budget.h"
#include "frontend/code_object/target.h"
#include "runtime/hsa/status.h"

namespace gcnjit::hsa {

namespace {

// HIP passes on that there is no kernel, not why.
hsa_status_t Refuse(const Error& error) {
  std::fprintf(stderr, "gcnjit: a code object was refused: %s\n", error.message.c_str());
  return StatusOf(error);
}

}  // namespace

const Symbol* Executable::Find(std::string_view name, const Agent* agent) const {
  const auto [begin, end] = by_name.equal_range(name);
  for (auto entry = begin; entry != end; ++entry) {
    if (agent == nullptr || entry->second->agent == agent) return entry->second;
  }
  return nullptr;
}

hsa_code_object_reader_t ExecutableTable::AddReader(Reader reader) {
  auto kept = std::make_shared<const Reader>(std::move(reader));
  const std::scoped_lock lock(mutex_);
  readers_.emplace(++last_handle_, std::move(kept));
  return {last_handle_};
}

bool ExecutableTable::RemoveReader(hsa_code_object_reader_t handle) {
  const std::scoped_lock lock(mutex_);
  return readers_.erase(handle.handle) != 0;
}

hsa_executable_t ExecutableTable::AddExecutable(hsa_profile_t profile,
                                                hsa_default_float_rounding_mode_t rounding) {
  auto executable = std::make_unique<Executable>();
  executable->profile = profile;
  executable->rounding = rounding;
  const std::scoped_lock lock(mutex_);
  executables_.emplace(++last_handle_, std::move(executable));
  return {last_handle_};
}

hsa_status_t ExecutableTable::RemoveExecutable(hsa_executable_t handle) {
  std::unique_ptr<Executable> executable;
  const std::scoped_lock lock(mutex_);
  const auto found = executables_.find(handle.handle);
  if (found == executables_.end()) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  executable = std::move(found->second);
  executables_.erase(found);
  const std::unique_lock kernels_lock(kernels_mutex_);
  for (const Symbol& symbol : executable->symbols) {
    symbols_.Remove(symbol.handle.handle);
    if (symbol.kernel != nullptr) kernels_.erase(symbol.address);
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t ExecutableTable::Load(const std::shared_ptr<runtime::GuestMemory>& memory,
                                   hsa_executable_t handle, const Agent& agent,
                                   hsa_code_object_reader_t reader_handle,
                                   hsa_loaded_code_object_t* loaded) {
  const std::scoped_lock lock(mutex_);
  const auto found = executables_.find(handle.handle);
  if (found == executables_.end()) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  Executable& executable = *found->second;
  if (executable.is_frozen) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  const auto reader = readers_.find(reader_handle.handle);
  if (reader == readers_.end()) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
  return Load(memory, executable, agent, reader->second->bytes, loaded);
}

hsa_status_t ExecutableTable::Load(const std::shared_ptr<runtime::GuestMemory>& memory,
                                   hsa_executable_t handle, const Agent& agent,
                                   std::span<const std::byte> bytes,
                                   hsa_loaded_code_object_t* loaded) {
  const std::scoped_lock lock(mutex_);
  const auto found = executables_.find(handle.handle);
  if (found == executables_.end()) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (found->second->is_frozen) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  return Load(memory, *found->second, agent, bytes, loaded);
}

hsa_status_t ExecutableTable::Load(const std::shared_ptr<runtime::GuestMemory>& memory,
                                   Executable& executable, const Agent& agent,
                                   std::span<const std::byte> bytes,
                                   hsa_loaded_code_object_t* loaded) {
  frontend::LoadBudget budget(bytes.size());
  auto object = frontend::ParseCodeObject(bytes, budget);
  if (!object) return Refuse(object.error());
  if (!frontend::TargetFits(object->target, agent.gpu->target())) {
    return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  }
  std::vector<frontend::CodeObject> objects;
  objects.push_back(std::move(*object));
  auto program = runtime::LoadedProgram::Load(memory, std::move(objects), budget,
                                              agent.gpu->target(), executable.defined);
  if (!program) return Refuse(program.error());
  std::shared_ptr<const std::vector<std::byte>> with_lines;
  if (keeps_lines_ && confined::HasLines(bytes)) {
    with_lines = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  }
  executable.objects.push_back({&agent, std::move(*program), std::move(with_lines)});
  if (const hsa_status_t status = AddSymbols(executable, executable.objects.back());
      status != HSA_STATUS_SUCCESS) {
    return status;
  }
  if (loaded != nullptr) {
    *loaded = {reinterpret_cast<uint64_t>(executable.objects.back().program.get())};
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t ExecutableTable::AddSymbols(Executable& executable, const LoadedObject& object) {
  const std::unique_lock kernels_lock(kernels_mutex_);
  const auto add = [&](Symbol symbol) {
    const uint64_t handle = symbols_.Add(&executable.symbols.emplace_back(std::move(symbol)));
    if (handle == 0) {
      executable.symbols.pop_back();
      return false;
    }
    Symbol& added = executable.symbols.back();
    added.handle = {handle};
    executable.by_name.emplace(added.name, &added);
    return true;
  };
  for (const KernelInfo& info : object.program->kernels()) {
    const auto kernel = object.program->Find(info.name);
    if (!kernel) continue;
    if (!add({info.name + ".kd", object.agent, *kernel, (*kernel)->descriptor_address, 0})) {
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    kernels_[(*kernel)->descriptor_address] = {*kernel, object.agent, object.program,
                                               object.with_lines};
  }
  for (const frontend::Symbol& symbol : object.program->symbols()) {
    if (symbol.kind != frontend::SymbolKind::kVariable) continue;
    if (!add({std::string(symbol.name), object.agent, nullptr, symbol.address, symbol.size})) {
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
  }
  return HSA_STATUS_SUCCESS;
}

KernelObject ExecutableTable::FindKernel(uint64_t kernel_object) const {
  const std::shared_lock lock(kernels_mutex_);
  const auto found = kernels_.find(kernel_object);
  return found == kernels_.end() ? KernelObject{} : found->second;
}

}  // namespace gcnjit::hsa
