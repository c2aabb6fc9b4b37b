// Scalar operations of a block: one value in one general-purpose register, 32 or 64 bits wide; a u1
// is 0 or 1.
#include <bit>

#include "backend_x64/block_emitter.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Value;

namespace {
x86::Gp Gp(int reg, bool wide) {
  return wide ? x86::Gp(x86::gpq(static_cast<uint32_t>(reg)))
              : x86::Gp(x86::gpd(static_cast<uint32_t>(reg)));
}
bool FitsImmediate(uint64_t value, bool wide) {
  return !wide || static_cast<int64_t>(value) == static_cast<int32_t>(value);
}
}  // namespace

// ---- Registers

int BlockEmitter::TakeScalar(Value v) {
  int reg = gprs_.TryTake();
  if (reg < 0) {
    int32_t farthest = -1;
    for (uint32_t left = gprs_.Evictable(); left != 0; left &= left - 1) {
      const int candidate = __builtin_ctz(left);
      const int32_t next = uses_.NextAfter(gprs_.UnitOf(candidate).value, position_ - 1);
      if (next > farthest) {
        farthest = next;
        reg = candidate;
      }
    }
    if (reg < 0) {
      Fail("a scalar operation needs more registers than there are");
      reg = __builtin_ctz(gprs_.used());
    }
    const Value victim = gprs_.UnitOf(reg).value;
    const Op op = function_[victim].op;
    const bool in_place = op == Op::kConst || op == Op::kGetSgpr || op == Op::kGetSgpr64;
    if (farthest != UseLists::kNever && !in_place && (homes_[victim.id].stored & 1) == 0) {
      a.mov(SlotMemory(SlotOf(victim)), Gp(reg, true));
      homes_[victim.id].stored |= 1;
    }
    gpr_of_[victim.id] = -1;
  }
  gprs_.SetUnit(reg, {v, 0, 0});
  gprs_.Pin(reg);
  gpr_of_[v.id] = static_cast<int8_t>(reg);
  return reg;
}

int BlockEmitter::DefScalar(Value v) { return TakeScalar(v); }

void BlockEmitter::LoadScalar(int reg, Value v) {
  const Inst& inst = function_[v];
  const bool wide = ir::Is64(inst.type);
  if (inst.op == Op::kConst) {
    const auto value = static_cast<uint64_t>(inst.imm);
    if (value == 0) {
      a.xor_(Gp(reg, false), Gp(reg, false));
    } else {
      a.mov(Gp(reg, value > UINT32_MAX), value);
    }
    return;
  }
  x86::Mem memory = ScalarMemory(v);
  memory.setSize(wide ? 8 : 4);
  a.mov(Gp(reg, wide), memory);
}

int BlockEmitter::UseScalar(Value v) {
  int reg = gpr_of_[v.id];
  if (reg < 0) {
    reg = TakeScalar(v);
    LoadScalar(reg, v);
  }
  gprs_.Pin(reg);
  return reg;
}

void BlockEmitter::FreeDyingScalars(const Inst& inst) {
  for (int n = 0; n < inst.argument_count; ++n) {
    const Value v = inst.args[n];
    int8_t& reg = gpr_of_[v.id];
    if (reg < 0 || uses_.IsUsedAfter(v, position_)) continue;
    gprs_.Free(reg);
    reg = -1;
  }
}

void BlockEmitter::KeepScalar(Value v) {
  const Op op = function_[v].op;
  if (op == Op::kGetSgpr || op == Op::kGetSgpr64 || gpr_of_[v.id] < 0) return;
  if (!uses_.HasLaneUse(v) || (homes_[v.id].stored & 1) != 0) return;
  a.mov(SlotMemory(SlotOf(v)), Gp(gpr_of_[v.id], true));
  homes_[v.id].stored |= 1;
}

// ---- Operations

void BlockEmitter::EmitScalarOp(Value v) {
  const Inst& inst = function_[v];
  position_ = uses_.PositionOf(v);
  if (inst.op == Op::kPart) return;
  Note(v);
  current_ = &inst;
  switch (inst.op) {
    case Op::kGetSgpr:
    case Op::kGetSgpr64: break;  // read where it is when it is used
    case Op::kGetScc: {
      const int reg = DefScalar(v);
      a.mov(Gp(reg, false), x86::dword_ptr(x86::rbx, shared_.layout.scc));
      break;
    }
    case Op::kNoteExec: EmitNoteExec(inst); break;
    case Op::kLoadScalar: EmitLoadScalar(v, inst); break;
    case Op::kFence: a.mfence(); break;
    default: {
      const bool done = EmitScalarArithmetic(v, inst) || EmitScalarCompare(v, inst) ||
                        EmitScalarBits(v, inst) || EmitWholeOp(v, inst);
      if (!done) Fail("no emitter for a scalar operation");
      break;
    }
  }
  KeepScalar(v);
  FreeDyingScalars(inst);
  if (gpr_of_[v.id] >= 0 && !uses_.IsUsedAfter(v, position_)) {
    gprs_.Free(gpr_of_[v.id]);
    gpr_of_[v.id] = -1;
  }
  FreeHomes(inst);
  gprs_.UnpinAll();
  current_ = nullptr;
}

bool BlockEmitter::EmitScalarArithmetic(Value v, const Inst& inst) {
  const bool wide = ir::Is64(inst.type);
  const auto binary = [&](asmjit::x86::Inst::Id id, bool invert_second = false) {
    uint64_t constant = 0;
    const bool by_immediate =
        !invert_second && IsConst(inst.args[1], &constant) && FitsImmediate(constant, wide);
    const int x = UseScalar(inst.args[0]);
    const int y = by_immediate ? -1 : UseScalar(inst.args[1]);
    a.mov(Gp(x86::Gp::kIdAx, wide), Gp(x, wide));
    if (by_immediate) {
      a.emit(id, Gp(x86::Gp::kIdAx, wide),
             asmjit::imm(wide ? static_cast<int64_t>(constant)
                              : static_cast<int64_t>(static_cast<int32_t>(constant))));
    } else if (invert_second) {
      a.mov(Gp(x86::Gp::kIdCx, wide), Gp(y, wide));
      a.not_(Gp(x86::Gp::kIdCx, wide));
      a.emit(id, Gp(x86::Gp::kIdAx, wide), Gp(x86::Gp::kIdCx, wide));
    } else {
      a.emit(id, Gp(x86::Gp::kIdAx, wide), Gp(y, wide));
    }
    FreeDyingScalars(inst);
    a.mov(Gp(DefScalar(v), wide), Gp(x86::Gp::kIdAx, wide));
    return true;
  };
  const auto shift = [&](asmjit::x86::Inst::Id id) {
    uint64_t constant = 0;
    const bool by_immediate = IsConst(inst.args[1], &constant);
    const int x = UseScalar(inst.args[0]);
    const int y = by_immediate ? -1 : UseScalar(inst.args[1]);
    a.mov(Gp(x86::Gp::kIdAx, wide), Gp(x, wide));
    if (by_immediate) {
      a.emit(id, Gp(x86::Gp::kIdAx, wide), asmjit::imm(constant & (wide ? 63 : 31)));
    } else {
      a.mov(x86::ecx, Gp(y, false));
      a.emit(id, Gp(x86::Gp::kIdAx, wide), x86::cl);
    }
    FreeDyingScalars(inst);
    a.mov(Gp(DefScalar(v), wide), Gp(x86::Gp::kIdAx, wide));
    return true;
  };
  const auto unary = [&](auto emit) {
    const int x = UseScalar(inst.args[0]);
    emit(Gp(x, ir::Is64(function_[inst.args[0]].type)), x);
    FreeDyingScalars(inst);
    a.mov(Gp(DefScalar(v), wide), Gp(x86::Gp::kIdAx, wide));
    return true;
  };
  namespace Id = asmjit::x86::Inst;
  switch (inst.op) {
    case Op::kAdd: return binary(Id::kIdAdd);
    case Op::kSub: return binary(Id::kIdSub);
    case Op::kMul: return binary(Id::kIdImul);
    case Op::kAnd: return binary(Id::kIdAnd);
    case Op::kOr: return binary(Id::kIdOr);
    case Op::kXor: return binary(Id::kIdXor);
    case Op::kAndNot: return binary(Id::kIdAnd, true);
    case Op::kShl: return shift(Id::kIdShl);
    case Op::kLshr: return shift(Id::kIdShr);
    case Op::kAshr: return shift(Id::kIdSar);
    case Op::kNot:
      return unary([&](const x86::Gp& x, int) {
        a.mov(Gp(x86::Gp::kIdAx, wide), x);
        if (inst.type == Type::kU1) {
          a.xor_(x86::eax, 1);
        } else {
          a.not_(Gp(x86::Gp::kIdAx, wide));
        }
      });
    case Op::kLow: return unary([&](const x86::Gp&, int x) { a.mov(x86::eax, Gp(x, false)); });
    case Op::kHigh:
      return unary([&](const x86::Gp& x, int) {
        a.mov(x86::rax, x);
        a.shr(x86::rax, 32);
      });
    case Op::kZext: return unary([&](const x86::Gp&, int x) { a.mov(x86::eax, Gp(x, false)); });
    case Op::kSext: return unary([&](const x86::Gp&, int x) { a.movsxd(x86::rax, Gp(x, false)); });
    case Op::kSext8:
      return unary([&](const x86::Gp&, int x) {
        a.mov(x86::eax, Gp(x, false));
        a.movsx(x86::eax, x86::al);
      });
    case Op::kSext16:
      return unary([&](const x86::Gp&, int x) {
        a.mov(x86::eax, Gp(x, false));
        a.movsx(x86::eax, x86::ax);
      });
    case Op::kPack: {
      const int low = UseScalar(inst.args[0]);
      const int high = UseScalar(inst.args[1]);
      a.mov(x86::eax, Gp(high, false));
      a.shl(x86::rax, 32);
      a.mov(x86::ecx, Gp(low, false));
      a.or_(x86::rax, x86::rcx);
      FreeDyingScalars(inst);
      a.mov(Gp(DefScalar(v), true), x86::rax);
      return true;
    }
    case Op::kMulWideU:
    case Op::kMulWideS:
    case Op::kMulHiU:
    case Op::kMulHiS: {
      const bool is_signed = inst.op == Op::kMulWideS || inst.op == Op::kMulHiS;
      const int x = UseScalar(inst.args[0]);
      const int y = UseScalar(inst.args[1]);
      if (is_signed) {
        a.movsxd(x86::rax, Gp(x, false));
        a.movsxd(x86::rcx, Gp(y, false));
      } else {
        a.mov(x86::eax, Gp(x, false));
        a.mov(x86::ecx, Gp(y, false));
      }
      a.imul(x86::rax, x86::rcx);
      if (inst.op == Op::kMulHiU || inst.op == Op::kMulHiS) a.shr(x86::rax, 32);
      FreeDyingScalars(inst);
      a.mov(Gp(DefScalar(v), wide), Gp(x86::Gp::kIdAx, wide));
      return true;
    }
    default: return false;
  }
}

bool BlockEmitter::EmitScalarCompare(Value v, const Inst& inst) {
  using Cond = asmjit::x86::CondCode;
  Cond condition = Cond::kE;
  switch (inst.op) {
    case Op::kEq: condition = Cond::kE; break;
    case Op::kNe: condition = Cond::kNE; break;
    case Op::kLtU: condition = Cond::kB; break;
    case Op::kLeU: condition = Cond::kBE; break;
    case Op::kLtS: condition = Cond::kL; break;
    case Op::kLeS: condition = Cond::kLE; break;
    case Op::kMinU:
    case Op::kMinS:
    case Op::kMaxU:
    case Op::kMaxS: {
      const int x = UseScalar(inst.args[0]);
      const int y = UseScalar(inst.args[1]);
      a.mov(x86::eax, Gp(x, false));
      a.cmp(Gp(y, false), x86::eax);
      switch (inst.op) {
        case Op::kMinU: a.cmovb(x86::eax, Gp(y, false).as<x86::Gp>()); break;
        case Op::kMinS: a.cmovl(x86::eax, Gp(y, false).as<x86::Gp>()); break;
        case Op::kMaxU: a.cmova(x86::eax, Gp(y, false).as<x86::Gp>()); break;
        default: a.cmovg(x86::eax, Gp(y, false).as<x86::Gp>()); break;
      }
      FreeDyingScalars(inst);
      a.mov(Gp(DefScalar(v), false), x86::eax);
      return true;
    }
    case Op::kSelect: {
      const bool wide = ir::Is64(inst.type);
      const int cond = UseScalar(inst.args[0]);
      const int x = UseScalar(inst.args[1]);
      const int y = UseScalar(inst.args[2]);
      a.mov(Gp(x86::Gp::kIdAx, wide), Gp(y, wide));
      a.test(Gp(cond, false), Gp(cond, false));
      a.cmovnz(Gp(x86::Gp::kIdAx, wide), Gp(x, wide));
      FreeDyingScalars(inst);
      a.mov(Gp(DefScalar(v), wide), Gp(x86::Gp::kIdAx, wide));
      return true;
    }
    default: return false;
  }
  const bool wide = ir::Is64(function_[inst.args[0]].type);
  const int x = UseScalar(inst.args[0]);
  uint64_t constant = 0;
  if (IsConst(inst.args[1], &constant) && FitsImmediate(constant, wide)) {
    a.cmp(Gp(x, wide), wide ? static_cast<int64_t>(constant)
                            : static_cast<int64_t>(static_cast<int32_t>(constant)));
  } else {
    a.cmp(Gp(x, wide), Gp(UseScalar(inst.args[1]), wide));
  }
  a.set(condition, x86::al);
  a.movzx(x86::eax, x86::al);
  FreeDyingScalars(inst);
  a.mov(Gp(DefScalar(v), false), x86::eax);
  return true;
}

bool BlockEmitter::EmitScalarBits(Value v, const Inst& inst) {
  const bool wide = ir::Is64(function_[inst.args[0]].type);
  const auto finish = [&] {
    FreeDyingScalars(inst);
    const bool wide_result = ir::Is64(inst.type);
    a.mov(Gp(DefScalar(v), wide_result), Gp(x86::Gp::kIdAx, wide_result));
    return true;
  };
  switch (inst.op) {
    case Op::kPopcount:
      a.popcnt(Gp(x86::Gp::kIdAx, wide), Gp(UseScalar(inst.args[0]), wide));
      return finish();
    case Op::kClz:
      a.lzcnt(Gp(x86::Gp::kIdAx, wide), Gp(UseScalar(inst.args[0]), wide));
      return finish();
    case Op::kCtz:
      a.tzcnt(Gp(x86::Gp::kIdAx, wide), Gp(UseScalar(inst.args[0]), wide));
      return finish();
    case Op::kFirstLane: {
      a.mov(x86::rcx, Gp(UseScalar(inst.args[0]), true));
      a.xor_(x86::eax, x86::eax);
      a.test(x86::rcx, x86::rcx);
      a.bsf(x86::rcx, x86::rcx);
      a.cmovnz(x86::eax, x86::ecx);
      return finish();
    }
    case Op::kFshr: {
      const int high = UseScalar(inst.args[0]);
      const int low = UseScalar(inst.args[1]);
      a.mov(x86::ecx, Gp(UseScalar(inst.args[2]), false));
      a.mov(x86::eax, Gp(low, false));
      a.shrd(x86::eax, Gp(high, false), x86::cl);
      return finish();
    }
    case Op::kBitReverse: {
      const int x = UseScalar(inst.args[0]);
      const auto reg = Gp(x86::Gp::kIdAx, wide);
      const auto other = Gp(x86::Gp::kIdCx, wide);
      const auto masked = Gp(x86::Gp::kIdDx, wide);
      a.mov(reg, Gp(x, wide));
      a.bswap(reg);
      constexpr uint64_t kMasks[3] = {0x0F0F0F0F0F0F0F0F, 0x3333333333333333, 0x5555555555555555};
      constexpr int kShifts[3] = {4, 2, 1};
      for (int n = 0; n < 3; ++n) {
        a.mov(masked, wide ? kMasks[n] : kMasks[n] & UINT32_MAX);
        a.mov(other, reg);
        a.shr(other, kShifts[n]);
        a.and_(other, masked);
        a.and_(reg, masked);
        a.shl(reg, kShifts[n]);
        a.or_(reg, other);
      }
      return finish();
    }
    default: return false;
  }
}

// ---- State

// A value that is still to be read from an SGPR which an earlier write-back changes must be taken
// out first.
void BlockEmitter::ProtectOldScalars() {
  std::vector<uint8_t> written(130, 0);
  const auto protect = [&](Value reader) {
    const Inst& inst = function_[reader];
    for (int n = 0; n < inst.argument_count; ++n) {
      const Inst& source = function_[inst.args[n]];
      const bool pair = source.op == Op::kGetSgpr64;
      if (source.op != Op::kGetSgpr && !pair) continue;
      if (written[source.imm] == 0 && !(pair && written[source.imm + 1] != 0)) continue;
      ProtectOldScalar(inst.args[n]);
    }
  };
  for (const Value v : plan_.final_ops) {
    protect(v);
    const Inst& inst = function_[v];
    if (inst.op == Op::kSetSgpr || inst.op == Op::kSetSgpr64) {
      written[inst.imm] = 1;
      if (inst.op == Op::kSetSgpr64) written[inst.imm + 1] = 1;
    }
  }
  // A loop's lane values are written back behind its scalars.
  if (plan_.loop) {
    for (const Value v : plan_.loop->sets) protect(v);
  }
}

void BlockEmitter::ProtectOldScalar(Value v) {
  if (homes_[v.id].slot >= 0) return;
  const int reg = UseScalar(v);
  a.mov(SlotMemory(SlotOf(v)), Gp(reg, true));
  homes_[v.id].stored |= 1;
  gprs_.UnpinAll();
}

void BlockEmitter::EmitSetScalar(const Inst& inst) {
  const Value v = inst.args[0];
  if (inst.op == Op::kSkipped) {
    const x86::Gp mask = Gp(UseScalar(v), true);
    const asmjit::Label executed = a.newLabel();
    a.test(mask, mask);
    a.jnz(executed);
    a.sub(x86::qword_ptr(x86::r12, offsetof(RegionContext, executed)),
          static_cast<int32_t>(inst.imm));
    a.bind(executed);
  } else if (inst.op == Op::kSetScc || inst.op == Op::kSetMode) {
    const int32_t offset = inst.op == Op::kSetScc ? shared_.layout.scc : shared_.layout.mode;
    a.mov(x86::dword_ptr(x86::rbx, offset), Gp(UseScalar(v), false));
  } else {
    const bool wide = inst.op == Op::kSetSgpr64;
    const int32_t offset = shared_.layout.sgpr + static_cast<int32_t>(inst.imm) * 4;
    uint64_t constant = 0;
    if (IsConst(v, &constant) && FitsImmediate(constant, wide)) {
      x86::Mem to = x86::ptr(x86::rbx, offset, wide ? 8 : 4);
      a.mov(to, wide ? static_cast<int64_t>(constant)
                     : static_cast<int64_t>(static_cast<int32_t>(constant)));
    } else {
      a.mov(x86::ptr(x86::rbx, offset), Gp(UseScalar(v), wide));
    }
  }
  FreeDyingScalars(inst);
  gprs_.UnpinAll();
}

// ---- Memory

// The dwords from the address in a register to RegionContext::scalar_data. The register keeps it.
void BlockEmitter::EmitScalarMoves(const Inst& inst, const MemorySite* site, int address) {
  const uint32_t dwords = inst.aux;
  const asmjit::Label slow = a.newLabel();
  const asmjit::Label done = a.newLabel();
  a.mov(x86::rcx, Gp(address, true));
  if (inst.imm != 0) a.add(x86::rcx, static_cast<int32_t>(inst.imm));
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, windows)));
  a.mov(x86::rax, x86::rcx);
  a.sub(x86::rax, WindowField(site, offsetof(MemoryWindow, base)));
  a.cmp(x86::rax, WindowField(site, offsetof(MemoryWindow, run_end)));
  a.jae(slow);
  for (uint32_t n = 0; n < dwords; n += 2) {
    const auto from = static_cast<int32_t>(n * 4);
    const auto to = static_cast<int32_t>(offsetof(RegionContext, scalar_data)) + from;
    const x86::Gp piece = Gp(0, n + 1 < dwords);  // rax
    a.mov(piece, x86::ptr(x86::rcx, from));
    a.mov(x86::ptr(x86::r12, to), piece);
  }
  a.bind(done);
  shared_.cold.push_back([&shared = shared_, slow, done, site, dwords] {
    x86::Assembler& cold = shared.a;
    cold.bind(slow);
    cold.mov(x86::rax, reinterpret_cast<uint64_t>(site));
    cold.mov(x86::edx, dwords);
    cold.call(x86::qword_ptr(x86::r12, offsetof(RegionContext, scalar_thunk)));
    cold.jmp(done);
  });
}

void BlockEmitter::EmitLoadScalar(Value v, const Inst& inst) {
  const auto dwords = inst.aux;
  const MemorySite* site = AddSite(v, inst);
  const int address = UseScalar(inst.args[0]);
  {
    const AccessGuard guard(shared_, site);
    EmitScalarMoves(inst, site, address);
  }
  FreeDyingScalars(inst);
  for (uint32_t n = 0; n < dwords; ++n) {
    Value part = v;
    if (n != 0) {
      part = {};
      for (uint32_t id = v.id + 1;
           id < function_.insts.size() && function_.insts[id].op == Op::kPart &&
           function_.insts[id].args[0] == v;
           ++id) {
        if (function_.insts[id].imm == n) part = {id};
      }
      if (!part) continue;
    }
    if (!uses_.IsUsedAfter(part, position_)) continue;
    const int reg = DefScalar(part);
    a.mov(Gp(reg, false),
          x86::dword_ptr(x86::r12,
                         static_cast<int32_t>(offsetof(RegionContext, scalar_data) + n * 4)));
    if (part != v) KeepScalar(part);
    gprs_.UnpinAll();
  }
}

x86::Mem BlockEmitter::WindowField(const MemorySite* site, size_t offset) const {
  // rdx: the windows.
  const MemorySite& known = SiteOf(site);
  return x86::qword_ptr(x86::rdx,
                        static_cast<int32_t>(known.index * sizeof(MemoryWindow) + offset));
}

}  // namespace gcnjit::backend
