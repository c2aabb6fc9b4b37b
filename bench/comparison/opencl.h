// The kernels of a source file as an OpenCL implementation for CPUs compiles and runs them (PoCL).
#pragma once

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "workload.h"

namespace gcnjit::bench {

// Works in place on buffers of guest memory. Throws cl::Error or std::runtime_error.
class OpenCl {
 public:
  // Compiles the kernels of a source file for the first CPU device of PoCL.
  OpenCl(Device& device, const std::string& source_path);

  std::string DeviceName() const { return cl_device_.getInfo<CL_DEVICE_NAME>(); }
  std::string Version() const { return cl_device_.getInfo<CL_DEVICE_VERSION>(); }
  std::string DriverVersion() const { return cl_device_.getInfo<CL_DRIVER_VERSION>(); }
  unsigned Threads() const { return cl_device_.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>(); }
  // CPU time of clBuildProgram. What is compiled when a kernel is first launched is not in it.
  double build_seconds() const { return build_seconds_; }

  // Puts a launch into the queue, which runs in order.
  void Enqueue(const std::string& kernel, Dim3 global, Dim3 local, const Arguments& arguments);
  void Finish() { queue_.finish(); }
  // What is allocated at their addresses from now on is another buffer.
  void ForgetBuffers() { buffers_.clear(); }

 private:
  const cl::Kernel& KernelOf(const std::string& name);
  const cl::Buffer& BufferAt(uint64_t address);

  Device& device_;
  cl::Device cl_device_;
  cl::Context context_;
  cl::CommandQueue queue_;
  cl::Program program_;
  double build_seconds_ = 0;
  std::map<std::string, cl::Kernel> kernels_;
  std::map<uint64_t, cl::Buffer> buffers_;  // by guest address
};

class OpenClRunner : public Runner {
 public:
  explicit OpenClRunner(OpenCl& opencl) : opencl_(opencl) {}
  void Launch(const std::string& kernel, Dim3 global, Dim3 local,
              const Arguments& arguments) override;
  void Finish() override;

 private:
  OpenCl& opencl_;
};

}  // namespace gcnjit::bench
