#include "cli/disasm_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "backend_x64/compile/region.h"
#include "runtime/jit/compile_region.h"
#include "runtime/jit/region_cache.h"
#include "runtime/jit/start_shapes.h"
#include "runtime/state/lds_size.h"

namespace gcnjit::cli {

Result<std::string> KernelHostCode(const frontend::CodeObject& object,
                                   const frontend::Kernel& kernel, backend::HostIsa isa,
                                   const std::array<uint32_t, 3>& group,
                                   const backend::Tuning& tuning) {
  const frontend::Generation generation = object.generation;
  const uint32_t lds =
      std::min(kernel.descriptor.group_segment_bytes, runtime::MostLdsBytes(generation));
  const runtime::GroupMemory memory = {runtime::AllocatedLdsBytes(generation, lds),
                                       kernel.info.kernarg_segment_size};
  const runtime::GroupShape shape = runtime::GroupShapeOf(group, kernel.descriptor, memory);
  frontend::LiftedCode lifted = LiftKernel(object, kernel, runtime::ReadableMemoryOf(shape));
  const auto code = HostListing(lifted, isa, tuning, shape, kernel.descriptor.entry);
  if (!code) {
    return Error{ErrorCode::kUnsupported, fmt::format("kernel '{}' cannot be compiled: {}",
                                                      kernel.info.name, code.error().message)};
  }
  return fmt::format("; kernel {}, MODE {:#x}, {} VGPRs, {}: {} instructions, {} bytes\n{}{}",
                     kernel.info.name, lifted.target.mode, lifted.target.vgprs.vgprs,
                     backend::NameOf(isa), lifted.statistics.lifted, code->bytes, code->text,
                     InterpretedText(lifted));
}

Result<HostCode> HostListing(frontend::LiftedCode& lifted, backend::HostIsa isa,
                             const backend::Tuning& tuning, runtime::GroupShape shape,
                             uint64_t entry) {
  backend::CompileOptions options = runtime::CompileOptionsFor(isa, lifted.target.mode);
  options.notes.listing = true;
  options.tuning = &tuning;
  options.notes.guest_comment = DisassemblyOf(lifted);
  const runtime::RegionCode region =
      runtime::CompileRegion(lifted, {.shape = shape, .pc = entry, .kernel = entry}, options);
  if (region.code == nullptr) return Error{ErrorCode::kUnsupported, region.error};
  return HostCode{region.code->code_bytes, region.code->notes.listing};
}

}  // namespace gcnjit::cli
