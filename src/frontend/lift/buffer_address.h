// Addresses and range checks of MUBUF instructions, in IR: resources are values of SGPRs that are
// known when the code runs only.
//
// Sources: those of the interpreter's buffer_resource.h; LLVM AMDGPUISelDAGToDAG (negative offsets
// before gfx9).
#pragma once

#include <cstdint>
#include <utility>

#include "frontend/lift/lifter.h"

namespace gcnjit::frontend {

class BufferAddress {
 public:
  // Refuses what is no plain access of memory and VGPRs.
  BufferAddress(Lifter& l, const Instruction& i);

  // The active lanes of which `bytes`, `component` bytes into the access, are in range: all of them
  // on gfx9 and for atomics (`whole`), the first of them elsewhere.
  Value InRange(uint32_t component, uint32_t bytes, bool whole = false) const;
  // Low and high dword of the address, which counts modulo 2^48 with 64-bit addresses (Southern
  // Islands ISA, BASE_ADDRESS), of `bytes` at `component` bytes into the access.
  std::pair<Value, Value> At(uint32_t component, uint32_t bytes) const;
  // `access` of such an address.
  ir::MemoryAccess Access(ir::MemoryAccess access) const {
    access.wraps = addr64_;
    return access;
  }
  // u1: consecutive elements of a lane are not contiguous.
  Value swizzled() const { return swizzle_; }
  // Each lane's ir::SwizzledPlace; none where the bytes of an aligned or linear access alone are
  // possible. Of at most a dword.
  Value Place(uint32_t component, uint32_t bytes) const;
  // As InRange. Lanes whose bytes are apart are in range with all of them only.
  Value PieceInRange(uint32_t component, uint32_t bytes) const;

 private:
  void ReadResource(const Instruction& i);
  Value Base(Value low, Value word1) const;
  void ReadIndex(const Instruction& i);
  void ReadOffset(const Instruction& i);
  Value RowOffset() const;
  Value OffsetWithinRow(uint32_t component) const;
  Value ElementMask() const;
  Value InIndexRange() const;
  Value InStride(uint32_t end) const;
  Value BytesLeft() const;
  Value InRecords(uint32_t end) const;
  Value InBytesLeft(uint32_t component, uint32_t needed) const;
  Value InRangeGfx9(uint32_t end) const;
  Value InRangeBefore9(uint32_t component, uint32_t needed) const;
  Value Restrict(Value mask, Value condition) const;

  Lifter& l_;
  ir::Builder& b_;
  const bool addr64_;
  const bool idxen_;
  // From the resource. u32, or u1.
  Value base_;  // u64, with SOFFSET
  Value soffset_;
  Value stride_;  // with the extension that ADD_TID_ENABLE brings
  Value structured_;
  Value records_;
  Value swizzle_;
  Value add_tid_;
  Value unbound_;
  Value element_shift_;
  Value index_shift_;  // 0 unless swizzled
  // From VGPRs.
  Value index_;       // none; v32 below 64; v64 with idxen
  Value offset_low_;  // low dword of:
  Value offset_;      // u64 or v64; with addr64 the address of the VGPR pair
  Value row_;         // u64 or v64: what index_ contributes to the address
};

}  // namespace gcnjit::frontend
