// A checked view of a 64-bit little-endian ELF file: header, program headers, sections and the
// dynamic table. Nothing is believed before it was compared with the file's size.
#pragma once

#include <elf.h>

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "frontend/code_object/checked_bytes.h"
#include "frontend/code_object/load_budget.h"
#include "gcnjit/error.h"

namespace gcnjit::frontend {

inline constexpr uint64_t kPageBytes = 4096;  // segments begin at pages of their own

// One entry of a symbol table with its name, which lies in the file.
struct ElfSymbol {
  std::string_view name;
  Elf64_Sym raw = {};
  unsigned type() const { return ELF64_ST_TYPE(raw.st_info); }
  bool undefined() const { return raw.st_shndx == SHN_UNDEF; }
};

// What PT_DYNAMIC points to. Addresses are the file's virtual addresses.
struct ElfDynamic {
  uint64_t symbol_table = 0;
  uint64_t string_table = 0;
  uint64_t string_table_size = 0;
  uint64_t hash = 0;
  uint64_t rela = 0;
  uint64_t rela_size = 0;
  bool other_relocations = false;  // DT_REL, DT_JMPREL
};

class ElfFile {
 public:
  // More than any linker writes; keeps work on a hostile file linear in its size.
  static constexpr unsigned kMaxProgramHeaders = 256;

  static bool HasMagic(Bytes file);
  static Result<ElfFile> Parse(Bytes file);

  Bytes file() const { return file_; }
  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<Elf64_Phdr>& program_headers() const { return program_headers_; }
  // The bytes of each lie inside the file.
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  Bytes BytesOf(const Elf64_Shdr& section) const;  // none of SHT_NULL and SHT_NOBITS

  // The first section of that name; its bytes lie inside the file. Null: none.
  const Elf64_Shdr* FindSection(std::string_view name) const;

  // File bytes of [address, address + size) of the loaded image; nullopt where a segment does
  // not hold them all in the file.
  std::optional<Bytes> AtAddress(uint64_t address, uint64_t size) const;

  // Calls visit(owner, type, description, file offset) for each note record, until it gives an
  // Error. A relocatable file has them in sections, others in segments.
  using VisitNote = std::function<Result<void>(std::string_view, uint32_t, Bytes, uint64_t)>;
  Result<void> ForEachNote(LoadBudget& budget, const VisitNote& visit) const;

  // The table that the loader uses (relocations index it), from PT_DYNAMIC; empty without one.
  Result<std::vector<ElfSymbol>> DynamicSymbols(LoadBudget& budget) const;
  // The full table of a file that is not stripped; may be empty.
  Result<std::vector<ElfSymbol>> StaticSymbols(LoadBudget& budget) const;
  // A table of Elf64_Rela, maybe empty.
  Result<Bytes> DynamicRelocations() const;

 private:
  Result<void> ReadProgramHeaders();
  Result<void> ReadSections();
  Result<void> ReadDynamic();
  Result<uint64_t> DynamicSymbolCount() const;
  static Result<void> ForEachNoteIn(Bytes notes, uint64_t place, const VisitNote& visit);
  static Result<std::vector<ElfSymbol>> ReadSymbols(Bytes table, Bytes strings, const char* what,
                                                    LoadBudget& budget);

  Bytes file_;
  Elf64_Ehdr header_ = {};
  std::vector<Elf64_Phdr> program_headers_;
  std::vector<Elf64_Shdr> sections_;
  std::optional<ElfDynamic> dynamic_;
};

}  // namespace gcnjit::frontend
