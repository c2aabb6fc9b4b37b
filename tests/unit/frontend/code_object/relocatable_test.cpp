// Objects that no linker has seen. LoaderTest (loader_test.cpp) asks of compilers' objects
// what it asks of linked ones; here is what compilers seldom write.
#include "frontend/code_object/relocatable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "gcnjit/device.h"
#include "gcnjit/launch.h"
#include "gcnjit/program.h"
#include "runtime/program/loaded_program.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit {
namespace {

using File = std::vector<std::byte>;

// The sum of data/relocations.s.
TEST(RelocatableTest, EveryKindOfRelocation) {
  auto device = *Device::Create();
  const auto program = Program::Load(device, ReadTestFile("relocations.o"));
  ASSERT_TRUE(program.ok()) << program.error().message;
  for (const Engine engine : {Engine::kInterpreter, Engine::kJit}) {
    const uint64_t out = *device.Allocate(256);
    LaunchConfig config;
    config.global = config.local = {64, 1, 1};
    config.engine = engine;
    config.compile_first = true;
    const auto result = Launch(device, *program, "k", config, Arguments().Buffer(out));
    ASSERT_TRUE(result.ok()) << result.error().message;
    ASSERT_EQ(result->status, LaunchStatus::kDone);
    uint32_t values[64];
    std::memcpy(values, device.Data(out, 256).data(), 256);
    for (uint32_t n = 0; n < 64; ++n) EXPECT_EQ(values[n], n + 21100);
  }
  const auto pointer = program->FindVariable("pointer");
  const auto value = program->FindVariable("value");
  ASSERT_TRUE(pointer.ok() && value.ok());
  uint64_t address = 0;
  std::memcpy(&address, reinterpret_cast<const void*>(pointer->address), sizeof address);
  EXPECT_EQ(address, value->address);
}

TEST(RelocatableTest, CodeIsSealedAndDataIsNot) {
  auto device = *Device::Create();
  const auto program = Program::Load(device, ReadTestFile("relocations.o"));
  ASSERT_TRUE(program.ok()) << program.error().message;
  const auto& loaded = *program->internal();
  const uint64_t entry = (*loaded.Find("k"))->entry_address;
  EXPECT_FALSE(loaded.memory()->Writable(entry, 4));
  EXPECT_TRUE(loaded.memory()->Writable(program->FindVariable("value")->address, 4));
  const auto& symbols = loaded.symbols();
  const auto table = std::ranges::find(symbols, "table", &frontend::Symbol::name);
  ASSERT_NE(table, symbols.end());
  EXPECT_TRUE(loaded.memory()->Readable(table->address, 8));
  EXPECT_FALSE(loaded.memory()->Writable(table->address, 8));
}

// The file with one of its relocations' types changed.
std::string MessageWithType(uint32_t from, uint32_t to) {
  File file = ReadTestFile("relocations.o");
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  auto* const sections = reinterpret_cast<Elf64_Shdr*>(file.data() + header.e_shoff);
  for (unsigned n = 0; n < header.e_shnum; ++n) {
    if (sections[n].sh_type != SHT_RELA) continue;
    auto* const relocations = reinterpret_cast<Elf64_Rela*>(file.data() + sections[n].sh_offset);
    for (size_t k = 0; k < sections[n].sh_size / sizeof(Elf64_Rela); ++k) {
      if (ELF64_R_TYPE(relocations[k].r_info) != from) continue;
      relocations[k].r_info = ELF64_R_INFO(ELF64_R_SYM(relocations[k].r_info), uint64_t{to});
      auto device = *Device::Create();
      const auto program = Program::Load(device, file);
      return program.ok() ? "loaded" : program.error().message;
    }
  }
  return "no such relocation";
}

TEST(RelocatableTest, WhatCannotBeRelocatedIsNamed) {
  EXPECT_EQ(MessageWithType(14, 14), "loaded");
  EXPECT_NE(MessageWithType(14, 15).find("type 15"), std::string::npos);
  EXPECT_NE(MessageWithType(10, 13).find("type 13"), std::string::npos)
      << "R_AMDGPU_RELATIVE64 is a linker's";
  EXPECT_EQ(MessageWithType(14, 0), "loaded") << "R_AMDGPU_NONE";
}

// A symbol of SHN_AMDGPU_LDS: AMDGPUUsage, "Symbols".
TEST(RelocatableTest, LdsVariablesAreNamed) {
  File file = ReadTestFile("relocations.o");
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  auto* const sections = reinterpret_cast<Elf64_Shdr*>(file.data() + header.e_shoff);
  for (unsigned n = 0; n < header.e_shnum; ++n) {
    if (sections[n].sh_type != SHT_SYMTAB) continue;
    auto* const symbols = reinterpret_cast<Elf64_Sym*>(file.data() + sections[n].sh_offset);
    for (size_t k = 0; k < sections[n].sh_size / sizeof(Elf64_Sym); ++k) {
      if (symbols[k].st_shndx == SHN_COMMON) symbols[k].st_shndx = 0xFF00;
    }
  }
  auto device = *Device::Create();
  const auto program = Program::Load(device, file);
  ASSERT_FALSE(program.ok());
  EXPECT_NE(program.error().message.find("LDS variable 'shared'"), std::string::npos)
      << program.error().message;
}

}  // namespace
}  // namespace gcnjit
