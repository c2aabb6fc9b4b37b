#include "tests/unit/backend_x64/compiled_block.h"

#include <immintrin.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

#include "backend_x64/abi/contiguous_slow_path.h"
#include "backend_x64/host/thunks.h"
#include "ir/evaluator_memory.h"
#include "tests/unit/backend_x64/single_step.h"

namespace gcnjit::backend {

using ir::Inst;
using ir::Op;

std::byte* GuestPages::Accessible() {
  static std::byte* const pages = [] {
    void* at = mmap(reinterpret_cast<void*>(kBase), kBytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != reinterpret_cast<void*>(kBase))
      throw std::runtime_error("the test's address is taken");
    constexpr int kReadWrite = PROT_READ | PROT_WRITE;
    if (mprotect(reinterpret_cast<void*>(kBegin), kSize, kReadWrite) != 0 ||
        mprotect(reinterpret_cast<void*>(kLdsEnd - 0x1000), 0x1000, kReadWrite) != 0) {
      throw std::bad_alloc();
    }
    return reinterpret_cast<std::byte*>(kBegin);
  }();
  return pages;
}

std::byte* GuestPages::Lds(size_t bytes) {
  Accessible();
  return reinterpret_cast<std::byte*>(kLdsEnd - bytes);
}

StateLayout Machine::Layout() {
  return {offsetof(Machine, sgpr), offsetof(Machine, scc), offsetof(Machine, mode),
          offsetof(Machine, pc), offsetof(Machine, vgpr)};
}

namespace {

// Where the blocks' code is said to begin. After some of their addresses: sums wrap around.
constexpr uint64_t kCodeBase = 0x7F31'0000'1234;

ir::EvaluatorState StateOf(Machine& machine, std::byte* memory) {
  ir::EvaluatorState state;
  state.code_base = kCodeBase;
  state.sgpr = machine.sgpr.data();
  state.scc = &machine.scc;
  state.mode = &machine.mode;
  state.vgpr = reinterpret_cast<uint32_t(*)[ir::kLanes]>(machine.vgpr.data());
  state.lds = machine.lds.data();
  state.lds_bytes = static_cast<uint32_t>(machine.lds.size());
  state.memory = [memory](uint64_t address, void* data, uint32_t bytes, bool is_write) {
    const uint64_t at = address - GuestPages::kBegin;
    if (at > GuestPages::kSize || bytes > GuestPages::kSize - at) return false;
    if (is_write) {
      std::memcpy(memory + at, data, bytes);
    } else {
      std::memcpy(data, memory + at, bytes);
    }
    return true;
  };
  return state;
}

}  // namespace

std::string Difference(const Outcome& actual, const Outcome& expected) {
  if (actual.fault.has_value() != expected.fault.has_value()) {
    return actual.fault ? "a fault" : "no fault";
  }
  if (expected.fault) {
    const auto& x = *actual.fault;
    const auto& y = *expected.fault;
    if (x.lane != y.lane) return "the fault's lane " + std::to_string(x.lane);
    if (x.address != y.address) return "the fault's address";
    return x.guest == y.guest ? "" : "the faulting instruction " + std::to_string(x.guest);
  }
  const Machine& x = actual.machine;
  const Machine& y = expected.machine;
  char text[100];
  if (actual.reason != expected.reason) return "reason";
  if (x.pc != y.pc) return "PC";
  if (x.scc != y.scc) return "SCC";
  if (x.mode != y.mode) return "MODE";
  for (size_t n = 0; n < x.sgpr.size(); ++n) {
    if (x.sgpr[n] == y.sgpr[n]) continue;
    std::snprintf(text, sizeof text, "s%zu: %#x, not %#x", n, x.sgpr[n], y.sgpr[n]);
    return text;
  }
  for (size_t n = 0; n < x.vgpr.size(); ++n) {
    for (int lane = 0; lane < ir::kLanes; ++lane) {
      if (x.vgpr[n][lane] == y.vgpr[n][lane]) continue;
      std::snprintf(text, sizeof text, "v%zu of lane %d: %#x, not %#x", n, lane, x.vgpr[n][lane],
                    y.vgpr[n][lane]);
      return text;
    }
  }
  for (size_t n = 0; n < x.memory.size(); ++n) {
    if (x.memory[n] != y.memory[n]) return "memory at " + std::to_string(n);
  }
  for (size_t n = 0; n < x.lds.size(); ++n) {
    if (x.lds[n] != y.lds[n]) return "LDS at " + std::to_string(n);
  }
  return {};
}

Outcome RunEvaluator(const ir::Function& function, const Machine& machine) {
  Outcome outcome{machine, {}, {}, 0};
  const ir::EvaluatorState state = StateOf(outcome.machine, outcome.machine.memory.data());
  const ir::EvaluatorResult result = ir::Evaluate(function, function.blocks[0], state);
  outcome.machine.pc = result.next_pc;
  outcome.reason = result.reason;
  outcome.fault = result.fault;
  outcome.executed = function.blocks[0].instruction_count - result.skipped;
  return outcome;
}

Outcome RunEvaluatorLoop(const ir::Function& function, const Machine& machine) {
  Outcome outcome{machine, {}, {}, 0};
  do {
    const uint64_t before = outcome.executed;
    outcome = RunEvaluator(function, outcome.machine);
    outcome.executed += before;
  } while (!outcome.fault && outcome.reason == ir::ExitReason::kNext &&
           outcome.machine.pc == function.blocks[0].begin);
  return outcome;
}

CompiledBlock::CompiledBlock(const ir::Function& function, HostIsa isa, ir::FloatEnv base_env,
                             bool listing, const std::vector<ir::VgprShape>& known,
                             bool has_full_exec, CompileOptions options)
    : function_(function), isa_(isa), base_env_(base_env) {
  options.isa = isa;
  options.layout = Machine::Layout();
  options.base_env = base_env;
  options.code_base = kCodeBase;
  options.notes.listing = listing;
  const ir::RegionShapes shapes =
      ir::FindLaneShapes(function, {false, {function.blocks[0].begin}, known, has_full_exec, {}});
  if (!known.empty() || has_full_exec) options.shapes = &shapes;
  std::string error;
  region_ = Compile(function, options, &error);
  if (region_ == nullptr) throw std::runtime_error(error);
  windows_.resize(region_->sites.size());
  patterns_.Resize(region_->sites.size());
}

Outcome CompiledBlock::RunLoop(const Machine& machine, uint64_t budget) {
  Outcome outcome{machine, {}, {}, 0};
  do {
    const uint64_t before = outcome.executed;
    outcome = Run(outcome.machine, budget);
    outcome.executed += before;
  } while (!outcome.fault && outcome.reason == ir::ExitReason::kNext &&
           outcome.machine.pc == function_.blocks[0].begin);
  return outcome;
}

// What has become of the waves.
struct CompiledBlock::Stay {
  uint32_t reason = 0;
  uint64_t executed = 0;
  size_t ended = 0;
  bool is_undone = false;
};

// The first of `waves` waves, whose memory and LDS are those of all.
void CompiledBlock::Enter(Machine& first, RelayWave* relay, size_t waves, uint64_t budget,
                          Stay& stay) {
  std::byte* memory = GuestPages::Accessible();
  std::memcpy(memory, first.memory.data(), GuestPages::kSize);
  std::byte* lds = GuestPages::Lds(first.lds.size());
  std::memcpy(lds, first.lds.data(), first.lds.size());
  state_ = StateOf(first, memory);
  state_.lds = lds;
  fault_.reset();
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  const std::unique_ptr<void, Free> temps(std::aligned_alloc(64, region_->temp_bytes + 64));
  std::memset(temps.get(), 0xCD, region_->temp_bytes + 64);
  std::vector<uint64_t> slots(region_->slot_count + 1, unset_);
  unset_ = unset_ == 3 ? 0xCDCDCDCDCDCDCDCD : 3;
  const auto context = std::make_unique<RegionContext>();
  context->lds.begin = lds;
  context->lds.bytes = static_cast<uint32_t>(first.lds.size());
  context->turn.budget = budget;
  context->region.sites = region_->sites.data();
  context->region.windows = windows_.data();
  context->region.pattern_slots = patterns_.slots();
  context->region.patterns = &patterns_;
  context->region.code_base = kCodeBase;
  context->region.temps = static_cast<std::byte*>(temps.get());
  context->region.slots = slots.data();
  context->helpers.access = Access;
  context->helpers.scalar_load = LoadScalar;
  // Stores stay in their loops (tests/kernels/sums.cl has those that do not).
  context->helpers.loop_store = [](RegionContext*, uint32_t, int32_t, uint32_t, uint32_t,
                                   uint32_t) noexcept { return 0u; };
  const Thunks& thunks = ThunksFor(isa_);
  context->helpers.access_thunk = thunks.access_thunk;
  context->helpers.scalar_thunk = thunks.scalar_thunk;
  context->helpers.runtime = this;
  context->exceeds_caches = exceeds_caches_;
  context->relay.row_left = row_left_;
  context->relay.leads = waves > 1 && HasFollow();
  context->relay.wave = relay;
  context->relay.order.last = relay + (waves - 1);
  const uint32_t saved = _mm_getcsr();
  _mm_setcsr(0x1F80u | base_env_.bits);
  const std::byte* const code = region_->group.begin != nullptr
                                    ? region_->group.begin
                                    : region_->entries.at(function_.blocks[0].begin);
  for (size_t n = 0; n < waves; ++n) relay[n].code = n != 0 && HasFollow() ? region_->follow : code;
  std::optional<SingleStep> stepping;
  if (step_ != nullptr) stepping.emplace(step_);
  stay.reason = thunks.enter(&first, context.get(), code);
  stepping.reset();
  const uint32_t left = _mm_getcsr() & ~0x3Fu;
  _mm_setcsr(saved);
  if (left != (0x1F80u | base_env_.bits)) throw std::runtime_error("MXCSR has changed");
  stay.executed = context->turn.executed;
  stay.is_undone = context->fault.is_undone;
  if (HasFollow()) {
    stay.ended = static_cast<size_t>(context->relay.wave - relay) +
                 (stay.reason == static_cast<uint32_t>(ir::ExitReason::kEnd));
  } else {
    for (size_t n = 0; n < waves; ++n) stay.ended += relay[n].code == nullptr;
  }
  std::memcpy(first.memory.data(), memory, GuestPages::kSize);
  std::memcpy(first.lds.data(), lds, first.lds.size());
}

Outcome CompiledBlock::Run(const Machine& machine, uint64_t budget) {
  Outcome outcome{machine, {}, {}, 0};
  RelayWave alone = {&outcome.machine, nullptr, nullptr};
  Stay stay;
  Enter(outcome.machine, &alone, 1, budget, stay);
  outcome.reason = static_cast<ir::ExitReason>(stay.reason);
  outcome.executed = stay.executed;
  if (stay.is_undone) return FindFault(machine, outcome);
  outcome.fault = fault_;
  return outcome;
}

// As the runtime does with a loop that is as if it had not begun.
Outcome CompiledBlock::FindFault(const Machine& machine, const Outcome& undone) const {
  Outcome before{machine, undone.reason, {}, 0};
  before.machine.pc = function_.blocks[0].begin;
  const std::string difference = Difference(undone, before);
  if (!difference.empty()) throw std::runtime_error("the loop is not undone: " + difference);
  Outcome outcome = RunEvaluatorLoop(function_, undone.machine);
  outcome.executed += undone.executed;
  return outcome;
}

Outcome CompiledBlock::RunRow(const Machine& machine, uint64_t groups) {
  Outcome outcome{machine, {}, {}, 0};
  row_left_ = groups;
  RelayWave alone = {&outcome.machine, nullptr, nullptr};
  Stay stay;
  Enter(outcome.machine, &alone, 1, /*budget=*/~uint64_t{0}, stay);
  row_left_ = 1;
  outcome.reason = static_cast<ir::ExitReason>(stay.reason);
  outcome.fault = fault_;
  outcome.executed = stay.executed;
  return outcome;
}

CompiledBlock::Group CompiledBlock::RunGroup(const std::vector<Machine>& machines) {
  Group group{machines, 0, 0, {}};
  std::vector<RelayWave> relay;
  for (Machine& machine : group.machines) relay.push_back({&machine, nullptr, nullptr});
  Stay stay;
  Enter(group.machines[0], relay.data(), relay.size(), /*budget=*/~uint64_t{0}, stay);
  group.executed = stay.executed;
  group.ended = stay.ended;
  group.fault = fault_;
  return group;
}

bool CompiledBlock::IsAfterFault(const RegionContext& context, const MemorySite& site) {
  const FaultRecord& fault = context.fault;
  if (!fault.raised) return false;
  // Iterations that are left: the fewer, the later.
  if (context.loop.left != fault.loop_left) return context.loop.left < fault.loop_left;
  return site.place.order >= fault.order;
}

bool CompiledBlock::RecordFault(RegionContext* context, const MemorySite& site,
                                const std::optional<ir::EvaluatorFault>& fault) {
  if (!fault) return false;
  context->fault.raised = true;
  context->fault.loop_left = context->loop.left;
  context->fault.order = site.place.order;
  fault_ = fault;
  // The test's program counters are the numbers of its instructions.
  fault_->guest = static_cast<uint16_t>(site.pc);
  return true;
}

void CompiledBlock::SetWindow(const MemorySite& site, uint64_t run_bytes, uint64_t lane_bytes) {
  MemoryWindow& window = windows_[site.index];
  window = {};
  const uint64_t begin = site.is_store ? store_begin_ : 0;
  const uint64_t bytes = (site.is_store ? store_end_ : GuestPages::kSize) - begin;
  const auto end = [&](uint64_t of) { return bytes >= of ? bytes - of + 1 : 0; };
  window.base = GuestPages::kBegin + begin;
  window.low = static_cast<uint32_t>(window.base);
  window.high = static_cast<uint32_t>(window.base >> 32);
  window.run_end = end(run_bytes);
  window.wide_end = end(run_bytes * 4);
  window.lane_end = static_cast<uint32_t>(end(lane_bytes));
}

uint32_t CompiledBlock::Access(RegionContext* context, uint32_t index) {
  auto& self = *static_cast<CompiledBlock*>(context->helpers.runtime);
  ++self.helper_calls_;
  if (context->transfer.access.request != AccessRequest::kRun) return AccessPart(context, index);
  return AccessByParts(*context, [&] { return AccessPart(context, index) != 0; });
}

uint32_t CompiledBlock::AccessPart(RegionContext* context, uint32_t index) {
  auto& self = *static_cast<CompiledBlock*>(context->helpers.runtime);
  const MemorySite* const site = &context->region.sites[index];
  if (IsAfterFault(*context, *site)) return 0;
  if (site->is_store && !site->is_lds) context->relay.may_follow = false;
  AccessBlock& block = context->transfer.access;
  if (block.request == AccessRequest::kIndicesOfWave) {
    std::array<uint32_t, ir::kLanes> indices;
    std::memcpy(indices.data(), block.data, sizeof indices);
    self.patterns_.Learn(context->region.pattern_slots[index], indices, block.index_shift);
    return 1;
  }
  Inst inst;
  inst.aux = site->access.Pack();
  inst.imm = site->imm;
  inst.argument_count = ir::kMaxArguments;
  inst.op = site->is_lds ? (site->is_atomic  ? Op::kAtomicLds
                            : site->is_store ? Op::kStoreLds
                                             : Op::kLoadLds)
                         : (site->is_atomic  ? Op::kAtomic
                            : site->is_store ? Op::kStore
                                             : Op::kLoad);
  if (site->is_swizzled) inst.op = site->is_store ? Op::kStoreSwizzled : Op::kLoadSwizzled;
  auto args = std::make_unique<ir::EvaluatorLanes[]>(ir::kMaxArguments);
  auto dwords = std::make_unique<ir::EvaluatorLanes[]>(ir::kMaxDwords);
  const int mask = site->is_lds ? 1 : 2;
  for (uint32_t n = 0; n < static_cast<uint32_t>(LanesOf(block.request)); ++n) {
    const uint32_t lane = block.first_lane + n;
    args[0][lane] = block.low[n];
    if (!site->is_lds) args[1][lane] = block.high[n];
    if (site->is_lds) args[2][lane] = block.limit;
    for (int d = 0; d < 4; ++d) args[3 + d][lane] = block.data[d][n];
    if (site->is_swizzled) {
      args[3][lane] = block.data[AccessBlock::kPlaceData][n];
      args[4][lane] = block.data[0][n];
    }
  }
  args[mask].fill(uint64_t{block.mask} << block.first_lane);
  ir::EvaluatorAccess access{
      inst,
      {},
      self.state_,
      *reinterpret_cast<ir::EvaluatorLanes(*)[ir::kMaxDwords]>(dwords.get())};
  for (int n = 0; n < ir::kMaxArguments; ++n) access.args[n] = &args[n];
  std::optional<ir::EvaluatorFault> fault;
  if (inst.op == Op::kLoadLds || inst.op == Op::kStoreLds) {
    ir::EvaluateLdsLoadOrStore(access);
  } else if (inst.op == Op::kAtomicLds) {
    fault = ir::EvaluateLdsAtomic(access);
  } else if (site->is_swizzled) {
    fault = ir::EvaluateSwizzledAccess(access);
  } else {
    fault = ir::EvaluateGlobalAccess(access);
  }
  if (self.RecordFault(context, *site, fault)) return 0;
  for (uint32_t n = 0; n < static_cast<uint32_t>(LanesOf(block.request)); ++n) {
    for (int d = 0; d < 4; ++d) {
      block.data[d][n] = static_cast<uint32_t>(dwords[d][block.first_lane + n]);
    }
  }
  const uint64_t bytes = site->access.bytes;
  if (!site->is_lds) {
    self.SetWindow(*site, bytes * kMaxPartLanes, bytes < 4 ? 4 : bytes);
  }
  return 1;
}

uint32_t CompiledBlock::LoadScalar(RegionContext* context, uint32_t index, uint64_t address,
                                   uint32_t dwords) {
  auto& self = *static_cast<CompiledBlock*>(context->helpers.runtime);
  const MemorySite* const site = &context->region.sites[index];
  ++self.helper_calls_;
  if (IsAfterFault(*context, *site)) return 0;
  uint32_t* const data = context->transfer.scalar_data + site->scalar.dword;
  std::fill_n(data, dwords, 0);
  if (!self.state_.memory(address, data, dwords * 4, false)) {
    self.RecordFault(context, *site, ir::EvaluatorFault{-1, address, dwords * 4, false, false, 0});
    return 0;
  }
  const uint32_t bytes = std::max(dwords * 4, site->scalar.bytes);
  self.SetWindow(*site, bytes, bytes);
  return 1;
}

uint64_t RandomBlocks(uint64_t usual) {
  const char* text = std::getenv("GCNJIT_BACKEND_BLOCKS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}

std::vector<HostIsa> HostIsas() {
  std::vector<HostIsa> isas;
  for (const HostIsa isa : {HostIsa::kAvx2, HostIsa::kAvx512}) {
    if (HostHas(isa)) isas.push_back(isa);
  }
  return isas;
}

}  // namespace gcnjit::backend
