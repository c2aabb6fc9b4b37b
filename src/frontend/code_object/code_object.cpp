#include "frontend/code_object/code_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "frontend/code_object/checked_bytes.h"
#include "frontend/code_object/descriptor_reader.h"
#include "frontend/code_object/elf_file.h"
#include "frontend/code_object/metadata.h"
#include "frontend/code_object/plain_text.h"
#include "frontend/code_object/target.h"

namespace gcnjit::frontend {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr unsigned kOsAbiHsa = 64;        // ELFOSABI_AMDGPU_HSA
constexpr unsigned kSymbolV2Kernel = 10;  // STT_AMDGPU_HSA_KERNEL
constexpr unsigned kSectionLds = 0xFF00;  // SHN_AMDGPU_LDS
constexpr uint64_t kEntryAlign = 256;     // the hardware's start address has no lower bits

// Note records: (owner, type).
constexpr uint32_t kNoteV2Version = 1;
constexpr uint32_t kNoteV2Isa = 3;
constexpr uint32_t kNoteV2Metadata = 10;
constexpr uint32_t kNoteV3Metadata = 32;

constexpr std::string_view kDescriptorSuffix = ".kd";

struct Note {
  Bytes bytes;
  uint64_t offset = 0;  // in the file
};

struct Notes {
  std::optional<Note> v2_version;
  std::optional<Note> v2_isa;
  std::optional<Note> v2_metadata;
  std::optional<Note> v3_metadata;
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

  Result<std::vector<KernelMetadata>> ReadMetadata(uint64_t* offset) const;
  std::vector<KernelMetadata> KernelsOfSymbols() const;
  Result<Kernel> ReadKernel(KernelMetadata metadata) const;
  Result<KernelDescriptor> ReadKernelDescriptor(const std::string& symbol, KernelInfo* info) const;
  bool IsCode(uint64_t address) const;
  bool FieldIsInImage(uint64_t address, uint32_t bytes) const;

  const ElfFile& elf_;
  Notes notes_;
  std::vector<ElfSymbol> dynamic_symbols_;
  std::map<std::string, uint64_t, std::less<>> descriptors_;  // symbol name -> address
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
        if (owner == "AMD" && type == kNoteV2Metadata) notes_.v2_metadata = note;
        if (owner == "AMDGPU" && type == kNoteV3Metadata) notes_.v3_metadata = note;
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

Result<std::vector<KernelMetadata>> Parser::ReadMetadata(uint64_t* offset) const {
  const std::optional<Note>& note = object_.version == 2 ? notes_.v2_metadata : notes_.v3_metadata;
  if (!note) return KernelsOfSymbols();
  *offset = note->offset;
  if (object_.version == 2) return ParseYamlMetadata(AsText(note->bytes), note->offset);
  return ParseMessagePackMetadata(note->bytes, note->offset);
}

// Hand-written assembly may lack metadata: then a kernel is what has a descriptor.
std::vector<KernelMetadata> Parser::KernelsOfSymbols() const {
  std::vector<KernelMetadata> kernels;
  for (const auto& [symbol, address] : descriptors_) {
    KernelMetadata kernel;
    kernel.symbol = symbol;
    kernel.info.name = symbol;
    if (object_.version != 2) {
      kernel.info.name.resize(symbol.size() - kDescriptorSuffix.size());
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

bool Parser::IsCode(uint64_t address) const {
  return std::ranges::any_of(object_.segments, [&](const Segment& segment) {
    return segment.executable && address >= segment.address &&
           address - segment.address < segment.memory_bytes;
  });
}

Result<KernelDescriptor> Parser::ReadKernelDescriptor(const std::string& symbol,
                                                      KernelInfo* info) const {
  const auto found = descriptors_.find(symbol);
  if (found == descriptors_.end()) {
    return Invalid(
        fmt::format("kernel '{}' has no descriptor: there is no symbol '{}'", info->name, symbol));
  }
  const uint64_t address = found->second;
  const bool v2 = object_.version == 2;
  const uint64_t size = v2 ? kKernelCodeBytes : kDescriptorBytes;
  const Bytes bytes = object_.AtAddress(address, size);
  if (bytes.empty() || address % (v2 ? kEntryAlign : kDescriptorBytes) != 0) {
    return Invalid(
        fmt::format("the descriptor of kernel '{}' ({} bytes at address {:#x}) is "
                    "misaligned or not in the file",
                    info->name, size, address));
  }
  if (!v2) return ReadDescriptor(bytes, address);
  const auto code = ReadKernelCode(bytes, address);
  if (!code) return code.error();
  if (info->sgpr_count == 0) info->sgpr_count = code->sgpr_count;
  if (info->vgpr_count == 0) info->vgpr_count = code->vgpr_count;
  if (info->kernarg_segment_align == 0) info->kernarg_segment_align = code->kernarg_align;
  return code->descriptor;
}

Result<Kernel> Parser::ReadKernel(KernelMetadata metadata) const {
  Kernel kernel;
  kernel.info = std::move(metadata.info);
  KernelInfo& info = kernel.info;
  info.target = object_.target;
  info.code_object_version = object_.version;
  // v2's metadata names a symbol "name@kd" that no linker ever wrote.
  const std::string symbol = object_.version == 2 ? info.name : metadata.symbol;
  auto descriptor = ReadKernelDescriptor(symbol, &info);
  if (!descriptor) return descriptor.error();
  kernel.descriptor = *descriptor;
  if (!IsCode(descriptor->entry) || descriptor->entry % kEntryAlign != 0) {
    return Invalid(fmt::format(
        "kernel '{}' starts at address {:#x}, which is {}", info.name, descriptor->entry,
        IsCode(descriptor->entry) ? "not 256-byte aligned: add .p2align 8 before its label"
                                  : "not in an executable segment"));
  }
  if (info.kernarg_segment_size == 0) info.kernarg_segment_size = descriptor->kernarg_bytes;
  if (info.kernarg_segment_align == 0) info.kernarg_segment_align = 8;
  if (info.group_segment_size == 0) info.group_segment_size = descriptor->group_segment_bytes;
  if (info.private_segment_size == 0) info.private_segment_size = descriptor->private_segment_bytes;
  if (info.sgpr_count == 0) info.sgpr_count = descriptor->SgprCount();
  if (info.vgpr_count == 0) info.vgpr_count = descriptor->VgprCount();
  info.uses_dynamic_stack |= descriptor->uses_dynamic_stack;
  return kernel;
}

Result<void> Parser::ReadKernels() {
  uint64_t offset = 0;
  auto metadata = ReadMetadata(&offset);
  if (!metadata) return metadata.error();
  std::set<std::string, std::less<>> names;
  for (KernelMetadata& entry : *metadata) {
    if (entry.info.name.empty() || !IsPlainText(entry.info.name) || !IsPlainText(entry.symbol)) {
      return Invalid(
          fmt::format("metadata at offset {:#x}: the name of kernel {} is empty or not "
                      "plain text",
                      offset, object_.kernels.size()));
    }
    auto kernel = ReadKernel(std::move(entry));
    if (!kernel) return kernel.error();
    if (auto result = CheckKernelInfo(kernel->info, offset); !result) return result.error();
    if (!names.insert(kernel->info.name).second) {
      return Invalid(fmt::format("metadata at offset {:#x} describes kernel '{}' twice", offset,
                                 kernel->info.name));
    }
    object_.kernels.push_back(std::move(*kernel));
  }
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
