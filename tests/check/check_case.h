// Kernels of *.check files; README.md describes the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gcnjit::check_tests {

struct Expectation {
  std::string kind;
  std::string at;
  std::string other;   // empty: not looked at
  uint64_t count = 0;  // 0: not looked at
};

struct Case {
  std::string name;
  std::string code;
  std::vector<Expectation> findings;
  std::vector<Expectation> notes;
  std::vector<std::string> targets = {"gfx600", "gfx803", "gfx900"};
  std::vector<std::string> texts;
  uint32_t lds = 512;
  uint32_t scratch = 0;
  uint32_t groups = 1;
  uint32_t local = 64;
  double timeout = 0;
  bool faults = false;
  bool leaves_memory_undefined = false;
};

// The cases of a file. `error` says what is wrong with it, if anything is.
std::vector<Case> ReadCases(const std::string& path, std::string* error);

// Relocatable code object in which case n is the kernel KernelOf(n); empty: `error` has what the
// assembler said.
std::vector<std::byte> Assemble(std::span<const Case> cases, const std::string& target,
                                std::string* error);
std::string KernelOf(size_t n);

}  // namespace gcnjit::check_tests
