#include "backend_x64/host/code_memory.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "backend_x64/host/perf_map.h"

namespace gcnjit::backend {

CodeMemory::CodeMemory(bool anonymous) : anonymous_(anonymous) {}
CodeMemory::~CodeMemory() {
  for (const auto& [at, bytes] : mappings_) ::munmap(const_cast<std::byte*>(at), bytes);
}

const std::byte* CodeMemory::Add(asmjit::CodeHolder& code, std::string* error) {
  asmjit::Error status = code.flatten();
  if (status == asmjit::kErrorOk) status = code.resolveUnresolvedLinks();
  std::vector<std::byte> bytes(code.codeSize());
  if (status == asmjit::kErrorOk) status = code.copyFlattenedData(bytes.data(), bytes.size());
  if (status == asmjit::kErrorOk) return Add(bytes, error);
  *error = asmjit::DebugUtils::errorAsString(status);
  return nullptr;
}

const std::byte* CodeMemory::Add(std::span<const std::byte> code, std::string* error) {
  const std::scoped_lock lock(mutex_);
  if (anonymous_) return MapAnonymous(code, error);
  CodeBlock* block = nullptr;
  const std::byte* const at = Take(code.size(), &block);
  if (at == nullptr) {
    *error = std::strerror(errno);
    return nullptr;
  }
  std::memcpy(block->WritableAt(at), code.data(), code.size());
  return at;
}

// The caller holds mutex_. nullptr, with errno: the host gives no more memory.
const std::byte* CodeMemory::Take(size_t bytes, CodeBlock** block) {
  size_t held = 0;
  for (CodeBlock& each : blocks_) {
    *block = &each;
    if (const std::byte* const at = each.Take(bytes)) return at;
    held += each.bytes();
  }
  // The more there is, the more is likely to come; but a host that counts its address space gives
  // perhaps what is needed.
  constexpr size_t kLeast = 64 << 10;
  constexpr size_t kMost = 4 << 20;
  for (const size_t wanted : {std::clamp(held, kLeast, kMost), size_t{0}}) {
    auto made = CodeBlock::Map(std::max(bytes, wanted));
    if (!made) continue;
    *block = &blocks_.emplace_back(*std::move(made));
    return (*block)->Take(bytes);
  }
  return nullptr;
}

void CodeMemory::Release(const std::byte* code) {
  const std::scoped_lock lock(mutex_);
  if (anonymous_) {
    const auto found = mappings_.find(code);
    ::munmap(const_cast<std::byte*>(code), found->second);
    mappings_.erase(found);
    return;
  }
  const auto block =
      std::ranges::find_if(blocks_, [code](const CodeBlock& each) { return each.Holds(code); });
  block->Release(code);
  // The first one stays for what comes next.
  if (block->is_empty() && (block != blocks_.begin() || block->is_sealed())) blocks_.erase(block);
}

bool CodeMemory::Holds(uint64_t address) const {
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(blocks_,
                             [address](const CodeBlock& each) { return each.Covers(address); });
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

// No other thread is to be half-way through a change that the new process would have to end.
void CodeMemory::BeginFork() { mutex_.lock(); }

void CodeMemory::EndFork() {
  for (CodeBlock& block : blocks_) block.Seal();
  mutex_.unlock();
}

CodeMemory& CodeMemory::Make() {
  // Never destroyed: threads may be in its code while the process ends.
  static CodeMemory* memory = nullptr;
  memory = new CodeMemory(PerfMap::Instance() != nullptr);
  const auto end = [] { memory->EndFork(); };
  pthread_atfork([] { memory->BeginFork(); }, end, end);
  return *memory;
}

CodeMemory& CodeMemory::Instance() {
  static CodeMemory& memory = Make();
  return memory;
}

}  // namespace gcnjit::backend
