#include "comparison/opencl.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "comparison/rivals.h"
#include "measure/stopwatch.h"
#include "runtime/memory/guest_memory.h"

namespace gcnjit::bench {
namespace {

cl::Device FindCpu() {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  for (const cl::Platform& platform : platforms) {
    if (platform.getInfo<CL_PLATFORM_NAME>() != "Portable Computing Language") continue;
    std::vector<cl::Device> devices;
    platform.getDevices(CL_DEVICE_TYPE_CPU, &devices);
    if (!devices.empty()) return devices.front();
  }
  throw std::runtime_error(
      "PoCL is not installed: install pocl-opencl-icd, or leave pocl out of --engines");
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("cannot read {}", path));
  return {std::istreambuf_iterator<char>(file), {}};
}

cl::NDRange RangeOf(Dim3 size) { return {size.x, size.y, size.z}; }

class OpenClRival : public Rival {
 public:
  OpenClRival(Device& device, const std::string& source) : opencl_(device, source) {}
  std::string Run(Workload& workload) override {
    OpenClRunner runner(opencl_);
    workload.Run(runner);
    runner.Finish();
    return runner.error();
  }
  nlohmann::json Description() const override {
    return {{"device", opencl_.DeviceName()},
            {"version", opencl_.Version()},
            {"driver", opencl_.DriverVersion()},
            {"threads", opencl_.Threads()},
            {"build_ms", opencl_.build_seconds() * 1e3}};
  }
  bool MayRefuse() const override { return true; }
  void ForgetBuffers() override { opencl_.ForgetBuffers(); }

 private:
  OpenCl opencl_;
};

}  // namespace

OpenCl::OpenCl(Device& device, const std::string& source_path)
    : device_(device),
      cl_device_(FindCpu()),
      context_(cl_device_),
      queue_(context_, cl_device_),
      program_(context_, ReadText(source_path)) {
  const measure::Stopwatch watch;
  try {
    // Sources include what lies beside them.
    const std::string folder = std::filesystem::path(source_path).parent_path();
    program_.build(fmt::format("-cl-std=CL1.2 -I {}", folder).c_str());
  } catch (const cl::BuildError& error) {
    throw std::runtime_error(
        fmt::format("PoCL cannot compile {}: {}", source_path, error.getBuildLog().front().second));
  }
  build_seconds_ = watch.Stop().cpu;
}

const cl::Kernel& OpenCl::KernelOf(const std::string& name) {
  auto found = kernels_.find(name);
  if (found == kernels_.end()) {
    found = kernels_.emplace(name, cl::Kernel(program_, name.c_str())).first;
  }
  return found->second;
}

const cl::Buffer& OpenCl::BufferAt(uint64_t address) {
  auto found = buffers_.find(address);
  if (found == buffers_.end()) {
    const auto allocation = device_.memory()->Nearest(address);
    if (allocation.address != address) throw std::runtime_error("a pointer into a buffer");
    found = buffers_
                .emplace(address, cl::Buffer(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                             allocation.bytes, reinterpret_cast<void*>(address)))
                .first;
  }
  return found->second;
}

void OpenCl::Enqueue(const std::string& name, Dim3 global, Dim3 local, const Arguments& arguments) {
  cl::Kernel kernel = KernelOf(name);
  cl_uint index = 0;
  for (const Arguments::Entry& entry : arguments.entries()) {
    switch (entry.kind) {
      case ArgumentKind::kGlobalBuffer: kernel.setArg(index, BufferAt(entry.address)); break;
      case ArgumentKind::kDynamicLds: kernel.setArg(index, cl::Local(entry.local_bytes)); break;
      default: kernel.setArg(index, entry.bytes.size(), entry.bytes.data()); break;
    }
    ++index;
  }
  queue_.enqueueNDRangeKernel(kernel, cl::NullRange, RangeOf(global), RangeOf(local));
}

void OpenClRunner::Launch(const std::string& kernel, Dim3 global, Dim3 local,
                          const Arguments& arguments) {
  if (!error_.empty()) return;
  try {
    opencl_.Enqueue(kernel, global, local, arguments);
  } catch (const cl::Error& error) {
    error_ = fmt::format("{} fails for kernel {}: error {}", error.what(), kernel, error.err());
  }
}

void OpenClRunner::Finish() {
  try {
    opencl_.Finish();
  } catch (const cl::Error& error) {
    if (error_.empty()) error_ = fmt::format("{} fails: error {}", error.what(), error.err());
  }
}

std::unique_ptr<Rival> MakeOpenClRival(Device& device, const std::string& source) try {
  return std::make_unique<OpenClRival>(device, source);
} catch (const cl::Error& error) {
  throw std::runtime_error(fmt::format("{} fails: OpenCL error {}", error.what(), error.err()));
}

}  // namespace gcnjit::bench
