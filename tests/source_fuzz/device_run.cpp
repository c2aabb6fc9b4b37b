#include "source_fuzz/device_run.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "backend_x64/host/features.h"
#include "gcnjit/gcnjit.h"

namespace gcnjit::source_fuzz {
namespace {

constexpr double kSeconds = 60;

std::string FillMemory(Device& device, const Kernel& kernel, const Buffers& buffers,
                       std::vector<uint64_t>& addresses) {
  for (size_t n = 0; n < buffers.size(); ++n) {
    if (!kernel.arguments[n].is_buffer) continue;
    const uint32_t offset = kernel.arguments[n].offset;
    const auto address = device.Allocate(buffers[n].size() + offset);
    if (!address) return address.error().message;
    addresses[n] = *address;
    std::ranges::copy(buffers[n], device.Data(*address + offset, buffers[n].size()).begin());
  }
  return {};
}

std::string LaunchKernel(Device& device, const gcnjit::Program& program, const Kernel& kernel,
                         const std::string& engine, const Arguments& arguments) {
  LaunchConfig config;
  config.global = {.x = kernel.group_size * kernel.groups};
  config.local = {.x = kernel.group_size};
  config.engine = engine == "interp" ? Engine::kInterpreter : Engine::kJit;
  config.compile_first = true;
  config.timeout_seconds = kSeconds;
  config.threads = 2;
  const auto result = gcnjit::Launch(device, program, kernel.name, config, arguments);
  if (!result) return result.error().message;
  if (result->fault) return result->fault->Describe();
  return result->status == LaunchStatus::kDone ? "" : "the launch was not done in time";
}

DeviceResult RunOne(Device& device, const gcnjit::Program& program, const Kernel& kernel,
                    const std::string& engine) {
  DeviceResult result;
  result.buffers = InitialBuffers(kernel);
  std::vector<uint64_t> addresses(result.buffers.size());
  result.error = FillMemory(device, kernel, result.buffers, addresses);
  if (result.error.empty()) {
    Arguments arguments;
    for (size_t n = 0; n < addresses.size(); ++n) {
      const Argument& argument = kernel.arguments[n];
      if (argument.is_buffer) {
        arguments.Buffer(addresses[n] + argument.offset);
      } else {
        arguments.Bytes(std::as_bytes(std::span(argument.value)));
      }
    }
    result.error = LaunchKernel(device, program, kernel, engine, arguments);
  }
  for (size_t n = 0; n < addresses.size(); ++n) {
    if (addresses[n] == 0) continue;
    const auto data =
        device.Data(addresses[n] + kernel.arguments[n].offset, result.buffers[n].size());
    std::ranges::copy(data, result.buffers[n].begin());
    if (const auto freed = device.Free(addresses[n]); !freed) result.error = freed.error().message;
  }
  return result;
}

}  // namespace

std::vector<std::string> Engines() {
  std::vector<std::string> engines = {"interp"};
  for (const char* isa : {"avx2", "avx512"}) {
    ::setenv("GCNJIT_FORCE_ISA", isa, 1);
    std::string why_not;
    if (backend::ChooseHostIsa(&why_not)) engines.emplace_back(isa);
  }
  ::unsetenv("GCNJIT_FORCE_ISA");
  return engines;
}

std::vector<DeviceResult> RunOnDevice(const std::string& code_object,
                                      const std::vector<Kernel>& kernels,
                                      const std::string& engine) {
  std::vector<DeviceResult> results(kernels.size());
  if (engine != "interp") ::setenv("GCNJIT_FORCE_ISA", engine.c_str(), 1);
  std::ifstream stream(code_object, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  auto device = Device::Create();
  const auto program =
      device ? gcnjit::Program::Load(*device, std::as_bytes(std::span(file))) : device.error();
  for (size_t n = 0; n < kernels.size(); ++n) {
    if (program) {
      results[n] = RunOne(*device, *program, kernels[n], engine);
    } else {
      results[n].error = program.error().message;
    }
  }
  ::unsetenv("GCNJIT_FORCE_ISA");
  return results;
}

}  // namespace gcnjit::source_fuzz
