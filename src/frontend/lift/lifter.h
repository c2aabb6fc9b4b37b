// Lifting: guest instructions to IR, one lift_<ROW> function each. A Lifter holds what is known
// while one block is lifted: the registers' values so far, MODE, and which of them may still be
// read.
//
// A lift_* function must not change anything (emitting pure IR is fine) before it knows that it can
// lift the instruction; if it cannot (an operand form that the IR has no words for) it calls
// l.Refuse("reason") and returns: the interpreter will execute the instruction.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/flow/cfg.h"
#include "frontend/flow/register_access.h"
#include "frontend/lift/divisions.h"
#include "ir/builder.h"
#include "ir/matrix.h"
#include "isa/instruction.h"
#include "isa/mode_register.h"
#include "isa/processor.h"
#include "isa/vector_registers.h"

namespace gcnjit::frontend {

using ir::FloatEnv;
using ir::Op;
using ir::Value;

// MODE bits as in runtime/state/wave_state.h; what code is lifted for.
struct LiftTarget {
  Processor processor;
  uint32_t mode = 0;       // code is valid under this value of MODE only
  VgprCounts vgprs;        // instructions that use higher ones are left to the interpreter
  uint64_t code_base = 0;  // where the program's code begins; see ir::Op::kCodeBase
  Barriers barriers = Barriers::kWait;
};

// MODE's f32 fields as the host's environment.
FloatEnv F32Environment(uint32_t mode);

class Lifter {
 public:
  Lifter(const LiftTarget& target, ir::Builder& builder)
      : b(builder), target_(target), mode_(target.mode) {}

  ir::Builder& b;
  Divisions divisions;  // of the block
  Generation generation() const { return target_.processor.generation; }
  uint32_t mode() const { return mode_; }  // here
  Barriers barriers() const { return target_.barriers; }
  uint32_t vgpr_count() const { return target_.vgprs.vgprs; }

  // ---- Registers: the current value, and its change. Reading never masks. SGPRs by operand code.
  Value Sgpr(int code);    // u32
  Value Sgpr64(int code);  // u64; a mask stays one value from v_cmp to s_and_saveexec
  void SetSgpr(int code, Value v);
  void SetSgpr64(int code, Value v);
  Value Scc();  // u1
  void SetScc(Value u1);
  // Once a block, which has to end after the instruction.
  void SetMode(Value u32);
  // The block goes on under another value, which differs in fields of floats only. As the wave's
  // state has it at the block's end at the earliest, only what MayFollowChangedMode may come,
  // unless the old value comes back.
  void ChangeMode(uint32_t mode);
  bool has_changed_mode() const { return mode_ != target_.mode; }
  Value Exec() { return Sgpr64(kCodeExecLo); }
  // May EXEC have a lane that it had not when the block began?
  bool GainsLanes();
  // v32, right in the lanes of EXEC; in the others it may be anything. That is all that an
  // instruction needs whose results are themselves masked by EXEC, or not read outside it.
  Value Vgpr(int index);
  Value VgprExactly(int index);  // right in all lanes
  // Lanes outside `mask` keep the old value, or, where they are not read, may have any.
  void SetVgpr(int index, Value v, Value mask);
  void SetVgpr(int index, Value v) { SetVgpr(index, v, Exec()); }
  // As SetVgpr, but the other lanes are kept in any case: for writes that do not follow EXEC.
  void SetVgprExactly(int index, Value v, Value mask);

  // ---- VGPRs by number, as v_movrel* and s_set_gpr_idx_on have it: `base`, which the instruction
  // names, plus an index (u32). The numbers that it may give are `first` and higher; where one is
  // too high, the interpreter gets the instruction, which faults (EndIndexing).
  Value VgprAt(int base, Value index, int first);
  void SetVgprAt(int base, Value index, int first, Value v);
  // How many VGPRs, from `first` on, VgprAt has to compare the number with.
  int CountChangedVgprs(int first) const;
  // The VGPR with what SetVgprAt has left in it.
  Value VgprAfterWrites(int vgpr);
  // After those: ends the block, unless there was nothing but reads whose numbers are right for
  // certain. Else the interpreter executes the `count` instructions from `pc` on; `sgpr`, by
  // operand code, is what they have the index from (-1: a constant).
  void EndIndexing(uint64_t pc, int count, int sgpr);
  // SGPRs that the interpreter may want then.
  const std::bitset<128>& index_sgprs() const { return index_sgprs_; }

  // ---- Matrices. They add to VGPRs of the wave's state, at the end of the block: until then no
  // other instruction may touch their results, or write what they add to.
  void Multiply(const ir::MatrixProduct& product, int a, int b);  // A's and B's first registers
  bool MustFollowMatrices(const Instruction& i, const RegisterAccess& access) const;
  bool has_matrices() const { return !matrices_.empty(); }

  // ---- Scalar operands (SOP*, SMEM, and scalar sources of anything): u32, u64, whatever the kind.
  // Constants are as Operand::value has them. Refuses LDS_DIRECT and the like.
  Value Scalar32(const Operand& operand);
  Value Scalar64(const Operand& operand);
  void WriteScalar32(const Operand& operand, Value v);
  void WriteScalar64(const Operand& operand, Value v);

  // ---- Vector operands: src[n] with everything the encoding says (SDWA, DPP, op_sel), as v32 or,
  // if it is the same for all lanes, u32. The F forms also apply abs and neg.
  Value Src32(const Instruction& i, int n);
  Value SrcF32(const Instruction& i, int n);
  Value Src64(const Instruction& i, int n);  // v64 or u64
  Value SrcF64(const Instruction& i, int n);
  Value Src16(const Instruction& i, int n);  // the half in the low 16 bits, the high ones are 0
  Value SrcF16(const Instruction& i, int n);
  Value SrcI16(const Instruction& i, int n) { return b.Unary(Op::kSext16, Src16(i, n)); }
  // The destination's old value (READS_DST rows).
  Value Dst32(const Instruction& i) { return Vgpr(i.dst.index); }

  // ---- Results: under EXEC (and DPP's write mask), with SDWA's dst_sel and dst_unused. The F
  // forms apply OMOD and clamp first, as MODE says.
  void Write32(const Instruction& i, Value v);
  void WriteF32(const Instruction& i, Value v);
  void Write64(const Instruction& i, Value v);  // v64 or u64
  void WriteF64(const Instruction& i, Value v);
  // Low 16 bits of v. See WriteLanes in the interpreter for what happens to the other half.
  void Write16(const Instruction& i, Value v, bool keep_other_half = false);
  void WriteF16(const Instruction& i, Value v, bool keep_other_half = false);
  // Lane masks: VCC or an SGPR pair. WriteMask ands with EXEC.
  Value Mask(const Operand& operand) { return Scalar64(operand); }
  // Right in the lanes of EXEC, as Vgpr: for what chooses between values of lanes.
  Value ActiveMask(const Operand& operand);
  void WriteMask(const Operand& operand, Value mask);

  // ---- Floating-point environments under this MODE (see FloatClass in the interpreter).
  FloatEnv EnvF32() const;       // MODE's f32 fields
  FloatEnv EnvF64() const;       // MODE's f64/f16 fields
  FloatEnv EnvF32Flush() const;  // f32 rounding, denormals flushed
  FloatEnv EnvNearest() const { return {}; }
  bool Clamps(const Instruction& i) const { return i.clamp && IsGfx8Plus(generation()); }

  // ---- Control flow. Ends the block; registers are written back by the caller of lift_*.
  void Jump(uint64_t pc);
  void Branch(Value u1, uint64_t if_true, uint64_t if_false);
  void JumpIndirect(Value u64);
  void Exit(ir::ExitReason reason, uint64_t pc);
  uint64_t pc() const { return pc_; }
  uint64_t next_pc() const { return next_pc_; }
  // The address of the next instruction as a value, u64.
  Value NextPcValue() {
    return b.Binary(Op::kAdd, b.CodeBase(), b.U64(next_pc_ - target_.code_base));
  }
  bool ended() const { return terminator_.kind != Op::kConst; }
  bool ends_wave() const {
    return terminator_.kind == Op::kExit &&
           terminator_.imm == static_cast<int64_t>(ir::ExitReason::kEnd);
  }

  // ---- Refusing.
  void Refuse(std::string_view why) { refusal_ = why; }
  std::string_view refusal() const { return refusal_; }

  // ---- For LiftRegion (lift_region.cpp).
  struct Observed {
    VgprSet wide_vgprs = VgprSet().set();  // inactive lanes count after this instruction
  };
  void Start(uint64_t pc, uint64_t next_pc, const Observed& observed) {
    pc_ = pc;
    next_pc_ = next_pc;
    observed_ = observed;
    refusal_ = {};
  }
  bool FlatScratchChanged() const {
    return sgprs_[kCodeFlatScratchGfx8].dirty || sgprs_[kCodeFlatScratchGfx8 + 1].dirty ||
           sgprs_[kCodeFlatScratchGfx7].dirty || sgprs_[kCodeFlatScratchGfx7 + 1].dirty;
  }
  // Before a memory access: lets a fault report know an EXEC that the block has changed.
  void NoteExec();
  // Writes changed registers back: those of the given sets that were changed. `wide`: VGPRs whose
  // inactive lanes may still be read.
  void WriteBack(VgprSet vgprs, VgprSet wide, const std::bitset<128>& sgprs, bool scc);
  void EmitTerminator();

 private:
  // May EXEC have lanes that it did not have at the block's begin? The answers are kept: a mask of
  // masks may come to one of them by many ways.
  bool MayHaveGrown(ir::Value exec);

  struct Terminator {
    Op kind = Op::kConst;  // kConst: none yet
    Value value;
    uint64_t targets[2] = {0, 0};
    int64_t imm = 0;  // as the operation has it
  };
  // An SGPR's value: a u32, or half of a u64.
  struct ScalarSlot {
    Value value;       // u32, or the u64 of which this is a half
    int8_t half = -1;  // -1: whole u32; 0: low half of a u64, 1: high half
    bool dirty = false;
  };
  // A VGPR's value: `active` in the lanes of `mask`, `base` in the others; without `active`, `base`
  // in all; without both, what the state has.
  struct VectorSlot {
    Value base;
    Value active;
    Value mask;
    bool dirty = false;
    bool is_any = false;  // lanes that EXEC did not have at the write are never read
  };

  // A write that waits for the end of the block.
  struct WriteAt {
    Value number;
    int first;
    Value mask;
    Value v;
  };

  // A product that waits for the end of the block.
  struct WaitingProduct {
    ir::MatrixProduct product;
    std::vector<Value> sources;  // A's dwords and B's
    uint16_t guest;
  };

  void EmitMatrices();
  Value NumberOf(int base, Value index, int first);
  Value AfterWrites(Value number, Value v);

  const LiftTarget target_;
  uint32_t mode_;
  uint64_t pc_ = 0;
  uint64_t next_pc_ = 0;
  Observed observed_;
  std::string_view refusal_;
  Terminator terminator_;
  std::array<ScalarSlot, 128> sgprs_;
  std::array<VectorSlot, kVectorRegisters> vgprs_;
  std::vector<WriteAt> writes_at_;
  std::vector<WaitingProduct> matrices_;
  VgprSet matrix_addends_;
  VgprSet matrix_results_;
  std::bitset<128> index_sgprs_;
  Value numbers_are_right_;  // u1; no value: they are for certain
  Value noted_exec_;
  std::unordered_map<uint32_t, bool> may_have_grown_;  // by value id
  Value scc_;
  bool dirty_scc_ = false;
};

using LiftFn = void (*)(Lifter&, const Instruction&);
// lift_<ROW>; nullptr where the row is refused or has none.
LiftFn LiftFunctionOf(Opcode opcode);

}  // namespace gcnjit::frontend
