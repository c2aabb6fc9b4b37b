// Blocks of random loads and stores, and addresses of every order for them.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <random>
#include <vector>

#include "ir/builder.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend::access_tests {

using ir::Builder;
using ir::ExitReason;
using ir::FloatEnv;
using ir::Function;
using ir::MemoryAccess;
using ir::Op;
using ir::Type;
using ir::Value;

inline uint64_t Functions() {
  const char* text = std::getenv("GCNJIT_BACKEND_ACCESSES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1500;
}

inline constexpr uint8_t kSizes[] = {1, 2, 4, 8, 12, 16};
inline constexpr uint64_t kAccessMasks[] = {~uint64_t{0},
                                            0,
                                            0x00000000FFFFFFFF,
                                            0xFFFF0000FFFF0000,
                                            1,
                                            0x8000000000000000,
                                            ~uint64_t{1} << 8,
                                            0x5555555555555555};

// Byte offsets of the lanes' addresses from the beginning of what they access.
enum class Order {
  kRun,
  kRunOfSlices,  // 8 or 16 lanes each
  kReverse,
  kUniform,
  kStrided,
  kSpaced,     // by up to 4 bytes
  kSpacedEnd,  // likewise, up to the memory's last byte
  kShuffled,
  kOverlapping,
  kNearlyRun,
  kEnd,      // a run that ends with the memory
  kPastEnd,  // a run that does not
  kCount,
};

class Addresses {
 public:
  Addresses(std::mt19937_64& random, uint32_t bytes, uint32_t size)
      : random_(random), bytes_(bytes), size_(size) {}

  std::array<uint32_t, ir::kLanes> Make(Order order) {
    std::array<uint32_t, ir::kLanes> at{};
    const uint32_t run = bytes_ * ir::kLanes;
    const uint32_t begin = static_cast<uint32_t>(random_() % 256) + (run + 1024 < size_ ? 512 : 0);
    const uint32_t spaced = bytes_ + static_cast<uint32_t>(random_() % 4);
    for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
      switch (order) {
        case Order::kRun: at[lane] = begin + lane * bytes_; break;
        case Order::kRunOfSlices:
          at[lane] = begin + (lane & ~7u) * bytes_ * (lane & 16 ? 1 : 3) + (lane & 7) * bytes_;
          break;
        case Order::kReverse: at[lane] = begin + run - lane * bytes_; break;
        case Order::kUniform: at[lane] = begin; break;
        case Order::kStrided: at[lane] = begin + lane * (bytes_ + 4); break;
        case Order::kSpaced: at[lane] = begin + lane * spaced; break;
        case Order::kSpacedEnd: at[lane] = size_ - bytes_ - (63 - lane) * spaced; break;
        case Order::kShuffled: at[lane] = begin + (lane * 37 % 64) * bytes_; break;
        case Order::kOverlapping:
          at[lane] = begin + static_cast<uint32_t>(random_() % (bytes_ * 4));
          break;
        case Order::kNearlyRun:
          at[lane] = begin + lane * bytes_ + (random_() % 20 == 0 ? bytes_ : 0);
          break;
        case Order::kEnd: at[lane] = size_ - run + lane * bytes_; break;
        default: at[lane] = size_ - run + lane * bytes_ + 1 + begin % 64; break;
      }
    }
    return at;
  }
  Order Any() { return static_cast<Order>(random_() % static_cast<uint64_t>(Order::kCount)); }

 private:
  std::mt19937_64& random_;
  uint32_t bytes_;
  uint32_t size_;
};

// A block of one to three accesses. Addresses in v0:v1, v2:v3, v4:v5 (or SGPRs of those numbers,
// masks in EXEC or in s[20:21] and on, data in v8 to v11; results, as they are or worked on, to v12
// and on.
struct AccessPlan {
  MemoryAccess access;
  bool is_store = false;
  bool is_lds = false;
  bool scalar_low = false;
  bool scalar_high = false;
  bool partly_read = false;
  bool masked_by_exec = false;  // such a block has a version for all lanes
  bool worked_on = false;
  int32_t imm = 0;
  uint32_t limit = 0x10000;

  int MaskSgpr(int n) const { return masked_by_exec ? 126 : 20 + 2 * n; }
};

class AccessFunction {
 public:
  AccessFunction() : builder_(function_, Block()) {}

  void Add(int n, const AccessPlan& plan) {
    builder_.SetGuest(static_cast<uint16_t>(n));
    function_.blocks[0].guest_pcs.push_back(static_cast<uint64_t>(n));
    const Value low = Register(plan.scalar_low, 2 * n);
    // Values are numbered when code is compiled: the same mask is the same value.
    Value& mask = masks_[plan.MaskSgpr(n)];
    if (!mask) mask = builder_.Emit(Op::kGetSgpr64, Type::kU64, {}, plan.MaskSgpr(n));
    Value& limit = limits_[plan.limit];
    if (!limit) limit = builder_.U32(plan.limit);
    std::vector<Value> args = {low};
    if (!plan.is_lds) args.push_back(Register(plan.scalar_high, 2 * n + 1));
    args.push_back(mask);
    if (plan.is_lds) args.push_back(limit);
    if (plan.is_store) {
      for (int d = 0; d < plan.access.Dwords(); ++d) args.push_back(Register(false, 8 + d));
    }
    const Op op = plan.is_lds ? (plan.is_store ? Op::kStoreLds : Op::kLoadLds)
                              : (plan.is_store ? Op::kStore : Op::kLoad);
    const Value v = builder_.EmitList(op, plan.is_store ? Type::kVoid : Type::kV32, args.data(),
                                      static_cast<int>(args.size()), plan.imm, plan.access.Pack());
    if (plan.is_store) return;
    std::vector<Value> parts;
    for (int d = 0; d < plan.access.Dwords(); ++d) parts.push_back(builder_.Part(v, d));
    for (int d = 0; d < plan.access.Dwords(); ++d) {
      if (plan.partly_read && d % 2 == 0) continue;
      Value result = parts[d];
      if (plan.worked_on) {
        const Value data = Register(false, 8 + d);
        result = d % 2 == 0 ? builder_.Float(Op::kFFma, {}, 32, {data, parts[d], data})
                            : builder_.Emit(Op::kXor, Type::kV32, {parts[d], data});
      }
      results_.push_back(result);
    }
  }
  // An operation whose environment is not the block's.
  void ChangeEnvironment() {
    const Value v = Register(false, 8);
    results_.push_back(builder_.Float(Op::kFAdd, {3 << FloatEnv::kRoundShift}, 32, {v, v}));
  }
  const Function& Finish() {
    int64_t vgpr = 12;
    for (const Value v : results_) builder_.Emit(Op::kSetVgpr, Type::kVoid, {v}, vgpr++);
    builder_.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ExitReason::kEnd));
    return function_;
  }

 private:
  ir::Block& Block() {
    function_.blocks.resize(1);
    function_.blocks[0].begin = 0x1000;
    return function_.blocks[0];
  }
  Value Register(bool scalar, int64_t number) {
    if (scalar) return builder_.Emit(Op::kGetSgpr, Type::kU32, {}, number);
    Value& v = vgprs_[number];
    if (!v) v = builder_.Emit(Op::kGetVgpr, Type::kV32, {}, number);
    return v;
  }

  Function function_;
  Builder builder_;
  std::vector<Value> results_;
  Value vgprs_[Machine::kVgprs];
  std::map<int, Value> masks_;
  std::map<uint32_t, Value> limits_;
};

inline Machine RandomAccessMachine(std::mt19937_64& random) {
  Machine machine;
  FillRandom(random, machine.vgpr);
  FillRandom(random, machine.memory);
  FillRandom(random, machine.lds);
  return machine;
}

inline void SetMask(Machine& machine, int n, const AccessPlan& plan, uint64_t mask) {
  machine.sgpr[plan.MaskSgpr(n)] = static_cast<uint32_t>(mask);
  machine.sgpr[plan.MaskSgpr(n) + 1] = static_cast<uint32_t>(mask >> 32);
}

// Addresses and mask of access n.
inline void SetPlannedAddresses(Machine& machine, int n, const AccessPlan& plan,
                                const std::array<uint32_t, ir::kLanes>& offsets, uint64_t mask) {
  const uint64_t begin = plan.is_lds ? 0 : GuestPages::kBegin;
  for (int lane = 0; lane < ir::kLanes; ++lane) {
    const uint64_t address = begin + (plan.scalar_low ? offsets[0] : offsets[lane]) -
                             static_cast<uint64_t>(int64_t{plan.imm});
    machine.vgpr[2 * n][lane] = static_cast<uint32_t>(address);
    machine.vgpr[2 * n + 1][lane] = static_cast<uint32_t>(address >> 32);
    machine.sgpr[2 * n] = static_cast<uint32_t>(address);
    machine.sgpr[2 * n + 1] = static_cast<uint32_t>(address >> 32);
  }
  SetMask(machine, n, plan, mask);
}

inline AccessPlan RandomPlan(std::mt19937_64& random) {
  constexpr int32_t kImms[] = {0, 0, 1, 4, 16, 4092, -4, -4096, 3};
  AccessPlan plan;
  plan.access.bytes = kSizes[random() % std::size(kSizes)];
  plan.access.sign_extend = plan.access.bytes < 4 && random() % 2 == 0;
  plan.is_store = random() % 2 == 0;
  plan.is_lds = random() % 3 == 0;
  plan.scalar_low = random() % 8 == 0;
  plan.scalar_high = random() % 2 == 0;
  plan.partly_read = random() % 4 == 0;
  plan.masked_by_exec = random() % 2 == 0;
  plan.worked_on = random() % 2 == 0;
  plan.imm = kImms[random() % std::size(kImms)];
  if (random() % 3 == 0) plan.limit = static_cast<uint32_t>(random() % 1100);
  return plan;
}

}  // namespace gcnjit::backend::access_tests
