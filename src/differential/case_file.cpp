#include "differential/case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "differential/guest_image.h"
#include "differential/touched_pages.h"
#include "frontend/code_object/target.h"
#include "frontend/disassemble/disassembler.h"
#include "runtime/memory/memory_base.h"

namespace gcnjit::differential {
namespace {

using nlohmann::json;
using runtime::GuestMemory;

constexpr std::string_view kWhat = "gcnjit diff case";

// ---- Numbers and bytes as text

std::string Hex(uint64_t value) { return fmt::format("{:#x}", value); }

uint64_t Number(const json& value) {
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  const std::string text = value.get<std::string>();
  uint64_t number = 0;
  const std::string_view digits = std::string_view(text).substr(text.starts_with("0x") ? 2 : 0);
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, number, 16);
  if (digits.size() == text.size() || error != std::errc() || at != end) {
    throw std::runtime_error("'" + text + "' is no number");
  }
  return number;
}

// Pairs of digits; zeros at the end are left out.
std::string HexOf(std::span<const std::byte> bytes) {
  while (!bytes.empty() && bytes.back() == std::byte{0}) bytes = bytes.first(bytes.size() - 1);
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

// The rest becomes zeros.
void BytesOf(const json& value, std::span<std::byte> bytes) {
  const std::string text = value.get<std::string>();
  if (text.size() % 2 != 0 || text.size() / 2 > bytes.size()) {
    throw std::runtime_error("a string of bytes has the wrong length");
  }
  std::ranges::fill(bytes, std::byte{0});
  for (size_t n = 0; n < text.size() / 2; ++n) {
    unsigned byte = 0;
    const char* const at = text.data() + 2 * n;
    const auto [end, error] = std::from_chars(at, at + 2, byte, 16);
    if (error != std::errc() || end != at + 2) throw std::runtime_error("no hexadecimal digits");
    bytes[n] = std::byte(byte);
  }
}

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

json MemoryToJson(Place& place, const std::set<uint64_t>& pages) {
  json memory = json::array();
  for (const uint64_t page : pages) {
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(page), kPage);
    memory.push_back({{"address", Hex(page)},
                      {"writable", place.image.memory().Writable(page, 1)},
                      {"bytes", HexOf(bytes)}});
  }
  return memory;
}

json CodeToJson(const CodeRanges& ranges) {
  json code = json::array();
  for (const auto& [begin, end] : ranges) {
    code.push_back({{"begin", Hex(begin)}, {"end", Hex(end)}});
  }
  return code;
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

void MemoryFrom(const json& from, LoadedCase& to) {
  using enum GuestMemory::Access;
  const uint64_t first = to.memory->base() + GuestMemory::kGuardBytes;
  const uint64_t most = to.memory->base() + GuestMemory::kRangeBytes;
  uint64_t end = first;
  for (const json& page : from) {
    const uint64_t address = Number(page.at("address"));
    if (address % kPage != 0 || address < first || address >= most) {
      throw std::runtime_error("its memory is not where it says");
    }
    end = std::max(end, address + kPage);
  }
  if (end == first) throw std::runtime_error("it has no memory");
  const auto allocated = to.memory->Allocate(end - first, "memory of the case");
  if (!allocated) throw std::runtime_error(allocated.error().message);
  if (*allocated != first) throw std::runtime_error("its memory is not where it says");
  (void)to.memory->Protect(*allocated, end - first, kNone);
  for (const json& page : from) {
    const uint64_t address = Number(page.at("address"));
    BytesOf(page.at("bytes"), {reinterpret_cast<std::byte*>(address), kPage});
    const auto access = page.at("writable").get<bool>() ? kReadWrite : kReadOnly;
    if (const auto done = to.memory->Protect(address, kPage, access); !done) {
      throw std::runtime_error(done.error().message);
    }
  }
  to.image = std::make_unique<GuestImage>(*to.memory, std::vector{*allocated});
}

std::unique_ptr<LoadedCase> FromJson(const json& from) {
  if (from.at("what").get<std::string>() != kWhat) throw std::runtime_error("it is another file");
  auto to = std::make_unique<LoadedCase>();
  to->reference = from.at("engines").at(0).get<std::string>();
  to->tested = from.at("engines").at(1).get<std::string>();
  to->instructions = Number(from.at("instructions"));
  runtime::SetGuestMemoryBase(Number(from.at("base")));
  auto memory = GuestMemory::Reserve();
  runtime::SetGuestMemoryBase(0);
  if (!memory) throw std::runtime_error(memory.error().message);
  to->memory = *std::move(memory);
  MemoryFrom(from.at("memory"), *to);
  to->lds.resize(64 * 1024);
  to->place = std::make_unique<Place>(Place{{}, {}, *to->image, {}});
  for (const json& range : from.at("code")) {
    const uint64_t begin = Number(range.at("begin"));
    const uint64_t end = Number(range.at("end"));
    for (uint64_t page = begin / kPage * kPage; page < end; page += kPage) {
      if (!to->memory->Readable(page, 1)) throw std::runtime_error("some of its code is missing");
    }
    to->place->code.emplace_back(begin, end);
  }
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
                     {"memory", MemoryToJson(place, pages)}};
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
