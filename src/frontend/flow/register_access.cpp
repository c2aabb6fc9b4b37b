// The rows' flags and operand types say nearly everything; what they do not say is here by opcode,
// each with its reason. The semantics are the interpreter's: the two must agree.
#include "frontend/flow/register_access.h"

#include <algorithm>
#include <bit>

#include "isa/encodings.h"
#include "isa/image_operands.h"
#include "isa/matrix_shape.h"
#include "isa/vgpr_limit.h"

namespace gcnjit::frontend {
namespace {

// The address registers of an image are as many as its resource's dimensions want: at most these.
void AddImageAddress(const Instruction& i, RegisterSet& set) {
  if (i.encoding != Encoding::kMimg) return;
  const int most =
      ImageAddressRegisters(ImageFormOf(i.row()), kMostImageCoordinates, kMostImageCoordinates,
                            /*halves=*/false);
  set.AddVgprs(i.src[0].index, std::min(most, kMaxVgprs - i.src[0].index));
}

void AddOperand(const Instruction& i, const Operand& operand, RegisterSet& set) {
  switch (operand.kind) {
    case OperandKind::kNone:
    case OperandKind::kConstant: return;
    case OperandKind::kScalar: set.AddSgprs(operand.index, VgprsOf(i, operand)); return;
    case OperandKind::kVector: set.AddVgprs(operand.index, VgprsOf(i, operand)); return;
    case OperandKind::kSpecial: break;
  }
  switch (operand.index) {
    case kCodeVccz: set.AddSgprs(kCodeVccLo, 2); return;
    case kCodeExecz: set.AddSgprs(kCodeExecLo, 2); return;
    case kCodeScc: set.scc = true; return;
    case kCodeLdsDirect: set.AddSgprs(kCodeM0, 1); return;
    default: return;  // apertures: constants
  }
}

// Whether a VGPR result leaves bits of an active lane as they were. `gfx9`'s 16-bit results: LLVM
// zeroesHigh16BitsOfDest lists the instructions that do not.
bool KeepsBitsOfLane(const Instruction& i, bool gfx9) {
  const OpcodeRow& row = i.row();
  if (i.encoding == Encoding::kSdwa) {
    return i.sdwa.dst_sel != SdwaSelect::kDword && i.sdwa.dst_unused == SdwaUnused::kPreserve;
  }
  if (!gfx9 || BitsOf(row.dst) != 16) return false;
  switch (i.opcode) {
    case Opcode::V_MADMK_F16:
    case Opcode::V_MADAK_F16: return true;
    default: return row.Has(OP_SEL) || (i.op_sel & 8) != 0;
  }
}

// gfx9 packs two values a register in formatted D16 loads and, without SRAM-ECC, keeps the half
// that it has no value for (Mesa ACO get_subdword_definition_info). gfx8 has one value a register.
bool KeepsHalfOfLastRegister(const Instruction& i, bool gfx9) {
  const OpcodeRow& row = i.row();
  return gfx9 && row.Has(LOAD) && !i.zeroes_half &&
         (row.names.ends_with("_format_d16_x") || row.names.ends_with("_format_d16_xyz") ||
          (i.d16 && std::popcount(static_cast<uint32_t>(i.imm)) % 2 == 1));
}

// Under DPP a lane stays as it was where a mask excludes it or, without BOUND_CTRL, where its
// source lane does not exist or is inactive.
bool WritesEveryLane(const Instruction& i) {
  return i.encoding != Encoding::kDpp ||
         (i.dpp.bound_ctrl && i.dpp.row_mask == 0xF && i.dpp.bank_mask == 0xF);
}

bool ReadsM0(const Instruction& i, Generation generation) {
  const OpcodeRow& row = i.row();
  if (row.Has(M0_IN)) return true;
  if (i.encoding == Encoding::kDs) {
    const bool accesses_share = (row.flags & (LOAD | STORE | ATOMIC)) != 0;
    return accesses_share && (i.gds || Has(generation, kLdsLimitInM0));
  }
  return i.lds;  // transfers to LDS go to the address in M0
}

void AddFlatScratch(const Instruction& i, Generation generation, RegisterSet& set) {
  if (i.encoding != Encoding::kFlat && i.encoding != Encoding::kScratch) return;
  set.AddSgprs(FlatScratchCode(generation), 2);
}

void AddImplicitReads(const Instruction& i, Generation generation, RegisterSet& reads) {
  const OpcodeRow& row = i.row();
  if (row.Has(SCC_IN)) reads.scc = true;
  if (row.Has(VCC_IN)) reads.AddSgprs(kCodeVccLo, 2);
  if (ReadsM0(i, generation)) reads.AddSgprs(kCodeM0, 1);
  AddFlatScratch(i, generation, reads);
  const bool ignores_exec = i.opcode == Opcode::V_READLANE_B32 ||
                            i.opcode == Opcode::V_WRITELANE_B32 || MultipliesMatrices(row);
  if (row.Has(EXEC_IN) || !(IsScalarEncoding(i.encoding) || ignores_exec)) {
    reads.AddSgprs(kCodeExecLo, 2);
  }
  // STATUS shows SCC, EXECZ and VCCZ.
  constexpr int kHwregIdMask = 63;
  constexpr int kHwregStatus = 2;
  if (i.opcode == Opcode::S_GETREG_B32 && (i.imm & kHwregIdMask) == kHwregStatus) {
    reads.scc = true;
    reads.AddSgprs(kCodeVccLo, 2);
    reads.AddSgprs(kCodeExecLo, 2);
  }
}

// Registers of a scalar atomic's result, which only GLC returns: cmpswap's data are twice as many.
int ScalarAtomicResults(const Instruction& i) {
  const bool compares = i.row().names.find("cmpswap") != std::string_view::npos;
  return RegistersOf(i.dst.type) / (compares ? 2 : 1);
}

void AddWrites(const Instruction& i, RegisterAccess& access) {
  const OpcodeRow& row = i.row();
  const bool scalar_atomic = i.encoding == Encoding::kSmem && row.Has(ATOMIC);
  if (scalar_atomic) {
    if (i.glc) access.writes.AddSgprs(i.dst.index, ScalarAtomicResults(i));
  } else {
    AddOperand(i, i.dst, access.writes);
  }
  AddOperand(i, i.sdst, access.writes);
  if (i.opcode == Opcode::V_SWAP_B32) AddOperand(i, i.src[0], access.writes);
  if (LoadsStatus(i)) {
    access.writes.AddVgprs(i.dst.index + VgprsOf(i, i.dst), 1);
  }
  if (row.Has(SCC_OUT)) access.writes.scc = true;
  if (row.Has(EXEC_OUT)) access.writes.AddSgprs(kCodeExecLo, 2);
  if (row.Has(M0_OUT)) access.writes.AddSgprs(kCodeM0, 1);

  access.may_write = access.writes;
  if (!WritesEveryLane(i)) access.writes.vgprs.reset();
  if (i.opcode == Opcode::V_WRITELANE_B32) access.kept_vgprs = access.writes.vgprs;
  if (i.opcode == Opcode::V_WRITELANE_B32 || MultipliesMatrices(row)) {
    access.wide_vgpr_writes = access.writes.vgprs;
    access.writes.vgprs.reset();
  }
}

void AddReads(const Instruction& i, Generation generation, RegisterAccess& access) {
  const OpcodeRow& row = i.row();
  for (const Operand& source : i.src) AddOperand(i, source, access.reads);
  AddImageAddress(i, access.reads);
  AddImplicitReads(i, generation, access.reads);
  const bool gfx9 = IsGfx9(generation);
  if ((row.Has(READS_DST) && !i.zeroes_half) || KeepsBitsOfLane(i, gfx9) || !WritesEveryLane(i)) {
    AddOperand(i, i.dst, access.reads);
  }
  if (i.dst.kind == OperandKind::kVector && KeepsHalfOfLastRegister(i, gfx9)) {
    access.reads.AddVgprs(i.dst.index + VgprsOf(i, i.dst) - 1, 1);
  }
  // Permutations by LDS and DPP give no value of an inactive lane.
  if (row.Has(CROSS_LANE) && i.encoding != Encoding::kDs) {
    access.wide_vgpr_reads = access.reads.vgprs;
  }
}

bool IsSameRegister(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.index == b.index;
}
bool IsConstantZero(const Operand& operand) {
  return operand.kind == OperandKind::kConstant && operand.value == 0;
}

ExecEffect ExecEffectOf(const Instruction& i, const RegisterSet& may_write) {
  if (!may_write.sgprs[kCodeExecLo] && !may_write.sgprs[kCodeExecHi]) return ExecEffect::kNone;
  // Lane masks of vector instructions (v_cmp, v_cmpx, carries) have zeros for inactive lanes.
  const bool mask_result = i.dst.type == OperandType::M64 || i.sdst.type == OperandType::M64;
  if (IsVectorAlu(i.encoding) && mask_result) return ExecEffect::kNarrows;
  switch (i.opcode) {
    case Opcode::S_AND_SAVEEXEC_B64:
    case Opcode::S_ANDN1_SAVEEXEC_B64:
    case Opcode::S_ANDN1_WREXEC_B64: return ExecEffect::kNarrows;  // EXEC & s0, EXEC & ~s0
    case Opcode::S_AND_B32:
    case Opcode::S_AND_B64:
      if (IsSameRegister(i.dst, i.src[0]) || IsSameRegister(i.dst, i.src[1])) {
        return ExecEffect::kNarrows;
      }
      return ExecEffect::kChanges;
    case Opcode::S_ANDN2_B32:
    case Opcode::S_ANDN2_B64:
      return IsSameRegister(i.dst, i.src[0]) ? ExecEffect::kNarrows : ExecEffect::kChanges;
    case Opcode::S_BITSET0_B32:
    case Opcode::S_BITSET0_B64: return ExecEffect::kNarrows;
    case Opcode::S_MOV_B32:
    case Opcode::S_MOV_B64:
      return IsConstantZero(i.src[0]) ? ExecEffect::kNarrows : ExecEffect::kChanges;
    default: return ExecEffect::kChanges;
  }
}

RegisterAccess AccessToEverything() {
  RegisterAccess access;
  access.reads = RegisterSet::All();
  access.may_write = RegisterSet::All();
  access.wide_vgpr_reads.set();
  access.wide_vgpr_writes.set();
  access.exec = ExecEffect::kChanges;
  access.unknown = true;
  return access;
}

// Register numbers from M0 or, for the fork stack, from MODE. The sets keep what can be told.
bool AddDynamicRegisters(const Instruction& i, RegisterAccess& access) {
  switch (i.opcode) {
    case Opcode::S_MOVRELS_B32:
    case Opcode::S_MOVRELS_B64: access.reads.sgprs.set(); return true;
    case Opcode::S_MOVRELD_B32:
    case Opcode::S_MOVRELD_B64:
      access.writes.sgprs.reset();
      access.may_write.sgprs.set();
      access.may_write.sgprs[kCodeExecLo] = access.may_write.sgprs[kCodeExecHi] = false;
      return true;
    case Opcode::V_MOVRELS_B32: access.reads.AddVgprs(0, kMaxVgprs); return true;
    case Opcode::V_MOVRELSD_B32: access.reads.AddVgprs(0, kMaxVgprs); [[fallthrough]];
    case Opcode::V_MOVRELD_B32:
      access.writes.vgprs.reset();
      access.may_write.AddVgprs(0, kMaxVgprs);
      return true;
    case Opcode::S_CBRANCH_I_FORK:
    case Opcode::S_CBRANCH_G_FORK:
    case Opcode::S_CBRANCH_JOIN: access = AccessToEverything(); return true;
    default: return false;
  }
}

}  // namespace

RegisterSet RegisterSet::All() {
  RegisterSet all;
  all.vgprs.set();
  all.sgprs.set();
  all.scc = true;
  return all;
}

void RegisterSet::AddVgprs(int first, int count) {
  for (int n = std::max(first, 0); n < first + count && n < kVectorRegisters; ++n) {
    vgprs[static_cast<size_t>(n)] = true;
  }
}

void RegisterSet::AddSgprs(int first, int count) {
  for (int n = std::max(first, 0); n < first + count && n < 128; ++n) {
    sgprs[static_cast<size_t>(n)] = true;
  }
}

RegisterSet& RegisterSet::operator|=(const RegisterSet& other) {
  vgprs |= other.vgprs;
  sgprs |= other.sgprs;
  scc |= other.scc;
  return *this;
}

RegisterSet& RegisterSet::operator&=(const RegisterSet& other) {
  vgprs &= other.vgprs;
  sgprs &= other.sgprs;
  scc &= other.scc;
  return *this;
}

RegisterSet& RegisterSet::operator-=(const RegisterSet& other) {
  vgprs &= ~other.vgprs;
  sgprs &= ~other.sgprs;
  scc = scc && !other.scc;
  return *this;
}

RegisterAccess AccessOf(const Instruction& instruction, Generation generation) {
  if (instruction.opcode >= Opcode::kCount || instruction.row().refusal != nullptr) {
    return AccessToEverything();
  }
  RegisterAccess access;
  AddWrites(instruction, access);
  AddReads(instruction, generation, access);
  access.exec = ExecEffectOf(instruction, access.may_write);
  access.unknown = AddDynamicRegisters(instruction, access);
  return access;
}

namespace {

// Those above the lowest one.
void AddHigherVgprs(VgprSet& vgprs) {
  for (size_t n = 1; n < kMaxVgprs; ++n) {
    if (vgprs[n - 1]) vgprs.set(n);
  }
}

}  // namespace

RegisterAccess AccessOfAnyMode(const Instruction& instruction, Generation generation) {
  RegisterAccess access = AccessOf(instruction, generation);
  if (IsScalarEncoding(instruction.encoding)) return access;
  access.writes = {};  // VSKIP
  if (!IsVectorAlu(instruction.encoding) || !IsGfx8Plus(generation)) return access;
  // GPR_IDX_EN adds M0[7:0] to the numbers of VGPRs.
  access.unknown = access.reads.vgprs.any() || access.may_write.vgprs.any() || access.unknown;
  AddHigherVgprs(access.reads.vgprs);
  AddHigherVgprs(access.may_write.vgprs);
  AddHigherVgprs(access.wide_vgpr_reads);
  AddHigherVgprs(access.wide_vgpr_writes);
  access.kept_vgprs.reset();
  if (access.unknown) access.reads.AddSgprs(kCodeM0, 1);
  return access;
}

}  // namespace gcnjit::frontend
