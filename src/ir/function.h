// A region in SSA form: blocks of instructions that refer to each other by index. Values do not
// cross blocks: blocks meet in the wave's state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "ir/types.h"

namespace gcnjit::ir {

enum class Op : uint8_t {
#define IR_OP(name, ...) name,
#include "ir/opcodes.def"
#undef IR_OP
  kCount,
};

enum class Effect : uint8_t { kPure, kState, kRead, kWrite, kWhole, kEnd };

// Columns of opcodes.def.
enum class Trait : uint8_t {
  kCommutes,
  kBitByBit,
  kCompare,
  kScalarForm,
  kScalarFloat,
  kMask0,
  kMask1,
  kMask2,
  kLds,
};

struct OpInfo {
  const char* name;
  int arguments;  // -1: varies
  Effect effect;
  uint16_t traits = 0;  // a bit for each Trait

  constexpr OpInfo(const char* text, int count, Effect its_effect,
                   std::initializer_list<Trait> its_traits)
      : name(text), arguments(count), effect(its_effect) {
    for (const Trait trait : its_traits) {
      traits |= static_cast<uint16_t>(1u << static_cast<int>(trait));
    }
  }
  constexpr bool Has(Trait trait) const { return (traits >> static_cast<int>(trait) & 1) != 0; }
  // Is argument n a lane mask, whatever the operation's type?
  constexpr bool TakesMask(int n) const {
    return n < 3 && (traits >> (static_cast<int>(Trait::kMask0) + n) & 1) != 0;
  }
};
namespace op_table {
using enum Trait;
inline constexpr OpInfo kRows[] = {
#define IR_OP(name, text, arguments, effect, ...) {text, arguments, Effect::effect, {__VA_ARGS__}},
#include "ir/opcodes.def"
#undef IR_OP
};
}  // namespace op_table
constexpr const OpInfo& InfoOf(Op op) { return op_table::kRows[static_cast<size_t>(op)]; }

constexpr bool IsSwizzled(Op op) { return op == Op::kLoadSwizzled || op == Op::kStoreSwizzled; }

// An instruction, by its index in Function::insts; also the value it produces.
struct Value {
  uint32_t id = 0;  // 0: none
  explicit operator bool() const { return id != 0; }
  friend bool operator==(Value, Value) = default;
};

inline constexpr int kMaxArguments = 7;

struct Inst {
  Op op = Op::kConst;
  Type type = Type::kVoid;
  uint8_t argument_count = 0;
  uint16_t guest = 0;  // index of the guest instruction within the block
  uint32_t aux = 0;    // MemoryAccess, FloatEnv, dwords
  int64_t imm = 0;
  Value args[kMaxArguments];

  FloatEnv env() const { return {static_cast<uint16_t>(aux)}; }
  MemoryAccess access() const { return MemoryAccess::Unpack(aux); }
  // Is it a load or a store of the indexed form?
  bool IsIndexed() const { return (op == Op::kLoad || op == Op::kStore) && access().indexed; }

  // Without `aux` and `imm`.
  static Inst Of(Op op, Type type, uint16_t guest, std::initializer_list<Value> arguments) {
    Inst inst;
    inst.op = op;
    inst.type = type;
    inst.guest = guest;
    for (const Value argument : arguments) inst.args[inst.argument_count++] = argument;
    return inst;
  }
};

// Group code (workgroup/specialise.h) has blocks of its own for each wave of a work-group, all in
// one function. Their addresses, as begins and as targets, say whose they are.
inline constexpr int kWaveShift = 56;
constexpr uint64_t WithWave(uint64_t pc, int wave) {
  return pc | (static_cast<uint64_t>(wave) + 1) << kWaveShift;
}
constexpr uint64_t WithoutWave(uint64_t begin) { return begin & ((uint64_t{1} << kWaveShift) - 1); }
// -1: a block for any wave.
constexpr int WaveOf(uint64_t begin) { return static_cast<int>(begin >> kWaveShift) - 1; }

struct Block {
  uint64_t begin = 0;               // guest address
  std::vector<uint64_t> guest_pcs;  // of its guest instructions, for faults and listings
  std::vector<Value> insts;         // in order; the last one is of Effect::kEnd
  uint64_t targets[2] = {0, 0};     // guest addresses, see the terminators
  uint32_t instruction_count = 0;   // guest instructions that running the block executes
  // EXEC may have a lane at some time within the block that it had not when that began.
  bool gains_lanes = true;

  // Is it one of its own targets?
  bool IsLoop() const { return targets[0] == begin || targets[1] == begin; }
};

struct Function {
  std::vector<Inst> insts = std::vector<Inst>(1);  // index 0 is no value
  std::vector<Block> blocks;
  std::vector<LanePattern> patterns;

  Inst& operator[](Value v) { return insts[v.id]; }
  const Inst& operator[](Value v) const { return insts[v.id]; }
  // Does the block end with a branch of which one target is the block, and the other is not?
  bool BranchesToItself(const Block& block) const {
    return (*this)[block.insts.back()].op == Op::kBranch &&
           (block.targets[0] == block.begin) != (block.targets[1] == block.begin);
  }
};

}  // namespace gcnjit::ir
