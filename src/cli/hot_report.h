// gcnjit bench --hot: where compiled code spends its time, by guest instruction.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gcnjit/program.h"
#include "gcnjit/source.h"
#include "measure/sampler.h"

namespace gcnjit::cli {

// Samples that fell on one guest instruction, or on what a block needs besides.
struct HotSpot {
  uint64_t pc = 0;  // of the instruction, or where the block begins
  bool is_block = false;
  uint64_t samples = 0;
  std::string place;        // "saxpy+0x40"
  std::string instruction;  // disassembled
  SourceFrames source;
  std::string source_line;  // its text; empty: not known
  std::string host_code;    // that was emitted for it, a line an instruction; empty: not known
};

struct HotReport {
  std::vector<HotSpot> spots;  // the hottest first
  uint64_t samples = 0;        // all of them
  uint64_t compiled = 0;       // in compiled code
  uint64_t called = 0;         // in what compiled code calls
};

// Code of the program must have been compiled with the map of host code enabled
// (runtime/jit/host_code_map.h), and samples marked where they are in compiled code or called by
// it.
HotReport AttributeSamples(const Program& program, const std::vector<measure::Sample>& samples);

// The hottest `most` spots as lines of text.
std::string ToText(const HotReport& report, size_t most);
nlohmann::json ToJson(const HotReport& report);

}  // namespace gcnjit::cli
