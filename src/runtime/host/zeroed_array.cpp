#include "runtime/host/zeroed_array.h"

#include <sys/mman.h>

#include <new>

namespace gcnjit::runtime::zeroed_array_internal {

void* MapZeros(size_t bytes) {
  void* const at =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  return at;
}

void Unmap(void* at, size_t bytes) { ::munmap(at, bytes); }

}  // namespace gcnjit::runtime::zeroed_array_internal
