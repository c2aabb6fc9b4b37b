#include "backend_x64/emit/scalar_loads.h"

#include <algorithm>

#include "backend_x64/emit/fault_table.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

ScalarLoads::ScalarLoads(RegionAssembler& region, const Cursor& at, ValueMemory& memory,
                         ScalarRegisters& scalars, BlockSites& sites)
    : a(region.a),
      region_(region),
      at_(at),
      block_(at.block),
      memory_(memory),
      scalars_(scalars),
      sites_(sites) {}

// The pack of two dwords of a load that has just been emitted, if nothing else reads them.
Value ScalarLoads::PackOf(Value low, Value high, int32_t load_end) const {
  const int32_t use = block_.uses.NextAfter(low, load_end);
  if (use != block_.uses.NextAfter(high, load_end)) return {};
  if (block_.uses.IsUsedAfter(low, use) || block_.uses.IsUsedAfter(high, use)) return {};
  const int32_t begin = at_.stage == 0 ? 0 : block_.uses.EndOfStage(at_.stage - 1);
  const std::vector<Value>& ops = block_.plan.stages[at_.stage].scalar_ops;
  const auto n = static_cast<size_t>(use - begin);
  if (n >= ops.size()) return {};
  const Inst& user = block_.function[ops[n]];
  const bool is_pack = user.op == Op::kPack && user.args[0] == low && user.args[1] == high;
  return is_pack ? ops[n] : Value{};
}

// What of a scalar load is read, each with the register that it goes to. No value makes room for
// them: an access that is interrupted begins anew, and must find every register as it was.
std::vector<ScalarLoads::Piece> ScalarLoads::TakePieces(Value v) {
  const auto is_part = [&](uint32_t id) {
    return id < block_.function.insts.size() && block_.function.insts[id].op == Op::kPart &&
           block_.function.insts[id].args[0] == v;
  };
  Value last = v;
  while (is_part(last.id + 1)) ++last.id;
  // The parts are uses of the first dword, but none that needs it.
  const int32_t load_end = block_.uses.PositionOf(last);
  std::vector<Piece> pieces;
  if (block_.uses.IsUsedAfter(v, load_end)) pieces.push_back({v});
  for (Value part{v.id + 1}; part.id <= last.id; ++part.id) {
    if (!block_.uses.IsUsedAfter(part, load_end)) continue;
    const auto offset = static_cast<int32_t>(block_.function[part].imm) * 4;
    if (!pieces.empty() && pieces.back().offset + 4 == offset) {
      if (const Value pack = PackOf(pieces.back().value, part, load_end)) {
        pieces.back().value = pack;
        memory_[pack].is_loaded = true;
        continue;
      }
    }
    pieces.push_back({part, offset});
  }
  for (Piece& piece : pieces) {
    piece.reg = scalars_.DefIfFree(piece.value);
  }
  return pieces;
}

int32_t ScalarLoads::EndOf(const Piece& piece) const {
  return piece.offset + (ir::Is64(block_.function[piece.value].type) ? 8 : 4);
}

std::vector<Value> ScalarLoads::LoadsWith(Value v) const {
  constexpr int64_t kMostBytes = sizeof AccessTransfer::scalar_data;
  const auto end_of = [](const Inst& load) { return load.imm + int64_t{load.aux} * 4; };
  const Inst& first = block_.function[v];
  int64_t begin = first.imm;
  int64_t end = end_of(first);
  std::vector<Value> loads = {v};
  if (block_.plan.loop) return loads;  // whose operations are in an order of their own
  const std::vector<Value>& ops = block_.plan.stages[at_.stage].scalar_ops;
  auto next = std::find(ops.begin(), ops.end(), v);
  // What is common to waves, or groups, is not done again for each of them: nothing else with it.
  const auto common = ops.begin() + (at_.stage == 0 ? block_.plan.common_scalars : 0);
  const auto last = next < common ? common : ops.end();
  for (++next; next != last; ++next) {
    const Inst& inst = block_.function[*next];
    if (inst.op != Op::kLoadScalar || inst.args[0] != first.args[0]) continue;
    if ((inst.imm - first.imm) % 4 != 0) continue;
    const int64_t wider_begin = std::min(begin, inst.imm);
    const int64_t wider_end = std::max(end, end_of(inst));
    if (wider_end - wider_begin > kMostBytes) continue;
    begin = wider_begin;
    end = wider_end;
    loads.push_back(*next);
  }
  return loads;
}

void ScalarLoads::EmitTogether(const std::vector<Value>& loads) {
  Group group;
  group.address = scalars_.Use(block_.function[loads[0]].args[0]);
  for (const Value v : loads) {
    const Inst& inst = block_.function[v];
    group.loads.push_back({sites_.Add(v), static_cast<int32_t>(inst.imm), inst.aux});
    memory_[v].is_loaded = v != loads[0];
  }
  const auto first = std::min_element(
      group.loads.begin(), group.loads.end(),
      [](const Load& one, const Load& other) { return one.offset < other.offset; });
  group.begin = first->offset;
  group.checked = first->site;
  uint32_t bytes = 0;
  for (const Load& load : group.loads) {
    const auto place = static_cast<uint32_t>(load.offset - group.begin);
    region_.SiteOf(load.site).scalar.dword = place / 4;
    bytes = std::max(bytes, place + load.dwords * 4);
  }
  if (common_ != nullptr) {
    group.address_slot = region_.frame.slots.Take();
    common_->loads.push_back({memory_.Slot(*group.address_slot), bytes});
  }
  region_.SiteOf(group.checked).scalar.bytes = bytes;
  std::vector<std::vector<Piece>> pieces;
  for (const Value v : loads) pieces.push_back(TakePieces(v));
  {
    const AccessGuard guard(region_, group.checked);
    EmitCheck(group);
    for (size_t n = 0; n < loads.size(); ++n) EmitPieces(group, group.loads[n], pieces[n]);
  }
  for (const std::vector<Piece>& of : pieces) {
    for (const Piece& piece : of) scalars_.Keep(piece.value);
  }
}

void ScalarLoads::EmitPieces(const Group& group, const Load& load,
                             const std::vector<Piece>& pieces) {
  const int32_t begin = load.offset - group.begin;
  for (const Piece& piece : pieces) {
    const bool wide = ir::Is64(block_.function[piece.value].type);
    const int reg = piece.reg.value_or(0);  // rax
    a.mov(Gp(reg, wide), x86::ptr(x86::rcx, begin + piece.offset));
    if (!piece.reg) scalars_.Store(piece.value, 0);
  }
  // Memory that has gone is a fault even where nothing reads the dwords that were there.
  const auto last = static_cast<int32_t>(load.dwords - 1) * 4;
  const bool has_first = !pieces.empty() && pieces.front().offset == 0;
  const bool has_last = !pieces.empty() && EndOf(pieces.back()) > last;
  if (!has_first) a.mov(x86::eax, x86::dword_ptr(x86::rcx, begin));
  if (!has_last && last != 0) a.mov(x86::eax, x86::dword_ptr(x86::rcx, begin + last));
}

// rcx: where the first of the loads' bytes is, in guest memory or where the runtime has put them.
// The address's register keeps it.
void ScalarLoads::EmitCheck(const Group& group) {
  const asmjit::Label slow = a.newLabel();
  const asmjit::Label done = a.newLabel();
  if (group.begin != 0) {
    a.lea(x86::rcx, x86::ptr(Gp(group.address, true), group.begin));
  } else {
    a.mov(x86::rcx, Gp(group.address, true));
  }
  if (group.address_slot) a.mov(memory_.Slot(*group.address_slot), x86::rcx);
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.windows)));
  a.mov(x86::rax, x86::rcx);
  a.sub(x86::rax, region_.WindowField(group.checked, offsetof(MemoryWindow, base)));
  a.cmp(x86::rax, region_.WindowField(group.checked, offsetof(MemoryWindow, run_end)));
  a.jae(slow);
  a.bind(done);
  region_.cold.push_back([&region = region_, slow, done, group] {
    x86::Assembler& cold = region.a;
    cold.bind(slow);
    for (const Load& load : group.loads) {
      cold.lea(x86::rcx, x86::ptr(Gp(group.address, true), load.offset));
      cold.mov(x86::eax, load.site.index);
      cold.mov(x86::edx, load.dwords);
      cold.call(x86::qword_ptr(x86::r12, offsetof(RegionContext, helpers.scalar_thunk)));
    }
    cold.lea(x86::rcx, x86::ptr(x86::r12, offsetof(RegionContext, transfer.scalar_data)));
    cold.jmp(done);
  });
}

}  // namespace gcnjit::backend
