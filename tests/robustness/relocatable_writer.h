// Writes relocatable AMDGPU objects byte by byte: sections, symbols and relocations, well formed
// unless the test says otherwise. AMDGPUUsage, "ELF Code Object"; the ELF specification.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "robustness/code_object_writer.h"

namespace gcnjit::robustness {

class RelocatableWriter {
 public:
  // With a kernel k without arguments. Its code is one s_endpgm.
  RelocatableWriter(std::string_view target, int version);

  static constexpr uint32_t kText = 1;    // the section with the kernel's code
  static constexpr uint32_t kRodata = 2;  // with its descriptor, from v3 on
  static constexpr uint32_t kSymbols = 4;

  // Gives its index. What the header says of its place is true, unless it has no bytes.
  uint32_t AddSection(uint32_t type, uint64_t flags, FileBytes bytes, uint64_t align = 1);
  // Another section with the bytes, and all that the header says, of an earlier one.
  void ShowAgain(uint32_t index);
  Elf64_Shdr& Section(uint32_t index) { return sections_[index].header; }
  uint32_t AddName(std::string_view name);
  uint32_t AddSymbol(uint32_t name, unsigned type, uint64_t value, uint16_t section,
                     uint64_t size = 0);
  // A table of relocations for the section.
  uint32_t AddRelocations(uint32_t section, const std::vector<Elf64_Rela>& relocations);

  FileBytes Build() const;

 private:
  struct OneSection {
    Elf64_Shdr header;
    FileBytes bytes;
    uint32_t shows = 0;  // whose bytes it has; 0: its own
  };

  const std::string target_;
  const int version_;
  std::vector<OneSection> sections_;
  std::string strings_ = std::string(1, '\0');
  std::vector<Elf64_Sym> symbols_ = std::vector<Elf64_Sym>(1);
};

}  // namespace gcnjit::robustness
