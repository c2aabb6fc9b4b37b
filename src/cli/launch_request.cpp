#include "cli/launch_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "cli/argument_spec.h"
#include "cli/files.h"
#include "cli/kernarg_warning.h"
#include "cli/kernel_choice.h"
#include "runtime/launch/kernarg.h"

namespace gcnjit::cli {

Result<Triple> ParseTriple(const std::string& option, const std::string& text, uint64_t fill,
                           uint64_t limit) {
  Triple triple{{fill, fill, fill}};
  const Error error{
      ErrorCode::kInvalidArgument,
      fmt::format("{} '{}': expected X[,Y[,Z]], whole numbers up to {}", option, text, limit)};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (uint64_t& value : triple.values) {
    const auto [next, status] = std::from_chars(at, end, value);
    if (status != std::errc() || value > limit) return error;
    ++triple.given;
    if (next == end) return triple;
    if (*next != ',') return error;
    at = next + 1;
  }
  return error;
}

namespace {

Dim3 ToDim3(const Triple& triple) {
  return {static_cast<uint32_t>(triple.values[0]), static_cast<uint32_t>(triple.values[1]),
          static_cast<uint32_t>(triple.values[2])};
}

// Allocates and fills the buffers that the specs ask for, in order.
Result<std::vector<BoundBuffer>> Bind(Device& device, const std::vector<ArgumentSpec>& specs,
                                      Arguments& arguments) {
  std::vector<BoundBuffer> buffers;
  for (const ArgumentSpec& spec : specs) {
    switch (spec.kind) {
      case SpecKind::kValue: arguments.Bytes(spec.bytes); break;
      case SpecKind::kLocal: {
        constexpr uint64_t kMostLds = 64 * 1024;
        if (spec.size > kMostLds) {
          return Error{
              ErrorCode::kOutOfResources,
              fmt::format("--arg 'local:{}': a work-group has at most {} bytes of local memory",
                          spec.size, kMostLds)};
        }
        arguments.Local(static_cast<uint32_t>(spec.size));
        break;
      }
      case SpecKind::kBuffer: {
        const auto address = device.Allocate(spec.size);
        if (!address) return address.error();
        if (!spec.bytes.empty()) {
          std::memcpy(device.Data(*address, spec.bytes.size()).data(), spec.bytes.data(),
                      spec.bytes.size());
        }
        buffers.push_back({*address, spec.size, spec.output_path});
        arguments.Buffer(*address);
        break;
      }
    }
  }
  return buffers;
}

}  // namespace

void AddLaunchOptions(CLI::App& command, LaunchOptions& options, bool required) {
  command.add_option("CODE_OBJECT", options.file, "ELF code object, offload bundle or HIP program")
      ->required(required);
  command.add_option("--kernel", options.kernel,
                     "Name of the kernel ('gcnjit info' lists them), as in the file or in C++; "
                     "not needed if there is only one");
  command.add_option("--global", options.global,
                     "Grid size in work-items: X[,Y[,Z]]. As many numbers, as many dimensions");
  command.add_option("--local", options.local, "Work-group size in work-items: X[,Y[,Z]]")
      ->capture_default_str();
  command.add_option("--offset", options.offset, "Global offset in work-items: X[,Y[,Z]]")
      ->capture_default_str();
  command.add_option("--arg", options.arguments, "Kernel argument, see below; once for each")
      ->allow_extra_args(false);
  command.add_option(
      "--kernarg", options.kernarg,
      "File with the bytes of the kernel argument segment; --arg is written over it");
  command.add_option("--target", options.target, "Which entry of a bundle, e.g. gfx906:xnack-");
}

Result<LaunchRequest> MakeRequest(const LaunchOptions& options, double timeout_seconds) {
  auto file = ReadFile(options.file);
  if (!file) return file.error();
  if (options.global.empty()) {
    return Error{ErrorCode::kInvalidArgument, "give the grid: --global X[,Y[,Z]], in work-items"};
  }
  constexpr uint64_t kMost32 = 0xFFFFFFFF;
  const auto global = ParseTriple("--global", options.global, 1, kMost32);
  if (!global) return global.error();
  const auto local = ParseTriple("--local", options.local, 1, kMost32);
  if (!local) return local.error();
  const auto offset = ParseTriple("--offset", options.offset, 0, ~uint64_t{0});
  if (!offset) return offset.error();

  std::vector<ArgumentSpec> specs;
  for (const std::string& text : options.arguments) {
    auto spec = ParseArgumentSpec(text);
    if (!spec) return spec.error();
    if (!spec->output_path.empty()) {
      if (const auto writable = CheckWritable(spec->output_path); !writable) {
        return writable.error();
      }
    }
    specs.push_back(std::move(*spec));
  }

  auto device = Device::Create();
  if (!device) return device.error();
  auto program = Program::Load(*device, *file, options.target, timeout_seconds);
  if (!program) {
    return Error{program.error().code,
                 fmt::format("{}: {}", options.file, program.error().message)};
  }
  std::vector<std::string_view> kernels;
  for (const KernelInfo& kernel : program->Kernels()) kernels.push_back(kernel.name);
  auto kernel = ChooseKernel(std::move(kernels), options.kernel, options.file);
  if (!kernel) return kernel.error();
  Arguments arguments;
  if (!options.kernarg.empty()) {
    const auto bytes = ReadFile(options.kernarg);
    if (!bytes) return bytes.error();
    arguments.Segment(*bytes);
  }
  auto buffers = Bind(*device, specs, arguments);
  if (!buffers) return buffers.error();
  WarnOfKernargSize(*program, *kernel, arguments);

  LaunchConfig config;
  config.global = ToDim3(*global);
  config.local = ToDim3(*local);
  config.dimensions = std::max(global->given, runtime::DimensionsInUse(config));
  config.offset = offset->values;
  return LaunchRequest{*std::move(device),  *std::move(program), std::move(arguments),
                       *std::move(buffers), std::move(config),   std::move(*kernel),
                       std::move(*file)};
}

}  // namespace gcnjit::cli
