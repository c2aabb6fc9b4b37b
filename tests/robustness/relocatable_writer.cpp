#include "robustness/relocatable_writer.h"

#include <cstring>
#include <span>

#include "robustness/hostile_file.h"

namespace gcnjit::robustness {
namespace {

constexpr uint32_t kNotes = 3;
constexpr uint32_t kStrings = 5;
constexpr uint32_t kRel64 = 5;  // R_AMDGPU_REL64

}  // namespace

RelocatableWriter::RelocatableWriter(std::string_view target, int version)
    : target_(target), version_(version), sections_(1) {
  AddSection(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, {}, 256);
  FileBytes& code = sections_[kText].bytes;
  if (version == 2) code = DescriptorBytes(version, 0x100);
  AppendValue(code, uint32_t{0xBF810000});  // s_endpgm
  AddSection(SHT_PROGBITS, SHF_ALLOC, DescriptorBytes(3, 0), 64);
  FileBytes notes;
  Append(notes,
         VersionNotes(target, version) + MetadataNote(version, KernelMetadata(version, 0, 1, 0)));
  AddSection(SHT_NOTE, SHF_ALLOC, std::move(notes), 4);
  AddSection(SHT_SYMTAB, 0, {}, 8);  // both are made when the file is
  AddSection(SHT_STRTAB, 0, {}, 1);
  Section(kSymbols).sh_link = kStrings;
  if (version == 2) {
    AddSymbol(AddName("k"), kV2Kernel, 0, kText);
    return;
  }
  const uint32_t symbol = AddSymbol(AddName("k"), STT_FUNC, 0, kText, 4);
  AddSymbol(AddName("k.kd"), STT_OBJECT, 0, kRodata, 64);
  // The field is at 16, and counts from the descriptor's begin.
  AddRelocations(kRodata, {{16, ELF64_R_INFO(uint64_t{symbol}, kRel64), 16}});
}

uint32_t RelocatableWriter::AddSection(uint32_t type, uint64_t flags, FileBytes bytes,
                                       uint64_t align) {
  Elf64_Shdr header = {};
  header.sh_type = type;
  header.sh_flags = flags;
  header.sh_addralign = align;
  sections_.push_back({header, std::move(bytes), 0});
  return static_cast<uint32_t>(sections_.size() - 1);
}

void RelocatableWriter::ShowAgain(uint32_t index) {
  sections_.push_back({sections_[index].header, {}, index});
}

uint32_t RelocatableWriter::AddName(std::string_view name) {
  const auto offset = static_cast<uint32_t>(strings_.size());
  strings_.append(name);
  strings_.push_back('\0');
  return offset;
}

uint32_t RelocatableWriter::AddSymbol(uint32_t name, unsigned type, uint64_t value,
                                      uint16_t section, uint64_t size) {
  Elf64_Sym symbol = {};
  symbol.st_name = name;
  symbol.st_info = static_cast<uint8_t>(STB_GLOBAL << 4 | type);
  symbol.st_shndx = section;
  symbol.st_value = value;
  symbol.st_size = size;
  symbols_.push_back(symbol);
  return static_cast<uint32_t>(symbols_.size() - 1);
}

uint32_t RelocatableWriter::AddRelocations(uint32_t section,
                                           const std::vector<Elf64_Rela>& relocations) {
  const auto bytes = std::as_bytes(std::span(relocations));
  const uint32_t index = AddSection(SHT_RELA, 0, {bytes.begin(), bytes.end()}, 8);
  Section(index).sh_link = kSymbols;
  Section(index).sh_info = section;
  return index;
}

FileBytes RelocatableWriter::Build() const {
  FileBytes file(sizeof(Elf64_Ehdr));
  std::vector<Elf64_Shdr> headers;
  for (size_t n = 0; n < sections_.size(); ++n) {
    Elf64_Shdr header = sections_[n].header;
    std::span<const std::byte> bytes = sections_[n].bytes;
    if (n == kSymbols) bytes = std::as_bytes(std::span(symbols_));
    if (n == kStrings) bytes = std::as_bytes(std::span(strings_));
    if (!bytes.empty()) {
      file.resize((file.size() + 7) / 8 * 8);
      header.sh_offset = file.size();
      header.sh_size = bytes.size();
      file.insert(file.end(), bytes.begin(), bytes.end());
    }
    if (const uint32_t shown = sections_[n].shows; shown != 0) {
      header.sh_offset = headers[shown].sh_offset;
      header.sh_size = headers[shown].sh_size;
    }
    headers.push_back(header);
  }
  file.resize((file.size() + 7) / 8 * 8);
  Elf64_Ehdr header = FileHeader(target_, version_, ET_REL);
  header.e_shoff = file.size();
  header.e_shnum = static_cast<uint16_t>(headers.size());
  const auto table = std::as_bytes(std::span(headers));
  file.insert(file.end(), table.begin(), table.end());
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

}  // namespace gcnjit::robustness
