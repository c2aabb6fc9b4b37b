#include "frontend/code_object/foreign_file.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/code_object/bundle.h"

namespace gcnjit::frontend {
namespace {

std::vector<std::byte> FileOf(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// The header of an ELF file and nothing else; up to e_machine it is one for both classes.
std::vector<std::byte> ElfHeader(unsigned char elf_class, uint16_t machine, unsigned char os_abi) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = elf_class;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_OSABI] = os_abi;
  header.e_type = ET_EXEC;
  header.e_machine = machine;
  return FileOf({reinterpret_cast<const char*>(&header), sizeof header});
}

void ExpectMessage(const std::vector<std::byte>& file, const char* what, const char* to_do) {
  const auto entries = SelectCodeObjects(file, "");
  ASSERT_FALSE(entries.ok()) << what;
  const std::string& message = entries.error().message;
  EXPECT_NE(message.find(what), std::string::npos) << message;
  EXPECT_NE(message.find(to_do), std::string::npos) << message;
}

using namespace std::string_view_literals;

TEST(ForeignFileTest, SaysWhatTheFileIsAndWhatToDo) {
  ExpectMessage({}, "0 bytes", "empty");
  ExpectMessage(FileOf("BC\xC0\xDE"sv), "bitcode", "compile");
  ExpectMessage(FileOf("\xDE\xC0\x17\x0B\0\0\0\0"sv), "bitcode", "compile");
  ExpectMessage(FileOf("\x03\x02\x23\x07\0\0\1\0"sv), "SPIR-V", "llvm-spirv");
  ExpectMessage(FileOf("\x07\x23\x02\x03\0\1\0\0"sv), "SPIR-V", "llvm-spirv");
  ExpectMessage(FileOf("\x10\xFF\x10\xAD\1\0\0\0"sv), "offload binary", "clang-offload-packager");
  ExpectMessage(FileOf("!<arch>\nx"sv), "static library", "ar x");
  ExpectMessage(FileOf("MZ\x90\0"sv), "Windows", "Linux");
  ExpectMessage(FileOf("\x50\xED\x55\xBA\1\0"sv), "CUDA", "hipcc");
  ExpectMessage(FileOf(".amdgcn_target \"x\"\n"sv), "text", "-target amdgcn-amd-amdhsa");
  ExpectMessage(FileOf("; \xC3\xA9\r\n\tdefine"sv), "text", "LLVM IR");
  ExpectMessage(FileOf("\0\1\2\3"sv), "4 bytes", "no known magic");
}

// Numbers of the drivers' files: CLRX, isAmdBinary and isAmdCL2Binary.
TEST(ForeignFileTest, ElfFilesForOtherMachines) {
  ExpectMessage(ElfHeader(ELFCLASS64, 0xAF5B, 0), "OpenCL 2.0", "clang -target");
  ExpectMessage(ElfHeader(ELFCLASS32, 0xAF5A, 0), "OpenCL 2.0", "clang -target");
  for (const uint16_t device : std::initializer_list<uint16_t>{0x3F1, 0x3FD, 0x40A, 0x4FF}) {
    ExpectMessage(ElfHeader(ELFCLASS32, device, 0), "OpenCL 1.2", "clang -target");
  }
  ExpectMessage(ElfHeader(ELFCLASS32, 0x7D, 0x64), "OpenCL 1.2", "clang -target");
  ExpectMessage(ElfHeader(ELFCLASS32, EM_AMDGPU, 0), "R600", "gfx600");
  ExpectMessage(ElfHeader(ELFCLASS64, EM_CUDA, 0), "NVIDIA", "hipcc");
  ExpectMessage(ElfHeader(ELFCLASS32, EM_ARM, 0), "32-bit ELF file for machine 40", "64-bit");
  ExpectMessage(ElfHeader(ELFCLASS64, EM_X86_64, 0), "machine 62", ".hip_fatbin");
}

// A file that is cut in its header is refused all the same.
TEST(ForeignFileTest, EveryTruncationOfAHeader) {
  const auto file = ElfHeader(ELFCLASS32, EM_AMDGPU, 0);
  for (size_t size = 0; size < file.size(); ++size) {
    const std::vector<std::byte> cut(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    const auto entries = SelectCodeObjects(cut, "");
    ASSERT_FALSE(entries.ok());
    EXPECT_FALSE(entries.error().message.empty());
  }
}

}  // namespace
}  // namespace gcnjit::frontend
