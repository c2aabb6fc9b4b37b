// Random blocks: many operations and values at once, so that registers run out, and many stages.
#include <gtest/gtest.h>

#include <deque>

#include "ir/passes.h"
#include "ir/printer.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/ir/random_ir.h"

namespace gcnjit::backend {
namespace {

static_assert(ir::IrMachine::kVgprs <= Machine::kVgprs);

Machine MachineLike(const ir::IrMachine& random) {
  Machine machine;
  machine.sgpr = random.sgpr;
  machine.scc = random.scc;
  std::copy(random.vgpr.begin(), random.vgpr.end(), machine.vgpr.begin());
  machine.lds = random.lds;
  std::copy(random.memory.begin(), random.memory.end(), machine.memory.begin());
  return machine;
}

// Random functions use memory at IrMachine::kMemoryBase, which is not where the test's pages are.
// Stores have offsets into it for the low dwords of their addresses.
void MoveMemory(ir::Function& function) {
  const auto base = static_cast<int64_t>(ir::IrMachine::kMemoryBase);
  for (ir::Inst& inst : function.insts) {
    if (inst.op == ir::Op::kConst && inst.type == ir::Type::kU64 && inst.imm == base) {
      inst.imm = static_cast<int64_t>(GuestPages::kBegin);
    }
  }
  for (ir::Block& block : function.blocks) {
    std::vector<ir::Value> insts;
    const auto append = [&](const ir::Inst& inst) {
      insts.push_back({static_cast<uint32_t>(function.insts.size())});
      function.insts.push_back(inst);
      return insts.back();
    };
    for (const ir::Value v : block.insts) {
      if (function[v].op == ir::Op::kStore || function[v].op == ir::Op::kStoreSwizzled) {
        ir::Inst distance = function[v];
        distance.op = ir::Op::kConst;
        distance.type = ir::Type::kU32;
        distance.argument_count = 0;
        distance.imm = static_cast<int64_t>(GuestPages::kBegin) - base;
        distance.aux = 0;
        ir::Inst sum = distance;
        sum.op = ir::Op::kAdd;
        sum.type = function[function[v].args[0]].type;
        sum.argument_count = 2;
        sum.imm = 0;
        sum.args[0] = function[v].args[0];
        sum.args[1] = append(distance);
        const ir::Value low = append(sum);
        function.insts[v.id].args[0] = low;
      }
      insts.push_back(v);
    }
    block.insts = std::move(insts);
  }
}

// Which registers an instruction reads or writes: SGPRs from 0, VGPRs from 1000, SCC is -1.
struct Registers {
  int first = -2;
  int count = 0;
  bool is_write = false;
  bool Overlaps(const Registers& other) const {
    return first < other.first + other.count && other.first < first + count;
  }
};
Registers RegistersOf(const ir::Inst& inst) {
  const auto number = static_cast<int>(inst.imm);
  switch (inst.op) {
    case ir::Op::kGetVgpr: return {number + 1000, 1, false};
    case ir::Op::kSetVgpr: return {number + 1000, 1, true};
    case ir::Op::kGetSgpr: return {number, 1, false};
    case ir::Op::kSetSgpr: return {number, 1, true};
    case ir::Op::kGetSgpr64: return {number, 2, false};
    case ir::Op::kSetSgpr64: return {number, 2, true};
    case ir::Op::kGetScc: return {-1, 1, false};
    case ir::Op::kSetScc: return {-1, 1, true};
    default: return {};
  }
}

// Compiled code expects what the lifter writes: one read of each VGPR, and of the writes of a
// register only the last, after the reads.
void TidyState(ir::Function& function) {
  ir::Value first[Machine::kVgprs] = {};
  std::vector<ir::Value> replacement(function.insts.size());
  std::vector<ir::Value> kept;
  const std::vector<ir::Value>& all = function.blocks[0].insts;
  for (size_t at = 0; at < all.size(); ++at) {
    const ir::Value v = all[at];
    ir::Inst& inst = function[v];
    for (int n = 0; n < inst.argument_count; ++n) {
      if (const ir::Value other = replacement[inst.args[n].id]) inst.args[n] = other;
    }
    if (inst.op == ir::Op::kGetVgpr) {
      ir::Value& known = first[inst.imm];
      if (known) {
        replacement[v.id] = known;
        continue;
      }
      known = v;
    }
    const Registers registers = RegistersOf(inst);
    bool again = false;
    for (size_t later = at + 1; later < all.size() && registers.is_write; ++later) {
      again |= RegistersOf(function[all[later]]).Overlaps(registers);
    }
    if (!again) kept.push_back(v);
  }
  function.blocks[0].insts = kept;
}

TEST(RandomBlocks, DoWhatTheEvaluatorDoes) {
  uint64_t faults = 0;
  const uint64_t count = RandomBlocks(600);
  for (uint64_t seed = 1; seed <= count; ++seed) {
    std::mt19937_64 random(seed);
    const int size = 5 + static_cast<int>(random() % (seed % 10 == 0 ? 400 : 80));
    ir::Function function = ir::RandomFunction(random, size);
    MoveMemory(function);
    function.blocks[0].guest_pcs = {0};
    function.blocks[0].begin = 0x1000;
    TidyState(function);
    ir::Optimise(function);
    std::vector<std::unique_ptr<CompiledBlock>> blocks;
    const auto envs = static_cast<uint16_t>((random() % 4) << ir::FloatEnv::kRoundShift);
    std::deque<ir::Function> lowered;
    for (const HostIsa isa : HostIsas()) {
      Lower(lowered.emplace_back(function), isa);
      blocks.push_back(std::make_unique<CompiledBlock>(lowered.back(), isa, ir::FloatEnv{envs}));
    }
    for (int run = 0; run < 4; ++run) {
      const Machine machine = MachineLike(ir::RandomMachine(random));
      const Outcome expected = RunEvaluator(function, machine);
      faults += expected.fault.has_value();
      for (size_t n = 0; n < blocks.size(); ++n) {
        const std::string difference = Difference(blocks[n]->Run(machine), expected);
        ASSERT_EQ(difference, "") << "seed " << seed << ", run " << run << ", "
                                  << NameOf(HostIsas()[n]) << '\n'
                                  << ir::Print(function);
      }
    }
  }
  RecordProperty("faults", std::to_string(faults));
}

}  // namespace
}  // namespace gcnjit::backend
