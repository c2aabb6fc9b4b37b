#include "frontend/lift/buffer_address.h"

#include <algorithm>

#include "frontend/lift/integer_ops.h"

namespace gcnjit::frontend {
namespace {

// Resources are often built from constants in the same block: what depends on the fields decides
// much of the code, so it is worth folding at once.
Value Field(ir::Builder& b, Value word, uint32_t shift, uint32_t bits) {
  const uint32_t mask = (1u << bits) - 1;
  uint64_t constant = 0;
  if (b.IsConst(word, &constant)) return b.U32(static_cast<uint32_t>(constant >> shift) & mask);
  return b.And(b.Lshr(word, shift), b.U32(mask));
}

Value IsNotZero(ir::Builder& b, Value v) {
  uint64_t constant = 0;
  if (b.IsConst(v, &constant)) return b.U1(constant != 0);
  return b.Compare(Op::kNe, v, b.Const(b.TypeOf(v), 0));
}

Value Flag(ir::Builder& b, Value word, uint32_t bit) {
  return IsNotZero(b, Field(b, word, bit, 1));
}

bool IsKnown(const ir::Builder& b, Value v, bool expected) {
  uint64_t constant = 0;
  return b.IsConst(v, &constant) && (constant != 0) == expected;
}

Value ToU64(ir::Builder& b, Value v) {
  uint64_t constant = 0;
  return b.IsConst(v, &constant) ? b.U64(constant) : b.Zext(v);
}

}  // namespace

BufferAddress::BufferAddress(Lifter& l, const Instruction& i)
    : l_(l), b_(l.b), addr64_(i.addr64), idxen_(i.idxen) {
  if (i.lds || i.tfe) {
    l.Refuse(i.lds ? "transfers to LDS" : "TFE");
    return;
  }
  soffset_ = l.Scalar32(i.src[3]);
  if (!l.refusal().empty()) return;
  ReadResource(i);
  ReadOffset(i);
  if (addr64_) return;
  ReadIndex(i);
  row_ = RowOffset();
}

void BufferAddress::ReadResource(const Instruction& i) {
  const int first = i.src[2].index;
  const Value word1 = l_.Sgpr(first + 1);
  const Value word3 = l_.Sgpr(first + 3);
  const bool gfx8_plus = IsGfx8Plus(l_.generation());
  base_ = b_.Add(Base(l_.Sgpr(first), word1), ToU64(b_, soffset_));
  records_ = l_.Sgpr(first + 2);
  swizzle_ = addr64_ ? b_.U1(false) : Flag(b_, word1, 31);
  add_tid_ = Flag(b_, word3, 23);
  const Value short_stride = Field(b_, word1, 16, 14);
  structured_ = IsNotZero(b_, short_stride);
  const Value data_format = Field(b_, word3, 15, 4);
  unbound_ = b_.Not(IsNotZero(b_, data_format));
  stride_ = short_stride;
  if (gfx8_plus) {
    // DATA_FORMAT is STRIDE[17:14] then.
    unbound_ = b_.And(unbound_, b_.Not(add_tid_));
    const Value extension = b_.Select(add_tid_, b_.Shl(data_format, 14), b_.U32(0));
    stride_ = b_.Or(short_stride, extension);
  }
  element_shift_ = IsGfx9(l_.generation()) ? b_.U32(2) : b_.Add(Field(b_, word3, 19, 2), b_.U32(1));
  // Without a swizzle the formula with index stride 1 is the plain one.
  const Value index_shift = b_.Add(Field(b_, word3, 21, 2), b_.U32(3));
  index_shift_ = b_.Select(swizzle_, index_shift, b_.U32(0));
}

// With 64-bit addresses, compilers have a negative constant there (LLVM for gfx6): sign-extended,
// its sums are addresses that need not be wrapped.
Value BufferAddress::Base(Value low, Value word1) const {
  if (!addr64_) return b_.Pack(low, Field(b_, word1, 0, 16));
  constexpr uint32_t kSignBits = 16;
  return b_.Ashr(b_.Shl(b_.Pack(low, word1), kSignBits), kSignBits);
}

void BufferAddress::ReadOffset(const Instruction& i) {
  const auto immediate = static_cast<uint32_t>(i.offset);
  const int first = i.src[0].index;
  if (addr64_) {
    offset_ = b_.Pack(l_.Vgpr(first), l_.Vgpr(first + 1));
    base_ = b_.Add(base_, b_.U64(immediate));
    return;
  }
  if (!i.offen) {
    offset_low_ = b_.U32(immediate);
    offset_ = b_.U64(immediate);
    return;
  }
  const Value voffset = l_.Vgpr(first + (i.idxen ? 1 : 0));
  offset_low_ = b_.Add(voffset, b_.U32(immediate));
  // Before gfx9 the sum does not wrap around: a negative offset stays out of range.
  offset_ =
      IsGfx9(l_.generation()) ? b_.Zext(offset_low_) : b_.Add(b_.Zext(voffset), b_.U64(immediate));
}

void BufferAddress::ReadIndex(const Instruction& i) {
  Value thread;
  if (!IsKnown(b_, add_tid_, false)) {
    thread = b_.And(b_.LaneId(), b_.Select(add_tid_, b_.U32(63), b_.U32(0)));
  }
  if (!idxen_) {
    index_ = thread;
    return;
  }
  index_ = b_.Zext(l_.Vgpr(i.src[0].index));
  if (thread) index_ = b_.Add(index_, b_.Zext(thread));
}

// Swizzled buffers hold 2^index_shift records interleaved by elements:
//   ((index >> index_shift) * stride + offset_high) << index_shift
//     + (index_low << element_shift) + offset_low
// This is what comes of the index; OffsetWithinRow is the rest.
Value BufferAddress::RowOffset() const {
  if (!index_) return b_.U64(0);
  const Value low_bits = LowBits(b_, index_shift_);
  if (!idxen_) {
    // At most 63 * 2^18.
    const Value row = b_.Mul(b_.Lshr(index_, index_shift_), stride_);
    const Value column = b_.Shl(b_.And(index_, low_bits), element_shift_);
    return b_.Zext(b_.Add(b_.Shl(row, index_shift_), column));
  }
  // The index may have 33 bits.
  const Value group = b_.Lshr(index_, index_shift_);
  const Value row = b_.Add(b_.Binary(Op::kMulWideU, b_.Low(group), stride_),
                           b_.Pack(b_.U32(0), b_.Mul(b_.High(group), stride_)));
  const Value column = b_.Shl(b_.And(b_.Low(index_), low_bits), element_shift_);
  return b_.Add(b_.Shl(row, index_shift_), b_.Zext(column));
}

Value BufferAddress::ElementMask() const { return ToU64(b_, LowBits(b_, element_shift_)); }

Value BufferAddress::OffsetWithinRow(uint32_t component) const {
  const Value offset = b_.Add(offset_, b_.U64(component));
  if (IsKnown(b_, swizzle_, false)) return offset;
  const Value mask = ElementMask();
  return b_.Add(b_.Shl(b_.AndNot(offset, mask), index_shift_), b_.And(offset, mask));
}

std::pair<Value, Value> BufferAddress::At(uint32_t component, uint32_t bytes) const {
  const bool aligns = !Has(l_.generation(), kUnalignedBuffers);
  Value address;
  if (addr64_) {
    address = b_.Add(offset_, b_.Add(base_, b_.U64(component)));
  } else {
    const Value offset = OffsetWithinRow(component);
    // Scalars with scalars, so that there is one addition of lanes if only the row has any.
    address = ir::IsLanes(b_.TypeOf(offset)) ? b_.Add(b_.Add(row_, base_), offset)
                                             : b_.Add(row_, b_.Add(base_, offset));
  }
  // gfx6 forces alignment; HSA allows unaligned accesses from gfx7 on (LLVM
  // unaligned-buffer-access).
  if (aligns && bytes > 1) address = b_.And(address, b_.U64(~(std::min<uint64_t>(bytes, 4) - 1)));
  return {b_.Low(address), b_.High(address)};
}

Value BufferAddress::Place(uint32_t component, uint32_t bytes) const {
  const uint32_t misaligned = bytes - 1;
  if (misaligned == 0 || addr64_ || !Has(l_.generation(), kUnalignedBuffers)) return {};
  if (IsKnown(b_, swizzle_, false)) return {};
  uint64_t constant = 0;
  if (b_.IsConst(offset_low_, &constant) && ((constant + component) & misaligned) == 0) return {};
  const Value offset_mask = b_.Select(swizzle_, b_.U32(ir::SwizzledPlace::kOffsetMask), b_.U32(0));
  const Value steps = b_.Or(b_.Shl(element_shift_, ir::SwizzledPlace::kElementShift),
                            b_.Shl(index_shift_, ir::SwizzledPlace::kIndexShift));
  return b_.Or(b_.And(b_.Add(offset_low_, b_.U32(component)), offset_mask), steps);
}

Value BufferAddress::PieceInRange(uint32_t component, uint32_t bytes) const {
  const Value in_range = InRange(component, bytes);
  const Value place = Place(component, bytes);
  if (!place || IsGfx9(l_.generation())) return in_range;
  const Value misaligned = b_.And(place, b_.U32(bytes - 1));
  const Value apart = b_.Emit(Op::kNe, ir::Type::kU64, {misaligned, b_.U32(0)});
  return b_.Or(b_.AndNot(in_range, apart), b_.And(InRange(component, bytes, true), apart));
}

// The lanes of `mask` for which the condition, a u1 or a lane mask, holds.
Value BufferAddress::Restrict(Value mask, Value condition) const {
  if (b_.TypeOf(condition) == ir::Type::kU1) return b_.Select(condition, mask, b_.U64(0));
  return b_.And(mask, condition);
}

Value BufferAddress::InIndexRange() const {
  if (!index_) return IsNotZero(b_, records_);
  if (!idxen_) return b_.Compare(Op::kLtU, index_, records_);
  return b_.Compare(Op::kLtU, index_, ToU64(b_, records_));
}

Value BufferAddress::InStride(uint32_t end) const {
  return b_.Compare(Op::kLeU, b_.Add(offset_, b_.U64(end)), ToU64(b_, stride_));
}

// What SOFFSET leaves of NUM_RECORDS bytes.
Value BufferAddress::BytesLeft() const {
  if (IsKnown(b_, soffset_, false)) return records_;
  return b_.Sub(records_, b_.Binary(Op::kMinU, records_, soffset_));
}

// Offset (of 32 bits on gfx9) + SOFFSET + end <= NUM_RECORDS, without overflow.
Value BufferAddress::InRecords(uint32_t end) const {
  const Value left = BytesLeft();
  uint64_t constant = 0;
  if (b_.IsConst(offset_low_, &constant)) {
    if (constant + end > 0xFFFFFFFF) return b_.U1(false);
    return b_.Compare(Op::kLeU, b_.U32(static_cast<uint32_t>(constant + end)), left);
  }
  const Value fits = b_.Compare(Op::kLeU, b_.U32(end), left);
  const Value last = b_.Sub(left, b_.U32(end));
  return Restrict(b_.Emit(Op::kLeU, ir::Type::kU64, {offset_low_, last}), fits);
}

// The swizzled offset against the bytes that SOFFSET leaves.
Value BufferAddress::InBytesLeft(uint32_t component, uint32_t needed) const {
  const Value offset = b_.Add(row_, OffsetWithinRow(component));
  return b_.Compare(Op::kLeU, b_.Add(offset, b_.U64(needed)), ToU64(b_, BytesLeft()));
}

Value BufferAddress::InRangeGfx9(uint32_t end) const {
  const Value exec = l_.Exec();
  if (idxen_) {
    return b_.Select(structured_, Restrict(exec, InIndexRange()), Restrict(exec, InRecords(end)));
  }
  return b_.Select(add_tid_, exec, Restrict(exec, InRecords(end)));
}

Value BufferAddress::InRangeBefore9(uint32_t component, uint32_t needed) const {
  const Value exec = l_.Exec();
  const Value bytes = Restrict(exec, InBytesLeft(component, needed));
  if (IsKnown(b_, structured_, false)) return bytes;
  const Value records = Restrict(exec, InIndexRange());
  const Value both = Restrict(records, InStride(component + needed));
  if (Has(l_.generation(), kRecordsIfSwizzled)) {
    return b_.Select(structured_, b_.Select(swizzle_, both, bytes), bytes);
  }
  return b_.Select(structured_, idxen_ ? both : b_.Select(add_tid_, both, records), bytes);
}

Value BufferAddress::InRange(uint32_t component, uint32_t bytes, bool whole) const {
  const bool gfx9 = IsGfx9(l_.generation());
  const uint32_t needed = whole || gfx9 ? bytes : 1;
  Value mask;
  if (addr64_) {
    mask = l_.Exec();
  } else if (gfx9) {
    mask = InRangeGfx9(component + needed);
  } else {
    mask = InRangeBefore9(component, needed);
  }
  return b_.Select(unbound_, b_.U64(0), mask);
}

}  // namespace gcnjit::frontend
