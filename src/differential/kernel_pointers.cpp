#include "differential/kernel_pointers.h"

namespace gcnjit::differential {

using frontend::IsGfx8Plus;
using frontend::IsGfx9;

namespace {

// Of a pointer into the buffer: what it counts from.
Source OffsetOf(const Pointer& pointer) {
  if (pointer.scalar != 0) return Sgpr(pointer.scalar);
  if (pointer.base == kInput) return Sgpr(kInputAtSgpr);
  return pointer.base == kOutput ? Sgpr(kOutputAtSgpr) : Inline(0);
}

}  // namespace

KernelPointers::KernelPointers(KernelCode& code, bool wraps) : code_(code) {
  using Form = Pointer::Form;
  Random& random = code.random();
  // Compilers address all of a kernel's memory alike.
  if (wraps) {
    usual_ = Form::kBuffer;
  } else if (random.Percent(85)) {
    constexpr Form kForms[] = {Form::kAddress, Form::kAddress,     Form::kAddress,
                               Form::kAddress, Form::kAddress,     Form::kBase,
                               Form::kBase,    Form::kFlatAddress, Form::kBuffer};
    usual_ = random.Pick(kForms);
  }
  others_percent_ = wraps ? 0 : random.Pick({0u, 0u, 10u});
}

Pointer KernelPointers::Any(uint32_t vgpr, uint32_t base) {
  using Form = Pointer::Form;
  Random& random = code_.random();
  Form form = random.Pick({Form::kAddress, Form::kFlatAddress, Form::kBase, Form::kBuffer});
  if (usual_ && !random.Percent(others_percent_)) form = *usual_;
  const bool has_flat = frontend::Has(generation(), frontend::kHasFlat);
  if (form == Form::kFlatAddress && !has_flat) form = Form::kAddress;
  if (form == Form::kBase && !IsGfx9(generation())) form = Form::kBuffer;
  return {form, vgpr, base};
}

void KernelPointers::Point(const Pointer& pointer, uint32_t index, uint32_t shift) {
  using Form = Pointer::Form;
  if (pointer.form == Form::kBase || pointer.form == Form::kBuffer) {
    code_.Add(code_.assembler().Vop2(Opcode::V_LSHLREV_B32, pointer.vgpr, Inline(shift), index));
    return;
  }
  const uint32_t low = pointer.vgpr;
  const uint32_t high = pointer.vgpr + 1;
  code_.Add(code_.assembler().Vop2(Opcode::V_ASHRREV_I32, high, Inline(31), index));
  code_.Move(low, Vgpr(index));
  if (IsGfx8Plus(generation())) {
    code_.Add(
        code_.assembler().Vop3(Opcode::V_LSHLREV_B64, low, {Inline(shift), Vgpr(low), Source{}}));
  } else {
    code_.Add(
        code_.assembler().Vop3(Opcode::V_LSHL_B64, low, {Vgpr(low), Inline(shift), Source{}}));
  }
  code_.Move(kTemp + 3, Sgpr(pointer.base + 1));
  code_.Add(code_.assembler().Vop2(Opcode::V_ADD_CO_U32, low, Sgpr(pointer.base), low));
  code_.Add(code_.assembler().Vop2(Opcode::V_ADDC_CO_U32, high, Vgpr(kTemp + 3), high));
}

void KernelPointers::WalkByScalar(Pointer& pointer, uint32_t sgpr) {
  using Form = Pointer::Form;
  if (pointer.form == Form::kBase) {
    code_.Add(code_.assembler().Sop1(Opcode::S_MOV_B64, sgpr, Sgpr(pointer.base)));
  } else if (pointer.form == Form::kBuffer) {
    code_.Add(code_.assembler().Sop1(Opcode::S_MOV_B32, sgpr, OffsetOf(pointer)));
  } else {
    return;
  }
  pointer.scalar = sgpr;
}

// `bytes` are not negative.
void KernelPointers::Advance(const Pointer& pointer, Source bytes) {
  using Form = Pointer::Form;
  if (pointer.scalar != 0) {
    code_.Scalar(Opcode::S_ADD_U32, pointer.scalar, Sgpr(pointer.scalar), bytes);
    if (pointer.form == Form::kBase) {
      code_.Scalar(Opcode::S_ADDC_U32, pointer.scalar + 1, Sgpr(pointer.scalar + 1), Inline(0));
    }
    return;
  }
  if (pointer.form == Form::kBase || pointer.form == Form::kBuffer) {
    code_.AddTo(pointer.vgpr, bytes);
    return;
  }
  code_.Add(code_.assembler().Vop2(Opcode::V_ADD_CO_U32, pointer.vgpr, bytes, pointer.vgpr));
  code_.Add(
      code_.assembler().Vop2(Opcode::V_ADDC_CO_U32, pointer.vgpr + 1, Inline(0), pointer.vgpr + 1));
}

bool KernelPointers::HasOffset(const Pointer& pointer) const {
  return pointer.form == Pointer::Form::kBuffer || IsGfx9(generation());
}

void KernelPointers::At(const Pointer& pointer, Access access, uint32_t data, uint32_t offset) {
  Item item;
  switch (pointer.form) {
    case Pointer::Form::kAddress:
      item = code_.memory().AtAddress(access, data, pointer.vgpr, kFreeAddress);
      break;
    case Pointer::Form::kFlatAddress:
      item = code_.memory().AtFlatAddress(access, data, pointer.vgpr);
      break;
    case Pointer::Form::kBase:
      item = code_.memory().AtBase(
          access, data, pointer.scalar != 0 ? pointer.scalar : pointer.base, pointer.vgpr);
      break;
    case Pointer::Form::kBuffer:
      item = code_.memory().InBuffer(access, data, pointer.vgpr, kBuffer, OffsetOf(pointer).code);
      break;
  }
  constexpr int kOffsetBits = 12;
  encoding::SetField(item.words[0], 0, kOffsetBits, offset);
  code_.Add(item);
}

}  // namespace gcnjit::differential
