#include "runtime/launch/kernarg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "frontend/code_object/code_object.h"
#include "runtime/launch/given_arguments.h"
#include "runtime/memory/errors.h"
#include "runtime/state/wave_state.h"

namespace gcnjit::runtime {
namespace {

Error Mistake(std::string message) {
  return Error{ErrorCode::kInvalidArgument, std::move(message)};
}

// `kind` is `prefix` and a letter: 0 to 2 for x to z. The file may say anything.
std::optional<int> AxisOf(std::string_view kind, std::string_view prefix) {
  if (kind.size() != prefix.size() + 1 || !kind.starts_with(prefix)) return std::nullopt;
  const int axis = kind.back() - 'x';
  return axis >= 0 && axis < 3 ? std::optional(axis) : std::nullopt;
}

uint32_t Along(const Dim3& dim, int axis) { return axis == 0 ? dim.x : axis == 1 ? dim.y : dim.z; }

// The value of a hidden argument; nullopt: a kind that is not provided. Services that gcnjit does
// not run (device enqueue, heaps) get null.
std::optional<uint64_t> HiddenValue(std::string_view kind, const LaunchConfig& c,
                                    uint32_t dynamic_lds, const HiddenAddresses& hidden) {
  if (const auto axis = AxisOf(kind, "hidden_block_count_")) {
    return Along(c.global, *axis) / Along(c.local, *axis);  // complete groups only
  }
  if (const auto axis = AxisOf(kind, "hidden_group_size_")) return Along(c.local, *axis);
  if (const auto axis = AxisOf(kind, "hidden_remainder_")) {
    return Along(c.global, *axis) % Along(c.local, *axis);
  }
  if (const auto axis = AxisOf(kind, "hidden_global_offset_")) return c.offset[*axis];
  if (kind == "hidden_grid_dims") return DimensionsOf(c);
  if (kind == "hidden_private_base") return kPrivateAperture >> 32;
  if (kind == "hidden_shared_base") return kSharedAperture >> 32;
  if (kind == "hidden_queue_ptr") return hidden.queue;
  if (kind == "hidden_printf_buffer") return hidden.printf_buffer;
  if (kind == "hidden_hostcall_buffer") return hidden.hostcall_buffer;
  if (kind == "hidden_dynamic_lds_size") return dynamic_lds;
  static constexpr std::string_view kNull[] = {"hidden_none", "hidden_default_queue",
                                               "hidden_completion_action",
                                               "hidden_multigrid_sync_arg", "hidden_heap_v1"};
  if (std::find(std::begin(kNull), std::end(kNull), kind) != std::end(kNull)) return 0;
  return std::nullopt;
}

const char* KindName(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::kByValue: return "a value";
    case ArgumentKind::kGlobalBuffer: return "a buffer";
    case ArgumentKind::kDynamicLds: return "a size of local memory (local:BYTES)";
    case ArgumentKind::kUnsupported:
    case ArgumentKind::kHidden: break;
  }
  return "nothing";
}

std::string Name(const ArgumentInfo& argument, size_t index) {
  return argument.name.empty() ? fmt::format("argument {}", index)
                               : fmt::format("argument {} ('{}')", index, argument.name);
}

}  // namespace

uint32_t DimensionsInUse(const LaunchConfig& config) {
  if (config.global.z > 1 || config.local.z > 1) return 3;
  return config.global.y > 1 || config.local.y > 1 ? 2 : 1;
}

uint32_t DimensionsOf(const LaunchConfig& config) {
  return config.dimensions != 0 ? config.dimensions : DimensionsInUse(config);
}

Result<KernargSegment> BuildKernarg(const KernelInfo& kernel, const LaunchConfig& config,
                                    const Arguments& arguments, uint32_t minimum_bytes,
                                    const HiddenAddresses& hidden) {
  KernargSegment segment;
  const std::vector<ArgumentInfo> as_given =
      kernel.has_metadata ? std::vector<ArgumentInfo>() : ArgumentsAsGiven(arguments);
  const std::vector<ArgumentInfo>& infos = kernel.has_metadata ? kernel.arguments : as_given;
  const auto& base = arguments.segment();
  uint64_t bytes = std::max<uint64_t>(kernel.kernarg_segment_size, minimum_bytes);
  for (const ArgumentInfo& a : kernel.arguments)
    bytes = std::max<uint64_t>(bytes, uint64_t{a.offset} + a.size);
  if (bytes > frontend::kMaxKernargBytes) {
    return Error{ErrorCode::kInvalidCodeObject,
                 fmt::format("kernel '{}' asks for {} bytes of kernel arguments; the limit is {}",
                             kernel.name, bytes, frontend::kMaxKernargBytes)};
  }
  const uint64_t given_bytes = GivenKernargBytes(kernel, arguments);
  if (given_bytes > frontend::kMaxKernargBytes) {
    return InvalidArgument(fmt::format(
        "{} bytes of arguments are given to kernel '{}'; the limit is {}: put them into "
        "a buffer",
        given_bytes, kernel.name, frontend::kMaxKernargBytes));
  }
  bytes = std::max(bytes, given_bytes);
  segment.bytes.resize(bytes);
  if (base) std::ranges::copy(*base, segment.bytes.begin());
  const auto store = [&](const ArgumentInfo& info, const void* from, size_t size) {
    std::memcpy(segment.bytes.data() + info.offset, from, std::min<size_t>(size, info.size));
  };

  const auto& given = arguments.entries();
  size_t next = 0;
  uint32_t lds = kernel.group_segment_size;
  const bool is_whole = base && given.empty();  // nothing is missing
  for (const ArgumentInfo& info : infos) {
    if (info.kind == ArgumentKind::kHidden || is_whole) continue;
    if (info.kind == ArgumentKind::kUnsupported) {
      return Error{
          ErrorCode::kUnsupported,
          fmt::format("{} of kernel '{}' is of kind '{}', which is not passed as an "
                      "argument: give the bytes of the whole argument segment (--kernarg), "
                      "or run a program that passes it under gcnjit exec",
                      Name(info, next), kernel.name, info.value_kind)};
    }
    if (next == given.size()) break;
    const Arguments::Entry& entry = given[next];
    // A pointer may also be passed as its 8 bytes.
    const bool pointer_as_bytes = info.kind == ArgumentKind::kGlobalBuffer &&
                                  entry.kind == ArgumentKind::kByValue && entry.bytes.size() == 8;
    if (entry.kind != info.kind && !pointer_as_bytes) {
      return Mistake(fmt::format(
          "{} of kernel '{}' is {}{}, not {}", Name(info, next), kernel.name, KindName(info.kind),
          info.type_name.empty() ? "" : " (" + info.type_name + ")", KindName(entry.kind)));
    }
    if (entry.kind == ArgumentKind::kByValue) {
      if (entry.bytes.size() != info.size) {
        return Mistake(fmt::format("{} of kernel '{}' takes {} bytes{}, {} were given",
                                   Name(info, next), kernel.name, info.size,
                                   info.type_name.empty() ? "" : " (" + info.type_name + ")",
                                   entry.bytes.size()));
      }
      store(info, entry.bytes.data(), entry.bytes.size());
    } else if (entry.kind == ArgumentKind::kGlobalBuffer) {
      store(info, &entry.address, sizeof entry.address);
    } else {
      const uint32_t align = std::clamp<uint32_t>(info.pointee_align, 16, 4096);
      lds = (lds + align - 1) / align * align;
      store(info, &lds, sizeof lds);
      if (entry.local_bytes > 64 * 1024) {
        return Error{
            ErrorCode::kOutOfResources,
            fmt::format(
                "{} of kernel '{}' asks for {} bytes of local memory; a work-group has 65,536",
                Name(info, next), kernel.name, entry.local_bytes)};
      }
      lds += entry.local_bytes;
    }
    ++next;
  }
  const size_t wanted = static_cast<size_t>(std::ranges::count_if(
      infos, [](const ArgumentInfo& a) { return a.kind != ArgumentKind::kHidden; }));
  // HIP's `extern __shared__` is no argument: its size comes after the last one.
  const bool hip_dynamic_lds =
      given.size() == wanted + 1 && given.back().kind == ArgumentKind::kDynamicLds;
  if (hip_dynamic_lds) {
    if (given.back().local_bytes > 64 * 1024) {
      return Error{ErrorCode::kOutOfResources,
                   fmt::format("{} bytes of dynamic local memory for kernel '{}'; a work-group has "
                               "65,536",
                               given.back().local_bytes, kernel.name)};
    }
    lds += given.back().local_bytes;
  }
  if (given.size() != wanted && !hip_dynamic_lds && !is_whole) {
    return Mistake(
        fmt::format("kernel '{}' takes {} argument{}, {} were given; 'gcnjit info' lists them",
                    kernel.name, wanted, wanted == 1 ? "" : "s", given.size()));
  }
  segment.dynamic_lds_bytes = lds - kernel.group_segment_size;

  for (const ArgumentInfo& info : infos) {
    if (info.kind != ArgumentKind::kHidden || base) continue;
    const auto value = HiddenValue(info.value_kind, config, segment.dynamic_lds_bytes, hidden);
    if (!value) {
      return Error{
          ErrorCode::kUnsupported,
          fmt::format(
              "kernel '{}' has a hidden argument of kind '{}', which gcnjit does not provide",
              kernel.name, info.value_kind)};
    }
    store(info, &*value, sizeof *value);
  }
  return segment;
}

}  // namespace gcnjit::runtime
