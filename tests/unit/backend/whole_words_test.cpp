// A lane's aligned 8 bytes are read and written in one piece, whichever way the lanes' addresses
// lie to each other. Another thread could tell only if it came between two host instructions, which
// litmus tests seldom see; here something does come between any two of them.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "tests/unit/backend/compiled_block.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::Function;
using ir::MemoryAccess;
using ir::Op;
using ir::Type;
using ir::Value;

constexpr int kMask = 20;     // SGPRs
constexpr int kData = 8;      // VGPRs
constexpr int kResults = 12;  // VGPRs
constexpr int kWords = 2 * ir::kLanes;
constexpr uint64_t kEqualDwords = 0x1'0000'0001;

// The signal handler's. Memory is words of 8 bytes, whose two dwords are equal.
volatile uint64_t steps;
volatile uint64_t torn;

volatile uint64_t* Words() { return reinterpret_cast<uint64_t*>(GuestPages::kBegin); }
bool IsTorn(uint64_t word) { return word >> 32 != (word & 0xFFFFFFFF); }

void ChangeWords() {
  steps = steps + 1;
  for (int n = 0; n < kWords; ++n) Words()[n] = steps * kEqualDwords;
}
void LookAtWords() {
  steps = steps + 1;
  for (int n = 0; n < kWords; ++n) torn = torn + (IsTorn(Words()[n]) ? 1 : 0);
}

// Which element is a lane's, and which lanes there are.
struct Order {
  const char* name;
  std::function<uint32_t(uint32_t lane)> element;
  uint64_t mask = ~uint64_t{0};
  bool in_sgprs = false;  // the address
  bool is_known = false;  // how the addresses lie to each other, when code is compiled
};

const std::vector<Order>& Orders() {
  constexpr uint64_t kPart = 0xB6DB'6DB6'DB6D'B6DB;
  const auto in_order = [](uint32_t lane) { return lane; };
  const auto reversed = [](uint32_t lane) { return 63 - lane; };
  const auto strewn = [](uint32_t lane) { return lane * 37 % 64; };
  const auto same = [](uint32_t) { return 9u; };
  const auto one_apart = [](uint32_t lane) { return lane == 5 ? 7u : 9u; };
  static const std::vector<Order> orders = {
      {"in order", in_order},
      {"in order, known", in_order, ~uint64_t{0}, false, true},
      {"in order, some lanes", in_order, kPart},
      {"in order, some lanes, known", in_order, kPart, false, true},
      {"reversed", reversed},
      {"reversed, known", reversed, ~uint64_t{0}, false, true},
      {"strewn", strewn},
      {"strewn, some lanes", strewn, kPart},
      {"all the same", same},
      {"all the same, some lanes", same, kPart},
      {"all the same, known", same, ~uint64_t{0}, false, true},
      {"all the same, in SGPRs", same, ~uint64_t{0}, true},
      {"one apart", one_apart},
      {"one lane", same, uint64_t{1} << 5},
  };
  return orders;
}

struct Access {
  bool is_store = false;
  uint8_t bytes = 8;
  int pieces = 1;  // accesses, one after another, that make up the element
};

Function FunctionOf(const Access& access, const Order& order) {
  Function function;
  function.blocks.resize(1);
  function.blocks[0].begin = 0x1000;
  function.blocks[0].guest_pcs = {0x1000};
  Builder b(function, function.blocks[0]);
  const auto vgpr = [&](int n) { return b.Emit(Op::kGetVgpr, Type::kV32, {}, n); };
  const auto address = [&](int n) {
    return order.in_sgprs ? b.Emit(Op::kGetSgpr, Type::kU32, {}, n) : vgpr(n);
  };
  const Value low = address(0);
  const Value high = address(1);
  const Value mask = b.Emit(Op::kGetSgpr64, Type::kU64, {}, kMask);
  MemoryAccess piece;
  piece.bytes = static_cast<uint8_t>(access.bytes / access.pieces);
  for (int n = 0; n < access.pieces; ++n) {
    const int first = n * piece.Dwords();
    std::vector<Value> args = {low, high, mask};
    if (access.is_store) {
      for (int d = 0; d < piece.Dwords(); ++d) args.push_back(vgpr(kData + first + d));
    }
    const Value done = b.EmitList(access.is_store ? Op::kStore : Op::kLoad,
                                  access.is_store ? Type::kVoid : Type::kV32, args.data(),
                                  static_cast<int>(args.size()), n * piece.bytes, piece.Pack());
    if (access.is_store) continue;
    std::vector<Value> parts;
    for (int d = 0; d < piece.Dwords(); ++d) parts.push_back(b.Part(done, d));
    for (int d = 0; d < piece.Dwords(); ++d) {
      b.Emit(Op::kSetVgpr, Type::kVoid, {parts[static_cast<size_t>(d)]}, kResults + first + d);
    }
  }
  b.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
  return function;
}

Machine MachineOf(const Access& access, const Order& order) {
  Machine machine;
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    const uint64_t address = GuestPages::kBegin + order.element(lane) * access.bytes;
    for (int half = 0; half < 2; ++half) {
      machine.vgpr[half][lane] = static_cast<uint32_t>(address >> 32 * half);
      machine.sgpr[half] = machine.vgpr[half][0];
      machine.sgpr[kMask + half] = static_cast<uint32_t>(order.mask >> 32 * half);
    }
    for (int d = 0; d < 4; ++d) machine.vgpr[kData + d][lane] = 1000 + lane + 100 * (d / 2);
  }
  return machine;
}

std::vector<ir::VgprShape> KnownOf(const Order& order, const Machine& machine) {
  if (!order.is_known) return {};
  std::vector<ir::VgprShape> known;
  for (int vgpr = 0; vgpr < 2; ++vgpr) {
    ir::VgprShape shape{vgpr, ir::kLanes, 0, {}};
    for (int lane = 0; lane < ir::kLanes; ++lane) {
      shape.offsets[lane] = machine.vgpr[vgpr][lane] - machine.vgpr[vgpr][0];
    }
    known.push_back(shape);
  }
  return known;
}

// Lanes' words, or words of memory, that were not in one piece at some time.
uint64_t CountTorn(const Access& access, const Order& order, HostIsa isa) {
  const Function function = FunctionOf(access, order);
  const Machine machine = MachineOf(access, order);
  CompiledBlock block(function, isa, {}, false, KnownOf(order, machine));
  block.Run(machine);  // finds the windows
  const uint64_t helped = block.helper_calls();
  block.StepThrough(access.is_store ? LookAtWords : ChangeWords);
  steps = 0;
  torn = 0;
  const Outcome outcome = block.Run(machine);
  EXPECT_EQ(block.helper_calls(), helped) << "not the code's own access";
  EXPECT_GT(steps, 10u);
  if (access.is_store) return torn;
  uint64_t count = 0;
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    if ((order.mask >> lane & 1) == 0) continue;
    for (int d = 0; d < access.bytes / 4; d += 2) {
      const auto& vgpr = outcome.machine.vgpr;
      EXPECT_NE(vgpr[kResults + d][lane], 0u) << "nothing was loaded";
      count += vgpr[kResults + d][lane] != vgpr[kResults + d + 1][lane];
    }
  }
  return count;
}

class WholeWords : public testing::TestWithParam<HostIsa> {};
INSTANTIATE_TEST_SUITE_P(Isas, WholeWords, testing::ValuesIn(HostIsas()),
                         [](const auto& info) { return std::string(NameOf(info.param)); });

TEST_P(WholeWords, AreLoadedInOnePiece) {
  for (const Order& order : Orders()) {
    for (const uint8_t bytes : {uint8_t{8}, uint8_t{16}}) {
      EXPECT_EQ(CountTorn({false, bytes}, order, GetParam()), 0u)
          << order.name << ", " << int{bytes} << " bytes";
    }
  }
}

TEST_P(WholeWords, AreStoredInOnePiece) {
  for (const Order& order : Orders()) {
    for (const uint8_t bytes : {uint8_t{8}, uint8_t{16}}) {
      EXPECT_EQ(CountTorn({true, bytes}, order, GetParam()), 0u)
          << order.name << ", " << int{bytes} << " bytes";
    }
  }
}

// Else the tests above say nothing.
TEST_P(WholeWords, TwoPiecesAreSeen) {
  for (const Order& order : Orders()) {
    for (const bool is_store : {false, true}) {
      EXPECT_GT(CountTorn({is_store, 8, 2}, order, GetParam()), 0u)
          << order.name << (is_store ? ", stored" : ", loaded");
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend
