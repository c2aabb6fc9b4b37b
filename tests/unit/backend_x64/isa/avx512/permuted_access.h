// A load or store of the indexed form by all lanes of a wave, run until compiled code has learnt
// how its lanes lie.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend {

using LaneIndices = std::array<uint32_t, ir::kLanes>;

inline constexpr uint64_t kMiddleOfMemory = GuestPages::kBegin + GuestPages::kSize / 2;

struct LearnedForm {
  bool is_store = false;
  bool is_signed = false;
  uint8_t shift = 2;
  int32_t imm = 0;
  bool is_second = false;  // after a load whose lanes are in the opposite order
  uint8_t bytes = 4;
  bool is_masked = false;  // by s[2:3]

  uint32_t dword() const { return 4u >> shift; }  // as an index
};

// Index in v0, base in s[0:1]; data in v8, the result in v12. v1 is the index of the load in front.
inline ir::Function LearnedFunction(const LearnedForm& form) {
  ir::Function function;
  function.blocks.resize(1);
  function.blocks[0].begin = 0x1000;
  function.blocks[0].guest_pcs = {0, 1};
  ir::Builder b(function, function.blocks[0]);
  ir::MemoryAccess access;
  access.bytes = form.bytes;
  access.indexed = true;
  access.index_signed = form.is_signed;
  access.index_shift = form.shift;
  const auto vgpr = [&](int n) { return b.Emit(ir::Op::kGetVgpr, ir::Type::kV32, {}, n); };
  const ir::Value base = b.Emit(ir::Op::kGetSgpr64, ir::Type::kU64, {}, 0);
  const ir::Value all =
      form.is_masked ? b.Emit(ir::Op::kGetSgpr64, ir::Type::kU64, {}, 2) : b.U64(~uint64_t{0});
  if (form.is_second) {
    const ir::Value v =
        b.Emit(ir::Op::kLoad, ir::Type::kV32, {vgpr(1), base, all}, form.imm, access.Pack());
    b.Emit(ir::Op::kSetVgpr, ir::Type::kVoid, {v}, 13);
    b.SetGuest(1);
  }
  const ir::Value index = vgpr(0);
  std::vector<ir::Value> args = {index, base, all};
  if (form.is_store) {
    for (int n = 0; n < access.Dwords(); ++n) args.push_back(vgpr(8 + n));
    b.EmitList(ir::Op::kStore, ir::Type::kVoid, args.data(), static_cast<int>(args.size()),
               form.imm, access.Pack());
  } else {
    const ir::Value v =
        b.Emit(ir::Op::kLoad, ir::Type::kV32, {index, base, all}, form.imm, access.Pack());
    const ir::Value last = b.Part(v, access.Dwords() - 1);
    b.Emit(ir::Op::kSetVgpr, ir::Type::kVoid, {v}, 12);
    if (form.bytes > 4) b.Emit(ir::Op::kSetVgpr, ir::Type::kVoid, {last}, 14);
  }
  b.Emit(ir::Op::kExit, ir::Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
  return function;
}

class LearnedAccess {
 public:
  explicit LearnedAccess(const LearnedForm& form)
      : form_(form), function_(LearnedFunction(form)), block_(function_, HostIsa::kAvx512) {
    EXPECT_EQ(ir::Verify(function_), std::vector<std::string>{});
    std::mt19937_64 random(7);
    FillRandom(random, machine_.vgpr);
    FillRandom(random, machine_.memory);
    machine_.sgpr[2] = 0xFF00FF7F;
    machine_.sgpr[3] = 0x7FFFFFFE;
  }

  // Lane 0's address is `at`. Is what has been learnt used?
  bool Run(const LaneIndices& indices, uint64_t at) {
    machine_.vgpr[0] = indices;
    std::reverse_copy(indices.begin(), indices.end(), machine_.vgpr[1].begin());
    const auto first = form_.is_signed
                           ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(indices[0])})
                           : indices[0];
    const uint64_t base = at - (first << form_.shift) - static_cast<uint64_t>(int64_t{form_.imm});
    machine_.sgpr[0] = static_cast<uint32_t>(base);
    machine_.sgpr[1] = static_cast<uint32_t>(base >> 32);
    const Outcome expected = RunEvaluator(function_, machine_);
    faulted_ = expected.fault.has_value();
    const uint32_t before = hits();
    EXPECT_EQ(Difference(block_.Run(machine_), expected), "")
        << "at " << static_cast<int64_t>(at - GuestPages::kBegin) << ", index " << indices[0]
        << '\n'
        << ir::Print(function_);
    return hits() > before;
  }
  // Until these are known; then at addresses all over memory. False: it does not happen.
  bool Learn(const LaneIndices& indices) {
    for (int run = 0; run < 64; ++run) {
      if (!Run(indices, kMiddleOfMemory)) continue;
      const uint64_t calls = block_.helper_calls();
      for (const uint64_t at :
           {kMiddleOfMemory - 0x777, kMiddleOfMemory + 4, kMiddleOfMemory - 1024}) {
        EXPECT_TRUE(Run(indices, at));
      }
      // So often that it was worth it: the next one is soon looked for.
      while (hits() <= slot().patience && Run(indices, kMiddleOfMemory)) {
      }
      // The load in front may have its own reasons for calls.
      EXPECT_TRUE(form_.is_second || block_.helper_calls() == calls);
      return true;
    }
    return false;
  }
  bool faulted() const { return faulted_; }
  const PermutationSlot& slot() { return block_.pattern_slot(form_.is_second ? 1 : 0); }

 private:
  uint32_t hits() { return slot().pattern == nullptr ? 0 : slot().pattern->hits; }

  const LearnedForm form_;
  const ir::Function function_;
  CompiledBlock block_;
  Machine machine_;
  bool faulted_ = false;
};

}  // namespace gcnjit::backend
