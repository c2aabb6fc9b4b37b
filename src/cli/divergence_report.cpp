#include "cli/divergence_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/jit_text.h"
#include "differential/operand_values.h"
#include "frontend/decode/decoder.h"
#include "frontend/disassemble/disassembler.h"
#include "frontend/disassemble/place_text.h"
#include "runtime/check/finding_json.h"

namespace gcnjit::cli {
namespace {

using differential::Divergence;
using differential::Place;
using differential::StateDifference;

// Instructions of the block that are executed when the difference shows.
std::vector<uint64_t> ShownBy(const Divergence& divergence) {
  std::vector<uint64_t> pcs = divergence.block;
  if (divergence.is_cut) {
    std::erase_if(pcs, [&](uint64_t pc) { return pc < divergence.begin || pc >= divergence.end; });
  }
  return pcs;
}

class Texts {
 public:
  explicit Texts(const Place& place)
      : processor_(place.dispatch.processor), code_(processor_, place.code) {}

  std::optional<frontend::Instruction> At(uint64_t pc) const {
    frontend::Instruction instruction;
    const auto status = frontend::Decode(processor_, code_.WordsAt(pc), instruction);
    if (status != frontend::DecodeStatus::kOk) return std::nullopt;
    return instruction;
  }
  std::string Of(uint64_t pc) const {
    const auto instruction = At(pc);
    return instruction ? frontend::Disassemble(processor_.generation, *instruction, pc) : "?";
  }
  const runtime::CodeMap& code() const { return code_; }

 private:
  const frontend::Processor processor_;
  const runtime::CodeMap code_;
};

// The lane that the report is about.
int LaneOf(const Divergence& divergence) {
  for (const StateDifference& difference : divergence.difference.state) {
    if (difference.lane >= 0) return difference.lane;
  }
  return std::max(std::countr_zero(divergence.before.wave.exec()) % runtime::kLanes, 0);
}

// What the JIT makes of [begin, end).
std::string JitCodeText(const Place& place, const Texts& texts, const Divergence& divergence,
                        uint64_t begin, uint64_t end, const differential::Engine& engine) {
  const runtime::WaveState& wave = divergence.before.wave;
  const auto words = [&](uint64_t pc) -> std::span<const uint32_t> {
    if (pc < begin || pc >= end) return {};
    const std::span<const uint32_t> all = texts.code().WordsAt(pc);
    return all.first(std::min<size_t>(all.size(), (end - pc) / 4));
  };
  return JitText({place.dispatch.processor, wave.mode, wave.vgpr_counts()}, words, begin, engine);
}

std::string Where(const CodeName& code, uint64_t pc) {
  return code.name.empty() ? fmt::format("{:#x}", pc)
                           : frontend::PlaceText(code.name, static_cast<int64_t>(pc - code.begin));
}

SourceFrames SourceOf(const CodeName& code, uint64_t pc) {
  return code.lines != nullptr ? code.lines->At(pc) : SourceFrames();
}

}  // namespace

std::string DescribeDivergence(const Place& place, const CodeName& code,
                               const differential::Engine& tested, const Divergence& divergence) {
  const Texts texts(place);
  const std::vector<uint64_t> shown = ShownBy(divergence);
  std::string text;
  if (!divergence.block.empty()) {
    text += fmt::format("Block at {}:\n", Where(code, divergence.block.front()));
    for (const uint64_t pc : divergence.block) {
      const bool marked = divergence.is_cut && std::ranges::count(shown, pc) != 0;
      text += fmt::format("{} {:#x}  {}\n", marked ? ">" : " ", pc, texts.Of(pc));
    }
  }
  if (divergence.is_cut) {
    text += fmt::format("The marked {} by {}:\n",
                        shown.size() == 1 ? "instruction shows it" : "instructions show it",
                        shown.size() == 1 ? "itself" : "themselves");
  } else {
    text += fmt::format(
        "The block is right by itself; with what surrounds it, after {} instructions:\n",
        divergence.instructions);
  }
  text += divergence.difference.Text();
  const int lane = LaneOf(divergence);
  for (const uint64_t pc : shown) {
    if (!divergence.is_cut && pc != shown.front()) break;
    const SourceFrames source = SourceOf(code, pc);
    if (!source.empty()) {
      text += fmt::format("  source: {}\n", DescribeSource(source, "\n          "));
    }
    const auto instruction = texts.At(pc);
    if (!instruction) continue;
    if (pc == divergence.begin) {
      text +=
          "  before: " + differential::OperandValues(*instruction, divergence.before.wave, lane) +
          "\n";
    }
  }
  if (divergence.block.empty()) return text;
  const uint64_t begin = divergence.is_cut ? divergence.begin : divergence.block.front();
  uint64_t end = divergence.end;
  if (!divergence.is_cut) {
    const uint64_t last = divergence.block.back();
    const auto instruction = texts.At(last);
    end = last + (instruction ? static_cast<uint64_t>(instruction->size) : 4);
  }
  return text + JitCodeText(place, texts, divergence, begin, end, tested);
}

nlohmann::json DivergenceToJson(const Place& place, const CodeName& code,
                                const Divergence& divergence) {
  const Texts texts(place);
  nlohmann::json json = {{"pc", divergence.begin},
                         {"by_itself", divergence.is_cut},
                         {"event", divergence.difference.event},
                         {"instructions", nlohmann::json::array()},
                         {"differences", nlohmann::json::array()}};
  for (const uint64_t pc : ShownBy(divergence)) {
    json["instructions"].push_back(
        {{"pc", pc}, {"text", texts.Of(pc)}, {"source", gcnjit::ToJson(SourceOf(code, pc))}});
  }
  for (const StateDifference& difference : divergence.difference.state) {
    json["differences"].push_back({{"what", difference.what},
                                   {"lane", difference.lane},
                                   {"lanes", difference.lanes},
                                   {"expected", difference.expected},
                                   {"got", difference.got}});
  }
  return json;
}

}  // namespace gcnjit::cli
