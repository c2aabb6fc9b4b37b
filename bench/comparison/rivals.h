// What runs the benchmark kernels in a comparison: gcnjit's engines, PoCL and native C++, all in
// one process and on the same buffers.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "workload.h"

namespace gcnjit::bench {

class Rival {
 public:
  virtual ~Rival() = default;
  // Runs the workload once, to the end. Empty: all went well.
  virtual std::string Run(Workload& workload) = 0;
  // Not to run a kernel at all is no failure: it cannot compile all that gcnjit can.
  virtual bool MayRefuse() const { return false; }
  // What compiling has taken so far, if the rival says so: seconds of wall time.
  virtual std::optional<double> CompileSeconds() const { return std::nullopt; }
  // What there is to say of the rival itself; null: nothing.
  virtual nlohmann::json Description() const { return nullptr; }
  // The buffers of the workloads so far are about to be freed.
  virtual void ForgetBuffers() {}
  // What it runs, if that is compiled by gcnjit.
  virtual const Program* CompiledProgram() const { return nullptr; }
};

// Where the kernels are: <name>-<target>.co and what it was compiled from.
struct KernelFiles {
  std::string folder;
  std::string name;
  std::string target;
  std::string source;
};

// interp, avx2, avx512, native, pocl; each on one thread. Throws for another name, and for what
// this host does not have.
std::unique_ptr<Rival> MakeRival(const std::string& name, Device& device, const KernelFiles& files);

// Throws if this program was built where there was no OpenCL.
std::unique_ptr<Rival> MakeOpenClRival(Device& device, const std::string& source);

}  // namespace gcnjit::bench
