#include "tests/check/check_case.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

namespace gcnjit::check_tests {
namespace {

// "kind at WORDS other WORDS count N"
Expectation ParseExpectation(const std::string& text) {
  Expectation expectation;
  std::istringstream stream(text);
  stream >> expectation.kind;
  std::string* words = nullptr;
  for (std::string word; stream >> word;) {
    if (word == "at") {
      words = &expectation.at;
    } else if (word == "other") {
      words = &expectation.other;
    } else if (word == "count") {
      stream >> expectation.count;
    } else if (words != nullptr) {
      *words += (words->empty() ? "" : " ") + word;
    }
  }
  return expectation;
}

bool ParseHeader(const std::string& line, Case& result) {
  const size_t colon = line.find(": ");
  if (colon == line.npos) return false;
  const std::string key = line.substr(0, colon);
  const std::string value = line.substr(colon + 2);
  if (key == "expect") {
    result.findings.push_back(ParseExpectation(value));
  } else if (key == "note") {
    result.notes.push_back(ParseExpectation(value));
  } else if (key == "targets") {
    std::istringstream stream(value);
    result.targets = {std::istream_iterator<std::string>(stream), {}};
  } else if (key == "text") {
    result.texts.push_back(value);
  } else if (key == "timeout") {
    result.timeout = std::stod(value);
  } else if (key == "memory") {
    result.leaves_memory_undefined = value == "undefined";
  } else if (key == "fault") {
    result.faults = value == "yes";
  } else {
    uint32_t* number = key == "lds"       ? &result.lds
                       : key == "scratch" ? &result.scratch
                       : key == "groups"  ? &result.groups
                       : key == "local"   ? &result.local
                                          : nullptr;
    if (number == nullptr) return false;
    *number = static_cast<uint32_t>(std::stoul(value));
  }
  return true;
}

// What cases use besides the target's instructions.
constexpr const char* kMacros = R"(
  .macro IMAGE type=9, format=0x10400000, select=0x204, height=16
  s_lshr_b64 s[20:21], s[8:9], 8
  s_or_b32 s21, s21, \format
  s_mov_b32 s22, 15 + ((\height - 1) << 14)
  s_mov_b32 s23, (\type << 28) + \select + ((GEN < 9) & (8 << 20))
  s_mov_b32 s24, 15 << 13
  s_mov_b32 s25, 0
  s_mov_b32 s26, 0
  s_mov_b32 s27, 0
  .endm
  .macro POINT to
  v_and_b32 v\to, 15, v0
  v_lshrrev_b32 v[\to+1], 4, v0
  .endm
)";

constexpr const char* kKernel = R"(
  .text
  .globl {name}
  .p2align 8
  .type {name},@function
{name}:
  s_load_dwordx2 s[8:9], s[4:5], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_mov_b32 m0, -1
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s8
  s_mov_b32 s13, s9
  s_mov_b32 s14, -1
  s_mov_b32 s15, 0x27000
{code}
  s_endpgm
  .rodata
  .p2align 6
  .amdhsa_kernel {name}
    .amdhsa_group_segment_fixed_size {lds}
    .amdhsa_private_segment_fixed_size {scratch}
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset {has_scratch}
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 40
{accumulators}
  .end_amdhsa_kernel
)";

constexpr const char* kMetadata = R"(
  - .name: {name}
    .symbol: {name}.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: {scratch}
    .wavefront_size: 64
    .sgpr_count: 40
    .vgpr_count: 32
    .max_flat_workgroup_size: 1024
    .args:
      - .name: out
        .offset: 0
        .size: 8
        .value_kind: global_buffer
        .address_space: global
)";

// The code with labels that no other case has.
std::string WithOwnLabels(std::string code, const std::string& kernel) {
  static const std::regex kLabel(R"((^|\n)(\w+):)");
  std::set<std::string> labels;
  for (std::sregex_iterator at(code.begin(), code.end(), kLabel), end; at != end; ++at) {
    labels.insert(at->str(2));
  }
  for (const std::string& label : labels) {
    code = std::regex_replace(code, std::regex("\\b" + label + "\\b"), kernel + "_" + label);
  }
  return code;
}

std::string SourceOf(std::span<const Case> cases, const std::string& target) {
  std::string source = fmt::format("  .set GEN, {}\n", target.substr(3, 1)) + kMacros;
  std::string metadata =
      "  .amdgpu_metadata\namdhsa.version: [1, 1]\namdhsa.kernels:";  // a list for each kernel
  for (size_t n = 0; n < cases.size(); ++n) {
    const Case& of = cases[n];
    const std::string kernel = KernelOf(n);
    const std::string code = WithOwnLabels(of.code, kernel);
    const auto name = fmt::arg("name", kernel);
    const auto lds = fmt::arg("lds", of.lds), scratch = fmt::arg("scratch", of.scratch);
    source += fmt::format(
        fmt::runtime(kKernel), name, lds, scratch, fmt::arg("code", code),
        fmt::arg("has_scratch", of.scratch != 0 ? 1 : 0),
        fmt::arg("accumulators", target == "gfx90a" ? "    .amdhsa_accum_offset 32" : ""));
    metadata += fmt::format(fmt::runtime(kMetadata), name, lds, scratch);
  }
  return source + metadata + "  .end_amdgpu_metadata\n";
}

}  // namespace

std::vector<Case> ReadCases(const std::string& path, std::string* error) {
  std::vector<Case> cases;
  std::ifstream file(path);
  bool in_code = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("== ")) {
      cases.emplace_back().name = line.substr(3);
      in_code = false;
    } else if (cases.empty()) {
      continue;  // the file's introduction
    } else if (line == "---") {
      in_code = true;
    } else if (in_code) {
      cases.back().code += line + "\n";
    } else if (!ParseHeader(line, cases.back())) {
      *error = path + ": not understood: " + line;
    }
  }
  if (cases.empty()) *error = path + " has no cases";
  return cases;
}

std::string KernelOf(size_t n) { return fmt::format("kernel{}", n); }

std::vector<std::byte> Assemble(std::span<const Case> cases, const std::string& target,
                                std::string* error) {
  namespace fs = std::filesystem;
  std::string directory = (fs::temp_directory_path() / "gcnjit-check-XXXXXX").string();
  if (mkdtemp(directory.data()) == nullptr) {
    *error = "no temporary directory";
    return {};
  }
  const std::string source = directory + "/kernel.s";
  const std::string output = directory + "/kernel.o";
  const std::string messages = directory + "/messages";
  std::ofstream(source) << SourceOf(cases, target);
  // The runtime links it: with clang three processes would start.
  const std::string command =
      fmt::format("{} -triple=amdgcn-amd-amdhsa -mcpu={} -filetype=obj {} -o {} > {} 2>&1",
                  GCNJIT_LLVM_MC, target, source, output, messages);
  std::vector<char> bytes;
  if (std::system(command.c_str()) == 0) {
    std::ifstream file(output, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  } else {
    std::ifstream file(messages);
    error->assign(std::istreambuf_iterator<char>(file), {});
  }
  fs::remove_all(directory);
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return {begin, begin + bytes.size()};
}

}  // namespace gcnjit::check_tests
