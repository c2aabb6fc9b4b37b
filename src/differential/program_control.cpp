// The pieces of programs that branch or change EXEC.
#include "differential/program_builder.h"

namespace gcnjit::differential {

using frontend::kCodeExecLo;

frontend::Opcode ProgramBuilder::RandomCondition() {
  constexpr Opcode kConditions[] = {Opcode::S_CBRANCH_SCC0,  Opcode::S_CBRANCH_SCC1,
                                    Opcode::S_CBRANCH_VCCZ,  Opcode::S_CBRANCH_VCCNZ,
                                    Opcode::S_CBRANCH_EXECZ, Opcode::S_CBRANCH_EXECNZ};
  return random_.Pick(kConditions);
}

void ProgramBuilder::Compare() {
  constexpr Opcode kCompares[] = {Opcode::V_CMP_LT_U32, Opcode::V_CMP_GT_I32, Opcode::V_CMP_LT_F32,
                                  Opcode::V_CMP_LG_F32, Opcode::V_CMP_EQ_U32};
  const Source source = random_.Percent(60)   ? Vgpr(maker_.Vgpr(1))
                        : random_.Percent(50) ? Inline(random_.Below(64))
                                              : Sgpr(random_.Between(kPool, kPoolEnd - 1));
  Add(assembler_.Vopc(random_.Pick(kCompares), source, maker_.Vgpr(1)));
}

void ProgramBuilder::Branch(int depth) {
  if (random_.Percent(15) && !in_subroutine_) {
    jumps_.push_back(AddBranch(RandomCondition()));
    return;
  }
  if (random_.Percent(40)) Compare();
  const int skip = AddBranch(random_.Percent(93) ? RandomCondition() : Opcode::S_BRANCH);
  ShortBody(depth);
  if (random_.Percent(40)) {
    const int over = AddBranch(Opcode::S_BRANCH);
    TargetHere(skip);
    ShortBody(depth);
    TargetHere(over);
  } else {
    TargetHere(skip);
  }
}

// A counter in an SGPR bounds every loop: signed, so that a jump into the loop ends it too.
void ProgramBuilder::Loop(int depth) {
  const uint32_t counter = kLoopCounters + loops_;
  ++loops_;
  Add(assembler_.Sopk(Opcode::S_MOVK_I32, counter, random_.Between(1, 5)));
  const bool divergent = random_.Percent(40);
  const uint32_t saved = SavedExec();
  if (divergent) Add(assembler_.Sop1(Opcode::S_MOV_B64, saved, kExec));
  const int begin = here();
  ShortBody(depth);
  int exit = -1;
  if (divergent) {
    // Lanes leave one by one, as in compiled loops.
    Compare();
    Add(assembler_.Sop2(Opcode::S_ANDN2_B64, kCodeExecLo, kExec, kVcc));
    exit = AddBranch(Opcode::S_CBRANCH_EXECZ);
  }
  Add(assembler_.Sop2(Opcode::S_SUB_U32, counter, Sgpr(counter), Inline(1)));
  Add(assembler_.Sopc(Opcode::S_CMP_GT_I32, Sgpr(counter), Inline(0)));
  TargetAt(AddBranch(Opcode::S_CBRANCH_SCC1), begin);
  if (divergent) {
    TargetHere(exit);
    Add(assembler_.Sop2(Opcode::S_OR_B64, kCodeExecLo, kExec, Sgpr(saved)));
  }
  --loops_;
}

void ProgramBuilder::Exec(int depth) {
  const uint32_t saved = SavedExec();
  const bool nests = depth < 3;
  if (random_.Percent(30)) return ShortIf();
  switch (random_.Below(nests ? 8 : 4)) {
    case 0: {
      const Source sources[] = {kMinusOne,   kMinusOne,
                                kVcc,        Sgpr(kPool + 2 * random_.Below(6)),
                                Sgpr(saved), Literal(random_.Word())};
      Add(assembler_.Sop1(Opcode::S_MOV_B64, kCodeExecLo, random_.Pick(sources)));
      return;
    }
    case 1:
      Add(assembler_.Sop1(Opcode::S_MOV_B32, kCodeExecLo + random_.Bits(1),
                          Sgpr(random_.Between(kPool, kPoolEnd - 1))));
      return;
    case 2: {
      constexpr Opcode kMixes[] = {Opcode::S_AND_B64, Opcode::S_OR_B64, Opcode::S_XOR_B64,
                                   Opcode::S_ANDN2_B64, Opcode::S_ORN2_B64};
      Add(assembler_.Sop2(random_.Pick(kMixes), kCodeExecLo, kExec,
                          random_.Percent(50) ? kVcc : Sgpr(saved)));
      return;
    }
    case 3: {
      constexpr Opcode kSaves[] = {Opcode::S_AND_SAVEEXEC_B64,  Opcode::S_OR_SAVEEXEC_B64,
                                   Opcode::S_XOR_SAVEEXEC_B64,  Opcode::S_ANDN2_SAVEEXEC_B64,
                                   Opcode::S_NAND_SAVEEXEC_B64, Opcode::S_ANDN1_SAVEEXEC_B64,
                                   Opcode::S_ANDN2_WREXEC_B64};
      const Opcode save = random_.Pick(kSaves);
      if (assembler_.Has(save)) Add(assembler_.Sop1(save, saved, kVcc));
      return;
    }
    case 4: {  // v_cmpx and back
      Add(assembler_.Sop1(Opcode::S_MOV_B64, saved, kExec));
      Add(assembler_.Vopc(Opcode::V_CMPX_LT_F32, Vgpr(maker_.Vgpr(1)), maker_.Vgpr(1)));
      ShortBody(depth);
      Add(assembler_.Sop1(Opcode::S_MOV_B64, kCodeExecLo, Sgpr(saved)));
      return;
    }
    case 5: {  // if and else
      Compare();
      Add(assembler_.Sop1(Opcode::S_AND_SAVEEXEC_B64, saved, kVcc));
      Add(assembler_.Sop2(Opcode::S_XOR_B64, saved, kExec, Sgpr(saved)));
      ShortBody(depth);
      Add(assembler_.Sop1(Opcode::S_OR_SAVEEXEC_B64, saved, Sgpr(saved)));
      Add(assembler_.Sop2(Opcode::S_XOR_B64, kCodeExecLo, kExec, Sgpr(saved)));
      const int skip = random_.Percent(50) ? AddBranch(Opcode::S_CBRANCH_EXECZ) : -1;
      ShortBody(depth);
      if (skip >= 0) TargetHere(skip);
      Add(assembler_.Sop2(Opcode::S_OR_B64, kCodeExecLo, kExec, Sgpr(saved)));
      return;
    }
    default: {  // if
      Compare();
      Add(assembler_.Sop1(Opcode::S_AND_SAVEEXEC_B64, saved, kVcc));
      const int skip = random_.Percent(60) ? AddBranch(Opcode::S_CBRANCH_EXECZ) : -1;
      ShortBody(depth);
      if (skip >= 0) TargetHere(skip);
      Add(assembler_.Sop2(Opcode::S_OR_B64, kCodeExecLo, kExec, Sgpr(saved)));
      return;
    }
  }
}

// A branch around a few instructions that do nothing where EXEC is empty: compiled code need not
// branch there.
void ProgramBuilder::ShortIf() {
  const uint32_t saved = SavedExec();
  if (random_.Percent(15)) Add(assembler_.Sop1(Opcode::S_MOV_B64, kCodeExecLo, Inline(0)));
  Compare();
  Add(assembler_.Sop1(Opcode::S_AND_SAVEEXEC_B64, saved, kVcc));
  const int skip = AddBranch(Opcode::S_CBRANCH_EXECZ);
  for (uint32_t n = random_.Between(1, 5); n > 0; --n) {
    const uint32_t at = random_.Below(100);
    if (at < 60) {
      AddLifted(rows_.vop2);
    } else if (at < 85) {
      Flat();
    } else {
      Compare();
    }
  }
  TargetHere(skip);
  if (random_.Percent(90)) Add(assembler_.Sop2(Opcode::S_OR_B64, kCodeExecLo, kExec, Sgpr(saved)));
  // What the body has left in VCC is dead then.
  if (random_.Percent(70)) Compare();
}

int ProgramBuilder::AddAddress(uint32_t pair) {
  const int origin = Add(assembler_.Sop1(Opcode::S_GETPC_B64, pair, {}));
  Item distance = assembler_.Sop2(Opcode::S_ADD_U32, pair, Sgpr(pair), Literal(0));
  distance.fixup = Item::Fixup::kAddress;
  distance.origin = origin;
  const int result = Add(distance);
  Add(assembler_.Sop2(Opcode::S_ADDC_U32, pair + 1, Sgpr(pair + 1), Inline(0)));
  return result;
}

void ProgramBuilder::Call(int depth) {
  const uint32_t pair = kPool + 2 * random_.Below(6);
  switch (random_.Below(3)) {
    case 0: {  // a jump over a few instructions
      const int address = AddAddress(pair);
      Add(assembler_.Sop1(Opcode::S_SETPC_B64, 0, Sgpr(pair)));
      ShortBody(depth);
      TargetHere(address);
      return;
    }
    case 1:
      if (assembler_.Has(Opcode::S_CALL_B64)) {
        calls_.push_back(Add(assembler_.Sopk(Opcode::S_CALL_B64, kReturn, 0)));
        return;
      }
      [[fallthrough]];
    default:
      calls_.push_back(AddAddress(pair));
      Add(assembler_.Sop1(Opcode::S_SWAPPC_B64, kReturn, Sgpr(pair)));
      return;
  }
}

// Both paths end in a join with the depth before the fork, which is 0: s57.
void ProgramBuilder::Fork(int depth) {
  const uint32_t mask = kWidePool + 2 * random_.Below(8);
  if (random_.Percent(60)) {
    Compare();
    Add(assembler_.Sop1(Opcode::S_MOV_B64, mask, kVcc));
  }
  int branch = 0;
  if (random_.Percent(50)) {
    branch = Add(assembler_.Sopk(Opcode::S_CBRANCH_I_FORK, mask, 0));
  } else {
    const uint32_t pair = kPool + 2 * random_.Below(6);
    branch = AddAddress(pair);
    Add(assembler_.Sop2(Opcode::S_CBRANCH_G_FORK, 0, Sgpr(mask), Sgpr(pair)));
  }
  ShortBody(depth + 1);
  Add(assembler_.Sop1(Opcode::S_CBRANCH_JOIN, 0, Sgpr(kZero)));
  TargetHere(branch);
  ShortBody(depth + 1);
  Add(assembler_.Sop1(Opcode::S_CBRANCH_JOIN, 0, Sgpr(kZero)));
  if (random_.Percent(60)) {
    Add(assembler_.Sop1(Opcode::S_MOV_B64, kCodeExecLo, kMinusOne));
  }
}

}  // namespace gcnjit::differential
