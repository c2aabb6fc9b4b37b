// What people have besides linked code objects with metadata: each is run, shown, or refused with a
// sentence that says what it is.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli_fixture.h"
#include "tests/offload_bundles.h"

namespace gcnjit::cli_test {
namespace {

using bundles::File;
using bundles::Put;

class ContainersTest : public CliTest {
 protected:
  std::string Write(const std::string& name, std::string_view bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
    return Path(name);
  }
  std::string Write(const std::string& name, const File& bytes) const {
    return Write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  static std::string Object(const std::string& name) {
    return std::string(GCNJIT_CLI_OBJECTS) + "/" + name;
  }
  static std::string UnitData(const std::string& name) {
    return std::string(GCNJIT_UNIT_DATA) + "/" + name;
  }

  Outcome Run(const std::string& file, const std::string& kernel,
              const std::vector<std::string>& more) const {
    std::vector<std::string> line = {"run", file, "--kernel", kernel, "--global", "64"};
    line.insert(line.end(), more.begin(), more.end());
    return Gcnjit(line);
  }
  std::string Out() const { return "out:256:" + Path("out.bin").string(); }

  void ExpectSquares(const Outcome& run, uint32_t more) const {
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const auto values = ReadValues<uint32_t>("out.bin");
    ASSERT_EQ(values.size(), 64u);
    for (uint32_t n = 0; n < 64; ++n) EXPECT_EQ(values[n], n * n + more);
  }
};

// --- Code without metadata ---

const char* const kBare[] = {"bare-v2.co", "bare-v3.co", "bare-v4.co", "bare-v5.co"};

TEST_F(ContainersTest, ArgumentsOfKernelsWithoutMetadata) {
  for (const char* name : kBare) {
    const Outcome run = Run(Object(name), "squares", {"--arg", Out(), "--arg", "u32:5"});
    ExpectSquares(run, 5);
    EXPECT_EQ(run.err, "") << "12 bytes are what the descriptor says";
    const Outcome info = Gcnjit({"info", Object(name)});
    EXPECT_EQ(info.exit_code, 0) << info.err;
    EXPECT_NE(info.out.find("no metadata"), std::string::npos) << info.out;
  }
}

TEST_F(ContainersTest, AnotherSizeThanTheDescriptorsIsAWarning) {
  for (const char* name : kBare) {
    const Outcome few = Run(Object(name), "squares", {"--arg", Out()});
    ExpectSquares(few, 0);
    EXPECT_NE(few.err.find("warning: kernel 'squares' has 12 bytes of arguments by its descriptor, "
                           "8 are given; the rest is zeros"),
              std::string::npos)
        << few.err;
    const Outcome many =
        Run(Object(name), "squares", {"--arg", Out(), "--arg", "u32:5", "--arg", "u64:1"});
    ExpectSquares(many, 5);
    EXPECT_NE(many.err.find("24 are given\n"), std::string::npos) << many.err;
  }
}

TEST_F(ContainersTest, TheSegmentAsAFile) {
  const std::string segment =
      Write("segment.bin", std::string_view("\0\0\0\0\0\0\0\0\11\0\0\0", 12));
  for (const char* name : kBare) {
    // The pointer is written over the file's first bytes.
    const Outcome run = Run(Object(name), "squares", {"--kernarg", segment, "--arg", Out()});
    ExpectSquares(run, 9);
    EXPECT_EQ(run.err, "");
    // All by itself: a null pointer.
    const Outcome fault = Run(Object(name), "squares", {"--kernarg", segment});
    EXPECT_EQ(fault.exit_code, 3) << fault.err;
  }
}

TEST_F(ContainersTest, TheSegmentsFileMustExist) {
  ExpectMistake(Run(Object("bare-v4.co"), "squares", {"--kernarg", Path("none").string()}), "none");
}

TEST_F(ContainersTest, TheSegmentOfAKernelWithMetadata) {
  const std::string segment = Write("segment.bin", std::string(20, '\0'));
  const Outcome run =
      Run(ObjectOf("gfx900"), "scale",
          {"--kernarg", segment, "--arg", Out(), "--arg", "iota:u32:64", "--arg", "u32:3"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(ReadValues<uint32_t>("out.bin")[63], 189u);
  const Outcome few = Run(ObjectOf("gfx900"), "scale", {"--kernarg", segment, "--arg", Out()});
  EXPECT_EQ(few.exit_code, 2) << few.err;
}

// --- What a linker or driver would have made into a code object ---

TEST_F(ContainersTest, RelocatableObjectsRun) {
  const Outcome run = Run(Object("cli-gfx900.o"), "scale",
                          {"--arg", Out(), "--arg", "iota:u32:64", "--arg", "u32:3"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(ReadValues<uint32_t>("out.bin")[63], 189u);
  const Outcome disasm = Gcnjit({"disasm", Object("cli-gfx900.o"), "--kernel", "scale"});
  EXPECT_EQ(disasm.exit_code, 0) << disasm.err;
  EXPECT_NE(disasm.out.find("s_endpgm"), std::string::npos);
}

TEST_F(ContainersTest, WhatAnObjectNeedsFromElsewhereIsNamed) {
  ExpectMistake(Run(UnitData("needs_symbol.o"), "probe", {}), "'elsewhere'");
}

TEST_F(ContainersTest, MesaObjectsRun) {
  const Outcome run = Run(UnitData("mesa_gfx803.co"), "twice", {"--arg", Out(), "--arg", "u32:2"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(ReadValues<uint32_t>("out.bin")[63], 126u);
  const Outcome info = Gcnjit({"info", UnitData("mesa_gfx803.co")});
  EXPECT_NE(info.out.find("mesa3d object, 1 kernel"), std::string::npos) << info.out;
}

TEST_F(ContainersTest, PalObjectsAreShown) {
  for (const char* name : {"pal_gfx900.o", "pal_gfx900.co"}) {
    const Outcome info = Gcnjit({"info", UnitData(name)});
    EXPECT_EQ(info.exit_code, 0) << info.err;
    EXPECT_NE(info.out.find("PAL object"), std::string::npos) << info.out;
    EXPECT_NE(info.out.find("function shader"), std::string::npos) << info.out;
    const Outcome json = Gcnjit({"info", "--json", UnitData(name)});
    EXPECT_NE(json.out.find("\"format\": \"PAL object"), std::string::npos) << json.out;
    const Outcome disasm = Gcnjit({"disasm", UnitData(name)});
    EXPECT_EQ(disasm.exit_code, 0) << disasm.err;
    EXPECT_NE(disasm.out.find("buffer_store_dword"), std::string::npos) << disasm.out;
    ExpectMistake(Run(UnitData(name), "shader", {}), "a PAL object");
  }
}

TEST_F(ContainersTest, CompressedBundlesAreListedAndRun) {
  File object;
  Put(object, std::string_view(Slurp(ObjectOf("gfx900"))));
  const std::string id = "hipv4-amdgcn-amd-amdhsa--gfx900";
  const std::string other = "hipv4-amdgcn-amd-amdhsa--gfx1100";
  const File plain = bundles::Bundle({{other, object}, {id, object}});
  for (const int version : {1, 2, 3}) {
    for (const uint16_t method : {bundles::kZlib, bundles::kZstd}) {
      const std::string file = Write("bundle", bundles::Compress(plain, version, method));
      const Outcome info = Gcnjit({"info", file});
      EXPECT_EQ(info.exit_code, 0) << info.err;
      EXPECT_NE(info.out.find("    " + other + "\n  * " + id + "\n"), std::string::npos)
          << info.out;
      const Outcome run =
          Run(file, "scale", {"--arg", Out(), "--arg", "iota:u32:64", "--arg", "u32:3"});
      ASSERT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(ReadValues<uint32_t>("out.bin")[63], 189u);
    }
  }
}

// --- What is no machine code for these GPUs ---

TEST_F(ContainersTest, OtherFilesAreNamed) {
  using namespace std::string_view_literals;
  const std::pair<std::string_view, const char*> rows[] = {
      {""sv, "empty file"},
      {"BC\xC0\xDE\0\0\0\0"sv, "LLVM bitcode"},
      {"\3\2\43\7\0\0\1\0"sv, "SPIR-V"},
      {"target triple = \"amdgcn-amd-amdhsa\"\n"sv, "text"},
      {"\x7F"
       "ELF\1\1\1\0\0\0\0\0\0\0\0\0\3\0\340\0"sv,
       "R600"},
      {"\x7F"
       "ELF\1\1\1\x64\0\0\0\0\0\0\0\0\2\0\x7D\0"sv,
       "OpenCL 1.2"},
      {"\x7F"
       "ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\x5B\xAF"sv,
       "OpenCL 2.0"},
  };
  for (const auto& [bytes, words] : rows) {
    const std::string file = Write("file", bytes);
    ExpectMistake(Gcnjit({"info", file}), words);
    ExpectMistake(Gcnjit({"disasm", file}), words);
    ExpectMistake(Run(file, "k", {}), words);
  }
  for (const char* command : {"info", "disasm"}) {
    ExpectMistake(Gcnjit({command, UnitData("loader_gfx1030.co")}),
                  "gfx1030, which is not emulated");
  }
}

}  // namespace
}  // namespace gcnjit::cli_test
