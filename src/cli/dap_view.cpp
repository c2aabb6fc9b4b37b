#include "cli/dap_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>

#include "cli/dap_arguments.h"
#include "cli/dap_memory.h"
#include "runtime/state/grid.h"

namespace gcnjit::cli {

using debug::NumberFormat;
using nlohmann::json;

namespace {

constexpr uint32_t kLdsRow = 32;  // bytes

Error Unknown(std::string message) { return {ErrorCode::kNotFound, std::move(message)}; }

// `name` is what evaluates to it, too.
json Variable(const std::string& name, const std::string& value, int reference = 0) {
  return {
      {"name", name}, {"value", value}, {"evaluateName", name}, {"variablesReference", reference}};
}

json ReadOnly(const std::string& name, const std::string& value) {
  return {{"name", name},
          {"value", value},
          {"variablesReference", 0},
          {"presentationHint", {{"attributes", {"readOnly"}}}}};
}

}  // namespace

void DapView::Forget() {
  frames_.clear();
  references_.clear();
}

uint64_t DapView::ThreadOf(const debug::WaveName& wave) const {
  const uint64_t each = runtime::WavesOfGroup(target_.machine().launch());
  return wave.group * each + wave.wave + 1;
}

Result<debug::WaveName> DapView::WaveOf(uint64_t thread) const {
  const uint64_t each = runtime::WavesOfGroup(target_.machine().launch());
  const uint64_t number = std::max<uint64_t>(thread, 1) - 1;
  const debug::WaveName wave{number / each, static_cast<uint32_t>(number % each)};
  if (thread < 1 || IsGone(target_.machine(), wave)) {
    return Unknown(fmt::format("there is no wave {} now", thread));
  }
  return wave;
}

json DapView::Threads() const {
  json threads = json::array();
  for (const auto& [number, group] : target_.machine().groups()) {
    const auto& id = group->state().id;
    for (uint32_t n = 0; n < group->wave_count(); ++n) {
      const debug::WaveName wave{number, n};
      if (IsGone(target_.machine(), wave)) continue;
      threads.push_back(
          {{"id", ThreadOf(wave)},
           {"name", fmt::format("group ({}, {}, {}) wave {}", id[0], id[1], id[2], n)}});
    }
  }
  return {{"threads", threads}};
}

const runtime::WaveState& DapView::StateOf(const debug::WaveName& wave) const {
  return target_.machine().Find(wave.group)->registers(wave.wave);
}

int DapView::LaneOf(const debug::WaveName& wave) const {
  return std::min(std::countr_zero(StateOf(wave).exec()), runtime::kLanes - 1);
}

json DapView::SourceOf(const SourceFrame& frame) const {
  return {{"name", std::filesystem::path(frame.file).filename().string()}, {"path", frame.file}};
}

Result<json> DapView::StackTrace(const json& arguments) {
  const auto wave = WaveOf(NumberIn<uint64_t>(arguments, "threadId"));
  if (!wave) return wave.error();
  const uint64_t pc = StateOf(*wave).pc;
  json frames = json::array();
  const auto add = [&](json frame) {
    frames_.push_back(*wave);
    frame["id"] = frames_.size();
    frame["column"] = 0;
    frame["instructionPointerReference"] = fmt::format("{:#x}", pc);
    frames.push_back(std::move(frame));
  };
  for (const SourceFrame& frame : target_.session().lines().At(pc)) {
    const std::string name = frame.function.empty() ? target_.PlaceText(pc) : frame.function;
    add({{"name", name}, {"line", frame.line}, {"source", SourceOf(frame)}});
  }
  if (frames.empty()) add({{"name", target_.PlaceText(pc)}, {"line", 0}});
  return json{{"stackFrames", frames}, {"totalFrames", frames.size()}};
}

int DapView::Refer(const debug::WaveName& wave, Kind kind, uint32_t reg) {
  references_.push_back({wave, kind, reg});
  return static_cast<int>(references_.size());
}

Result<json> DapView::Scopes(const json& arguments) {
  const auto frame = NumberIn<size_t>(arguments, "frameId");
  if (frame == 0 || frame > frames_.size()) return Unknown("there is no such frame now");
  const debug::WaveName wave = frames_[frame - 1];
  json scopes = json::array();
  const auto add = [&](const char* name, Kind kind) {
    scopes.push_back({{"name", name},
                      {"presentationHint", "registers"},
                      {"variablesReference", Refer(wave, kind)},
                      {"expensive", kind == Kind::kLds}});
  };
  add("Wave", Kind::kWave);
  add("Vector registers", Kind::kVectors);
  add("Scalar registers", Kind::kScalars);
  if (target_.machine().launch().lds_bytes != 0) add("LDS", Kind::kLds);
  return json{{"scopes", scopes}};
}

Result<json> DapView::Variables(const json& arguments) {
  const auto number = NumberIn<size_t>(arguments, "variablesReference");
  if (number == 0 || number > references_.size()) return Unknown("there is no such variable now");
  const Reference reference = references_[number - 1];
  json variables;
  switch (reference.kind) {
    case Kind::kWave: variables = WaveVariables(reference.wave); break;
    case Kind::kScalars: variables = ScalarVariables(reference.wave); break;
    case Kind::kVectors: variables = VectorVariables(reference.wave); break;
    case Kind::kLanes: variables = LaneVariables(reference.wave, reference.reg); break;
    case Kind::kLds: variables = LdsVariables(reference.wave); break;
    case Kind::kLdsRow: variables = LdsWords(reference.wave, reference.reg); break;
  }
  const auto start = std::min<size_t>(NumberIn<size_t>(arguments, "start", 0), variables.size());
  const auto count = NumberIn<size_t>(arguments, "count", 0);
  if (count == 0 && start == 0) return json{{"variables", variables}};
  const size_t rest = variables.size() - start;
  const size_t end = start + (count == 0 ? rest : std::min(count, rest));
  json some = json::array();
  for (size_t n = start; n < end; ++n) some.push_back(variables[n]);
  return json{{"variables", some}};
}

json DapView::WaveVariables(const debug::WaveName& wave) {
  const runtime::WaveState& state = StateOf(wave);
  return {Variable("pc", fmt::format("{:#x}  {}", state.pc, target_.PlaceText(state.pc))),
          ReadOnly("next", target_.Disassembly(state.pc)),
          Variable("exec", MaskText(state.exec())),
          Variable("vcc", MaskText(state.vcc())),
          Variable("scc", fmt::format("{}", state.scc)),
          Variable("m0", AllFormats(state.m0())),
          ReadOnly("mode", fmt::format("{:#x}", state.mode))};
}

json DapView::ScalarVariables(const debug::WaveName& wave) {
  const runtime::WaveState& state = StateOf(wave);
  json variables = json::array();
  const uint32_t count = std::clamp(target_.kernel().sgpr_count, 16u, 102u);
  for (uint32_t n = 0; n < count; ++n) {
    json variable = Variable(fmt::format("s{}", n), AllFormats(state.sgpr[n]));
    const uint64_t pair = state.Pair(static_cast<int>(n));
    if (n % 2 == 0 && target_.machine().memory().Readable(pair, 1)) {
      variable["memoryReference"] = fmt::format("{:#x}", pair);
    }
    variables.push_back(std::move(variable));
  }
  return variables;
}

json DapView::VectorVariables(const debug::WaveName& wave) {
  const runtime::WaveState& state = StateOf(wave);
  json variables = json::array();
  const int lane = LaneOf(wave);
  const auto add = [&](uint32_t first, uint32_t count) {
    for (uint32_t n = first; n < first + count; ++n) {
      json variable = Variable(frontend::VectorRegisterName(static_cast<int>(n)),
                               fmt::format("lane {}: {}", lane, AllFormats(state.vgpr[n][lane])),
                               Refer(wave, Kind::kLanes, n));
      variable["indexedVariables"] = runtime::kLanes;
      variables.push_back(std::move(variable));
    }
  };
  add(0, state.vgpr_count);
  add(runtime::kFirstAccVgpr, state.acc_vgpr_count);
  return variables;
}

json DapView::LaneVariables(const debug::WaveName& wave, uint32_t reg) {
  const runtime::WaveState& state = StateOf(wave);
  json variables = json::array();
  for (int lane = 0; lane < runtime::kLanes; ++lane) {
    const bool is_on = (state.exec() >> lane & 1) != 0;
    json variable = Variable(fmt::format("{}", lane),
                             AllFormats(state.vgpr[reg][lane]) + (is_on ? "" : "  (not in EXEC)"));
    variable["evaluateName"] =
        fmt::format("{}[{}]", frontend::VectorRegisterName(static_cast<int>(reg)), lane);
    variables.push_back(std::move(variable));
  }
  return variables;
}

json DapView::LdsVariables(const debug::WaveName& wave) {
  const runtime::WorkgroupState& group = target_.machine().Find(wave.group)->state();
  json variables = json::array();
  for (uint32_t at = 0; at < group.lds_bytes; at += kLdsRow) {
    const auto numbers = debug::NumberTexts(group.lds + at, std::min(kLdsRow, group.lds_bytes - at),
                                            NumberFormat::kHex);
    json variable =
        ReadOnly(fmt::format("{:#06x}", at), fmt::format("{}", fmt::join(numbers, " ")));
    variable["variablesReference"] = Refer(wave, Kind::kLdsRow, at);
    variable["memoryReference"] = LdsReference(wave.group, at);
    variables.push_back(std::move(variable));
  }
  return variables;
}

json DapView::LdsWords(const debug::WaveName& wave, uint32_t row) {
  const runtime::WorkgroupState& group = target_.machine().Find(wave.group)->state();
  json variables = json::array();
  for (uint32_t at = row; at < std::min(row + kLdsRow, group.lds_bytes); at += 4) {
    uint32_t word = 0;
    std::memcpy(&word, group.lds + at, sizeof word);
    json variable = Variable(fmt::format("{:#06x}", at), AllFormats(word));
    variable["evaluateName"] = fmt::format("lds[{:#x}]", at);
    variable["memoryReference"] = LdsReference(wave.group, at);
    variables.push_back(std::move(variable));
  }
  return variables;
}

}  // namespace gcnjit::cli
