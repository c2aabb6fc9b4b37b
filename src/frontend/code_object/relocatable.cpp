#include "frontend/code_object/relocatable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "frontend/code_object/relocation_symbol.h"

namespace gcnjit::frontend {
namespace {

constexpr uint64_t kImageBegin = kPageBytes;  // no symbol has the address 0
constexpr uint64_t kMostAlign = 65536;
constexpr uint64_t kSlotBytes = 8;  // of the global offset table
constexpr uint32_t kNoSlot = UINT32_MAX;

// Relocation types with a slot of the global offset table in the symbol's place. G: the slot.
constexpr uint32_t kGotPcRel = 7;      // G + A - P
constexpr uint32_t kGotPcRel32Lo = 8;  // (G + A - P) & 0xFFFFFFFF
constexpr uint32_t kGotPcRel32Hi = 9;  // (G + A - P) >> 32

// Segments, in this order. Zeros follow the data in one segment.
enum Group : size_t { kReadOnly, kCode, kData, kZeros, kGroupCount };

uint64_t AlignUp(uint64_t value, uint64_t align) { return (value + align - 1) & ~(align - 1); }

// Is it part of the image?
bool IsLoaded(const Elf64_Shdr& section) {
  return (section.sh_flags & SHF_ALLOC) != 0 && section.sh_type != SHT_NULL;
}

Group GroupOf(const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS) return kZeros;
  if ((section.sh_flags & SHF_EXECINSTR) != 0) return kCode;
  return (section.sh_flags & SHF_WRITE) != 0 ? kData : kReadOnly;
}

bool IsGot(uint32_t type) { return type >= kGotPcRel && type <= kGotPcRel32Hi; }

// What it is with the slot as its symbol.
RelocationType WithoutGot(uint32_t type) {
  if (type == kGotPcRel) return RelocationType::kRel32;
  return type == kGotPcRel32Lo ? RelocationType::kRel32Lo : RelocationType::kRel32Hi;
}

// Does its value stay the same wherever the image is loaded?
bool IsPcRelative(RelocationType type) {
  switch (type) {
    case RelocationType::kRel32:
    case RelocationType::kRel64:
    case RelocationType::kRel32Lo:
    case RelocationType::kRel32Hi:
    case RelocationType::kRel16: return true;
    case RelocationType::kAbs32Lo:
    case RelocationType::kAbs32Hi:
    case RelocationType::kAbs64:
    case RelocationType::kAbs32:
    case RelocationType::kRelative64: return false;
  }
  return false;
}

class Linker {
 public:
  Linker(const ElfFile& elf, LoadBudget& budget) : elf_(elf), budget_(budget) {}

  Result<LinkedObject> Run() {
    for (auto step :
         {&Linker::ReadSymbols, &Linker::GiveSlots, &Linker::GiveAddresses, &Linker::MoveSymbols,
          &Linker::CopySections, &Linker::FillSlots, &Linker::Relocate}) {
      if (auto result = (this->*step)(); !result) return result.error();
    }
    object_.image = std::move(image_);
    return std::move(object_);
  }

 private:
  // A relocation of a loaded section.
  struct Raw {
    const Elf64_Shdr* section;  // that it changes
    uint64_t place;             // in the section
    uint32_t type;
    uint32_t symbol;
    int64_t addend;
  };

  Result<void> ReadSymbols();
  Result<void> GiveSlots();
  Result<void> GiveAddresses();
  Result<void> MoveSymbols();
  Result<void> CopySections();
  Result<void> FillSlots();
  Result<void> Relocate();

  template <typename Visit>
  Result<void> ForEachRelocation(Visit visit);
  Result<uint64_t> Place(uint64_t size, uint64_t align, uint64_t at, std::string_view what) const;
  Result<Relocation> To(uint32_t symbol) const {
    return RelocationTo(symbol == 0 ? nullptr : &object_.symbols[symbol]);
  }
  uint64_t AddressOf(const Elf64_Shdr& section) const {
    return addresses_[static_cast<size_t>(&section - elf_.sections().data())];
  }
  uint64_t SlotAddress(uint32_t slot) const { return got_ + slot * kSlotBytes; }
  Result<void> Apply(const Relocation& relocation, Bytes field);
  std::byte* ImageAt(uint64_t address) { return image_->data() + (address - kImageBegin); }

  const ElfFile& elf_;
  LoadBudget& budget_;
  size_t symbol_table_ = 0;          // its section
  std::vector<uint64_t> addresses_;  // of each section; 0: not loaded
  std::vector<uint32_t> slots_;      // of each symbol in the global offset table
  std::vector<uint32_t> slot_symbols_;
  std::vector<uint64_t> common_;  // addresses of symbols that only have a size
  uint64_t got_ = 0;              // address of the table
  std::shared_ptr<std::vector<std::byte>> image_;
  LinkedObject object_;
};

Result<void> Linker::ReadSymbols() {
  auto symbols = elf_.StaticSymbols(budget_);
  if (!symbols) return symbols.error();
  object_.symbols = std::move(*symbols);
  const auto& sections = elf_.sections();
  const auto table = std::ranges::find(sections, uint32_t{SHT_SYMTAB}, &Elf64_Shdr::sh_type);
  symbol_table_ = static_cast<size_t>(table - sections.begin());
  return {};
}

template <typename Visit>
Result<void> Linker::ForEachRelocation(Visit visit) {
  const auto& sections = elf_.sections();
  for (const Elf64_Shdr& table : sections) {
    if (table.sh_type != SHT_RELA && table.sh_type != SHT_REL) continue;
    if (table.sh_info >= sections.size() || !IsLoaded(sections[table.sh_info])) continue;
    if (table.sh_type == SHT_REL || table.sh_link != symbol_table_) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("the relocations at offset {:#x} are of type SHT_REL or of another "
                               "symbol table, as no AMDGPU compiler writes them",
                               table.sh_offset)};
    }
    const Bytes bytes = elf_.BytesOf(table);
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= bytes.size(); at += sizeof(Elf64_Rela)) {
      // Tables may share bytes.
      if (!budget_.Look(sizeof(Elf64_Rela))) return budget_.error();
      const Elf64_Rela rela = *Read<Elf64_Rela>(bytes, at);
      const Raw raw = {&sections[table.sh_info], rela.r_offset,
                       static_cast<uint32_t>(ELF64_R_TYPE(rela.r_info)),
                       static_cast<uint32_t>(ELF64_R_SYM(rela.r_info)), rela.r_addend};
      if (raw.type == 0) continue;  // R_AMDGPU_NONE
      if (raw.symbol >= object_.symbols.size()) {
        return InvalidCodeObject(
            fmt::format("the relocation at offset {:#x} names symbol {}; the table has "
                        "{}",
                        table.sh_offset + at, raw.symbol, object_.symbols.size()));
      }
      if (auto result = visit(raw); !result) return result;
    }
  }
  return {};
}

Result<void> Linker::GiveSlots() {
  if (!budget_.Keep(object_.symbols.size() * sizeof(uint32_t))) return budget_.error();
  slots_.assign(object_.symbols.size(), kNoSlot);
  size_t count = 0;
  const auto give = [&](const Raw& raw) -> Result<void> {
    ++count;
    if (!IsGot(raw.type) || slots_[raw.symbol] != kNoSlot) return {};
    // The vector grows by copying.
    if (!budget_.Keep(2 * sizeof(uint32_t))) return budget_.error();
    slots_[raw.symbol] = static_cast<uint32_t>(slot_symbols_.size());
    slot_symbols_.push_back(raw.symbol);
    return {};
  };
  if (auto result = ForEachRelocation(give); !result) return result;
  count += slot_symbols_.size();
  if (!budget_.Keep(count * sizeof(Relocation))) return budget_.error();
  object_.relocations.reserve(count);
  return {};
}

// The address for `size` bytes from `at` on.
Result<uint64_t> Linker::Place(uint64_t size, uint64_t align, uint64_t at,
                               std::string_view what) const {
  align = std::max<uint64_t>(align, 1);
  if (!std::has_single_bit(align) || align > kMostAlign || size > kMaxImageBytes ||
      AlignUp(at, align) + size > kMaxImageBytes) {
    return InvalidCodeObject(
        fmt::format("{} has {:#x} bytes and an alignment of {:#x}; an image may have at "
                    "most {:#x} bytes, aligned to {:#x}",
                    what, size, align, kMaxImageBytes, kMostAlign));
  }
  return AlignUp(at, align);
}

Result<void> Linker::GiveAddresses() {
  const auto& sections = elf_.sections();
  if (!budget_.Keep(sections.size() * sizeof(uint64_t))) return budget_.error();
  addresses_.assign(sections.size(), 0);
  uint64_t at = kImageBegin;
  std::array<uint64_t, kGroupCount> begins = {};
  std::array<uint64_t, kGroupCount> ends = {};
  for (size_t group = kReadOnly; group < kGroupCount; ++group) {
    if (group != kZeros) at = AlignUp(at, kPageBytes);
    begins[group] = at;
    if (group == kData) {
      got_ = at;
      at += slot_symbols_.size() * kSlotBytes;
    }
    for (size_t n = 0; n < sections.size(); ++n) {
      const Elf64_Shdr& section = sections[n];
      if (!IsLoaded(section) || GroupOf(section) != group) continue;
      const auto address =
          Place(section.sh_size, section.sh_addralign, at, fmt::format("section {}", n));
      if (!address) return address.error();
      addresses_[n] = *address;
      at = *address + section.sh_size;
    }
    ends[group] = at;
  }
  for (const ElfSymbol& symbol : object_.symbols) {
    if (symbol.raw.st_shndx != SHN_COMMON) continue;
    const auto address = Place(symbol.raw.st_size, symbol.raw.st_value, at,
                               fmt::format("the variable '{}'", symbol.name));
    if (!address) return address.error();
    if (!budget_.Keep(2 * sizeof(uint64_t))) return budget_.error();
    common_.push_back(*address);
    at = *address + symbol.raw.st_size;
  }
  ends[kZeros] = at;

  // Sections may share bytes, or be far apart. Guest memory will have as many.
  const uint64_t bytes = ends[kData] - kImageBegin;
  if (!budget_.Keep(bytes) || !budget_.Lend(bytes)) return budget_.error();
  image_ = std::make_shared<std::vector<std::byte>>(bytes);
  const Bytes image = *image_;
  for (const size_t group : {kReadOnly, kCode, kData}) {
    Segment segment;
    segment.address = begins[group];
    segment.bytes = image.subspan(begins[group] - kImageBegin, ends[group] - begins[group]);
    segment.memory_bytes = ends[group == kData ? kZeros : group] - begins[group];
    segment.writable = group == kData;
    segment.executable = group == kCode;
    if (segment.memory_bytes != 0) object_.segments.push_back(segment);
  }
  if (object_.segments.empty())
    return InvalidCodeObject("a relocatable object without any code or data");
  return {};
}

Result<void> Linker::MoveSymbols() {
  const auto& sections = elf_.sections();
  auto common = common_.begin();
  for (ElfSymbol& symbol : object_.symbols) {
    Elf64_Sym& raw = symbol.raw;
    if (raw.st_shndx == SHN_XINDEX) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("the symbol '{}' is in a section beyond the 65,279th: link the "
                               "object with ld.lld -shared",
                               symbol.name)};
    }
    if (raw.st_shndx == SHN_COMMON) {
      raw.st_value = *common++;
      raw.st_shndx = 1;  // a place in the image
    } else if (raw.st_shndx != SHN_UNDEF && raw.st_shndx < SHN_LORESERVE) {
      if (raw.st_shndx >= sections.size()) {
        return InvalidCodeObject(fmt::format("the symbol '{}' is in section {}; there are {}",
                                             symbol.name, raw.st_shndx, sections.size()));
      }
      const uint64_t address = addresses_[raw.st_shndx];
      // One of a section that is not loaded, such as debugging information, has no place.
      if (address == 0) raw.st_shndx = SHN_UNDEF;
      raw.st_value += address;
    }
  }
  return {};
}

Result<void> Linker::CopySections() {
  for (const Elf64_Shdr& section : elf_.sections()) {
    if (!IsLoaded(section)) continue;
    const Bytes bytes = elf_.BytesOf(section);
    if (!bytes.empty()) std::memcpy(ImageAt(AddressOf(section)), bytes.data(), bytes.size());
  }
  return {};
}

// Writes the value, or leaves that to the loader.
Result<void> Linker::Apply(const Relocation& relocation, Bytes field) {
  const bool is_known = !relocation.symbol_is_undefined && !relocation.symbol_is_absolute;
  if (!is_known || !IsPcRelative(relocation.type)) {
    object_.relocations.push_back(relocation);
    return {};
  }
  const auto value = RelocatedValue(relocation.type, relocation.symbol_value,
                                    static_cast<uint64_t>(relocation.addend), relocation.address);
  if (!value) {
    return InvalidCodeObject(
        fmt::format("the relocation of type {} at address {:#x} ({}) does not fit into "
                    "its {} bytes",
                    static_cast<uint32_t>(relocation.type), relocation.address, relocation.symbol,
                    field.size()));
  }
  std::memcpy(ImageAt(relocation.address), &*value, field.size());
  return {};
}

Result<void> Linker::FillSlots() {
  for (uint32_t slot = 0; slot < slot_symbols_.size(); ++slot) {
    auto relocation = To(slot_symbols_[slot]);
    if (!relocation) return relocation.error();
    relocation->address = SlotAddress(slot);
    relocation->type = RelocationType::kAbs64;
    if (auto result = Apply(*relocation, {}); !result) return result;
  }
  return {};
}

Result<void> Linker::Relocate() {
  return ForEachRelocation([&](const Raw& raw) -> Result<void> {
    auto relocation = To(raw.symbol);
    if (!relocation) return relocation.error();
    relocation->type = static_cast<RelocationType>(raw.type);
    if (IsGot(raw.type)) {
      relocation = Relocation();
      relocation->type = WithoutGot(raw.type);
      relocation->symbol_value = SlotAddress(slots_[raw.symbol]);
    }
    relocation->address = AddressOf(*raw.section) + raw.place;
    relocation->addend = raw.addend;
    const uint32_t bytes = FieldBytes(relocation->type);
    if (bytes == 0 || relocation->type == RelocationType::kRelative64) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("the relocation at {:#x} of section {} has type {}, which a "
                               "relocatable object does not have",
                               raw.place, raw.section - elf_.sections().data(), raw.type)};
    }
    const auto field = Slice(elf_.BytesOf(*raw.section), raw.place, bytes);
    if (!field) {
      return InvalidCodeObject(
          fmt::format("a relocation writes {} bytes at {:#x} of section {}, which has "
                      "{:#x} in the file",
                      bytes, raw.place, raw.section - elf_.sections().data(),
                      elf_.BytesOf(*raw.section).size()));
    }
    return Apply(*relocation, *field);
  });
}

}  // namespace

Result<LinkedObject> LinkRelocatable(const ElfFile& elf, LoadBudget& budget) {
  return Linker(elf, budget).Run();
}

}  // namespace gcnjit::frontend
