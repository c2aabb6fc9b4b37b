// Where the operands of lane operations come from: registers, the VGPRs in memory, and for masks,
// conditions of scalar code.
#include "tests/unit/backend_x64/repeating_block.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::Op;
using ir::Type;
using ir::Value;

// Each VGPR is read once, so that no register needs to hold it; or its value is wanted again.
TEST(Operands, FromMemory) {
  for (const bool is_wanted_again : {false, true}) {
    RepeatingBlock x;
    Builder& b = x.b;
    const Value mask = b.Compare(Op::kLtU, b.LaneId(), x.Sgpr(3));
    const Value second = x.Vgpr(7);
    const auto env = ir::FloatEnv{};
    std::vector<Value> results = {
        b.Add(b.LaneId(), x.Vgpr(6)),
        b.Sub(b.LaneId(), x.Vgpr(8)),
        b.Select(mask, x.Vgpr(9), b.U32(0)),
        b.Select(mask, b.U32(0), x.Vgpr(10)),
        b.Select(mask, x.Vgpr(11), b.LaneId()),
        b.Select(b.Compare(Op::kLtU, b.LaneId(), x.Vgpr(12)), b.U32(3), b.LaneId()),
        b.Select(b.Compare(Op::kLeS, b.LaneId(), x.Vgpr(13)), b.U32(3), b.LaneId()),
        b.Float(Op::kFFma, env, 32, {b.LaneId(), second, x.Vgpr(14)}),
        b.Float(Op::kFFma, env, 32, {b.LaneId(), x.Vgpr(15), second}),
        b.Float(Op::kFFma, env, 32, {x.Vgpr(16), b.LaneId(), second}),
        b.Float(Op::kFAdd, env, 32, {second, x.Vgpr(17)}),
    };
    int set = 18;
    for (const Value v : results) x.Set(set++, v);
    if (is_wanted_again) {
      Value sum = second;
      for (int n = 6; n < 18; ++n) sum = b.Xor(b.Mul(sum, b.U32(3)), x.Vgpr(n));
      x.Set(set, sum);
    }
    ExpectTheSame(x.Finish());
  }
}

// As numbers, as lanes' masks and among other masks.
TEST(Operands, MasksOfConditions) {
  constexpr uint64_t kOther = 0x123456789ABCDEF0;
  for (const auto& [yes, no] :
       {std::pair{kAll, uint64_t{0}}, {uint64_t{0}, kAll}, {kAll, kOther}, {kOther, uint64_t{0}}}) {
    for (const uint32_t limit : {0u, 0x80000000u, ~0u}) {
      RepeatingBlock x;
      Builder& b = x.b;
      const Value condition = b.Compare(Op::kLtU, x.Sgpr(4), b.U32(limit));
      const Value mask = b.Select(condition, b.U64(yes), b.U64(no));
      const Value lanes = b.Compare(Op::kLtU, x.Vgpr(6), x.Vgpr(7));
      x.Set(10, b.Select(mask, x.Vgpr(6), x.Vgpr(7)));
      x.Set(11, b.Select(b.And(mask, lanes), x.Vgpr(6), x.Vgpr(8)));
      x.Set(12, b.Select(b.Or(mask, lanes), x.Vgpr(3), x.Vgpr(8)));
      x.Set(13, b.Select(b.AndNot(lanes, mask), x.Vgpr(3), x.Vgpr(8)));
      b.Emit(Op::kSetSgpr64, Type::kVoid, {mask}, 20);
      b.Emit(Op::kSetSgpr64, Type::kVoid, {b.Select(b.Not(condition), b.U64(yes), b.U64(no))}, 22);
      b.Emit(Op::kSetScc, Type::kVoid, {condition});
      ExpectTheSame(x.Finish());
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend
