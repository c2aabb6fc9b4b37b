// What the operations give, worked out by hand: the evaluator is what everything else is held
// against.
#include "ir/evaluator.h"

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/verifier.h"
#include "tests/unit/ir/ir_machine.h"

namespace gcnjit::ir {
namespace {

EvaluatorResult RunText(IrMachine& machine, const std::string& lines,
                        const std::string& end = "exit end, 0x4\n") {
  const ParseResult parsed = Parse("block 0x0 instructions=1\nguest 0 0x0\n" + lines + end);
  if (parsed.error) {
    ADD_FAILURE() << parsed.error->line << ": " << parsed.error->message;
    return {};
  }
  const auto messages = Verify(parsed.function);
  if (!messages.empty()) {
    ADD_FAILURE() << messages.front();
    return {};
  }
  return machine.Run(parsed.function);
}

// An expression's value; the text refers to %1 = 0x80000001, %2 = 0xfffffff0:u32 and %3 = s[0:1] =
// 0xf000000000000001.
uint64_t Scalar(const std::string& operation) {
  IrMachine machine;
  machine.sgpr[0] = 1;
  machine.sgpr[1] = 0xF0000000;
  machine.sgpr[2] = 0x80000001;
  machine.sgpr[3] = 0xFFFFFFF0;
  std::string lines =
      "%1 = get_sgpr.u32 s2\n%2 = get_sgpr.u32 s3\n%3 = get_sgpr64.u64 s0\n%9 = " + operation +
      "\n";
  const std::string type = operation.substr(operation.find('.') + 1, 3);
  if (type == "u64") {
    lines += "set_sgpr64 s4, %9\n";
  } else if (type == "u1 ") {
    lines += "%10 = zext.u32 %9\nset_sgpr s4, %10\n";
  } else {
    lines += "set_sgpr s4, %9\n";
  }
  RunText(machine, lines);
  return machine.sgpr[4] | uint64_t{machine.sgpr[5]} << 32;
}

TEST(IrEvaluator, Mode) {
  IrMachine machine;
  machine.mode = 7;
  machine.sgpr[2] = 0x3C5;
  const auto result = RunText(machine, "%1 = get_sgpr.u32 s2\nset_mode %1\n", "exit next, 0x8\n");
  EXPECT_EQ(machine.mode, 0x3C5u);
  EXPECT_EQ(result.reason, ExitReason::kNext);
  EXPECT_EQ(result.next_pc, 8u);
}

TEST(IrEvaluator, Integers) {
  EXPECT_EQ(Scalar("add.u32 %1, %2"), 0x7FFFFFF1u);
  EXPECT_EQ(Scalar("sub.u32 %1, %2"), 0x80000011u);
  EXPECT_EQ(Scalar("mul.u32 %1, %2"), 0xFFFFFFF0u);
  EXPECT_EQ(Scalar("mulhi_u.u32 %1, %2"), 0x7FFFFFF8u);
  EXPECT_EQ(Scalar("mulhi_s.u32 %1, %2"), 7u);
  EXPECT_EQ(Scalar("mulwide_u.u64 %1, %2"), 0x7FFFFFF8FFFFFFF0u);
  EXPECT_EQ(Scalar("mulwide_s.u64 %1, %2"), 0x00000007FFFFFFF0u);
  EXPECT_EQ(Scalar("andnot.u32 %2, %1"), 0x7FFFFFF0u);
  EXPECT_EQ(Scalar("shl.u32 %1, 33"), 2u);
  EXPECT_EQ(Scalar("shl.u64 %3, 65"), 0xE000000000000002u);
  EXPECT_EQ(Scalar("ashr.u32 %1, 4"), 0xF8000000u);
  EXPECT_EQ(Scalar("ashr.u64 %3, 60"), 0xFFFFFFFFFFFFFFFFu);
  EXPECT_EQ(Scalar("lshr.u64 %3, 60"), 15u);
  EXPECT_EQ(Scalar("fshr.u32 %1, %2, 36"), 0x1FFFFFFFu);
  EXPECT_EQ(Scalar("min_s.u32 %1, %2"), 0x80000001u);
  EXPECT_EQ(Scalar("max_s.u32 %1, 3"), 3u);
  EXPECT_EQ(Scalar("min_u.u32 %1, %2"), 0x80000001u);
  EXPECT_EQ(Scalar("popcount.u32 %3"), 5u);
  EXPECT_EQ(Scalar("clz.u32 1"), 31u);
  EXPECT_EQ(Scalar("clz.u32 0"), 32u);
  EXPECT_EQ(Scalar("clz.u32 0:u64"), 64u);
  EXPECT_EQ(Scalar("ctz.u32 %2"), 4u);
  EXPECT_EQ(Scalar("ctz.u32 0"), 32u);
  EXPECT_EQ(Scalar("bitreverse.u32 %2"), 0x0FFFFFFFu);
  EXPECT_EQ(Scalar("bitreverse.u64 %3"), 0x800000000000000Fu);
  EXPECT_EQ(Scalar("sext8.u32 0x1234ff80"), 0xFFFFFF80u);
  EXPECT_EQ(Scalar("sext16.u32 0x12347f80"), 0x7F80u);
  EXPECT_EQ(Scalar("pack.u64 %1, %2"), 0xFFFFFFF080000001u);
  EXPECT_EQ(Scalar("high.u32 %3"), 0xF0000000u);
  EXPECT_EQ(Scalar("sext.u64 %1"), 0xFFFFFFFF80000001u);
  EXPECT_EQ(Scalar("lt_s.u1 %1, %2"), 1u);
  EXPECT_EQ(Scalar("lt_u.u1 %2, %1"), 0u);
  EXPECT_EQ(Scalar("le_s.u1 %3, 0:u64"), 1u);
  EXPECT_EQ(Scalar("not.u1 true"), 0u);
  EXPECT_EQ(Scalar("firstlane.u32 %3"), 0u);
  EXPECT_EQ(Scalar("firstlane.u32 0:u64"), 0u);
}

// One lane's value of a v32 operation on constants.
uint32_t Lane(const std::string& operation, int lane = 0) {
  IrMachine machine;
  RunText(machine, "%1 = " + operation + "\nset_vgpr v0, %1\n");
  return machine.vgpr[0][lane];
}
uint64_t Lane64(const std::string& operation) {
  IrMachine machine;
  RunText(machine, "%1 = " + operation +
                       "\n%2 = low.v32 %1\n%3 = high.v32 %1\nset_vgpr v0, %2\nset_vgpr v1, %3\n");
  return machine.vgpr[0][63] | uint64_t{machine.vgpr[1][63]} << 32;
}

TEST(IrEvaluator, Floats) {
  EXPECT_EQ(Lane("fadd.v32 1.0, 0x33800000 {rn}"), 0x3F800000u);  // 1 + 2^-24: a tie
  EXPECT_EQ(Lane("fadd.v32 1.0, 0x33800000 {ru}"), 0x3F800001u);
  EXPECT_EQ(Lane("fsub.v32 1.0, 0x33000000 {rd}"), 0x3F7FFFFFu);
  EXPECT_EQ(Lane("fsub.v32 1.0, 1.0 {rd}"), 0x80000000u);
  EXPECT_EQ(Lane("fdiv.v32 1.0, 3.0 {rn}"), 0x3EAAAAABu);
  EXPECT_EQ(Lane("fdiv.v32 1.0, 3.0 {rz}"), 0x3EAAAAAAu);
  EXPECT_EQ(Lane("fsqrt.v32 0x80000000 {rn}"), 0x80000000u);
  EXPECT_EQ(Lane("fsqrt.v32 -1.0 {rn}"), 0xFFC00000u);
  EXPECT_EQ(Lane("ffma.v32 0x3f800001, 0x3f800001, 0xbf800002 {rn}"), 0x28800000u);  // 2^-46
  // Denormals.
  EXPECT_EQ(Lane("fadd.v32 1, 0 {rn}"), 1u);
  EXPECT_EQ(Lane("fadd.v32 1, 0 {rn, daz}"), 0u);
  EXPECT_EQ(Lane("fadd.v32 0x80000001, 0 {rn, ftz}"), 0x80000000u);
  EXPECT_EQ(Lane("fmul.v32 0x00800000, 0.5 {rn}"), 0x00400000u);
  EXPECT_EQ(Lane("fmul.v32 0x00800000, 0.5 {rn, ftz}"), 0u);
  // The first NaN, quieted; the default NaN.
  EXPECT_EQ(Lane("fadd.v32 0x7f800001, 0xffc00002 {rn}"), 0x7FC00001u);
  EXPECT_EQ(Lane("fadd.v32 1.0, 0xff800002 {rn}"), 0xFFC00002u);
  EXPECT_EQ(Lane("ffma.v32 0x7f800000, 0, 0x7fc00005 {rn}"), 0x7FC00005u);
  EXPECT_EQ(Lane("ffma.v32 0x7f800000, 0, 1.0 {rn}"), 0xFFC00000u);
  EXPECT_EQ(Lane("fsub.v32 0x7f800000, 0x7f800000 {rn}"), 0xFFC00000u);
  EXPECT_EQ(Lane64("fadd.v64 0x7ff0000000000000:u64, 0xfff0000000000000:u64 {rn}"),
            0xFFF8000000000000u);
  EXPECT_EQ(Lane64("fmul.v64 0x0010000000000000:u64, 0x3fe0000000000000:u64 {rn, ftz}"), 0u);
  EXPECT_EQ(Lane64("ffma.v64 1:u64, 0x3ff0000000000000:u64, 0:u64 {ru}"), 1u);
}

TEST(IrEvaluator, RoundsToIntegers) {
  EXPECT_EQ(Lane("fround.v32 2.5 {nearest, ru}"), 0x40000000u);
  EXPECT_EQ(Lane("fround.v32 3.5 {nearest, rn}"), 0x40800000u);
  EXPECT_EQ(Lane("fround.v32 -0.5 {nearest, rn}"), 0x80000000u);
  EXPECT_EQ(Lane("fround.v32 -0.5 {floor, rn}"), 0xBF800000u);
  EXPECT_EQ(Lane("fround.v32 -0.5 {ceil, rn}"), 0x80000000u);
  EXPECT_EQ(Lane("fround.v32 0x3f7fffff {floor, rn}"), 0u);
  EXPECT_EQ(Lane("fround.v32 0x3f7fffff {ceil, rn}"), 0x3F800000u);
  EXPECT_EQ(Lane("fround.v32 1 {ceil, rn}"), 0x3F800000u);
  EXPECT_EQ(Lane("fround.v32 1 {ceil, rn, daz}"), 0u);
  EXPECT_EQ(Lane("fround.v32 -1.9 {trunc, rn}"), 0xBF800000u);
  EXPECT_EQ(Lane("fround.v32 0x4b000001 {floor, rn}"), 0x4B000001u);
  EXPECT_EQ(Lane("fround.v32 0x4affffff {nearest, rn}"), 0x4B000000u);
  EXPECT_EQ(Lane("fround.v32 0xff800001 {floor, rn}"), 0xFFC00001u);
  EXPECT_EQ(Lane64("fround.v64 0x3ff8000000000000:u64 {nearest, rn}"), 0x4000000000000000u);
}

TEST(IrEvaluator, Conversions) {
  EXPECT_EQ(Lane("i32_to_f32.v32 0xffffffff {rn}"), 0xBF800000u);
  EXPECT_EQ(Lane("u32_to_f32.v32 0xffffffff {rn}"), 0x4F800000u);
  EXPECT_EQ(Lane("u32_to_f32.v32 0xffffffff {rz}"), 0x4F7FFFFFu);
  EXPECT_EQ(Lane("f32_to_i32.v32 -2.9 {rn}"), 0xFFFFFFFEu);
  EXPECT_EQ(Lane("f32_to_i32.v32 0x4f000000 {rn}"), 0x7FFFFFFFu);
  EXPECT_EQ(Lane("f32_to_i32.v32 0xff800000 {rn}"), 0x80000000u);
  EXPECT_EQ(Lane("f32_to_i32.v32 0x7fc00000 {rn}"), 0u);
  EXPECT_EQ(Lane("f32_to_u32.v32 -1.0 {rn}"), 0u);
  EXPECT_EQ(Lane("f32_to_u32.v32 0x4f7fffff {rn}"), 0xFFFFFF00u);
  EXPECT_EQ(Lane("f32_to_u32.v32 0x4f800000 {rn}"), 0xFFFFFFFFu);
  EXPECT_EQ(Lane64("i32_to_f64.v64 0x80000000 {rn}"), 0xC1E0000000000000u);
  EXPECT_EQ(Lane64("u32_to_f64.v64 0xffffffff {rd}"), 0x41EFFFFFFFE00000u);
  EXPECT_EQ(Lane64("f32_to_f64.v64 1 {rn}"), 0x36A0000000000000u);
  EXPECT_EQ(Lane64("f32_to_f64.v64 1 {rn, daz}"), 0u);
  EXPECT_EQ(Lane64("f32_to_f64.v64 0xff800001 {rn}"), 0xFFF8000020000000u);
  EXPECT_EQ(Lane("f64_to_f32.v32 0x3ff0000010000000:u64 {rn}"), 0x3F800000u);
  EXPECT_EQ(Lane("f64_to_f32.v32 0x3ff0000010000000:u64 {ru}"), 0x3F800001u);
  EXPECT_EQ(Lane("f64_to_f32.v32 0x7ff0000020000000:u64 {rn}"), 0x7FC00001u);
  EXPECT_EQ(Lane("f64_to_i32.v32 0xc1e0000000200000:u64 {rn}"), 0x80000000u);
  EXPECT_EQ(Lane("f64_to_u32.v32 0x41efffffffffffff:u64 {rn}"), 0xFFFFFFFFu);
  EXPECT_EQ(Lane("f16_to_f32.v32 0xffff0001 {rn, daz}"), 0x33800000u);
  EXPECT_EQ(Lane("f16_to_f32.v32 0xfc01 {rn}"), 0xFFC02000u);
  EXPECT_EQ(Lane("f32_to_f16.v32 1.0 {half=nearest, rn}"), 0x3C00u);
  EXPECT_EQ(Lane("f32_to_f16.v32 0x3f801000 {half=nearest, rn}"), 0x3C00u);
  EXPECT_EQ(Lane("f32_to_f16.v32 0x3f801000 {half=up, rn}"), 0x3C01u);
  EXPECT_EQ(Lane("f32_to_f16.v32 0x477fffff {half=down, rn}"), 0x7BFFu);
  EXPECT_EQ(Lane("f32_to_f16.v32 0x477fffff {half=nearest, rn}"), 0x7C00u);
  EXPECT_EQ(Lane("f32_to_f16.v32 1 {half=up, rn}"), 1u);
  EXPECT_EQ(Lane("f32_to_f16.v32 1 {half=up, rn, daz}"), 0u);
  EXPECT_EQ(Lane("f32_to_f16.v32 0xff802000 {half=zero, rn}"), 0xFE01u);
}

TEST(IrEvaluator, Compares) {
  const auto mask = [](const std::string& operation) {
    IrMachine machine;
    RunText(machine, "%1 = " + operation + "\nset_sgpr64 s0, %1\n");
    return machine.sgpr[0] | uint64_t{machine.sgpr[1]} << 32;
  };
  const uint64_t all = ~uint64_t{0};
  // Predicate: less, equal, greater, unordered.
  const char* const kNames[] = {"eq_oq",  "lt_os", "le_os", "unord_q", "neq_uq", "nlt_us",
                                "nle_us", "ord_q", "eq_uq", "nge_us",  "ngt_us", "false_oq",
                                "neq_oq", "ge_os", "gt_os", "true_uq"};
  const int kTrue[] = {0b0100, 0b1000, 0b1100, 0b0001, 0b1011, 0b0111, 0b0011, 0b1110,
                       0b0101, 0b1001, 0b1101, 0b0000, 0b1010, 0b0110, 0b0010, 0b1111};
  for (int n = 0; n < 16; ++n) {
    const std::string attributes = std::string(" {") + kNames[n] + ", rn}";
    EXPECT_EQ(mask("fcmp.u64 -1.0, 2.0" + attributes), (kTrue[n] & 8) != 0 ? all : 0) << n;
    EXPECT_EQ(mask("fcmp.u64 0, 0x80000000" + attributes), (kTrue[n] & 4) != 0 ? all : 0) << n;
    EXPECT_EQ(mask("fcmp.u64 -1.0, -2.0" + attributes), (kTrue[n] & 2) != 0 ? all : 0) << n;
    EXPECT_EQ(mask("fcmp.u64 1.0, 0x7fc00000" + attributes), (kTrue[n] & 1) != 0 ? all : 0) << n;
  }
  EXPECT_EQ(mask("fcmp.u64 1, 0 {eq_oq, rn}"), 0u);
  EXPECT_EQ(mask("fcmp.u64 1, 0 {eq_oq, rn, daz}"), all);
  EXPECT_EQ(mask("fcmp.u64 1:u64, 0x8000000000000000:u64 {gt_oq, rn}"), all);
  EXPECT_EQ(mask("lt_u.u64 1, 2"), all);
}

TEST(IrEvaluator, Lanes) {
  EXPECT_EQ(Lane("lane_id.v32", 41), 41u);
  const auto result = [](const std::string& lines, int lane) {
    IrMachine machine;
    machine.sgpr[0] = 0x0000000F;
    machine.sgpr[1] = 0x80000003;
    RunText(machine, "%1 = lane_id.v32\n%2 = get_sgpr64.u64 s0\n" + lines + "set_vgpr v0, %9\n");
    return machine.vgpr[0][lane];
  };
  EXPECT_EQ(result("%9 = mask_below.v32 %2 {low}\n", 2), 2u);
  EXPECT_EQ(result("%9 = mask_below.v32 %2 {low}\n", 63), 4u);
  EXPECT_EQ(result("%9 = mask_below.v32 %2 {high}\n", 33), 1u);
  EXPECT_EQ(result("%9 = mask_below.v32 %2 {all}\n", 63), 6u);
  EXPECT_EQ(result("%9 = select.v32 %2, %1, 7\n", 33), 33u);
  EXPECT_EQ(result("%9 = select.v32 %2, %1, 7\n", 34), 7u);
  EXPECT_EQ(result("%3 = readlane.u32 %1, 67\n%9 = add.v32 %1, %3\n", 1), 4u);
  // Lane l reads lane l * 4 / 4 % 64 = l if that is in the mask.
  EXPECT_EQ(result("%3 = shl.v32 %1, 2\n%9 = bpermute.v32 %1, %3, %2\n", 63), 63u);
  EXPECT_EQ(result("%3 = shl.v32 %1, 2\n%9 = bpermute.v32 %1, %3, %2\n", 62), 0u);
  EXPECT_EQ(result("%9 = bpermute.v32 %1, 0x10b, %2\n", 5), 2u);
  EXPECT_EQ(result("%9 = permbyte.v32 0x07060504, 0x03020100, 0x00070304\n", 5), 0x00070304u);
}

TEST(IrEvaluator, Loads) {
  IrMachine machine;
  for (int n = 0; n < 1024; ++n) machine.memory[n] = static_cast<std::byte>(n * 3);
  const EvaluatorResult result = RunText(
      machine,
      "%1 = lane_id.v32\n%2 = shl.v32 %1, 3\n"
      "%3 = load.v32 %2, 0x7000, 0x7:u64 {bytes=8, offset=1}\n%4 = part.v32 %3 {dword=1}\n"
      "%5 = load.v32 %2, 0x7000, 0xffffffffffffffff:u64 {bytes=1, signed, offset=60}\n"
      "%6 = load.v32 %2, 0x7000, 0xffffffffffffffff:u64 {bytes=2, offset=60}\n"
      "%7 = load_scalar.u32 0x700000000010:u64 {dwords=2, offset=-8}\n%8 = part.u32 %7 {dword=1}\n"
      "set_vgpr v0, %3\nset_vgpr v1, %4\nset_vgpr v2, %5\nset_vgpr v3, %6\n"
      "set_sgpr s0, %7\nset_sgpr s1, %8\n");
  ASSERT_FALSE(result.fault);
  EXPECT_EQ(result.reason, ExitReason::kEnd);
  EXPECT_EQ(result.next_pc, 4u);
  EXPECT_EQ(machine.vgpr[0][2], 0x3C393633u);  // bytes 17.. times 3
  EXPECT_EQ(machine.vgpr[1][2], 0x4845423Fu);
  EXPECT_EQ(machine.vgpr[0][3], 0u);
  EXPECT_EQ(machine.vgpr[2][0], 0xFFFFFFB4u);
  EXPECT_EQ(machine.vgpr[3][0], 0xB7B4u);
  EXPECT_EQ(machine.sgpr[0], 0x211E1B18u);
  EXPECT_EQ(machine.sgpr[1], 0x2D2A2724u);
}

TEST(IrEvaluator, StoresInLaneOrderUntilAFault) {
  IrMachine machine;
  const EvaluatorResult result = RunText(
      machine,
      "%1 = lane_id.v32\n%2 = shl.v32 %1, 5\nguest 1 0x4\n"
      "store %2, 0x7000, 0xffffffffffffff00:u64, %1, 5 {bytes=8, offset=8}\nset_scc true\n");
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.reason, ExitReason::kFault);
  EXPECT_EQ(result.fault->lane, 32);
  EXPECT_EQ(result.fault->address, IrMachine::kMemoryBase + 1032);
  EXPECT_EQ(result.fault->bytes, 8u);
  EXPECT_TRUE(result.fault->is_write);
  EXPECT_EQ(result.fault->guest, 1);
  EXPECT_EQ(machine.scc, 0u);
  EXPECT_EQ(std::to_integer<int>(machine.memory[8 + 31 * 32]), 31);
  EXPECT_EQ(std::to_integer<int>(machine.memory[12 + 31 * 32]), 5);
  EXPECT_EQ(std::to_integer<int>(machine.memory[8 + 7 * 32]), 0);
}

TEST(IrEvaluator, Lds) {
  IrMachine machine;
  RunText(machine,
          "%1 = lane_id.v32\n%2 = shl.v32 %1, 4\n"
          "store_lds %2, 0xffffffffffffffff:u64, 0x10000, %1, 9 {bytes=8, offset=4}\n"
          "%3 = load_lds.v32 %2, 0xffffffffffffffff:u64, 500 {bytes=4, offset=4}\n"
          "%4 = load_lds.v32 %2, 0xffffffffffffffff:u64, 0x10000 {bytes=8, offset=-12}\n"
          "%5 = part.v32 %4 {dword=1}\n"
          "set_vgpr v0, %3\nset_vgpr v1, %5\n");
  EXPECT_EQ(std::to_integer<int>(machine.lds[63 * 16 + 4]), 63);
  EXPECT_EQ(machine.vgpr[0][30], 30u);
  EXPECT_EQ(machine.vgpr[0][31], 0u);  // 504 lies past the limit
  EXPECT_EQ(machine.vgpr[1][0], 0u);   // -12 is out of range
  EXPECT_EQ(machine.vgpr[1][1], 9u);
  EXPECT_EQ(machine.vgpr[1][63], 9u);
}

// The value in memory and the old one after one lane's atomic.
struct AtomicCase {
  const char* name;
  uint32_t old, data, data2, result;
};

TEST(IrEvaluator, Atomics) {
  const AtomicCase kCases[] = {
      {"swap", 5, 7, 0, 7},
      {"cmpswap", 5, 5, 9, 9},
      {"cmpswap", 5, 6, 9, 5},
      {"add", 0xFFFFFFFF, 2, 0, 1},
      {"sub", 5, 7, 0, 0xFFFFFFFE},
      {"revsub", 5, 7, 0, 2},
      {"min_s", 5, 0xFFFFFFFF, 0, 0xFFFFFFFF},
      {"min_u", 5, 0xFFFFFFFF, 0, 5},
      {"max_s", 5, 0xFFFFFFFF, 0, 5},
      {"max_u", 5, 0xFFFFFFFF, 0, 0xFFFFFFFF},
      {"and", 12, 10, 0, 8},
      {"or", 12, 10, 0, 14},
      {"xor", 12, 10, 0, 6},
      {"inc", 5, 6, 0, 6},
      {"inc", 6, 6, 0, 0},
      {"dec", 0, 6, 0, 6},
      {"dec", 7, 6, 0, 6},
      {"dec", 6, 6, 0, 5},
      {"fadd", 0x3F800000, 0x40000000, 0, 0x40400000},
      {"fadd", 0x7F800001, 0x7FC00002, 0, 0x7FC00001},
      {"fmin", 0x80000000, 0, 0, 0x80000000},
      {"fmin", 0x7FC00000, 0x3F800000, 0, 0x3F800000},
      {"fmax", 0x3F800000, 0x7F800001, 0, 0x7FC00001},
      {"fmax", 0x80000000, 0, 0, 0},
      {"fcmpswap", 0x80000000, 0, 9, 9},
      {"fcmpswap", 0x7FC00000, 0x7FC00000, 9, 0x7FC00000},
      {"maskedor", 0xFF, 0x0F, 0x3, 0xF3},
      {"wrap", 7, 5, 100, 2},
      {"wrap", 4, 5, 100, 104},
  };
  for (const AtomicCase& c : kCases) {
    const bool two = std::string_view(c.name).find("cmpswap") != std::string_view::npos ||
                     std::string_view(c.name) == "maskedor" || std::string_view(c.name) == "wrap";
    const std::string data =
        std::to_string(c.data) + (two ? ", " + std::to_string(c.data2) : std::string());
    for (const bool lds : {false, true}) {
      IrMachine machine;
      auto& memory = lds ? machine.lds : machine.memory;
      std::memcpy(memory.data() + 8, &c.old, 4);
      const std::string operation =
          lds ? "atomic_lds.v32 8, 1:u64, 0x10000, " : "atomic.v32 8, 0x7000, 1:u64, ";
      RunText(machine,
              "%1 = " + operation + data + " {bytes=4, " + c.name + "}\nset_vgpr v0, %1\n");
      uint32_t result = 0;
      std::memcpy(&result, memory.data() + 8, 4);
      EXPECT_EQ(result, c.result) << c.name;
      EXPECT_EQ(machine.vgpr[0][0], c.old) << c.name;
      EXPECT_EQ(machine.vgpr[0][1], 0u) << c.name;
    }
  }
}

TEST(IrEvaluator, AtomicsOfTwoDwordsAndMisaligned) {
  IrMachine machine;
  RunText(machine,
          "%1 = atomic.v32 16, 0x7000, 3:u64, 0xffffffff, 0 {bytes=8, add}\n"
          "%2 = part.v32 %1 {dword=1}\nset_vgpr v0, %1\nset_vgpr v1, %2\n");
  uint64_t result = 0;
  std::memcpy(&result, machine.memory.data() + 16, 8);
  EXPECT_EQ(result, 0x1FFFFFFFEu);  // two lanes
  EXPECT_EQ(machine.vgpr[0][1], 0xFFFFFFFFu);
  const EvaluatorResult fault = RunText(machine, "atomic 20, 0x7000, 2:u64, 1, 0 {bytes=8, add}\n");
  ASSERT_TRUE(fault.fault);
  EXPECT_TRUE(fault.fault->misaligned);
  EXPECT_EQ(fault.fault->lane, 1);
}

// The first dword that an indexed load gives in lanes 0 and 1, where lane 0 has `index` and lane 1
// the next one. Memory's dwords are their numbers.
std::pair<uint32_t, uint32_t> LoadIndexed(uint32_t index, uint64_t base, const std::string& form) {
  IrMachine machine;
  for (uint32_t n = 0; n < machine.memory.size() / 4; ++n) {
    std::memcpy(machine.memory.data() + 4 * size_t{n}, &n, 4);
  }
  machine.vgpr[0][0] = index;
  machine.vgpr[0][1] = index + 1;
  machine.sgpr[0] = static_cast<uint32_t>(base);
  machine.sgpr[1] = static_cast<uint32_t>(base >> 32);
  const EvaluatorResult result = RunText(
      machine,
      "%1 = get_vgpr.v32 v0\n%2 = get_sgpr64.u64 s0\n%3 = load.v32 %1, %2, 3:u64 {bytes=4, " +
          form + "}\nset_vgpr v1, %3\n");
  if (result.fault) return {~0u, static_cast<uint32_t>(result.fault->lane)};
  return {machine.vgpr[1][0], machine.vgpr[1][1]};
}

TEST(IrEvaluator, IndexedAddresses) {
  using Pair = std::pair<uint32_t, uint32_t>;
  constexpr uint64_t kBase = IrMachine::kMemoryBase;
  constexpr uint64_t k4GiB = uint64_t{1} << 32;
  EXPECT_EQ(LoadIndexed(3, kBase, "index=zext<<2"), Pair(3, 4));
  EXPECT_EQ(LoadIndexed(3, kBase, "index=zext<<3, offset=4"), Pair(7, 9));
  EXPECT_EQ(LoadIndexed(16, kBase, "index=zext<<0, offset=-16"), Pair(0, 0x01000000));
  // From -1 to 0, and from 2^31 - 1 to -2^31.
  EXPECT_EQ(LoadIndexed(~0u, kBase + 4, "index=sext<<2"), Pair(0, 1));
  EXPECT_EQ(LoadIndexed(0x7FFFFFFF, kBase - 4 * (k4GiB / 2 - 1), "index=sext<<2"), Pair(~0u, 1));
  EXPECT_EQ(LoadIndexed(0x7FFFFFFF, kBase + 4 * (k4GiB / 2), "index=sext<<2"), Pair(~0u, 0));
  EXPECT_EQ(LoadIndexed(0x7FFFFFFF, kBase - 4 * (k4GiB / 2 - 1), "index=zext<<2"), Pair(0, 1));
  // From 2^32 - 1 to 0: consecutive no more.
  EXPECT_EQ(LoadIndexed(~0u, kBase - 4 * (k4GiB - 1), "index=zext<<2"), Pair(~0u, 1));
  EXPECT_EQ(LoadIndexed(~0u - 1, kBase - 4 * (k4GiB - 2), "index=zext<<2"), Pair(0, 1));
  // The sum is taken modulo 2^64.
  EXPECT_EQ(LoadIndexed(~0u - 1, kBase - ((k4GiB - 2) << 31), "index=zext<<31"), Pair(~0u, 1));
  EXPECT_EQ(LoadIndexed(0x80000000, kBase + (uint64_t{1} << 62), "index=sext<<31"), Pair(~0u, 1));
  EXPECT_EQ(LoadIndexed(0x80000000, kBase + (k4GiB / 2 << 4), "index=sext<<4"), Pair(0, 4));
  EXPECT_EQ(LoadIndexed(2, ~uint64_t{0} - 7, "index=zext<<2"), Pair(~0u, 0));
}

TEST(IrEvaluator, IndexedStoresAndUniformIndices) {
  IrMachine machine;
  machine.vgpr[0][0] = ~0u;  // -1
  machine.vgpr[0][5] = 2;
  RunText(machine,
          "%1 = get_vgpr.v32 v0\n"
          "store %1, 0x700000000010:u64, 0x21:u64, 7, 8 {bytes=8, index=sext<<3}\n"
          "%2 = load.v32 5, 0x700000000000:u64, 2:u64 {bytes=4, index=zext<<3}\n"
          "set_vgpr v1, %2\n");
  uint32_t stored[10];
  std::memcpy(stored, machine.memory.data(), sizeof stored);
  const uint32_t expected[10] = {0, 0, 7, 8, 0, 0, 0, 0, 7, 8};
  for (int n = 0; n < 10; ++n) EXPECT_EQ(stored[n], expected[n]) << n;
  EXPECT_EQ(machine.vgpr[1][1], 0u);
  std::memcpy(&machine.memory[40], &stored[3], 4);
  RunText(machine,
          "%2 = load.v32 5, 0x700000000000:u64, 2:u64 {bytes=4, index=zext<<3}\n"
          "set_vgpr v1, %2\n");
  EXPECT_EQ(machine.vgpr[1][0], 0u);
  EXPECT_EQ(machine.vgpr[1][1], 8u);
}

TEST(IrEvaluator, Ends) {
  IrMachine machine;
  EXPECT_EQ(RunText(machine, "", "jump 0x10\n").next_pc, 0x10u);
  EXPECT_EQ(RunText(machine, "", "branch true, 0x10, 0x20\n").next_pc, 0x10u);
  EXPECT_EQ(RunText(machine, "", "branch false, 0x10, 0x20\n").next_pc, 0x20u);
  EXPECT_EQ(RunText(machine, "", "jump_indirect 0x30:u64\n").next_pc, 0x30u);
  const EvaluatorResult result = RunText(machine, "", "exit barrier, 0x40\n");
  EXPECT_EQ(result.terminator, Op::kExit);
  EXPECT_EQ(result.reason, ExitReason::kBarrier);
  EXPECT_EQ(result.next_pc, 0x40u);
}

}  // namespace
}  // namespace gcnjit::ir
