// gcnjit::Launch: checks the request, builds what the kernel finds in memory, runs the grid.
#include "gcnjit/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "gcnjit/device.h"
#include "runtime/check/checker.h"
#include "runtime/host/processors.h"
#include "runtime/host/time_limit.h"
#include "runtime/jit/code_names.h"
#include "runtime/jit/region_cache.h"
#include "runtime/launch/caller_functions.h"
#include "runtime/launch/hostcall_service.h"
#include "runtime/launch/kernarg.h"
#include "runtime/launch/launch_memory.h"
#include "runtime/launch/prepared_launch.h"
#include "runtime/launch/printf_buffer.h"
#include "runtime/memory/errors.h"
#include "runtime/program/loaded_program.h"
#include "runtime/schedule/dispatcher.h"
#include "runtime/state/aql_packet.h"
#include "runtime/state/lds_size.h"
#include "runtime/state/residency.h"
#include "runtime/state/scratch_size.h"

namespace gcnjit {

Arguments& Arguments::Buffer(uint64_t address) {
  entries_.push_back({ArgumentKind::kGlobalBuffer, {}, address, 0});
  return *this;
}

Arguments& Arguments::Bytes(std::span<const std::byte> value) {
  entries_.push_back({ArgumentKind::kByValue, {value.begin(), value.end()}, 0, 0});
  return *this;
}

Arguments& Arguments::Local(uint32_t bytes) {
  entries_.push_back({ArgumentKind::kDynamicLds, {}, 0, bytes});
  return *this;
}

Arguments& Arguments::Segment(std::span<const std::byte> bytes) {
  segment_.emplace(bytes.begin(), bytes.end());
  return *this;
}

namespace runtime {
namespace {

constexpr uint32_t kMaxWorkgroupSize = 1024;
// TMPRING_SIZE.WAVESIZE can give a wave 8 MiB, so a lane 128 KiB.
constexpr uint32_t kMaxScratchPerLane = 128 * 1024;
// What a work-item gets beyond the stated size where the compiler could not bound the stack
// (recursion, function pointers): the depth LLVM itself assumes for unknown calls.
constexpr uint32_t kDynamicStackBytes = 16 * 1024;

uint64_t GroupsOf(const LaunchConfig& config) {
  const auto along = [](uint64_t global, uint32_t local) { return (global + local - 1) / local; };
  return along(config.global.x, config.local.x) * along(config.global.y, config.local.y) *
         along(config.global.z, config.local.z);
}

// No more threads than there are groups, nor than have scratch within the 32 bits of a wave's
// offset (and of the private segment buffer's NUM_RECORDS).
unsigned ThreadsFor(const LaunchConfig& config, uint64_t scratch_per_worker) {
  constexpr uint64_t kMaxThreads = 1024;
  // To ask takes longer than a small launch does.
  static const unsigned kProcessors = runtime::UsableProcessors();
  const uint64_t wanted = config.threads != 0 ? config.threads : kProcessors;
  const uint64_t with_scratch =
      scratch_per_worker == 0 ? kMaxThreads : uint64_t{UINT32_MAX} / scratch_per_worker;
  const uint64_t limit = std::min({kMaxThreads, with_scratch, GroupsOf(config)});
  return static_cast<unsigned>(std::clamp<uint64_t>(wanted, 1, limit));
}

template <typename T>
void Poke(uint64_t address, const T& value) {
  std::memcpy(reinterpret_cast<void*>(address), &value, sizeof value);
}

// The dispatch packet, then the queue it came from, at launch.dispatch_packet.
void WritePacketAndQueue(const LaunchState& launch, const LaunchConfig& config,
                         uint64_t kernel_object) {
  DispatchPacket packet = {};
  packet.header = 2;  // HSA_PACKET_TYPE_KERNEL_DISPATCH
  packet.setup = static_cast<uint16_t>(DimensionsOf(config));
  packet.workgroup_size[0] = static_cast<uint16_t>(config.local.x);
  packet.workgroup_size[1] = static_cast<uint16_t>(config.local.y);
  packet.workgroup_size[2] = static_cast<uint16_t>(config.local.z);
  packet.grid_size[0] = config.global.x;
  packet.grid_size[1] = config.global.y;
  packet.grid_size[2] = config.global.z;
  packet.private_segment_size = launch.scratch_per_lane;
  packet.group_segment_size = launch.asked_lds_bytes;
  packet.kernel_object = kernel_object;
  packet.kernarg_address = launch.kernarg;
  Poke(launch.dispatch_packet, packet);
  Poke(launch.queue + kQueueGroupApertureOffset, static_cast<uint32_t>(kSharedAperture >> 32));
  Poke(launch.queue + kQueuePrivateApertureOffset, static_cast<uint32_t>(kPrivateAperture >> 32));
}

void AddJitStatistics(const RegionCache& jit, frontend::Generation generation,
                      Statistics& statistics) {
  const JitStatistics compiled = jit.Statistics();
  statistics.compiled_regions = compiled.regions;
  statistics.compiled_instructions = compiled.guest_instructions;
  statistics.compile_seconds = compiled.compile_seconds;
  statistics.cached_regions = compiled.cached_regions;
  statistics.cache_seconds = compiled.cache_seconds;
  statistics.code_bytes = compiled.held_bytes + compiled.retired_bytes;
  statistics.discarded_regions = compiled.discarded_regions;
  for (const auto& [opcode, fallback] : compiled.fallbacks) {
    statistics.not_compiled[std::string(frontend::RowOf(opcode).Name(generation))] +=
        fallback.count;
  }
  for (const auto& [message, count] : compiled.failures) {
    statistics.not_compiled["(whole region: " + message + ")"] += count;
  }
}

// Looks at the program's symbols when the first name is asked for.
std::function<std::string(uint64_t)> NamesOf(const LoadedProgram& loaded) {
  return [&loaded](uint64_t pc) {
    return loaded.Derived<CodeNames>([&] { return std::make_shared<CodeNames>(loaded); })
        .NameOf(pc);
  };
}

// Is a work-group within `limit`, which is the kernel's; null: a device's?
Result<void> CheckGroupSize(const LaunchConfig& config, uint32_t limit, const KernelInfo* kernel) {
  uint64_t items = 1;
  for (const uint32_t along : {config.local.x, config.local.y, config.local.z}) {
    items *= std::min<uint64_t>(along, uint64_t{1} << 20);
  }
  if (items <= limit) return {};
  return InvalidArgument(
      fmt::format("a work-group of {} x {} x {} work-items is over the limit of {} for {}",
                  config.local.x, config.local.y, config.local.z, limit,
                  kernel != nullptr ? fmt::format("kernel '{}'", kernel->name) : "a device"));
}

// What the kernel's compiler was promised of work-groups and may rely on. Hardware does not look
// at it, so dispatch packets are not held to it.
Result<void> CheckPromises(const KernelInfo& kernel, const LaunchConfig& config) {
  const uint32_t local[3] = {config.local.x, config.local.y, config.local.z};
  for (int axis = 0; axis < 3; ++axis) {
    const uint32_t required = kernel.reqd_workgroup_size[axis];
    if (required != 0 && required != local[axis]) {
      return InvalidArgument(
          fmt::format("kernel '{}' requires work-groups of {} x {} x {} work-items", kernel.name,
                      kernel.reqd_workgroup_size[0], kernel.reqd_workgroup_size[1],
                      kernel.reqd_workgroup_size[2]));
    }
  }
  if (kernel.max_flat_workgroup_size == 0) return {};
  return CheckGroupSize(config, kernel.max_flat_workgroup_size, &kernel);
}

Error NoMemoryForLaunch() { return OutOfResources("the host has no memory left for this launch"); }

// What becomes of a launch that has all but its scratch.
using Finish = std::function<Result<LaunchResult>(const KernelInfo&, LaunchState&)>;

Result<LaunchResult> LaunchKernel(LoadedProgram& loaded, const std::string& name,
                                  const LaunchConfig& config, const Arguments& arguments,
                                  const Finish& finish) {
  const auto found = loaded.Find(name);
  if (!found) return found.error();
  const LoadedKernel& kernel = **found;
  const KernelInfo& info = *kernel.info;
  if (const auto checked = CheckPromises(info, config); !checked) return checked.error();
  if (const auto checked = CheckGeometry(config); !checked) return checked.error();
  const auto scratch_per_lane = ScratchPerLane(info, kernel.descriptor);
  if (!scratch_per_lane) return scratch_per_lane.error();

  LaunchState launch;
  launch.processor = loaded.processor();
  launch.descriptor = kernel.descriptor;
  launch.entry = kernel.entry_address;
  launch.global = config.global;
  launch.local = config.local;
  launch.scratch_per_lane = *scratch_per_lane;

  LaunchMemory memory(loaded);
  const auto system = memory.Allocate(sizeof(DispatchPacket) + kQueueBytes,
                                      "dispatch packet and queue", GuestMemory::Access::kReadOnly);
  if (!system) return system.error();
  launch.dispatch_packet = *system;
  launch.queue = *system + sizeof(DispatchPacket);

  const bool prints = config.print && kernel.printf_formats != nullptr;
  const auto printf_buffer = AllocatePrintfBuffer(info, prints, memory);
  if (!printf_buffer) return printf_buffer.error();
  std::unique_ptr<HostcallService> hostcalls;
  if (config.print && CallsHost(info)) {
    // Most kernels that have the argument do not use it: they need no thread and no memory for it.
    auto started = HostcallService::Start(memory, config.print);
    if (started) hostcalls = std::move(*started);
  }
  const HiddenAddresses hidden = {launch.queue, *printf_buffer,
                                  hostcalls != nullptr ? hostcalls->address() : 0};
  const auto kernarg =
      BuildKernarg(info, config, arguments, kernel.descriptor.kernarg_bytes, hidden);
  if (!kernarg) return kernarg.error();
  // Compilers load past the last argument, to a multiple of the segment's alignment (LLVM
  // AMDGPULowerKernelArguments: the segment's dereferenceable bytes), which HSA has as 16 at least.
  constexpr size_t kAlignment = 16;
  const size_t kernarg_bytes = (kernarg->bytes.size() + kAlignment - 1) / kAlignment * kAlignment;
  const auto kernarg_address = memory.Allocate(std::max(kernarg_bytes, kAlignment),
                                               "kernel arguments", GuestMemory::Access::kReadOnly);
  if (!kernarg_address) return kernarg_address.error();
  launch.kernarg = *kernarg_address;
  launch.fixed_kernarg_bytes = static_cast<uint32_t>(kernarg_bytes);
  std::copy(kernarg->bytes.begin(), kernarg->bytes.end(),
            reinterpret_cast<std::byte*>(launch.kernarg));

  if (const auto lds = SetLds(kernel, kernarg->dynamic_lds_bytes, launch); !lds) return lds.error();
  GlobalWaveSync wave_sync;
  launch.wave_sync = &wave_sync;
  WritePacketAndQueue(launch, config, kernel.descriptor_address);
  auto result = finish(info, launch);
  if (result && prints && *printf_buffer != 0) {
    result->print_loss = PrintBuffer(*printf_buffer, *kernel.printf_formats, config.print);
  }
  if (result && hostcalls != nullptr) {
    if (std::string loss = hostcalls->Stop(); !loss.empty()) result->print_loss = std::move(loss);
  }
  if (result && result->fault && hostcalls == nullptr) NoteMissingHost(info, *result->fault);
  if (result) memory.SetRuns();
  return result;
}

// Scratch of `memory`, for so many threads as result, or fewer than are asked for.
Result<unsigned> GiveScratch(const LaunchConfig& config, LaunchMemory& memory,
                             LaunchState& launch) {
  const uint64_t group_items = uint64_t{config.local.x} * config.local.y * config.local.z;
  const uint64_t waves_per_group = (group_items + kLanes - 1) / kLanes;
  const uint64_t scratch_per_worker =
      ScratchBytesPerWave(launch.scratch_per_lane) * waves_per_group;
  const unsigned threads =
      config.check != kCheckNothing ? 1 : ThreadsFor(config, scratch_per_worker);
  launch.resident_groups = ResidentGroups(launch.processor.generation, launch.descriptor,
                                          launch.lds_bytes, waves_per_group);
  if (scratch_per_worker == 0) return threads;
  // Groups that are set aside have scratch, too, within the same 32 bits.
  const uint64_t spaces = std::min({launch.resident_groups + threads, GroupsOf(config),
                                    uint64_t{UINT32_MAX} / scratch_per_worker});
  launch.scratch_total = scratch_per_worker * std::max<uint64_t>(spaces, threads);
  const auto scratch = memory.Allocate(scratch_per_worker * threads, "scratch",
                                       GuestMemory::Access::kReadWrite, launch.scratch_total);
  if (!scratch) return scratch.error();
  launch.scratch_base = *scratch;
  return threads;
}

// Reads the arguments that SGPRs start with.
Result<void> Preload(const GuestMemory& memory, const KernelInfo& kernel, LaunchState& launch) {
  const frontend::KernelDescriptor& kd = launch.descriptor;
  if (kd.preloaded_dwords == 0) return {};
  const uint64_t first = launch.kernarg + uint64_t{kd.first_preloaded_dword} * 4;
  const uint32_t bytes = kd.preloaded_dwords * 4;
  if (first % 4 != 0 || !memory.Readable(first, bytes)) {
    return InvalidArgument(fmt::format(
        "kernel '{}' starts with {} bytes of arguments in SGPRs, which are not readable "
        "at {:#x}",
        kernel.name, bytes, first));
  }
  std::memcpy(launch.preloaded.data(), reinterpret_cast<const void*>(first), bytes);
  return {};
}

}  // namespace

Result<void> CheckGeometry(const LaunchConfig& config) {
  const uint32_t global[3] = {config.global.x, config.global.y, config.global.z};
  const uint32_t local[3] = {config.local.x, config.local.y, config.local.z};
  for (int axis = 0; axis < 3; ++axis) {
    const char name = static_cast<char>('x' + axis);
    if (global[axis] == 0)
      return InvalidArgument(fmt::format("the grid has no work-items along {}", name));
    if (local[axis] == 0)
      return InvalidArgument(fmt::format("the work-group has no work-items along {}", name));
  }
  if (config.dimensions > 3) {
    return InvalidArgument(fmt::format("a grid has 1 to 3 dimensions, not {}", config.dimensions));
  }
  const uint32_t in_use = DimensionsInUse(config);
  if (config.dimensions != 0 && config.dimensions < in_use) {
    return InvalidArgument(
        fmt::format("the launch has {} dimension{}, but more than one work-item along {}",
                    config.dimensions, config.dimensions == 1 ? "" : "s", in_use == 2 ? 'y' : 'z'));
  }
  if (const auto fits = CheckGroupSize(config, kMaxWorkgroupSize, nullptr); !fits) return fits;
  uint64_t groups = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const uint64_t along = (uint64_t{global[axis]} + local[axis] - 1) / local[axis];
    if (groups > (uint64_t{1} << 62) / along)
      return InvalidArgument("the grid has too many work-groups");
    groups *= along;
  }
  return {};
}

Result<uint32_t> ScratchPerLane(const KernelInfo& kernel, const frontend::KernelDescriptor& kd) {
  uint64_t bytes = std::max(kernel.private_segment_size, kd.private_segment_bytes);
  if (kernel.uses_dynamic_stack || kd.uses_dynamic_stack) bytes += kDynamicStackBytes;
  bytes = (bytes + 3) / 4 * 4;
  if (bytes > kMaxScratchPerLane) {
    return OutOfResources(
        fmt::format("kernel '{}' asks for {} bytes of scratch a work-item; the limit is {}",
                    kernel.name, bytes, kMaxScratchPerLane));
  }
  return static_cast<uint32_t>(bytes);
}

Result<void> SetLds(const LoadedKernel& kernel, uint32_t dynamic_bytes, LaunchState& launch) {
  const KernelInfo& info = *kernel.info;
  const uint64_t bytes =
      uint64_t{std::max(info.group_segment_size, kernel.descriptor.group_segment_bytes)} +
      dynamic_bytes;
  const uint32_t most = MostLdsBytes(launch.processor.generation);
  if (bytes > most) {
    return OutOfResources(fmt::format("kernel '{}' needs {} bytes of LDS a work-group; {} has {}",
                                      info.name, bytes, info.target, most));
  }
  launch.asked_lds_bytes = static_cast<uint32_t>(bytes);
  launch.lds_bytes = AllocatedLdsBytes(launch.processor.generation, launch.asked_lds_bytes);
  return {};
}

// Function pointers lead to code of other programs too: rocFFT's kernels call what its user's
// program gives them. That program then stays for as long as this one.
std::optional<CodeMap::Elsewhere> CodeOfOthers(const LoadedProgram& loaded, uint64_t pc) {
  std::shared_ptr<const LoadedProgram> other = LoadedProgram::WithCodeAt(pc);
  if (other == nullptr || other.get() == &loaded || other->memory() != loaded.memory() ||
      other->processor() != loaded.processor()) {
    return std::nullopt;
  }
  for (const auto& [begin, end] : other->code_ranges()) {
    if (pc >= begin && pc < end) return CodeMap::Elsewhere{begin, end, std::move(other)};
  }
  return std::nullopt;
}

namespace {

// `failure` (may be null) may end it.
Result<LaunchResult> RunUnless(std::shared_ptr<StopFlags> failure, LoadedProgram& loaded,
                               const KernelInfo& info, const LaunchConfig& config,
                               const Arguments& arguments, LaunchState& launch) {
  if (config.max_wave_instructions != 0) {
    launch.max_wave_instructions = config.max_wave_instructions;
  }
  launch.count_instructions = config.count_instructions;

  LaunchMemory memory(loaded);
  if (const auto read = Preload(*loaded.memory(), info, launch); !read) return read.error();
  const auto threads = GiveScratch(config, memory, launch);
  if (!threads) return threads.error();
  const bool checks = config.check != kCheckNothing;
  CodeMap& code = loaded.Derived<CodeMap>([&loaded] {
    return std::make_shared<CodeMap>(loaded.processor(), loaded.code_ranges(), CodeMap::kMostPages,
                                     [&loaded](uint64_t pc) { return CodeOfOthers(loaded, pc); });
  });
  RegionCache* jit = nullptr;
  if (config.engine == Engine::kJit && !config.count_instructions && !checks) {
    std::string why_not;
    const std::optional<backend::HostIsa> isa = backend::ChooseHostIsa(&why_not);
    if (!isa) return Error{ErrorCode::kUnsupported, why_not};
    jit = &loaded.Derived<RegionCache>([&] {
      return std::make_shared<RegionCache>(code, JitOptions{*isa, false, NamesOf(loaded)});
    });
  }
  if (jit != nullptr) {
    jit->SetLimit(config.code_limit);
    jit->SetCache(config.cache ? config.cache->internal() : nullptr);
    if (config.compile_first) jit->WarmUpOf(launch.entry).End();
  }
  memory.SetRuns();
  std::optional<check::Checker> checker;
  if (checks) {
    launch.checker = &checker.emplace(launch, info, code, *loaded.memory(), config, arguments);
  }
  auto result = RunGrid(launch, info, code, jit, *loaded.memory(), *threads, config.timeout_seconds,
                        config.cancellation ? config.cancellation->internal() : nullptr,
                        config.progress, std::move(failure));
  if (!result) return result;
  if (checker) checker->MoveFindings(*result);
  if (jit != nullptr) AddJitStatistics(*jit, loaded.generation(), result->statistics);
  return result;
}

}  // namespace

Result<LaunchResult> RunPrepared(LoadedProgram& loaded, const KernelInfo& info,
                                 const LaunchConfig& config, const Arguments& arguments,
                                 LaunchState& launch) {
  return RunUnless(nullptr, loaded, info, config, arguments, launch);
}

// A kernel that calls the host reads what hidden_hostcall_buffer points to.
void NoteMissingHost(const KernelInfo& info, FaultReport& fault) {
  constexpr uint64_t kNullPage = 4096;
  if (!CallsHost(info)) return;
  if (fault.kind != FaultKind::kMemoryRead || fault.address >= kNullPage) return;
  if (!fault.detail.empty()) fault.detail += "; ";
  fault.detail +=
      "the kernel has a hidden_hostcall_buffer, which is null here: printf and other calls of the "
      "host are answered where LaunchConfig::print is set, as gcnjit run does";
}

Result<void> WithPreparedLaunch(LoadedProgram& loaded, const std::string& kernel,
                                const LaunchConfig& config, const Arguments& arguments,
                                const std::function<void(const LaunchState&)>& use) {
  const Finish finish = [&](const KernelInfo& info, LaunchState& launch) -> Result<LaunchResult> {
    if (const auto read = Preload(*loaded.memory(), info, launch); !read) return read.error();
    LaunchMemory memory(loaded);
    if (const auto threads = GiveScratch(config, memory, launch); !threads) return threads.error();
    use(launch);
    return LaunchResult{};
  };
  try {
    const auto result = LaunchKernel(loaded, kernel, config, arguments, finish);
    if (!result) return result.error();
    return {};
  } catch (const std::bad_alloc&) {
    return NoMemoryForLaunch();
  }
}

namespace {

Result<void> CheckOptions(const LaunchConfig& config) {
  const uint32_t unknown = config.check & ~uint32_t{kCheckAll};
  if (unknown != 0) {
    return InvalidArgument(fmt::format("check has bits that are no Checks: {:#x}", unknown));
  }
  return CheckTimeLimit(config.timeout_seconds);
}

// What the caller's functions throw is for them to throw again.
Result<LaunchResult> TryLaunch(LoadedProgram& loaded, const std::string& name,
                               const LaunchConfig& given, const Arguments& arguments,
                               std::optional<CallerFunctions>& functions) {
  try {
    functions.emplace(given);
    const LaunchConfig& config = functions->config();
    const auto finish = [&](const KernelInfo& info, LaunchState& launch) {
      return RunUnless(functions->stop(), loaded, info, config, arguments, launch);
    };
    return LaunchKernel(loaded, name, config, arguments, finish);
  } catch (const std::bad_alloc&) {
    return NoMemoryForLaunch();
  } catch (const std::exception& error) {
    return OutOfResources(error.what());
  }
}

}  // namespace

}  // namespace runtime

Result<LaunchResult> Launch(Device& device, const Program& program, const std::string& name,
                            const LaunchConfig& config, const Arguments& arguments) {
  // It stays, even if what the launch calls drops the Program.
  const std::shared_ptr<runtime::LoadedProgram> loaded = program.internal();
  if (device.memory() != loaded->memory()) {
    return runtime::InvalidArgument("the program was loaded on another device");
  }
  if (const auto checked = runtime::CheckOptions(config); !checked) return checked.error();
  std::optional<runtime::CallerFunctions> functions;
  auto result = runtime::TryLaunch(*loaded, name, config, arguments, functions);
  if (functions) functions->Rethrow();
  return result;
}

}  // namespace gcnjit
