// Loads of streams that wait for each other, where launches exceed the caches (block_pace.cpp).
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend/compiled_block.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::Function;
using ir::Op;
using ir::Type;
using ir::Value;

// Of a dword by each lane.
struct Access {
  int base = 0;       // SGPR pair: 0, 2 or 4
  uint32_t runs = 0;  // so many waves' dwords behind the first one
  int32_t imm = 0;
  bool is_store = false;
  int index = 8;  // its number: SGPR 8 or 9; a VGPR that nothing is known of: 0
};
using Accesses = std::vector<Access>;

// Loads go to v8 and on; stores have v4.
Function FunctionOf(const Accesses& accesses) {
  Function function;
  function.blocks.resize(1);
  function.blocks[0].begin = 0x1000;
  function.blocks[0].guest_pcs = {0};
  Builder b(function, function.blocks[0]);
  std::map<int, Value> read;
  const auto once = [&](Op op, Type type, int n) {
    Value& v = read[n + (op == Op::kGetVgpr ? 1000 : 0)];
    if (!v) v = b.Emit(op, type, {}, n);
    return v;
  };
  std::map<std::pair<int, uint32_t>, Value> sums;
  std::vector<Value> loaded;
  ir::MemoryAccess form{.bytes = 4};
  form.indexed = true;
  form.index_shift = 2;
  for (const Access& access : accesses) {
    Value& index = sums[{access.index, access.runs}];
    if (!index && access.index == 0) index = once(Op::kGetVgpr, Type::kV32, 0);
    if (!index) {
      index = b.Add(once(Op::kGetSgpr, Type::kU32, access.index),
                    b.Add(b.LaneId(), b.U32(access.runs * ir::kLanes)));
    }
    std::vector<Value> args = {index, once(Op::kGetSgpr64, Type::kU64, access.base),
                               b.U64(~uint64_t{0})};
    if (access.is_store) args.push_back(once(Op::kGetVgpr, Type::kV32, 4));
    const Value v = b.EmitList(access.is_store ? Op::kStore : Op::kLoad,
                               access.is_store ? Type::kVoid : Type::kV32, args.data(),
                               static_cast<int>(args.size()), access.imm, form.Pack());
    if (!access.is_store) loaded.push_back(v);
  }
  for (int n = 8; const Value v : loaded) b.Emit(Op::kSetVgpr, Type::kVoid, {v}, n++);
  b.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
  EXPECT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
  return function;
}

// `beyond`: of a base, how many bytes before the end of memory it is; 0: it is within.
Machine MachineOf(int base = 0, uint64_t beyond = 0) {
  Machine machine;
  std::mt19937 random(1);
  for (auto& vgpr : machine.vgpr) {
    for (uint32_t& lane : vgpr) lane = static_cast<uint32_t>(random());
  }
  for (std::byte& byte : machine.memory) byte = static_cast<std::byte>(random());
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) machine.vgpr[0][lane] = 3 + lane;
  for (const int n : {0, 2, 4}) {
    uint64_t address = GuestPages::kBegin + static_cast<uint64_t>(n) * 0x800;
    if (n == base && beyond != 0) address = GuestPages::kBegin + GuestPages::kSize - beyond;
    machine.sgpr[static_cast<size_t>(n)] = static_cast<uint32_t>(address);
    machine.sgpr[static_cast<size_t>(n) + 1] = static_cast<uint32_t>(address >> 32);
  }
  machine.sgpr[8] = 5;
  machine.sgpr[9] = 70;
  return machine;
}

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

CompiledBlock Compile(const Function& function, HostIsa isa, int lines) {
  Tuning tuning = HostTuning();
  tuning.lines_in_flight = lines;
  CompileOptions options;
  options.tuning = &tuning;
  // Something is known of a VGPR, so that shapes are known at all.
  return CompiledBlock(function, isa, {}, /*listing=*/true, {{31, 1, 0, {}}},
                       /*has_full_exec=*/true, options);
}

// With `lines` in flight so many loads wait, for so many data. The block does what it does anyway.
void Waits(int waits, int data, int lines, const Accesses& accesses, HostIsa isa) {
  if (!HostHas(isa)) return;
  const Function function = FunctionOf(accesses);
  CompiledBlock block = Compile(function, isa, lines);
  EXPECT_EQ(Count(block.listing(), "and ecx, 0\n"), waits) << ir::Print(function);
  EXPECT_EQ(Count(block.listing(), "vmovd dword ptr [rbp"), data) << ir::Print(function);
  for (const bool exceeds_caches : {false, true}) {
    if (exceeds_caches) block.ExceedCaches();
    for (int base = 0; base < 6; base += 2) {
      for (const uint64_t beyond : {0, 4 * 5 + 256 + 8, 4 * 5 + 3}) {
        const Machine machine = MachineOf(base, beyond);
        const Outcome expected = RunEvaluator(function, machine);
        for (int run = 0; run < 3; ++run) {
          ASSERT_EQ(Difference(block.Run(machine), expected), "") << run << ir::Print(function);
        }
      }
    }
    const uint64_t before = block.helper_calls();
    block.Run(MachineOf());
    EXPECT_EQ(block.helper_calls(), before);
  }
}
void Waits(int waits, int data, int lines, const Accesses& accesses) {
  Waits(waits, data, lines, accesses, HostIsa::kAvx512);
}

// Four waves of a sum of two arrays, as group code has them: 4 lines a load.
const Accesses kTwoArrays = {{0, 0}, {2, 0}, {0, 1}, {2, 1}, {0, 2}, {2, 2}, {0, 3}, {2, 3}};

TEST(Pace, LoadsOfEachArrayWaitOnceForTheLinesBefore) {
  Waits(4, 2, 16, kTwoArrays);
  Waits(2, 1, 32, kTwoArrays);
  Waits(4, 1, 24, kTwoArrays);
  Waits(8, 8, 4, kTwoArrays);
  Waits(1, 1, 16, {{0, 0}, {0, 1}, {0, 2}, {0, 3}});
  Waits(2, 1, 16, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}});
}

TEST(Pace, FewLinesWaitForNobody) {
  Waits(0, 0, 36, kTwoArrays);
  Waits(0, 0, 0, kTwoArrays);
  Waits(0, 0, 16, {{0, 0}, {0, 1}, {0, 2}});
  // What is stored does not count, nor what may be anywhere.
  Waits(0, 0, 16, {{0, 0}, {0, 1}, {0, 2}, {2, 0, 0, true}});
  Waits(0, 0, 16, {{0, 0}, {0, 1}, {0, 2}, {2, 0, 0, false, 0}});
}

TEST(Pace, StoresDoNotWait) {
  Waits(1, 1, 16, {{2, 0, 0, true}, {0, 0}, {0, 1}, {0, 2}, {0, 3}, {2, 1, 0, true}});
  Waits(2, 1, 16, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 1, 0, true}, {0, 4}});
}

// Such lines are in the caches, or are soon.
TEST(Pace, WhoLoadsLinesAgainDoesNotWait) {
  Waits(0, 0, 16, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 0, 4}});
  Waits(0, 0, 16, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 3, -252}});
  Waits(1, 1, 16, {{0, 0}, {0, 1}, {0, 2}, {0, 2, 256}});
  Waits(0, 0, 16, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 0, 0, false, 9}});  // rows
}

TEST(Pace, Avx2) {
  Accesses one;
  for (uint32_t n = 0; n < 16; ++n) one.push_back({0, n});
  // Slices are 16 lanes, each of which waits for the one before.
  Waits(1, 1, 16, one, HostIsa::kAvx2);
  Waits(0, 0, 64, one, HostIsa::kAvx2);
  Waits(2, 1, 8, kTwoArrays, HostIsa::kAvx2);
}

}  // namespace
}  // namespace gcnjit::backend
