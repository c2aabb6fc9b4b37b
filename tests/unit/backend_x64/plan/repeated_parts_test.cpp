// Lane values that are alike in several parts of a slice, which have one register
// (repeated_parts.h).
#include <cstring>

#include "tests/unit/backend_x64/repeating_block.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::Function;
using ir::Op;
using ir::Type;
using ir::Value;

TEST(RepeatedParts, AreComputedOnce) {
  const auto product = [](RepeatingBlock& block, Value x, Value y) {
    block.Set(10, block.b.Mul(x, y));
  };
  ExpectShared(true, [&](RepeatingBlock& x) { product(x, x.Vgpr(0), x.Vgpr(3)); });
  ExpectShared(true, [&](RepeatingBlock& x) { product(x, x.Vgpr(0), x.Sgpr(3)); });
  ExpectShared(false, [&](RepeatingBlock& x) { product(x, x.Vgpr(0), x.Vgpr(6)); });
  ExpectShared(false, [&](RepeatingBlock& x) { product(x, x.Vgpr(0), x.b.LaneId()); });
  // Of what is loaded under a mask of all lanes, or another one.
  ExpectShared(true, [&](RepeatingBlock& x) {
    product(x, x.Vgpr(3), x.Load(x.Address(x.Vgpr(0)), x.All(), 8)[1]);
  });
  ExpectShared(true, [&](RepeatingBlock& x) {
    product(x, x.Vgpr(3), x.LoadLds(x.Index(x.Vgpr(0)), x.All())[0]);
  });
  ExpectShared(false, [&](RepeatingBlock& x) {
    product(x, x.Vgpr(3), x.LoadIndexed(x.Index(x.Vgpr(0)), x.Pair(4))[0]);
  });
  ExpectShared(false, [&](RepeatingBlock& x) {
    const Value load = x.LoadIndexed(x.Index(x.Vgpr(0)), x.b.U64(0x123456789ABCDEF0))[0];
    product(x, x.Vgpr(3), load);
  });
  // By a mask that repeats itself, or not.
  for (const int vgpr : {3, 6}) {
    ExpectShared(vgpr == 3, [&](RepeatingBlock& x) {
      const Value mask = x.b.Compare(Op::kLtU, x.Vgpr(vgpr), x.Vgpr(4));
      product(x, x.Vgpr(0), x.b.Select(mask, x.Vgpr(1), x.Vgpr(5)));
    });
  }
  // A mask that is wanted as a number, or by fault reports, has all its bits.
  for (const Op op : {Op::kSetSgpr64, Op::kNoteExec}) {
    ExpectShared(false, [&](RepeatingBlock& x) {
      const Value mask = x.b.Compare(Op::kLtU, x.Vgpr(3), x.Vgpr(4));
      x.b.Emit(op, Type::kVoid, {mask}, op == Op::kSetSgpr64 ? 20 : 0);
      product(x, x.Vgpr(0), x.b.Select(mask, x.Vgpr(1), x.Vgpr(5)));
    });
  }
}

// A part of which only some lanes are loaded has not what those like it load, which have all lanes.
TEST(RepeatedParts, LoadsFromLdsUnderMasksOfSomeParts) {
  for (const uint64_t mask : {0xFFFFFFFFFFFE0000u, 0xFFFFFFFF00000000u, 0xFFFFFFFF0000FFFFu,
                              0xFFFF00FFFFFF0001u, 0x0000FFFFFFFF8000u}) {
    RepeatingBlock x;
    const Value in_row = x.b.And(x.b.LaneId(), x.b.U32(15));
    x.Set(10, x.LoadLds(x.b.Mul(in_row, x.b.U32(2)), x.b.U64(mask))[0]);
    x.Set(11, x.LoadLds(x.b.Mul(in_row, x.b.U32(12)), x.b.U64(mask))[0]);
    ExpectTheSame(x.Finish());
  }
}

// Every second part is alike, or neighbours are; what is made of both is in no two parts the same.
TEST(RepeatedParts, AreComputedOnceForSome) {
  constexpr uint32_t kRow = 0x0F;    // of 16 lanes
  constexpr uint32_t kRows = 0x37;   // in pairs
  constexpr uint32_t kSlice = 0x27;  // other slices, other values
  const auto expect = [](int parts, LaneBits bits, int a, int b) {
    for (const bool is_loop : {false, true}) {
      ExpectParts(
          parts, bits,
          [&](RepeatingBlock& x) {
            const Value product = x.b.Mul(x.Vgpr(a), x.Vgpr(b));
            x.SetLast(10, product);
            if (!is_loop) x.Set(10, product);
          },
          is_loop);
    }
  };
  expect(2, {kRow, kRows}, 0, 1);
  expect(2, {kRow, kRows}, 3, 4);
  expect(4, {kRow, kRows}, 0, 3);
  expect(4, {kRow, kRows}, 3, 6);
  expect(2, {kRow, kSlice}, 0, 3);
  expect(2, {kSlice, kRows}, 0, 3);
  expect(1, {kSlice, kRows}, 0, 1);
  // Loads and masks.
  for (const LaneBits bits : {LaneBits{kRow, kRow}, LaneBits{kRows, kRows}}) {
    ExpectParts(2, bits, [](RepeatingBlock& x) {
      const std::vector<Value> loads = {x.Load(x.Address(x.Vgpr(0)), x.All())[0],
                                        x.LoadIndexed(x.Index(x.Vgpr(0)), x.All())[0],
                                        x.LoadLds(x.Index(x.Vgpr(0)), x.All())[0]};
      Value sum = x.Vgpr(1);
      for (const Value load : loads) sum = x.b.Add(sum, load);
      const Value mask = x.b.Compare(Op::kLtU, x.Vgpr(3), x.Vgpr(4));
      x.Set(10, x.b.Mul(x.Vgpr(3), x.b.Select(mask, sum, x.Vgpr(5))));
    });
  }
}

// Where a flat address is scratch, each lane has its own memory.
TEST(RepeatedParts, AreNotLoadedFromAnywhere) {
  for (const ir::Space space : {ir::Space::kGlobal, ir::Space::kFlat}) {
    ExpectShared(space == ir::Space::kGlobal, [&](RepeatingBlock& x) {
      const Value load = x.Load(x.Address(x.Vgpr(0)), x.All(), 4, space)[0];
      x.Set(10, x.b.Mul(load, x.Vgpr(1)));
    });
  }
}

TEST(RepeatedParts, Arithmetic) {
  RepeatingBlock x;
  Builder& b = x.b;
  const Value sum = b.Add(x.Vgpr(0), x.Vgpr(3));
  const Value other = b.Add(sum, x.Vgpr(6));
  const Value wide = b.Emit(Op::kMulWideS, Type::kV64, {sum, x.Vgpr(4)});
  const Value wide2 = b.Emit(Op::kAdd, Type::kV64, {wide, x.Pair(20)});
  const Value mixed = b.Emit(Op::kAdd, Type::kV64, {wide2, b.Pack(other, sum)});
  const Value shifted = b.Emit(Op::kAshr, Type::kV64, {wide2, x.Vgpr(7)});
  const Value in_env =
      b.Float(Op::kFFma, {3 << ir::FloatEnv::kRoundShift}, 32, {sum, x.Vgpr(1), x.Vgpr(2)});
  // What dies here has its register taken over by one part.
  x.Set(10, b.Float(Op::kFFma, {}, 32, {in_env, other, x.Vgpr(8)}));
  x.Set(11, b.Low(mixed));
  x.Set(12, b.High(mixed));
  x.Set(13, b.High(shifted));
  x.Set(14, b.Low(wide2));
  x.Set(15, b.High(wide2));
  x.Set(16, sum);
  x.Set(17, sum);
  x.Set(18, x.Vgpr(5));
  ExpectTheSame(x.Finish());
}

TEST(RepeatedParts, Masks) {
  RepeatingBlock x;
  Builder& b = x.b;
  const Value shared = b.Compare(Op::kLtS, x.Vgpr(0), x.Vgpr(3));
  const Value shared2 = b.Compare(Op::kLtU, x.Vgpr(1), b.U32(0x80000000));
  const Value other = b.Compare(Op::kLtU, x.Vgpr(6), x.Vgpr(4));
  const Value wide = b.Compare(Op::kLtU, b.Pack(x.Vgpr(0), x.Vgpr(1)), b.Zext(x.Vgpr(2)));
  const Value floats = b.FCmp(1, {}, x.Vgpr(3), x.Vgpr(4));
  int set = 10;
  // Compares take in each other's masks where they can.
  for (const Value mask :
       {b.And(shared, shared2), b.And(shared, other), b.And(other, shared2), b.Or(wide, shared),
        b.Xor(floats, wide), b.AndNot(x.Pair(20), shared), b.And(shared, b.U64(0x123456789ABCDEF0)),
        b.And(b.Compare(Op::kLeS, x.Vgpr(2), x.Vgpr(5)), other),
        b.And(b.Compare(Op::kLeS, x.Vgpr(7), x.Vgpr(5)), shared)}) {
    const Value term = x.Vgpr(set % 2 == 0 ? 8 : 5);
    x.Set(set++, b.Select(mask, x.Vgpr(3), b.Add(x.Vgpr(4), term)));
  }
  b.Emit(Op::kSetSgpr64, Type::kVoid, {b.Or(shared2, wide)}, 30);
  b.Emit(Op::kSetSgpr64, Type::kVoid, {floats}, 32);
  ExpectTheSame(x.Finish());
}

TEST(RepeatedParts, Loads) {
  for (const int vgpr : {0, 6}) {
    for (const uint8_t bytes : {uint8_t{4}, uint8_t{8}, uint8_t{12}, uint8_t{16}}) {
      for (const bool is_masked : {false, true}) {
        RepeatingBlock x;
        const Value mask = is_masked ? x.b.Compare(Op::kLtS, x.Vgpr(1), x.Vgpr(vgpr + 3)) : x.All();
        int set = 10;
        const auto keep = [&](const std::vector<Value>& parts, size_t first) {
          for (size_t n = first; n < parts.size(); n += 2) x.Set(set++, parts[n]);
        };
        keep(x.Load(x.Address(x.Vgpr(vgpr)), mask, bytes), 0);
        keep(x.LoadIndexed(x.Index(x.Vgpr(vgpr)), mask, bytes), bytes == 4 ? 0 : 1);
        keep(x.LoadIndexed(x.Index(x.Vgpr(vgpr)), x.All(), bytes), 0);
        const Value address = x.b.And(x.Vgpr(vgpr), x.b.U32(0x3F0));
        keep(x.LoadLds(address, mask, bytes), 0);
        keep(x.LoadLds(address, mask, bytes, 16), 0);
        keep(x.LoadLds(x.Vgpr(vgpr), mask, bytes, 4), 0);
        // Whether these are within bounds is decided at the block's begin.
        keep(x.LoadLds(x.Vgpr(5), x.Pair(126)), 0);
        keep(x.LoadLds(x.Vgpr(5), x.Pair(126), 4, 64), 0);
        ASSERT_LE(set, Machine::kVgprs);
        ExpectTheSame(x.Finish());
      }
    }
  }
}

// The lanes of one part are a run, those of the wave are not: a load for several parts must not
// tell others where the run is. Nothing is known of the indices but that they repeat themselves.
TEST(RepeatedParts, RunsOfOnePart) {
  for (const bool is_first : {false, true}) {
    for (const bool is_store : {false, true}) {
      RepeatingBlock x;
      const Value index = x.LoadLds(x.Vgpr(5), x.All())[0];
      if (is_first) x.Set(10, x.LoadIndexed(index, x.All())[0]);
      if (is_store) {
        x.Store(index, x.All(), x.Vgpr(6));
      } else {
        x.Set(11, x.LoadIndexed(index, x.Pair(20))[0]);
      }
      if (!is_first) x.Set(10, x.LoadIndexed(index, x.All())[0]);
      const Function& function = x.Finish();
      for (const LaneBits bits : kLaneBits) {
        Machine machine = RepeatingMachine(1, bits);
        for (uint32_t n = 0; n < machine.lds.size() / 4; ++n) {
          std::memcpy(&machine.lds[n * 4], &n, 4);
        }
        const Outcome expected = RunEvaluator(function, machine);
        ASSERT_FALSE(expected.fault);
        for (const HostIsa isa : HostIsas()) {
          CompiledBlock block(function, isa, {}, false, ShapesOf(bits));
          for (int run = 0; run < 2; ++run) {
            EXPECT_EQ(Difference(block.Run(machine), expected), "")
                << NameOf(isa) << ", " << bits << '\n'
                << ir::Print(function);
          }
        }
      }
    }
  }
}

// Lane 3 of each part has an address of its own, which may not be accessed: that of the first part
// is reported.
TEST(RepeatedParts, LoadsThatFault) {
  for (const bool indexed : {false, true}) {
    RepeatingBlock x;
    const Value v = indexed ? x.LoadIndexed(x.Vgpr(0), x.All())[0] : x.Load(x.Vgpr(0), x.All())[0];
    x.Set(10, x.b.Add(v, x.Vgpr(6)));
    const Function& function = x.Finish();
    std::vector<ir::VgprShape> shapes = ShapesOf({});
    for (size_t lane = 3; lane < ir::kLanes; lane += 8) shapes[0].offsets[lane] = 0x10000000;
    Machine machine = RepeatingMachine(1, {});
    for (size_t lane = 0; lane < ir::kLanes; ++lane) {
      machine.vgpr[0][lane] = (indexed ? 5 : kLow) + shapes[0].offsets[lane];
    }
    const Outcome expected = RunEvaluator(function, machine);
    ASSERT_TRUE(expected.fault);
    EXPECT_EQ(expected.fault->lane, 3);
    for (const HostIsa isa : HostIsas()) {
      CompiledBlock block(function, isa, {}, false, shapes);
      for (int run = 0; run < 2; ++run) EXPECT_EQ(Difference(block.Run(machine), expected), "");
    }
  }
}

// Values are written back at once or later, over what others still want.
TEST(RepeatedParts, WriteBack) {
  for (const int count : {0, 30}) {
    RepeatingBlock x;
    Builder& b = x.b;
    std::vector<Value> live;
    for (int n = 0; n < count; ++n) live.push_back(b.Add(x.Vgpr(n % 10), b.U32(77u * unsigned(n))));
    const Value sum = b.Add(x.Vgpr(0), x.Vgpr(3));
    const Value mixed = b.Add(x.Vgpr(1), x.Vgpr(6));
    const Value old = x.Vgpr(2);
    const Value three = x.Vgpr(3);
    const Value five = x.Vgpr(5);
    const Value seven = x.Vgpr(7);
    x.Set(0, sum);        // over an argument
    x.Set(1, mixed);      // one part over an argument that all have in common
    x.Set(2, x.Vgpr(4));  // over one that is wanted later
    x.Set(6, b.Mul(sum, five));
    x.Set(7, five);
    x.Set(3, seven);
    Value last = b.Add(old, mixed);
    for (const Value v : live) last = b.Xor(b.Mul(last, b.U32(3)), v);
    x.Set(8, last);
    x.Set(5, b.Add(old, three));
    ExpectTheSame(x.Finish());
  }
}

TEST(RepeatedParts, InLaterStages) {
  for (const int count : {0, 12, 30}) {
    RepeatingBlock x;
    Builder& b = x.b;
    std::vector<Value> live;
    for (int n = 0; n < count; ++n) live.push_back(b.Mul(x.Vgpr(n % 9), b.U32(77u * unsigned(n))));
    const Value sum = b.Add(x.Vgpr(0), x.Vgpr(3));
    const Value wide = b.Emit(Op::kMulWideU, Type::kV64, {sum, x.Vgpr(1)});
    const Value mask = b.Compare(Op::kLtU, x.Vgpr(4), sum);
    const Value loaded = x.LoadIndexed(x.Index(x.Vgpr(1)), x.All())[0];
    x.Store(x.Index(x.Vgpr(6)), x.All(), sum);
    const Value again = x.LoadIndexed(x.Index(x.Vgpr(1)), x.All())[0];
    x.StoreLds(b.And(sum, b.U32(0x3FC)), mask, x.Vgpr(7));
    const Value lds = x.LoadLds(b.And(sum, b.U32(0x3FC)), x.All())[0];
    // Other lanes' values want the whole wave's in memory.
    ir::LanePattern pattern;
    for (int lane = 0; lane < ir::kLanes; ++lane) {
      pattern[lane] = static_cast<uint8_t>(lane * 5 % ir::kLanes);
    }
    const Value permuted = b.Emit(Op::kPermute, Type::kV32, {sum}, b.Pattern(pattern));
    const Value lane = b.Emit(Op::kReadLane, Type::kU32, {loaded, b.U32(45)});
    x.Set(10, b.Add(permuted, sum));
    x.Set(11, b.Add(b.High(wide), lane));
    x.Set(12, b.Select(mask, b.Low(wide), x.Vgpr(8)));
    x.Set(13, b.Sub(again, loaded));
    x.Set(14, lds);
    Value last = sum;
    for (const Value v : live) last = b.Xor(b.Mul(last, b.U32(3)), v);
    x.Set(15, last);
    b.Emit(Op::kSetSgpr, Type::kVoid, {lane}, 30);
    ExpectTheSame(x.Finish());
  }
}

}  // namespace
}  // namespace gcnjit::backend
