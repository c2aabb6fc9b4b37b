// Magic numbers: SPIR-V specification, "Physical Layout"; LLVM Bitcode File Format, "Magic Numbers"
// and "Bitcode Wrapper Format"; clang's OffloadBinary.h; CLRX's isAmdBinary and isAmdCL2Binary for
// the drivers' formats; the ELF machines of LLVM's BinaryFormat/ELF.h.
#include "frontend/code_object/foreign_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "frontend/code_object/plain_text.h"

namespace gcnjit::frontend {
namespace {

constexpr std::string_view kClang = "clang -target amdgcn-amd-amdhsa -mcpu=gfx906";

struct Magic {
  std::string_view bytes;
  ErrorCode code;
  const char* what;  // and what to do; {}: kClang
};

using namespace std::string_view_literals;

constexpr const char* kBitcode =
    "LLVM bitcode, not machine code: compile it for a GPU first, e.g. with {}";
constexpr const char* kSpirv =
    "a SPIR-V module, not machine code: translate it with llvm-spirv -r and compile the result "
    "with "
    "{}";

constexpr Magic kMagics[] = {
    {"BC\xC0\xDE"sv, ErrorCode::kUnsupported, kBitcode},
    {"\xDE\xC0\x17\x0B"sv, ErrorCode::kUnsupported, kBitcode},  // in a wrapper
    {"\x03\x02\x23\x07"sv, ErrorCode::kUnsupported, kSpirv},
    {"\x07\x23\x02\x03"sv, ErrorCode::kUnsupported, kSpirv},  // big-endian
    {"\x10\xFF\x10\xAD"sv, ErrorCode::kUnsupported,
     "an LLVM offload binary: take the code object out with clang-offload-packager "
     "--image=file=OUT,triple=amdgcn-amd-amdhsa,arch=gfx906"},
    {"!<arch>\n"sv, ErrorCode::kUnsupported,
     "a static library: take its objects out with ar x, or link it into a program"},
    {"\x50\xED\x55\xBA"sv, ErrorCode::kUnsupportedTarget,
     "a CUDA fat binary, for NVIDIA's GPUs: compile the source with hipcc for one of AMD's"},
    {"MZ"sv, ErrorCode::kUnsupported,
     "a Windows program or library: gcnjit reads ELF files, such as hipcc makes on Linux"},
};

// Text, as far as the first bytes tell.
bool IsText(Bytes file) {
  constexpr size_t kEnough = 512;
  std::string begin(AsText(file.subspan(0, std::min(file.size(), kEnough))));
  std::ranges::replace_if(
      begin, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  // The last character may be cut.
  while (!begin.empty() && static_cast<unsigned char>(begin.back()) >= 0x80) begin.pop_back();
  return !begin.empty() && IsPlainText(begin);
}

constexpr unsigned kOsAbiCal = 0x64;  // AMD's Compute Abstraction Layer
constexpr unsigned kMachineCl2Of32 = 0xAF5A;
constexpr unsigned kMachineCl2Of64 = 0xAF5B;
constexpr unsigned kFirstCl1Machine = 0x3F1;  // a number for each device
constexpr unsigned kLastCl1Machine = 0x4FF;

Error Refuse(std::string what) { return {ErrorCode::kUnsupportedTarget, std::move(what)}; }

}  // namespace

std::optional<Error> WhatElfIs(Bytes file) {
  // Up to e_machine the header is the same in 32 and 64 bits.
  const auto machine = Read<uint16_t>(file, offsetof(Elf64_Ehdr, e_machine));
  if (!machine) return std::nullopt;
  const auto ident = [&](size_t n) { return std::to_integer<unsigned>(file[n]); };
  if (ident(EI_DATA) != ELFDATA2LSB) return std::nullopt;
  if (*machine == kMachineCl2Of32 || *machine == kMachineCl2Of64) {
    return Refuse(
        fmt::format("an OpenCL 2.0 program binary of AMD's Catalyst driver (ELF machine {:#x}): "
                    "compile the OpenCL source with clang -target amdgcn-amd-amdhsa",
                    *machine));
  }
  if (ident(EI_OSABI) == kOsAbiCal ||
      (*machine >= kFirstCl1Machine && *machine <= kLastCl1Machine)) {
    return Refuse(
        fmt::format("an OpenCL 1.2 program binary of AMD's Catalyst driver (ELF machine {:#x}): "
                    "compile the OpenCL source with clang -target amdgcn-amd-amdhsa",
                    *machine));
  }
  if (*machine == EM_CUDA) {
    return Refuse(
        "machine code for NVIDIA's GPUs (a cubin): compile the source with hipcc for one of AMD's");
  }
  if (ident(EI_CLASS) == ELFCLASS64) return std::nullopt;
  if (*machine == EM_AMDGPU) {
    return Refuse(
        "machine code for R600 to Northern Islands GPUs (a 32-bit AMDGPU ELF file): gcnjit runs "
        "GCN, so compile the source with clang -target amdgcn-amd-amdhsa -mcpu=gfx600 or later");
  }
  return Refuse(
      fmt::format("a 32-bit ELF file for machine {} (e_machine at offset 18): GPU code is "
                  "looked for in 64-bit ones",
                  *machine));
}

Error WhatFileIs(Bytes file) {
  if (file.empty()) return {ErrorCode::kInvalidCodeObject, "an empty file (0 bytes)"};
  for (const Magic& magic : kMagics) {
    if (!AsText(file).starts_with(magic.bytes)) continue;
    return {magic.code, fmt::format(fmt::runtime(magic.what), kClang)};
  }
  if (IsText(file)) {
    return {ErrorCode::kInvalidCodeObject,
            fmt::format(
                "text, not machine code: if it is source, assembler or LLVM IR, compile it for a "
                "GPU first, e.g. with {}",
                kClang)};
  }
  return {ErrorCode::kInvalidCodeObject,
          fmt::format("neither an ELF file nor a clang offload bundle ({} bytes, no known magic at "
                      "offset 0)",
                      file.size())};
}

}  // namespace gcnjit::frontend
