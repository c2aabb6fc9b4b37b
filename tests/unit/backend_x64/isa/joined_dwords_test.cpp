// Elements whose dwords are computed alike, which stay in memory's order between a load and a store
// (plan/joined_dwords.h), and those of which one dword is not.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/backend_x64/isa/loaded_dwords.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend {
namespace {

using ir::Op;
using ir::Type;
using ir::Value;
using Element = std::vector<Value>;

// What keeps an element's dwords from being computed alike.
enum class Spoiler {
  kNone,
  kOtherOperation,  // one dword's
  kOtherScalar,     // likewise
  kExchanged,       // two dwords
  kLaneOperand,     // a number for each lane
  kOtherUse,        // of one dword
  kSharedMask,      // of one compare, for all dwords
  kSomeLanes,       // are stored
  kGap,             // between elements that are stored
};
constexpr Spoiler kSpoilers[] = {
    Spoiler::kNone,       Spoiler::kOtherOperation, Spoiler::kOtherScalar,
    Spoiler::kExchanged,  Spoiler::kLaneOperand,    Spoiler::kOtherUse,
    Spoiler::kSharedMask, Spoiler::kSomeLanes,      Spoiler::kGap,
};

constexpr ir::FloatEnv kEnv = {};

// `dwords` from s[0:1] and s[6:7] on, by the lanes' index in v0, to s[8:9]; scalars are in s10 and
// s11, a mask in s[12:13].
class Program {
 public:
  Program(std::mt19937_64& random, int dwords, Spoiler spoiler)
      : random_(random), spoiler_(spoiler), b_(Begin()) {
    access_.bytes = static_cast<uint8_t>(dwords * 4);
    access_.indexed = true;
    access_.index_shift = 2;
    index_ = b_.Emit(Op::kGetVgpr, Type::kV32, {}, 0);
    gaps_ = b_.Emit(Op::kGetVgpr, Type::kV32, {}, 2);
    s10_ = b_.Emit(Op::kGetSgpr, Type::kU32, {}, 10);
    s11_ = b_.Emit(Op::kGetSgpr, Type::kU32, {}, 11);
    lanes_ = b_.Emit(Op::kGetVgpr, Type::kV32, {}, 1);
    const Element first = Load(0), second = Load(6);
    Element element = first;
    const int count = 1 + static_cast<int>(random_() % 5);
    const int spoilt = static_cast<int>(random_() % static_cast<uint64_t>(count));
    for (int n = 0; n < count; ++n) {
      element = Next(element, random_() % 2 == 0 ? first : second, n == spoilt);
    }
    // Both loads are used, by a sum that keeps an element from being another's copy.
    for (size_t n = 0; n < element.size(); ++n)
      element[n] = b_.Add(b_.Xor(element[n], first[n]), second[n]);
    Store(element);
    b_.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
  }
  const ir::Function& function() const { return function_; }

 private:
  ir::Builder Begin() {
    function_.blocks.resize(1);
    function_.blocks[0].begin = 0x1000;
    function_.blocks[0].guest_pcs = {0};
    return {function_, function_.blocks[0]};
  }
  Value Pair(int sgpr) { return b_.Emit(Op::kGetSgpr64, Type::kU64, {}, sgpr); }
  Value All() { return b_.U64(~uint64_t{0}); }

  Element Load(int base) {
    const Value load =
        b_.Emit(Op::kLoad, Type::kV32, {index_, Pair(base), All()}, 0, access_.Pack());
    return LoadedDwords(b_, load, access_.Dwords(), /*as_quadwords=*/false);
  }
  void Store(const Element& element) {
    std::vector<Value> args = {spoiler_ == Spoiler::kGap ? gaps_ : index_, Pair(8),
                               spoiler_ == Spoiler::kSomeLanes ? Pair(12) : All()};
    args.insert(args.end(), element.begin(), element.end());
    b_.EmitList(Op::kStore, Type::kVoid, args.data(), static_cast<int>(args.size()), 0,
                access_.Pack());
  }

  // `spoilt`: the spoiler is in this operation.
  Element Next(const Element& x, const Element& y, bool spoilt) {
    const auto kind = random_() % 6;
    const auto is = [&](Spoiler spoiler) { return spoilt && spoiler_ == spoiler; };
    Element result;
    Value mask;
    for (size_t n = 0; n < x.size(); ++n) {
      const bool last = n + 1 == x.size();
      if (is(Spoiler::kOtherUse) && last) b_.Emit(Op::kSetVgpr, Type::kVoid, {x[n]}, 12);
      if (is(Spoiler::kLaneOperand)) {
        result.push_back(b_.Add(x[n], lanes_));
      } else if (is(Spoiler::kOtherOperation) && last) {
        result.push_back(b_.Sub(x[n], s10_));
      } else if (is(Spoiler::kOtherScalar) || is(Spoiler::kOtherOperation)) {
        result.push_back(b_.Add(x[n], last ? s11_ : s10_));
      } else if (is(Spoiler::kSharedMask)) {
        if (!mask) mask = b_.Compare(Op::kLtU, x[0], s10_);
        result.push_back(b_.Select(mask, x[n], s10_));
      } else {
        result.push_back(Alike(kind, x[n], y[n]));
      }
    }
    // Either one of the two is the first dword, or none.
    const size_t from = result.size() > 2 ? random_() % 2 : 0;
    if (is(Spoiler::kExchanged)) std::swap(result[from], result.back());
    return result;
  }
  Value Alike(uint64_t kind, Value x, Value y) {
    switch (kind) {
      case 0: return b_.Add(x, y);
      case 1: return b_.Select(b_.Compare(Op::kLtS, x, y), x, s10_);
      case 2: return b_.Lshr(x, uint32_t{3});
      case 3: return b_.Float(Op::kFMul, kEnv, 32, {x, y});
      case 4: {
        const Value less = b_.Compare(Op::kLtU, x, s11_);
        return b_.Select(b_.And(less, b_.Compare(Op::kNe, y, s10_)), s10_, x);
      }
      default: return b_.Float(Op::kFFma, kEnv, 32, {x, s11_, y});
    }
  }

  std::mt19937_64& random_;
  const Spoiler spoiler_;
  ir::Function function_;
  ir::Builder b_;
  ir::MemoryAccess access_;
  Value index_, gaps_, s10_, s11_, lanes_;
};

// Of v0, or v2, which has gaps: where the elements of lanes lie to each other.
ir::VgprShape ShapeOf(int dwords, int vgpr) {
  const auto step = static_cast<uint32_t>(dwords + (vgpr == 2 ? 1 : 0));
  ir::VgprShape shape{vgpr, ir::kLanes, 0, {}};
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) shape.offsets[lane] = lane * step;
  return shape;
}

Machine MachineWith(std::mt19937_64& random, const std::vector<ir::VgprShape>& shapes) {
  Machine machine;
  FillRandom(random, machine.vgpr);
  FillRandom(random, machine.memory);
  FillRandom(random, machine.sgpr);
  const auto first = static_cast<uint32_t>(random() % 16);
  for (const ir::VgprShape& shape : shapes) {
    auto& lanes = machine.vgpr[static_cast<size_t>(shape.vgpr)];
    for (size_t lane = 0; lane < ir::kLanes; ++lane) lanes[lane] = first + shape.offsets[lane];
  }
  // Now and then not all elements are where memory is.
  for (const size_t base : {0, 6, 8}) {
    const uint64_t edge = GuestPages::kBegin + (random() % 2 == 0 ? -64 : GuestPages::kSize - 960);
    const uint64_t inside = GuestPages::kBegin + random() % 0x1800 * 2;
    SetPair(machine, base, random() % 8 == 0 ? edge : inside);
  }
  return machine;
}

// In line: registers whose lanes change their places.
bool HasShuffles(const std::string& listing) {
  const std::string in_line = listing.substr(0, listing.find("out of line"));
  for (const char* name : {"vunpck", "vshuf", "vperm", "vinsert", "vextract"}) {
    if (in_line.find(name) != std::string::npos) return true;
  }
  return false;
}

TEST(JoinedDwords, DoWhatTheEvaluatorDoes) {
  int faults = 0;
  for (const Spoiler spoiler : kSpoilers) {
    for (uint64_t seed = 1; seed <= 24; ++seed) {
      std::mt19937_64 random(seed);
      const int dwords = 2 + static_cast<int>(seed % 3);
      const Program program(random, dwords, spoiler);
      const ir::Function& function = program.function();
      ASSERT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
      for (const HostIsa isa : HostIsas()) {
        const std::vector<ir::VgprShape> shapes = {ShapeOf(dwords, 0), ShapeOf(dwords, 2)};
        CompiledBlock block(function, isa, kEnv, /*listing=*/true, shapes);
        EXPECT_EQ(HasShuffles(block.listing()), spoiler != Spoiler::kNone)
            << NameOf(isa) << '\n'
            << ir::Print(function) << block.listing();
        for (int run = 0; run < 6; ++run) {
          const Machine machine = MachineWith(random, shapes);
          const Outcome expected = RunEvaluator(function, machine);
          faults += expected.fault.has_value();
          ASSERT_EQ(Difference(block.Run(machine), expected), "")
              << NameOf(isa) << ", seed " << seed << '\n'
              << ir::Print(function);
        }
      }
    }
  }
  EXPECT_GT(faults, 50);
}

// out[i] = in[i].xzy: nothing but the order of the dwords is not memory's.
TEST(JoinedDwords, AreSortedWhereTheirOrderChanges) {
  for (const std::string order : {"%4, %6, %5", "%5, %6, %4", "%4, %5, %5", "%4, %5, %8"}) {
    const ir::ParseResult parsed = ir::Parse(
        "block 0x1000 instructions=1\nguest 0 0x0\n%1 = get_vgpr.v32 v0\n"
        "%2 = get_sgpr64.u64 s0\n%3 = get_sgpr64.u64 s8\n"
        "%4 = load.v32 %1, %2, 0xffffffffffffffff:u64 {bytes=12, index=zext<<2}\n"
        "%5 = part.v32 %4 {dword=1}\n%6 = part.v32 %4 {dword=2}\n"
        "%7 = load.v32 %1, %2, 0xffffffffffffffff:u64 {bytes=12, index=zext<<2, offset=96}\n"
        "%8 = part.v32 %7 {dword=2}\n"
        "store %1, %3, 0xffffffffffffffff:u64, " +
        order + " {bytes=12, index=zext<<2}\nexit end, 0x2000\n");
    ASSERT_FALSE(parsed.error) << parsed.error->message;
    for (const HostIsa isa : HostIsas()) {
      const std::vector<ir::VgprShape> shapes = {ShapeOf(/*dwords=*/3, /*vgpr=*/0)};
      CompiledBlock block(parsed.function, isa, kEnv, /*listing=*/false, shapes);
      std::mt19937_64 random(1);
      for (int run = 0; run < 4; ++run) {
        const Machine machine = MachineWith(random, shapes);
        EXPECT_EQ(Difference(block.Run(machine), RunEvaluator(parsed.function, machine)), "")
            << NameOf(isa) << ", " << order;
      }
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend
