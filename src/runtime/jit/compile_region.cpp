#include "runtime/jit/compile_region.h"

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/analysis/region_constants.h"
#include "ir/passes.h"
#include "ir/verifier.h"
#include "isa/aperture.h"
#include "runtime/jit/start_shapes.h"
#include "runtime/state/scratch_resource.h"

namespace gcnjit::runtime {
namespace {

void OptimiseFor(GroupShape shape, const std::optional<workgroup::GroupCode>& group,
                 const std::function<void()>& before_pass, ir::Function& function) {
  if (group && group->is_one_block) ir::ShareLoads(function, FixedMemoryOf(shape));
  ir::Optimise(function, [&](std::string_view, ir::PassMoment moment, const ir::Function&) {
    if (before_pass && moment == ir::PassMoment::kBefore) before_pass();
  });
  if (group && !group->is_one_block && shape.has_same_sgprs != 0) ir::ShareScalars(function);
}

}  // namespace

RegionCode CompileRegion(frontend::LiftedCode& lifted, const RegionUse& use,
                         backend::CompileOptions options) {
  RegionCode result;
  ir::Function& function = lifted.function;
  // Group code leaves nothing in the registers of waves that have ended.
  if (use.pc == use.kernel && use.shape.waves != 0 && !use.exact_state) {
    result.group = workgroup::AppendGroupCode(function, GroupStartOf(use.shape, use.kernel));
  }
  const ir::ShapeAssumptions assumptions =
      ShapeAssumptionsFor(use.shape, use.pc, use.kernel, lifted.graph, lifted.statistics, function,
                          lifted.target.processor.generation);
  auto constants = ir::FoldRegionConstants(function, assumptions);
  OptimiseFor(use.shape, result.group, options.before_block, function);
  result.shapes = std::make_unique<ir::RegionShapes>(ir::FindLaneShapes(function, assumptions));
  result.shapes->constants_at_begin = std::move(constants);
  options.shapes = result.shapes.get();
  const frontend::Generation generation = lifted.target.processor.generation;
  options.scratch = {kScratchHigh1, ScratchWord3(generation)};
  if (frontend::IsGfx9(generation)) {
    options.lds_aperture = static_cast<uint32_t>(kSharedAperture >> 32);
  }
  options.group.lds_bytes = use.shape.LdsBytes();
  options.group.has_barriers = result.group && result.group->has_barriers;
  if (use.shape.row_sgpr != GroupShape::kNoSgpr) options.group.row_sgpr = use.shape.row_sgpr;
  options.group.fixed = FixedMemoryOf(use.shape);
  backend::Lower(function, options.isa);
  // A mistake of ours must not become wrong code.
  if (const std::vector<std::string> mistakes = ir::Verify(function); !mistakes.empty()) {
    result.error = "malformed intermediate code: " + mistakes.front();
    return result;
  }
  result.code = backend::Compile(function, options, &result.error);
  if (result.code != nullptr && result.group) {
    result.code->group.wants_zeroed_lds = result.group->wants_zeroed_lds;
    result.code->group.is_one_block = result.group->is_one_block;
  }
  return result;
}

}  // namespace gcnjit::runtime
