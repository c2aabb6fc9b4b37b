#include "backend_x64/emit/loop_registers.h"

#include <algorithm>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

// At the loop's head.
void LoopRegisters::Load() {
  for (const Value v : Plan().lanes.residents) {
    const Inst& inst = b_.block.function[v];
    const bool is_mask = inst.type == Type::kU64;
    for (int part = 0; part < b_.at.parts; ++part) {
      if (!b_.block.IsStandIn(v, part)) continue;
      const Unit unit = is_mask ? Unit::Mask(v, part) : Unit::Lanes(v, part);
      const int reg = b_.lanes.Take(unit);
      if (is_mask) {
        b_.isa.LoadMask(reg, StateMask(inst, part));
      } else {
        b_.isa.LoadVector(reg, b_.memory.Vgpr(static_cast<int>(inst.imm), part));
      }
      header_.emplace_back(unit, reg);
    }
  }
  b_.lanes.UnpinAll();
}

// EXEC, or all else that the loop carries in registers: all parts, of which some may stand for
// others.
void LoopRegisters::Store(bool exec) {
  for (const Value v : Plan().lanes.residents) {
    if (!NextOf(v)) continue;
    const Inst& inst = b_.block.function[v];
    const bool is_mask = inst.type == Type::kU64;
    if (exec != (is_mask && inst.imm == ir::kExec)) continue;
    for (int part = 0; part < b_.at.parts; ++part) {
      const int stand_in = b_.block.StandInOf(v, part);
      const Unit unit = is_mask ? Unit::Mask(v, stand_in) : Unit::Lanes(v, stand_in);
      const int reg = std::ranges::find(header_, unit, &std::pair<Unit, int>::first)->second;
      if (is_mask) {
        b_.isa.StoreMask(StateMask(inst, part), reg);
      } else {
        b_.isa.StoreVector(b_.memory.Vgpr(static_cast<int>(inst.imm), part), reg);
      }
    }
  }
}

void LoopRegisters::Reload() {
  for (const auto& [unit, reg] : header_) {
    const Inst& inst = b_.block.function[unit.value];
    if (unit.component == Unit::kMask) {
      b_.isa.LoadMask(reg, StateMask(inst, unit.part));
    } else {
      b_.isa.LoadVector(reg, b_.memory.Vgpr(static_cast<int>(inst.imm), unit.part));
    }
  }
}

// A mask's part in the wave's SGPRs.
x86::Mem LoopRegisters::StateMask(const Inst& inst, int part) const {
  const int32_t offset = b_.region.options.layout.sgpr + static_cast<int32_t>(inst.imm) * 4;
  return x86::ptr(x86::rbx, x86::r15, 0, offset + part * b_.block.lanes / 8);
}

// What the loop carries is not where block-local values would look for it.
void LoopRegisters::ForgetCarried() {
  const LoopPlan& loop = Plan();
  for (const Value v : loop.lanes.residents) {
    const bool is_carried = std::find(loop.lanes.carried.begin(), loop.lanes.carried.end(), v) !=
                            loop.lanes.carried.end();
    if (is_carried) b_.memory[v].stored = b_.memory[v].spilled_masks = 0;
  }
}

bool LoopRegisters::IsResident(Value carried) const {
  const std::vector<Value>& residents = Plan().lanes.residents;
  return std::find(residents.begin(), residents.end(), carried) != residents.end();
}

// What a register holds in the next iteration; none: the same.
Value LoopRegisters::NextOf(Value carried) const {
  const Inst& get = b_.block.function[carried];
  const Op op = get.op == Op::kGetVgpr ? Op::kSetVgpr : Op::kSetSgpr64;
  for (const Value set : Plan().lanes.sets) {
    if (b_.block.function[set].op == op && b_.block.function[set].imm == get.imm)
      return b_.block.function[set].args[0];
  }
  return {};
}

// A VGPR that takes the old value of another one which changes, too, and is in memory only: the old
// value must be taken out first.
void LoopRegisters::ProtectOldVgprs() {
  for (const Value set : Plan().lanes.sets) {
    const Value v = b_.block.function[set].args[0];
    const Inst& source = b_.block.function[v];
    const bool changes = std::find(Plan().lanes.carried.begin(), Plan().lanes.carried.end(), v) !=
                         Plan().lanes.carried.end();
    if (source.op != Op::kGetVgpr || !changes || source.imm == b_.block.function[set].imm) continue;
    if (b_.memory[v].vgpr < 0) continue;
    for (uint8_t part = 0; part < b_.at.parts; ++part) {
      const std::optional<int> reg = b_.lanes.Find(Unit::Lanes(v, b_.block.StandInOf(v, part)));
      if (!reg) b_.isa.LoadVector(b_.isa.ScratchVector(), b_.memory.Vgpr(b_.memory[v].vgpr, part));
      b_.isa.StoreVector(b_.memory.Temp(b_.memory.TempOf(v), part),
                         reg.value_or(b_.isa.ScratchVector()));
    }
    b_.memory[v].vgpr = -1;
    b_.memory[v].stored |= 0xF;
  }
}

// Brings the residents' next values to where the loop's head expects them, and stores what is not
// resident. Registers and homes are left as they are for the code after the loop.
void LoopRegisters::EmitBackEdge() {
  struct Move {
    int to;
    std::optional<int> from;  // none: from memory
    Unit unit;
  };
  const LoopPlan& loop = Plan();
  const auto unit_of = [&](Value v, bool mask, int part) {
    const uint8_t p = b_.block.StandInOf(v, part);
    if (mask) return Unit::Mask(v, p);
    return b_.block.IsLaneValue(v) ? Unit::Lanes(v, p) : Unit::Broadcast(v);
  };
  for (const Value v : loop.lanes.carried) {
    if (IsResident(v)) continue;
    const Value next = NextOf(v);
    const bool mask = b_.block.function[v].type == Type::kU64;
    for (int part = 0; part < b_.at.parts; ++part) {
      const Unit unit = unit_of(next, mask, part);
      std::optional<int> reg = b_.lanes.Find(unit);
      if (!reg) {
        reg = mask ? b_.isa.ScratchMask() : b_.isa.ScratchVector();
        b_.lanes.Reload(unit, *reg);
      }
      if (mask) {
        b_.isa.StoreMask(b_.memory.Mask(v, part), *reg);
      } else {
        b_.isa.StoreVector(b_.memory.Vgpr(static_cast<int>(b_.block.function[v].imm), part), *reg);
      }
    }
  }
  std::vector<Move> moves[2];  // of vectors, of masks in registers of their own
  for (const auto& [unit, reg] : header_) {
    const bool mask = unit.component == Unit::kMask;
    const Value next = NextOf(unit.value);
    const Unit source = next ? unit_of(next, mask, unit.part) : unit;
    const std::optional<int> from = b_.lanes.Find(source);
    if (from != reg)
      moves[mask && !b_.block.MasksAreVectors() ? 1 : 0].push_back({reg, from, source});
  }
  for (int kind = 0; kind < 2; ++kind) {
    std::vector<Move>& left = moves[kind];
    const auto move = [&](int to, int from) {
      if (kind == 1) {
        b_.isa.MoveMask(to, from);
      } else {
        b_.isa.MoveVector(to, from);
      }
    };
    std::vector<Move> loads;
    while (!left.empty()) {
      const auto ready = std::find_if(left.begin(), left.end(), [&](const Move& m) {
        return std::none_of(left.begin(), left.end(),
                            [&](const Move& other) { return &other != &m && other.from == m.to; });
      });
      if (ready != left.end()) {
        if (!ready->from) {
          loads.push_back(*ready);
        } else {
          move(ready->to, *ready->from);
        }
        left.erase(ready);
        continue;
      }
      // A cycle: one of its values goes by way of a register that holds no value.
      const int scratch = kind == 1 ? b_.isa.ScratchMask() : b_.isa.ScratchVector();
      const int from = *left.front().from;
      move(scratch, from);
      for (Move& m : left) {
        if (m.from == from) m.from = scratch;
      }
    }
    for (const Move& load : loads) b_.lanes.Reload(load.unit, load.to);
  }
}

// The registers that the loop has changed, when a slice is done with it.
void LoopRegisters::StoreResults() {
  for (const Value set : Plan().lanes.sets) {
    const Inst& inst = b_.block.function[set];
    for (int part = 0; part < b_.at.parts; ++part) {
      if (inst.op == Op::kSetSgpr64) {
        b_.isa.StoreMask(StateMask(inst, part), b_.lanes.UseMask(inst.args[0], part));
      } else {
        b_.isa.StoreVector(b_.memory.Vgpr(static_cast<int>(inst.imm), part),
                           b_.lanes.Use(inst.args[0], part));
      }
      b_.lanes.UnpinAll();
    }
  }
}

}  // namespace gcnjit::backend
