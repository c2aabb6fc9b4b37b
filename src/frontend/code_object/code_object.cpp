#include "frontend/code_object/code_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "frontend/code_object/checked_bytes.h"
#include "frontend/code_object/elf_file.h"
#include "frontend/code_object/kernel_reader.h"
#include "frontend/code_object/target.h"

namespace gcnjit::frontend {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr unsigned kOsAbiHsa = 64;        // ELFOSABI_AMDGPU_HSA
constexpr unsigned kSymbolV2Kernel = 10;  // STT_AMDGPU_HSA_KERNEL
constexpr unsigned kSectionLds = 0xFF00;  // SHN_AMDGPU_LDS

// Note records: (owner, type).
constexpr uint32_t kNoteV2Version = 1;
constexpr uint32_t kNoteV2Isa = 3;
constexpr uint32_t kNoteV2Metadata = 10;
constexpr uint32_t kNoteV3Metadata = 32;

struct Notes {
  std::optional<Note> v2_version;
  std::optional<Note> v2_isa;
  std::optional<Note> metadata;  // in the format of the file's version
};

Error Invalid(std::string message) { return {ErrorCode::kInvalidCodeObject, std::move(message)}; }

// Builds one CodeObject; each step checks what the next ones rely on.
class Parser {
 public:
  explicit Parser(const ElfFile& elf) : elf_(elf) {}

  Result<CodeObject> Run() {
    for (auto step :
         {&Parser::CheckHeader, &Parser::ReadNotes, &Parser::ReadTarget, &Parser::ReadSegments,
          &Parser::ReadSymbols, &Parser::ReadRelocations, &Parser::ReadKernels}) {
      if (auto result = (this->*step)(); !result) return result.error();
    }
    return std::move(object_);
  }

 private:
  Result<void> CheckHeader();
  Result<void> ReadNotes();
  Result<void> ReadTarget();
  Result<void> ReadSegments();
  Result<void> ReadSymbols();
  Result<void> ReadRelocations();
  Result<void> ReadKernels();

  bool FieldIsInImage(uint64_t address, uint32_t bytes) const;

  const ElfFile& elf_;
  Notes notes_;
  std::vector<ElfSymbol> dynamic_symbols_;
  DescriptorTable descriptors_;
  CodeObject object_;
};

Result<void> Parser::CheckHeader() {
  const Elf64_Ehdr& header = elf_.header();
  if (header.e_machine != EM_AMDGPU) {
    return Error{ErrorCode::kUnsupportedTarget,
                 fmt::format("an ELF file for machine {} (e_machine at offset 18), not for AMDGPU "
                             "({})",
                             header.e_machine, EM_AMDGPU)};
  }
  if (header.e_ident[EI_OSABI] != kOsAbiHsa) {
    return Error{ErrorCode::kUnsupportedTarget,
                 fmt::format("an AMDGPU file for OS ABI {} (offset 7); only amdhsa ({}) is "
                             "supported: compile with -target amdgcn-amd-amdhsa",
                             header.e_ident[EI_OSABI], kOsAbiHsa)};
  }
  if (header.e_type != ET_DYN) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("an ELF file of type {} (e_type at offset 16), not a shared object: "
                             "link relocatable objects with ld.lld -shared",
                             header.e_type)};
  }
  const unsigned abi = header.e_ident[EI_ABIVERSION];
  if (abi > 4) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("ABI version {} (offset 8), that is code object v{}; v2 to v6 are "
                             "supported: compile with -mcode-object-version=5",
                             abi, abi + 2)};
  }
  object_.version = static_cast<int>(abi) + 2;
  return {};
}

Result<void> Parser::ReadNotes() {
  return elf_.ForEachNote(
      [this](std::string_view owner, uint32_t type, Bytes bytes, uint64_t offset) {
        const Note note = {bytes, offset};
        if (owner == "AMD" && type == kNoteV2Version) notes_.v2_version = note;
        if (owner == "AMD" && type == kNoteV2Isa) notes_.v2_isa = note;
        const bool v2 = object_.version == 2;
        if (v2 && owner == "AMD" && type == kNoteV2Metadata) notes_.metadata = note;
        if (!v2 && owner == "AMDGPU" && type == kNoteV3Metadata) notes_.metadata = note;
      });
}

Result<void> Parser::ReadTarget() {
  if (object_.version == 2) {
    if (notes_.v2_version && Read<uint32_t>(notes_.v2_version->bytes, 0) != 2u) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("the version note at offset {:#x} does not say code object v2",
                               notes_.v2_version->offset)};
    }
    if (!notes_.v2_isa) return Invalid("a code object v2 without an ISA version note");
    const Bytes isa = notes_.v2_isa->bytes;
    const auto major = Read<uint32_t>(isa, 4);
    const auto minor = Read<uint32_t>(isa, 8);
    const auto stepping = Read<uint32_t>(isa, 12);
    if (!major || !minor || !stepping) {
      return Invalid(fmt::format("the ISA version note at offset {:#x} has only {} bytes",
                                 notes_.v2_isa->offset, isa.size()));
    }
    object_.target = TargetOfIsaVersion(*major, *minor, *stepping);
  } else {
    object_.target = TargetOfFlags(elf_.header().e_flags, object_.version);
  }
  const std::optional<Generation> generation = GenerationOfCodeObject(object_.target);
  if (!generation) {
    return Error{
        ErrorCode::kUnsupportedTarget,
        fmt::format("a code object for {}; emulated are gfx600-602, gfx700-705, gfx801-810, "
                    "gfx900, gfx902 and gfx906",
                    object_.target)};
  }
  object_.generation = *generation;
  return {};
}

Result<void> Parser::ReadSegments() {
  uint64_t total = 0;
  for (const Elf64_Phdr& header : elf_.program_headers()) {
    if (header.p_type != PT_LOAD || header.p_memsz == 0) continue;
    if (header.p_filesz > header.p_memsz) {
      return Invalid(
          fmt::format("the segment at offset {:#x} has more bytes in the file ({:#x}) "
                      "than in memory ({:#x})",
                      header.p_offset, header.p_filesz, header.p_memsz));
    }
    if (header.p_vaddr > UINT64_MAX / 2 || header.p_memsz > kMaxImageBytes) {
      return Invalid(
          fmt::format("the segment at offset {:#x} has {:#x} bytes at address {:#x}; an "
                      "image may have at most {:#x}",
                      header.p_offset, header.p_memsz, header.p_vaddr, kMaxImageBytes));
    }
    // Segments that share file bytes would multiply the file in memory; linkers do not write them.
    total += header.p_filesz;
    if (total > elf_.file().size()) {
      return Invalid(fmt::format("the segments together have more than the file's {:#x} bytes",
                                 elf_.file().size()));
    }
    const Bytes bytes = *Slice(elf_.file(), header.p_offset, header.p_filesz);
    Segment segment;
    segment.address = header.p_vaddr;
    segment.memory_bytes = header.p_memsz;
    segment.bytes.assign(bytes.begin(), bytes.end());
    segment.writable = (header.p_flags & PF_W) != 0;
    segment.executable = (header.p_flags & PF_X) != 0;
    object_.segments.push_back(std::move(segment));
  }
  if (object_.segments.empty()) return Invalid("no loadable segment (PT_LOAD)");
  std::ranges::sort(object_.segments, {}, &Segment::address);
  for (size_t i = 1; i < object_.segments.size(); ++i) {
    const Segment& before = object_.segments[i - 1];
    if (before.address + before.memory_bytes > object_.segments[i].address) {
      return Invalid(fmt::format("the segments at addresses {:#x} and {:#x} overlap",
                                 before.address, object_.segments[i].address));
    }
  }
  const Segment& last = object_.segments.back();
  object_.image_begin = object_.segments.front().address & ~(kPageBytes - 1);
  object_.image_bytes = last.address + last.memory_bytes - object_.image_begin;
  if (object_.image_bytes > kMaxImageBytes) {
    return Invalid(
        fmt::format("the image has {:#x} bytes from address {:#x} on; at most {:#x} are "
                    "accepted",
                    object_.image_bytes, object_.image_begin, kMaxImageBytes));
  }
  return {};
}

Result<void> Parser::ReadSymbols() {
  auto dynamic = elf_.DynamicSymbols();
  if (!dynamic) return dynamic.error();
  dynamic_symbols_ = std::move(*dynamic);
  auto all = elf_.StaticSymbols();
  if (!all) return all.error();
  // The dynamic table first: where both name a symbol, it is the one that counts.
  std::set<std::string, std::less<>> seen;
  for (const std::vector<ElfSymbol>* table :
       {&std::as_const(dynamic_symbols_), &std::as_const(*all)}) {
    for (const ElfSymbol& symbol : *table) {
      const unsigned section = symbol.raw.st_shndx;
      if (symbol.name.empty() || symbol.undefined() || section >= SHN_LORESERVE) continue;
      if (!seen.insert(symbol.name).second) continue;
      const bool is_descriptor =
          object_.version == 2
              ? symbol.type() == kSymbolV2Kernel
              : symbol.type() == STT_OBJECT && symbol.name.ends_with(kDescriptorSuffix);
      if (is_descriptor) descriptors_.emplace(symbol.name, symbol.raw.st_value);
      SymbolKind kind = SymbolKind::kOther;
      if (symbol.type() == STT_OBJECT && !is_descriptor) kind = SymbolKind::kVariable;
      if (symbol.type() == STT_FUNC || symbol.type() == kSymbolV2Kernel)
        kind = SymbolKind::kFunction;
      object_.symbols.push_back({symbol.name, symbol.raw.st_value, symbol.raw.st_size, kind});
    }
  }
  return {};
}

bool Parser::FieldIsInImage(uint64_t address, uint32_t bytes) const {
  return std::ranges::any_of(object_.segments, [&](const Segment& segment) {
    return address >= segment.address && segment.memory_bytes >= bytes &&
           address - segment.address <= segment.memory_bytes - bytes;
  });
}

Result<void> Parser::ReadRelocations() {
  auto table = elf_.DynamicRelocations();
  if (!table) return table.error();
  for (size_t i = 0; i < table->size(); ++i) {
    const Elf64_Rela& raw = (*table)[i];
    const auto type = static_cast<uint32_t>(ELF64_R_TYPE(raw.r_info));
    const uint64_t index = ELF64_R_SYM(raw.r_info);
    if (type == 0) continue;  // R_AMDGPU_NONE
    Relocation relocation;
    relocation.address = raw.r_offset;
    relocation.type = static_cast<RelocationType>(type);
    relocation.addend = raw.r_addend;
    const uint32_t bytes = FieldBytes(relocation.type);
    if (bytes == 0) {
      return Error{
          ErrorCode::kUnsupported,
          fmt::format("relocation {} has type {}, which a linked code object does not have", i,
                      type)};
    }
    if (!FieldIsInImage(relocation.address, bytes)) {
      return Invalid(
          fmt::format("relocation {} writes {} bytes at address {:#x}, outside every "
                      "segment",
                      i, bytes, relocation.address));
    }
    if (index >= dynamic_symbols_.size() && index != 0) {
      return Invalid(fmt::format("relocation {} names symbol {}; the table has {}", i, index,
                                 dynamic_symbols_.size()));
    }
    if (relocation.type == RelocationType::kRelative64) {
      // B + A: as if against a symbol at address 0 of the image.
    } else if (index == 0) {
      relocation.symbol_is_absolute = true;  // no symbol: S is 0
    } else {
      const ElfSymbol& symbol = dynamic_symbols_[index];
      if (symbol.raw.st_shndx == kSectionLds) {
        return Error{ErrorCode::kUnsupported,
                     fmt::format("relocation {} refers to the LDS variable '{}', which the linker "
                                 "should have resolved",
                                 i, symbol.name)};
      }
      relocation.symbol = symbol.name;
      relocation.symbol_value = symbol.raw.st_value;
      relocation.symbol_is_absolute = symbol.raw.st_shndx == SHN_ABS;
      // A weak symbol that nobody defines is the absolute address 0.
      const bool weak = ELF64_ST_BIND(symbol.raw.st_info) == STB_WEAK;
      relocation.symbol_is_undefined = symbol.undefined() && !weak;
      if (symbol.undefined() && weak) relocation.symbol_is_absolute = true;
    }
    object_.relocations.push_back(std::move(relocation));
  }
  return {};
}

Result<void> Parser::ReadKernels() {
  auto kernels = frontend::ReadKernels(object_, descriptors_, notes_.metadata);
  if (!kernels) return kernels.error();
  object_.kernels = std::move(*kernels);
  return {};
}

}  // namespace

uint32_t FieldBytes(RelocationType type) {
  switch (type) {
    case RelocationType::kAbs32Lo:
    case RelocationType::kAbs32Hi:
    case RelocationType::kAbs32:
    case RelocationType::kRel32:
    case RelocationType::kRel32Lo:
    case RelocationType::kRel32Hi: return 4;
    case RelocationType::kAbs64:
    case RelocationType::kRel64:
    case RelocationType::kRelative64: return 8;
  }
  return 0;  // a number from a file that is none of them
}

std::span<const std::byte> CodeObject::AtAddress(uint64_t address, uint64_t size) const {
  for (const Segment& segment : segments) {
    if (address < segment.address) continue;
    if (const auto slice = Slice(segment.bytes, address - segment.address, size)) return *slice;
  }
  return {};
}

Result<CodeObject> ParseCodeObject(std::span<const std::byte> file) {
  const auto elf = ElfFile::Parse(file);
  if (!elf) return elf.error();
  return Parser(*elf).Run();
}

}  // namespace gcnjit::frontend
