#include "runtime/interpreter/buffer_resource.h"

#include <algorithm>

#include "runtime/interpreter/scalar_operands.h"

namespace gcnjit::runtime {

using frontend::IsGfx8Plus;
using frontend::IsGfx9;

namespace {

constexpr uint32_t Field(uint32_t word, int shift, int bits) {
  return (word >> shift) & ((1u << bits) - 1);
}

// VGPRs come index first, offset second.
int OffsetRegister(const Instruction& i) { return i.src[0].index + (i.idxen ? 1 : 0); }

}  // namespace

BufferResource DecodeBufferResource(Generation generation, const uint32_t* words,
                                    bool format_access) {
  BufferResource r;
  r.base = words[0] | static_cast<uint64_t>(Field(words[1], 0, 16)) << 32;
  r.stride = Field(words[1], 16, 14);
  r.swizzle = Field(words[1], 31, 1) != 0;
  r.num_records = words[2];
  for (int n = 0; n < 4; ++n) r.dst_sel[n] = static_cast<uint8_t>(Field(words[3], 3 * n, 3));
  r.num_format = static_cast<uint8_t>(Field(words[3], 12, 3));
  r.data_format = static_cast<uint8_t>(Field(words[3], 15, 4));
  r.element_shift = IsGfx9(generation) ? 2 : 1 + static_cast<int>(Field(words[3], 19, 2));
  r.index_shift = 3 + static_cast<int>(Field(words[3], 21, 2));
  r.add_tid = Field(words[3], 23, 1) != 0;
  if (IsGfx8Plus(generation) && r.add_tid && !format_access) {
    r.stride |= static_cast<uint32_t>(r.data_format) << 14;
  } else {
    r.is_unbound = r.data_format == 0;
  }
  return r;
}

RangeCheck RangeCheckFor(Generation generation, const Instruction& i, const BufferResource& r) {
  if (r.is_unbound) return RangeCheck::kUnbound;
  if (i.addr64) return RangeCheck::kNone;
  // NUM_RECORDS counts bytes or records depending on the 14-bit STRIDE field alone.
  const bool structured = (r.stride & 0x3FFF) != 0;
  if (IsGfx9(generation)) {
    if (r.add_tid && !i.idxen) return RangeCheck::kNone;
    return i.idxen && structured ? RangeCheck::kIndex : RangeCheck::kOffset;
  }
  if (!structured) return RangeCheck::kBufferOffset;
  if (frontend::Has(generation, frontend::kRecordsIfSwizzled)) {
    return r.swizzle ? RangeCheck::kIndexAndOffset : RangeCheck::kBufferOffset;
  }
  return i.idxen || r.add_tid ? RangeCheck::kIndexAndOffset : RangeCheck::kIndex;
}

BufferAccess::BufferAccess(Wave& w, const Instruction& i, bool format_access)
    : w_(w),
      resource_(DecodeBufferResource(w.generation(), &w.state.sgpr[i.src[2].index], format_access)),
      check_(RangeCheckFor(w.generation(), i, resource_)),
      addr64_(i.addr64),
      // Compilers put a negative 64-bit constant into the descriptor's 48-bit base and the pointer
      // into the VGPRs (LLVM for gfx6, `s_mov_b64 s[0:1], -4`): the sum is an address of 48 bits
      // (Southern Islands ISA, buffer resource: BASE_ADDRESS is 48 bits).
      wrap_(i.addr64 ? 0xFFFFFFFFFFFF : ~uint64_t{0}),
      has_index_(!i.addr64 && (i.idxen || resource_.add_tid)),
      index_is_lane_(!i.idxen && resource_.add_tid),
      soffset_(ReadScalar32(w, i.src[3])) {
  base_ = resource_.base + soffset_;
  const auto instruction_offset = static_cast<uint32_t>(i.offset);
  if (addr64_) {
    for (int lane = 0; lane < kLanes; ++lane) {
      offset_[lane] = LaneValue<uint64_t>(w, i.src[0].index, lane) + instruction_offset;
    }
    return;
  }
  // Before gfx9 a negative VGPR offset is out of range even if the sum is not (LLVM
  // AMDGPUISelDAGToDAG, SelectMUBUFScratchOffen); gfx9 adds in 32 bits.
  const uint64_t wrap = IsGfx9(w.generation()) ? 0xFFFFFFFF : ~uint64_t{0};
  const uint32_t* voffset = i.offen ? w.state.vgpr[OffsetRegister(i)] : nullptr;
  if (voffset != nullptr) {
    for (int lane = 0; lane < kLanes; ++lane) {
      offset_[lane] = (uint64_t{instruction_offset} + voffset[lane]) & wrap;
    }
  } else {
    for (int lane = 0; lane < kLanes; ++lane) offset_[lane] = instruction_offset;
  }
  if (!has_index_) return;
  const uint64_t tid = resource_.add_tid ? ~uint64_t{0} : 0;
  if (i.idxen) {
    const uint32_t* vindex = w.state.vgpr[i.src[0].index];
    for (uint64_t lane = 0; lane < kLanes; ++lane) index_[lane] = vindex[lane] + (lane & tid);
  } else {
    for (uint64_t lane = 0; lane < kLanes; ++lane) index_[lane] = lane;
  }
}

uint64_t BufferAccess::BufferOffset(uint64_t index, uint64_t offset) const {
  if (addr64_) return offset;
  if (!has_index_) index = 0;
  if (!resource_.swizzle) return index * resource_.stride + offset;
  const uint64_t index_low = index & ((1u << resource_.index_shift) - 1);
  const uint64_t offset_low = offset & ((1u << resource_.element_shift) - 1);
  return (((index >> resource_.index_shift) * resource_.stride + (offset - offset_low))
          << resource_.index_shift) +
         (index_low << resource_.element_shift) + offset_low;
}

uint64_t BufferAccess::Apart(uint32_t bytes) const {
  // gfx6 aligns addresses.
  if (!swizzled() || !frontend::Has(w_.generation(), frontend::kUnalignedBuffers)) return 0;
  const uint64_t mask = std::min(bytes, 4u) - 1;
  uint64_t apart = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    apart |= uint64_t{(offset_[lane] & mask) != 0} << lane;
  }
  return apart & w_.exec();
}

uint64_t BufferAccess::InRange(const uint64_t (&buffer_offset)[kLanes], uint32_t component,
                               uint32_t needed) const {
  const uint64_t records = resource_.num_records;
  alignas(64) uint8_t in_range[kLanes];
  switch (check_) {
    case RangeCheck::kNone: return w_.exec();
    case RangeCheck::kUnbound: return 0;
    case RangeCheck::kBufferOffset: {
      const uint64_t limit = records - std::min<uint64_t>(records, soffset_);
      for (int lane = 0; lane < kLanes; ++lane) {
        in_range[lane] = buffer_offset[lane] + needed <= limit;
      }
      break;
    }
    case RangeCheck::kOffset:
      for (int lane = 0; lane < kLanes; ++lane) {
        in_range[lane] = offset_[lane] + soffset_ + component + needed <= records;
      }
      break;
    case RangeCheck::kIndex:
      for (int lane = 0; lane < kLanes; ++lane) {
        in_range[lane] = (has_index_ ? index_[lane] : 0) < records;
      }
      break;
    case RangeCheck::kIndexAndOffset:
      for (int lane = 0; lane < kLanes; ++lane) {
        in_range[lane] = (has_index_ ? index_[lane] : 0) < records &&
                         offset_[lane] + component + needed <= resource_.stride;
      }
      break;
  }
  return MaskOfFlags(in_range) & w_.exec();
}

// Copies keep the loops free of reloads: `at` could alias the members.
void BufferAccess::BufferOffsets(uint32_t component, LaneAddresses& at) const {
  if (!swizzled()) {
    const uint64_t stride = resource_.stride;
    if (has_index_) {
      for (int lane = 0; lane < kLanes; ++lane) {
        at[lane] = index_[lane] * stride + offset_[lane] + component;
      }
    } else {
      for (int lane = 0; lane < kLanes; ++lane) at[lane] = offset_[lane] + component;
    }
    return;
  }
  if (!index_is_lane_ || resource_.index_shift != 6) {
    for (int lane = 0; lane < kLanes; ++lane) {
      at[lane] = BufferOffset(index_[lane], offset_[lane] + component);
    }
    return;
  }
  // Scratch: all lanes have index / 64 = 0.
  const int element_shift = resource_.element_shift;
  const uint64_t low_mask = (uint64_t{1} << element_shift) - 1;
  for (uint64_t lane = 0; lane < kLanes; ++lane) {
    const uint64_t offset = offset_[lane] + component;
    const uint64_t low = offset & low_mask;
    at[lane] = ((offset - low) << 6) + (lane << element_shift) + low;
  }
}

uint64_t BufferAccess::Locate(uint32_t component, uint32_t bytes, bool whole,
                              LaneAddresses& at) const {
  BufferOffsets(component, at);
  const uint64_t mask = InRange(at, component, whole || IsGfx9(w_.generation()) ? bytes : 1);
  // gfx6 forces alignment; from gfx7 on HSA allows unaligned accesses (LLVM
  // unaligned-buffer-access; Linux KFD sets SH_MEM_CONFIG.ALIGNMENT_MODE to UNALIGNED).
  const uint64_t alignment = frontend::Has(w_.generation(), frontend::kUnalignedBuffers)
                                 ? ~uint64_t{0}
                                 : ~(uint64_t{std::min(bytes, 4u)} - 1);
  for (int lane = 0; lane < kLanes; ++lane) at[lane] = (at[lane] + base_) & wrap_ & alignment;
  return mask;
}

uint64_t BufferAccess::LocatePiece(uint32_t component, uint32_t bytes, LaneAddresses& at) const {
  const uint64_t mask = Locate(component, bytes, /*whole=*/false, at);
  const uint64_t apart = Apart(bytes);
  if (apart == 0) return mask;
  return (mask & ~apart) | (Locate(component, bytes, /*whole=*/true, at) & apart);
}

bool BufferAccess::ReadBytes(int lane, uint32_t component, void* to, uint32_t bytes) const {
  for (uint32_t n = 0; n < bytes; ++n) {
    const uint64_t address = AddressOf(lane, component + n);
    if (!w_.Load(address, static_cast<std::byte*>(to) + n, 1, lane)) return false;
  }
  return true;
}

bool BufferAccess::WriteBytes(int lane, uint32_t component, const void* from,
                              uint32_t bytes) const {
  for (uint32_t n = 0; n < bytes; ++n) {
    const uint64_t address = AddressOf(lane, component + n);
    if (!w_.Store(address, static_cast<const std::byte*>(from) + n, 1, lane)) return false;
  }
  return true;
}

}  // namespace gcnjit::runtime
