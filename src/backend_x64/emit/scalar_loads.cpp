// Scalar loads of a block. Kernels read their arguments with several, from one address on: what is
// known of one's memory is known of the others' then.
#include <algorithm>

#include "backend_x64/emit/block.h"
#include "backend_x64/emit/scalar_registers.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

// The pack of two dwords of a load that has just been emitted, if nothing else reads them.
Value BlockEmitter::PackOf(Value low, Value high, int32_t load_end) const {
  const int32_t use = uses_.NextAfter(low, load_end);
  if (use != uses_.NextAfter(high, load_end)) return {};
  if (uses_.IsUsedAfter(low, use) || uses_.IsUsedAfter(high, use)) return {};
  const int32_t begin = stage_ == 0 ? 0 : uses_.EndOfStage(stage_ - 1);
  const std::vector<Value>& ops = plan_.stages[stage_].scalar_ops;
  const auto n = static_cast<size_t>(use - begin);
  if (n >= ops.size()) return {};
  const Inst& user = function_[ops[n]];
  const bool is_pack = user.op == Op::kPack && user.args[0] == low && user.args[1] == high;
  return is_pack ? ops[n] : Value{};
}

// What of a scalar load somebody reads, each with the register that it goes to; -1: it goes to its
// slot. No value makes room for them: an access that is interrupted begins anew, and must find
// every register as it was.
std::vector<BlockEmitter::ScalarPiece> BlockEmitter::TakeScalarPieces(Value v) {
  const auto is_part = [&](uint32_t id) {
    return id < function_.insts.size() && function_.insts[id].op == Op::kPart &&
           function_.insts[id].args[0] == v;
  };
  Value last = v;
  while (is_part(last.id + 1)) ++last.id;
  // The parts are uses of the first dword, but none that needs it.
  const int32_t load_end = uses_.PositionOf(last);
  std::vector<ScalarPiece> pieces;
  if (uses_.IsUsedAfter(v, load_end)) pieces.push_back({v});
  for (Value part{v.id + 1}; part.id <= last.id; ++part.id) {
    if (!uses_.IsUsedAfter(part, load_end)) continue;
    const auto offset = static_cast<int32_t>(function_[part].imm) * 4;
    if (!pieces.empty() && pieces.back().offset + 4 == offset) {
      if (const Value pack = PackOf(pieces.back().value, part, load_end)) {
        pieces.back().value = pack;
        homes_[pack.id].is_loaded = true;
        continue;
      }
    }
    pieces.push_back({part, offset});
  }
  for (ScalarPiece& piece : pieces) {
    piece.reg = gprs_.TakeFree(Unit::Scalar(piece.value)).value_or(-1);
  }
  return pieces;
}

int32_t BlockEmitter::EndOf(const ScalarPiece& piece) const {
  return piece.offset + (ir::Is64(function_[piece.value].type) ? 8 : 4);
}

// The load and those behind it in the stage that are to be done with it: off the same address, all
// of them together no longer than the context's scalar_data. In program order. Stores and fences
// are in other stages.
std::vector<Value> BlockEmitter::ScalarLoadsWith(Value v) const {
  constexpr int64_t kMostBytes = sizeof RegionContext::scalar_data;
  const auto end_of = [](const Inst& load) { return load.imm + int64_t{load.aux} * 4; };
  const Inst& first = function_[v];
  int64_t begin = first.imm;
  int64_t end = end_of(first);
  std::vector<Value> loads = {v};
  if (plan_.loop) return loads;  // whose operations are in an order of their own
  const std::vector<Value>& ops = plan_.stages[stage_].scalar_ops;
  for (auto next = std::find(ops.begin(), ops.end(), v) + 1; next != ops.end(); ++next) {
    const Inst& inst = function_[*next];
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

void BlockEmitter::EmitScalarLoads(const std::vector<Value>& loads) {
  ScalarLoads group;
  group.address = UseScalar(function_[loads[0]].args[0]);
  for (const Value v : loads) {
    const Inst& inst = function_[v];
    group.loads.push_back({AddSite(v, inst), static_cast<int32_t>(inst.imm), inst.aux});
    homes_[v.id].is_loaded = v != loads[0];
  }
  const auto first = std::min_element(
      group.loads.begin(), group.loads.end(),
      [](const ScalarLoad& one, const ScalarLoad& other) { return one.offset < other.offset; });
  group.begin = first->offset;
  group.checked = first->site;
  uint32_t bytes = 0;
  for (const ScalarLoad& load : group.loads) {
    const auto place = static_cast<uint32_t>(load.offset - group.begin);
    shared_.sites[shared_.IndexOf(load.site)].scalar_place = place / 4;
    bytes = std::max(bytes, place + load.dwords * 4);
  }
  if (common_ != nullptr) {
    group.address_slot = shared_.slots.Take();
    common_->loads.push_back({SlotMemory(group.address_slot), bytes});
  }
  shared_.sites[shared_.IndexOf(group.checked)].scalar_bytes = bytes;
  std::vector<std::vector<ScalarPiece>> pieces;
  for (const Value v : loads) pieces.push_back(TakeScalarPieces(v));
  {
    const AccessGuard guard(shared_, group.checked);
    EmitScalarCheck(group);
    for (size_t n = 0; n < loads.size(); ++n) EmitScalarPieces(group, group.loads[n], pieces[n]);
  }
  for (const std::vector<ScalarPiece>& of : pieces) {
    for (const ScalarPiece& piece : of) KeepScalar(piece.value);
  }
}

void BlockEmitter::EmitScalarPieces(const ScalarLoads& group, const ScalarLoad& load,
                                    const std::vector<ScalarPiece>& pieces) {
  const int32_t begin = load.offset - group.begin;
  for (const ScalarPiece& piece : pieces) {
    const bool wide = ir::Is64(function_[piece.value].type);
    const int reg = piece.reg >= 0 ? piece.reg : 0;  // rax
    a.mov(Gp(reg, wide), x86::ptr(x86::rcx, begin + piece.offset));
    if (piece.reg >= 0) continue;
    a.mov(SlotMemory(SlotOf(piece.value)), x86::rax);
    homes_[piece.value.id].stored |= 1;
  }
  // Memory that has gone is a fault even where nobody reads the dwords that were there.
  const auto last = static_cast<int32_t>(load.dwords - 1) * 4;
  const bool has_first = !pieces.empty() && pieces.front().offset == 0;
  const bool has_last = !pieces.empty() && EndOf(pieces.back()) > last;
  if (!has_first) a.mov(x86::eax, x86::dword_ptr(x86::rcx, begin));
  if (!has_last && last != 0) a.mov(x86::eax, x86::dword_ptr(x86::rcx, begin + last));
}

// rcx: where the first of the loads' bytes is, in guest memory or where the runtime has put them.
// The address's register keeps it.
void BlockEmitter::EmitScalarCheck(const ScalarLoads& group) {
  const asmjit::Label slow = a.newLabel();
  const asmjit::Label done = a.newLabel();
  if (group.begin != 0) {
    a.lea(x86::rcx, x86::ptr(Gp(group.address, true), group.begin));
  } else {
    a.mov(x86::rcx, Gp(group.address, true));
  }
  if (group.address_slot >= 0) a.mov(SlotMemory(group.address_slot), x86::rcx);
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, windows)));
  a.mov(x86::rax, x86::rcx);
  a.sub(x86::rax, WindowField(group.checked, offsetof(MemoryWindow, base)));
  a.cmp(x86::rax, WindowField(group.checked, offsetof(MemoryWindow, run_end)));
  a.jae(slow);
  a.bind(done);
  shared_.cold.push_back([&shared = shared_, slow, done, group] {
    x86::Assembler& cold = shared.a;
    cold.bind(slow);
    for (const ScalarLoad& load : group.loads) {
      cold.lea(x86::rcx, x86::ptr(Gp(group.address, true), load.offset));
      cold.mov(x86::eax, shared.IndexOf(load.site));
      cold.mov(x86::edx, load.dwords);
      cold.call(x86::qword_ptr(x86::r12, offsetof(RegionContext, scalar_thunk)));
    }
    cold.lea(x86::rcx, x86::ptr(x86::r12, offsetof(RegionContext, scalar_data)));
    cold.jmp(done);
  });
}

x86::Mem BlockEmitter::WindowField(const MemorySite* site, size_t offset) const {
  // rdx: the windows.
  const MemorySite& known = SiteOf(site);
  return x86::qword_ptr(x86::rdx,
                        static_cast<int32_t>(known.index * sizeof(MemoryWindow) + offset));
}

}  // namespace gcnjit::backend
