// R3: operations on all their inputs, the interpreter against the JIT. Prints one line an operation
// with --verbose, and "N executed, M failed" at the end; an executed one is an input under one MODE
// in one engine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "exhaustive/engine_pair.h"
#include "exhaustive/operation.h"

namespace {

using namespace gcnjit;
using exhaustive::EnginePair;
using exhaustive::Operation;
using frontend::Generation;
using runtime::kLanes;

constexpr uint64_t kBatch = uint64_t{exhaustive::kInstructions} * kLanes;

struct Options {
  std::string operation = "all";
  std::string generation = "all";
  std::string isa = "all";
  std::string values = "4096";
  std::string modes = "default";
  int64_t turn = -1;
  bool verbose = false;
  bool list = false;
};

struct Tally {
  uint64_t executed = 0;
  uint64_t failed = 0;
};

// Rounding and denormals of all widths; "default" is what kernels start with.
std::vector<uint32_t> ModesOf(const Options& options, const Operation& operation) {
  constexpr uint32_t kDefault = 0xF0;
  const bool is_float = operation.row->Has(frontend::FP32) || operation.row->Has(frontend::FP64) ||
                        operation.row->Has(frontend::FPCVT);
  if (options.modes == "default" || !is_float) return {kDefault};
  std::vector<uint32_t> modes;
  for (uint32_t n = 0; n < 16; ++n) {
    modes.push_back((n & 3) | (n & 3) << 2 | (n >> 2) << 4 | (n >> 2) << 6);
  }
  return modes;
}

uint32_t Scramble(uint32_t n) {
  const uint32_t x = n * 0x9E3779B1;
  return x ^ x >> 15;
}

enum class Input { kWord, kHalf, kTwoHalves };

// One loop for each kind of input, so that compilers make vector code of it: it is for 2^32 inputs.
template <Input kInput>
void FillLanes(uint32_t first, uint32_t step, runtime::WaveState& state) {
  for (uint32_t k = 0; k < exhaustive::kInstructions; ++k) {
    uint32_t* const source0 = state.vgpr[exhaustive::kSource0 + k];
    uint32_t* const source1 = state.vgpr[exhaustive::kSource1 + k];
    uint32_t* const result = state.vgpr[exhaustive::kResults + 2 * k];
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const uint32_t n = first + k * kLanes + lane;
      const uint32_t input = n * step;
      // What is above a half's bits must not matter.
      const uint32_t above = Scramble(n) << 16;
      if constexpr (kInput == Input::kWord) source0[lane] = input;
      if constexpr (kInput == Input::kHalf) source0[lane] = input | above;
      if constexpr (kInput == Input::kTwoHalves) source0[lane] = input >> 16 | above;
      source1[lane] = (input & 0xFFFF) | Scramble(~n) << 16;
      result[lane] = Scramble(n + 77);  // v_mac reads it
    }
  }
}

// Sets the registers to inputs `first`, `first + 1`, ..., of which the n-th stands for n * step.
// The last batch may go on after the last input: those are just more inputs.
void Fill(const Operation& operation, uint64_t first, uint64_t step, runtime::WaveState& state) {
  const auto from = static_cast<uint32_t>(first);
  const auto by = static_cast<uint32_t>(step);
  if (operation.is_binary) {
    FillLanes<Input::kTwoHalves>(from, by, state);
  } else if (operation.source_bits == 16) {
    FillLanes<Input::kHalf>(from, by, state);
  } else {
    FillLanes<Input::kWord>(from, by, state);
  }
}

void Report(const Operation& operation, const EnginePair& engines, backend::HostIsa isa,
            Generation generation, uint32_t mode, uint64_t* failed) {
  for (uint32_t k = 0; k < exhaustive::kInstructions; ++k) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const auto value = [&](const runtime::WaveState& state) {
        const uint32_t at = exhaustive::kResults + 2 * k;
        return state.vgpr[at][lane] | uint64_t{state.vgpr[at + 1][lane]} << 32;
      };
      if (value(engines.expected()) == value(engines.got())) continue;
      if (++*failed > 5) continue;
      fmt::print(stderr, "{} {} {} mode {:#x}: {:#x}, {:#x} -> {:#x}, expected {:#x}\n",
                 operation.row->id, frontend::TargetName(generation), backend::NameOf(isa), mode,
                 engines.expected().vgpr[exhaustive::kSource0 + k][lane],
                 engines.expected().vgpr[exhaustive::kSource1 + k][lane], value(engines.got()),
                 value(engines.expected()));
    }
  }
}

Tally RunOperation(const Operation& operation, Generation generation, backend::HostIsa isa,
                   uint32_t mode, uint64_t values) {
  EnginePair engines(generation, isa, exhaustive::ProgramOf(operation, generation), mode);
  const uint64_t count = std::min(values, operation.Inputs());
  const uint64_t step = operation.Inputs() / count;
  Tally tally;
  for (uint64_t first = 0; first < count; first += kBatch) {
    Fill(operation, first, step, engines.initial());
    tally.executed += std::min(kBatch, count - first);
    if (!engines.Run()) {
      fmt::print(stderr, "{}: the program does not come to its end\n", operation.row->id);
      tally.failed += kBatch;
      return tally;
    }
    if (std::memcmp(engines.expected().vgpr, engines.got().vgpr, sizeof engines.got().vgpr) != 0) {
      const uint64_t before = tally.failed;
      Report(operation, engines, isa, generation, mode, &tally.failed);
      if (tally.failed == before) ++tally.failed;  // a register that is no result
    }
  }
  if (engines.Interpreted() != 0) {
    fmt::print(stderr, "{}: the JIT leaves it to the interpreter\n", operation.row->id);
  }
  return tally;
}

// Operations take turns by the day, so that every one comes up again and again.
bool IsWanted(const Options& options, const Operation& operation, size_t index, size_t count) {
  if (options.operation == "all") return true;
  if (options.operation != "rotate") return options.operation == operation.row->id;
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const int64_t turn = options.turn >= 0 ? options.turn : today.time_since_epoch().count();
  return index == static_cast<size_t>(turn) % count;
}

Tally RunGeneration(const Options& options, Generation generation, uint64_t values) {
  Tally tally;
  const std::vector<Operation> operations = exhaustive::OperationsOf(generation);
  for (size_t n = 0; n < operations.size(); ++n) {
    if (!IsWanted(options, operations[n], n, operations.size())) continue;
    if (options.list) {
      fmt::print("{} {}\n", frontend::TargetName(generation), operations[n].row->id);
      continue;
    }
    for (const auto isa : {backend::HostIsa::kAvx2, backend::HostIsa::kAvx512}) {
      if (options.isa != "all" && options.isa != backend::NameOf(isa)) continue;
      if (!backend::HostHas(isa)) continue;
      Tally one;
      for (const uint32_t mode : ModesOf(options, operations[n])) {
        const Tally in_mode = RunOperation(operations[n], generation, isa, mode, values);
        one.executed += in_mode.executed;
        one.failed += in_mode.failed;
      }
      if (options.verbose) {
        fmt::print("{} {} {}: {} executed, {} failed\n", operations[n].row->id,
                   frontend::TargetName(generation), backend::NameOf(isa), one.executed,
                   one.failed);
      }
      tally.executed += one.executed;
      tally.failed += one.failed;
    }
  }
  return tally;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs operations on all their inputs in the interpreter and in the JIT.");
  Options options;
  app.add_option("--op", options.operation, "row of the ISA table, 'all', or 'rotate': one a day");
  app.add_option("--turn", options.turn, "which one 'rotate' takes; by default days since 1970");
  app.add_option("--gen", options.generation, "'all' or one target, e.g. gfx900");
  app.add_option("--isa", options.isa, "avx2, avx512 or all that the host has");
  app.add_option("--values", options.values, "inputs of each: 'all', or so many, evenly strewn");
  app.add_option("--modes", options.modes,
                 "'default', or 'all' rounding and denormal modes of floating-point operations")
      ->check(CLI::IsMember({"default", "all"}));
  app.add_flag("--list", options.list, "lists the operations, runs nothing");
  app.add_flag("--verbose", options.verbose, "one line an operation");
  app.footer("Example: exhaustive_ops --op=V_SQRT_F32 --gen=gfx900 --values=all --modes=all");
  CLI11_PARSE(app, argc, argv);
  const uint64_t values =
      options.values == "all" ? UINT64_MAX : std::strtoull(options.values.c_str(), nullptr, 10);
  if (values == 0) {
    fmt::print(stderr, "exhaustive_ops: --values is 'all' or a number\n");
    return 2;
  }
  Tally tally;
  for (const Generation generation : frontend::kGenerations) {
    if (options.generation != "all" &&
        frontend::GenerationOfTarget(options.generation) != generation) {
      continue;
    }
    const Tally one = RunGeneration(options, generation, values);
    tally.executed += one.executed;
    tally.failed += one.failed;
  }
  if (options.list) return 0;
  fmt::print("{} executed, {} failed\n", tally.executed, tally.failed);
  if (tally.executed == 0) fmt::print(stderr, "exhaustive_ops: no such operation, see --list\n");
  return tally.failed == 0 && tally.executed != 0 ? 0 : 1;
}
