// Memory accesses of a part: 8 lanes. Each first tries what costs least (consecutive addresses in
// the window that this instruction used last: one move), then lane by lane within the window, and
// otherwise calls the runtime, which checks every lane and finds the next window.
#include "backend_x64/avx2/access_code.h"
#include "backend_x64/avx2/lanes.h"

namespace gcnjit::backend::avx2 {

using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

constexpr int kLanes = LaneEmitter::kLanesPerRegister;
constexpr uint32_t kAllLanes = (1u << kLanes) - 1;

ConstantPool::Vector Multiples(uint32_t step) {
  ConstantPool::Vector v;
  for (uint32_t n = 0; n < v.size(); ++n) v[n] = n * step;
  return v;
}
ConstantPool::Vector All(uint32_t value) {
  ConstantPool::Vector v;
  v.fill(value);
  return v;
}

x86::Mem Access(size_t offset, uint32_t size = 0) {
  return x86::ptr(x86::r12, static_cast<int32_t>(offsetof(RegionContext, access) + offset), size);
}

// The operands of an access, in registers, and where its code continues.
struct Operands {
  const MemorySite* site = nullptr;
  ir::MemoryAccess access;
  bool is_store = false;
  int32_t imm = 0;
  int low = -1;
  int high = -1;
  int mask = -1;
  int data[4] = {-1, -1, -1, -1};
  int result[4] = {-1, -1, -1, -1};
  uint32_t window = 0;
  int part = 0;
  bool environment = false;  // MXCSR is not the block's
  asmjit::Label slow, scattered, partial, done, abort;
};

// Calls the runtime.
void EmitSlow(RegionShared& shared, const Operands& s) {
  x86::Assembler& a = shared.a;
  const auto data = [](int n) {
    return Access(offsetof(AccessBlock, data) + n * sizeof(AccessBlock::data[0]));
  };
  a.bind(s.slow);
  a.vmovups(Access(offsetof(AccessBlock, low)), Y(s.low));
  if (s.high >= 0) a.vmovups(Access(offsetof(AccessBlock, high)), Y(s.high));
  for (int n = 0; n < 4; ++n) {
    if (s.data[n] >= 0) a.vmovups(data(n), Y(s.data[n]));
  }
  a.vmovmskps(x86::eax, Y(s.mask));
  a.mov(Access(offsetof(AccessBlock, mask)), x86::eax);
  a.mov(Access(offsetof(AccessBlock, lanes), 4), kLanes);
  a.mov(x86::eax, x86::r15d);
  a.shl(x86::eax, 3);
  if (s.part != 0) a.add(x86::eax, s.part * kLanes);
  a.mov(Access(offsetof(AccessBlock, first_lane)), x86::eax);
  a.mov(x86::rax, reinterpret_cast<uint64_t>(s.site));
  a.call(x86::qword_ptr(x86::r12, offsetof(RegionContext, access_thunk)));
  a.test(x86::eax, x86::eax);
  const asmjit::Label give_up = a.newLabel();
  a.jz(give_up);
  for (int n = 0; n < 4; ++n) {
    if (s.result[n] >= 0) a.vmovups(Y(s.result[n]), data(n));
  }
  a.jmp(s.done);
  a.bind(give_up);
  if (s.environment) a.ldmxcsr(shared.constants.Broadcast32(shared.base_mxcsr));
  a.jmp(s.abort);
}

// Scratch 0: the lanes' addresses modulo 2^32.
void AddressesToScratch(RegionShared& shared, const Operands& s) {
  if (s.imm != 0) {
    shared.a.vpaddd(Y(kT0), Y(s.low), shared.constants.Whole(All(static_cast<uint32_t>(s.imm))));
  } else {
    shared.a.vmovaps(Y(kT0), Y(s.low));
  }
}

// A run of which not all lanes are active.
void EmitPartial(RegionShared& shared, const Operands& s) {
  shared.a.bind(s.partial);
  AccessCode(shared, s.access).StorePartOfRun(s.mask, s.data);
  shared.a.jmp(s.done);
}

// Addresses that are not consecutive: the active lanes must be within the window. (The window keeps
// away from the ends of its 4 GiB, so that low + imm cannot wrap into it.)
void EmitScattered(RegionShared& shared, const Operands& s) {
  x86::Assembler& a = shared.a;
  AccessCode code(shared, s.access);
  const auto window = static_cast<int32_t>(s.window * sizeof(MemoryWindow));
  const auto field = [&](size_t offset, uint32_t size) {
    return x86::ptr(x86::rdx, window + static_cast<int32_t>(offset), size);
  };
  a.bind(s.scattered);
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, windows)));
  AddressesToScratch(shared, s);
  a.vpbroadcastd(Y(kT1), field(offsetof(MemoryWindow, low), 4));
  a.vpsubd(Y(kT0), Y(kT0), Y(kT1));
  a.vpbroadcastd(Y(kT1), field(offsetof(MemoryWindow, lane_end), 4));
  a.vpmaxud(Y(kT1), Y(kT1), Y(kT0));
  a.vpcmpeqd(Y(kT1), Y(kT1), Y(kT0));  // beyond its end
  a.vpbroadcastd(Y(kT2), field(offsetof(MemoryWindow, high), 4));
  a.vpcmpeqd(Y(kT2), Y(kT2), Y(s.high));
  a.vpandn(Y(kT1), Y(kT1), Y(kT2));
  a.vtestps(Y(kT1), Y(s.mask));  // carry: no active lane is outside
  a.jnc(s.slow);
  a.mov(x86::rax, field(offsetof(MemoryWindow, base), 8));
  if (s.is_store) {
    a.vmovmskps(x86::edx, Y(s.mask));
    code.Scatter(s.data);
  } else {
    code.Gather(s.mask, s.result);
  }
  a.jmp(s.done);
}

// The same for LDS. ecx: bytes that may be accessed; scratch 0: differences from lane 0's address,
// eax.
void EmitScatteredLds(RegionShared& shared, const Operands& s) {
  x86::Assembler& a = shared.a;
  AccessCode code(shared, s.access);
  const uint32_t bytes = s.access.bytes;
  const x86::Mem lds = x86::ptr(x86::r12, offsetof(RegionContext, lds));
  a.bind(s.scattered);
  // A gather reads whole dwords.
  a.sub(x86::rcx, !s.is_store && bytes < 4 ? 4 : bytes);
  a.jl(s.slow);
  if (!s.is_store) {
    // One address for all lanes: one load.
    const asmjit::Label different = a.newLabel();
    a.vptest(Y(kT0), Y(kT0));
    a.jnz(different);
    a.cmp(x86::rax, x86::rcx);
    a.ja(s.slow);
    a.add(x86::rax, lds);
    for (int n = 0; n < s.access.Dwords(); ++n) {
      if (s.result[n] < 0) continue;
      a.vpbroadcastd(Y(s.result[n]), x86::dword_ptr(x86::rax, n * 4));
      code.Narrow(s.result[n]);
      a.vpand(Y(s.result[n]), Y(s.result[n]), Y(s.mask));
    }
    a.jmp(s.done);
    a.bind(different);
  }
  AddressesToScratch(shared, s);
  a.vmovd(X(kT1), x86::ecx);
  a.vpbroadcastd(Y(kT1), X(kT1));
  a.vpminud(Y(kT1), Y(kT1), Y(kT0));
  a.vpcmpeqd(Y(kT1), Y(kT1), Y(kT0));  // within
  a.mov(x86::rax, lds);
  if (s.is_store) {
    a.vpand(Y(kT1), Y(kT1), Y(s.mask));
    a.vmovmskps(x86::edx, Y(kT1));
    code.Scatter(s.data);
  } else if (bytes < 4) {
    // The last bytes of LDS cannot be read as a dword.
    a.vtestps(Y(kT1), Y(s.mask));
    a.jnc(s.slow);
    code.Gather(s.mask, s.result);
  } else {
    // Lanes beyond the limit read 0.
    a.vpand(Y(kT1), Y(kT1), Y(s.mask));
    code.Gather(kT1, s.result);
  }
  a.jmp(s.done);
}

}  // namespace

void LaneEmitter::EmitMemoryPart(Value v, const Inst& inst, int part) {
  switch (inst.op) {
    case Op::kLoad:
    case Op::kStore:
      if (inst.access().indexed) return EmitIndexed(v, inst, part);
      [[fallthrough]];
    case Op::kAtomic: EmitGlobal(v, inst, part); return;
    default: EmitLds(v, inst, part); return;
  }
}

// The registers that a load's dwords go to; -1 where nobody reads a dword.
void LaneEmitter::DefResults(Value v, const Inst& inst, int part, int (&result)[4]) {
  if (inst.type == ir::Type::kVoid) return;
  if (IsRead(v)) result[0] = Def(v, part);
  for (Value p{v.id + 1};
       p.id < function_.insts.size() && InstOf(p).op == Op::kPart && InstOf(p).args[0] == v;
       ++p.id) {
    if (IsRead(p)) result[InstOf(p).imm] = Def(p, part);
  }
}

void LaneEmitter::EmitGlobal(Value v, const Inst& inst, int part) {
  if (part == 0) last_site_ = AddSite(v, inst);
  Operands s;
  s.site = last_site_;
  s.access = inst.access();
  s.is_store = inst.op == Op::kStore;
  s.imm = static_cast<int32_t>(inst.imm);
  s.window = SiteOf(s.site).index;
  s.part = part;
  s.low = Use(inst.args[0], part);
  s.high = Use(inst.args[1], part);
  s.mask = UseMask(inst.args[2], part);
  for (int n = 3; n < inst.argument_count; ++n) s.data[n - 3] = Use(inst.args[n], part);
  DefResults(v, inst, part, s.result);
  s.environment = current_mxcsr() != shared_.base_mxcsr;
  s.slow = a.newLabel();
  s.done = a.newLabel();
  s.abort = NextSlice();
  if (inst.op == Op::kAtomic) {
    if (!EmitGuestAtomic(inst, s.low, s.high, s.mask, s.data, s.result, s.slow)) a.jmp(s.slow);
    a.bind(s.done);
    shared_.cold.push_back([&shared = shared_, s] { EmitSlow(shared, s); });
    return;
  }
  s.scattered = a.newLabel();
  s.partial = a.newLabel();
  AccessCode code(shared_, s.access);
  // Are the addresses consecutive?
  a.vmovd(x86::eax, X(s.low));
  a.vmovd(x86::ecx, X(s.high));
  a.vpbroadcastd(Y(kT0), X(s.low));
  a.vpsubd(Y(kT0), Y(s.low), Y(kT0));
  a.vpcmpeqd(Y(kT0), Y(kT0), shared_.constants.Whole(Multiples(s.access.bytes)));
  if (IsLaneValue(inst.args[1])) {
    a.vpbroadcastd(Y(kT1), X(s.high));
    a.vpcmpeqd(Y(kT1), Y(s.high), Y(kT1));
    a.vpand(Y(kT0), Y(kT0), Y(kT1));
  }
  a.vmovmskps(x86::edx, Y(kT0));
  a.cmp(x86::edx, kAllLanes);
  a.jne(s.scattered);
  a.shl(x86::rcx, 32);
  if (s.imm != 0) {
    a.lea(x86::rax, x86::ptr(x86::rax, x86::rcx, 0, s.imm));
  } else {
    a.or_(x86::rax, x86::rcx);
  }
  a.mov(x86::rdx, x86::ptr(x86::r12, offsetof(RegionContext, windows)));
  a.mov(x86::rcx, x86::rax);
  a.sub(x86::rcx, WindowField(s.site, offsetof(MemoryWindow, base)));
  a.cmp(x86::rcx, WindowField(s.site, offsetof(MemoryWindow, run_end)));
  a.jae(s.slow);
  if (s.is_store) {
    a.vmovmskps(x86::edx, Y(s.mask));
    a.cmp(x86::edx, kAllLanes);
    a.jne(s.partial);
    code.StoreRun(s.data);
  } else {
    code.LoadRun(s.mask, s.result);
  }
  a.bind(s.done);
  shared_.cold.push_back([&shared = shared_, s] {
    if (s.is_store) EmitPartial(shared, s);
    EmitScattered(shared, s);
    EmitSlow(shared, s);
  });
}

// LDS: (address, mask, limit, dwords...).
void LaneEmitter::EmitLds(Value v, const Inst& inst, int part) {
  if (part == 0) last_site_ = AddSite(v, inst);
  Operands s;
  s.site = last_site_;
  s.access = inst.access();
  s.is_store = inst.op == Op::kStoreLds;
  s.imm = static_cast<int32_t>(inst.imm);
  s.part = part;
  s.low = Use(inst.args[0], part);
  s.mask = UseMask(inst.args[1], part);
  for (int n = 3; n < inst.argument_count; ++n) s.data[n - 3] = Use(inst.args[n], part);
  DefResults(v, inst, part, s.result);
  s.environment = current_mxcsr() != shared_.base_mxcsr;
  s.slow = a.newLabel();
  s.done = a.newLabel();
  s.abort = NextSlice();
  // ecx: bytes that may be accessed.
  a.mov(x86::ecx, x86::dword_ptr(x86::r12, offsetof(RegionContext, lds_bytes)));
  uint64_t limit = 0;
  if (!IsConst(inst.args[2], &limit) || limit < 64 * 1024) {
    x86::Mem memory = ScalarMemory(inst.args[2]);
    memory.setSize(4);
    a.mov(x86::eax, memory);
    a.cmp(x86::ecx, x86::eax);
    a.cmova(x86::ecx, x86::eax);
  }
  a.mov(Access(offsetof(AccessBlock, limit)), x86::ecx);
  if (inst.op == Op::kAtomicLds) {
    if (!EmitLdsAtomic(inst, s.low, s.mask, s.data, s.result, s.slow)) a.jmp(s.slow);
    a.bind(s.done);
    shared_.cold.push_back([&shared = shared_, s] { EmitSlow(shared, s); });
    return;
  }
  s.scattered = a.newLabel();
  s.partial = a.newLabel();
  AccessCode code(shared_, s.access);
  a.vmovd(x86::eax, X(s.low));
  if (s.imm != 0) a.add(x86::eax, s.imm);
  a.vpbroadcastd(Y(kT0), X(s.low));
  a.vpsubd(Y(kT0), Y(s.low), Y(kT0));
  a.vpcmpeqd(Y(kT1), Y(kT0), shared_.constants.Whole(Multiples(s.access.bytes)));
  a.vmovmskps(x86::edx, Y(kT1));
  a.cmp(x86::edx, kAllLanes);
  a.jne(s.scattered);
  a.sub(x86::rcx, code.RunBytes());
  a.jl(s.slow);
  a.cmp(x86::rax, x86::rcx);
  a.ja(s.slow);
  a.add(x86::rax, x86::ptr(x86::r12, offsetof(RegionContext, lds)));
  if (s.is_store) {
    a.vmovmskps(x86::edx, Y(s.mask));
    a.cmp(x86::edx, kAllLanes);
    a.jne(s.partial);
    code.StoreRun(s.data);
  } else {
    code.LoadRun(s.mask, s.result);
  }
  a.bind(s.done);
  shared_.cold.push_back([&shared = shared_, s] {
    if (s.is_store) EmitPartial(shared, s);
    EmitScatteredLds(shared, s);
    EmitSlow(shared, s);
  });
}

}  // namespace gcnjit::backend::avx2
