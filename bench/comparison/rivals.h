// Who runs the benchmark kernels in a comparison: gcnjit's engines, PoCL and native C++, all in one
// process and on the same buffers.
#pragma once

#include <memory>
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
  // What compiling has taken so far, if the rival says so: seconds of wall time.
  virtual std::optional<double> CompileSeconds() const { return std::nullopt; }
};

// interp, avx2, avx512, native; each on one thread. Throws for another name, and for what this
// host does not have.
std::unique_ptr<Rival> MakeRival(const std::string& name, Device& device, Program program);

class OpenCl;
std::unique_ptr<Rival> MakeOpenClRival(OpenCl& opencl);

}  // namespace gcnjit::bench
