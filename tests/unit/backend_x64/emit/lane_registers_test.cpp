// More values alive at once than there are registers, within a stage and across stages.
#include <gtest/gtest.h>

#include <random>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"
#include "tests/unit/fill_random.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::Function;
using ir::Op;
using ir::Type;
using ir::Value;

struct Mixture {
  int v32 = 0;
  int v64 = 0;
  int masks = 0;
  int scalars = 0;
  int stages = 1;  // between which all values live on
};

// All values are made, then all are used, the first one last.
class PressureFunction {
 public:
  explicit PressureFunction(const Mixture& mixture)
      : mixture_(mixture), b_(function_, NewBlock()) {}

  const Function& Make() {
    for (int n = 0; n < 8; ++n) {
      vgprs_.push_back(b_.Emit(Op::kGetVgpr, Type::kV32, {}, n));
      sgprs_.push_back(b_.Emit(Op::kGetSgpr, Type::kU32, {}, n));
    }
    for (int n = 0; n < mixture_.scalars; ++n) {
      scalars_.push_back(b_.Add(sgprs_[n % 8], b_.U32(0x01234567u * static_cast<uint32_t>(n + 1))));
    }
    for (int n = 0; n < mixture_.v32; ++n) {
      const Value other = scalars_.empty() ? b_.U32(static_cast<uint32_t>(n) * 77u + 5)
                                           : scalars_[static_cast<size_t>(n) % scalars_.size()];
      v32_.push_back(b_.Binary(n % 3 == 0 ? Op::kSub : Op::kAdd, vgprs_[n % 8], other));
    }
    for (int n = 0; n < mixture_.v64; ++n) {
      const Value wide = b_.Emit(Op::kMulWideS, Type::kV64, {vgprs_[n % 8], vgprs_[(n + 3) % 8]});
      v64_.push_back(b_.Add(wide, b_.U64(0x123456789ABCDEFu * static_cast<uint64_t>(n + 1))));
    }
    for (int n = 0; n < mixture_.masks; ++n) {
      masks_.push_back(b_.Compare(n % 2 == 0 ? Op::kLtU : Op::kLeS, vgprs_[n % 8],
                                  b_.U32(static_cast<uint32_t>(n) * 0x04000001u)));
    }
    Value sum = vgprs_[0];
    for (int stage = 0; stage < mixture_.stages; ++stage) {
      if (stage != 0) sum = b_.Add(OtherLanes(stage, sum), MasksAsNumber());
      sum = UseAll(sum);
    }
    b_.Emit(Op::kSetVgpr, Type::kVoid, {sum}, 0);
    // Values that are still there at the end, where registers are written that hold others.
    for (int n = 1; n < 8; ++n) {
      const Value v = v32_.empty() ? vgprs_[8 - n] : v32_[static_cast<size_t>(n) % v32_.size()];
      b_.Emit(Op::kSetVgpr, Type::kVoid, {v}, n);
    }
    for (int n = 0; n < 4 && n < mixture_.masks; ++n) {
      b_.Emit(Op::kSetSgpr64, Type::kVoid, {masks_[n]}, 2 * n);
    }
    b_.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
    return function_;
  }

 private:
  ir::Block& NewBlock() {
    function_.blocks.resize(1);
    function_.blocks[0].begin = 0x1000;
    function_.blocks[0].guest_pcs = {0};
    return function_.blocks[0];
  }
  // Something that depends on lanes of other slices.
  Value OtherLanes(int stage, Value v) {
    ir::LanePattern pattern;
    for (int lane = 0; lane < ir::kLanes; ++lane) {
      pattern[lane] = static_cast<uint8_t>((lane * 5 + stage) % ir::kLanes);
    }
    return b_.Emit(Op::kPermute, Type::kV32, {v}, b_.Pattern(pattern));
  }
  // More of them than there are scalar registers.
  Value MasksAsNumber() {
    Value sum = b_.U64(1);
    for (const Value mask : masks_) sum = b_.Add(sum, mask);
    for (const Value mask : masks_) sum = b_.Xor(sum, mask);
    return b_.Low(sum);
  }
  Value UseAll(Value sum) {
    for (size_t n = masks_.size(); n-- > 0;) {
      const Value both =
          b_.Emit(Op::kXor, Type::kU64, {masks_[n], masks_[(n + 1) % masks_.size()]});
      sum = b_.Select(both, sum, b_.Add(sum, b_.U32(static_cast<uint32_t>(n))));
    }
    for (size_t n = v64_.size(); n-- > 0;) {
      const Value shifted = b_.Ashr(v64_[n], v32_.empty() ? vgprs_[1] : v32_[n % v32_.size()]);
      const Value chosen =
          masks_.empty() ? shifted : b_.Select(masks_[n % masks_.size()], shifted, v64_[n]);
      sum = b_.Xor(sum, b_.Add(b_.Low(chosen), b_.High(chosen)));
    }
    for (size_t n = v32_.size(); n-- > 0;) {
      sum = b_.Add(b_.Mul(sum, b_.U32(3)), v32_[n]);
      if (n % 4 == 1) {
        const auto env = ir::FloatEnv{static_cast<uint16_t>((n & 3) << ir::FloatEnv::kRoundShift)};
        sum = b_.Float(Op::kFFma, env, 32, {v32_[n], v32_[n / 2], sum});
      }
    }
    return sum;
  }

  const Mixture mixture_;
  Function function_;
  Builder b_;
  std::vector<Value> vgprs_, sgprs_, scalars_, v32_, v64_, masks_;
};

TEST(LaneRegisters, OfEveryKind) {
  constexpr int kCounts[] = {0, 1, 5, 9, 14, 33, 60};
  int functions = 0;
  for (const int v32 : kCounts) {
    for (const int v64 : kCounts) {
      for (const int masks : kCounts) {
        for (const int scalars : {0, 3, 20}) {
          const Mixture mixture{v32, v64, masks, scalars, 1 + ++functions % 4};
          PressureFunction pressure(mixture);
          const Function& function = pressure.Make();
          ASSERT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
          for (const HostIsa isa : HostIsas()) {
            CompiledBlock block(function, isa);
            std::mt19937_64 random(static_cast<uint64_t>(functions));
            for (int run = 0; run < 2; ++run) {
              Machine machine;
              FillRandom(random, machine.vgpr);
              for (uint32_t& sgpr : machine.sgpr) sgpr = static_cast<uint32_t>(random());
              ASSERT_EQ(Difference(block.Run(machine), RunEvaluator(function, machine)), "")
                  << NameOf(isa) << ": " << v32 << " v32, " << v64 << " v64, " << masks
                  << " masks, " << scalars << " scalars, " << mixture.stages << " stages";
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend
