// Lane shapes: tests/filetests/shapes/*.shape says what is found (values.shape has the format), and
// random functions are run to see whether it is true.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <sstream>

#include "ir/analysis/region_shapes.h"
#include "ir/printer.h"
#include "tests/unit/ir/file_case.h"
#include "tests/unit/ir/random_ir.h"

namespace gcnjit::ir {
namespace {

std::string Sgprs(const std::bitset<kSgprs>& set) {
  std::string names;
  for (size_t n = 0; n < kSgprs; ++n) {
    if (set[n]) names += " s" + std::to_string(n);
  }
  return names;
}

std::string Analyse(const std::string& text) {
  const Function function = ParseCase(text);
  const RegionShapes shapes = FindLaneShapes(function, ReadCaseFacts(text).Assumptions(function));
  std::ostringstream out;
  for (size_t n = 0; n < function.blocks.size(); ++n) {
    const Block& block = function.blocks[n];
    out << "block 0x" << std::hex << block.begin << std::dec << '\n';
    for (const RegionShapes::Entry& entry : shapes.at_begin[n]) {
      out << "  v" << int{entry.vgpr} << ' ' << ShapeText(shapes.patterns, entry.shape) << '\n';
    }
    if (shapes.ones_at_begin[n].any()) out << "  ones" << Sgprs(shapes.ones_at_begin[n]) << '\n';
    if (shapes.apart_at_begin[n].any()) {
      out << "  apart" << Sgprs(shapes.apart_at_begin[n]) << '\n';
    }
    for (const Value v : block.insts) {
      if (!IsLanes(function[v].type) || function[v].op == Op::kGetVgpr) continue;
      out << "  %" << v.id << ' ' << ShapeText(shapes.patterns, shapes.of_value[v.id]) << '\n';
    }
  }
  return out.str();
}

class ShapeFiles : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ShapeFiles, GiveTheExpectedShapes) {
  const bool update = std::getenv("GCNJIT_UPDATE_FILETESTS") != nullptr;
  CaseFile file = ReadCaseFile(GetParam());
  EXPECT_FALSE(file.cases.empty());
  for (FileCase& test : file.cases) {
    const std::string found = Analyse(test.input);
    if (update) {
      test.expected = found;
    } else {
      EXPECT_EQ(found, test.expected) << test.name;
    }
  }
  if (update) WriteCaseFile(GetParam(), file);
}

INSTANTIATE_TEST_SUITE_P(Filetests, ShapeFiles, ::testing::ValuesIn(CaseFiles("shapes", ".shape")),
                         [](const auto& info) { return info.param.stem().string(); });

// ---- Truth

VgprShape RandomShape(std::mt19937_64& random, int vgpr) {
  VgprShape shape;
  shape.vgpr = vgpr;
  shape.run = static_cast<uint8_t>(64 >> random() % 5);
  shape.zeros = static_cast<uint8_t>(random() % 3 == 0 ? 32 : random() % 12);
  const uint32_t step = random() % 4 == 0 ? static_cast<uint32_t>(random()) : 1u << random() % 8;
  const uint32_t split = 1u << random() % 7;
  const uint64_t kind = random() % 4;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t n = lane % shape.run;
    shape.offsets[lane] = step * (kind == 0   ? n
                                  : kind == 1 ? n % split
                                  : kind == 2 ? n / split
                                              : 0);
  }
  return shape;
}

// The function up to v, which goes to the VGPR: a v64's halves one after another.
Function UpTo(const Function& function, Value v, Op half) {
  Function part = function;
  Block& block = part.blocks[0];
  block.insts.resize(std::find(block.insts.begin(), block.insts.end(), v) - block.insts.begin() +
                     1);
  const auto add = [&](Op op, Type type, Value argument, int64_t imm) {
    Inst inst;
    inst.op = op;
    inst.type = type;
    inst.imm = imm;
    inst.argument_count = argument ? 1 : 0;
    inst.args[0] = argument;
    part.insts.push_back(inst);
    block.insts.push_back({static_cast<uint32_t>(part.insts.size() - 1)});
    return block.insts.back();
  };
  const bool wide = function[v].type == Type::kV64;
  add(Op::kSetVgpr, Type::kVoid, wide ? add(half, Type::kV32, v, 0) : v, 0);
  add(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ExitReason::kEnd));
  return part;
}

uint64_t ShapedFunctions() {
  const char* text = std::getenv("GCNJIT_IR_FUNCTIONS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 600;
}

TEST(LaneShapes, AreTrueOfWhatIsComputed) {
  uint64_t checked = 0;
  for (uint64_t seed = 1; seed <= ShapedFunctions(); ++seed) {
    std::mt19937_64 random(seed);
    const Function function = RandomFunction(random, 10 + static_cast<int>(random() % 40));
    ShapeAssumptions assumptions;
    assumptions.blocks_apart = false;
    assumptions.entries = {function.blocks[0].begin};
    assumptions.has_full_exec = seed % 2 == 0;
    for (int vgpr = 0; vgpr < IrMachine::kVgprs; ++vgpr) {
      assumptions.at_entry.push_back(RandomShape(random, vgpr));
    }
    RegionShapes shapes = FindLaneShapes(function, assumptions);
    for (const Value v : function.blocks[0].insts) {
      const LaneShape shape = shapes.of_value[v.id];
      if (!IsLanes(function[v].type) || (shape.run == 1 && shape.zeros == 0)) continue;
      const Function low = UpTo(function, v, Op::kLow);
      const Function high = UpTo(function, v, Op::kHigh);
      const bool wide = function[v].type == Type::kV64;
      for (int run = 0; run < 2; ++run) {
        IrMachine machine = RandomMachine(random);
        for (const VgprShape& known : assumptions.at_entry) {
          uint32_t lanes[kLanes];
          FillLanes(random, known, lanes);
          std::copy(lanes, lanes + kLanes, machine.vgpr[known.vgpr].begin());
        }
        if (assumptions.has_full_exec) machine.sgpr[kExec] = machine.sgpr[kExec + 1] = ~0u;
        IrMachine again = machine;
        if (machine.Run(low).fault) continue;
        if (wide) again.Run(high);
        ++checked;
        const auto value = [&](int lane) {
          return machine.vgpr[0][lane] | (wide ? uint64_t{again.vgpr[0][lane]} << 32 : 0);
        };
        const auto& offsets = shapes.patterns[shape.offsets].offsets;
        for (int lane = 0; lane < kLanes; ++lane) {
          const uint64_t base = value(lane & -shape.run);
          const uint64_t mask = wide ? ~uint64_t{0} : 0xFFFFFFFF;
          ASSERT_EQ(value(lane), (base + offsets[lane]) & mask)
              << "seed " << seed << ", %" << v.id << " in lane " << lane << ": "
              << ShapeText(shapes.patterns, shape) << '\n'
              << Print(function);
          ASSERT_GE(std::countr_zero(base), shape.zeros == (wide ? 64 : 32) ? 64 : shape.zeros)
              << "seed " << seed << ", %" << v.id << '\n'
              << Print(function);
        }
      }
    }
  }
  EXPECT_GT(checked, ShapedFunctions());
}

}  // namespace
}  // namespace gcnjit::ir
