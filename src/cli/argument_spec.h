// The --arg SPECs of `gcnjit run`: what a kernel argument is and where its bytes come from and go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gcnjit/error.h"

namespace gcnjit::cli {

enum class SpecKind {
  kBuffer,  // global memory: `bytes` from a file or generated, or `size` zeros
  kValue,   // `bytes`, passed by value
  kLocal,   // `size` bytes of LDS
};

struct ArgumentSpec {
  SpecKind kind = SpecKind::kValue;
  std::vector<std::byte> bytes;
  uint64_t size = 0;
  std::string output_path;  // kBuffer: write the buffer here afterwards; empty: don't
};

// Parses one SPEC (see kSpecHelp), reading the files it names.
Result<ArgumentSpec> ParseArgumentSpec(const std::string& text);

// Where a SPEC's buffer is written to afterwards; empty: nowhere. Whether it is a SPEC is not
// asked.
std::string OutputPathIn(const std::string& text);

// The list of SPECs, for --help.
extern const char* const kSpecHelp;

}  // namespace gcnjit::cli
