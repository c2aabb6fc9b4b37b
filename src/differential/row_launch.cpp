#include "differential/row_launch.h"

namespace gcnjit::differential {
namespace {

// As code objects say it: LLVM AMDGPUUsage, "Kernel Descriptor".
frontend::KernelDescriptor DescriptorOf(const Program& program) {
  frontend::KernelDescriptor descriptor;
  descriptor.generation = program.generation;
  const bool is_shared = frontend::Has(program.generation, frontend::kUnifiedVgprs);
  const uint32_t vgprs = (program.vgpr_count + 3) / 4 * 4;
  descriptor.rsrc1 = is_shared ? (2 * vgprs + 7) / 8 - 1 : vgprs / 4 - 1;
  descriptor.rsrc1 |= (program.mode & 0xFF) << 12;
  const auto copy = [&](uint32_t mode, int bit) {
    if ((program.mode & mode) != 0) descriptor.rsrc1 |= 1u << bit;
  };
  copy(runtime::kModeDx10Clamp, 21);
  copy(runtime::kModeIeee, 23);
  copy(runtime::kModeFp16Overflow, 26);
  descriptor.rsrc3 = vgprs / 4 - 1;
  descriptor.kernarg_segment_ptr = true;
  constexpr uint32_t kUserSgprs = 2;
  constexpr uint32_t kIdsAlongXAndY = 3;
  descriptor.rsrc2 = kUserSgprs << 1 | kIdsAlongXAndY << 7;
  return descriptor;
}

runtime::LaunchState LaunchOf(const Machine& machine, const Program& program) {
  runtime::LaunchState launch;
  launch.processor = program.processor();
  launch.descriptor = DescriptorOf(program);
  launch.entry = machine.code();
  launch.kernarg = machine.data() + Machine::kDataBytes;
  launch.fixed_kernarg_bytes = program.rows.fixed_bytes;
  launch.local = {program.group.size[0], 1, 1};
  const auto [x, y] = program.rows.groups;
  launch.global = {x * launch.local.x - program.rows.missing_items, y, 1};
  return launch;
}

}  // namespace

RowLaunch::RowLaunch(Machine& machine, const Program& program, const CodeRanges& code)
    : launch_(LaunchOf(machine, program)),
      starter_(launch_),
      image_(machine.guest_memory(), {machine.data()}),
      place_{machine.dispatch, machine.group, image_, code},
      grid_{launch_, starter_, place_} {
  place_.group.lds_bytes = 0;
}

LaunchResult RowLaunch::Run(const LaunchFunction& launch) {
  constexpr double kSeconds = 20;
  return launch(grid_, kernel_, grid_.group_count(), kSeconds);
}

}  // namespace gcnjit::differential
