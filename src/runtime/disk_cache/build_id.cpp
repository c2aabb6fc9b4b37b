#include "runtime/disk_cache/build_id.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gcnjit::runtime {
namespace {

struct Search {
  uintptr_t address = 0;  // in the object that is looked for
  std::span<const std::byte> found;
};

size_t Aligned(size_t bytes) { return (bytes + 3) / 4 * 4; }

// The build id among notes, which the linker has written and the loader has mapped.
std::span<const std::byte> FindBuildId(std::span<const std::byte> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof header);
    notes = notes.subspan(sizeof header);
    const size_t name = Aligned(header.n_namesz);
    if (name > notes.size() || header.n_descsz > notes.size() - name) break;
    const auto id = notes.subspan(name, header.n_descsz);
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof ELF_NOTE_GNU &&
        std::memcmp(notes.data(), ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0) {
      return id;
    }
    notes = notes.subspan(std::min(notes.size(), name + Aligned(header.n_descsz)));
  }
  return {};
}

int LookAt(dl_phdr_info* object, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const std::span headers(object->dlpi_phdr, object->dlpi_phnum);
  bool is_it = false;
  for (const ElfW(Phdr) & header : headers) {
    const uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    is_it |= header.p_type == PT_LOAD && search.address - begin < header.p_memsz;
  }
  if (!is_it) return 0;
  for (const ElfW(Phdr) & header : headers) {
    if (header.p_type != PT_NOTE || !search.found.empty()) continue;
    const auto* notes = reinterpret_cast<const std::byte*>(object->dlpi_addr + header.p_vaddr);
    search.found = FindBuildId({notes, header.p_memsz});
  }
  return 1;
}

}  // namespace

std::span<const std::byte> BuildId() {
  static const std::span<const std::byte> id = [] {
    Search search;
    search.address = reinterpret_cast<uintptr_t>(&LookAt);
    ::dl_iterate_phdr(LookAt, &search);
    return search.found;
  }();
  return id;
}

}  // namespace gcnjit::runtime
