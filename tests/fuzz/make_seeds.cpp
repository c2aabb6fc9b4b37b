// Makes the corpora that fuzzing starts from: make_seeds DIRECTORY FILE... writes
// DIRECTORY/code_object (the code objects FILE themselves, and in compressed bundles),
// DIRECTORY/code (the code of their kernels), DIRECTORY/ir_text (the same, lifted) and
// DIRECTORY/argument.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/files.h"
#include "cli/lifted_kernel.h"
#include "frontend/code_object/bundle.h"
#include "frontend/code_object/code_object.h"
#include "ir/printer.h"
#include "tests/offload_bundles.h"

namespace {

using namespace gcnjit;
namespace fs = std::filesystem;

constexpr size_t kMaxCodeBytes = 2048;
constexpr size_t kMaxTextBytes = 20'000;

void Write(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void WriteKernel(const fs::path& directory, const std::string& stem,
                 const frontend::CodeObject& object, const frontend::Kernel& kernel) {
  const uint64_t entry = kernel.descriptor.entry;
  size_t bytes = kMaxCodeBytes;
  while (bytes >= 4 && object.AtAddress(entry, bytes).empty()) bytes /= 2;
  const auto code = object.AtAddress(entry, bytes);
  // As code_target.cpp reads it: generation, MODE, everything lives, 256 VGPRs.
  std::string seed = {static_cast<char>(object.generation), '\xF0', '\x18', '\x3F'};
  seed.append(reinterpret_cast<const char*>(code.data()), code.size());
  const std::string name = fmt::format("{}.{}", stem, kernel.info.name);
  Write(directory / "code" / name, seed);
  const std::string text = ir::Print(cli::LiftKernel(object, kernel).function);
  if (text.size() <= kMaxTextBytes) Write(directory / "ir_text" / name, text);
}

void WriteArguments(const fs::path& directory) {
  const char* const specs[] = {
      "out:4K:out.bin", "buf:1M",     "iota:u32:100", "rand:f32:64:7",
      "f16:-0.1",       "f64:1e-310", "i8:0xff",      "u64:18446744073709551615",
      "bytes:0100ff7f", "local:256",  "rand:i16:1K",  "f32:nan",
      "i32:-5",         "iota:f16:9", "out:0x10G:-"};
  int number = 0;
  for (const char* spec : specs) Write(directory / fmt::format("argument/{}", number++), spec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: make_seeds DIRECTORY CODE_OBJECT...\n");
    return 2;
  }
  const fs::path directory = argv[1];
  for (const char* kind : {"code_object", "code", "ir_text", "argument"}) {
    fs::create_directories(directory / kind);
  }
  WriteArguments(directory);
  for (int n = 2; n < argc; ++n) {
    const auto file = cli::ReadFile(argv[n]);
    if (!file) {
      fmt::print(stderr, "make_seeds: {}\n", file.error().message);
      return 1;
    }
    const std::string stem = fs::path(argv[n]).filename().string();
    Write(directory / "code_object" / stem,
          {reinterpret_cast<const char*>(file->data()), file->size()});
    const auto entries = frontend::ListBundle(*file);
    if (!entries) continue;
    const auto plain = bundles::Bundle({{"hipv4-amdgcn-amd-amdhsa--gfx900", *file}});
    for (const uint16_t method : {bundles::kZlib, bundles::kZstd}) {
      const auto packed = bundles::Compress(plain, 1 + n % 3, method);
      Write(directory / "code_object" / fmt::format("{}.ccob{}", stem, method),
            {reinterpret_cast<const char*>(packed.data()), packed.size()});
    }
    for (const frontend::BundleEntry& entry : *entries) {
      const auto object = frontend::ParseCodeObject(entry.contents);
      if (!object) continue;
      for (const frontend::Kernel& kernel : object->kernels) {
        WriteKernel(directory, stem, *object, kernel);
      }
    }
  }
}
