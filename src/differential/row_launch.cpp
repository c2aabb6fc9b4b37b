#include "differential/row_launch.h"

#include <algorithm>

#include "differential/launch_case.h"
#include "runtime/state/lds_size.h"

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
  constexpr uint32_t kGroupIds = 7;  // along x, y and z
  const uint32_t more_item_ids = std::max(program.group.id_vgprs, 1u) - 1;
  descriptor.rsrc2 = kUserSgprs << 1 | kGroupIds << 7 | more_item_ids << 11;
  return descriptor;
}

runtime::LaunchState LaunchOf(const Machine& machine, const Program& program) {
  runtime::LaunchState launch;
  launch.processor = program.processor();
  launch.descriptor = DescriptorOf(program);
  launch.entry = machine.code();
  launch.kernarg = machine.data() + Machine::kDataBytes;
  launch.fixed_kernarg_bytes = program.rows.fixed_bytes;
  launch.asked_lds_bytes = program.rows.lds_bytes;
  launch.lds_bytes = runtime::AllocatedLdsBytes(program.generation, program.rows.lds_bytes);
  const auto& [x, y, z] = program.group.size;
  launch.local = {x, y, z};
  const auto items = [&](size_t axis) {
    const ProgramRows& rows = program.rows;
    return rows.groups[axis] * program.group.size[axis] - rows.missing_items[axis];
  };
  launch.global = {items(0), items(1), items(2)};
  return launch;
}

}  // namespace

RowLaunch::RowLaunch(Machine& machine, const Program& program, const CodeRanges& code)
    : launch_(LaunchOf(machine, program)),
      starter_(launch_),
      image_(machine.guest_memory(), {machine.data(), machine.code()}),
      place_{machine.dispatch, machine.group, image_, code},
      lds_(launch_.lds_bytes),
      grid_{launch_, starter_, place_} {
  place_.group.lds = lds_.data();
  place_.group.lds_bytes = launch_.lds_bytes;
}

LaunchResult RowLaunch::Run(const LaunchFunction& launch, unsigned threads) {
  constexpr double kSeconds = 20;
  return launch(grid_, kernel_, {grid_.group_count(), kSeconds, threads});
}

std::string RowLaunch::Case(const Engine& reference, const Engine& tested, unsigned threads) {
  LaunchDivergence found;
  found.engine = &tested;
  found.threads = threads;
  GuestImage::Copy from;
  image_.Save(from);
  return WriteLaunchCase(grid_, from, reference, found);
}

}  // namespace gcnjit::differential
