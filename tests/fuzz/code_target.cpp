// Any words, as code of any generation, all the way to host code: decoder, disassembler, register
// accesses, control-flow graph, liveness, lifter, passes, verifier and both emitters. Nothing runs.
//
// Input: the generation, what the code is compiled for (see Read), then the words.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "backend_x64/compile/region.h"
#include "backend_x64/plan/block_invariants.h"
#include "frontend/decode/decoder.h"
#include "frontend/disassemble/disassembler.h"
#include "frontend/flow/register_access.h"
#include "frontend/lift/lift_code.h"
#include "ir/passes.h"
#include "ir/verifier.h"
#include "runtime/state/wave_state.h"
#include "tests/fuzz/check.h"

namespace gcnjit::fuzz {
namespace {

constexpr size_t kHeaderBytes = 4;
constexpr size_t kMaxInstructions = 200;  // compiling is slow under sanitizers
constexpr uint64_t kCodeBegin = 0x10000;

struct Input {
  frontend::LiftTarget target;
  bool everything_is_live = false;  // at s_endpgm
  bool shapes = false;              // look for lane shapes
  std::vector<uint32_t> words;      // a copy of their exact number, so that ASan sees reads beyond
};

Input Read(std::span<const uint8_t> bytes) {
  Input input;
  input.target.processor.generation =
      frontend::kGenerations[bytes[0] % static_cast<size_t>(frontend::kGenerationCount)];
  input.target.mode = uint32_t{bytes[1]} | (bytes[2] & 0xE3u) << 8 | (bytes[2] & 4u) << 21;
  if (bytes[3] >= 0xF0) input.target.mode |= runtime::kModeGprIdxEn;
  const auto vgprs = static_cast<uint16_t>((bytes[3] & 0x3Fu) * 4 + 4);
  input.target.vgprs = {vgprs, vgprs};
  input.everything_is_live = (bytes[2] & 8) != 0;
  input.shapes = (bytes[2] & 16) != 0;
  bytes = bytes.subspan(kHeaderBytes);
  input.words.resize(bytes.size() / 4);
  std::memcpy(input.words.data(), bytes.data(), input.words.size() * 4);
  input.words.shrink_to_fit();
  return input;
}

// Every place is tried, for a jump may go to any.
void DecodeAll(const Input& input) {
  for (size_t at = 0; at < input.words.size(); ++at) {
    const auto words = std::span(input.words).subspan(at);
    frontend::Instruction instruction;
    if (frontend::Decode(input.target.processor.generation, words, instruction) !=
        frontend::DecodeStatus::kOk) {
      continue;
    }
    Require(
        instruction.size % 4 == 0 && instruction.size >= 4 && instruction.size <= words.size() * 4,
        "an instruction is longer than the code");
    Require(!frontend::Disassemble(input.target.processor.generation, instruction, at * 4).empty(),
            "an instruction has no text");
    const auto access = frontend::AccessOf(instruction, input.target.processor.generation);
    Require((access.wide_vgpr_reads & ~access.reads.vgprs).none(), "wide reads that are no reads");
    auto missing = access.writes;
    missing -= access.may_write;
    Require(missing.None(), "writes that may not be");
    (void)frontend::AccessOfAnyMode(instruction, input.target.processor.generation);
  }
}

void RequireValid(const ir::Function& function, const char* when) {
  const std::vector<std::string> errors = ir::Verify(function);
  Require(errors.empty(), std::string(when) + ": " + (errors.empty() ? "" : errors[0]));
  const std::string broken = backend::BrokenInvariant(function);
  Require(broken.empty(), std::string(when) + ": " + broken);
}

ir::Function Lift(const Input& input) {
  const auto words_at = [&](uint64_t pc) -> std::span<const uint32_t> {
    const uint64_t index = (pc - kCodeBegin) / 4;
    if (pc < kCodeBegin || pc % 4 != 0 || index >= input.words.size()) return {};
    return std::span(input.words).subspan(index);
  };
  frontend::LiveAtEnd at_end;
  if (input.everything_is_live) {
    at_end.live = frontend::RegisterSet::All();
    at_end.wide.set();
  }
  return frontend::LiftCode(input.target, words_at, kCodeBegin, at_end, kMaxInstructions).function;
}

// As runtime/jit does it.
backend::CompileOptions OptionsFor(backend::HostIsa isa, uint32_t mode) {
  using runtime::WaveState;
  backend::CompileOptions options;
  options.isa = isa;
  options.layout = {offsetof(WaveState, sgpr), offsetof(WaveState, scc), offsetof(WaveState, mode),
                    offsetof(WaveState, pc), offsetof(WaveState, vgpr)};
  options.base_env = frontend::F32Environment(mode);
  return options;
}

void Compile(const Input& input, const ir::Function& function) {
  const ir::RegionShapes shapes = ir::FindLaneShapes(function, {});
  for (const backend::HostIsa isa : {backend::HostIsa::kAvx2, backend::HostIsa::kAvx512}) {
    backend::CompileOptions options = OptionsFor(isa, input.target.mode);
    if (input.shapes) options.shapes = &shapes;
    std::string error;
    const auto region = backend::Compile(function, options, &error);
    Require(region != nullptr, "cannot be compiled: " + error);
    for (const ir::Block& block : function.blocks) {
      Require(region->entries.contains(block.begin), "a block has no entry");
    }
  }
}

}  // namespace
}  // namespace gcnjit::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gcnjit::fuzz;
  if (size < kHeaderBytes + 4) return 0;
  const Input input = Read({data, size});
  DecodeAll(input);
  gcnjit::ir::Function function = Lift(input);
  RequireValid(function, "lifted");
  gcnjit::ir::Optimise(function);
  RequireValid(function, "optimised");
  if (!function.blocks.empty()) Compile(input, function);
  return 0;
}
