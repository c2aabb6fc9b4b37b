// A lane's aligned 8 or 16 bytes are read and written in one piece, whichever way the lanes'
// addresses lie to each other. Another thread could tell only if it came between two host
// instructions, which litmus tests seldom see; here something does come between any two of them.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "tests/unit/backend_x64/compiled_block.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::Function;
using ir::MemoryAccess;
using ir::Op;
using ir::Type;
using ir::Value;

constexpr int kIndex = 2;       // VGPR or SGPR
constexpr int kWordsBase = 4;   // SGPRs
constexpr int kMaskSgprs = 20;  // SGPRs
constexpr int kData = 8;        // VGPRs
constexpr int kResults = 12;    // VGPRs
constexpr int kDwords = 4 * (ir::kLanes + 1);

// The signal handler's. Memory is words of so many dwords, which are equal.
volatile int word_dwords;
volatile uint32_t steps;
volatile uint64_t torn;

volatile uint32_t* Dwords() { return reinterpret_cast<uint32_t*>(GuestPages::kBegin); }

void ChangeWords() {
  steps = steps + 1;
  for (int n = 0; n < kDwords; ++n) Dwords()[n] = steps;
}
void LookAtWords() {
  steps = steps + 1;
  for (int n = 0; n < kDwords; ++n) {
    const int first = n - n % word_dwords;
    torn = torn + (Dwords()[n] != Dwords()[first] ? 1 : 0);
  }
}

// Which element is a lane's, and which lanes there are.
struct ByteOrder {
  const char* name;
  std::function<uint32_t(uint32_t lane)> element;
  uint64_t mask = ~uint64_t{0};
  bool in_sgprs = false;  // the address
  bool is_known = false;  // how the addresses lie to each other, when code is compiled
};

const std::vector<ByteOrder>& Orders() {
  constexpr uint64_t kPart = 0xB6DB'6DB6'DB6D'B6DB;
  const auto in_order = [](uint32_t lane) { return lane; };
  const auto reversed = [](uint32_t lane) { return 63 - lane; };
  const auto strewn = [](uint32_t lane) { return lane * 37 % 64; };
  const auto same = [](uint32_t) { return 9u; };
  const auto one_apart = [](uint32_t lane) { return lane == 5 ? 7u : 9u; };
  static const std::vector<ByteOrder> orders = {
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

struct WordAccess {
  bool is_store = false;
  uint8_t bytes = 8;
  int pieces = 1;         // accesses, one after another, that make up the element
  uint32_t wanted = 0xF;  // of a load: the dwords that anything reads
  bool indexed = false;
  bool aligned = true;  // false: it is to 8 bytes only

  // What has to be in one piece.
  int WordDwords() const { return aligned ? bytes / 4 : 2; }
  bool IsWanted(int dword) const { return (wanted >> dword & 1) != 0; }
  std::string Describe() const {
    return std::to_string(bytes) + (indexed ? " bytes, indexed" : " bytes") +
           (aligned ? "" : ", not aligned") + ", wanted " + std::to_string(wanted);
  }
};

// Of 8 and 16 bytes, in both forms.
std::vector<WordAccess> WordAccesses(bool is_store) {
  std::vector<WordAccess> accesses;
  for (const bool indexed : {false, true}) {
    accesses.push_back({is_store, 8, 1, 0x3, indexed});
    accesses.push_back({is_store, 16, 1, 0xF, indexed});
    accesses.push_back({is_store, 16, 1, 0xF, indexed, false});
    if (is_store) continue;
    for (const uint32_t wanted : {0x3, 0x5, 0x6, 0x7, 0x9, 0xA, 0xB, 0xC, 0xD, 0xE}) {
      accesses.push_back({is_store, 16, 1, wanted, indexed});
    }
  }
  return accesses;
}

Function FunctionOfAccess(const WordAccess& access, const ByteOrder& order) {
  Function function;
  function.blocks.resize(1);
  function.blocks[0].begin = 0x1000;
  function.blocks[0].guest_pcs = {0x1000};
  Builder b(function, function.blocks[0]);
  const auto vgpr = [&](int n) { return b.Emit(Op::kGetVgpr, Type::kV32, {}, n); };
  const auto sgpr64 = [&](int n) { return b.Emit(Op::kGetSgpr64, Type::kU64, {}, n); };
  const auto address = [&](int n) {
    return order.in_sgprs ? b.Emit(Op::kGetSgpr, Type::kU32, {}, n) : vgpr(n);
  };
  const Value low = access.indexed ? address(kIndex) : address(0);
  const Value high = access.indexed ? sgpr64(kWordsBase) : address(1);
  const Value mask = sgpr64(kMaskSgprs);
  MemoryAccess piece;
  piece.bytes = static_cast<uint8_t>(access.bytes / access.pieces);
  piece.indexed = access.indexed;
  piece.index_shift = access.indexed ? 2 : 0;
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
      if (!access.IsWanted(first + d)) continue;
      b.Emit(Op::kSetVgpr, Type::kVoid, {parts[static_cast<size_t>(d)]}, kResults + first + d);
    }
  }
  b.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
  return function;
}

Machine MachineOf(const WordAccess& access, const ByteOrder& order) {
  Machine machine;
  const uint64_t begin = GuestPages::kBegin + (access.aligned ? 0 : 8);
  for (int half = 0; half < 2; ++half) {
    machine.sgpr[kWordsBase + half] = static_cast<uint32_t>(begin >> 32 * half);
    machine.sgpr[kMaskSgprs + half] = static_cast<uint32_t>(order.mask >> 32 * half);
  }
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    const uint32_t offset = order.element(lane) * access.bytes;
    machine.vgpr[0][lane] = static_cast<uint32_t>(begin + offset);
    machine.vgpr[1][lane] = static_cast<uint32_t>((begin + offset) >> 32);
    machine.vgpr[kIndex][lane] = offset / 4;
    for (int d = 0; d < 4; ++d) machine.vgpr[kData + d][lane] = 1000 + lane;
  }
  for (int n = 0; n <= kIndex; ++n) machine.sgpr[n] = machine.vgpr[n][0];
  return machine;
}

std::vector<ir::VgprShape> KnownOf(const ByteOrder& order, const Machine& machine) {
  if (!order.is_known) return {};
  std::vector<ir::VgprShape> known;
  for (int vgpr = 0; vgpr <= kIndex; ++vgpr) {
    ir::VgprShape shape{vgpr, ir::kLanes, 0, {}};
    for (int lane = 0; lane < ir::kLanes; ++lane) {
      shape.offsets[lane] = machine.vgpr[vgpr][lane] - machine.vgpr[vgpr][0];
    }
    known.push_back(shape);
  }
  return known;
}

// Of the words that a lane has loaded, dwords that are not like their word's first one.
uint64_t CountTornOf(const Machine& loaded, const WordAccess& access, int lane) {
  uint64_t count = 0;
  for (int first = 0; first < access.bytes / 4; first += access.WordDwords()) {
    uint32_t expected = 0;
    for (int d = first; d < first + access.WordDwords(); ++d) {
      if (!access.IsWanted(d)) continue;
      const uint32_t dword = loaded.vgpr[kResults + d][lane];
      EXPECT_NE(dword, 0u) << "nothing was loaded";
      if (expected == 0) expected = dword;
      count += dword != expected;
    }
  }
  return count;
}

// Lanes' words, or words of memory, that were not in one piece at some time.
uint64_t CountTorn(const WordAccess& access, const ByteOrder& order, HostIsa isa) {
  const Function function = FunctionOfAccess(access, order);
  const Machine machine = MachineOf(access, order);
  CompiledBlock block(function, isa, {}, false, KnownOf(order, machine));
  block.Run(machine);  // finds the windows
  const uint64_t helped = block.helper_calls();
  block.StepThrough(access.is_store ? LookAtWords : ChangeWords);
  word_dwords = access.WordDwords();
  steps = 0;
  torn = 0;
  const Outcome outcome = block.Run(machine);
  EXPECT_EQ(block.helper_calls(), helped) << "not the code's own access";
  EXPECT_GT(steps, 10u);
  if (access.is_store) return torn;
  uint64_t count = 0;
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    if ((order.mask >> lane & 1) != 0) count += CountTornOf(outcome.machine, access, lane);
  }
  return count;
}

class WholeWords : public testing::TestWithParam<HostIsa> {};
INSTANTIATE_TEST_SUITE_P(Isas, WholeWords, testing::ValuesIn(HostIsas()),
                         [](const auto& info) { return std::string(NameOf(info.param)); });

void ExpectWhole(bool is_store, HostIsa isa) {
  for (const ByteOrder& order : Orders()) {
    for (const WordAccess& access : WordAccesses(is_store)) {
      EXPECT_EQ(CountTorn(access, order, isa), 0u) << order.name << ", " << access.Describe();
    }
  }
}

TEST_P(WholeWords, AreLoadedInOnePiece) { ExpectWhole(/*is_store=*/false, GetParam()); }
TEST_P(WholeWords, AreStoredInOnePiece) { ExpectWhole(/*is_store=*/true, GetParam()); }

// Each lane's 16 bytes begin 8 bytes after the lane's before it: every other lane's are aligned.
TEST_P(WholeWords, NeighboursAreLoadedInOnePiece) {
  constexpr uint64_t kChange = 0x8123'4567'89AB'CDEF;
  for (const uint32_t first : {0u, 1u}) {
    Function function;
    function.blocks.resize(1);
    function.blocks[0].begin = 0x1000;
    function.blocks[0].guest_pcs = {0x1000};
    Builder b(function, function.blocks[0]);
    MemoryAccess access;
    access.bytes = 16;
    access.indexed = true;
    access.index_shift = 3;
    const Value base = b.Emit(Op::kGetSgpr64, Type::kU64, {}, kWordsBase);
    const Value index = b.Emit(Op::kGetVgpr, Type::kV32, {}, kIndex);
    const Value load =
        b.Emit(Op::kLoad, Type::kV32, {index, base, b.U64(~uint64_t{0})}, 0, access.Pack());
    const Value dwords[4] = {load, b.Part(load, 1), b.Part(load, 2), b.Part(load, 3)};
    for (int n = 0; n < 4; n += 2) {
      const Value quadword = b.Xor(b.Pack(dwords[n], dwords[n + 1]), b.U64(kChange));
      b.Emit(Op::kSetVgpr, Type::kVoid, {b.Low(quadword)}, kResults + n);
      b.Emit(Op::kSetVgpr, Type::kVoid, {b.High(quadword)}, kResults + n + 1);
    }
    b.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
    Machine machine;
    SetPair(machine, kWordsBase, GuestPages::kBegin);
    ir::VgprShape shape{kIndex, ir::kLanes, 0, {}};
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      machine.vgpr[kIndex][lane] = first + lane;
      shape.offsets[lane] = lane;
    }
    CompiledBlock block(function, GetParam(), {}, false, {shape});
    block.Run(machine);  // finds the windows
    const uint64_t helped = block.helper_calls();
    block.StepThrough(ChangeWords);
    word_dwords = 4;
    steps = 0;
    const Outcome outcome = block.Run(machine);
    EXPECT_EQ(block.helper_calls(), helped);
    EXPECT_GT(steps, 10u);
    for (uint32_t lane = first; lane < ir::kLanes; lane += 2) {
      const auto dword = [&](int n) {
        return outcome.machine.vgpr[kResults + n][lane] ^
               static_cast<uint32_t>(kChange >> 32 * (n % 2));
      };
      EXPECT_NE(dword(0), 0u) << "nothing was loaded";
      for (int n = 1; n < 4; ++n) EXPECT_EQ(dword(n), dword(0)) << lane << ", dword " << n;
    }
  }
}

// Else the tests above say nothing.
TEST_P(WholeWords, TwoPiecesAreSeen) {
  for (const ByteOrder& order : Orders()) {
    for (WordAccess access : WordAccesses(/*is_store=*/true)) {
      access.pieces = access.aligned ? 2 : 4;
      for (const bool is_store : {false, true}) {
        access.is_store = is_store;
        EXPECT_GT(CountTorn(access, order, GetParam()), 0u)
            << order.name << (is_store ? ", stored, " : ", loaded, ") << access.Describe();
      }
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend
