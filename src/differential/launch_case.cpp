#include "differential/launch_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "differential/case_json.h"
#include "differential/touched_pages.h"
#include "frontend/code_object/target.h"
#include "runtime/state/grid.h"

namespace gcnjit::differential {
namespace {

using namespace case_json;

using Descriptor = frontend::KernelDescriptor;
using runtime::LaunchState;

constexpr std::string_view kLaunchCase = "gcnjit diff launch";
constexpr uint32_t kMostCaseLds = 64 * 1024;

struct DwordField {
  const char* name;
  uint32_t Descriptor::*field;
};
constexpr DwordField kDescriptorDwords[] = {
    {"group_segment_bytes", &Descriptor::group_segment_bytes},
    {"private_segment_bytes", &Descriptor::private_segment_bytes},
    {"kernarg_bytes", &Descriptor::kernarg_bytes},
    {"rsrc1", &Descriptor::rsrc1},
    {"rsrc2", &Descriptor::rsrc2},
    {"rsrc3", &Descriptor::rsrc3},
    {"preloaded_dwords", &Descriptor::preloaded_dwords},
    {"first_preloaded_dword", &Descriptor::first_preloaded_dword}};

struct FlagField {
  const char* name;
  bool Descriptor::*field;
};
constexpr FlagField kDescriptorFlags[] = {
    {"private_segment_buffer", &Descriptor::private_segment_buffer},
    {"dispatch_ptr", &Descriptor::dispatch_ptr},
    {"queue_ptr", &Descriptor::queue_ptr},
    {"kernarg_segment_ptr", &Descriptor::kernarg_segment_ptr},
    {"dispatch_id", &Descriptor::dispatch_id},
    {"flat_scratch_init", &Descriptor::flat_scratch_init},
    {"private_segment_size", &Descriptor::private_segment_size},
    {"uses_dynamic_stack", &Descriptor::uses_dynamic_stack}};

struct AddressField {
  const char* name;
  uint64_t LaunchState::*field;
};
constexpr AddressField kLaunchAddresses[] = {{"entry", &LaunchState::entry},
                                             {"kernarg", &LaunchState::kernarg},
                                             {"dispatch_packet", &LaunchState::dispatch_packet},
                                             {"queue", &LaunchState::queue},
                                             {"dispatch_id", &LaunchState::dispatch_id},
                                             {"scratch_base", &LaunchState::scratch_base},
                                             {"scratch_total", &LaunchState::scratch_total}};

struct SizeField {
  const char* name;
  uint32_t LaunchState::*field;
};
constexpr SizeField kLaunchSizes[] = {{"fixed_kernarg_bytes", &LaunchState::fixed_kernarg_bytes},
                                      {"scratch_per_lane", &LaunchState::scratch_per_lane},
                                      {"lds_bytes", &LaunchState::lds_bytes},
                                      {"asked_lds_bytes", &LaunchState::asked_lds_bytes}};

json DescriptorToJson(const Descriptor& descriptor) {
  json to;
  for (const DwordField& at : kDescriptorDwords) to[at.name] = descriptor.*at.field;
  for (const FlagField& at : kDescriptorFlags) to[at.name] = descriptor.*at.field;
  to["grid_workgroup_count"] = descriptor.grid_workgroup_count;
  return to;
}

Descriptor DescriptorFrom(const json& from, frontend::Generation generation) {
  Descriptor to;
  to.generation = generation;
  for (const DwordField& at : kDescriptorDwords) to.*at.field = from.at(at.name).get<uint32_t>();
  for (const FlagField& at : kDescriptorFlags) to.*at.field = from.at(at.name).get<bool>();
  for (size_t axis = 0; axis < 3; ++axis) {
    to.grid_workgroup_count[axis] = from.at("grid_workgroup_count").at(axis).get<bool>();
  }
  to.preloaded_dwords = std::min(to.preloaded_dwords, frontend::kMostUserSgprs);
  return to;
}

json LaunchToJson(const LaunchState& launch, uint64_t groups) {
  const auto dims = [](const Dim3& dim) { return json{dim.x, dim.y, dim.z}; };
  json to = {{"descriptor", DescriptorToJson(launch.descriptor)},
             {"preloaded", launch.preloaded},
             {"global", dims(launch.global)},
             {"local", dims(launch.local)},
             {"groups", groups}};
  for (const AddressField& at : kLaunchAddresses) to[at.name] = Hex(launch.*at.field);
  for (const SizeField& at : kLaunchSizes) to[at.name] = launch.*at.field;
  return to;
}

Dim3 DimsFrom(const json& from, uint64_t most) {
  Dim3 to;
  uint32_t* const dims[] = {&to.x, &to.y, &to.z};
  uint64_t items = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    *dims[axis] = from.at(axis).get<uint32_t>();
    items *= *dims[axis];
    if (items == 0 || items > most) throw std::runtime_error("its grid is none");
  }
  return to;
}

LaunchState LaunchFrom(const json& from, const frontend::Processor& processor) {
  constexpr uint64_t kMostOfGrid = uint64_t{1} << 31;
  constexpr uint64_t kMostOfGroup = 1024;
  LaunchState to;
  to.processor = processor;
  to.descriptor = DescriptorFrom(from.at("descriptor"), processor.generation);
  to.preloaded = from.at("preloaded").get<decltype(to.preloaded)>();
  to.global = DimsFrom(from.at("global"), kMostOfGrid);
  to.local = DimsFrom(from.at("local"), kMostOfGroup);
  to.most_groups = from.at("groups").get<uint64_t>();
  for (const AddressField& at : kLaunchAddresses) to.*at.field = Number(from.at(at.name));
  for (const SizeField& at : kLaunchSizes) to.*at.field = from.at(at.name).get<uint32_t>();
  if (to.lds_bytes > kMostCaseLds) throw std::runtime_error("it has too much LDS");
  return to;
}

// ---- Memory

std::set<uint64_t> TouchedBy(GridPlace& grid, const GuestImage::Copy& from, const Engine& reference,
                             const LaunchDivergence& found, uint64_t groups) {
  std::set<uint64_t> pages;
  const auto take = [&](const auto& run) {
    grid.place.image.Restore(from);
    TouchedPages touched(grid.place.image.readable());
    run();
    for (const uint64_t page : touched.Take()) pages.insert(page);
  };
  take([&] {
    constexpr uint64_t kWholeTurn = uint64_t{1} << 40;
    PreparedCode code(reference, grid.launch.processor, grid.place.code);
    bool is_over = false;
    for (uint64_t index = 0; index < groups && !is_over; ++index) {
      GroupRun group(grid, index);
      while (group.Take(code.run(), kWholeTurn)) {
      }
      is_over = group.faulted();
    }
  });
  take([&] {
    constexpr double kNoLimit = 0;
    runtime::CodeMap code(grid.launch.processor, grid.place.code);
    found.engine->prepare_launch(code)(grid, {}, {groups, kNoLimit});
  });
  return pages;
}

json RangesToJson(std::span<const std::span<std::byte>> ranges) {
  json list = json::array();
  for (const std::span<std::byte> range : ranges) {
    const auto begin = reinterpret_cast<uint64_t>(range.data());
    list.push_back({{"begin", Hex(begin)}, {"end", Hex(begin + range.size())}});
  }
  return list;
}

uint64_t EndOf(const json& ranges) {
  uint64_t end = 0;
  for (const json& range : ranges) end = std::max(end, Number(range.at("end")));
  return end;
}

// What may be accessed, whether or not it is: compiled code looks around.
void ProtectRanges(const json& ranges, runtime::GuestMemory::Access access, const CaseMemory& in) {
  for (const json& range : ranges) {
    const uint64_t begin = Number(range.at("begin"));
    const uint64_t end = Number(range.at("end"));
    const bool is_inside = begin >= in.begin && begin < end && end <= in.end;
    if (!is_inside || begin % kPage != 0 || end % kPage != 0) {
      throw std::runtime_error("its memory is not where it says");
    }
    if (const auto done = in.memory->Protect(begin, end - begin, access); !done) {
      throw std::runtime_error(done.error().message);
    }
  }
}

std::unique_ptr<LoadedLaunch> LoadLaunch(const json& from) {
  using enum runtime::GuestMemory::Access;
  auto to = std::make_unique<LoadedLaunch>();
  to->reference = from.at("engines").at(0).get<std::string>();
  to->tested = from.at("engines").at(1).get<std::string>();
  to->threads = from.at("threads").get<unsigned>();
  const json& readable = from.at("readable");
  const uint64_t base = Number(from.at("base"));
  const uint64_t end = EndOf(readable);
  if (end < base || end - base > runtime::GuestMemory::kRangeBytes) {
    throw std::runtime_error("its memory is not where it says");
  }
  const CaseMemory memory = MemoryFrom(from.at("base"), from.at("memory"), end);
  to->memory = memory.memory;
  ProtectRanges(readable, kReadOnly, memory);
  ProtectRanges(from.at("writable"), kReadWrite, memory);
  const auto processor = frontend::ProcessorOfTarget(from.at("target").get<std::string>());
  if (!processor) throw std::runtime_error("it is for a target that is not known");
  to->launch = LaunchFrom(from.at("launch"), *processor);
  to->image = std::make_unique<GuestImage>(*to->memory, std::vector{memory.begin});
  to->place =
      std::make_unique<Place>(Place{{}, {}, *to->image, CodeFrom(from.at("code"), *memory.memory)});
  to->lds.resize(kMostCaseLds);
  to->place->group.lds = to->lds.data();
  to->place->group.lds_bytes = to->launch.lds_bytes;
  runtime::DispatchState& dispatch = to->place->dispatch;
  dispatch.processor = *processor;
  dispatch.memory = to->memory.get();
  dispatch.gds = to->image->gds().data();
  dispatch.stop = &to->stop;
  dispatch.entry = to->launch.entry;
  dispatch.scratch_base = to->launch.scratch_base;
  dispatch.dispatch_packet = to->launch.dispatch_packet;
  dispatch.queue = to->launch.queue;
  to->starter = std::make_unique<runtime::WaveStarter>(to->launch);
  to->image->Save(to->from);
  return to;
}

}  // namespace

std::string WriteLaunchCase(GridPlace& grid, const GuestImage::Copy& from, const Engine& reference,
                            const LaunchDivergence& found) {
  const uint64_t groups = found.groups != 0 ? found.groups : grid.group_count();
  const std::set<uint64_t> pages = TouchedBy(grid, from, reference, found, groups);
  GuestImage& image = grid.place.image;
  image.Restore(from);
  const json file = {{"what", kLaunchCase},
                     {"target", frontend::TargetOf(grid.launch.processor)},
                     {"engines", {reference.name, found.engine->name}},
                     {"threads", found.threads},
                     {"launch", LaunchToJson(grid.launch, groups)},
                     {"base", Hex(image.memory().base())},
                     {"code", CodeToJson(grid.place.code)},
                     {"readable", RangesToJson(image.readable())},
                     {"writable", RangesToJson(image.writable().subspan(1))},  // not the GDS
                     {"memory", MemoryToJson(image.memory(), pages)}};
  return file.dump(1) + "\n";
}

bool IsLaunchCase(const std::string& text) {
  const json file = json::parse(text, nullptr, /*allow_exceptions=*/false);
  return file.is_object() && file.contains("what") && file["what"] == kLaunchCase;
}

Result<std::unique_ptr<LoadedLaunch>> ReadLaunchCase(const std::string& text) {
  try {
    return LoadLaunch(json::parse(text));
  } catch (const std::exception& error) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("this is no case that 'gcnjit diff' wrote: {}", error.what())};
  }
}

ReplayedLaunch Replay(LoadedLaunch& loaded, const Engine& reference,
                      const std::vector<Engine>& tested) {
  GridPlace grid{loaded.launch, *loaded.starter, *loaded.place};
  const KernelInfo kernel;
  ReplayedLaunch replayed;
  replayed.by_group = DiffKernel(grid, kernel, reference, {}, {});
  replayed.whole = DiffLaunch(grid, kernel, reference, tested, loaded.from, replayed.by_group,
                              {.threads = loaded.threads});
  return replayed;
}

}  // namespace gcnjit::differential
