#include "backend_x64/emit/cross_lane.h"

#include <array>
#include <optional>
#include <vector>

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {
x86::Gp Gp32(int reg) { return Gp(reg, false); }
x86::Gp Gp64(int reg) { return Gp(reg, true); }
}  // namespace

CrossLane::CrossLane(RegionAssembler& region, Cursor& at, ValueMemory& memory, LaneRegisters& lanes,
                     ScalarRegisters& scalars, LaneIsa& isa)
    : a(region.a),
      at_(at),
      block_(at.block),
      memory_(memory),
      lanes_(lanes),
      scalars_(scalars),
      isa_(isa) {}

bool CrossLane::Emit(Value v, const Inst& inst) {
  switch (inst.op) {
    case Op::kReadLane: EmitReadLane(v, inst); return true;
    case Op::kPermute: EmitPermute(v, inst); return true;
    case Op::kBpermute: EmitBpermute(v, inst); return true;
    case Op::kMaskBelow: EmitMaskBelow(v, inst); return true;
    case Op::kPermuteMask: EmitPermuteMask(v, inst); return true;
    default: return false;
  }
}

void CrossLane::EmitReadLane(Value v, const Inst& inst) {
  const Value source = inst.args[0];
  if (!block_.IsLaneValue(source)) {
    a.mov(x86::eax, Gp32(scalars_.Use(source)));
  } else {
    uint64_t lane = 0;
    x86::Mem memory = memory_.WholeLanes(source, x86::rcx);
    if (block_.IsConst(inst.args[1], &lane)) {
      memory.addOffset(static_cast<int64_t>(lane & 63) * 4);
    } else {
      a.mov(x86::eax, Gp32(scalars_.Use(inst.args[1])));
      a.and_(x86::eax, 63);
      memory.setIndex(x86::rax);
      memory.setShift(2);
    }
    a.mov(x86::eax, memory);
  }
  scalars_.FreeDying(inst);
  a.mov(Gp32(scalars_.Def(v)), x86::eax);
}

void CrossLane::EmitPermute(Value v, const Inst& inst) {
  const ir::LanePattern& pattern = block_.function.patterns[static_cast<size_t>(inst.imm)];
  const Value source = inst.args[0];
  const bool lanes = block_.IsLaneValue(source);
  x86::Mem from = lanes ? memory_.WholeLanes(source, x86::rcx) : x86::Mem();
  if (!lanes) a.mov(x86::eax, Gp32(scalars_.Use(source)));
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, region.temps)));
  const x86::Mem to = x86::ptr(x86::rdx, memory_.TempOf(v) * ir::kLanes * 4);
  for (int first = 0; first < ir::kLanes; first += block_.lanes) {
    const auto part = ShuffleOf(pattern, first, block_.lanes, block_.wanted.lanes[v.id]);
    if (lanes && part) {
      // No register holds lanes between lane loops.
      for (int n = 0; n < part->source_count; ++n) {
        isa_.LoadVector(
            1 + n, from.cloneAdjusted(part->sources[static_cast<size_t>(n)] * block_.lanes * 4));
      }
      isa_.PermutePart(0, *part, {1, 2});
      isa_.StoreVector(to.cloneAdjusted(first * 4), 0);
      continue;
    }
    for (int lane = first; lane < first + block_.lanes; ++lane) {
      x86::Mem dword = to.cloneAdjusted(lane * 4);
      dword.setSize(4);
      if (pattern[lane] == ir::kNoLane) {
        a.mov(dword, 0);
        continue;
      }
      if (lanes) a.mov(x86::eax, from.cloneAdjusted(pattern[lane] * 4));
      a.mov(dword, x86::eax);
    }
  }
  memory_[v].stored = 0xF;
}

void CrossLane::EmitInSlice(Value v, const Inst& inst) {
  const ir::LanePattern& pattern = block_.function.patterns[static_cast<size_t>(inst.imm)];
  const Value source = inst.args[0];
  const int parts = EndOfStandIns(block_.part_bits[v.id], at_.parts);
  std::vector<PartShuffle> permutations;
  for (int part = 0; part < parts; ++part) {
    permutations.push_back(
        *ShuffleOf(pattern, part * block_.lanes, block_.lanes, block_.wanted.lanes[v.id]));
  }
  // All sources before any result, which may take the place of the source in the wave's state.
  std::vector<std::array<int, 2>> from(permutations.size());
  for (size_t part = 0; part < permutations.size(); ++part) {
    for (int n = 0; n < permutations[part].source_count; ++n) {
      from[part][static_cast<size_t>(n)] =
          lanes_.Use(source, permutations[part].sources[static_cast<size_t>(n)]);
    }
  }
  at_.inst = &inst;
  at_.op_bits = block_.part_bits[v.id];
  for (at_.part = 0; at_.part < parts; ++at_.part) {
    if (!block_.IsStandIn(v, at_.part)) continue;
    isa_.PermutePart(lanes_.Def(v, at_.part), permutations[static_cast<size_t>(at_.part)],
                     from[static_cast<size_t>(at_.part)]);
    lanes_.StoreHome(v, at_.part);
  }
  at_.inst = nullptr;
  lanes_.UnpinAll();
  if (at_.IsRead(source)) return;
  for (int part = 0; part < at_.parts; ++part) lanes_.FreePart(source, part);
}

// Lane l is lane (b / 4 % 64) of the source, or 0 where the mask excludes that one.
void CrossLane::EmitBpermute(Value v, const Inst& inst) {
  const Value source = inst.args[0];
  const Value index = inst.args[1];
  const int mask = scalars_.Use(inst.args[2]);
  const bool source_lanes = block_.IsLaneValue(source);
  const bool index_lanes = block_.IsLaneValue(index);
  int source_reg = -1;
  if (!source_lanes) source_reg = scalars_.Use(source);
  if (!index_lanes) {
    a.mov(x86::eax, Gp32(scalars_.Use(index)));
    a.mov(x86::dword_ptr(x86::r12, offsetof(RegionContext, transfer.scratch) + 8), x86::eax);
  }
  const auto source_memory = [&](const x86::Gp& at) { return memory_.WholeLanes(source, at); };
  // r13, r14 and r15 are free between lane loops.
  a.mov(x86::r14, x86::ptr(x86::r12, offsetof(RegionContext, region.temps)));
  x86::Mem from = source_lanes ? source_memory(x86::rcx) : x86::Mem();
  if (source_lanes) a.lea(x86::r13, from);
  x86::Mem indices = index_lanes ? memory_.WholeLanes(index, x86::rcx) : x86::Mem();
  const x86::Mem to = x86::ptr(x86::r14, memory_.TempOf(v) * ir::kLanes * 4);
  memory_[v].stored = 0xF;
  if (source_lanes && index_lanes &&
      isa_.BpermuteLanes(to, x86::ptr(x86::r13), indices, Gp64(mask))) {
    return;
  }
  if (index_lanes) a.lea(x86::rcx, indices);
  a.xor_(x86::r15d, x86::r15d);
  const asmjit::Label loop = a.newLabel();
  a.bind(loop);
  if (index_lanes) {
    a.mov(x86::eax, x86::dword_ptr(x86::rcx, x86::r15, 2));
  } else {
    a.mov(x86::eax, x86::dword_ptr(x86::r12, offsetof(RegionContext, transfer.scratch) + 8));
  }
  a.shr(x86::eax, 2);
  a.and_(x86::eax, 63);
  a.xor_(x86::edx, x86::edx);
  a.bt(Gp64(mask), x86::rax);
  if (source_lanes) {
    a.cmovc(x86::edx, x86::dword_ptr(x86::r13, x86::rax, 2));
  } else {
    a.cmovc(x86::edx, Gp32(source_reg));
  }
  a.mov(x86::dword_ptr(x86::r14, x86::r15, 2, memory_.TempOf(v) * ir::kLanes * 4), x86::edx);
  a.inc(x86::r15d);
  a.cmp(x86::r15d, ir::kLanes);
  a.jb(loop);
}

// Bits of the mask (its low half, high half or all) below each lane.
void CrossLane::EmitMaskBelow(Value v, const Inst& inst) {
  a.mov(x86::rax, Gp64(scalars_.Use(inst.args[0])));
  if (inst.imm == 0) a.mov(x86::eax, x86::eax);
  if (inst.imm == 1) {
    a.shr(x86::rax, 32);
    a.shl(x86::rax, 32);
  }
  a.mov(x86::r14, x86::ptr(x86::r12, offsetof(RegionContext, region.temps)));
  a.xor_(x86::r15d, x86::r15d);
  a.xor_(x86::ecx, x86::ecx);
  const asmjit::Label loop = a.newLabel();
  a.bind(loop);
  a.mov(x86::dword_ptr(x86::r14, x86::r15, 2, memory_.TempOf(v) * ir::kLanes * 4), x86::ecx);
  a.shr(x86::rax, 1);
  a.adc(x86::ecx, 0);
  a.inc(x86::r15d);
  a.cmp(x86::r15d, ir::kLanes);
  a.jb(loop);
  memory_[v].stored = 0xF;
}

void CrossLane::EmitPermuteMask(Value v, const Inst& inst) {
  const ir::LanePattern& pattern = block_.function.patterns[static_cast<size_t>(inst.imm)];
  a.mov(x86::rcx, Gp64(scalars_.Use(inst.args[0])));
  scalars_.FreeDying(inst);
  // A wave with all lanes active is the common case: then the pattern alone decides.
  uint64_t valid = 0;
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    if (pattern[lane] != ir::kNoLane) valid |= uint64_t{1} << lane;
  }
  const asmjit::Label done = a.newLabel();
  a.mov(x86::rax, valid);
  a.cmp(x86::rcx, -1);
  a.je(done);
  a.xor_(x86::eax, x86::eax);
  for (int lane = ir::kLanes - 1; lane >= 0; --lane) {
    if (pattern[lane] == ir::kNoLane) {
      a.add(x86::rax, x86::rax);
    } else {
      a.bt(x86::rcx, pattern[lane]);
      a.adc(x86::rax, x86::rax);
    }
  }
  a.bind(done);
  a.mov(Gp64(scalars_.Def(v)), x86::rax);
}

}  // namespace gcnjit::backend
