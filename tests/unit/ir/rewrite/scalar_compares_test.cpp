// Compares of lanes whose distances are known, of which only numbers are wanted: what the scalar
// code that stands for them gives, and which compares it stands for.
#include "ir/rewrite/scalar_compares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::ExitReason;
using ir::FloatEnv;
using ir::Function;
using ir::Op;
using ir::Type;
using ir::Value;
using ir::VgprShape;

constexpr Op kCompares[] = {Op::kEq, Op::kNe, Op::kLtU, Op::kLeU, Op::kLtS, Op::kLeS};
constexpr int kPerBlock = 16;  // compares
constexpr int kPair = 40;      // SGPRs

// Of v0, by what is known when code is compiled.
struct Lanes {
  const char* name;
  VgprShape shape;
  bool is_rewritten = false;

  uint64_t unit() const { return uint64_t{1} << shape.zeros; }
};

template <typename F>
VgprShape CompareShape(uint8_t run, uint8_t zeros, F offset) {
  VgprShape shape{0, run, zeros, {}};
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) shape.offsets[lane] = offset(lane % run);
  return shape;
}

const std::vector<Lanes>& AllLanes() {
  const auto one = [](uint32_t lane) { return lane; };
  const auto same = [](uint32_t) { return 0u; };
  static const std::vector<Lanes> all = {
      {"ids of a wave", CompareShape(64, 6, one), true},
      {"with bits in between", CompareShape(64, 10, one), true},
      {"every second number", CompareShape(64, 7, [](uint32_t lane) { return lane * 2; }), true},
      {"rows of 16", CompareShape(64, 2, [](uint32_t lane) { return lane / 16; }), true},
      {"downwards", CompareShape(64, 6, [](uint32_t lane) { return (64 - lane) % 64; }), true},
      {"all alike", CompareShape(64, 0, same), true},
      {"a sign", CompareShape(64, 31, one), true},
      {"carries into the base", CompareShape(64, 4, one), false},
      {"runs of 16", CompareShape(16, 4, one), false},
      {"constants", CompareShape(64, 32, one), false},
  };
  return all;
}

std::vector<uint32_t> BasesOf(const Lanes& lanes) {
  std::set<uint32_t> bases;
  for (const uint32_t base : {0u, 64u, 0x7FFFFFC0u, 0x80000000u, 0xFFFFFFC0u}) {
    bases.insert(static_cast<uint32_t>(base / lanes.unit() * lanes.unit()));
  }
  return {bases.begin(), bases.end()};
}

// Numbers that the lanes of one of the bases lie on both sides of, or nearly do.
std::vector<uint32_t> ConstantsFor(const Lanes& lanes) {
  std::set<uint32_t> constants = {0,          1,          0x7FFFFFFE, 0x7FFFFFFF,
                                  0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF};
  const auto unit = static_cast<uint32_t>(lanes.unit());
  for (const uint32_t base : BasesOf(lanes)) {
    for (const uint32_t offset :
         {~0u, 0u, 1u, 2u, 17u, 32u, lanes.shape.offsets[63], unit - 1, unit, unit + 1}) {
      constants.insert(base + offset);
    }
  }
  return {constants.begin(), constants.end()};
}

class Block {
 public:
  Block() {
    function.blocks[0].begin = 0x1000;
    function.blocks[0].guest_pcs = {0};
    lanes_ = b.Emit(Op::kGetVgpr, Type::kV32, {}, 0);
  }

  Value lanes() const { return lanes_; }
  Value Compare(Op op, Value a, Value c) { return b.Emit(op, Type::kU64, {a, c}); }
  Value Compare(Op op, uint32_t constant, bool is_reversed = false) {
    const Value c = b.U32(constant);
    return is_reversed ? Compare(op, c, lanes_) : Compare(op, lanes_, c);
  }
  // To the next pair of SGPRs.
  void Set(Value mask) {
    b.Emit(Op::kSetSgpr64, Type::kVoid, {mask}, next_);
    next_ += 2;
  }
  const Function& Finish() {
    b.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ExitReason::kEnd));
    EXPECT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
    return function;
  }

  Function function;
  Builder b{function, function.blocks.emplace_back()};

 private:
  Value lanes_;
  int next_ = 0;
};

// How many lane compares are left, and how many selects of numbers there are for others.
struct Count {
  int compares = 0;
  int selects = 0;
};

Count CountAfter(const Function& function, const VgprShape& shape) {
  ir::RegionShapes shapes =
      ir::FindLaneShapes(function, {false, {function.blocks[0].begin}, {shape}, false, {}});
  Function alone = function;
  ScalarizeCompares(alone, shapes.patterns, shapes.of_value);
  EXPECT_EQ(ir::Verify(alone), std::vector<std::string>{}) << ir::Print(alone);
  EXPECT_EQ(shapes.of_value.size(), alone.insts.size());
  Count count;
  std::set<uint32_t> wanted;
  for (const Value v : alone.blocks[0].insts) {
    const ir::Inst& inst = alone[v];
    const bool is_compare = std::count(std::begin(kCompares), std::end(kCompares), inst.op) != 0;
    count.compares += is_compare && inst.type == Type::kU64;
    if (inst.op == Op::kSetSgpr64) wanted.insert(inst.args[0].id);
  }
  for (const uint32_t id : wanted) count.selects += alone[Value{id}].op == Op::kSelect;
  return count;
}

// On all bases, with each instruction set.
void CheckRuns(const Function& function, const Lanes& lanes) {
  std::vector<std::unique_ptr<CompiledBlock>> blocks;
  for (const HostIsa isa : HostIsas()) {
    blocks.push_back(std::make_unique<CompiledBlock>(function, isa, FloatEnv{}, /*listing=*/false,
                                                     std::vector<VgprShape>{lanes.shape}));
  }
  std::mt19937_64 random(1);
  for (const uint32_t base : BasesOf(lanes)) {
    Machine machine;
    FillRandom(random, machine.vgpr);
    for (uint32_t& sgpr : machine.sgpr) sgpr = static_cast<uint32_t>(random());
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      // Runs have bases of their own.
      const uint32_t of_run = base + lane / lanes.shape.run * 0x7FFFFFF0u;
      machine.vgpr[0][lane] = of_run + lanes.shape.offsets[lane];
    }
    const Outcome expected = RunEvaluator(function, machine);
    for (size_t n = 0; n < blocks.size(); ++n) {
      ASSERT_EQ(Difference(blocks[n]->Run(machine), expected), "")
          << NameOf(HostIsas()[n]) << ", " << lanes.name << ", base " << std::hex << base << '\n'
          << ir::Print(function);
    }
  }
}

// x <= the largest number is true, and the largest number < x is not: nothing to look at.
bool IsDecided(Op op, uint32_t constant, bool is_reversed) {
  const bool is_unsigned = op == Op::kLtU || op == Op::kLeU;
  const bool has_equal = op == Op::kLeU || op == Op::kLeS;
  if (op == Op::kEq || op == Op::kNe || has_equal == is_reversed) return false;
  return constant == (is_unsigned ? 0xFFFFFFFF : 0x7FFFFFFF);
}

TEST(ScalarCompares, WithConstantsOnEitherSide) {
  for (const Lanes& lanes : AllLanes()) {
    const std::vector<uint32_t> constants = ConstantsFor(lanes);
    for (const Op op : kCompares) {
      for (const bool is_reversed : {false, true}) {
        for (size_t first = 0; first < constants.size(); first += kPerBlock) {
          const size_t count = std::min<size_t>(kPerBlock, constants.size() - first);
          Block block;
          int rewritten = 0;
          for (size_t n = first; n < first + count; ++n) {
            block.Set(block.Compare(op, constants[n], is_reversed));
            rewritten += lanes.is_rewritten && !IsDecided(op, constants[n], is_reversed);
          }
          const Function& function = block.Finish();
          const Count after = CountAfter(function, lanes.shape);
          EXPECT_EQ(after.selects, rewritten) << lanes.name << '\n' << ir::Print(function);
          EXPECT_EQ(after.compares, static_cast<int>(count) - rewritten) << lanes.name;
          CheckRuns(function, lanes);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// Where lanes are selected by it, a compare stays one of lanes.
TEST(ScalarCompares, ThatServeAsMasks) {
  for (const Lanes& lanes : AllLanes()) {
    for (const Op op : kCompares) {
      Block block;
      Builder& b = block.b;
      const Value mask = block.Compare(op, 16);
      block.Set(mask);
      const Value other = b.Emit(Op::kGetVgpr, Type::kV32, {}, 1);
      const Value selected = b.Emit(Op::kSelect, Type::kV32, {mask, other, block.lanes()});
      b.Emit(Op::kSetVgpr, Type::kVoid, {selected}, 2);
      const Function& function = block.Finish();
      const Count after = CountAfter(function, lanes.shape);
      EXPECT_EQ(after.compares, 1) << ir::Print(function);
      EXPECT_EQ(after.selects, 0);
      CheckRuns(function, lanes);
    }
  }
}

// As s_and_saveexec has it: the number goes to EXEC, and lanes are selected by that.
TEST(ScalarCompares, NarrowedByAPairOfSgprs) {
  for (const Lanes& lanes : AllLanes()) {
    for (const Op op : kCompares) {
      for (const bool selects : {false, true}) {
        Block block;
        Builder& b = block.b;
        const Value pair = b.Emit(Op::kGetSgpr64, Type::kU64, {}, kPair);
        const Value compare = block.Compare(op, 16);
        const Value mask = b.Emit(Op::kAnd, Type::kU64, {compare, pair});
        block.Set(mask);
        block.Set(compare);
        block.Set(b.Emit(Op::kOr, Type::kU64, {pair, compare}));
        block.Set(b.Emit(Op::kXor, Type::kU64, {compare, mask}));
        if (selects) {
          const Value other = b.Emit(Op::kGetVgpr, Type::kV32, {}, 1);
          const Value selected = b.Emit(Op::kSelect, Type::kV32, {mask, other, block.lanes()});
          b.Emit(Op::kSetVgpr, Type::kVoid, {selected}, 2);
        }
        const Function& function = block.Finish();
        // Where lanes take it, it stays a mask of lanes.
        EXPECT_EQ(CountAfter(function, lanes.shape).selects, lanes.is_rewritten && !selects);
        CheckRuns(function, lanes);
      }
    }
  }
}

// The compiler makes use of it where it is told of shapes.
TEST(ScalarCompares, AreMadeWhenCodeIsCompiled) {
  for (const HostIsa isa : HostIsas()) {
    Block block;
    block.Set(block.Compare(Op::kLtU, 16));
    const Function& function = block.Finish();
    const VgprShape& shape = AllLanes()[0].shape;
    const CompiledBlock knowing(function, isa, {}, /*listing=*/true, {shape});
    EXPECT_NE(knowing.listing().find("readlane"), std::string::npos) << knowing.listing();
    const CompiledBlock unknowing(function, isa, {}, /*listing=*/true);
    EXPECT_EQ(unknowing.listing().find("readlane"), std::string::npos);
  }
}

}  // namespace
}  // namespace gcnjit::backend
