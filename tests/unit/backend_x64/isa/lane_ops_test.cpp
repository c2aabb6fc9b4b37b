// Every lane operation by itself, and every float operation of scalars, on special values in all
// combinations, in every environment and with arguments of every kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"

namespace gcnjit::backend {
namespace {

using ir::Builder;
using ir::FloatEnv;
using ir::Function;
using ir::Op;
using ir::Type;
using ir::Value;

// Arguments: d 32 bits, q 64 bits, m a lane mask, p selectors of v_perm_b32.
struct OpForm {
  Op op;
  Type result;
  const char* arguments;
  int immediates = 1;  // 0 .. immediates - 1
};

constexpr Type kV32 = Type::kV32;
constexpr Type kV64 = Type::kV64;
constexpr Type kMask = Type::kU64;

// clang-format off
constexpr OpForm kIntegerForms[] = {
    {Op::kAdd, kV32, "dd"}, {Op::kSub, kV32, "dd"}, {Op::kMul, kV32, "dd"},
    {Op::kMulHiU, kV32, "dd"}, {Op::kMulHiS, kV32, "dd"},
    {Op::kAnd, kV32, "dd"}, {Op::kOr, kV32, "dd"}, {Op::kXor, kV32, "dd"}, {Op::kAndNot, kV32, "dd"},
    {Op::kShl, kV32, "dd"}, {Op::kLshr, kV32, "dd"}, {Op::kAshr, kV32, "dd"},
    {Op::kMinU, kV32, "dd"}, {Op::kMaxU, kV32, "dd"}, {Op::kMinS, kV32, "dd"}, {Op::kMaxS, kV32, "dd"},
    {Op::kFshr, kV32, "ddd"}, {Op::kPermByte, kV32, "ddp"}, {Op::kNot, kV32, "d"},
    {Op::kPopcount, kV32, "d"}, {Op::kClz, kV32, "d"}, {Op::kCtz, kV32, "d"},
    {Op::kBitReverse, kV32, "d"}, {Op::kSext8, kV32, "d"}, {Op::kSext16, kV32, "d"},
    {Op::kAdd, kV64, "qq"}, {Op::kSub, kV64, "qq"}, {Op::kAnd, kV64, "qq"}, {Op::kOr, kV64, "qq"},
    {Op::kXor, kV64, "qq"}, {Op::kAndNot, kV64, "qq"}, {Op::kNot, kV64, "q"},
    {Op::kShl, kV64, "qd"}, {Op::kLshr, kV64, "qd"}, {Op::kAshr, kV64, "qd"},
    {Op::kMulWideU, kV64, "dd"}, {Op::kMulWideS, kV64, "dd"},
    {Op::kPack, kV64, "dd"}, {Op::kLow, kV32, "q"}, {Op::kHigh, kV32, "q"},
    {Op::kZext, kV64, "d"}, {Op::kSext, kV64, "d"},
    {Op::kEq, kMask, "dd"}, {Op::kNe, kMask, "dd"}, {Op::kLtU, kMask, "dd"}, {Op::kLeU, kMask, "dd"},
    {Op::kLtS, kMask, "dd"}, {Op::kLeS, kMask, "dd"},
    {Op::kEq, kMask, "qq"}, {Op::kNe, kMask, "qq"}, {Op::kLtU, kMask, "qq"}, {Op::kLeU, kMask, "qq"},
    {Op::kLtS, kMask, "qq"}, {Op::kLeS, kMask, "qq"},
    {Op::kSelect, kV32, "mdd"}, {Op::kSelect, kV64, "mqq"},
    {Op::kAnd, kMask, "mm"}, {Op::kOr, kMask, "mm"}, {Op::kXor, kMask, "mm"}, {Op::kAndNot, kMask, "mm"},
    {Op::kNot, kMask, "m"},
    {Op::kI32ToF64, kV64, "d"}, {Op::kU32ToF64, kV64, "d"},
    {Op::kLaneId, kV32, ""},
};
constexpr OpForm kFloatForms[] = {
    {Op::kFAdd, kV32, "dd"}, {Op::kFSub, kV32, "dd"}, {Op::kFMul, kV32, "dd"}, {Op::kFDiv, kV32, "dd"},
    {Op::kFAdd, kV64, "qq"}, {Op::kFSub, kV64, "qq"}, {Op::kFMul, kV64, "qq"}, {Op::kFDiv, kV64, "qq"},
    {Op::kFFma, kV32, "ddd"}, {Op::kFFma, kV64, "qqq"}, {Op::kFSqrt, kV32, "d"}, {Op::kFSqrt, kV64, "q"},
    {Op::kFRound, kV32, "d", 4}, {Op::kFRound, kV64, "q", 4},
    {Op::kFCmp, kMask, "dd", 32}, {Op::kFCmp, kMask, "qq", 32},
    {Op::kI32ToF32, kV32, "d"}, {Op::kU32ToF32, kV32, "d"},
    {Op::kF32ToI32, kV32, "d"}, {Op::kF32ToU32, kV32, "d"},
    {Op::kI32ToF64, kV64, "d"}, {Op::kU32ToF64, kV64, "d"},
    {Op::kF64ToI32, kV32, "q"}, {Op::kF64ToU32, kV32, "q"},
    {Op::kF32ToF64, kV64, "d"}, {Op::kF64ToF32, kV32, "q"},
    {Op::kF16ToF32, kV32, "d"}, {Op::kF32ToF16, kV32, "d", 4},
};
// Of scalars.
constexpr Type kU32 = Type::kU32;
constexpr Type kU64 = Type::kU64;
constexpr OpForm kScalarFloatForms[] = {
    {Op::kFAdd, kU32, "dd"}, {Op::kFSub, kU32, "dd"}, {Op::kFMul, kU32, "dd"}, {Op::kFDiv, kU32, "dd"},
    {Op::kFAdd, kU64, "qq"}, {Op::kFSub, kU64, "qq"}, {Op::kFMul, kU64, "qq"}, {Op::kFDiv, kU64, "qq"},
    {Op::kFFma, kU32, "ddd"}, {Op::kFFma, kU64, "qqq"}, {Op::kFSqrt, kU32, "d"}, {Op::kFSqrt, kU64, "q"},
    {Op::kFRound, kU32, "d", 4}, {Op::kFRound, kU64, "q", 4},
    {Op::kFCmp, Type::kU1, "dd", 32}, {Op::kFCmp, Type::kU1, "qq", 32},
    {Op::kI32ToF32, kU32, "d"}, {Op::kU32ToF32, kU32, "d"},
    {Op::kF32ToI32, kU32, "d"}, {Op::kF32ToU32, kU32, "d"},
    {Op::kI32ToF64, kU64, "d"}, {Op::kU32ToF64, kU64, "d"},
    {Op::kF64ToI32, kU32, "q"}, {Op::kF64ToU32, kU32, "q"},
    {Op::kF32ToF64, kU64, "d"}, {Op::kF64ToF32, kU32, "q"},
};
constexpr uint32_t kSpecials32[] = {
    0, 1, 2, 7, 31, 32, 33, 63, 0xFF, 0x80, 0x8000, 0xFFFF, 0x10000, 0x1FFFF, 0x00FFFFFF, 0x01000001,
    0x7FFFFFBF, 0x7FFFFFC0, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFF7F, 0xFFFFFF80, 0xFFFFFFFF,
    0x12345678, 0xAAAAAAAA, 0x55555555,
    // f32: denormals, normals near the limits, halves, integers, infinities, NaNs
    0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000, 0xBF800000,
    0x3F000000, 0x3EFFFFFF, 0x3FC00000, 0x40200000, 0xC0200000, 0x3F7FFFFF, 0x4B000001, 0x4AFFFFFF,
    0x4EFFFFFF, 0x4F000000, 0xCF000000, 0xCF000001, 0x4F7FFFFF, 0x4F800000, 0x5F000000, 0x7F800000,
    0xFF800000, 0x7FC00001, 0xFFC12345, 0x7F800001, 0xFFA00000,
    // f16 and the limits of its range as f32
    0x3C00, 0xFC00, 0x7C01, 0x7E55, 0x03FF, 0x83FF, 0x7BFF, 0x477FEFFF, 0x477FF000, 0x47800000,
    0x33000000, 0x33000001, 0x32FFFFFF, 0x387FDFFF, 0x387FF000, 0x38800000, 0x3F801000, 0x3F803000,
};
constexpr uint64_t kSpecials64[] = {
    0, 1, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFF00000000, 0x7FFFFFFFFFFFFFFF,
    0x8000000000000000, 0x8000000000000001, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFF00000000,
    0x123456789ABCDEF0, 0xFEDCBA9876543210,
    0x000FFFFFFFFFFFFF, 0x800FFFFFFFFFFFFF, 0x0010000000000000, 0x7FEFFFFFFFFFFFFF,
    0x3FF0000000000000, 0xBFF0000000000000, 0x3FE0000000000000, 0x3FDFFFFFFFFFFFFF,
    0x3FF8000000000000, 0x4004000000000000, 0xC004000000000000, 0x4330000000000001,
    0x432FFFFFFFFFFFFF, 0x41DFFFFFFFC00000, 0x41DFFFFFFFFFFFFF, 0x41E0000000000000,
    0xC1E0000000000000, 0xC1E0000000200000, 0xC1E00000001FFFFF, 0x41EFFFFFFFE00000,
    0x41EFFFFFFFFFFFFF, 0x41F0000000000000, 0xBFEFFFFFFFFFFFFF, 0x36A0000000000000,
    0x36A0000000000001, 0x380FFFFFFFFFFFFF, 0x3810000000000000, 0x47EFFFFFF0000000,
    0x47EFFFFFEFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000001,
    0xFFF8123456789ABC, 0x7FF0000000000001, 0xFFF4000000000000,
};
// clang-format on

std::vector<FloatEnv> Environments() {
  std::vector<FloatEnv> all;
  for (int n = 0; n < 16; ++n) {
    all.push_back({static_cast<uint16_t>((n & 3) << FloatEnv::kRoundShift |
                                         ((n & 4) != 0 ? FloatEnv::kFlushInputs : 0) |
                                         ((n & 8) != 0 ? FloatEnv::kFlushResults : 0))});
  }
  return all;
}

enum class Shape { kLanes, kSgpr, kConst };

constexpr int kFirstResult = 8;

// A block of one operation, or of several alike with different immediates and environments.
// Argument n is v[2n], v[2n + 1] or s[2n], s[2n + 1]. Results go from v8 on, masks to SGPRs from s8
// on.
class OpFunction {
 public:
  OpFunction(const OpForm& form, const std::vector<Shape>& shapes, bool keep_arguments,
             std::mt19937_64& random)
      : form_(form), builder_(function_, Block()) {
    for (size_t n = 0; n < shapes.size(); ++n) args_.push_back(Argument(n, shapes[n], random));
    keep_arguments_ = keep_arguments;
  }

  void UseFirstTwice() {
    for (size_t n = 1; n < args_.size(); ++n) {
      if (form_.arguments[n] == form_.arguments[0]) args_[n] = args_[0];
    }
  }

  void Add(int64_t imm, FloatEnv env) {
    results_.push_back(builder_.EmitList(form_.op, form_.result, args_.data(),
                                         static_cast<int>(args_.size()), imm, env.bits));
  }

  const Function& Finish() {
    int vgpr = kFirstResult;
    int sgpr = kFirstResult;
    const auto set = [&](Value v) { builder_.Emit(Op::kSetVgpr, Type::kVoid, {v}, vgpr++); };
    for (const Value v : results_) {
      if (!ir::IsLanes(form_.result)) {
        // As a whole quadword: a mask, or a scalar that is extended.
        Value all = v;
        if (form_.result == Type::kU1) all = builder_.Emit(Op::kZext, Type::kU32, {all});
        if (form_.result != Type::kU64) all = builder_.Emit(Op::kZext, Type::kU64, {all});
        builder_.Emit(Op::kSetSgpr64, Type::kVoid, {all}, sgpr);
        sgpr += 2;
      } else if (form_.result == kV64) {
        set(builder_.Emit(Op::kLow, kV32, {v}));
        set(builder_.Emit(Op::kHigh, kV32, {v}));
      } else {
        set(v);
      }
    }
    if (keep_arguments_) {
      for (const Value v : args_) {
        if (builder_.TypeOf(v) == kV64) set(builder_.Emit(Op::kLow, kV32, {v}));
        if (builder_.TypeOf(v) == kV32) set(v);
      }
    }
    builder_.Emit(Op::kExit, Type::kVoid, {}, static_cast<int64_t>(ir::ExitReason::kEnd));
    return function_;
  }

 private:
  ir::Block& Block() {
    function_.blocks.resize(1);
    function_.blocks[0].guest_pcs = {0};
    function_.blocks[0].begin = 0x1000;
    return function_.blocks[0];
  }

  Value Argument(size_t n, Shape shape, std::mt19937_64& random) {
    const auto first = static_cast<int64_t>(2 * n);
    Value v;
    switch (form_.arguments[n]) {
      case 'q':
        if (shape == Shape::kLanes) {
          return builder_.Emit(Op::kPack, kV64,
                               {builder_.Emit(Op::kGetVgpr, kV32, {}, first),
                                builder_.Emit(Op::kGetVgpr, kV32, {}, first + 1)});
        }
        if (shape == Shape::kSgpr) return builder_.Emit(Op::kGetSgpr64, Type::kU64, {}, first);
        return builder_.U64(kSpecials64[random() % std::size(kSpecials64)]);
      case 'm':
        // Made lane by lane, or a register.
        if (shape == Shape::kLanes) {
          return builder_.Emit(
              Op::kLtS, kMask,
              {builder_.Emit(Op::kGetVgpr, kV32, {}, first), builder_.Emit(Op::kLaneId, kV32, {})});
        }
        if (shape == Shape::kSgpr) return builder_.Emit(Op::kGetSgpr64, Type::kU64, {}, first);
        return builder_.U64(random() % 3 == 0 ? 0 : random() % 2 == 0 ? ~uint64_t{0} : random());
      default:
        if (shape == Shape::kLanes) v = builder_.Emit(Op::kGetVgpr, kV32, {}, first);
        if (shape == Shape::kSgpr) v = builder_.Emit(Op::kGetSgpr, Type::kU32, {}, first);
        if (shape == Shape::kConst) {
          v = builder_.U32(kSpecials32[random() % std::size(kSpecials32)]);
        }
        if (form_.arguments[n] == 'p') {
          v = builder_.Emit(Op::kAnd, builder_.TypeOf(v), {v, builder_.U32(0x07070707)});
        }
        return v;
    }
  }

  const OpForm& form_;
  Function function_;
  Builder builder_;
  std::vector<Value> args_;
  std::vector<Value> results_;
  bool keep_arguments_ = false;
};

// Lane values for argument n: combinations of special values in order, then random ones.
class Inputs {
 public:
  Inputs(const OpForm& form, std::mt19937_64& random) : form_(form), random_(random) {}

  uint64_t combinations() const {
    uint64_t product = 1;
    for (const char* c = form_.arguments; *c != 0; ++c) product *= Count(*c);
    return product;
  }

  void Fill(Machine& machine, uint64_t first) {
    for (uint32_t& s : machine.sgpr) s = random_() % 8 == 0 ? U32(random_()) : Special32();
    for (size_t arg = 0; form_.arguments[arg] != 0; ++arg) {
      if (form_.arguments[arg] != 'q' || random_() % 4 == 0) continue;
      const uint64_t value = kSpecials64[random_() % std::size(kSpecials64)];
      machine.sgpr[2 * arg] = U32(value);
      machine.sgpr[2 * arg + 1] = U32(value >> 32);
    }
    for (int lane = 0; lane < ir::kLanes; ++lane) {
      const bool is_random = combinations() > 100'000 && random_() % 2 == 0;
      uint64_t n = is_random ? random_() : first + static_cast<uint64_t>(lane);
      for (size_t arg = 0; form_.arguments[arg] != 0; ++arg) {
        const bool wide = form_.arguments[arg] == 'q';
        const uint64_t count = Count(form_.arguments[arg]);
        uint64_t value = wide ? kSpecials64[n % count] : kSpecials32[n % count];
        n /= count;
        if (is_random && random_() % 3 == 0) value = random_();
        machine.vgpr[2 * arg][lane] = static_cast<uint32_t>(value);
        machine.vgpr[2 * arg + 1][lane] =
            wide ? static_cast<uint32_t>(value >> 32) : static_cast<uint32_t>(random_());
      }
    }
  }

 private:
  static uint64_t Count(char argument) {
    return argument == 'q' ? std::size(kSpecials64) : std::size(kSpecials32);
  }
  static uint32_t U32(uint64_t value) { return static_cast<uint32_t>(value); }
  uint32_t Special32() { return kSpecials32[random_() % std::size(kSpecials32)]; }

  const OpForm& form_;
  std::mt19937_64& random_;
};

void Compare(const OpForm& form, const Function& function, FloatEnv base, std::mt19937_64& random,
             uint64_t most_runs, uint64_t least_runs = 0) {
  ASSERT_EQ(ir::Verify(function), std::vector<std::string>{}) << ir::Print(function);
  Inputs inputs(form, random);
  const uint64_t all = (inputs.combinations() + ir::kLanes - 1) / ir::kLanes;
  const uint64_t runs = std::max(least_runs, std::min(most_runs, all));
  std::vector<std::unique_ptr<CompiledBlock>> blocks;
  std::vector<HostIsa> isas = HostIsas();
  // Only made for hosts that have it.
  if (form.op == Op::kBitwise) std::erase(isas, HostIsa::kAvx2);
  for (const HostIsa isa : isas) {
    blocks.push_back(std::make_unique<CompiledBlock>(function, isa, base));
  }
  Machine machine;
  for (uint64_t run = 0; run < runs; ++run) {
    inputs.Fill(machine, run * ir::kLanes);
    const Outcome expected = RunEvaluator(function, machine);
    for (size_t n = 0; n < blocks.size(); ++n) {
      const std::string difference = Difference(blocks[n]->Run(machine), expected);
      ASSERT_EQ(difference, "") << NameOf(isas[n]) << '\n' << ir::Print(function);
    }
  }
}

// Every mixture of lanes, SGPRs and constants; with the arguments dead afterwards and alive.
void CompareShapes(const OpForm& form, const std::vector<int64_t>& imms,
                   const std::vector<FloatEnv>& envs, FloatEnv base, uint64_t most_runs) {
  std::mt19937_64 random(static_cast<uint64_t>(form.op) * 7919);
  const size_t count = std::string_view(form.arguments).size();
  size_t mixtures = 1;
  for (size_t n = 0; n < count; ++n) mixtures *= 3;
  for (size_t mixture = 0; mixture <= mixtures; ++mixture) {
    std::vector<Shape> shapes;
    size_t rest = mixture % mixtures;
    for (size_t n = 0; n < count; ++n, rest /= 3) shapes.push_back(static_cast<Shape>(rest % 3));
    for (const bool keep : {false, true}) {
      OpFunction op(form, shapes, keep, random);
      if (mixture == mixtures) op.UseFirstTwice();
      for (const int64_t imm : imms) {
        for (const FloatEnv env : envs) op.Add(imm, env);
      }
      Compare(form, op.Finish(), base, random, mixture == 0 ? most_runs : 3);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(LaneOps, Integers) {
  for (const OpForm& form : kIntegerForms) {
    CompareShapes(form, {0}, {FloatEnv{}}, {}, 2000);
    if (HasFatalFailure()) return;
  }
}

TEST(LaneOps, FunctionsOfThreeBits) {
  const OpForm form = {Op::kBitwise, kV32, "ddd"};
  for (int64_t first = 0; first < 256; first += 16) {
    std::vector<int64_t> tables;
    for (int64_t table = first; table < first + 16; ++table) tables.push_back(table);
    CompareShapes(form, tables, {FloatEnv{}}, {}, 2);
    if (HasFatalFailure()) return;
  }
}

// One environment a block, which is also that of the block's surroundings or is not.
TEST(LaneOps, FloatsInEachEnvironment) {
  for (const OpForm& form : kFloatForms) {
    for (const FloatEnv env : Environments()) {
      for (int imm = 0; imm < form.immediates; imm += 4) {
        std::vector<int64_t> imms;
        for (int n = imm; n < std::min(imm + 4, form.immediates); ++n) imms.push_back(n);
        const FloatEnv base = env.bits % 3 == 0 ? env : FloatEnv{};
        CompareShapes(form, imms, {env}, base, 150);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Of SGPRs and constants, in each environment, in a block of the same one or of another.
TEST(LaneOps, FloatsOfScalars) {
  constexpr int kRuns = 60;
  std::mt19937_64 random(5);
  for (const OpForm& form : kScalarFloatForms) {
    for (const FloatEnv env : Environments()) {
      for (int n = 0; n < 4; ++n) {
        std::vector<Shape> shapes(std::string_view(form.arguments).size(), Shape::kSgpr);
        // One of them a constant, or none.
        if (n != 0) shapes[random() % shapes.size()] = Shape::kConst;
        OpFunction op(form, shapes, /*keep_arguments=*/false, random);
        if (n == 2) op.UseFirstTwice();
        for (int imm = 0; imm < form.immediates; ++imm) op.Add(imm, env);
        const FloatEnv base = env.bits % 3 == 0 ? env : FloatEnv{};
        Compare(form, op.Finish(), base, random, kRuns, kRuns);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Environments change within a block, and slice by slice.
TEST(LaneOps, ChangesOfEnvironment) {
  const auto all = Environments();
  for (const OpForm& form : kFloatForms) {
    for (size_t n = 0; n < all.size(); n += 4) {
      const std::vector<FloatEnv> envs(all.begin() + static_cast<ptrdiff_t>(n),
                                       all.begin() + static_cast<ptrdiff_t>(n) + 4);
      CompareShapes(form, {0}, envs, all[(n + 5) % all.size()], 20);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend
