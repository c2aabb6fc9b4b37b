#include "backend_x64/emit/lane_atomic.h"

namespace gcnjit::backend {

namespace x86 = asmjit::x86;
using ir::AtomicOp;

namespace {

// AccessTransfer::scratch.
enum ScratchUse : int { kData, kData2, kTemp, kBase, kLane, kLanesLeft, kLastAddress, kLeft };

// An element of an array of AccessBlock.
x86::Mem Element(size_t array, int lane) {
  return x86::dword_ptr(x86::r12, static_cast<int32_t>(offsetof(RegionContext, transfer.access) +
                                                       array + static_cast<size_t>(lane) * 4));
}
x86::Mem Element(size_t array, const x86::Gp& lane) {
  return x86::dword_ptr(x86::r12, lane, 2,
                        static_cast<int32_t>(offsetof(RegionContext, transfer.access) + array));
}
constexpr size_t kOffsets = offsetof(AccessBlock, low);
constexpr size_t Data(int n) {
  return offsetof(AccessBlock, data) + static_cast<size_t>(n) * sizeof(AccessBlock::data[0]);
}

}  // namespace

LaneAtomic::LaneAtomic(x86::Assembler& a, const ir::MemoryAccess& access, bool returns,
                       Memory memory, std::optional<uint32_t> constant, int temp)
    : a_(a),
      op_(access.atomic),
      bits_(access.bytes * 8u),
      returns_(returns),
      flushes_swapped_(op_ == AtomicOp::kFCmpSwap && access.flush_inputs),
      memory_(memory),
      constant_(!returns && HasRun() && MemoryInstruction() ? constant : std::nullopt),
      temp_(static_cast<uint32_t>(temp)),
      float_(a, bits_, temp_) {}

uint64_t LaneAtomic::Key() const {
  return static_cast<uint64_t>(op_) | uint64_t{bits_} << 8 | uint64_t{returns_} << 16 |
         static_cast<uint64_t>(memory_) << 17 | uint64_t{constant_.has_value()} << 18 |
         uint64_t{flushes_swapped_} << 19 | uint64_t{constant_.value_or(0)} << 32;
}

std::optional<ir::FloatEnv> LaneAtomic::EnvironmentOf(const ir::MemoryAccess& access) {
  switch (access.atomic) {
    case AtomicOp::kFAdd:
    case AtomicOp::kFMin:
    case AtomicOp::kFMax:
    case AtomicOp::kFCmpSwap: break;
    default: return std::nullopt;
  }
  ir::FloatEnv env;  // to nearest
  if (access.flush_inputs) env.bits |= ir::FloatEnv::kFlushInputs;
  if (access.flush_results) env.bits |= ir::FloatEnv::kFlushResults;
  return env;
}

int LaneAtomic::Operands() const {
  switch (op_) {
    case AtomicOp::kCmpSwap:
    case AtomicOp::kFCmpSwap:
    case AtomicOp::kMaskedOr:
    case AtomicOp::kWrap: return 2;
    default: return 1;
  }
}

// What updates memory by itself.
std::optional<uint32_t> LaneAtomic::MemoryInstruction() const {
  switch (op_) {
    case AtomicOp::kAdd: return x86::Inst::kIdAdd;
    case AtomicOp::kSub: return x86::Inst::kIdSub;
    case AtomicOp::kAnd: return x86::Inst::kIdAnd;
    case AtomicOp::kOr: return x86::Inst::kIdOr;
    case AtomicOp::kXor: return x86::Inst::kIdXor;
    default: return std::nullopt;
  }
}

x86::Mem LaneAtomic::ScratchOf(int use, uint32_t bytes) {
  const size_t offset = offsetof(RegionContext, transfer.scratch) + static_cast<size_t>(use) * 8;
  return x86::ptr(x86::r12, static_cast<int32_t>(offset), bytes);
}

// rdx: from the old value to the new one.
void LaneAtomic::EmitNewValue(const Mem& data, const Mem& data2) {
  const Gp value = Sized(x86::rdx);
  const Mem temp = Scratch(kTemp);
  switch (op_) {
    case AtomicOp::kSwap: a_.mov(value, data); return;
    case AtomicOp::kCmpSwap:
      a_.cmp(value, data);
      a_.cmove(value, data2);
      return;
    case AtomicOp::kRevSub:
      a_.neg(value);
      a_.add(value, data);
      return;
    case AtomicOp::kMinS:
      a_.cmp(value, data);
      a_.cmovg(value, data);
      return;
    case AtomicOp::kMinU:
      a_.cmp(value, data);
      a_.cmova(value, data);
      return;
    case AtomicOp::kMaxS:
      a_.cmp(value, data);
      a_.cmovl(value, data);
      return;
    case AtomicOp::kMaxU:
      a_.cmp(value, data);
      a_.cmovb(value, data);
      return;
    case AtomicOp::kInc:  // (old + 1) & (old < data ? -1 : 0)
      a_.mov(temp, value);
      a_.inc(temp);
      a_.cmp(value, data);
      a_.sbb(value, value);
      a_.and_(value, temp);
      return;
    case AtomicOp::kDec:  // the lesser of old - 1, which wraps around, and data
      a_.dec(value);
      a_.cmp(value, data);
      a_.cmova(value, data);
      return;
    case AtomicOp::kMaskedOr:
      a_.mov(temp, value);
      a_.mov(value, data);
      a_.andn(value, value, temp);
      a_.or_(value, data2);
      return;
    case AtomicOp::kWrap:
      a_.mov(temp, value);
      a_.add(value, data2);
      a_.xchg(temp, value);
      a_.sub(value, data);
      a_.cmovb(value, temp);
      return;
    case AtomicOp::kFAdd: float_.EmitSum(data); return;
    case AtomicOp::kFMin:
    case AtomicOp::kFMax: float_.EmitExtreme(data, op_ == AtomicOp::kFMin); return;
    case AtomicOp::kFCmpSwap:
      float_.EmitComparedSwap(data, data2);
      if (flushes_swapped_) float_.EmitFlush(temp);
      return;
    default: a_.emit(*MemoryInstruction(), value, data); return;
  }
}

// ---- The lanes of a mask, one by one

// An operand of the lane in eax. Changes ecx and edx.
void LaneAtomic::CopyOperand(int operand, int scratch) {
  if (constant_) {
    a_.mov(Scratch(scratch), *constant_);
    return;
  }
  const int dwords = static_cast<int>(bits_) / 32;
  a_.mov(x86::ecx, Element(Data(operand * dwords), x86::rax));
  if (dwords == 2) {
    a_.mov(x86::edx, Element(Data(operand * dwords + 1), x86::rax));
    a_.shl(x86::rdx, 32);
    a_.or_(x86::rcx, x86::rdx);
  }
  a_.mov(Scratch(scratch), Sized(x86::rcx));
}

void LaneAtomic::EmitEachLane() {
  const asmjit::Label loop = a_.newLabel();
  const asmjit::Label end = a_.newLabel();
  a_.test(x86::edx, x86::edx);
  a_.jz(end);
  a_.mov(ScratchOf(kBase, 8), x86::rax);
  a_.mov(ScratchOf(kLanesLeft, 4), x86::edx);
  if (op_ == AtomicOp::kCmpSwap) a_.mov(ScratchOf(kLastAddress, 8), 0);
  a_.bind(loop);
  a_.tzcnt(x86::eax, ScratchOf(kLanesLeft, 4));
  for (int n = 0; n < Operands(); ++n) CopyOperand(n, kData + n);
  a_.mov(x86::ecx, Element(kOffsets, x86::rax));
  a_.add(x86::rcx, ScratchOf(kBase, 8));
  a_.mov(ScratchOf(kLane, 4), x86::eax);
  memory_ == Memory::kLds ? EmitLds() : EmitGuest();
  if (returns_) {
    a_.mov(x86::ecx, ScratchOf(kLane, 4));
    a_.mov(Element(Data(kResult), x86::rcx), x86::eax);
    if (bits_ == 64) {
      a_.shr(x86::rax, 32);
      a_.mov(Element(Data(kResult + 1), x86::rcx), x86::eax);
    }
  }
  a_.blsr(x86::edx, ScratchOf(kLanesLeft, 4));
  a_.mov(ScratchOf(kLanesLeft, 4), x86::edx);
  a_.jnz(loop);
  a_.bind(end);
}

// [rcx] with the operands in scratch; rax: the old value.
void LaneAtomic::EmitLds() {
  const Mem memory = x86::ptr(x86::rcx, 0, bits_ / 8);
  const Gp value = Sized(x86::rdx);
  const std::optional<uint32_t> instruction = MemoryInstruction();
  if (!returns_ && instruction) {
    a_.mov(value, Scratch(kData));
    a_.emit(*instruction, memory, value);
    return;
  }
  if (!returns_ && op_ == AtomicOp::kFAdd) {
    float_.EmitMemorySum(memory, Scratch(kData));
    return;
  }
  a_.mov(value, memory);
  if (returns_) a_.mov(x86::rax, x86::rdx);
  EmitNewValue(Scratch(kData), Scratch(kData2));
  a_.mov(memory, value);
}

// The same, atomically and in sequential consistency.
void LaneAtomic::EmitGuest() {
  const Mem memory = x86::ptr(x86::rcx, 0, bits_ / 8);
  const Gp old = Sized(x86::rax);
  const Gp value = Sized(x86::rdx);
  const std::optional<uint32_t> instruction = MemoryInstruction();
  if (!returns_ && instruction) {
    a_.mov(value, Scratch(kData));
    a_.lock();
    a_.emit(*instruction, memory, value);
    return;
  }
  switch (op_) {
    case AtomicOp::kAdd:
    case AtomicOp::kSub:
      a_.mov(old, Scratch(kData));
      if (op_ == AtomicOp::kSub) a_.neg(old);
      a_.lock().xadd(memory, old);
      return;
    case AtomicOp::kSwap:
      a_.mov(old, Scratch(kData));
      a_.xchg(memory, old);
      return;
    case AtomicOp::kCmpSwap: EmitCompareAndSwap(memory); return;
    default: {
      const asmjit::Label again = a_.newLabel();
      a_.mov(old, memory);
      a_.bind(again);
      a_.mov(value, old);
      EmitNewValue(Scratch(kData), Scratch(kData2));
      a_.lock().cmpxchg(memory, value);
      a_.jnz(again);
      return;
    }
  }
}

// Of lanes that follow each other and have one address, as those of a sum of floats, one succeeds:
// what the others find is known, as nothing can be between them, and needs no locked instruction.
void LaneAtomic::EmitCompareAndSwap(const Mem& memory) {
  const asmjit::Label locked = a_.newLabel();
  const asmjit::Label swapped = a_.newLabel();
  const asmjit::Label end = a_.newLabel();
  const Gp old = Sized(x86::rax);
  const Gp value = Sized(x86::rdx);
  const Mem last_address = ScratchOf(kLastAddress, 8);
  a_.cmp(x86::rcx, last_address);
  a_.jne(locked);
  a_.mov(old, Scratch(kLeft));
  a_.cmp(old, Scratch(kData));
  a_.jne(end);
  a_.bind(locked);
  a_.mov(last_address, x86::rcx);
  a_.mov(old, Scratch(kData));
  a_.mov(value, Scratch(kData2));
  a_.lock().cmpxchg(memory, value);
  a_.jz(swapped);
  a_.mov(value, old);
  a_.bind(swapped);
  a_.mov(Scratch(kLeft), value);
  a_.bind(end);
}

// ---- All lanes of a part

void LaneAtomic::EmitRun(int lanes, int offsets) {
  if (constant_) {
    EmitConstantRun(lanes, offsets);
    return;
  }
  const Mem memory = x86::dword_ptr(x86::rcx, x86::rax);
  const std::optional<uint32_t> instruction = MemoryInstruction();
  for (int lane = 0; lane < lanes; ++lane) {
    a_.mov(x86::eax, Element(kOffsets, lane));
    if (!returns_ && instruction) {
      a_.mov(x86::edx, Element(Data(0), lane));
      a_.emit(*instruction, memory, x86::edx);
      continue;
    }
    if (!returns_ && op_ == AtomicOp::kFAdd) {
      float_.EmitMemorySum(memory, Element(Data(0), lane));
      continue;
    }
    a_.mov(x86::edx, memory);
    if (returns_) a_.mov(Element(Data(kResult), lane), x86::edx);
    EmitNewValue(Element(Data(0), lane), Element(Data(1), lane));
    a_.mov(memory, x86::edx);
  }
}

// The offsets' upper parts go through the vector register.
void LaneAtomic::EmitConstantRun(int lanes, int offsets) {
  const uint32_t instruction = *MemoryInstruction();
  const asmjit::Imm constant(static_cast<int32_t>(*constant_));
  const auto index = [](int reg) { return static_cast<uint32_t>(reg); };
  for (int quarter = 0; quarter < lanes / 4; ++quarter) {
    const x86::Xmm from = quarter == 0 ? x86::xmm(index(offsets)) : temp_;
    if (quarter != 0 && lanes == 16) {
      a_.vextracti32x4(temp_, x86::zmm(index(offsets)), quarter);
    } else if (quarter != 0) {
      a_.vextracti128(temp_, x86::ymm(index(offsets)), quarter);
    }
    for (int pair = 0; pair < 2; ++pair) {
      if (pair == 0) {
        a_.vmovq(x86::rax, from);
      } else {
        a_.vpextrq(x86::rax, from, 1);
      }
      a_.mov(x86::edx, x86::eax);
      a_.shr(x86::rax, 32);
      a_.emit(instruction, x86::dword_ptr(x86::rcx, x86::rdx), constant);
      a_.emit(instruction, x86::dword_ptr(x86::rcx, x86::rax), constant);
    }
  }
}

}  // namespace gcnjit::backend
