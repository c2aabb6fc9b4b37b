#include "cli/disasm_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "backend_x64/emit/region.h"
#include "runtime/jit/region_cache.h"
#include "runtime/jit/start_shapes.h"
#include "runtime/state/lds_size.h"

namespace gcnjit::cli {

Result<std::string> KernelHostCode(const frontend::CodeObject& object,
                                   const frontend::Kernel& kernel, backend::HostIsa isa,
                                   const std::array<uint32_t, 3>& group,
                                   const backend::Tuning& tuning) {
  LiftedKernel lifted = LiftKernel(object, kernel);
  const frontend::Generation generation = lifted.target.processor.generation;
  const uint32_t lds =
      std::min(kernel.descriptor.group_segment_bytes, runtime::MostLdsBytes(generation));
  const runtime::GroupMemory memory = {runtime::AllocatedLdsBytes(generation, lds),
                                       kernel.info.kernarg_segment_size};
  const auto code =
      HostListing(lifted, isa, tuning, runtime::GroupShapeOf(group, kernel.descriptor, memory),
                  kernel.descriptor.entry);
  if (!code) {
    return Error{ErrorCode::kUnsupported, fmt::format("kernel '{}' cannot be compiled: {}",
                                                      kernel.info.name, code.error().message)};
  }
  return fmt::format("; kernel {}, MODE {:#x}, {} VGPRs, {}: {} instructions, {} bytes\n{}{}",
                     kernel.info.name, lifted.target.mode, lifted.target.vgpr_count,
                     backend::NameOf(isa), lifted.statistics.lifted, code->bytes, code->text,
                     lifted.InterpretedText());
}

Result<HostCode> HostListing(LiftedKernel& lifted, backend::HostIsa isa,
                             const backend::Tuning& tuning, runtime::GroupShape shape,
                             uint64_t entry) {
  std::optional<workgroup::GroupCode> group;
  if (shape.waves != 0) {
    group = workgroup::AppendGroupCode(lifted.function, runtime::GroupStartOf(shape, entry));
  }
  runtime::Optimise(shape, group, lifted.function);
  backend::CompileOptions options = runtime::CompileOptionsFor(isa, lifted.target.mode);
  options.listing = true;
  options.tuning = &tuning;
  options.guest_comment = lifted.Disassembly();
  const ir::RegionShapes shapes = ir::FindLaneShapes(
      lifted.function,
      runtime::ShapeAssumptionsFor(shape, entry, entry, lifted.graph, lifted.statistics,
                                   lifted.function, lifted.target.processor.generation));
  options.shapes = &shapes;
  options.group_lds_bytes = shape.LdsBytes();
  options.group_has_barriers = group && group->has_barriers;
  if (shape.row_sgpr != runtime::GroupShape::kNoSgpr) options.row_sgpr = shape.row_sgpr;
  options.fixed = runtime::FixedMemoryOf(shape);
  backend::Lower(lifted.function, isa);
  std::string error;
  const auto region = backend::Compile(lifted.function, options, &error);
  if (region == nullptr) return Error{ErrorCode::kUnsupported, error};
  return HostCode{region->code_bytes, region->listing};
}

}  // namespace gcnjit::cli
