#include "confined/debug_relocations.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "frontend/code_object/elf_file.h"
#include "frontend/code_object/load_budget.h"
#include "frontend/code_object/relocatable.h"
#include "frontend/code_object/relocation.h"

namespace gcnjit::confined {
namespace {

using frontend::ElfSymbol;

// The bytes of a debug section, unpacked if they were compressed; empty: of another section.
std::span<std::byte> DebugBytes(Elf* elf, size_t number) {
  Elf_Scn* const section = ::elf_getscn(elf, number);
  const Elf64_Shdr* header = section == nullptr ? nullptr : ::elf64_getshdr(section);
  size_t names = 0;
  if (header == nullptr || ::elf_getshdrstrndx(elf, &names) != 0) return {};
  const char* const name = ::elf_strptr(elf, names, header->sh_name);
  if (name == nullptr || !std::string_view(name).starts_with(".debug")) return {};
  if ((header->sh_flags & SHF_COMPRESSED) != 0 && ::elf_compress(section, 0, 0) < 0) return {};
  const Elf_Data* const data = ::elf_getdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<std::byte*>(data->d_buf), data->d_size};
}

void Relocate(const Elf64_Rela& rela, const std::vector<ElfSymbol>& symbols,
              std::span<std::byte> bytes) {
  const auto type = static_cast<frontend::RelocationType>(ELF64_R_TYPE(rela.r_info));
  const uint64_t symbol = ELF64_R_SYM(rela.r_info);
  const size_t size = frontend::FieldBytes(type);
  if (size == 0 || symbol >= symbols.size()) return;
  if (rela.r_offset > bytes.size() || bytes.size() - rela.r_offset < size) return;
  // Sections of debug information are at the address 0.
  const auto value = frontend::RelocatedValue(type, symbols[symbol].raw.st_value,
                                              static_cast<uint64_t>(rela.r_addend), rela.r_offset);
  if (value) std::memcpy(&bytes[rela.r_offset], &*value, size);
}

}  // namespace

void RelocateDebugSections(std::span<const std::byte> object, Elf* elf) {
  const auto file = frontend::ElfFile::Parse(object);
  if (!file || file->header().e_type != ET_REL) return;
  frontend::LoadBudget budget(object.size());
  const auto linked = frontend::LinkRelocatable(*file, budget);
  if (!linked) return;
  for (const Elf64_Shdr& table : file->sections()) {
    if (table.sh_type != SHT_RELA) continue;
    const std::span<std::byte> bytes = DebugBytes(elf, table.sh_info);
    if (bytes.empty()) continue;
    const frontend::Bytes entries = file->BytesOf(table);
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= entries.size(); at += sizeof(Elf64_Rela)) {
      // A copy: the entries may lie in what is changed.
      const auto rela = frontend::Read<Elf64_Rela>(entries, at);
      if (rela) Relocate(*rela, linked->symbols, bytes);
    }
  }
}

}  // namespace gcnjit::confined
