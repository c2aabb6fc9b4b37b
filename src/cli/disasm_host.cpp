#include "cli/disasm_host.h"

#include <fmt/format.h>

#include <memory>

#include "backend_x64/compiler.h"
#include "cli/lifted_kernel.h"
#include "ir/passes.h"
#include "runtime/jit/jit_code.h"

namespace gcnjit::cli {

Result<std::string> KernelHostCode(const frontend::CodeObject& object,
                                   const frontend::Kernel& kernel, backend::HostIsa isa) {
  LiftedKernel lifted = LiftKernel(object, kernel);
  ir::Optimise(lifted.function);
  backend::CompileOptions options = runtime::CompileOptionsFor(isa, lifted.target.mode);
  options.listing = true;
  options.guest_comment = lifted.Disassembly();
  std::string error;
  const auto region = backend::Compile(lifted.function, options, &error);
  if (region == nullptr) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("kernel '{}' cannot be compiled: {}", kernel.info.name, error)};
  }
  return fmt::format("; kernel {}, MODE {:#x}, {} VGPRs, {}: {} instructions, {} bytes\n{}{}",
                     kernel.info.name, lifted.target.mode, lifted.target.vgpr_count,
                     backend::NameOf(isa), lifted.statistics.lifted, region->code_bytes,
                     region->listing, lifted.InterpretedText());
}

}  // namespace gcnjit::cli
