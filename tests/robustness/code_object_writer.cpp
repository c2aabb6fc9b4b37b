#include "robustness/code_object_writer.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>

namespace gcnjit::robustness {
namespace {

struct Processor {
  std::string_view name;
  uint32_t mach;    // EF_AMDGPU_MACH
  uint32_t isa[3];  // of the note of v2
};
constexpr Processor kProcessors[] = {
    {"gfx600", 0x20, {6, 0, 0}}, {"gfx700", 0x22, {7, 0, 0}}, {"gfx803", 0x2a, {8, 0, 3}},
    {"gfx900", 0x2c, {9, 0, 0}}, {"gfx906", 0x2f, {9, 0, 6}}, {"gfx908", 0x30, {9, 0, 8}},
};

const Processor& ProcessorOf(std::string_view target) {
  for (const Processor& processor : kProcessors) {
    if (processor.name == target) return processor;
  }
  throw std::invalid_argument("no such target: " + std::string(target));
}

void Align(FileBytes& file, uint64_t alignment) {
  file.resize((file.size() + alignment - 1) / alignment * alignment);
}

// Gives where the table begins.
template <typename T>
uint64_t AppendTable(FileBytes& file, const std::vector<T>& table) {
  Align(file, 8);
  const uint64_t at = file.size();
  Append(file, {reinterpret_cast<const char*>(table.data()), table.size() * sizeof(T)});
  return at;
}

template <typename T>
void Put(FileBytes& file, uint64_t at, const T& value) {
  std::memcpy(&file[at], &value, sizeof value);
}

}  // namespace

void Append(FileBytes& file, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  file.insert(file.end(), bytes.begin(), bytes.end());
}

uint32_t MachineOf(std::string_view target) { return ProcessorOf(target).mach; }

std::string NoteRecord(std::string_view owner, uint32_t type, std::string_view description) {
  const Elf64_Nhdr head = {static_cast<uint32_t>(owner.size() + 1),
                           static_cast<uint32_t>(description.size()), type};
  std::string note(reinterpret_cast<const char*>(&head), sizeof head);
  note.append(owner);
  note.resize(note.size() + 4 - note.size() % 4);
  note.append(description);
  note.resize((note.size() + 3) / 4 * 4);
  return note;
}

// AMDGPUUsage, "Code Object V2 Note Records": code object 2.1, and the ISA with its names.
std::string VersionNotes(std::string_view target, int version) {
  if (version != 2) return {};
  std::string words;
  for (const uint32_t word : {2u, 1u}) words.append(reinterpret_cast<const char*>(&word), 4);
  std::string isa = {4, 0, 7, 0};
  isa.append(reinterpret_cast<const char*>(ProcessorOf(target).isa), 12);
  isa.append("AMD\0AMDGPU\0", 11);
  return NoteRecord("AMD", 1, words) + NoteRecord("AMD", 3, isa);
}

std::string MetadataNote(int version, std::string_view document) {
  return version == 2 ? NoteRecord("AMD", 10, document) : NoteRecord("AMDGPU", 32, document);
}

FileBytes DescriptorBytes(int version, int64_t code) {
  FileBytes bytes(version == 2 ? 0x100 : 0x40);
  Put(bytes, 16, code);
  if (version == 2) {
    Put(bytes, 0, uint32_t{1});  // version of amd_kernel_code_t
    bytes[100] = std::byte{4};   // log2 of the alignment of arguments
  }
  return bytes;
}

Elf64_Ehdr FileHeader(std::string_view target, int version, uint16_t type) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_ident[EI_OSABI] = 64;  // ELFOSABI_AMDGPU_HSA
  header.e_ident[EI_ABIVERSION] = static_cast<uint8_t>(version - 2);
  header.e_type = type;
  header.e_machine = 224;  // EM_AMDGPU
  header.e_version = EV_CURRENT;
  header.e_flags = MachineOf(target);
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  return header;
}

CodeObjectWriter::CodeObjectWriter(std::string_view target, int version, uint64_t head)
    : target_(target), version_(version), head_(head), notes_(VersionNotes(target, version)) {}

uint32_t CodeObjectWriter::AddName(std::string_view name) {
  const auto offset = static_cast<uint32_t>(strings_.size());
  strings_.append(name);
  strings_.push_back('\0');
  return offset;
}

uint32_t CodeObjectWriter::AddSymbol(uint32_t name, unsigned type, uint64_t value,
                                     uint16_t section) {
  Elf64_Sym symbol = {};
  symbol.st_name = name;
  symbol.st_info = static_cast<uint8_t>(STB_GLOBAL << 4 | type);
  symbol.st_shndx = section;
  symbol.st_value = value;
  dynamic_symbols_.push_back(symbol);
  return static_cast<uint32_t>(dynamic_symbols_.size() - 1);
}

void CodeObjectWriter::AddStaticSymbol(uint32_t name, unsigned type, uint64_t value) {
  if (static_symbols_.empty()) static_symbols_.emplace_back();
  AddSymbol(name, type, value);
  static_symbols_.push_back(dynamic_symbols_.back());
  dynamic_symbols_.pop_back();
}

void CodeObjectWriter::AddKernelSymbol(std::string_view kernel) {
  if (version_ == 2) {
    AddSymbol(AddName(kernel), kV2Kernel, descriptor());
  } else {
    AddSymbol(AddName(std::string(kernel) + ".kd"), STT_OBJECT, descriptor());
  }
}

void CodeObjectWriter::AddRelocation(uint64_t address, uint32_t type, uint32_t symbol,
                                     int64_t addend) {
  relocations_.push_back({address, ELF64_R_INFO(uint64_t{symbol}, type), addend});
}

void CodeObjectWriter::AddSegment(uint64_t address, uint64_t file_bytes, uint64_t memory_bytes) {
  Elf64_Phdr segment = {};
  segment.p_type = PT_LOAD;
  segment.p_flags = PF_R | PF_W;
  segment.p_vaddr = address;
  segment.p_filesz = file_bytes;
  segment.p_memsz = memory_bytes;
  more_segments_.push_back(segment);
}

void CodeObjectWriter::SetDescriptorWord(size_t index, uint32_t value) {
  descriptor_words_.emplace_back(index, value);
}

// The code follows after 256 bytes.
FileBytes CodeObjectWriter::Descriptor() const {
  FileBytes bytes = DescriptorBytes(version_, 0x100);
  bytes.resize(0x100);
  for (const auto& [index, value] : descriptor_words_) Put(bytes, index * 4, value);
  return bytes;
}

FileBytes CodeObjectWriter::Build() const {
  FileBytes file(head_);
  const FileBytes descriptor = Descriptor();
  file.insert(file.end(), descriptor.begin(), descriptor.end());
  AppendValue(file, uint32_t{0xBF810000});  // s_endpgm
  file.resize(data() + data_bytes);

  const uint64_t notes = file.size();
  Append(file, notes_);
  const uint64_t symbols = AppendTable(file, dynamic_symbols_);
  const auto count = static_cast<uint32_t>(dynamic_symbols_.size());
  // One bucket, whose chain goes through all symbols.
  std::vector<uint32_t> hash = {1, hash_count != 0 ? hash_count : count, count > 1 ? 1u : 0u, 0};
  for (uint32_t n = 1; n < count; ++n) hash.push_back(n + 1 < count ? n + 1 : 0);
  const uint64_t hashes = AppendTable(file, hash);
  const uint64_t relocations = AppendTable(file, relocations_);
  std::vector<Elf64_Dyn> dynamic = {
      {DT_SYMTAB, {symbols}}, {DT_HASH, {hashes}}, {DT_STRSZ, {strings_.size()}}};
  if (!relocations_.empty()) {
    dynamic.push_back({DT_RELA, {relocations}});
    dynamic.push_back({DT_RELASZ, {relocations_.size() * sizeof(Elf64_Rela)}});
  }
  dynamic.push_back({DT_STRTAB, {file.size()}});
  const uint64_t strings = file.size();
  Append(file, strings_);
  dynamic.insert(dynamic.end(), dynamic_entries, {DT_DEBUG, {0}});
  dynamic.push_back({DT_NULL, {0}});
  const uint64_t dynamic_table = AppendTable(file, dynamic);
  const uint64_t image_end = file.size();

  std::vector<Elf64_Shdr> sections;
  if (!static_symbols_.empty() || section_headers != 0) {
    const uint64_t static_symbols = AppendTable(file, static_symbols_);
    sections.resize(3 + section_headers);
    sections[1].sh_type = SHT_SYMTAB;
    sections[1].sh_offset = static_symbols;
    sections[1].sh_size = static_symbols_.size() * sizeof(Elf64_Sym);
    sections[1].sh_link = 2;
    sections[2].sh_type = SHT_STRTAB;
    sections[2].sh_offset = strings;
    sections[2].sh_size = strings_.size();
    for (size_t n = 3; n < sections.size(); ++n) {
      sections[n] = sections[2];
      sections[n].sh_type = SHT_PROGBITS;
    }
  }
  const uint64_t section_table = AppendTable(file, sections);

  // Descriptors to read, code to execute, and the rest to write.
  std::vector<Elf64_Phdr> segments(3);
  const uint64_t bounds[] = {0, code(), data(), image_end};
  const uint32_t flags[] = {PF_R, PF_R | PF_X, PF_R | PF_W};
  for (size_t n = 0; n < segments.size(); ++n) {
    segments[n].p_type = PT_LOAD;
    segments[n].p_flags = flags[n];
    segments[n].p_offset = segments[n].p_vaddr = bounds[n];
    segments[n].p_filesz = segments[n].p_memsz = bounds[n + 1] - bounds[n];
  }
  Elf64_Phdr segment = {};
  segment.p_type = PT_DYNAMIC;
  segment.p_offset = segment.p_vaddr = dynamic_table;
  segment.p_filesz = segment.p_memsz = dynamic.size() * sizeof(Elf64_Dyn);
  segments.push_back(segment);
  segment.p_type = PT_NOTE;
  segment.p_offset = segment.p_vaddr = notes;
  segment.p_filesz = segment.p_memsz = notes_.size();
  segments.insert(segments.end(), note_headers, segment);
  if (!more_segments_.empty()) file.resize(file.size() + 4096);
  for (Elf64_Phdr more : more_segments_) {
    more.p_offset = file.size() - more.p_filesz;
    segments.push_back(more);
  }

  Elf64_Ehdr header = FileHeader(target_, version_, ET_DYN);
  header.e_ident[EI_OSABI] = os_abi;
  header.e_phoff = sizeof header;
  header.e_phnum = static_cast<uint16_t>(segments.size());
  header.e_shoff = section_table;
  header.e_shnum = static_cast<uint16_t>(sections.size());
  Put(file, 0, header);
  if (sizeof header + segments.size() * sizeof(Elf64_Phdr) > head_) {
    throw std::invalid_argument("too many program headers");
  }
  std::memcpy(&file[sizeof header], segments.data(), segments.size() * sizeof(Elf64_Phdr));
  return file;
}

}  // namespace gcnjit::robustness
