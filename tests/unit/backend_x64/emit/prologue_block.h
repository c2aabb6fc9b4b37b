// Group code of one block, most of it scalar, and waves that run it one after another.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/parser.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend::prologue_tests {

using ir::Builder;
using ir::Function;
using ir::Op;
using ir::Type;
using ir::Value;

inline constexpr int kWavesOfPrologue = 4;
// In the guest's pages.
inline constexpr uint64_t kTable = 0x1000;  // what scalar loads read, 64 bytes
inline constexpr uint64_t kStores = 0x2000;

inline Function ParseGroupCode(const std::string& lines) {
  const ir::ParseResult parsed = ir::Parse(
      "block 0x0 instructions=9\nguest 0 0x0\n"
      "%1 = get_sgpr64.u64 s4\n%2 = get_sgpr64.u64 s6\n%3 = get_vgpr.v32 v0\n"
      "%4 = get_sgpr.u32 s8\n%5 = get_sgpr.u32 s9\n" +
      lines + "exit end, 0x4\n");
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{});
  return parsed.function;
}

// Waves with the same SGPRs: s[4:5] is the table, s[6:7] where stores go, s8 and s9 are numbers. v0
// goes on from wave to wave, v1 is anything.
inline std::vector<Machine> Waves(uint64_t seed, uint64_t stores = kStores) {
  std::mt19937_64 random(seed);
  Machine machine;
  FillRandom(random, machine.memory);
  for (uint32_t& sgpr : machine.sgpr) sgpr = static_cast<uint32_t>(random());
  SetPair(machine, 4, GuestPages::kBegin + kTable);
  SetPair(machine, 6, GuestPages::kBegin + stores);
  SetPair(machine, 126, ~uint64_t{0});
  std::vector<Machine> waves(kWavesOfPrologue, machine);
  for (size_t n = 0; n < waves.size(); ++n) {
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      waves[n].vgpr[0][lane] = static_cast<uint32_t>(n) * ir::kLanes + lane;
      waves[n].vgpr[1][lane] = static_cast<uint32_t>(random());
    }
  }
  return waves;
}

// Scalars of every kind that lanes and scalars read: v3 is made of s8.
inline const std::string kScalarLines =
    "%10 = load_scalar.u32 %1 {dwords=4, offset=8}\n%11 = part.u32 %10 {dword=1}\n"
    "%12 = part.u32 %10 {dword=3}\n%13 = mul.u32 %10, %4\n%14 = add.u32 %13, %11\n"
    "%15 = xor.u32 %14, %5\n%16 = zext.u64 %15\n%17 = shl.u64 %16, 3\n"
    "%18 = load_scalar.u32 %1 {dwords=2, offset=40}\n%19 = part.u32 %18 {dword=1}\n";
inline const std::string kLanes =
    "%30 = add.v32 %3, %14\n%31 = xor.v32 %30, %12\n%32 = add.v32 %31, %19\n"
    "set_vgpr v3, %32\n";
inline const std::string kStoreLines =
    "store %3, %2, 0xffffffffffffffff:u64, %32 {bytes=4, index=sext<<2}\n";

class RandomBlock {
 public:
  explicit RandomBlock(uint64_t seed) : random_(seed) {
    function.blocks[0].guest_pcs = {0};
    function.blocks[0].instruction_count = 7;
    const Value table = b_.Emit(Op::kGetSgpr64, Type::kU64, {}, 4);
    const Value stores = b_.Emit(Op::kGetSgpr64, Type::kU64, {}, 6);
    for (int n = 8; n < 12; ++n) scalars_.push_back(b_.Emit(Op::kGetSgpr, Type::kU32, {}, n));
    scalars_.push_back(b_.U32(static_cast<uint32_t>(random_())));
    const Value v0 = b_.Emit(Op::kGetVgpr, Type::kV32, {}, 0);
    lanes_ = {v0, b_.Emit(Op::kGetVgpr, Type::kV32, {}, 1)};
    const int size = 10 + static_cast<int>(random_() % 40);
    for (int n = 0; n < size; ++n) Step(table, stores, v0);
    for (int n = 0; n < 3; ++n) b_.Emit(Op::kSetVgpr, Type::kVoid, {Pick(lanes_)}, 3 + n);
    b_.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
  }

  Function function;

 private:
  void Step(Value table, Value stores, Value v0) {
    constexpr Op kOps[] = {Op::kAdd, Op::kSub, Op::kMul, Op::kXor, Op::kShl, Op::kMinU};
    const Op op = kOps[random_() % std::size(kOps)];
    switch (random_() % 12) {
      case 0:
      case 1: {
        const uint32_t dwords = 1u << random_() % 3;
        const auto offset = static_cast<int64_t>(random_() % 12 * 4);
        const Value load =
            b_.Emit(Op::kLoadScalar, Type::kU32, {table}, offset, static_cast<uint16_t>(dwords));
        for (uint32_t n = 0; n < dwords; ++n) {
          scalars_.push_back(b_.Part(load, static_cast<int>(n)));
        }
        return;
      }
      case 2:
        scalars_.push_back(b_.Emit(Op::kReadLane, Type::kU32, {Pick(lanes_), b_.U32(9)}));
        return;
      case 3: {
        const Value is_less = b_.Emit(Op::kLtU, Type::kU1, {Pick(scalars_), Pick(scalars_)});
        scalars_.push_back(
            b_.Emit(Op::kSelect, Type::kU32, {is_less, Pick(scalars_), Pick(scalars_)}));
        return;
      }
      case 4: {
        const Value pair = b_.Emit(Op::kPack, Type::kU64, {Pick(scalars_), Pick(scalars_)});
        scalars_.push_back(b_.Emit(Op::kHigh, Type::kU32, {pair}));
        lanes_.push_back(b_.Emit(Op::kSelect, Type::kV32, {pair, Pick(lanes_), Pick(scalars_)}));
        return;
      }
      case 5:
        if (++stores_ <= 4) Store(stores, v0);
        return;
      case 6:
      case 7:
      case 8: lanes_.push_back(b_.Emit(op, Type::kV32, {Pick(lanes_), Pick(scalars_)})); return;
      default: scalars_.push_back(b_.Emit(op, Type::kU32, {Pick(scalars_), Pick(scalars_)}));
    }
  }

  void Store(Value stores, Value v0) {
    ir::MemoryAccess form;
    form.bytes = 4;
    form.indexed = true;
    form.index_signed = true;
    form.index_shift = 2;
    const Value args[] = {v0, stores, b_.U64(~uint64_t{0}), Pick(lanes_)};
    b_.EmitList(Op::kStore, Type::kVoid, args, 4, 0, form.Pack());
  }

  Value Pick(const std::vector<Value>& from) { return from[random_() % from.size()]; }

  std::mt19937_64 random_;
  Builder b_{function, function.blocks.emplace_back()};
  std::vector<Value> scalars_, lanes_;
  int stores_ = 0;
};

}  // namespace gcnjit::backend::prologue_tests
