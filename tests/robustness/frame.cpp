#include "robustness/frame.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>

#include "backend_x64/host/features.h"
#include "oracle/llvm_mc.h"
#include "oracle/scopes.h"

namespace gcnjit::robustness {
namespace {

// The frame's own instruction, which no test uses.
constexpr uint32_t kFiller = 0xBF807E55;

std::vector<std::byte> ReadFrame(frontend::Generation generation) {
  const std::string path =
      std::string(GCNJIT_FRAME_DIR "/frame_") + frontend::TargetName(generation) + ".co";
  std::vector<std::byte> bytes(std::filesystem::file_size(path));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error("cannot read " + path);
  return bytes;
}

// The kernel's descriptor, which begins with the bytes of LDS, scratch and kernel arguments.
std::vector<std::byte>::iterator DescriptorIn(std::vector<std::byte>& file) {
  constexpr uint32_t kSizes[] = {kFrameLdsBytes, kFrameScratchBytes, sizeof(FrameArguments)};
  const auto sizes = std::as_bytes(std::span(kSizes));
  const auto found = std::search(file.begin(), file.end(), sizes.begin(), sizes.end());
  if (found == file.end()) throw std::runtime_error("the frame has no descriptor");
  return found;
}

// In the metadata, where the bytes of LDS stand once more: MessagePack's 16 bits, high byte first.
std::vector<std::byte>::iterator LdsInMetadata(std::vector<std::byte>& file) {
  constexpr std::string_view kKey = ".group_segment_fixed_size\xcd";
  const auto key = std::as_bytes(std::span(kKey));
  const auto found = std::search(file.begin(), file.end(), key.begin(), key.end());
  if (found == file.end()) throw std::runtime_error("the frame's metadata has no LDS");
  return found + kKey.size();
}

}  // namespace

std::vector<std::byte> FrameFile(frontend::Generation generation, std::span<const uint32_t> words) {
  std::vector<std::byte> file = ReadFrame(generation);
  size_t at = 0;
  uint32_t word = 0;
  for (; at + 4 <= file.size() && word != kFiller; at += 4) std::memcpy(&word, &file[at], 4);
  at -= 4;
  size_t room = 0;
  for (size_t end = at; end + 4 <= file.size(); end += 4, ++room) {
    std::memcpy(&word, &file[end], 4);
    if (word != kFiller) break;
  }
  if (words.size() > room) throw std::runtime_error("the code does not fit into the frame");
  std::memcpy(&file[at], words.data(), words.size_bytes());
  return file;
}

void ChangeFrame(std::vector<std::byte>& file, uint32_t lds_bytes, bool has_scratch) {
  constexpr size_t kRsrc2 = 52;  // COMPUTE_PGM_RSRC2; bit 0: with scratch
  const auto descriptor = DescriptorIn(file);
  std::memcpy(&*descriptor, &lds_bytes, sizeof(lds_bytes));
  const auto in_metadata = LdsInMetadata(file);
  in_metadata[0] = static_cast<std::byte>(lds_bytes >> 8);
  in_metadata[1] = static_cast<std::byte>(lds_bytes);
  descriptor[kRsrc2 + 1] |= std::byte{2 << 3};  // ids along y and z
  if (has_scratch) return;
  std::fill_n(descriptor + 4, 4, std::byte{0});
  descriptor[kRsrc2] &= ~std::byte{1};
}

void MakeAllWritable(std::vector<std::byte>& file) {
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  for (size_t n = 0; n < header.e_phnum; ++n) {
    std::byte* const at = &file[header.e_phoff + n * sizeof(Elf64_Phdr)];
    Elf64_Phdr segment;
    std::memcpy(&segment, at, sizeof segment);
    if (segment.p_type == PT_LOAD) segment.p_flags |= PF_W;
    std::memcpy(at, &segment, sizeof segment);
  }
}

std::vector<std::string> Engines() {
  std::vector<std::string> engines = {"interp"};
  for (const backend::HostIsa isa : {backend::HostIsa::kAvx2, backend::HostIsa::kAvx512}) {
    if (backend::HostHas(isa)) engines.emplace_back(backend::NameOf(isa));
  }
  return engines;
}

void UseEngine(std::string_view engine, LaunchConfig& config) {
  config.engine = engine == "interp" ? Engine::kInterpreter : Engine::kJit;
  config.compile_first = true;
  if (config.engine == Engine::kJit) {
    ::setenv("GCNJIT_FORCE_ISA", std::string(engine).c_str(), /*overwrite=*/1);
  }
}

std::vector<std::vector<uint32_t>> Assemble(frontend::Generation generation,
                                            const std::vector<std::string>& lines) {
  // llvm-mc takes longer to start than to work: it is asked once about each line.
  static std::map<std::pair<frontend::Generation, std::string>, std::vector<uint32_t>> known;
  std::vector<std::string> asked, spelled;
  for (const std::string& line : lines) {
    if (known.contains({generation, line})) continue;
    asked.push_back(line);
    spelled.push_back(Has(generation, frontend::kGfx942Isa) ? oracle::WithScopes(line) : line);
  }
  if (!asked.empty()) {
    size_t n = 0;
    for (const oracle::Assembled& answer :
         oracle::LlvmAssemble(frontend::TargetName(generation), spelled)) {
      const std::string& line = asked[n++];
      if (!answer.accepted) {
        throw std::runtime_error(
            fmt::format("{}: '{}': {}", frontend::TargetName(generation), line, answer.error));
      }
      std::vector<uint32_t>& words = known[{generation, line}];
      words.resize(answer.bytes.size() / 4);
      std::memcpy(words.data(), answer.bytes.data(), answer.bytes.size());
    }
  }
  std::vector<std::vector<uint32_t>> result;
  for (const std::string& line : lines) result.push_back(known.at({generation, line}));
  return result;
}

std::string AddLine(frontend::Generation generation, std::string_view dst, std::string_view src0,
                    std::string_view src1) {
  const bool gfx9 = frontend::IsGfx9(generation);
  const char* mnemonic = frontend::IsGfx8Plus(generation) ? "v_add_u32_e32" : "v_add_i32_e32";
  return fmt::format("{} {}, {}{}, {}", mnemonic, dst, gfx9 ? "" : "vcc, ", src0, src1);
}

std::vector<uint32_t> AssembleProgram(frontend::Generation generation,
                                      const std::vector<std::string>& lines) {
  std::vector<uint32_t> program;
  for (const std::vector<uint32_t>& words : Assemble(generation, lines)) {
    program.insert(program.end(), words.begin(), words.end());
  }
  return program;
}

}  // namespace gcnjit::robustness
