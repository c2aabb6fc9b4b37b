#include "backend_x64/code_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "backend_x64/perf_map.h"

namespace gcnjit::backend {
namespace {

asmjit::JitAllocator::CreateParams DualMapping() {
  asmjit::JitAllocator::CreateParams params = {};
  params.options =
      asmjit::JitAllocatorOptions::kUseDualMapping | asmjit::JitAllocatorOptions::kFillUnusedMemory;
  params.blockSize = 1 << 20;
  return params;
}

}  // namespace

CodeMemory::CodeMemory()
    : anonymous_(PerfMap::Instance() != nullptr), runtime_([] {
        static const asmjit::JitAllocator::CreateParams params = DualMapping();
        return &params;
      }()) {}
CodeMemory::~CodeMemory() {
  for (const auto& [at, bytes] : mappings_) ::munmap(const_cast<std::byte*>(at), bytes);
}

const std::byte* CodeMemory::Add(asmjit::CodeHolder& code, std::string* error) {
  const std::scoped_lock lock(mutex_);
  if (anonymous_) return AddAnonymous(code, error);
  const std::byte* at = nullptr;
  const asmjit::Error status = runtime_.add(&at, &code);
  if (status != asmjit::kErrorOk) {
    *error = asmjit::DebugUtils::errorAsString(status);
    return nullptr;
  }
  return at;
}

void CodeMemory::Release(const std::byte* code) {
  const std::scoped_lock lock(mutex_);
  if (!anonymous_) {
    runtime_.release(code);
    return;
  }
  const auto found = mappings_.find(code);
  ::munmap(const_cast<std::byte*>(code), found->second);
  mappings_.erase(found);
}

const std::byte* CodeMemory::AddAnonymous(asmjit::CodeHolder& code, std::string* error) {
  asmjit::Error status = code.flatten();
  if (status == asmjit::kErrorOk) status = code.resolveUnresolvedLinks();
  const size_t bytes = code.codeSize();
  void* const at =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) {
    *error = std::strerror(errno);
    return nullptr;
  }
  if (status == asmjit::kErrorOk) status = code.relocateToBase(reinterpret_cast<uint64_t>(at));
  if (status == asmjit::kErrorOk) status = code.copyFlattenedData(at, bytes);
  if (status != asmjit::kErrorOk || ::mprotect(at, bytes, PROT_READ | PROT_EXEC) != 0) {
    *error = status != asmjit::kErrorOk ? asmjit::DebugUtils::errorAsString(status)
                                        : std::strerror(errno);
    ::munmap(at, bytes);
    return nullptr;
  }
  mappings_.emplace(static_cast<const std::byte*>(at), bytes);
  return static_cast<const std::byte*>(at);
}

CodeMemory& CodeMemory::Instance() {
  // Never destroyed: threads may be in its code while the process ends.
  static CodeMemory& memory = *new CodeMemory;
  return memory;
}

}  // namespace gcnjit::backend
