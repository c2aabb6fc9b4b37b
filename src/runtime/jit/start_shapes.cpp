#include "runtime/jit/start_shapes.h"

#include <array>
#include <bit>
#include <unordered_set>

#include "frontend/flow/register_access.h"
#include "ir/passes.h"
#include "runtime/state/aql_packet.h"

namespace gcnjit::runtime {
namespace {

uint8_t Log2(uint32_t power) { return static_cast<uint8_t>(std::countr_zero(power)); }

template <typename F>
ir::VgprShape Shape(int vgpr, uint32_t run, uint8_t zeros, const F& offset) {
  ir::VgprShape shape{vgpr, static_cast<uint8_t>(run), zeros, {}};
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) shape.offsets[lane] = offset(lane);
  return shape;
}

constexpr uint8_t kBaseIsZero = 32;

uint32_t PackedId(const std::array<uint32_t, 3>& id) {
  return id[0] | id[1] << kPackedIdBits | id[2] << 2 * kPackedIdBits;
}

}  // namespace

std::vector<ir::VgprShape> ShapesAtStart(GroupShape shape) {
  std::vector<ir::VgprShape> shapes;
  if (!shape.IsKnown()) return shapes;
  const auto row = shape.Row();
  const auto uniform = [](uint32_t) { return 0u; };
  const auto in_row = [row](uint32_t lane) { return lane % row; };
  const bool is_packed = shape.id_vgprs == GroupShape::kPackedIds;
  if (!shape.is_whole_row) {
    shapes.push_back(Shape(0, row, Log2(row), in_row));
    if (shape.id_vgprs > 1) shapes.push_back(Shape(1, row, 0, uniform));
    if (shape.id_vgprs > 2) shapes.push_back(Shape(2, row, 0, uniform));
    return shapes;
  }
  const auto column = shape.Column();
  const uint32_t plane = row * column;
  const auto in_column = [row, column](uint32_t lane) { return lane / row % column; };
  const auto in_planes = [plane](uint32_t lane) { return lane / plane; };
  if (is_packed) {
    const auto packed = [&](uint32_t lane) {
      const uint32_t z = shape.is_whole_column ? in_planes(lane) : 0;
      return PackedId({in_row(lane), in_column(lane), z});
    };
    // The lowest bits of the base are those of ids in z, or in y.
    const uint32_t zeros = shape.is_whole_column ? 2 * kPackedIdBits + Log2(ir::kLanes / plane)
                                                 : kPackedIdBits + Log2(column);
    shapes.push_back(
        Shape(0, shape.is_whole_column ? ir::kLanes : plane, static_cast<uint8_t>(zeros), packed));
    return shapes;
  }
  shapes.push_back(Shape(0, ir::kLanes, kBaseIsZero, in_row));
  if (shape.id_vgprs > 1) {
    shapes.push_back(shape.is_whole_column ? Shape(1, ir::kLanes, kBaseIsZero, in_column)
                                           : Shape(1, plane, Log2(column), in_column));
  }
  if (shape.id_vgprs > 2) {
    shapes.push_back(shape.is_whole_column
                         ? Shape(2, ir::kLanes, Log2(ir::kLanes / plane), in_planes)
                         : Shape(2, plane, 0, uniform));
  }
  return shapes;
}

workgroup::GroupStart GroupStartOf(GroupShape shape, uint64_t kernel) {
  workgroup::GroupStart start;
  start.entry = kernel;
  start.lds_bytes = shape.LdsBytes();
  start.has_same_sgprs = shape.has_same_sgprs != 0;
  start.waves.resize(shape.waves);
  if (shape.last_items != 0) start.waves.back().exec = (uint64_t{1} << shape.last_items) - 1;
  // One row, or rows that are parts of a wave or whole waves; so are planes.
  const uint64_t row = shape.is_whole_row        ? shape.Row()
                       : shape.waves_in_row != 0 ? shape.waves_in_row * ir::kLanes
                                                 : ~0u;
  const uint64_t plane = shape.waves_in_plane != 0 ? shape.waves_in_plane * ir::kLanes
                         : shape.is_whole_column   ? row * shape.Column()
                                                   : ~0u;
  uint32_t item = 0;
  for (workgroup::WaveStart& wave : start.waves) {
    workgroup::LaneValues ids[3] = {};
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane, ++item) {
      ids[0][lane] = static_cast<uint32_t>(item % row);
      ids[1][lane] = static_cast<uint32_t>(item % plane / row);
      ids[2][lane] = static_cast<uint32_t>(item / plane);
    }
    if (shape.id_vgprs == GroupShape::kPackedIds) {
      for (uint32_t lane = 0; lane < ir::kLanes; ++lane)
        ids[0][lane] = PackedId({ids[0][lane], ids[1][lane], ids[2][lane]});
      wave.vgprs.emplace(0, ids[0]);
    }
    for (uint32_t n = 0; n < shape.id_vgprs; ++n) wave.vgprs.emplace(static_cast<int>(n), ids[n]);
  }
  return start;
}

std::vector<ir::FixedMemory> FixedMemoryOf(GroupShape shape) {
  std::vector<ir::FixedMemory> fixed;
  if (shape.kernarg_sgpr != GroupShape::kNoSgpr) {
    fixed.push_back(
        {static_cast<int>(shape.kernarg_sgpr), static_cast<uint32_t>(shape.kernarg_dwords) * 4});
  }
  if (shape.packet_sgpr != GroupShape::kNoSgpr) {
    fixed.push_back({static_cast<int>(shape.packet_sgpr), sizeof(DispatchPacket)});
  }
  return fixed;
}

std::vector<frontend::ReadableMemory> ReadableMemoryOf(GroupShape shape) {
  std::vector<frontend::ReadableMemory> readable;
  for (const ir::FixedMemory& memory : FixedMemoryOf(shape)) {
    readable.push_back({memory.sgpr, memory.bytes});
  }
  return readable;
}

ir::ShapeAssumptions ShapeAssumptionsFor(GroupShape shape, uint64_t pc, uint64_t kernel,
                                         const frontend::ControlFlowGraph& graph,
                                         const frontend::LiftStatistics& lifted,
                                         const ir::Function& function,
                                         frontend::Generation generation) {
  ir::ShapeAssumptions assumptions;
  if (!shape.IsKnown()) return assumptions;
  assumptions.blocks_apart = false;
  assumptions.entries = {pc};
  if (pc == kernel) {
    for (int wave = 0; wave < shape.waves; ++wave) {
      assumptions.entries.push_back(ir::WithWave(kernel, wave));
    }
    assumptions.at_entry = ShapesAtStart(shape);
    assumptions.has_full_exec = shape.has_whole_waves;
  }
  if (lifted.interpreted.empty()) return assumptions;
  std::unordered_set<uint64_t> compiled;
  for (const ir::Block& block : function.blocks) {
    compiled.insert(block.guest_pcs.begin(), block.guest_pcs.end());
  }
  for (const frontend::CodeBlock& block : graph.blocks) {
    for (const frontend::DecodedInstruction& at : block.instructions) {
      if (compiled.contains(at.pc)) continue;
      const frontend::RegisterAccess access = frontend::AccessOf(at.inst(), generation);
      assumptions.interpreted.push_back(
          {at.pc, at.pc + at.inst().size, access.may_write.vgprs, access.may_write.sgprs});
    }
  }
  return assumptions;
}

}  // namespace gcnjit::runtime
