#include "frontend/code_object/elf_file.h"

#include <fmt/format.h>

#include <utility>

#include "frontend/code_object/plain_text.h"

namespace gcnjit::frontend {
namespace {

// Start of the next 4-byte aligned field; the caller's sizes are 32-bit, so this cannot overflow.
uint64_t Align4(uint64_t value) { return (value + 3) & ~uint64_t{3}; }

}  // namespace

bool ElfFile::HasMagic(Bytes file) {
  return file.size() >= SELFMAG && std::memcmp(file.data(), ELFMAG, SELFMAG) == 0;
}

Result<ElfFile> ElfFile::Parse(Bytes file) {
  if (!HasMagic(file)) return InvalidCodeObject("not an ELF file: no ELF magic at offset 0");
  ElfFile elf;
  elf.file_ = file;
  const auto header = Read<Elf64_Ehdr>(file, 0);
  if (!header) {
    return InvalidCodeObject(fmt::format("the ELF header needs {} bytes, the file has {}",
                                         sizeof(Elf64_Ehdr), file.size()));
  }
  elf.header_ = *header;
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB) {
    return InvalidCodeObject("not a 64-bit little-endian ELF file (e_ident at offset 4)");
  }
  if (auto result = elf.ReadProgramHeaders(); !result) return result.error();
  if (auto result = elf.ReadSections(); !result) return result.error();
  if (auto result = elf.ReadDynamic(); !result) return result.error();
  return elf;
}

Result<void> ElfFile::ReadProgramHeaders() {
  if (header_.e_phnum == 0) return {};
  if (header_.e_phentsize != sizeof(Elf64_Phdr)) {
    return InvalidCodeObject(
        fmt::format("program headers of {} bytes (e_phentsize at offset 54), not {}",
                    header_.e_phentsize, sizeof(Elf64_Phdr)));
  }
  if (header_.e_phnum > kMaxProgramHeaders) {
    return InvalidCodeObject(
        fmt::format("{} program headers (e_phnum at offset 56); at most {} are accepted",
                    header_.e_phnum, kMaxProgramHeaders));
  }
  const auto table = Slice(file_, header_.e_phoff, uint64_t{header_.e_phnum} * sizeof(Elf64_Phdr));
  if (!table) {
    return InvalidCodeObject(
        fmt::format("{} program headers at offset {:#x} do not fit in the file's {} bytes",
                    header_.e_phnum, header_.e_phoff, file_.size()));
  }
  for (unsigned i = 0; i < header_.e_phnum; ++i) {
    const Elf64_Phdr segment = *Read<Elf64_Phdr>(*table, i * sizeof(Elf64_Phdr));
    const bool has_bytes =
        segment.p_type == PT_LOAD || segment.p_type == PT_NOTE || segment.p_type == PT_DYNAMIC;
    if (has_bytes && !Slice(file_, segment.p_offset, segment.p_filesz)) {
      return InvalidCodeObject(fmt::format(
          "program header {}: {:#x} bytes at offset {:#x} do not fit in the file's {:#x} bytes", i,
          segment.p_filesz, segment.p_offset, file_.size()));
    }
    program_headers_.push_back(segment);
  }
  return {};
}

Result<void> ElfFile::ReadSections() {
  if (header_.e_shnum == 0) return {};
  if (header_.e_shentsize != sizeof(Elf64_Shdr)) {
    return InvalidCodeObject(
        fmt::format("section headers of {} bytes (e_shentsize at offset 58), not {}",
                    header_.e_shentsize, sizeof(Elf64_Shdr)));
  }
  const auto table = Slice(file_, header_.e_shoff, uint64_t{header_.e_shnum} * sizeof(Elf64_Shdr));
  if (!table) {
    return InvalidCodeObject(
        fmt::format("{} section headers at offset {:#x} do not fit in the file's {} bytes",
                    header_.e_shnum, header_.e_shoff, file_.size()));
  }
  sections_.reserve(header_.e_shnum);
  for (unsigned i = 0; i < header_.e_shnum; ++i) {
    const Elf64_Shdr section = *Read<Elf64_Shdr>(*table, i * sizeof(Elf64_Shdr));
    const bool has_bytes = section.sh_type != SHT_NULL && section.sh_type != SHT_NOBITS;
    if (has_bytes && !Slice(file_, section.sh_offset, section.sh_size)) {
      return InvalidCodeObject(fmt::format(
          "section {}: {:#x} bytes at offset {:#x} do not fit in the file's {:#x} bytes", i,
          section.sh_size, section.sh_offset, file_.size()));
    }
    sections_.push_back(section);
  }
  return {};
}

Result<void> ElfFile::ReadDynamic() {
  for (const Elf64_Phdr& segment : program_headers_) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const Bytes table = *Slice(file_, segment.p_offset, segment.p_filesz);
    ElfDynamic dynamic;
    for (uint64_t offset = 0;; offset += sizeof(Elf64_Dyn)) {
      const auto entry = Read<Elf64_Dyn>(table, offset);
      if (!entry) {
        return InvalidCodeObject(fmt::format(
            "the dynamic table at offset {:#x} has no end (DT_NULL)", segment.p_offset));
      }
      const uint64_t value = entry->d_un.d_val;
      if (entry->d_tag == DT_NULL) break;
      switch (entry->d_tag) {
        case DT_SYMTAB: dynamic.symbol_table = value; break;
        case DT_STRTAB: dynamic.string_table = value; break;
        case DT_STRSZ: dynamic.string_table_size = value; break;
        case DT_HASH: dynamic.hash = value; break;
        case DT_RELA: dynamic.rela = value; break;
        case DT_RELASZ: dynamic.rela_size = value; break;
        case DT_REL:
        case DT_JMPREL: dynamic.other_relocations = true; break;
        default: break;
      }
    }
    dynamic_ = dynamic;
    return {};
  }
  return {};
}

const Elf64_Shdr* ElfFile::FindSection(std::string_view name) const {
  if (header_.e_shstrndx >= sections_.size()) return nullptr;
  const Elf64_Shdr& strings = sections_[header_.e_shstrndx];
  const auto names = Slice(file_, strings.sh_offset, strings.sh_size);
  if (!names || strings.sh_type != SHT_STRTAB) return nullptr;
  for (const Elf64_Shdr& section : sections_) {
    const auto text = Slice(*names, section.sh_name, name.size() + 1);
    const bool has_bytes = section.sh_type != SHT_NULL && section.sh_type != SHT_NOBITS;
    if (has_bytes && text && AsText(*text).substr(0, name.size()) == name &&
        text->back() == std::byte{0}) {
      return &section;
    }
  }
  return nullptr;
}

std::optional<Bytes> ElfFile::AtAddress(uint64_t address, uint64_t size) const {
  for (const Elf64_Phdr& segment : program_headers_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const Bytes bytes = *Slice(file_, segment.p_offset, segment.p_filesz);
    if (const auto slice = Slice(bytes, address - segment.p_vaddr, size)) return slice;
  }
  return std::nullopt;
}

Bytes ElfFile::BytesOf(const Elf64_Shdr& section) const {
  const bool has_bytes = section.sh_type != SHT_NULL && section.sh_type != SHT_NOBITS;
  return has_bytes ? *Slice(file_, section.sh_offset, section.sh_size) : Bytes();
}

Result<void> ElfFile::ForEachNote(LoadBudget& budget, const VisitNote& visit) const {
  // Segments and sections may share bytes.
  const auto read = [&](uint64_t offset, uint64_t size) -> Result<void> {
    if (!budget.Look(size)) return budget.error();
    return ForEachNoteIn(*Slice(file_, offset, size), offset, visit);
  };
  for (const Elf64_Phdr& segment : program_headers_) {
    if (segment.p_type != PT_NOTE) continue;
    if (auto result = read(segment.p_offset, segment.p_filesz); !result) return result;
  }
  if (header_.e_type != ET_REL) return {};
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_NOTE) continue;
    if (auto result = read(section.sh_offset, section.sh_size); !result) return result;
  }
  return {};
}

Result<void> ElfFile::ForEachNoteIn(Bytes notes, uint64_t place, const VisitNote& visit) {
  uint64_t offset = 0;
  while (offset < notes.size()) {
    const uint64_t at = place + offset;
    const auto head = Read<Elf64_Nhdr>(notes, offset);
    if (!head) return InvalidCodeObject(fmt::format("truncated note record at offset {:#x}", at));
    const uint64_t name_offset = offset + sizeof(Elf64_Nhdr);
    const uint64_t text_offset = name_offset + Align4(head->n_namesz);
    const auto name = Slice(notes, name_offset, head->n_namesz);
    const auto text = Slice(notes, text_offset, head->n_descsz);
    if (!name || !text) {
      return InvalidCodeObject(fmt::format(
          "note record at offset {:#x}: name of {} bytes and description of {} bytes do not fit "
          "in the note segment, which ends at {:#x}",
          at, head->n_namesz, head->n_descsz, place + notes.size()));
    }
    std::string_view owner = AsText(*name);
    owner = owner.substr(0, owner.find('\0'));
    auto result = visit(owner, head->n_type, *text, place + text_offset);
    if (!result) return result;
    offset = text_offset + Align4(head->n_descsz);
  }
  return {};
}

// DT_HASH counts the symbols (nchain). A file without it must still have its section headers.
Result<uint64_t> ElfFile::DynamicSymbolCount() const {
  if (dynamic_->hash != 0) {
    const auto hash = AtAddress(dynamic_->hash, 2 * sizeof(uint32_t));
    if (!hash) {
      return InvalidCodeObject(
          fmt::format("DT_HASH at address {:#x} is not in the file", dynamic_->hash));
    }
    return uint64_t{*Read<uint32_t>(*hash, sizeof(uint32_t))};
  }
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type == SHT_DYNSYM && section.sh_addr == dynamic_->symbol_table) {
      return section.sh_size / sizeof(Elf64_Sym);
    }
  }
  return InvalidCodeObject(
      "the dynamic symbol table has no size: neither DT_HASH nor a section describes it");
}

Result<std::vector<ElfSymbol>> ElfFile::DynamicSymbols(LoadBudget& budget) const {
  if (!dynamic_ || dynamic_->symbol_table == 0) return std::vector<ElfSymbol>();
  const auto count = DynamicSymbolCount();
  if (!count) return count.error();
  const auto table = AtAddress(dynamic_->symbol_table, *count * sizeof(Elf64_Sym));
  if (!table) {
    return InvalidCodeObject(fmt::format("{} dynamic symbols at address {:#x} are not in the file",
                                         *count, dynamic_->symbol_table));
  }
  const auto strings = AtAddress(dynamic_->string_table, dynamic_->string_table_size);
  if (!strings) {
    return InvalidCodeObject(fmt::format(
        "the dynamic string table at address {:#x} is not in the file", dynamic_->string_table));
  }
  return ReadSymbols(*table, *strings, "dynamic symbol", budget);
}

Result<std::vector<ElfSymbol>> ElfFile::StaticSymbols(LoadBudget& budget) const {
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_SYMTAB) continue;
    if (section.sh_link >= sections_.size() || sections_[section.sh_link].sh_type != SHT_STRTAB) {
      return InvalidCodeObject(
          fmt::format("the symbol table at offset {:#x} has no string table (sh_link {})",
                      section.sh_offset, section.sh_link));
    }
    const Elf64_Shdr& strings = sections_[section.sh_link];
    return ReadSymbols(BytesOf(section), BytesOf(strings), "symbol", budget);
  }
  return std::vector<ElfSymbol>();
}

Result<std::vector<ElfSymbol>> ElfFile::ReadSymbols(Bytes table, Bytes strings, const char* what,
                                                    LoadBudget& budget) {
  const uint64_t count = table.size() / sizeof(Elf64_Sym);
  if (!budget.Keep(count * sizeof(ElfSymbol))) return budget.error();
  std::vector<ElfSymbol> symbols;
  symbols.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    ElfSymbol symbol;
    symbol.raw = *Read<Elf64_Sym>(table, i * sizeof(Elf64_Sym));
    if (symbol.raw.st_name != 0) {
      if (symbol.raw.st_name >= strings.size()) {
        return InvalidCodeObject(
            fmt::format("{} {}: its name (string offset {:#x}) is outside the string "
                        "table of {:#x} bytes",
                        what, i, symbol.raw.st_name, strings.size()));
      }
      const std::string_view rest = AsText(strings.subspan(symbol.raw.st_name));
      const size_t length = rest.find('\0');
      if (length == std::string_view::npos) {
        return InvalidCodeObject(fmt::format("{} {}: its name (string offset {:#x}) has no end",
                                             what, i, symbol.raw.st_name));
      }
      symbol.name = rest.substr(0, length);
      // Names may share bytes: many symbols could have one long name.
      if (!budget.Look(sizeof(Elf64_Sym) + length)) return budget.error();
      if (!IsPlainText(symbol.name)) {
        return InvalidCodeObject(
            fmt::format("{} {}: its name (string offset {:#x}) is not plain text", what, i,
                        symbol.raw.st_name));
      }
    }
    symbols.push_back(symbol);
  }
  return symbols;
}

Result<Bytes> ElfFile::DynamicRelocations() const {
  if (dynamic_ && dynamic_->other_relocations) {
    return Error{ErrorCode::kUnsupported,
                 "the dynamic table has DT_REL or DT_JMPREL relocations, which HSA code objects do "
                 "not use"};
  }
  if (!dynamic_ || dynamic_->rela == 0 || dynamic_->rela_size == 0) return Bytes();
  const auto table = AtAddress(dynamic_->rela, dynamic_->rela_size);
  if (!table || dynamic_->rela_size % sizeof(Elf64_Rela) != 0) {
    return InvalidCodeObject(fmt::format(
        "the relocation table (DT_RELA) of {:#x} bytes at address {:#x} is not in the file",
        dynamic_->rela_size, dynamic_->rela));
  }
  return *table;
}

}  // namespace gcnjit::frontend
