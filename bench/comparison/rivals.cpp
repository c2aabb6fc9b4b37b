#include "comparison/rivals.h"

#include <fmt/format.h>

#include <cstdlib>

#include "backend_x64/host/features.h"

namespace gcnjit::bench {
namespace {

// An engine with a program of its own, since a program's code is compiled for one instruction set.
class Guest : public Rival {
 public:
  Guest(Device& device, Program program, Engine engine)
      : device_(device), program_(std::move(program)), engine_(engine) {}

  std::string Run(Workload& workload) override {
    GuestRunner runner(device_, program_, engine_, /*threads=*/1);
    workload.Run(runner);
    compile_seconds_ = runner.compile_seconds();
    return runner.error();
  }
  std::optional<double> CompileSeconds() const override { return compile_seconds_; }
  const Program* CompiledProgram() const override {
    return engine_ == Engine::kJit ? &program_ : nullptr;
  }

 private:
  Device& device_;
  Program program_;
  Engine engine_;
  double compile_seconds_ = 0;
};

// The instruction set is chosen when a program first meets the JIT.
void ChooseIsa(Device& device, const Program& program, backend::HostIsa isa) {
  if (!backend::HostHas(isa)) {
    throw std::runtime_error(fmt::format("this processor has no {}", backend::NameOf(isa)));
  }
  ::setenv("GCNJIT_FORCE_ISA", std::string(backend::NameOf(isa)).c_str(), 1);
  const Buffer<uint32_t> out(device, 64);
  GuestRunner runner(device, program, Engine::kJit, 1);
  runner.Launch("trivial", {64}, {64}, Arguments().Buffer(out.address()));
  if (!runner.error().empty()) throw std::runtime_error(runner.error());
}

class Native : public Rival {
 public:
  std::string Run(Workload& workload) override {
    workload.RunNative();
    return {};
  }
};

}  // namespace

std::unique_ptr<Rival> MakeRival(const std::string& name, Device& device,
                                 const KernelFiles& files) {
  if (name == "native") return std::make_unique<Native>();
  if (name == "pocl") return MakeOpenClRival(device, files.source);
  const auto load = [&] { return LoadKernels(device, files.folder, files.target, files.name); };
  if (name == "interp") return std::make_unique<Guest>(device, load(), Engine::kInterpreter);
  for (const backend::HostIsa isa : {backend::HostIsa::kAvx2, backend::HostIsa::kAvx512}) {
    if (name != backend::NameOf(isa)) continue;
    Program program = load();
    ChooseIsa(device, program, isa);
    return std::make_unique<Guest>(device, std::move(program), Engine::kJit);
  }
  throw std::runtime_error(
      fmt::format("--engines: '{}' is none of interp, avx2, avx512, pocl, native", name));
}

}  // namespace gcnjit::bench
