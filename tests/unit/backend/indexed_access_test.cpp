// Loads and stores whose address is a base and a lane's index: consecutive ones, parts of a slice
// that are, others, and indices whose extension or sum wraps around.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend/compiled_block.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::ExitReason;
using ir::FloatEnv;
using ir::Function;
using ir::MemoryAccess;
using ir::Op;
using ir::Type;
using ir::Value;

constexpr uint8_t kSizes[] = {1, 2, 4, 8, 12, 16};
using Indices = std::array<uint32_t, ir::kLanes>;

struct Form {
  MemoryAccess access;
  bool is_store = false;
  bool uniform_index = false;
  bool partly_read = false;
  bool constant_base = false;
  bool repeated = false;  // nobody asks for what is ahead of the second one
  int32_t imm = 0;

  uint32_t unit() const { return 1u << access.index_shift; }
  // What indices of consecutive elements differ by; 0: they cannot be consecutive.
  uint32_t step() const { return access.bytes % unit() == 0 ? access.bytes / unit() : 0; }
};

constexpr uint64_t kConstantBase = GuestPages::kBegin + 0x800;

// Index in v0 (or s4), base in s[0:1], mask in s[2:3]; data in v8 to v11, results in v12 to v15.
Function FunctionOf(const Form& form, bool other_environment = false) {
  Function function;
  function.blocks.resize(1);
  function.blocks[0].begin = 0x1000;
  function.blocks[0].guest_pcs = {0};
  Builder b(function, function.blocks[0]);
  std::map<int, Value> read;
  const auto vgpr = [&](int n) {
    Value& v = read[n];
    if (!v) v = b.Emit(Op::kGetVgpr, Type::kV32, {}, n);
    return v;
  };
  Value rounded;
  if (other_environment) {
    rounded = b.Float(Op::kFAdd, {3 << FloatEnv::kRoundShift}, 32, {vgpr(8), vgpr(8)});
  }
  std::vector<Value> args = {
      form.uniform_index ? b.Emit(Op::kGetSgpr, Type::kU32, {}, 4) : vgpr(0),
      form.constant_base ? b.U64(kConstantBase) : b.Emit(Op::kGetSgpr64, Type::kU64, {}, 0),
      b.Emit(Op::kGetSgpr64, Type::kU64, {}, 2)};
  const int dwords = form.access.Dwords();
  if (form.is_store) {
    for (int n = 0; n < dwords; ++n) args.push_back(vgpr(8 + n));
  }
  const auto access = [&] {
    return b.EmitList(form.is_store ? Op::kStore : Op::kLoad,
                      form.is_store ? Type::kVoid : Type::kV32, args.data(),
                      static_cast<int>(args.size()), form.imm, form.access.Pack());
  };
  if (form.repeated) access();
  const Value v = access();
  std::vector<Value> results;
  for (int n = 0; n < dwords && !form.is_store; ++n) results.push_back(b.Part(v, n));
  for (int n = 0; n < static_cast<int>(results.size()); ++n) {
    if (form.partly_read && n % 2 == 0) continue;
    b.Emit(Op::kSetVgpr, Type::kVoid, {results[static_cast<size_t>(n)]}, 12 + n);
  }
  if (other_environment) b.Emit(Op::kSetVgpr, Type::kVoid, {rounded}, 16);
  b.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ExitReason::kEnd));
  return function;
}

Machine RandomMachine(uint64_t seed) {
  std::mt19937_64 random(seed);
  Machine machine;
  for (auto& vgpr : machine.vgpr) {
    for (uint32_t& lane : vgpr) lane = static_cast<uint32_t>(random());
  }
  for (std::byte& byte : machine.memory) byte = static_cast<std::byte>(random());
  return machine;
}

// So that the first lane's address is `at`.
void SetAddresses(Machine& machine, const Form& form, const Indices& indices, uint64_t at,
                  uint64_t mask) {
  machine.vgpr[0] = indices;
  machine.sgpr[4] = indices[0];
  const uint64_t index = form.access.index_signed
                             ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(indices[0])})
                             : indices[0];
  const uint64_t base =
      at - (index << form.access.index_shift) - static_cast<uint64_t>(int64_t{form.imm});
  machine.sgpr[0] = static_cast<uint32_t>(base);
  machine.sgpr[1] = static_cast<uint32_t>(base >> 32);
  machine.sgpr[2] = static_cast<uint32_t>(mask);
  machine.sgpr[3] = static_cast<uint32_t>(mask >> 32);
}

Indices Consecutive(uint32_t first, uint32_t step) {
  Indices indices;
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) indices[lane] = first + lane * step;
  return indices;
}
// Rows of `width` lanes with a gap of `gap` elements between them.
Indices Rows(uint32_t first, uint32_t step, uint32_t width, uint32_t gap) {
  Indices indices;
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    indices[lane] = first + (lane + lane / width * gap) * step;
  }
  return indices;
}

// Runs twice: the second time the window is known.
class IndexedAccess {
 public:
  explicit IndexedAccess(const Form& form, bool other_environment = false,
                         const std::vector<ir::VgprShape>& known = {})
      : form_(form), function_(FunctionOf(form, other_environment)) {
    const auto messages = ir::Verify(function_);
    EXPECT_EQ(messages, std::vector<std::string>{}) << ir::Print(function_);
    for (const HostIsa isa : HostIsas()) {
      blocks_.push_back(
          std::make_unique<CompiledBlock>(function_, isa, FloatEnv{}, /*listing=*/false, known));
    }
  }

  // `calls`: of the runtime in the second run, if that is known.
  void Check(const Indices& indices, uint64_t at, uint64_t mask, int calls = -1) {
    Machine machine = RandomMachine(at ^ mask);
    SetAddresses(machine, form_, indices, at, mask);
    const Outcome expected = RunEvaluator(function_, machine);
    faulted_ = expected.fault.has_value();
    for (size_t n = 0; n < blocks_.size(); ++n) {
      for (int run = 0; run < 2; ++run) {
        const uint64_t before = blocks_[n]->helper_calls();
        ASSERT_EQ(Difference(blocks_[n]->Run(machine), expected), "")
            << NameOf(HostIsas()[n]) << ", run " << run << ", mask " << std::hex << mask << ", at "
            << at - GuestPages::kBegin << ", index " << indices[0] << '\n'
            << ir::Print(function_);
        if (run == 1 && calls >= 0) {
          EXPECT_EQ(blocks_[n]->helper_calls() - before, static_cast<uint64_t>(calls))
              << NameOf(HostIsas()[n]) << '\n'
              << ir::Print(function_);
        }
      }
    }
  }
  bool faulted() const { return faulted_; }

 private:
  const Form form_;
  const Function function_;
  std::vector<std::unique_ptr<CompiledBlock>> blocks_;
  bool faulted_ = false;
};

constexpr uint64_t kMiddle = GuestPages::kBegin + 0x1000;
constexpr uint64_t kMasks[] = {~uint64_t{0},
                               0,
                               1,
                               0x8000000000000000,
                               0x00000000FFFFFFFF,
                               0xFFFF0000FFFF0000,
                               0x00FF00FF00FF00FF,
                               0x5555555555555555,
                               ~uint64_t{1} << 8};

// f(form) for each size, sign, direction, extension and each shift up to the size, and beyond.
template <typename F>
void ForAllForms(F f) {
  for (const uint8_t bytes : kSizes) {
    for (const bool sign_extend : {false, true}) {
      if (sign_extend && bytes >= 4) continue;
      for (const bool is_store : {false, true}) {
        if (is_store && sign_extend) continue;
        for (const bool index_signed : {false, true}) {
          for (uint8_t shift = 0; shift <= 5; ++shift) {
            Form form;
            form.access.bytes = bytes;
            form.access.sign_extend = sign_extend;
            form.access.indexed = true;
            form.access.index_signed = index_signed;
            form.access.index_shift = shift;
            form.is_store = is_store;
            f(form);
            if (::testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

TEST(IndexedAccesses, RunsUnderAllMasks) {
  ForAllForms([](const Form& form) {
    IndexedAccess access(form);
    if (form.step() == 0) return;
    for (const uint64_t mask : kMasks) {
      access.Check(Consecutive(5, form.step()), kMiddle, mask, 0);
      if (form.access.index_signed) access.Check(Consecutive(~4u, form.step()), kMiddle, mask, 0);
    }
    EXPECT_FALSE(access.faulted());
  });
}

// Stores of bytes and words lane by lane are the runtime's with AVX-512.
TEST(IndexedAccesses, RowsAndGathers) {
  ForAllForms([](const Form& form) {
    IndexedAccess access(form);
    const uint32_t step = std::max(1u, form.step());
    for (const uint64_t mask : {kMasks[0], kMasks[5], kMasks[7]}) {
      const bool known = form.step() != 0;
      // Of 16 lanes: runs of a part each. Of 8: so with AVX2.
      access.Check(Rows(7, step, 16, 1), kMiddle, mask, known ? 0 : -1);
      access.Check(Rows(7, step, 16, 3), kMiddle, mask, known ? 0 : -1);
      access.Check(Rows(7, step, 8, 1), kMiddle, mask);
      access.Check(Rows(7, step, 4, 1), kMiddle, mask);
      access.Check(Rows(7, step, 32, 1), kMiddle, mask);
      access.Check(Consecutive(7, 0), kMiddle, mask);
      access.Check(Consecutive(7, step + 1), kMiddle, mask);
      access.Check(Consecutive(7, 0u - step), kMiddle, mask);
      // Runs but for one lane, at every place.
      for (int lane = 0; lane < ir::kLanes; lane += 5) {
        Indices indices = Consecutive(7, step);
        indices[static_cast<size_t>(lane)] += 1;
        access.Check(indices, kMiddle, mask);
      }
    }
    std::mt19937 random(form.access.Pack());
    Indices shuffled;
    for (uint32_t& index : shuffled) index = random() % 64;
    access.Check(shuffled, kMiddle, ~uint64_t{0});
  });
}

// The lanes of a part among the 32 dwords from the first lane's on, or just not.
TEST(IndexedAccesses, LanesThatAreNear) {
  const auto of_parts = [](uint32_t first, uint32_t apart, auto distance) {
    Indices indices;
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      indices[lane] = first + lane / 16 * apart + distance(lane % 16);
    }
    return indices;
  };
  const auto twice = [](uint32_t lane) { return lane * 2; };
  const auto mixed = [](uint32_t lane) { return lane * 11 % 32; };
  for (const bool index_signed : {false, true}) {
    Form form;
    form.access.bytes = 4;
    form.access.indexed = true;
    form.access.index_signed = index_signed;
    form.access.index_shift = 2;
    IndexedAccess access(form);
    for (const uint64_t mask : kMasks) {
      access.Check(of_parts(9, 32, twice), kMiddle, mask, 0);
      access.Check(of_parts(9, 100, mixed), kMiddle, mask, 0);
      // Lanes behind the 32 dwords, and before the first lane: active ones and others.
      for (const uint32_t far : {31u, 32u, 33u, ~0u, 0x200u}) {
        for (const uint32_t odd : {1u, 9u, 15u}) {
          access.Check(
              of_parts(9, 64, [&](uint32_t lane) { return lane == odd ? far : mixed(lane); }),
              kMiddle, mask, 0);
        }
      }
      EXPECT_FALSE(access.faulted());
    }
    // Inactive lanes are anywhere.
    access.Check(of_parts(9, 64, [](uint32_t lane) { return lane % 2 == 0 ? lane : lane << 27; }),
                 kMiddle, 0x5555555555555555, 0);
    EXPECT_FALSE(access.faulted());
    // Memory ends within the 32 dwords, behind the last lane's or before it.
    const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
    for (uint32_t dwords = 1; dwords < 132; dwords += 5) {
      access.Check(of_parts(9, 32, twice), end - uint64_t{dwords} * 4, ~uint64_t{0});
    }
    // The index wraps around within a part.
    const uint32_t limit = index_signed ? 0x80000000 : 0;
    for (uint32_t before = 1; before < 40; ++before) {
      access.Check(of_parts(limit - before, 0, twice), kMiddle, ~uint64_t{0});
    }
  }
}

// Consecutive indices are consecutive no more where the extension wraps around: from 2^31 - 1 to
// -2^31, or from 2^32 - 1 to 0. Nor do addresses, which then leave memory.
TEST(IndexedAccesses, IndicesThatWrapAround) {
  ForAllForms([](const Form& form) {
    IndexedAccess access(form);
    const uint32_t step = std::max(1u, form.step());
    const uint32_t limit = form.access.index_signed ? 0x80000000 : 0;
    for (const uint32_t lanes : {1u, 8u, 15u, 16u, 17u, 32u, 48u, 63u}) {
      // The first index that has wrapped around is that of lane `lanes`.
      const Indices indices = Consecutive(limit - lanes * step, step);
      const uint64_t below = (uint64_t{1} << lanes) - 1;
      access.Check(indices, kMiddle, below);
      EXPECT_FALSE(access.faulted());
      access.Check(indices, kMiddle, ~uint64_t{0});
      EXPECT_TRUE(access.faulted());
    }
    // The last lane's index is the last one that has not.
    access.Check(Consecutive(limit - 63 * step - 1, step), kMiddle, ~uint64_t{0});
    EXPECT_FALSE(access.faulted());
    access.Check(Consecutive(limit - 64 * step, step), kMiddle, ~uint64_t{0});
    EXPECT_FALSE(access.faulted());
    // The other limit is none.
    access.Check(Consecutive((limit ^ 0x80000000) - 20 * step, step), kMiddle, ~uint64_t{0});
    EXPECT_FALSE(access.faulted());
  });
}

// It is known that each 16 lanes are consecutive, but not how the runs lie to each other.
TEST(IndexedAccesses, RunsOfAPartThatAreKnown) {
  constexpr uint32_t kRun = 16;
  ForAllForms([](const Form& form) {
    const uint32_t step = form.step();
    if (step == 0) return;
    ir::VgprShape shape{0, kRun, 0, {}};
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) shape.offsets[lane] = lane % kRun * step;
    constexpr std::pair<int32_t, bool> kForms[] = {
        {0, false}, {-24, false}, {4000, false}, {0, true}};
    for (const auto& [imm, repeated] : kForms) {
      Form moved = form;
      moved.imm = imm;
      moved.repeated = repeated;
      IndexedAccess access(moved, /*other_environment=*/false, {shape});
      for (const uint64_t mask : kMasks) {
        access.Check(Rows(7, step, kRun, 1), kMiddle, mask, 0);
        if (form.access.index_signed) access.Check(Rows(~80u, step, kRun, 2), kMiddle, mask, 0);
        EXPECT_FALSE(access.faulted());
      }
      // The base is far away, and an index of the last run wraps around, or just does not.
      const uint32_t limit = form.access.index_signed ? 0x80000000 : 0;
      for (const uint32_t lanes : {49u, 56u, 63u, 64u}) {
        const Indices indices = Consecutive(limit - lanes * step, step);
        const uint64_t below = lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1;
        access.Check(indices, kMiddle, below);
        EXPECT_FALSE(access.faulted());
        if (lanes == 64) continue;
        access.Check(indices, kMiddle, ~uint64_t{0});
        EXPECT_TRUE(access.faulted());
      }
      // Bases on either side of the distances at which the way is another one.
      for (const uint64_t distance : {uint64_t{1} << 30, uint64_t{1} << 31, uint64_t{1} << 32}) {
        for (const int64_t near : {-0x1000, -1, 0, 1, 0x1000}) {
          const uint64_t index =
              (distance + static_cast<uint64_t>(near)) >> form.access.index_shift;
          if (index >> 31 != 0) continue;
          access.Check(Rows(static_cast<uint32_t>(index), step, kRun, 1), kMiddle, ~uint64_t{0});
          if (!form.access.index_signed) continue;
          access.Check(Rows(0u - static_cast<uint32_t>(index), step, kRun, 1), kMiddle,
                       ~uint64_t{0});
        }
      }
      // Runs within memory and outside it.
      Indices apart = Rows(7, step, kRun, 0);
      for (uint32_t lane = 2 * kRun; lane < 3 * kRun; ++lane) apart[lane] += 0x20000000;
      access.Check(apart, kMiddle, ~uint64_t{0});
      EXPECT_EQ(access.faulted(), true);
    }
  });
}

// Memory ends, and with it the window, within the run.
TEST(IndexedAccesses, RunsThatEndWithMemory) {
  ForAllForms([](const Form& form) {
    IndexedAccess access(form);
    const uint32_t step = form.step();
    if (step == 0) return;
    const uint64_t end = GuestPages::kBegin + GuestPages::kSize;
    access.Check(Consecutive(3, step), kMiddle, ~uint64_t{0});
    for (const uint32_t lanes : {64u, 63u, 49u, 48u, 33u, 32u, 17u, 16u, 15u, 9u, 8u, 7u, 1u}) {
      const uint64_t at = end - lanes * form.access.bytes;
      const uint64_t inside = lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1;
      access.Check(Consecutive(3, step), at, inside);
      EXPECT_FALSE(access.faulted());
      access.Check(Consecutive(3, step), at + 1, inside);
      EXPECT_TRUE(access.faulted());
      if (lanes != 64) access.Check(Consecutive(3, step), at, ~uint64_t{0});
      // In front of it.
      const uint64_t front = GuestPages::kBegin - (64 - lanes) * form.access.bytes;
      access.Check(Consecutive(3, step), front,
                   lanes == 64 ? inside : ~uint64_t{0} << (64 - lanes));
      EXPECT_FALSE(access.faulted());
      access.Check(Consecutive(3, step), front - 1, ~uint64_t{0});
      EXPECT_TRUE(access.faulted());
    }
  });
}

// Lanes that do not access may have any address.
TEST(IndexedAccesses, InactiveLanesMayHaveAnyIndex) {
  ForAllForms([](const Form& form) {
    IndexedAccess access(form);
    std::mt19937 random(form.access.Pack());
    Indices garbage;
    for (uint32_t& index : garbage) index = static_cast<uint32_t>(random());
    access.Check(garbage, 0x123456789ABCDEF0, 0);
    access.Check(garbage, ~uint64_t{0}, 0);
    for (const uint64_t mask : {kMasks[2], kMasks[5], kMasks[7]}) {
      Indices indices = garbage;
      const uint32_t step = std::max(1u, form.step());
      for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
        if ((mask >> lane & 1) != 0) indices[lane] = 100 + lane * step;
      }
      if ((mask & 1) == 0) indices[0] = 100;
      access.Check(indices, kMiddle, mask);
      EXPECT_FALSE(access.faulted());
    }
  });
}

// Some lanes fault; the first one counts.
TEST(IndexedAccesses, Faults) {
  ForAllForms([](const Form& form) {
    if (form.access.index_shift == 1 || form.access.index_shift == 5) return;
    for (const bool other_environment : {false, true}) {
      IndexedAccess access(form, other_environment);
      for (const size_t lane : {size_t{0}, size_t{9}, size_t{16}, size_t{40}, size_t{63}}) {
        Indices indices = Consecutive(64, std::max(1u, form.step()));
        // From the first lane on: addresses are given by lane 0's.
        indices[lane] = lane == 0 ? 0 : 0x40000000;
        indices[63] = 0x30000000;
        access.Check(indices, lane == 0 ? 0x1000 : kMiddle, ~uint64_t{0});
        EXPECT_TRUE(access.faulted());
        access.Check(indices, kMiddle,
                     ~uint64_t{0} & ~(uint64_t{1} << lane) & ~(uint64_t{1} << 63));
        access.Check(indices, kMiddle, 0);
        EXPECT_FALSE(access.faulted());
      }
    }
  });
}

TEST(IndexedAccesses, OffsetsConstantBasesAndUniformIndices) {
  for (const int32_t imm : {0, 4, -4, 1, 4095, -4096, 8191, -8191}) {
    ForAllForms([imm](const Form& plain) {
      if (plain.access.index_shift == 1 || plain.access.index_shift > 3) return;
      Form form = plain;
      form.imm = imm;
      const uint32_t step = std::max(1u, form.step());
      for (const bool partly_read : {false, true}) {
        form.partly_read = partly_read;
        IndexedAccess access(form, /*other_environment=*/partly_read);
        access.Check(Consecutive(1000, step), kMiddle, ~uint64_t{0});
        access.Check(Rows(~99u, step, 16, 2), kMiddle, 0xFFFFFFFFFF);
        access.Check(Consecutive(1000, step + 1), kMiddle, kMasks[7]);
      }
      form.partly_read = false;
      Form uniform = form;
      uniform.uniform_index = true;
      IndexedAccess(uniform).Check(Consecutive(1000, 0), kMiddle, kMasks[5]);
      Form constant = form;
      constant.constant_base = true;
      IndexedAccess access(constant);
      access.Check(Consecutive(constant.imm < 0 ? 0x2100 >> form.access.index_shift : 0, step),
                   kMiddle, ~uint64_t{0});
    });
  }
}

// Sums that wrap around at 2^64, and carries from the low dword into the high one.
TEST(IndexedAccesses, SumsThatCarry) {
  ForAllForms([](const Form& plain) {
    Form form = plain;
    for (const uint8_t shift : {uint8_t{0}, uint8_t{2}, uint8_t{16}, uint8_t{31}}) {
      form.access.index_shift = shift;
      IndexedAccess access(form);
      for (const uint32_t first : {0u, 1u, 0x7FFFF000u, 0x80000000u, 0xC0000001u, 0xFFFFF000u}) {
        const uint32_t step = form.step() != 0 ? form.step() : shift > 8 ? 0 : 1;
        access.Check(Consecutive(first, step), kMiddle, ~uint64_t{0});
        EXPECT_FALSE(access.faulted());
      }
    }
  });
}

}  // namespace
}  // namespace gcnjit::backend
