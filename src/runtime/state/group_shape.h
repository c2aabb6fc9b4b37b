// What the shape of a work-group says about the work-item ids that its waves start with. Groups
// that differ in nothing that compiled code relies on have the same GroupShape.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <type_traits>

#include "frontend/code_object/kernel_descriptor.h"

namespace gcnjit::runtime {

inline constexpr int kLanes = 64;

// Of ids that are packed: x's are the lowest bits.
inline constexpr uint32_t kPackedIdBits = 10;

struct GroupShape {
  uint64_t row_size : 3 = 0;     // of Row()
  uint64_t column_size : 3 = 0;  // of Column()
  uint64_t id_vgprs : 2 = 0;     // v0 .. v2 that hold ids; kPackedIds: v0 has those along all axes
  // The group's waves, where each one's ids can be told exactly; 0: they cannot, or need not.
  uint64_t waves : 5 = 0;
  // Where `waves` is known: the last one's work-items, if they are less than a wave; 0: they are
  // not.
  uint64_t last_items : 6 = 0;
  // A row of the group is exactly that long (and shorter than a wave), so that ids in y and z can
  // be told as well; and a column has exactly as many rows.
  uint64_t is_whole_row : 1 = 0;
  uint64_t is_whole_column : 1 = 0;
  uint64_t has_whole_waves : 1 = 0;  // each wave has 64 work-items
  uint64_t has_same_sgprs : 1 = 0;   // where `waves` is known: they start with the same SGPRs
  // Where `waves` is known, and rows are not shorter than a wave: how many waves each of the
  // group's rows has; 0: it is one row.
  uint64_t waves_in_row : 4 = 0;
  // Likewise of a plane that is whole waves; 0: the group is one plane, or its columns are whole.
  uint64_t waves_in_plane : 4 = 0;
  // Where `waves` is known: the group has at least so much LDS; and these SGPR pairs, kNoSgpr for
  // none, have the addresses of so many kernel arguments, and of the dispatch packet, that nothing
  // changes while the launch runs.
  uint64_t lds_units : 8 = 0;  // of kLdsUnit bytes
  uint64_t kernarg_dwords : 8 = 0;
  uint64_t kernarg_sgpr : 5 = kNoSgpr;
  uint64_t packet_sgpr : 5 = kNoSgpr;
  // Likewise: which SGPR has the group's id along x; groups of a row of the grid start with the
  // same values in all others.
  uint64_t row_sgpr : 5 = kNoSgpr;
  uint64_t unused : 2 = 0;

  static constexpr uint32_t kNoSgpr = 31;
  static constexpr uint32_t kPackedIds = 0;
  static constexpr uint32_t kLdsUnit = 64;
  uint32_t LdsBytes() const { return static_cast<uint32_t>(lds_units) * kLdsUnit; }

  // Ids in x count up over aligned runs of this many lanes, in which the other ids do not change;
  // 0: nothing is known. A group of one dimension has runs of a whole wave.
  uint32_t Row() const { return LanesOf(row_size); }
  // Rows over which ids in y count up.
  uint32_t Column() const { return LanesOf(column_size); }
  void SetRow(uint32_t lanes) { row_size = SizeOf(lanes) & 7; }
  void SetColumn(uint32_t rows) { column_size = SizeOf(rows) & 7; }

  bool IsKnown() const { return row_size != 0; }
  // Shapes are compared whenever a wave goes on, as one number.
  friend bool operator==(const GroupShape& a, const GroupShape& b) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
  }
  friend auto operator<=>(const GroupShape& a, const GroupShape& b) {
    return std::bit_cast<uint64_t>(a) <=> std::bit_cast<uint64_t>(b);
  }

 private:
  // Powers of two up to 64, in three bits.
  static uint32_t LanesOf(uint64_t size) { return size == 0 ? 0 : 1u << (size - 1); }
  static uint64_t SizeOf(uint32_t lanes) { return static_cast<uint64_t>(std::bit_width(lanes)); }
};
// As one number no bit of it is undefined.
static_assert(std::has_unique_object_representations_v<GroupShape>);

// Groups with more waves than that have no code of their own (workgroup/specialise.h).
inline constexpr uint32_t kMostWavesTogether = 16;

// `id_vgprs`: 1 to 3 with an id each, or GroupShape::kPackedIds.
GroupShape GroupShapeOf(const std::array<uint32_t, 3>& size, uint32_t id_vgprs);
// What a launch's groups have besides.
struct GroupMemory {
  uint32_t lds_bytes = 0;
  // Of kernel arguments that nothing can change while the launch runs, nor the dispatch packet; 0:
  // something may.
  uint32_t fixed_kernarg_bytes = 0;
};
// Of a kernel's groups. It pays to tell groups apart by the number of their waves if they have LDS,
// so that the waves may have to do with each other, or where they have all arguments in common.
GroupShape GroupShapeOf(const std::array<uint32_t, 3>& size,
                        const frontend::KernelDescriptor& descriptor, const GroupMemory& memory);

}  // namespace gcnjit::runtime
