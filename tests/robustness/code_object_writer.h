// Writes AMDGPU code objects byte by byte: well formed unless the test says otherwise. In the files
// an address equals its offset. AMDGPUUsage, "ELF Code Object"; the ELF specification.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gcnjit::robustness {

using FileBytes = std::vector<std::byte>;

void Append(FileBytes& file, std::string_view text);
template <typename T>
void AppendValue(FileBytes& file, const T& value) {
  Append(file, {reinterpret_cast<const char*>(&value), sizeof value});
}

inline constexpr unsigned kV2Kernel = 10;  // STT_AMDGPU_HSA_KERNEL

// What every writer of AMDGPU files puts down. Targets are gfx600, gfx700, gfx803, gfx900 and
// gfx906.
uint32_t MachineOf(std::string_view target);  // EF_AMDGPU_MACH
std::string NoteRecord(std::string_view owner, uint32_t type, std::string_view description);
// The notes by which a file of v2 says what it is; empty for other versions.
std::string VersionNotes(std::string_view target, int version);
// Metadata in the format of the version: MessagePack, or YAML for v2.
std::string MetadataNote(int version, std::string_view document);
// 8 SGPRs and 4 VGPRs, nothing else: a kernel descriptor (64 bytes) or amd_kernel_code_t (256),
// with code so many bytes after it.
FileBytes DescriptorBytes(int version, int64_t code);
// For HSA; with `type` and without tables.
Elf64_Ehdr FileHeader(std::string_view target, int version, uint16_t type);

class CodeObjectWriter {
 public:
  // Room for headers, which the kernel's descriptor and code follow.
  static constexpr uint64_t kSmallHead = 0x200;
  static constexpr uint64_t kLargeHead = 0x4000;  // for 256 program headers

  // `target` is one of gfx600, gfx700, gfx803, gfx900 and gfx906; `version` is 2 to 6.
  CodeObjectWriter(std::string_view target, int version, uint64_t head = kSmallHead);

  int version() const { return version_; }
  uint64_t descriptor() const { return head_; }  // of all kernels, which are one s_endpgm
  uint64_t code() const { return head_ + 0x100; }
  uint64_t data() const { return head_ + 0x200; }
  uint64_t data_bytes = 0;

  // Puts a name into the string table; gives its offset there.
  uint32_t AddName(std::string_view name);
  // Gives its index.
  uint32_t AddSymbol(uint32_t name, unsigned type, uint64_t value, uint16_t section = 1);
  // To the table that the loader of a GPU does not read.
  void AddStaticSymbol(uint32_t name, unsigned type, uint64_t value);
  // The symbol by which metadata finds a kernel.
  void AddKernelSymbol(std::string_view kernel);

  void AddNote(std::string_view owner, uint32_t type, std::string_view description) {
    notes_ += NoteRecord(owner, type, description);
  }
  void AddMetadata(std::string_view document) { notes_ += MetadataNote(version_, document); }
  void AddRelocation(uint64_t address, uint32_t type, uint32_t symbol, int64_t addend);
  // Besides those of the image; its file bytes are the file's last ones.
  void AddSegment(uint64_t address, uint64_t file_bytes, uint64_t memory_bytes);
  void SetDescriptorWord(size_t index, uint32_t value);

  size_t note_headers = 1;     // program headers that show the notes
  size_t dynamic_entries = 0;  // besides those that are needed
  size_t section_headers = 0;  // likewise
  uint32_t hash_count = 0;     // symbols by DT_HASH; 0: the true number
  uint8_t os_abi = 64;         // ELFOSABI_AMDGPU_HSA

  FileBytes Build() const;

 private:
  FileBytes Descriptor() const;

  const std::string target_;
  const int version_;
  const uint64_t head_;
  std::string notes_;
  std::string strings_ = std::string(1, '\0');
  std::vector<Elf64_Sym> dynamic_symbols_ = std::vector<Elf64_Sym>(1);
  std::vector<Elf64_Sym> static_symbols_;
  std::vector<Elf64_Rela> relocations_;
  std::vector<Elf64_Phdr> more_segments_;
  std::vector<std::pair<size_t, uint32_t>> descriptor_words_;
};

}  // namespace gcnjit::robustness
