// Blocks of one load or store whose address is a base and a lane's index, in all forms.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/backend_x64/isa/loaded_dwords.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend {

using Indices = std::array<uint32_t, ir::kLanes>;

struct Form {
  ir::MemoryAccess access;
  bool is_store = false;
  bool uniform_index = false;
  bool partly_read = false;
  bool as_quadwords = false;  // see loaded_dwords.h
  bool constant_base = false;
  bool repeated = false;   // nothing is asked for ahead of the second one
  bool all_lanes = false;  // whatever the mask is
  bool crowded = false;    // so many values besides that a slice is less than the wave
  int32_t imm = 0;
  int row_lanes = 0;  // the index is s4 + row * s5 + place in it, in rows of so many lanes

  uint32_t unit() const { return 1u << access.index_shift; }
  // What indices of consecutive elements differ by; 0: they cannot be consecutive.
  uint32_t step() const { return access.bytes % unit() == 0 ? access.bytes / unit() : 0; }
};

inline constexpr int kCrowd = 16;
inline constexpr uint64_t kConstantBase = GuestPages::kBegin + 0x800;

// Index in v0 (or s4), base in s[0:1], mask in s[2:3]; data in v8 to v11, results in v12 to v15.
inline ir::Function FunctionOf(const Form& form, bool other_environment = false) {
  ir::Function function;
  function.blocks.resize(1);
  function.blocks[0].begin = 0x1000;
  function.blocks[0].guest_pcs = {0};
  ir::Builder b(function, function.blocks[0]);
  std::map<int, ir::Value> read;
  const auto vgpr = [&](int n) {
    ir::Value& v = read[n];
    if (!v) v = b.Emit(ir::Op::kGetVgpr, ir::Type::kV32, {}, n);
    return v;
  };
  const auto index = [&] {
    if (form.row_lanes == 0) {
      return form.uniform_index ? b.Emit(ir::Op::kGetSgpr, ir::Type::kU32, {}, 4) : vgpr(0);
    }
    const auto lanes = static_cast<uint32_t>(form.row_lanes);
    const ir::Value lane = b.Emit(ir::Op::kLaneId, ir::Type::kV32, {});
    const ir::Value row = b.Lshr(lane, static_cast<uint32_t>(std::countr_zero(lanes)));
    const ir::Value rows = b.Mul(row, b.Emit(ir::Op::kGetSgpr, ir::Type::kU32, {}, 5));
    return b.Add(b.Emit(ir::Op::kGetSgpr, ir::Type::kU32, {}, 4),
                 b.Add(rows, b.And(lane, b.U32(lanes - 1))));
  };
  ir::Value rounded;
  if (other_environment) {
    rounded = b.Float(ir::Op::kFAdd, {3 << ir::FloatEnv::kRoundShift}, 32, {vgpr(8), vgpr(8)});
  }
  std::vector<ir::Value> args = {
      index(),
      form.constant_base ? b.U64(kConstantBase) : b.Emit(ir::Op::kGetSgpr64, ir::Type::kU64, {}, 0),
      form.all_lanes ? b.U64(~uint64_t{0}) : b.Emit(ir::Op::kGetSgpr64, ir::Type::kU64, {}, 2)};
  const int dwords = form.access.Dwords();
  if (form.is_store) {
    for (int n = 0; n < dwords; ++n) args.push_back(vgpr(8 + n));
  }
  const auto access = [&] {
    return b.EmitList(form.is_store ? ir::Op::kStore : ir::Op::kLoad,
                      form.is_store ? ir::Type::kVoid : ir::Type::kV32, args.data(),
                      static_cast<int>(args.size()), form.imm, form.access.Pack());
  };
  if (form.repeated) access();
  std::vector<ir::Value> crowd;
  for (int n = 0; form.crowded && n < 2 * kCrowd; ++n) {
    crowd.push_back(b.Add(vgpr(16 + n % kCrowd), vgpr(16 + (n * 3 + n / kCrowd) % kCrowd)));
  }
  const ir::Value v = access();
  std::vector<ir::Value> results;
  if (!form.is_store) results = LoadedDwords(b, v, dwords, form.as_quadwords);
  for (int n = 0; n < static_cast<int>(results.size()); ++n) {
    if (form.partly_read && n % 2 == 0) continue;
    b.Emit(ir::Op::kSetVgpr, ir::Type::kVoid, {results[static_cast<size_t>(n)]}, 12 + n);
  }
  for (size_t n = 0; n < crowd.size() / 2; ++n) {
    b.Emit(ir::Op::kSetVgpr, ir::Type::kVoid, {b.Xor(crowd[n], crowd[n + kCrowd])},
           static_cast<int64_t>(16 + n));
  }
  if (other_environment) b.Emit(ir::Op::kSetVgpr, ir::Type::kVoid, {rounded}, 16);
  b.Emit(ir::Op::kExit, ir::Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
  return function;
}

inline Machine RandomLanes(uint64_t seed) {
  std::mt19937_64 random(seed);
  Machine machine;
  FillRandom(random, machine.vgpr);
  FillRandom(random, machine.memory);
  return machine;
}

// So that the first lane's address is `at`.
inline void SetAddresses(Machine& machine, const Form& form, const Indices& indices, uint64_t at,
                         uint64_t mask) {
  machine.vgpr[0] = indices;
  machine.sgpr[4] = indices[0];
  if (form.row_lanes != 0) {
    machine.sgpr[5] = indices[static_cast<size_t>(form.row_lanes)] - indices[0];
  }
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

inline Indices Consecutive(uint32_t first, uint32_t step) {
  Indices indices;
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) indices[lane] = first + lane * step;
  return indices;
}
// Rows of `width` lanes with a gap of `gap` elements between them.
inline Indices Rows(uint32_t first, uint32_t step, uint32_t width, uint32_t gap) {
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
      blocks_.push_back(std::make_unique<CompiledBlock>(function_, isa, ir::FloatEnv{},
                                                        /*listing=*/false, known));
    }
  }

  // `calls`: of the runtime in the second run, if that is known.
  void Check(const Indices& indices, uint64_t at, uint64_t mask, int calls = -1) {
    Machine machine = RandomLanes(at ^ mask);
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
        // With AVX-512, accesses of all lanes are looked at now and then (permutation_cache.h).
        const bool may_learn = form_.all_lanes && HostIsas()[n] == HostIsa::kAvx512;
        if (run == 1 && calls >= 0 && !may_learn) {
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
  const ir::Function function_;
  std::vector<std::unique_ptr<CompiledBlock>> blocks_;
  bool faulted_ = false;
};

inline constexpr uint64_t kMiddle = GuestPages::kBegin + 0x1000;
inline constexpr uint64_t kMasks[] = {~uint64_t{0},
                                      0,
                                      1,
                                      0x8000000000000000,
                                      0x00000000FFFFFFFF,
                                      0xFFFF0000FFFF0000,
                                      0x00FF00FF00FF00FF,
                                      0x5555555555555555,
                                      ~uint64_t{1} << 8};

}  // namespace gcnjit::backend
