#include "backend_x64/code_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "backend_x64/perf_map.h"

namespace gcnjit::backend {
namespace {

asmjit::JitAllocator::CreateParams DualMapping() {
  asmjit::JitAllocator::CreateParams params = {};
  params.options = asmjit::JitAllocatorOptions::kUseDualMapping;
  return params;
}

// What is no code any more traps. asmjit would fill what has never been code as well, which takes
// longer than to compile a short kernel.
void FillWithInt3(const asmjit::JitAllocator& allocator, const std::byte* code) {
  constexpr int kInt3 = 0xCC;
  void* at = nullptr;
  void* writable = nullptr;
  size_t bytes = 0;
  const asmjit::Error status =
      allocator.query(const_cast<std::byte*>(code), &at, &writable, &bytes);
  if (status == asmjit::kErrorOk) std::memset(writable, kInt3, bytes);
}

}  // namespace

CodeMemory::CodeMemory(bool anonymous)
    : anonymous_(anonymous), runtime_([] {
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
    FillWithInt3(*runtime_.allocator(), code);
    runtime_.release(code);
    return;
  }
  const auto found = mappings_.find(code);
  ::munmap(const_cast<std::byte*>(code), found->second);
  mappings_.erase(found);
}

const std::byte* CodeMemory::Add(std::span<const std::byte> code, std::string* error) {
  const std::scoped_lock lock(mutex_);
  if (anonymous_) return MapAnonymous(code, error);
  void* at = nullptr;
  void* writable = nullptr;
  const asmjit::Error status = runtime_.allocator()->alloc(&at, &writable, code.size());
  if (status != asmjit::kErrorOk) {
    *error = asmjit::DebugUtils::errorAsString(status);
    return nullptr;
  }
  std::memcpy(writable, code.data(), code.size());
  return static_cast<const std::byte*>(at);
}

const std::byte* CodeMemory::AddAnonymous(asmjit::CodeHolder& code, std::string* error) {
  asmjit::Error status = code.flatten();
  if (status == asmjit::kErrorOk) status = code.resolveUnresolvedLinks();
  std::vector<std::byte> bytes(code.codeSize());
  if (status == asmjit::kErrorOk) status = code.copyFlattenedData(bytes.data(), bytes.size());
  if (status == asmjit::kErrorOk) return MapAnonymous(bytes, error);
  *error = asmjit::DebugUtils::errorAsString(status);
  return nullptr;
}

const std::byte* CodeMemory::MapAnonymous(std::span<const std::byte> code, std::string* error) {
  void* const at =
      ::mmap(nullptr, code.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) {
    *error = std::strerror(errno);
    return nullptr;
  }
  std::memcpy(at, code.data(), code.size());
  if (::mprotect(at, code.size(), PROT_READ | PROT_EXEC) != 0) {
    *error = std::strerror(errno);
    ::munmap(at, code.size());
    return nullptr;
  }
  mappings_.emplace(static_cast<const std::byte*>(at), code.size());
  return static_cast<const std::byte*>(at);
}

CodeMemory& CodeMemory::Instance() {
  // Never destroyed: threads may be in its code while the process ends.
  static CodeMemory& memory = *new CodeMemory(PerfMap::Instance() != nullptr);
  return memory;
}

}  // namespace gcnjit::backend
