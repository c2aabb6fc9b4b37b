// What the lift_* functions of memory instructions share: how registers and memory correspond.
#pragma once

#include <array>

#include "frontend/lift/lifter.h"

namespace gcnjit::frontend {

using ir::AtomicOp;
using ir::MemoryAccess;
using ir::Type;

// Which half of the destination a loaded 16-bit value goes to; the other half stays or becomes 0
// (Instruction::zeroes_half). Of stores: where the value comes from.
enum class D16 : uint8_t { kNone, kLow, kHigh };

struct MemoryForm {
  uint8_t bytes = 4;
  bool sign_extend = false;
  D16 d16 = D16::kNone;

  constexpr int Dwords() const { return bytes <= 4 ? 1 : bytes / 4; }
  constexpr MemoryAccess Access(ir::Space space = ir::Space::kGlobal) const {
    return {bytes, sign_extend, space};
  }
};

inline constexpr MemoryForm kUbyte = {1};
inline constexpr MemoryForm kSbyte = {1, true};
inline constexpr MemoryForm kUshort = {2};
inline constexpr MemoryForm kSshort = {2, true};
inline constexpr MemoryForm kDword = {4};
inline constexpr MemoryForm kDwordX2 = {8};
inline constexpr MemoryForm kDwordX3 = {12};
inline constexpr MemoryForm kDwordX4 = {16};
inline constexpr MemoryForm kUbyteD16 = {1, false, D16::kLow};
inline constexpr MemoryForm kUbyteD16Hi = {1, false, D16::kHigh};
inline constexpr MemoryForm kSbyteD16 = {1, true, D16::kLow};
inline constexpr MemoryForm kSbyteD16Hi = {1, true, D16::kHigh};
inline constexpr MemoryForm kShortD16 = {2, false, D16::kLow};
inline constexpr MemoryForm kShortD16Hi = {2, false, D16::kHigh};

using Dwords = std::array<Value, 4>;

// All dwords of a load or atomic that has just been emitted.
Dwords PartsOf(Lifter& l, Value load, int count);
// Writes what a load of `form` gave, 0 where it did nothing, to the active lanes of the
// destination, from its register `first` on.
void WriteLoaded(Lifter& l, const Instruction& i, const MemoryForm& form, const Dwords& loaded,
                 int first = 0);
// What a store of `form` from VGPR src takes there.
Dwords StoredDwords(Lifter& l, const MemoryForm& form, int src);

// Order of memory. A wave that has stored, waited for the store (s_waitcnt) and then loads past the
// first-level cache must not miss what another wave has stored by then: on the GPU the store has
// reached the second level. On the host it may still be in the core's store buffer, and the later
// load is served first. Code that minds says so, by invalidating the cache or with glc.
// Source: LLVM AMDGPUUsage, "Memory Model gfx6-gfx9", seq_cst.
inline void Fence(Lifter& l) { l.b.Emit(Op::kFence, ir::Type::kVoid, {}); }
inline void FenceIfCoherent(Lifter& l, const Instruction& load) {
  if (load.glc || load.scc) Fence(l);
}

// An atomic operation in the words of IR.
struct AtomicForm {
  AtomicOp op = AtomicOp::kSwap;
  bool is_64 = false;
  bool flush_inputs = false;  // of a float operation
  bool flush_results = false;

  constexpr int Dwords() const { return is_64 ? 2 : 1; }
  constexpr MemoryAccess Access(ir::Space space = ir::Space::kGlobal) const {
    return {static_cast<uint8_t>(is_64 ? 8 : 4), false, space, op, flush_inputs, flush_results};
  }
};
// f32 denormals are zeros; gfx942 keeps them as sums (runtime/interpreter/atomic_float_add.h).
inline AtomicForm AtomicAddF32(const Lifter& l) {
  return {AtomicOp::kFAdd, false, true, !Has(l.generation(), kGfx942Isa)};
}
inline constexpr AtomicForm kAtomicAddF64 = {AtomicOp::kFAdd, true};
inline constexpr AtomicForm kAtomicMinF64 = {AtomicOp::kFMin, true};
inline constexpr AtomicForm kAtomicMaxF64 = {AtomicOp::kFMax, true};

// `lead` (address and mask, or address, mask and limit) and then the data operands, each in the
// VGPRs from its number on. The old value goes to the destination if there is one.
void EmitAtomic(Lifter& l, const Instruction& i, Op op, const std::array<Value, 3>& lead,
                std::initializer_list<int> data, int dwords, int64_t imm, MemoryAccess access);

// Data operands of FLAT, GLOBAL and MUBUF atomics: the new value, then the compared one.
void EmitGlobalAtomic(Lifter& l, const Instruction& i, const AtomicForm& form,
                      const std::array<Value, 3>& lead, int64_t imm, const MemoryAccess& access);

}  // namespace gcnjit::frontend
