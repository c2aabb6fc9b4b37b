// The ISA table: one row an instruction, keyed by what the instruction does. The rows are in *.def,
// one file a format; everything else about an instruction is derived from its row.
//
// Columns of GCN_ROW:
//   id        enumerator of Opcode and suffix of the interpreter's exec_* and the lifter's lift_*
//             function. Named by meaning: V_ADD_CO_U32 is v_add_i32 on gfx6-7, v_add_u32 on gfx8.
//   on67      format and number on gfx6 and gfx7, NONE_ if absent on both
//   on89      format and number on gfx8 and gfx9; MOVED(a, b, c) if CDNA 2 has another one, b, and
//             CDNA 3 c; without c the two have the same
//   presence  on which generations the row exists: rows with one number on different generations
//             are told apart by it
//   name      mnemonic without encoding suffix; "a|b|c" where it differs on gfx6-7 | gfx8 | gfx9,
//             "a|b|c|d" if CDNA 3 has a name of its own, d
//   dst, src0, src1, src2   operand types in the order of the assembler; src2 of VOP2 rows with
//             CARRY_IN is VCC there and an SGPR pair in VOP3. Memory rows: see instruction.h.
//   flags     Flags below
//   status    OK, or NO("why this is refused when executed")
//
// VOP1, VOP2 and VOPC rows also exist in VOP3 under a computed number, unless NO_VOP3.
// Sources: LLVM AMDGPU .td files and CLRX documentation for numbers; see docs/isa.md.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/generation.h"

namespace gcnjit::frontend {

// clang-format off
enum class Format : uint8_t {
  kNone, kSop1, kSop2, kSopk, kSopc, kSopp, kSmrd, kSmem, kVop1, kVop2, kVopc, kVop3, kVop3p,
  kMai, kVintrp, kDs, kMubuf, kMtbuf, kFlat, kGlobal, kScratch, kMimg, kExp,
};

// Width and interpretation of an operand. The interpretation decides what inline constants and
// the neg/abs modifiers mean.
enum class OperandType : uint8_t {
  NONE,
  B16, I16, U16, F16,        // low half of a 32-bit register
  B32, I32, U32, F32,
  B64, I64, U64, F64,
  B96, B128, B256, B512, B1024,
  P16I, P16F,                // two 16-bit values in a register (VOP3P)
  P32F, P32B,                // two 32-bit values in a pair of registers (VOP3P)
  MIX,                       // f32 or either f16 half, chosen by op_sel_hi/op_sel (v_mad_mix)
  M64,                       // lane mask: VCC or an SGPR pair
  S32,                       // 32-bit operand of a vector instruction that must be scalar
  SIMM16, UIMM16,            // 16-bit immediate of SOPK/SOPP, sign- or zero-extended
  LABEL,                     // signed dword offset from the next instruction
  WAITCNT, SENDMSG, HWREG,   // coded immediates with their own syntax
  GPR_IDX,                   // 4-bit mode of s_set_gpr_idx_*
  LITERAL,                   // mandatory 32-bit literal
  SOFFSET,                   // SMEM offset: SGPR or immediate
  VADDR,                     // MUBUF/MTBUF address: 0 to 2 VGPRs by offen/idxen/addr64
  VADDR32, VADDR64,          // address VGPR of scratch, address VGPR pair of flat/global
};

// Number of bits an operand of this type occupies in registers (a multiple of 32, or 16).
constexpr int BitsOf(OperandType type) {
  switch (type) {
    using enum OperandType;
    case NONE: case SIMM16: case UIMM16: case LABEL: case WAITCNT: case SENDMSG: case HWREG:
    case GPR_IDX: case LITERAL: case SOFFSET: case VADDR: return 0;
    case B16: case I16: case U16: case F16: return 16;
    case B32: case I32: case U32: case F32: case P16I: case P16F: case MIX: case S32:
    case VADDR32: return 32;
    case B64: case I64: case U64: case F64: case P32F: case P32B: case M64:
    case VADDR64: return 64;
    case B96: return 96;
    case B128: return 128;
    case B256: return 256;
    case B512: return 512;
    case B1024: return 1024;
  }
  return 0;
}
// clang-format on
constexpr bool IsPacked32(OperandType type) {
  return type == OperandType::P32F || type == OperandType::P32B;
}
constexpr int RegistersOf(OperandType type) { return (BitsOf(type) + 31) / 32; }
constexpr bool IsFloat(OperandType type) {
  using enum OperandType;
  return type == F16 || type == F32 || type == F64 || type == P16F || type == P32F || type == MIX;
}

// clang-format off
enum Flags : uint32_t {
  SCC_IN = 1u << 0,
  SCC_OUT = 1u << 1,
  VCC_IN = 1u << 2,       // implicit read of VCC in every encoding
  CARRY_IN = 1u << 3,     // reads a lane mask: VCC in VOP2, src2 in VOP3
  CARRY_OUT = 1u << 4,    // writes a lane mask: VCC in VOP2, sdst in VOP3b
  EXEC_IN = 1u << 5,      // reads EXEC as a value (every vector instruction is masked by it anyway)
  EXEC_OUT = 1u << 6,
  M0_IN = 1u << 7,        // on every generation (LDS instructions before gfx9 also clamp by M0)
  M0_OUT = 1u << 8,
  MODE_IN = 1u << 9,
  MODE_OUT = 1u << 10,
  READS_DST = 1u << 11,   // the destination's old value is an operand
  CROSS_LANE = 1u << 12,
  LANE_ID = 1u << 13,     // the result depends on the lane's number
  FP32 = 1u << 14,        // MODE's f32 round and denormal fields apply
  FP64 = 1u << 15,        // MODE's f64/f16 fields apply
  FPCVT = 1u << 16,       // converts between float widths: both fields, see the function
  BRANCH = 1u << 17,
  END = 1u << 18,
  BARRIER = 1u << 19,
  LOAD = 1u << 20,
  STORE = 1u << 21,
  ATOMIC = 1u << 22,
  DPP = 1u << 23,         // has a DPP form on gfx8-9
  SDWA = 1u << 24,        // has an SDWA form on gfx8-9
  NO_VOP3 = 1u << 25,     // a VOP1/VOP2/VOPC row without VOP3 form
  GRAPHICS = 1u << 26,    // not a compute instruction
  CLAMP_INT = 1u << 27,   // integer result that VOP3 and SDWA can clamp (gfx8-9)
  OP_SEL = 1u << 28,      // VOP3 chooses register halves (gfx9)
  OMOD_ANY = 1u << 29,    // VOP3 has output modifiers although the result is no f16, f32 or f64
  FLOAT_MODS = 1u << 30,  // VOP3 has neg and abs of the first two sources although they are untyped
  INTERPOLATION = 1u << 31,
};
// clang-format on

enum class Opcode : uint16_t {
#define GCN_ROW(id, ...) id,
#include "isa/all_rows.def"
#undef GCN_ROW
  kCount,
};
inline constexpr int kOpcodeCount = static_cast<int>(Opcode::kCount);

// Modifiers a row has in VOP3. neg and abs belong to floating sources.
struct OpcodeRow;
bool TakesFloatModifiers(const OpcodeRow& row, size_t source);
bool TakesClamp(const OpcodeRow& row, Generation generation);
bool TakesOutputModifier(const OpcodeRow& row);
// With an operand of 64 bits: only of row_newbcast.
bool HasDpp(const OpcodeRow& row, Generation generation);
bool IsWideDpp(const OpcodeRow& row);
// OP_SEL means something to 16-bit operands only; the bits of rows without any are ignored.
bool HasHalfOperands(const OpcodeRow& row);
// Whether VOP3's NEG and ABS change the sign bit of a source that is no float: they act on what is
// read, whatever the instruction makes of it (docs/isa.md). Not of 16-bit sources, lane masks,
// scalars for lane accesses, tuples and packed halves, where it is not known what they do.
bool TakesIntegerSignModifiers(const OpcodeRow& row, size_t source);

// Whether a NaN that the result of the row has from a source keeps its quiet bit as it is while
// MODE.IEEE is off (docs/isa.md): so it is of all float arithmetic but of what rounds to f16 or
// adds up products of halves, which always quiet, and of minimum, maximum and median, which have
// rules of their own. Of mixed operands it is not known.
bool KeepsSignallingNans(const OpcodeRow& row);
// Whether of NaN sources that of the last operand is the result's, not that of the first.
bool PrefersLastNan(const OpcodeRow& row);

// Where an instruction is encoded on a generation.
struct OpcodeNumber {
  Format format = Format::kNone;
  uint16_t number = 0;
};
// On gfx8 and gfx9, of which CDNA 2 and 3 may differ.
struct OpcodeNumbers {
  constexpr OpcodeNumbers(OpcodeNumber all) : OpcodeNumbers(all, all, all) {}
  constexpr OpcodeNumbers(OpcodeNumber first, OpcodeNumber second, OpcodeNumber third)
      : before(first), on90a(second), on942(third) {}
  OpcodeNumber before;
  OpcodeNumber on90a;
  OpcodeNumber on942;
};

struct OpcodeRow {
  Opcode opcode;
  const char* id;  // the enumerator's name
  OpcodeNumber on67;
  OpcodeNumbers on89;
  uint16_t presence;  // bit 1 << Generation
  std::string_view names;
  OperandType dst;
  std::array<OperandType, 3> src;
  uint32_t flags;
  const char* refusal;  // nullptr: executable

  constexpr bool ExistsOn(Generation g) const {
    return ((presence >> static_cast<int>(g)) & 1) != 0;
  }
  constexpr OpcodeNumber On(Generation g) const {
    if (!ExistsOn(g)) return {};
    if (!IsGfx8Plus(g)) return on67;
    if (frontend::Has(g, kGfx942Isa)) return on89.on942;
    return frontend::Has(g, kUnifiedVgprs) ? on89.on90a : on89.before;
  }
  constexpr bool Has(Flags flag) const { return (flags & flag) != 0; }
  // Mnemonic on a generation, without encoding suffix.
  std::string_view Name(Generation g) const;
};

const OpcodeRow& RowOf(Opcode opcode);
inline const OpcodeRow& RowOf(int index) { return RowOf(static_cast<Opcode>(index)); }

// The VOP3 number of a VOP1, VOP2 or VOPC instruction; -1 if it has none.
int Vop3NumberOf(const OpcodeRow& row, Generation generation);

// The opcode encoded by `number` in `format` on a generation; nullptr if there is none. kVop3 finds
// the promoted VOP1/VOP2/VOPC instructions too.
const OpcodeRow* FindOpcode(Generation generation, Format format, int number);

}  // namespace gcnjit::frontend
