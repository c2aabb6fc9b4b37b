// From lifted code to host code: the steps between the front end and the back end in their order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "backend_x64/compile/region.h"
#include "frontend/lift/lift_code.h"
#include "ir/analysis/region_shapes.h"
#include "runtime/state/group_shape.h"
#include "workgroup/specialise.h"

namespace gcnjit::runtime {

// What a region is compiled for, besides its code.
struct RegionUse {
  GroupShape shape = {};
  uint64_t pc = 0;      // where it is entered
  uint64_t kernel = 0;  // where the kernel begins that it belongs to
  // Registers that nothing reads are as the interpreter leaves them: there is no group code.
  bool exact_state = false;
};

struct RegionCode {
  std::optional<workgroup::GroupCode> group;  // what was added for whole work-groups
  std::unique_ptr<ir::RegionShapes> shapes;
  std::unique_ptr<backend::CompiledRegion> code;  // nullptr: `error` says why
  std::string error;
};

// Changes the lifted function. `options`: of the host; what follows from `use` is added.
RegionCode CompileRegion(frontend::LiftedCode& lifted, const RegionUse& use,
                         backend::CompileOptions options);

}  // namespace gcnjit::runtime
