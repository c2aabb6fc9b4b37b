#include "differential/case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "differential/case_json.h"
#include "differential/guest_image.h"
#include "differential/touched_pages.h"
#include "frontend/code_object/target.h"
#include "frontend/disassemble/disassembler.h"

namespace gcnjit::differential {
namespace {

using namespace case_json;

constexpr std::string_view kWhat = "gcnjit diff case";

// ---- The parts of a case

json WaveToJson(const runtime::WaveState& wave) {
  json vgprs = json::object();
  const auto put = [&](uint32_t from, uint32_t count) {
    for (uint32_t reg = from; reg < from + count; ++reg) {
      const std::string bytes = HexOf(std::as_bytes(std::span(wave.vgpr[reg])));
      if (!bytes.empty()) vgprs[std::to_string(reg)] = bytes;
    }
  };
  put(0, wave.vgpr_count);
  put(runtime::kFirstAccVgpr, wave.acc_vgpr_count);
  return {{"pc", Hex(wave.pc)},
          {"mode", Hex(wave.mode)},
          {"trapsts", Hex(wave.trapsts)},
          {"scc", wave.scc},
          {"wave_in_group", wave.wave_in_group},
          {"vgpr_count", wave.vgpr_count},
          {"acc_vgpr_count", wave.acc_vgpr_count},
          {"sgprs", HexOf(std::as_bytes(std::span(wave.sgpr)))},
          {"vgprs", vgprs}};
}

void WaveFrom(const json& from, runtime::WaveState& wave) {
  std::memset(static_cast<void*>(&wave), 0, sizeof wave);
  wave.pc = Number(from.at("pc"));
  wave.mode = static_cast<uint32_t>(Number(from.at("mode")));
  wave.trapsts = static_cast<uint32_t>(Number(from.at("trapsts")));
  wave.scc = from.at("scc").get<uint32_t>() & 1;
  wave.wave_in_group = from.at("wave_in_group").get<uint32_t>();
  wave.vgpr_count = std::min<uint32_t>(from.at("vgpr_count").get<uint32_t>(), runtime::kMaxVgprs);
  wave.acc_vgpr_count = std::min<uint32_t>(from.value("acc_vgpr_count", 0u), runtime::kMaxVgprs);
  BytesOf(from.at("sgprs"), std::as_writable_bytes(std::span(wave.sgpr)));
  for (const auto& [reg, bytes] : from.at("vgprs").items()) {
    const size_t number = std::stoul(reg);
    if (number >= runtime::kVectorRegisters) throw std::runtime_error("there is no v" + reg);
    BytesOf(bytes, std::as_writable_bytes(std::span(wave.vgpr[number])));
  }
}

json GroupToJson(const runtime::WorkgroupState& group, const Situation& from) {
  return {{"id", group.id},
          {"size", group.size},
          {"waves", group.wave_count},
          {"shape", Hex(std::bit_cast<uint64_t>(group.shape))},
          {"lds_bytes", group.lds_bytes},
          {"lds", HexOf(from.lds)}};
}

// One of those that groups of this size have: compiled code relies on it.
runtime::GroupShape ShapeFrom(const json& from, const std::array<uint32_t, 3>& size) {
  const auto shape = std::bit_cast<runtime::GroupShape>(Number(from));
  if (shape != runtime::GroupShape{} && shape != runtime::GroupShapeOf(size, shape.id_vgprs)) {
    throw std::runtime_error("its work-group has another shape");
  }
  return shape;
}

void GroupFrom(const json& from, LoadedCase& to) {
  constexpr uint32_t kMostLds = 64 * 1024;
  runtime::WorkgroupState& group = to.place->group;
  group.id = from.at("id").get<std::array<uint32_t, 3>>();
  group.size = from.at("size").get<std::array<uint32_t, 3>>();
  group.wave_count = from.at("waves").get<uint32_t>();
  group.shape = ShapeFrom(from.at("shape"), group.size);
  group.lds_bytes = std::min<uint32_t>(from.at("lds_bytes").get<uint32_t>(), kMostLds);
  group.lds = to.lds.data();
  to.from.lds.resize(group.lds_bytes);
  BytesOf(from.at("lds"), to.from.lds);
}

json DispatchToJson(const runtime::DispatchState& dispatch) {
  return {{"entry", Hex(dispatch.entry)},
          {"scratch_base", Hex(dispatch.scratch_base)},
          {"packet", Hex(dispatch.dispatch_packet)},
          {"queue", Hex(dispatch.queue)}};
}

void DispatchFrom(const json& from, runtime::DispatchState& dispatch) {
  dispatch.entry = Number(from.at("entry"));
  dispatch.scratch_base = Number(from.at("scratch_base"));
  dispatch.dispatch_packet = Number(from.at("packet"));
  dispatch.queue = Number(from.at("queue"));
}

// Pages that either engine accesses, code included.
std::set<uint64_t> PagesOf(Place& place, const Engine& reference, const Engine& tested,
                           const Divergence& divergence, const CodeRanges& code) {
  std::set<uint64_t> pages;
  for (const Engine* engine : {&reference, &tested}) {
    place.image.Restore(divergence.before.memory);
    std::ranges::copy(divergence.before.lds, place.group.lds);
    auto state = std::make_unique<runtime::WaveState>(divergence.before.wave);
    state->is_new = false;
    state->waits_in = 0;
    runtime::Wave wave{*state, place.group, place.dispatch};
    TouchedPages touched(place.image.readable());
    PreparedCode prepared(*engine, place.dispatch.processor, code);
    uint64_t executed = 0;
    do {
      executed += prepared.run()(wave, divergence.instructions - executed);
    } while (wave.event == runtime::WaveEvent::kNone && executed < divergence.instructions);
    for (const uint64_t page : touched.Take()) pages.insert(page);
  }
  return pages;
}

// Of what was executed of a block, for the reader.
json TextOf(const Place& place, const Divergence& divergence) {
  const runtime::CodeMap code(place.dispatch.processor, place.code);
  json text = json::array();
  for (const uint64_t pc : divergence.block) {
    frontend::Instruction instruction;
    if (divergence.is_cut && (pc < divergence.begin || pc >= divergence.end)) continue;
    if (frontend::Decode(place.dispatch.processor, code.WordsAt(pc), instruction) ==
        frontend::DecodeStatus::kOk) {
      text.push_back(frontend::Disassemble(place.dispatch.processor.generation, instruction, pc));
    }
  }
  return text;
}

std::unique_ptr<LoadedCase> FromJson(const json& from) {
  if (from.at("what").get<std::string>() != kWhat) throw std::runtime_error("it is another file");
  auto to = std::make_unique<LoadedCase>();
  to->reference = from.at("engines").at(0).get<std::string>();
  to->tested = from.at("engines").at(1).get<std::string>();
  to->instructions = Number(from.at("instructions"));
  const CaseMemory memory = MemoryFrom(from.at("base"), from.at("memory"));
  to->memory = memory.memory;
  to->image = std::make_unique<GuestImage>(*to->memory, std::vector{memory.begin});
  to->lds.resize(64 * 1024);
  to->place = std::make_unique<Place>(Place{{}, {}, *to->image, {}});
  to->place->code = CodeFrom(from.at("code"), *to->memory);
  runtime::DispatchState& dispatch = to->place->dispatch;
  const auto processor = frontend::ProcessorOfTarget(from.at("target").get<std::string>());
  if (!processor) throw std::runtime_error("it is for a target that is not known");
  dispatch.processor = *processor;
  dispatch.memory = to->memory.get();
  dispatch.gds = to->image->gds().data();
  dispatch.stop = &to->stop;
  DispatchFrom(from.at("dispatch"), dispatch);
  BytesOf(from.at("gds"), to->image->gds());
  GroupFrom(from.at("group"), *to);
  WaveFrom(from.at("wave"), to->from.wave);
  to->image->Save(to->from.memory);
  return to;
}

}  // namespace

std::string WriteCase(Place& place, const Engine& reference, const Engine& tested,
                      const Divergence& divergence) {
  const CodeRanges code =
      divergence.is_cut ? CodeRanges{{divergence.begin, divergence.end}} : place.code;
  const std::set<uint64_t> pages = PagesOf(place, reference, tested, divergence, code);
  place.image.Restore(divergence.before.memory);
  const json file = {{"what", kWhat},
                     {"target", frontend::TargetOf(place.dispatch.processor)},
                     {"engines", {reference.name, tested.name}},
                     {"instructions", divergence.instructions},
                     {"text", TextOf(place, divergence)},
                     {"base", Hex(place.image.memory().base())},
                     {"code", CodeToJson(code)},
                     {"dispatch", DispatchToJson(place.dispatch)},
                     {"group", GroupToJson(place.group, divergence.before)},
                     {"wave", WaveToJson(divergence.before.wave)},
                     {"gds", HexOf(place.image.gds())},
                     {"memory", MemoryToJson(place.image.memory(), pages)}};
  return file.dump(1) + "\n";
}

Result<std::unique_ptr<LoadedCase>> ReadCase(const std::string& text) {
  try {
    return FromJson(json::parse(text));
  } catch (const std::exception& error) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("this is no case that 'gcnjit diff' wrote: {}", error.what())};
  }
}

}  // namespace gcnjit::differential
