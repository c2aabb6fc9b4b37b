// FLAT and GLOBAL loads and stores. Semantics: CLRX GcnInstrsFlat; Vega manual, "Flat memory
// instructions".
#include "frontend/lift/flat_address.h"
#include "frontend/lift/lift_memory.h"

namespace gcnjit::frontend {
namespace {

void Load(Lifter& l, const Instruction& i, const MemoryForm& form, ir::Space space) {
  const std::array<Value, 3> at = FlatAddress(l, i);
  if (!l.refusal().empty()) return;
  FenceIfCoherent(l, i);
  const Value load =
      l.b.Emit(Op::kLoad, Type::kV32, {at[0], at[1], at[2]}, i.offset, form.Access(space).Pack());
  WriteLoaded(l, i, form, PartsOf(l, load, form.Dwords()));
}

void Store(Lifter& l, const Instruction& i, const MemoryForm& form, ir::Space space) {
  const std::array<Value, 3> at = FlatAddress(l, i);
  if (!l.refusal().empty()) return;
  const Dwords data = StoredDwords(l, form, i.src[1].index);
  const Value args[] = {at[0], at[1], at[2], data[0], data[1], data[2], data[3]};
  l.b.EmitList(Op::kStore, Type::kVoid, args, 3 + form.Dwords(), i.offset,
               form.Access(space).Pack());
}

}  // namespace

// clang-format off
#define LOAD(suffix, form)                                                                                          \
  void lift_FLAT_LOAD_##suffix(Lifter& l, const Instruction& i) { Load(l, i, form, ir::Space::kFlat); }      \
  void lift_GLOBAL_LOAD_##suffix(Lifter& l, const Instruction& i) { Load(l, i, form, ir::Space::kGlobal); }
#define STORE(suffix, form)                                                                                         \
  void lift_FLAT_STORE_##suffix(Lifter& l, const Instruction& i) { Store(l, i, form, ir::Space::kFlat); }    \
  void lift_GLOBAL_STORE_##suffix(Lifter& l, const Instruction& i) { Store(l, i, form, ir::Space::kGlobal); }

LOAD(UBYTE,        kUbyte)
LOAD(SBYTE,        kSbyte)
LOAD(USHORT,       kUshort)
LOAD(SSHORT,       kSshort)
LOAD(DWORD,        kDword)
LOAD(DWORDX2,      kDwordX2)
LOAD(DWORDX3,      kDwordX3)
LOAD(DWORDX4,      kDwordX4)
LOAD(UBYTE_D16,    kUbyteD16)
LOAD(UBYTE_D16_HI, kUbyteD16Hi)
LOAD(SBYTE_D16,    kSbyteD16)
LOAD(SBYTE_D16_HI, kSbyteD16Hi)
LOAD(SHORT_D16,    kShortD16)
LOAD(SHORT_D16_HI, kShortD16Hi)

STORE(BYTE,         kUbyte)
STORE(BYTE_D16_HI,  kUbyteD16Hi)
STORE(SHORT,        kUshort)
STORE(SHORT_D16_HI, kShortD16Hi)
STORE(DWORD,        kDword)
STORE(DWORDX2,      kDwordX2)
STORE(DWORDX3,      kDwordX3)
STORE(DWORDX4,      kDwordX4)

#undef LOAD
#undef STORE
// clang-format on

}  // namespace gcnjit::frontend
