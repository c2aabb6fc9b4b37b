#include "backend_x64/code_memory.h"

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
    : runtime_([] {
        static const asmjit::JitAllocator::CreateParams params = DualMapping();
        return &params;
      }()) {}
CodeMemory::~CodeMemory() = default;

const std::byte* CodeMemory::Add(asmjit::CodeHolder& code, std::string* error) {
  const std::scoped_lock lock(mutex_);
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
  runtime_.release(code);
}

CodeMemory& CodeMemory::Instance() {
  static CodeMemory memory;
  return memory;
}

}  // namespace gcnjit::backend
