// What AVX2's lane operations change on the way: never a register that holds something.
#include <gtest/gtest.h>

#include <string>

#include "backend_x64/isa/avx2/registers.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "tests/unit/backend_x64/compiled_block.h"

namespace gcnjit::backend {
namespace {

// More than there are registers.
constexpr int kLive = 24;

// An operation, of which %9 is the result, among values that are there before and after it: %1, %2
// lanes of 32 bits, %3, %4 scalars, %5 a mask, %6, %7 lanes of 64 bits where `line` wants them.
ir::Function Among(const std::string& line) {
  std::string text =
      "block 0x0 instructions=1\nguest 0 0x0\n%1 = get_vgpr.v32 v0\n%2 = get_vgpr.v32 v1\n"
      "%3 = get_sgpr.u32 s0\n%4 = get_sgpr.u32 s1\n%5 = get_sgpr64.u64 s126\n";
  if (line.find("%6") != std::string::npos) text += "%6 = pack.v64 %1, %2\n";
  if (line.find("%7") != std::string::npos) text += "%7 = pack.v64 %2, %1\n";
  const auto number = [](int n) { return "%" + std::to_string(n); };
  for (int n = 0; n < kLive; ++n) {
    text += number(20 + n) + " = add.v32 %1, " + std::to_string(n * 77 + 1) + "\n";
  }
  text += "%9 = " + line + "\n";
  std::string sum = "%20";
  for (int n = 1; n < kLive; ++n) {
    text += number(60 + n) + (n % 2 == 0 ? " = add.v32 " : " = xor.v32 ") + sum + ", " +
            number(20 + n) + "\n";
    sum = number(60 + n);
  }
  text += "set_vgpr v2, " + sum + "\n";
  const std::string type = line.substr(line.find('.') + 1, 3);
  if (type == "u64") text += "set_sgpr64 s4, %9\n";
  if (type == "v32") text += "set_vgpr v3, %9\n";
  if (type == "v64") text += "%10 = low.v32 %9\nset_vgpr v3, %10\n";
  const ir::ParseResult parsed = ir::Parse(text + "exit end, 0x4\n");
  EXPECT_FALSE(parsed.error) << parsed.error->line << ": " << parsed.error->message << '\n' << text;
  EXPECT_EQ(ir::Verify(parsed.function), std::vector<std::string>{}) << text;
  return parsed.function;
}

int Free(const std::string& line) {
  const ir::Function function = Among(line);
  return __builtin_popcount(avx2::RegistersOfValues(function, function.blocks[0]));
}

const char* const kNone[] = {
    "add.v32 %1, %2",
    "sub.v32 %1, %3",
    "mul.v32 %1, %2",
    "and.v32 %1, 77",
    "or.v32 %2, %1",
    "xor.v32 %1, %4",
    "andnot.v32 %1, %2",
    "not.v32 %1",
    "min_u.v32 %1, %2",
    "min_s.v32 %1, %2",
    "max_u.v32 %1, %2",
    "max_s.v32 %1, %3",
    "shl.v32 %1, 3",
    "shl.v32 %1, %2",
    "lshr.v32 %1, 3",
    "lshr.v32 %1, %2",
    "ashr.v32 %1, 3",
    "ashr.v32 %1, %2",
    "lane_id.v32",
    "select.v32 %5, %1, %2",
    "select.v32 %5, 0, %2",
    "select.v64 %5, %6, %7",
    "add.v64 %6, %7",
    "shl.v64 %6, 9",
    "lshr.v64 %6, %1",
    "zext.v64 %1",
    "sext.v64 %1",
    "low.v32 %6",
    "high.v32 %6",
    "fadd.v64 %6, %7 {rn}",
    "ffma.v64 %6, %7, %6 {rn}",
    "eq.u64 %1, %2",
    "ne.u64 %1, 5",
    "lt_s.u64 %1, %2",
    "le_s.u64 %1, %2",
    "fcmp.u64 %1, %2 {lt_os, rn}",
    "fadd.v32 %1, %2 {rn}",
    "fsub.v32 %1, %2 {rz}",
    "fmul.v32 %1, %3 {rn}",
    "ffma.v32 %1, %2, %4 {rn}",
    "fdiv.v32 %1, %2 {rn}",
    "fsqrt.v32 %1 {rn}",
    "fround.v32 %1 {floor, rn}",
};

const char* const kOne[] = {
    "fshr.v32 %1, %2, 7",   "ashr.v64 %6, 40", "ashr.v64 %6, %1",
    "lt_s.u64 %6, %7",      "eq.u64 %6, %7",   "fcmp.u64 %6, %7 {lt_os, rn}",
    "mulwide_s.v64 %1, %2",
};

const char* const kTwo[] = {
    "lt_u.u64 %1, %2",
    "le_u.u64 %1, %3",
    "fshr.v32 %1, %2, %3",
    "le_u.u64 %6, %7",
    "mulhi_u.v32 %1, %2",
    "popcount.v32 %1",
    "f32_to_u32.v32 %1",
    "u32_to_f32.v32 %1 {rn}",
    "bpermute.v32 %1, %2, %5",
    "fadd.u32 %3, %4 {rn}",
    "fcmp.u1 %3, %4 {lt_os, rn}",
};

TEST(ScratchRegisters, AsManyAsAreWanted) {
  for (const char* const line : kNone) EXPECT_EQ(Free(line), 15) << line;
  for (const char* const line : kOne) EXPECT_EQ(Free(line), 14) << line;
  for (const char* const line : kTwo) EXPECT_EQ(Free(line), avx2::kFewest) << line;
  EXPECT_EQ(Free("load_scalar.u32 %5 {dwords=1}"), 15);
  EXPECT_EQ(Free("load.v32 %1, %5, %5 {bytes=4, index=sext<<2}"), avx2::kFewest);
}

TEST(ScratchRegisters, HoldNothing) {
  Machine machine;
  for (uint32_t lane = 0; lane < ir::kLanes; ++lane) {
    machine.vgpr[0][lane] = lane % 3 == 0 ? 0x3F800000 + lane * 0x01234567 : lane * lane;
    machine.vgpr[1][lane] = lane % 5 == 0 ? machine.vgpr[0][lane] : 0x40000000 - lane * 0x00765432;
  }
  machine.sgpr[0] = 0x40490FDB;
  machine.sgpr[1] = 0xC0490FDB;
  machine.sgpr[126] = 0x5A5AF00F;
  machine.sgpr[127] = 0x12345678;
  const auto check = [&](const char* line) {
    const ir::Function function = Among(line);
    const Outcome expected = RunEvaluator(function, machine);
    for (const HostIsa isa : HostIsas()) {
      CompiledBlock block(function, isa, {});
      EXPECT_EQ(Difference(block.Run(machine), expected), "") << NameOf(isa) << ": " << line;
    }
  };
  for (const char* const line : kNone) check(line);
  for (const char* const line : kOne) check(line);
  for (const char* const line : kTwo) check(line);
}

}  // namespace
}  // namespace gcnjit::backend
