#include "cli/fault_json.h"

#include <nlohmann/json.hpp>

#include "runtime/check/finding_json.h"

namespace gcnjit::cli {

nlohmann::json ToJson(const FaultReport& fault) {
  return {{"kind", ToString(fault.kind)},
          {"kernel", fault.kernel},
          {"target", fault.target},
          {"pc", fault.pc},
          {"kernel_offset", fault.kernel_offset},
          {"instruction", fault.instruction},
          {"source", gcnjit::ToJson(fault.source)},
          {"workgroup", fault.workgroup},
          {"wave", fault.wave},
          {"lane", fault.lane},
          {"work_item", fault.work_item},
          {"exec", fault.exec},
          {"address", fault.address},
          {"access_bytes", fault.access_bytes},
          {"nearest", fault.nearest},
          {"detail", fault.detail}};
}

}  // namespace gcnjit::cli
