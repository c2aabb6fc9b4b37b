#include "backend_x64/emit/relay.h"

#include <algorithm>

#include "backend_x64/emit/gpr.h"
#include "backend_x64/emit/leave.h"

namespace gcnjit::backend {

using ir::Value;

namespace {

x86::Mem CurrentWave() { return Context(offsetof(RegionContext, relay.wave)); }
x86::Mem LastWave() { return Context(offsetof(RegionContext, relay.order.last)); }
x86::Mem StepToNext() { return Context(offsetof(RegionContext, relay.order.step)); }

// Does what the block executes depend on data?
bool SkipsInstructions(const ir::Function& function, const ir::Block& block) {
  return std::any_of(block.insts.begin(), block.insts.end(),
                     [&](Value v) { return function[v].op == ir::Op::kSkipped; });
}

}  // namespace

Relay::Relay(RegionAssembler& region, const ir::Function& function, const BlockLabels& labels)
    : a(region.a),
      region_(region),
      function_(function),
      labels_(labels),
      all_ended_(region.a.newLabel()) {
  for (size_t n = 0; n < function.blocks.size(); ++n) {
    const uint64_t begin = function.blocks[n].begin;
    if (ir::WaveOf(begin) < 0) continue;
    if (group_begin_ == 0) group_begin_ = begin;
    next_in_group_[begin] = n + 1 < function.blocks.size() ? function.blocks[n + 1].begin : 0;
  }
}

void Relay::EmitBarrier(const asmjit::Label& target) {
  const asmjit::Label go_on = a.newLabel();
  const asmjit::Label all_arrived = a.newLabel();
  a.mov(x86::rdx, CurrentWave());
  a.lea(x86::rax, x86::ptr(target));
  a.mov(x86::ptr(x86::rdx, offsetof(RelayWave, code)), x86::rax);
  a.cmp(x86::rdx, LastWave());
  a.je(all_arrived);
  a.add(x86::rdx, StepToNext());
  a.bind(go_on);
  EmitRelay();
  region_.cold.push_back([&region = region_, go_on, all_arrived] {
    x86::Assembler& c = region.a;
    const asmjit::Label leave = c.newLabel();
    c.bind(all_arrived);
    c.mov(x86::rdx, Context(offsetof(RegionContext, relay.begin)));
    c.test(x86::rdx, x86::rdx);
    c.jz(leave);
    EmitCompareBudget(region);
    c.jae(leave);
    c.inc(x86::qword_ptr(x86::r12, offsetof(RegionContext, relay.rounds)));
    c.mov(x86::rax, Context(offsetof(RegionContext, relay.again.last)));
    c.mov(LastWave(), x86::rax);
    c.mov(x86::rax, Context(offsetof(RegionContext, relay.again.step)));
    c.mov(StepToNext(), x86::rax);
    c.jmp(go_on);
    c.bind(leave);
    EmitLeaveFor(region, ir::ExitReason::kBarrier);
  });
}

void Relay::EmitInGroup(const BlockVersion& version, const ir::Block& block, uint64_t next) {
  const uint64_t after = next_in_group_.at(block.begin);
  if (after == 0) {
    end_pc_ = ir::WithoutWave(block.targets[0]);
    if (version.row.label.isValid()) EmitNextGroup(version);
    a.jmp(all_ended_);
    return;
  }
  const int distance = ir::WaveOf(after) - ir::WaveOf(block.begin);
  if (distance != 0) {
    a.mov(x86::rdx, CurrentWave());
    a.add(x86::rdx, distance * static_cast<int>(sizeof(RelayWave)));
    a.mov(CurrentWave(), x86::rdx);
    a.mov(x86::rbx, x86::ptr(x86::rdx, offsetof(RelayWave, state)));
  }
  if (after != next) a.jmp(labels_.at(after));
}

// All of a group's waves have ended: the next group of the row may begin where it did.
void Relay::EmitNextGroup(const BlockVersion& version) {
  if (SkipsInstructions(function_, function_.blocks[0])) {
    a.cmp(x86::byte_ptr(x86::r12, offsetof(RegionContext, relay.ends_row)), 0);
    a.jne(all_ended_);
  }
  a.dec(x86::qword_ptr(x86::r12, offsetof(RegionContext, relay.row_left)));
  a.jz(all_ended_);
  EmitCountRowId(version);
  EmitHeld(a, version.row.common);
  a.jmp(version.row.label);
}

// The next group's id. Its accesses wait for it: by way of a pointer, or loaded again where it has
// just been stored, it would come late.
void Relay::EmitCountRowId(const BlockVersion& version) {
  const int row_sgpr = region_.options.group.row_sgpr;
  if (row_sgpr < 0) return;
  const int held = version.row.common.row_id;
  const x86::Gp id = held < 0 ? x86::Gp(x86::eax) : Gp(held, false);
  const x86::Mem memory = x86::dword_ptr(x86::rbx, region_.options.layout.sgpr + row_sgpr * 4);
  a.mov(id, memory);
  a.inc(id);
  a.mov(memory, id);
}

void Relay::EmitEnd() {
  a.mov(x86::rdx, CurrentWave());
  a.mov(x86::qword_ptr(x86::rdx, offsetof(RelayWave, code)), 0);
  a.mov(x86::qword_ptr(x86::r12, offsetof(RegionContext, relay.begin)), 0);
  EmitNextOrEnd();
}

void Relay::EmitFollowedEnd(uint64_t pc) {
  end_pc_ = pc;
  a.mov(x86::rdx, CurrentWave());
  EmitNextOrEnd();
}

// rdx: the wave that has ended.
void Relay::EmitNextOrEnd() {
  a.cmp(x86::rdx, LastWave());
  a.je(all_ended_);
  a.add(x86::rdx, StepToNext());
  EmitRelay();
}

// On to the wave at rdx.
void Relay::EmitRelay() {
  a.mov(CurrentWave(), x86::rdx);
  a.mov(x86::rbx, x86::ptr(x86::rdx, offsetof(RelayWave, state)));
  a.jmp(x86::ptr(x86::rdx, offsetof(RelayWave, code)));
}

void Relay::EmitAllEnded() {
  a.bind(all_ended_);
  const asmjit::Label leave = a.newLabel();
  a.mov(x86::rax, Context(offsetof(RegionContext, relay.next_waves)));
  a.test(x86::rax, x86::rax);
  a.jz(leave);
  a.vzeroupper();
  a.mov(x86::rdi, x86::r12);
  a.sub(x86::rsp, 8);  // calls want it to be a multiple of 16
  a.call(x86::rax);
  a.add(x86::rsp, 8);
  a.mov(x86::rdx, x86::rax);
  a.test(x86::rax, x86::rax);
  a.jz(leave);
  EmitRelay();
  a.bind(leave);
  if (end_pc_) EmitSetPc(region_, *end_pc_);
  EmitLeaveFor(region_, ir::ExitReason::kEnd);
}

}  // namespace gcnjit::backend
