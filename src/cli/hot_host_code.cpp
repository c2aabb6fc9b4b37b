#include "cli/hot_host_code.h"

#include <algorithm>

#include "cli/disasm_host.h"
#include "cli/host_pieces.h"
#include "frontend/code_object/bundle.h"
#include "frontend/code_object/code_object.h"
#include "frontend/code_object/load_budget.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::cli {

void AddHostCode(HotReport& report, const Program& program, const LaunchRequest& request,
                 const std::string& target, backend::HostIsa isa) {
  frontend::LoadBudget budget(request.file.size());
  const auto entries = frontend::SelectCodeObjects(request.file, target, budget);
  const auto& images = program.internal()->images();
  if (!entries) return;
  for (size_t n = 0; n < std::min(entries->size(), images.size()); ++n) {
    const auto object = frontend::ParseCodeObject((*entries)[n].contents, budget);
    if (!object) return;
    const auto kernel = std::ranges::find_if(
        object->kernels, [&](const auto& k) { return k.info.name == request.kernel; });
    if (kernel == object->kernels.end()) continue;
    const Dim3& local = request.config.local;
    const auto listing =
        KernelHostCode(*object, *kernel, isa, {local.x, local.y, local.z}, backend::HostTuning());
    if (!listing) return;
    const auto pieces = HostPieces(*listing);
    for (HotSpot& spot : report.spots) {
      const auto piece = pieces.find(spot.pc - images[n].load_bias);
      if (!spot.is_block && piece != pieces.end()) spot.host_code = piece->second;
    }
    return;
  }
}

}  // namespace gcnjit::cli
