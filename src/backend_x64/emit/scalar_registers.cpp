#include "backend_x64/emit/scalar_registers.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

constexpr uint32_t kRegisters = 1u << x86::Gp::kIdSi | 1u << x86::Gp::kIdDi | 1u << x86::Gp::kIdR8 |
                                1u << x86::Gp::kIdR9 | 1u << x86::Gp::kIdR10 |
                                1u << x86::Gp::kIdR11;

// Is it in memory that is there anyway?
bool IsHeldElsewhere(Op op) {
  return op == Op::kGetSgpr || op == Op::kGetSgpr64 || op == Op::kGetCommon;
}

}  // namespace

ScalarRegisters::ScalarRegisters(RegionAssembler& region, const Cursor& at, ValueMemory& memory)
    : region_(region),
      at_(at),
      block_(at.block),
      memory_(memory),
      file_(kRegisters, block_.function.insts.size()) {}

int ScalarRegisters::Take(Value v) {
  const RegisterFile::Taken taken = file_.Take(Unit::Scalar(v), [this](Unit held) {
    return block_.uses.NextAfter(held.value, at_.position - 1);
  });
  if (taken.has_failed) region_.Fail("a scalar operation needs more registers than there are");
  if (taken.victim && taken.is_wanted) {
    const Value victim = taken.victim->value;
    const Op op = block_.function[victim].op;
    const bool in_place = op == Op::kConst || IsHeldElsewhere(op);
    if (!in_place && (memory_[victim].stored & 1) == 0) Store(victim, taken.reg);
  }
  return taken.reg;
}

void ScalarRegisters::Store(Value v, int reg) {
  region_.a.mov(memory_.Slot(memory_.SlotOf(v)), Gp(reg, true));
  memory_[v].stored |= 1;
}

int ScalarRegisters::Def(Value v) { return Take(v); }

int ScalarRegisters::DefAt(Value v, int wanted) {
  return file_.TakeAt(wanted, Unit::Scalar(v)) ? wanted : Take(v);
}

void ScalarRegisters::Load(int reg, Value v) {
  const Inst& inst = block_.function[v];
  const bool wide = ir::Is64(inst.type);
  if (inst.op == Op::kConst) {
    const auto value = static_cast<uint64_t>(inst.imm);
    if (value == 0) {
      region_.a.xor_(Gp(reg, false), Gp(reg, false));
    } else {
      region_.a.mov(Gp(reg, value > UINT32_MAX), value);
    }
    return;
  }
  const int piece = memory_[v].mask_piece;
  if (wide && (piece == 2 || piece == 4)) return LoadPieces(reg, memory_.Scalar64(v), piece);
  region_.a.mov(Gp(reg, wide), wide ? memory_.Scalar64(v) : memory_.Scalar32(v));
}

// A mask as it was stored, piece by piece: a load of all would wait until the stores are in the
// cache.
void ScalarRegisters::LoadPieces(int reg, x86::Mem mask, int bytes) {
  mask.setSize(static_cast<uint32_t>(bytes));
  const auto load = [&](const x86::Gp& half, int at) {
    if (bytes == 4) return static_cast<void>(region_.a.mov(half.r32(), mask.cloneAdjusted(at)));
    region_.a.movzx(half.r32(), mask.cloneAdjusted(at + 2));
    region_.a.shl(half.r32(), 16);
    region_.a.or_(half.r16(), mask.cloneAdjusted(at));
  };
  load(x86::rax, 4);
  load(Gp(reg, true), 0);
  region_.a.shl(x86::rax, 32);
  region_.a.or_(Gp(reg, true), x86::rax);
}

int ScalarRegisters::Use(Value v) {
  std::optional<int> reg = Find(v);
  if (!reg) {
    reg = Take(v);
    Load(*reg, v);
  }
  file_.Pin(*reg);
  return *reg;
}

void ScalarRegisters::FreeDying(const Inst& inst) {
  for (int n = 0; n < inst.argument_count; ++n) {
    if (!at_.IsRead(inst.args[n])) Free(inst.args[n]);
  }
}

void ScalarRegisters::Keep(Value v) {
  const std::optional<int> reg = Find(v);
  if (IsHeldElsewhere(block_.function[v].op) || !reg) return;
  const bool is_wanted = block_.uses.HasLaneUse(v) || memory_[v].is_for_lanes;
  if (!is_wanted || (memory_[v].stored & 1) != 0) return;
  Store(v, *reg);
}

void ScalarRegisters::FreeForLanes() {
  for (uint32_t left = file_.Evictable(); left != 0; left &= left - 1) {
    const int reg = __builtin_ctz(left);
    if (!at_.IsUsedInLaterStage(ValueIn(reg))) file_.Free(reg);
  }
}

}  // namespace gcnjit::backend
