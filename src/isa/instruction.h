// A decoded instruction: what the words say, with operands resolved, and nothing executed. Shared
// by the disassembler, the interpreter and the lifter.
#pragma once

#include <cstdint>

#include "isa/opcode_table.h"

namespace gcnjit::frontend {

// The encoding an instruction was found in. A row's Format says where its number lives; the same
// row can come as VOP2, VOP3, SDWA or DPP.
// clang-format off
enum class Encoding : uint8_t {
  kSop1, kSop2, kSopk, kSopc, kSopp, kSmrd, kSmem,
  kVop1, kVop2, kVopc,          // 32-bit forms, possibly with a literal
  kVop3a, kVop3b, kVop3p,
  kMai,                         // VOP3P-MAI: matrices and AccVGPRs
  kSdwa,                        // VOP1, VOP2 or VOPC with sub-dword selects
  kDpp,                         // VOP1 or VOP2 with data-parallel primitives
  kVintrp, kDs, kMubuf, kMtbuf, kFlat, kGlobal, kScratch, kMimg, kExp,
};

enum class OperandKind : uint8_t {
  kNone,
  kScalar,    // `index`: operand code 0..127 (SGPRs, FLAT_SCRATCH, XNACK_MASK, VCC, TTMPs, M0, EXEC)
  kVector,    // `index`: number of a vector register (isa/vector_registers.h)
  kConstant,  // inline constant or literal; `value` holds it as the operand's type sees it
  kSpecial,   // `index`: operand code 235..239 (apertures, POPS id), 251..254 (VCCZ, EXECZ, SCC, LDS_DIRECT)
};

// Operand codes with a name of their own.
enum OperandCode : uint16_t {
  kCodeFlatScratchGfx8 = 102,  // gfx8-9 (102, 103); 104, 105 on gfx7; 106, 107 is VCC everywhere
  kCodeFlatScratchGfx7 = 104,
  kCodeVccLo = 106, kCodeVccHi = 107,
  kCodeM0 = 124,
  kCodeExecLo = 126, kCodeExecHi = 127,
  kCodeSharedBase = 235, kCodeSharedLimit = 236,      // gfx9
  kCodePrivateBase = 237, kCodePrivateLimit = 238,    // gfx9
  kCodePopsExitingWaveId = 239,                       // gfx9
  kCodeSdwa = 249, kCodeDpp = 250,
  kCodeVccz = 251, kCodeExecz = 252, kCodeScc = 253, kCodeLdsDirect = 254, kCodeLiteral = 255,
  kCodeFirstVgpr = 256,
};

struct Operand {
  OperandKind kind = OperandKind::kNone;
  OperandType type = OperandType::NONE;  // from the row: width and interpretation
  uint16_t index = 0;   // see OperandKind
  uint16_t code = 0;    // the encoded 8- or 9-bit field (9-bit numbering: VGPRs from 256)
  uint64_t value = 0;   // kConstant: 16-, 32- or 64-bit pattern; 64-bit integer types sign-extended,
                        // f64 inline constants as doubles, f64 literals as the HIGH dword (low = 0)
  bool IsLiteral() const { return kind == OperandKind::kConstant && code == kCodeLiteral; }
};

constexpr int FlatScratchCode(Generation g) {
  return Has(g, kFlatScratchAt104) ? kCodeFlatScratchGfx7 : kCodeFlatScratchGfx8;
}

// SDWA sub-dword selects (gfx8: Vega manual "SDWA", the same numbering on gfx9).
enum class SdwaSelect : uint8_t { kByte0, kByte1, kByte2, kByte3, kWord0, kWord1, kDword };
enum class SdwaUnused : uint8_t { kPad, kSext, kPreserve };

struct Sdwa {
  SdwaSelect dst_sel = SdwaSelect::kDword;
  SdwaUnused dst_unused = SdwaUnused::kPad;
  SdwaSelect src_sel[2] = {SdwaSelect::kDword, SdwaSelect::kDword};
  uint8_t sext = 0;  // bit n: sign-extend src n
};

struct Dpp {
  uint16_t ctrl = 0;       // 9-bit DPP_CTRL
  uint8_t bank_mask = 0xF;
  uint8_t row_mask = 0xF;
  bool bound_ctrl = false; // the BOUND_CTRL bit: 1 = out-of-range lanes read 0
};

// Where memory instructions keep their operands:
//   SMRD/SMEM   dst = loaded SGPRs, or the atomics' data and (with glc) result; src[0] = base,
//               src[1] = SGPR offset or kNone, src[2] = stored SGPRs. The address is
//               base + src[1] + `offset`: gfx9 may have both, a missing one counts as 0. The
//               literal offset of gfx7 (dwords in the code) is a kConstant src[1] in bytes.
//   DS          dst, src[0] = addr, src[1] = data0, src[2] = data1; offset0/offset1 below
//   MUBUF/MTBUF dst = loaded VGPRs (atomics with glc: returned; kNone with lds), src[0] = vaddr
//               (kNone: no VGPR; index = first, count by offen/idxen/addr64), src[1] = stored data,
//               src[2] = resource (4 SGPRs), src[3] = soffset
//   FLAT/GLOBAL/SCRATCH  dst, src[0] = vaddr (kNone: SGPR only), src[1] = data, src[2] = saddr (kNone: off)
//   MIMG        dst = loaded VGPRs (atomics with glc: returned), src[0] = first address VGPR,
//               src[1] = stored data, src[2] = image (8 SGPRs), src[3] = sampler (4 SGPRs) or kNone
struct Instruction {
  Opcode opcode = Opcode::kCount;
  Encoding encoding = Encoding::kSop1;
  uint8_t size = 4;           // bytes: 4, 8 (or 12: VOP3 never, SOP2/VOP2 + literal is 8)
  Operand dst;
  Operand sdst;               // second, scalar destination: carry-out mask (VCC when implicit)
  Operand src[4];

  // VOP3, VOP3P, SDWA, DPP modifiers. Bit n of neg/abs/op_sel/op_sel_hi/neg_hi belongs to src n;
  // op_sel bit 3 is the destination. What the instruction ignores is 0 (isa/ignored_fields.h).
  uint8_t neg = 0;
  uint8_t abs = 0;
  uint8_t neg_hi = 0;
  uint8_t op_sel = 0;
  uint8_t op_sel_hi = 0;
  // Matrix instructions: which block of A stands for 2^cbsz of them, and how B's lanes are arranged.
  uint8_t cbsz = 0;
  uint8_t abid = 0;
  uint8_t blgp = 0;
  uint8_t omod = 0;           // 0: none, 1: *2, 2: *4, 3: /2
  bool clamp = false;
  Sdwa sdwa;                  // encoding kSdwa
  Dpp dpp;                    // encoding kDpp

  uint32_t literal = 0;       // the literal dword as encoded, if there is one
  int32_t imm = 0;            // SOPK/SOPP 16-bit immediate as its OperandType says (SIMM16 and
                              // UIMM16 are also src[n] constants); s_setreg_imm32's hwreg;
                              // GPR_IDX; MIMG dmask; EXP target
  // Memory
  int32_t offset = 0;         // bytes; DS: the 16-bit offset (offset0 | offset1 << 8)
  uint8_t offset0 = 0;        // DS two-address forms, in elements
  uint8_t offset1 = 0;
  uint8_t dfmt = 0;           // MTBUF
  uint8_t nfmt = 0;
  bool has_offset = false;    // SMEM: an immediate offset is encoded (besides or instead of src[1])
  bool glc = false;
  bool slc = false;
  bool tfe = false;
  bool lds = false;           // MUBUF: load to LDS; FLAT seg LDS bit
  bool offen = false;
  bool idxen = false;
  bool addr64 = false;        // gfx6-7
  bool gds = false;
  bool nv = false;            // gfx9
  bool scc = false;           // coherent with the system (kSccBit)
  bool zeroes_half = false;   // D16 loads: a half of a register that is not loaded becomes 0
  bool r128 = false;          // MIMG (a16 on gfx9)
  bool unorm = false;         // MIMG
  bool da = false;            // MIMG
  bool lwe = false;           // MIMG
  bool d16 = false;           // MIMG, gfx8-9
  uint8_t loaded_vgprs = 0;   // MIMG: of dst, and of src[1], without the status of tfe and lwe
  uint8_t stored_vgprs = 0;
  uint8_t attr = 0;           // VINTRP: attribute, and its channel
  uint8_t attr_channel = 0;
  bool attr_high = false;     // VINTRP in VOP3: high half of the attribute
  bool compressed = false;    // EXP
  bool done = false;          // EXP
  bool valid_mask = false;    // EXP
  uint8_t enable = 0;         // EXP: channels exported

  const OpcodeRow& row() const { return RowOf(opcode); }
};
// clang-format on

}  // namespace gcnjit::frontend
