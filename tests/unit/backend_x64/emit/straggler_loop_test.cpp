// Loops whose last lanes are done one by one, against the evaluator: all lanes of a slice, a few,
// or one.
#include <cstring>

#include "tests/unit/backend_x64/emit/loop_function.h"

namespace gcnjit::backend {
namespace {

constexpr auto kStragglersLow = static_cast<uint32_t>(GuestPages::kBegin);
constexpr auto kStragglersHigh = static_cast<uint32_t>(GuestPages::kBegin >> 32);

struct Usual {
  ir::FloatEnv base_env = {};
  std::vector<ir::VgprShape> known = {};
  std::vector<size_t> unread = {};  // VGPRs that nothing reads afterwards
  int* loops = nullptr;             // counts those with code for one lane; nullptr: all have it
};

void ExpectStragglers(const Function& function, const Machine& machine, const Usual& usual = {}) {
  ASSERT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
  Outcome expected = RunEvaluatorLoop(function, machine);
  const auto forget = [&](Outcome& outcome) {
    for (const size_t vgpr : usual.unread) outcome.machine.vgpr[vgpr] = {};
  };
  forget(expected);
  for (const HostIsa isa : HostIsas()) {
    for (const int most : {1, 3, 8, 64}) {
      CompileOptions options;
      options.most_stragglers = most;
      CompiledBlock block(function, isa, usual.base_env, /*listing=*/true, usual.known, false,
                          options);
      ASSERT_NE(block.listing().find("next iteration"), std::string::npos);
      const bool has_stragglers = block.listing().find("few lanes are left") != std::string::npos;
      ASSERT_TRUE(has_stragglers || usual.loops != nullptr);
      if (usual.loops != nullptr) *usual.loops += has_stragglers;
      // The second run finds windows.
      for (const uint64_t budget : {kPlenty, kPlenty, uint64_t{1}, kPlenty}) {
        Outcome actual = block.RunLoop(machine, budget);
        forget(actual);
        ASSERT_EQ(Difference(actual, expected), "")
            << NameOf(isa) << ", " << most << " lanes, budget " << budget << '\n'
            << ir::Print(function);
        if (expected.fault) continue;
        ASSERT_EQ(actual.executed, expected.executed);
      }
    }
  }
}

// Each of the operations that code for one lane has, many at once, of values of all kinds.
class RandomLoop {
 public:
  // `env`: of its float operations, but for a few. Some loops pause after few iterations.
  RandomLoop(uint64_t seed, ir::FloatEnv env)
      : random_(seed), env_(env), loop_(seed % 4 == 0 ? 2000 : 4) {
    for (int n = 3; n < 12; ++n) lanes_.push_back(loop_.Vgpr(n));
    for (int n = 4; n < 8; ++n) lanes_.push_back(loop_.Sgpr(n));
    for (const uint32_t number : {0u, 1u, 31u, 0x3F800000u, 0x7FFFFFFFu, 0x80000000u, ~0u}) {
      lanes_.push_back(loop_.b.U32(number));
    }
    // Zeros and denormals.
    for (int n = 3; n < 6; ++n) {
      lanes_.push_back(loop_.b.And(loop_.Vgpr(n), loop_.b.U32(0x80000003)));
    }
    wide_ = {loop_.Pair(10), loop_.b.U64(0), loop_.b.U64(~uint64_t{0}), loop_.b.U64(1)};
    masks_ = {loop_.Exec(),   loop_.Pair(20), loop_.Pair(22),
              loop_.Pair(24), loop_.b.U64(0), loop_.b.U64(~uint64_t{0})};
  }

  const Function& Make(int operations) {
    for (int n = 0; n < operations; ++n) AddOperation();
    for (int n = 3; n < 9; ++n) {
      if (random_() % 3 != 0) loop_.SetActive(n, LaneValue());
    }
    // Masks change in EXEC's lanes alone.
    for (const int pair : {20, 22}) {
      const Value kept = loop_.b.AndNot(loop_.Pair(pair), loop_.Exec());
      loop_.SetPair(pair, loop_.b.Or(kept, loop_.b.And(loop_.Exec(), Pick(masks_))));
    }
    SetScalars();
    return loop_.FinishUntilNoLane();
  }

 private:
  Value Pick(const std::vector<Value>& from) { return from[random_() % from.size()]; }
  Value LaneValue() { return Pick(lanes_); }
  Value Lanes() {  // at least one of two operands is of lanes
    for (;;) {
      const Value v = Pick(lanes_);
      if (loop_.b.TypeOf(v) == Type::kV32) return v;
    }
  }
  Value WideLanes() {
    if (wide_lanes_.empty() || random_() % 4 == 0) {
      return loop_.b.Emit(Op::kPack, Type::kV64, {Lanes(), LaneValue()});
    }
    return Pick(wide_lanes_);
  }

  void AddOperation() {
    using enum Op;
    Builder& b = loop_.b;
    const uint32_t env = random_() % 40 != 0 ? env_.bits : env_.bits ^ ir::FloatEnv::kFlushInputs;
    const auto lanes = [&](Value v) { lanes_.push_back(v); };
    constexpr Op kBinary[] = {kAdd,  kSub,    kMul,  kMulHiU, kMulHiS, kAnd,  kOr,
                              kXor,  kAndNot, kShl,  kLshr,   kAshr,   kMinU, kMaxU,
                              kMinS, kMaxS,   kFAdd, kFSub,   kFMul,   kFDiv};
    constexpr Op kUnary[] = {kNot,   kPopcount, kClz,      kCtz,      kSext8,   kSext16,
                             kFSqrt, kI32ToF32, kU32ToF32, kF32ToI32, kF32ToU32};
    constexpr Op kCompares[] = {kEq, kNe, kLtU, kLeU, kLtS, kLeS};
    constexpr Op kWideBinary[] = {kAdd, kSub, kAnd, kOr, kXor, kAndNot, kFAdd, kFMul};
    switch (random_() % 16) {
      default:
        return lanes(b.Emit(kBinary[random_() % std::size(kBinary)], Type::kV32,
                            {Lanes(), LaneValue()}, 0, env));
      case 4:
        return lanes(b.Emit(kUnary[random_() % std::size(kUnary)], Type::kV32, {Lanes()}, 0, env));
      case 5: return lanes(b.Emit(kFshr, Type::kV32, {Lanes(), LaneValue(), LaneValue()}));
      case 6: return lanes(b.Emit(kFFma, Type::kV32, {Lanes(), LaneValue(), LaneValue()}, 0, env));
      case 7: return lanes(b.Select(Pick(masks_), Lanes(), LaneValue()));
      case 8:
        masks_.push_back(b.Emit(kCompares[random_() % 6], Type::kU64, {Lanes(), LaneValue()}));
        return;
      case 9:
        masks_.push_back(b.Emit(kFCmp, Type::kU64, {Lanes(), LaneValue()},
                                static_cast<int64_t>(random_() % 32), env));
        return;
      case 10: {
        constexpr Op kBits[] = {kAnd, kOr, kXor, kAndNot};
        const Value hit = b.Emit(kCompares[random_() % 6], Type::kU64, {Lanes(), LaneValue()});
        masks_.push_back(b.Emit(kBits[random_() % 4], Type::kU64, {hit, Pick(masks_)}));
        if (random_() % 4 == 0) masks_.back() = b.Not(masks_.back());
        return;
      }
      case 11:
        wide_lanes_.push_back(b.Emit(kWideBinary[random_() % std::size(kWideBinary)], Type::kV64,
                                     {WideLanes(), random_() % 2 == 0 ? WideLanes() : Pick(wide_)},
                                     0, env));
        if (random_() % 4 == 0) {
          masks_.push_back(b.Emit(random_() % 2 == 0 ? kFCmp : kLtS, Type::kU64,
                                  {WideLanes(), WideLanes()}, 1, env));
        }
        return;
      case 12: {
        constexpr Op kShifts[] = {kShl, kLshr, kAshr};
        wide_lanes_.push_back(
            b.Emit(kShifts[random_() % 3], Type::kV64, {WideLanes(), LaneValue()}));
        return;
      }
      case 13: return lanes(b.Emit(random_() % 2 == 0 ? kLow : kHigh, Type::kV32, {WideLanes()}));
      case 14: {
        constexpr Op kExtend[] = {kZext, kSext};
        if (random_() % 2 == 0) {
          wide_lanes_.push_back(b.Emit(kExtend[random_() % 2], Type::kV64, {Lanes()}));
        } else {
          wide_lanes_.push_back(b.Emit(random_() % 2 == 0 ? kMulWideU : kMulWideS, Type::kV64,
                                       {Lanes(), LaneValue()}));
        }
        return;
      }
      case 15: return AddLoad();
    }
  }

  void AddLoad() {
    constexpr uint8_t kBytes[] = {1, 2, 4, 8, 12, 16};
    Builder& b = loop_.b;
    MemoryAccess access;
    access.bytes = kBytes[random_() % 6];
    access.sign_extend = access.bytes < 4 && random_() % 2 == 0;
    const Value place = b.And(Lanes(), b.U32(0x3F0));
    Value load;
    switch (random_() % 3) {
      case 0:
        load = b.Emit(Op::kLoad, Type::kV32,
                      {b.Add(place, b.U32(kStragglersLow)), b.U32(kStragglersHigh), Pick(masks_)},
                      static_cast<int64_t>(random_() % 64), access.Pack());
        break;
      case 1:
        access.indexed = true;
        access.index_signed = random_() % 2 == 0;
        access.index_shift = static_cast<uint8_t>(random_() % 5);
        load = b.Emit(Op::kLoad, Type::kV32, {place, b.U64(GuestPages::kBegin), Pick(masks_)},
                      static_cast<int64_t>(random_() % 64), access.Pack());
        break;
      default:
        // Some of them reach beyond LDS.
        load = b.Emit(Op::kLoadLds, Type::kV32,
                      {place, Pick(masks_), b.U32(random_() % 2 == 0 ? 1000 : ~0u)},
                      static_cast<int64_t>(random_() % 32), access.Pack());
        break;
    }
    lanes_.push_back(load);
    for (int n = 1; n < access.Dwords(); ++n) {
      lanes_.push_back(b.Emit(Op::kPart, Type::kV32, {load}, n));
    }
  }

  // SGPRs, a pair as a whole and by halves, and SCC.
  void SetScalars() {
    Builder& b = loop_.b;
    loop_.SetSgpr(4, b.Add(loop_.Sgpr(4), b.U32(0x01234567)));
    if (random_() % 2 == 0) {
      loop_.SetPair(10, b.Add(loop_.Pair(10), b.U64(0x1'0000'0003)));
      if (random_() % 2 == 0) loop_.SetSgpr(5, b.Add(loop_.Sgpr(11), loop_.Sgpr(10)));
    } else {
      loop_.SetSgpr(10, b.Emit(Op::kLow, Type::kU32, {loop_.Pair(10)}));
      loop_.SetSgpr(11, b.Add(b.Emit(Op::kHigh, Type::kU32, {loop_.Pair(10)}), b.U32(7)));
    }
    if (random_() % 2 == 0)
      loop_.SetScc(b.Emit(Op::kLtU, Type::kU1, {loop_.Sgpr(4), loop_.Sgpr(6)}));
  }

  std::mt19937_64 random_;
  const ir::FloatEnv env_;
  LoopFunction loop_;
  std::vector<Value> lanes_, wide_, wide_lanes_, masks_;
};

TEST(StragglerLoop, RandomOperations) {
  std::mt19937_64 random(1);
  int loops = 0, programs = 0;
  for (uint64_t seed = 1; seed <= RandomBlocks(150); ++seed, ++programs) {
    constexpr uint16_t kFlush = ir::FloatEnv::kFlushInputs | ir::FloatEnv::kFlushResults;
    const auto rounding = static_cast<uint16_t>(seed % 4 << ir::FloatEnv::kRoundShift);
    const ir::FloatEnv env = {static_cast<uint16_t>(rounding | (seed % 3 == 0 ? kFlush : 0))};
    RandomLoop loop(seed, env);
    const Function& function = loop.Make(3 + static_cast<int>(seed % 40));
    Machine machine = RandomMachine(seed);
    FillRandom(random, machine.lds);
    const uint64_t exec = random();
    SetPair(machine, 126, seed % 3 == 0 ? exec & random() & random() : exec | random());
    SetTrips(machine, [&](int) { return random() % 3 == 0 ? random() % 40 : random() % 4; });
    ExpectStragglers(function, machine, {env, {}, {}, &loops});
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(loops, programs * 4 * static_cast<int>(HostIsas().size()) / 2);
}

// A compare takes denormals for zeros, or does not, whatever the region's code is entered with.
TEST(StragglerLoop, ComparesOfDenormals) {
  constexpr ir::FloatEnv kFlush = {ir::FloatEnv::kFlushInputs};
  for (const ir::FloatEnv of_region : {ir::FloatEnv{}, kFlush}) {
    for (const ir::FloatEnv of_compare : {ir::FloatEnv{}, kFlush}) {
      LoopFunction loop;
      Builder& b = loop.b;
      const Value denormal = b.And(loop.Vgpr(4), b.U32(0x8000'0001));
      constexpr int64_t kEqual = 0;
      const Value is_zero =
          b.Emit(Op::kFCmp, Type::kU64, {denormal, b.U32(0)}, kEqual, of_compare.bits);
      loop.SetActive(3, b.Select(is_zero, loop.Vgpr(0), loop.Vgpr(3)));
      const Function& function = loop.FinishUntilNoLane();
      Machine machine = RandomMachine(5);
      SetPair(machine, 126, 0xFFFF'0000'8000'FFFF);
      SetTrips(machine, [](int lane) { return 1 + lane; });
      int loops = 0;
      ExpectStragglers(function, machine, {of_region, {}, {}, &loops});
      EXPECT_EQ(loops != 0, of_region == of_compare);
    }
  }
}

// Addresses in two VGPRs that each iteration counts up, also across 2^32, whose lanes are read
// later, or by the iteration itself.
TEST(StragglerLoop, CountAddressesUp) {
  for (const bool from_sgpr : {false, true}) {
    for (const bool uses_halves : {false, true}) {
      LoopFunction loop;
      Builder& b = loop.b;
      const Value step = from_sgpr ? loop.Sgpr(30) : b.U32(4);
      MemoryAccess access;
      const Value loaded = b.Emit(Op::kLoad, Type::kV32, {loop.Vgpr(4), loop.Vgpr(5), loop.Exec()},
                                  0, access.Pack());
      const Value low = b.Add(loop.Vgpr(4), step);
      const Value carry = b.Select(b.Compare(Op::kLtU, low, step), b.U32(1), b.U32(0));
      loop.SetActive(4, low);
      loop.SetActive(5, b.Add(loop.Vgpr(5), carry));
      loop.SetActive(3, b.Add(loop.Vgpr(3), loaded));
      if (uses_halves) loop.SetActive(6, b.Xor(b.Add(loop.Vgpr(4), loop.Vgpr(5)), loop.Vgpr(6)));
      const Function& function = loop.FinishUntilNoLane();
      Machine machine = RandomMachine(7);
      machine.sgpr[30] = 8;
      SetPair(machine, 126, 0xFFFF'0FFF'FFFE'8001);
      SetTrips(machine, [](int lane) { return lane % 9 == 0 ? 30 + lane : lane % 4; });
      for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
        machine.vgpr[4][lane] = kStragglersLow + 128 * lane;
        machine.vgpr[5][lane] = kStragglersHigh;
      }
      ExpectStragglers(function, machine);
      // One of them leaves the memory: a fault.
      machine.vgpr[4][36] = kStragglersLow + GuestPages::kSize - 20;
      ExpectStragglers(function, machine);
    }
  }
}

// What the runtime counts as not executed where no lane was.
TEST(StragglerLoop, CountWhatIsSkipped) {
  LoopFunction loop;
  Builder& b = loop.b;
  const Value odd = b.Compare(Op::kEq, b.And(loop.Vgpr(0), b.U32(3)), b.U32(1));
  const Value some = b.And(loop.Exec(), odd);
  b.Emit(Op::kSkipped, Type::kVoid, {some}, 2);
  loop.SetVgpr(3, b.Select(some, b.Add(loop.Vgpr(3), loop.Vgpr(4)), loop.Vgpr(3)));
  const Value never = b.And(some, b.Compare(Op::kLtU, b.U32(60), loop.Vgpr(0)));
  b.Emit(Op::kSkipped, Type::kVoid, {never}, 1);
  const Function& function = loop.FinishUntilNoLane();
  Machine machine = RandomMachine(1);
  SetPair(machine, 126, 0x8000'0100'0002'0001);
  SetTrips(machine, [](int lane) { return 1 + lane; });
  ExpectStragglers(function, machine);
}

// A VGPR that has one value in all lanes, and that nothing reads in those that have left: code for
// the slice takes any lane's for it, after others have gone on by themselves, too.
TEST(StragglerLoop, LanesOfOneValue) {
  LoopFunction loop;
  Builder& b = loop.b;
  MemoryAccess access;
  // Where a lane is beyond LDS, all that are left go on together.
  const Value from_lds =
      b.Emit(Op::kLoadLds, Type::kV32, {loop.Vgpr(11), loop.Exec(), b.U32(1024)}, 0, access.Pack());
  const Value loaded = loop.Load(loop.Vgpr(10), kStragglersHigh, loop.Exec());
  loop.SetActive(3, b.Add(loop.Vgpr(3), b.Add(loaded, from_lds)));
  loop.SetActive(11, b.Add(loop.Vgpr(11), loop.Vgpr(12)));
  loop.SetForActive(10, b.Add(loop.Vgpr(10), b.U32(4)));
  const Function& function = loop.FinishUntilNoLane();
  std::mt19937_64 random(3);
  for (int run = 0; run < 30; ++run) {
    Machine machine = RandomMachine(3);
    FillRandom(random, machine.lds);
    SetPair(machine, 126, random() | random());
    SetTrips(machine, [&](int) { return random() % 30; });
    machine.vgpr[10].fill(kStragglersLow + 64);
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      machine.vgpr[11][lane] = 4 * lane;
      machine.vgpr[12][lane] = random() % 4 == 0 ? 64 : 4;
    }
    ExpectStragglers(function, machine, {{}, {{10, ir::kLanes, 0, {}}}, {10}});
    if (testing::Test::HasFatalFailure()) FAIL() << "run " << run;
  }
}

// The wave's only lane makes more iterations than a slice before the loop pauses. `shape` is what
// is known of the lanes of v10, which the next iteration alone reads.
enum class AddressOfLane { kNone, kReadLater, kUnread };
void TestTheOnlyLane(const ir::VgprShape& shape, AddressOfLane address) {
  LoopFunction loop(2000);  // a slice makes 8 iterations at a time
  Builder& b = loop.b;
  // From the 342nd iteration on the lane is beyond LDS, and slices are done as a whole.
  MemoryAccess of_lds;
  Value sum =
      b.Emit(Op::kLoadLds, Type::kV32, {loop.Vgpr(11), loop.Exec(), b.U32(4096)}, 0, of_lds.Pack());
  sum = b.Add(sum, loop.Load(loop.Vgpr(10), kStragglersHigh, loop.Exec()));
  sum = b.Add(sum, loop.Vgpr(3));
  loop.SetActive(11, b.Add(loop.Vgpr(11), b.U32(12)));
  if (address != AddressOfLane::kNone) {
    MemoryAccess access;
    sum = b.Add(sum, b.Emit(Op::kLoad, Type::kV32, {loop.Vgpr(4), loop.Vgpr(5), loop.Exec()}, 0,
                            access.Pack()));
    const Value low = b.Add(loop.Vgpr(4), b.U32(4));
    const Value carry = b.Select(b.Compare(Op::kLtU, low, b.U32(4)), b.U32(1), b.U32(0));
    const Value high = b.Add(loop.Vgpr(5), carry);
    if (address == AddressOfLane::kReadLater) {
      loop.SetActive(4, low);
      loop.SetActive(5, high);
    } else {
      loop.SetForActive(4, low);
      loop.SetForActive(5, high);
    }
  }
  loop.SetActive(3, b.Xor(sum, loop.Sgpr(6)));
  loop.SetForActive(10, b.Add(loop.Vgpr(10), b.U32(4)));
  loop.SetSgpr(6, b.Add(loop.Sgpr(6), b.U32(3)));
  const Value hit = b.Compare(Op::kLtU, loop.Vgpr(3), b.U32(0x8000'0000));
  const Value kept = b.AndNot(loop.Pair(20), loop.Exec());
  loop.SetPair(20, b.Or(kept, b.And(loop.Exec(), b.Xor(hit, loop.Pair(20)))));
  const Function& function = loop.FinishUntilNoLane();
  for (const int lane : {0, 17, 63}) {
    for (const uint32_t trips : {7u, 8u, 9u, 100u, 263u, 264u, 265u, 272u, 273u, 900u}) {
      Machine machine = RandomMachine(trips);
      SetPair(machine, 126, uint64_t{1} << lane);
      SetTrips(machine, [&](int) { return trips; });
      for (uint32_t l = 0; l < ir::kLanes; ++l) {
        machine.vgpr[4][l] = kStragglersLow + 4 * l;
        machine.vgpr[5][l] = kStragglersHigh;
        machine.vgpr[10][l] = kStragglersLow + 64 + shape.offsets[l];
        machine.vgpr[11][l] = 0;
      }
      machine.lds.resize(4096);
      std::vector<size_t> unread = {10};
      if (address == AddressOfLane::kUnread) unread.insert(unread.end(), {4, 5});
      ExpectStragglers(function, machine, {{}, {shape}, unread});
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << trips << " trips";
    }
  }
}

TEST(StragglerLoop, TheOnlyLanePausesSeldom) {
  ir::VgprShape rising{10, ir::kLanes, 0, {}};
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) rising.offsets[lane] = lane * 4;
  for (const AddressOfLane address :
       {AddressOfLane::kNone, AddressOfLane::kReadLater, AddressOfLane::kUnread}) {
    TestTheOnlyLane({10, ir::kLanes, 0, {}}, address);  // all are the same
    TestTheOnlyLane(rising, address);
    TestTheOnlyLane({10, 1, 0, {}}, address);  // nothing is known
  }
}

}  // namespace
}  // namespace gcnjit::backend
