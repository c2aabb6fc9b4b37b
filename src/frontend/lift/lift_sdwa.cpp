// SDWA: bytes and halves of registers as operands, in shifts and masks. Sources: Vega manual,
// "SDWA"; CLRX GcnSdwaDpp.
#include "frontend/lift/modifiers.h"

namespace gcnjit::frontend {
namespace {

struct SubDword {
  uint32_t bits;
  uint32_t position;
  uint32_t mask() const { return bits == 16 ? 0xFFFF : 0xFF; }
};

// Not for kDword.
SubDword SubDwordOf(SdwaSelect select) {
  const auto n = static_cast<uint32_t>(select);
  if (select >= SdwaSelect::kWord0) return {16, 16 * (n - 4)};
  return {8, 8 * n};
}

Value SignExtend(ir::Builder& b, Value v, const SubDword& field) {
  return b.Unary(field.bits == 16 ? Op::kSext16 : Op::kSext8, v);
}

}  // namespace

Value SelectSubDword(ir::Builder& b, Value v, SdwaSelect select, bool sign_extend) {
  if (select == SdwaSelect::kDword) return v;
  const SubDword field = SubDwordOf(select);
  if (field.position + field.bits == 32) {
    return sign_extend ? b.Ashr(v, field.position) : b.Lshr(v, field.position);
  }
  const Value shifted = b.Lshr(v, field.position);
  return sign_extend ? SignExtend(b, shifted, field) : b.And(shifted, b.U32(field.mask()));
}

Value PlaceSubDword(ir::Builder& b, Value v, Value old, const Sdwa& sdwa) {
  if (sdwa.dst_sel == SdwaSelect::kDword) return v;
  const SubDword field = SubDwordOf(sdwa.dst_sel);
  // Sign extension goes upwards only: the bits below the field are 0.
  if (sdwa.dst_unused == SdwaUnused::kSext) {
    return b.Shl(SignExtend(b, v, field), field.position);
  }
  const bool reaches_top = field.position + field.bits == 32;
  const Value placed = b.Shl(reaches_top ? v : b.And(v, b.U32(field.mask())), field.position);
  if (sdwa.dst_unused == SdwaUnused::kPad) return placed;
  return b.Or(placed, b.And(old, b.U32(~(field.mask() << field.position))));
}

}  // namespace gcnjit::frontend
