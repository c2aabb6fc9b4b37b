// R22: objects of Mesa's drivers and of the graphics driver (PAL), and files that are no code.
#include <fmt/format.h>

#include <cstring>
#include <random>
#include <string>

#include "robustness/hostile_file.h"

namespace gcnjit::robustness {
namespace platform_kinds {
namespace {

constexpr uint8_t kPal = 65;
constexpr uint8_t kMesa3d = 66;

// Kernels are as in v2: their symbols' type says that they are.
CodeObjectWriter MesaObject(const HostileShape& shape) {
  CodeObjectWriter object(shape.target, 2);
  object.os_abi = kMesa3d;
  object.AddKernelSymbol("k");
  return object;
}

HostileFile MesaSymbols(const HostileShape& shape) {
  CodeObjectWriter object = MesaObject(shape);
  for (size_t n = 0; n < shape.bytes / 80; ++n) {
    const uint32_t name = object.AddName(fmt::format("_Z20variable_or_functionILi{}E", n));
    object.AddSymbol(name, STT_FUNC, object.code());
  }
  return {object.Build(), Ends::kLoaded, 1};
}

HostileFile MesaKernels(const HostileShape& shape) {
  CodeObjectWriter object = MesaObject(shape);
  for (size_t n = 0; n < shape.bytes / 35; ++n) object.AddKernelSymbol(fmt::format("k{}", n));
  return {object.Build(), Ends::kEither};
}

// The symbols of all are one name.
HostileFile MesaKernelsOfOneLongName(const HostileShape& shape) {
  CodeObjectWriter object = MesaObject(shape);
  const uint32_t name = object.AddName(std::string(shape.bytes / 2, 'n'));
  for (size_t n = 0; n < shape.bytes / 64; ++n) {
    object.AddSymbol(name + static_cast<uint32_t>(n), kV2Kernel, object.descriptor());
  }
  return {object.Build(), shape.bytes < 1 << 17 ? Ends::kEither : Ends::kRefused};
}

HostileFile PalSymbols(const HostileShape& shape) {
  CodeObjectWriter object(shape.target, 2);
  object.os_abi = kPal;
  for (size_t n = 0; n < shape.bytes / 60; ++n) {
    const uint32_t name = object.AddName(fmt::format("_amdgpu_cs_main_{}", n));
    object.AddSymbol(name, STT_FUNC, object.code());
  }
  return {object.Build(), Ends::kShown};
}

// What PAL's metadata says is not read.
HostileFile PalNotes(const HostileShape& shape) {
  CodeObjectWriter object(shape.target, 2);
  object.os_abi = kPal;
  object.AddKernelSymbol("k");
  for (size_t n = 0; n < shape.bytes / 40; ++n)
    object.AddNote("AMDGPU", 32, "\xDD\xFF\xFF\xFF\xFF");
  return {object.Build(), Ends::kShown};
}

HostileFile WithMagic(const HostileShape& shape, std::string_view magic) {
  std::mt19937 random(static_cast<uint32_t>(shape.bytes));
  FileBytes file;
  Append(file, magic);
  while (file.size() < shape.bytes) file.push_back(static_cast<std::byte>(random()));
  return {std::move(file), Ends::kRefused};
}

HostileFile Bitcode(const HostileShape& shape) { return WithMagic(shape, "BC\xC0\xDE"); }
HostileFile SpirV(const HostileShape& shape) { return WithMagic(shape, "\x03\x02\x23\x07"); }
HostileFile Elf32(const HostileShape& shape) {
  return WithMagic(shape,
                   "\x7F"
                   "ELF\1\1\1");
}
HostileFile Text(const HostileShape& shape) {
  HostileFile file = {{}, Ends::kRefused};
  while (file.bytes.size() < shape.bytes) Append(file.bytes, "s_endpgm // text\n");
  return file;
}

constexpr HostileKind kKinds[] = {
    {"mesa-symbols", 2, 2, MesaSymbols},
    {"mesa-kernels", 2, 2, MesaKernels},
    {"mesa-kernels-of-one-long-name", 2, 2, MesaKernelsOfOneLongName},
    {"pal-symbols", 2, 2, PalSymbols},
    {"pal-notes", 2, 2, PalNotes},
    {"foreign-bitcode", 2, 2, Bitcode},
    {"foreign-spir-v", 2, 2, SpirV},
    {"foreign-elf32", 2, 2, Elf32},
    {"foreign-text", 2, 2, Text},
};

}  // namespace
}  // namespace platform_kinds

std::span<const HostileKind> PlatformKinds() { return platform_kinds::kKinds; }

}  // namespace gcnjit::robustness
