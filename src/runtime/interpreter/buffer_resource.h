// Buffer resources (V#) and the addresses that MUBUF and MTBUF instructions compute with them.
//
// Sources: CLRX GcnMemHandling.md (fields, gfx6-7 range check); gem5 op_encodings.hh (gfx8 range
// check, from the GCN3 manual); CDNA3 ISA 9.1.4-9.1.8 (gfx9: unbound resources, stride extension,
// structured buffers); rocjitsu addr_calc_buffer.h (gfx9: raw buffers, as found on a GPU); LLVM
// SIInstrInfo::getScratchRsrcWords23 (element size is gone on gfx9, stride extension). docs/isa.md,
// "Which lanes a buffer holds", has the rules and their sources.
#pragma once

#include <cstdint>

#include "runtime/interpreter/lane_access.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

struct BufferResource {
  uint64_t base = 0;
  uint32_t stride = 0;
  uint32_t num_records = 0;
  bool swizzle = false;
  bool add_tid = false;
  int element_shift = 0;  // log2 of the element size in bytes, for swizzling
  int index_shift = 0;    // log2 of the index stride, for swizzling
  uint8_t dst_sel[4] = {};
  uint8_t data_format = 0;
  uint8_t num_format = 0;
  bool is_unbound = false;  // DATA_FORMAT 0: loads return 0, stores are dropped
};

// With ADD_TID_ENABLE, gfx8-9 read DATA_FORMAT as STRIDE[17:14], but not for format accesses.
BufferResource DecodeBufferResource(Generation generation, const uint32_t* words,
                                    bool format_access);

// How lanes are told to be out of range.
enum class RangeCheck : uint8_t {
  kNone,            // 64-bit addressing; private segment on gfx9
  kUnbound,         // nothing is in range
  kBufferOffset,    // swizzled offset against the bytes left after SOFFSET
  kOffset,          // VGPR and instruction offset (32 bits) + SOFFSET against NUM_RECORDS bytes
  kIndex,           // index against NUM_RECORDS
  kIndexAndOffset,  // and offset against STRIDE
};
RangeCheck RangeCheckFor(Generation generation, const Instruction& i, const BufferResource& r);

// The accesses of one instruction: indices and offsets of the lanes are captured at construction,
// so that destination registers may overlap address registers.
class BufferAccess {
 public:
  BufferAccess(Wave& w, const Instruction& i, bool format_access);

  const BufferResource& resource() const { return resource_; }
  // The bytes of an access that crosses an element are not contiguous.
  bool swizzled() const { return resource_.swizzle && !addr64_; }
  // The active lanes of which an access of `bytes` is swizzled and not aligned to min(bytes, 4).
  uint64_t Apart(uint32_t bytes) const;

  // Guest addresses of `bytes` at `component` bytes into the lanes' accesses, and which active
  // lanes are in range: all of the bytes on gfx9 and for format accesses and atomics (`whole`), the
  // first of them elsewhere.
  uint64_t Locate(uint32_t component, uint32_t bytes, bool whole, LaneAddresses& at) const;
  // Likewise of at most a dword. Lanes that are apart are in range with all of their bytes only.
  uint64_t LocatePiece(uint32_t component, uint32_t bytes, LaneAddresses& at) const;
  uint64_t AddressOf(int lane, uint32_t component) const {
    return (base_ + BufferOffset(index_[lane], offset_[lane] + component)) & wrap_;
  }

  // Byte by byte, for accesses that cross elements. False after a fault.
  bool ReadBytes(int lane, uint32_t component, void* to, uint32_t bytes) const;
  bool WriteBytes(int lane, uint32_t component, const void* from, uint32_t bytes) const;

 private:
  uint64_t BufferOffset(uint64_t index, uint64_t offset) const;
  void BufferOffsets(uint32_t component, LaneAddresses& at) const;
  uint64_t InRange(const uint64_t (&buffer_offset)[kLanes], uint32_t component,
                   uint32_t needed) const;

  Wave& w_;
  BufferResource resource_;
  RangeCheck check_;
  bool addr64_;
  uint64_t wrap_;
  bool has_index_;
  bool index_is_lane_;
  uint64_t base_;  // with SOFFSET
  uint32_t soffset_;
  alignas(64) uint64_t index_[kLanes];
  alignas(64) uint64_t offset_[kLanes];
};

}  // namespace gcnjit::runtime
