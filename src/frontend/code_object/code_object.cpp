#include "frontend/code_object/code_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/code_object/checked_bytes.h"
#include "frontend/code_object/elf_file.h"
#include "frontend/code_object/kernel_reader.h"
#include "frontend/code_object/load_budget.h"
#include "frontend/code_object/relocatable.h"
#include "frontend/code_object/relocation_symbol.h"
#include "frontend/code_object/target.h"

namespace gcnjit::frontend {
namespace {

constexpr unsigned kOsAbiHsa = 64;        // ELFOSABI_AMDGPU_HSA
constexpr unsigned kOsAbiPal = 65;        // ELFOSABI_AMDGPU_PAL
constexpr unsigned kOsAbiMesa3d = 66;     // ELFOSABI_AMDGPU_MESA3D
constexpr unsigned kSymbolV2Kernel = 10;  // STT_AMDGPU_HSA_KERNEL

// Other platforms' e_flags are those of this version (LLVM's AMDGPUTargetStreamer).
constexpr int kVersionOfOtherFlags = 3;

// Note records: (owner, type).
constexpr uint32_t kNoteV2Version = 1;
constexpr uint32_t kNoteV2Isa = 3;
constexpr uint32_t kNoteV2Metadata = 10;
constexpr uint32_t kNoteV3Metadata = 32;

struct Notes {
  std::optional<Note> v2_version;
  std::optional<Note> v2_isa;
  std::vector<Note> metadata;  // in the format of the file's version
};

// Builds one CodeObject; each step checks what the next ones rely on.
class Parser {
 public:
  Parser(const ElfFile& elf, LoadBudget& budget) : elf_(elf), budget_(budget) {}

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
  Result<void> Link();
  Result<void> SetImage();
  Result<void> ReadSymbols();
  Result<void> ReadRelocations();
  Result<void> ReadKernels();

  bool IsDescriptor(const ElfSymbol& symbol) const;

  const ElfFile& elf_;
  LoadBudget& budget_;
  Notes notes_;
  std::vector<ElfSymbol> dynamic_symbols_;
  std::vector<ElfSymbol> linked_symbols_;
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
  switch (header.e_ident[EI_OSABI]) {
    case kOsAbiHsa: object_.platform = Platform::kHsa; break;
    case kOsAbiPal: object_.platform = Platform::kPal; break;
    case kOsAbiMesa3d: object_.platform = Platform::kMesa3d; break;
    default:
      return Error{ErrorCode::kUnsupportedTarget,
                   fmt::format("an AMDGPU file for OS ABI {} (offset 7); known are amdhsa ({}), "
                               "amdpal ({}) and mesa3d ({}): compile with -target "
                               "amdgcn-amd-amdhsa",
                               header.e_ident[EI_OSABI], kOsAbiHsa, kOsAbiPal, kOsAbiMesa3d)};
  }
  if (header.e_type != ET_DYN && header.e_type != ET_REL) {
    return Error{
        ErrorCode::kUnsupported,
        fmt::format("an ELF file of type {} (e_type at offset 16), neither a shared object "
                    "nor a relocatable one",
                    header.e_type)};
  }
  if (object_.platform != Platform::kHsa) {
    if (object_.platform == Platform::kMesa3d) object_.version = 2;
    return {};
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
  const bool v2 = object_.version == 2;
  const auto visit = [&](std::string_view owner, uint32_t type, Bytes bytes,
                         uint64_t offset) -> Result<void> {
    const Note note = {bytes, offset};
    if (owner == "AMD" && type == kNoteV2Version) notes_.v2_version = note;
    if (owner == "AMD" && type == kNoteV2Isa) notes_.v2_isa = note;
    if (v2 ? owner == "AMD" && type == kNoteV2Metadata
           : owner == "AMDGPU" && type == kNoteV3Metadata) {
      if (!budget_.Keep(2 * sizeof note)) return budget_.error();
      notes_.metadata.push_back(note);
    }
    return {};
  };
  return elf_.ForEachNote(budget_, visit);
}

Result<void> Parser::ReadTarget() {
  if (object_.platform != Platform::kHsa) {
    object_.target = TargetOfFlags(elf_.header().e_flags, kVersionOfOtherFlags);
  } else if (object_.version == 2) {
    if (notes_.v2_version && Read<uint32_t>(notes_.v2_version->bytes, 0) != 2u) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("the version note at offset {:#x} does not say code object v2",
                               notes_.v2_version->offset)};
    }
    if (!notes_.v2_isa) return InvalidCodeObject("a code object v2 without an ISA version note");
    const Bytes isa = notes_.v2_isa->bytes;
    const auto major = Read<uint32_t>(isa, 4);
    const auto minor = Read<uint32_t>(isa, 8);
    const auto stepping = Read<uint32_t>(isa, 12);
    if (!major || !minor || !stepping) {
      return InvalidCodeObject(fmt::format("the ISA version note at offset {:#x} has only {} bytes",
                                           notes_.v2_isa->offset, isa.size()));
    }
    object_.target = TargetOfIsaVersion(*major, *minor, *stepping);
  } else {
    object_.target = TargetOfFlags(elf_.header().e_flags, object_.version);
  }
  const std::optional<Generation> generation = GenerationOfCodeObject(object_.target);
  if (!generation) {
    return Error{ErrorCode::kUnsupportedTarget,
                 fmt::format("a code object for {}, which is not emulated: compile for one of {}",
                             object_.target, kEmulatedTargets)};
  }
  object_.generation = *generation;
  return {};
}

Result<void> Parser::ReadSegments() {
  if (elf_.header().e_type == ET_REL) return Link();
  uint64_t total = 0;
  for (const Elf64_Phdr& header : elf_.program_headers()) {
    if (header.p_type != PT_LOAD || header.p_memsz == 0) continue;
    if (header.p_filesz > header.p_memsz) {
      return InvalidCodeObject(
          fmt::format("the segment at offset {:#x} has more bytes in the file ({:#x}) "
                      "than in memory ({:#x})",
                      header.p_offset, header.p_filesz, header.p_memsz));
    }
    if (header.p_vaddr > UINT64_MAX / 2 || header.p_memsz > kMaxImageBytes) {
      return InvalidCodeObject(
          fmt::format("the segment at offset {:#x} has {:#x} bytes at address {:#x}; an "
                      "image may have at most {:#x}",
                      header.p_offset, header.p_memsz, header.p_vaddr, kMaxImageBytes));
    }
    // Segments that share file bytes would multiply the file in memory; linkers do not write them.
    total += header.p_filesz;
    if (total > elf_.file().size()) {
      return InvalidCodeObject(fmt::format(
          "the segments together have more than the file's {:#x} bytes", elf_.file().size()));
    }
    const Bytes bytes = *Slice(elf_.file(), header.p_offset, header.p_filesz);
    Segment segment;
    segment.address = header.p_vaddr;
    segment.memory_bytes = header.p_memsz;
    segment.bytes = bytes;
    segment.writable = (header.p_flags & PF_W) != 0;
    segment.executable = (header.p_flags & PF_X) != 0;
    object_.segments.push_back(std::move(segment));
  }
  if (object_.segments.empty()) return InvalidCodeObject("no loadable segment (PT_LOAD)");
  std::ranges::sort(object_.segments, {}, &Segment::address);
  for (size_t i = 1; i < object_.segments.size(); ++i) {
    const Segment& before = object_.segments[i - 1];
    if (before.address + before.memory_bytes > object_.segments[i].address) {
      return InvalidCodeObject(fmt::format("the segments at addresses {:#x} and {:#x} overlap",
                                           before.address, object_.segments[i].address));
    }
  }
  return SetImage();
}

Result<void> Parser::SetImage() {
  const Segment& last = object_.segments.back();
  object_.image_begin = object_.segments.front().address & ~(kPageBytes - 1);
  object_.image_bytes = last.address + last.memory_bytes - object_.image_begin;
  if (object_.image_bytes > kMaxImageBytes) {
    return InvalidCodeObject(
        fmt::format("the image has {:#x} bytes from address {:#x} on; at most {:#x} are "
                    "accepted",
                    object_.image_bytes, object_.image_begin, kMaxImageBytes));
  }
  return {};
}

// All that is in the file: its sections' bytes, symbols and relocations.
Result<void> Parser::Link() {
  auto linked = LinkRelocatable(elf_, budget_);
  if (!linked) return linked.error();
  object_.linked = std::move(linked->image);
  object_.segments = std::move(linked->segments);
  object_.relocations = std::move(linked->relocations);
  linked_symbols_ = std::move(linked->symbols);
  return SetImage();
}

Result<void> Parser::ReadSymbols() {
  auto dynamic = elf_.DynamicSymbols(budget_);
  if (!dynamic) return dynamic.error();
  dynamic_symbols_ = std::move(*dynamic);
  const auto others =
      object_.linked ? Result(std::move(linked_symbols_)) : elf_.StaticSymbols(budget_);
  if (!others) return others.error();
  // The dynamic table first: where both name a symbol, it is the one that counts.
  const size_t count = dynamic_symbols_.size() + others->size();
  const auto symbol_at = [&](uint32_t n) -> const ElfSymbol& {
    return n < dynamic_symbols_.size() ? dynamic_symbols_[n]
                                       : (*others)[n - dynamic_symbols_.size()];
  };
  if (!budget_.Keep(count * (sizeof(uint32_t) + sizeof(Symbol)))) return budget_.error();
  std::vector<uint32_t> named;
  named.reserve(count);
  for (uint32_t n = 0; n < count; ++n) {
    const ElfSymbol& symbol = symbol_at(n);
    const bool has_place = !symbol.undefined() && symbol.raw.st_shndx < SHN_LORESERVE;
    if (has_place && !symbol.name.empty()) named.push_back(n);
  }
  const auto name_of = [&](uint32_t n) { return symbol_at(n).name; };
  std::ranges::sort(named, {}, [&](uint32_t n) { return std::pair(name_of(n), n); });
  // Not std::ranges::unique: clang 14, which fuzzing is built with, does not compile it.
  const auto are_equal = [&](uint32_t a, uint32_t b) { return name_of(a) == name_of(b); };
  named.erase(std::unique(named.begin(), named.end(), are_equal), named.end());
  for (const uint32_t n : named) {
    if (!IsDescriptor(symbol_at(n))) continue;
    if (!budget_.Keep(2 * sizeof(DescriptorTable::value_type))) return budget_.error();
    descriptors_.emplace_back(name_of(n), symbol_at(n).raw.st_value);
  }
  std::ranges::sort(named);
  object_.symbols.reserve(named.size());
  for (const uint32_t n : named) {
    const ElfSymbol& symbol = symbol_at(n);
    SymbolKind kind = SymbolKind::kOther;
    if (symbol.type() == STT_OBJECT && !IsDescriptor(symbol)) kind = SymbolKind::kVariable;
    if (symbol.type() == STT_FUNC || symbol.type() == kSymbolV2Kernel) kind = SymbolKind::kFunction;
    object_.symbols.push_back({symbol.name, symbol.raw.st_value, symbol.raw.st_size, kind});
  }
  return {};
}

bool Parser::IsDescriptor(const ElfSymbol& symbol) const {
  if (object_.version == 2) return symbol.type() == kSymbolV2Kernel;
  return symbol.type() == STT_OBJECT && symbol.name.ends_with(kDescriptorSuffix);
}

Result<void> Parser::ReadRelocations() {
  if (object_.linked) return {};
  const auto table = elf_.DynamicRelocations();
  if (!table) return table.error();
  const size_t count = table->size() / sizeof(Elf64_Rela);
  if (!budget_.Keep(count * sizeof(Relocation))) return budget_.error();
  object_.relocations.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (!budget_.Look(sizeof(Elf64_Rela))) return budget_.error();
    const Elf64_Rela raw = *Read<Elf64_Rela>(*table, i * sizeof(Elf64_Rela));
    const auto type = static_cast<uint32_t>(ELF64_R_TYPE(raw.r_info));
    const uint64_t index = ELF64_R_SYM(raw.r_info);
    if (type == 0) continue;  // R_AMDGPU_NONE
    if (index >= dynamic_symbols_.size() && index != 0) {
      return InvalidCodeObject(fmt::format("relocation {} names symbol {}; the table has {}", i,
                                           index, dynamic_symbols_.size()));
    }
    // R_AMDGPU_RELATIVE64 is B + A: as if against a symbol at address 0 of the image.
    const bool is_relative = type == static_cast<uint32_t>(RelocationType::kRelative64);
    auto to = is_relative ? Result(Relocation())
                          : RelocationTo(index == 0 ? nullptr : &dynamic_symbols_[index]);
    if (!to) return to.error();
    Relocation& relocation = *to;
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
    // Not among the zeros that follow a segment's bytes, where linkers relocate nothing: a page of
    // host memory for each relocation would be in no proportion to the file.
    if (object_.AtAddress(relocation.address, bytes).empty()) {
      return InvalidCodeObject(
          fmt::format("relocation {} writes {} bytes at address {:#x}, outside every segment's "
                      "bytes in the file",
                      i, bytes, relocation.address));
    }
    object_.relocations.push_back(relocation);
  }
  return {};
}

Result<void> Parser::ReadKernels() {
  if (object_.platform == Platform::kPal) return {};
  auto kernels = frontend::ReadKernels(object_, descriptors_, notes_.metadata, budget_);
  if (!kernels) return kernels.error();
  object_.kernels = std::move(*kernels);
  return {};
}

}  // namespace

const Segment* CodeObject::SegmentAt(uint64_t address) const {
  const auto next = std::ranges::upper_bound(segments, address, {}, &Segment::address);
  if (next == segments.begin()) return nullptr;
  const Segment& segment = *std::prev(next);
  return address - segment.address < segment.memory_bytes ? &segment : nullptr;
}

std::span<const std::byte> CodeObject::AtAddress(uint64_t address, uint64_t size) const {
  const Segment* segment = SegmentAt(address);
  if (segment == nullptr) return {};
  return Slice(segment->bytes, address - segment->address, size).value_or(Bytes());
}

Result<CodeObject> ParseCodeObject(std::span<const std::byte> file, LoadBudget& budget) {
  const auto elf = ElfFile::Parse(file);
  if (!elf) return elf.error();
  return Parser(*elf, budget).Run();
}

Result<CodeObject> ParseCodeObject(std::span<const std::byte> file) {
  LoadBudget budget(file.size());
  return ParseCodeObject(file, budget);
}

}  // namespace gcnjit::frontend
