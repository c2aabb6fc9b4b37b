// The verifier refuses each kind of malformed IR, and says why.
#include "ir/verifier.h"

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "ir/parser.h"

namespace gcnjit::ir {
namespace {

std::string FirstMessage(const Function& function) {
  const auto messages = Verify(function);
  return messages.empty() ? "" : messages.front();
}

// Of a block with these lines.
std::string Complaint(const std::string& lines) {
  const ParseResult parsed = Parse("block 0x0 instructions=1\n" + lines + "jump 0x4\n");
  if (parsed.error) return "does not parse: " + parsed.error->message;
  return FirstMessage(parsed.function);
}

TEST(IrVerifier, Types) {
  const std::string v = "%1 = get_vgpr.v32 v0\n%2 = get_sgpr.u32 s0\n%3 = get_sgpr64.u64 s0\n";
  EXPECT_EQ(Complaint(v + "%4 = add.v32 %1, %2\n"), "");
  EXPECT_EQ(Complaint(v + "%4 = add.u32 %1, %2\n"), "block 0x0: %4 add: argument 0 is a v32");
  EXPECT_EQ(Complaint(v + "%4 = add.v32 %1, %3\n"), "block 0x0: %4 add: argument 1 is a u64");
  EXPECT_EQ(Complaint(v + "%4 = mul.v64 %3, %3\n"), "block 0x0: %4 mul: cannot be a v64");
  EXPECT_EQ(Complaint(v + "%4 = select.v32 true, %1, %2\n"),
            "block 0x0: %4 select: argument 0 is a u1");
  EXPECT_EQ(Complaint(v + "%4 = select.u32 %3, %2, %2\n"),
            "block 0x0: %4 select: argument 0 is a u64");
  EXPECT_EQ(Complaint(v + "%4 = eq.u1 %1, %2\n"),
            "block 0x0: %4 eq: compares lanes, which gives a u64");
  EXPECT_EQ(Complaint(v + "%4 = eq.u1 %2, %3\n"),
            "block 0x0: %4 eq: compares values of different widths");
  EXPECT_EQ(Complaint(v + "%4 = lt_u.u1 true, false\n"),
            "block 0x0: %4 lt_u: u1 can only be compared for equality");
  EXPECT_EQ(Complaint(v + "%4 = popcount.v32 %3\n"), "block 0x0: %4 popcount: argument 0 is a u64");
  EXPECT_EQ(Complaint(v + "set_vgpr v1, %3\n"), "block 0x0: %4 set_vgpr: argument 0 is a u64");
}

TEST(IrVerifier, Matrices) {
  const auto of = [](const std::string& attributes, const std::string& sources = "%1, 7") {
    const std::string text =
        Complaint("%1 = get_vgpr.v32 v0\nmatrix " + sources + " {" + attributes + "}\n");
    return text.substr(text.find(": %") == std::string::npos ? 0 : text.find("matrix"));
  };
  EXPECT_EQ(of("d=0, c=508, shape=16x16x4x1, f32"), "");
  EXPECT_EQ(of("d=480, c=8, shape=32x32x4x2, i8, cbsz=1, abid=1"), "");
  EXPECT_EQ(of("d=480, c=8, shape=32x32x4x2, f16", "%1, 7, %1, 8"), "");
  for (const char* shape : {"16x16x4x1, f16", "16x16x1x1, f32", "8x8x1x8, f32", "32x32x1x1, f32",
                            "32x32x8x1, bf16", "64x64x1x1, f32", "16x16x4x3, i8"}) {
    EXPECT_EQ(of(std::string("shape=") + shape), "matrix: multiplies matrices of no known shape")
        << shape;
  }
  EXPECT_EQ(of("d=481, c=8, shape=32x32x4x2, i8"), "matrix: VGPR 513 is out of range");
  EXPECT_EQ(of("d=8, c=509, shape=16x16x4x1, f32"), "matrix: VGPR 513 is out of range");
  EXPECT_EQ(of("shape=32x32x4x2, i8, cbsz=2"), "matrix: CBSZ 4 is out of range");
  EXPECT_EQ(of("shape=32x32x4x2, i8, cbsz=1, abid=2"), "matrix: ABID 2 is out of range");
  EXPECT_EQ(of("shape=4x4x4x16, f16"), "matrix: has 2 arguments, not 4");
  EXPECT_EQ(of("shape=16x16x4x1, f32", "%1, 7:u64"), "matrix: argument 1 is a u64");
}

TEST(IrVerifier, NumbersOfArguments) {
  EXPECT_EQ(Complaint("%1 = popcount.u32 1, 2\n"),
            "block 0x0: %1 popcount: has 2 arguments, not 1");
  EXPECT_EQ(Complaint("store 0, 0, 0:u64, 1 {bytes=8}\n"),
            "block 0x0: %5 store: has 4 arguments, not 5");
  EXPECT_EQ(Complaint("atomic 0, 0, 0:u64, 1 {bytes=4, cmpswap}\n"),
            "block 0x0: %5 atomic: has 4 arguments, not 5");
}

TEST(IrVerifier, Details) {
  const std::string v = "%1 = get_vgpr.v32 v0\n%2 = get_sgpr64.u64 s0\n";
  EXPECT_EQ(Complaint("%1 = get_sgpr64.u64 s127\n"),
            "block 0x0: %1 get_sgpr64: SGPR 127 is out of range");
  EXPECT_EQ(Complaint(v + "%3 = permute.v32 %1 {pattern=0}\n"),
            "block 0x0: %3 permute: no such pattern");
  EXPECT_EQ(Complaint(v + "%3 = load.v32 %1, %1, %2 {bytes=3}\n"),
            "block 0x0: %3 load: accesses 3 bytes");
  EXPECT_EQ(Complaint(v + "%3 = load_scalar.u32 %2 {dwords=17}\n"),
            "block 0x0: %3 load_scalar: dwords 17 is out of range");
  EXPECT_EQ(Complaint(v + "%3 = load.v32 %1, %1, %2 {bytes=8}\n%4 = part.v32 %3 {dword=2}\n"),
            "block 0x0: %4 part: dword 2 is out of range");
  EXPECT_EQ(Complaint(v + "%3 = load.v32 %1, %1, %2 {bytes=8}\n%5 = not.v32 %1\n"
                          "%4 = part.v32 %3 {dword=1}\n"),
            "block 0x0: %4 part: is not right after its load");
}

TEST(IrVerifier, Mode) {
  const auto complaint = [](const std::string& lines) {
    const ParseResult parsed = Parse("block 0x0 instructions=1\nguest 0 0x0\n" + lines);
    EXPECT_FALSE(parsed.error);
    return FirstMessage(parsed.function);
  };
  EXPECT_EQ(complaint("set_mode 3\nexit next, 0x4\n"), "");
  EXPECT_EQ(complaint("set_mode 3\njump 0x4\n"),
            "block 0x0: %3 jump: a block that sets MODE exits");
  EXPECT_EQ(complaint("set_mode 3\nset_mode 4\nexit next, 0x4\n"),
            "block 0x0: %4 set_mode: MODE is set twice");
}

TEST(IrVerifier, IndexedAccesses) {
  const std::string v = "%1 = get_vgpr.v32 v0\n%2 = get_sgpr64.u64 s0\n%3 = get_sgpr.u32 s4\n";
  EXPECT_EQ(Complaint(v + "%4 = load.v32 %1, %2, %2 {bytes=4, index=zext<<31}\n"), "");
  EXPECT_EQ(Complaint(v + "%4 = load.v32 %3, %2, %2 {bytes=4, index=sext<<0}\n"), "");
  EXPECT_EQ(Complaint(v + "store %1, %2, %2, %1, %1 {bytes=8, index=sext<<3}\n"), "");
  // The base is one value of 64 bits, the index one of 32 bits.
  EXPECT_EQ(Complaint(v + "%4 = load.v32 %1, %1, %2 {bytes=4, index=zext<<2}\n"),
            "block 0x0: %4 load: argument 1 is a v32");
  EXPECT_EQ(Complaint(v + "%4 = load.v32 %1, %3, %2 {bytes=4, index=zext<<2}\n"),
            "block 0x0: %4 load: argument 1 is a u32");
  EXPECT_EQ(Complaint(v + "%5 = zext.v64 %1\n%4 = load.v32 %1, %5, %2 {bytes=4, index=zext<<2}\n"),
            "block 0x0: %4 load: argument 1 is a v64");
  EXPECT_EQ(Complaint(v + "%4 = load.v32 %2, %2, %2 {bytes=4, index=zext<<2}\n"),
            "block 0x0: %4 load: argument 0 is a u64");
  EXPECT_EQ(Complaint(v + "store %1, %1, %2, %1 {bytes=4, index=zext<<2}\n"),
            "block 0x0: %4 store: argument 1 is a v32");
  // Without an index, the other way round.
  EXPECT_EQ(Complaint(v + "%4 = load.v32 %1, %2, %2 {bytes=4}\n"),
            "block 0x0: %4 load: argument 1 is a u64");
}

TEST(IrVerifier, OnlyLoadsAndStoresAreIndexed) {
  const std::string v = "%1 = get_vgpr.v32 v0\n%2 = get_sgpr64.u64 s0\n";
  EXPECT_EQ(Complaint(v + "%3 = atomic.v32 %1, %1, %2, %1 {bytes=4, add, index=zext<<2}\n"),
            "block 0x0: %3 atomic: has no indexed form");
  EXPECT_EQ(Complaint(v + "%3 = load_lds.v32 %1, %2, 64 {bytes=4, index=zext<<2}\n"),
            "block 0x0: %3 load_lds: has no indexed form");
  EXPECT_EQ(Complaint(v + "store_lds %1, %2, 64, %1 {bytes=4, index=sext<<0}\n"),
            "block 0x0: %4 store_lds: has no indexed form");
  // What is no index cannot be extended or shifted; there is no text for that.
  Function function =
      Parse("block 0x0 instructions=1\n" + v + "%3 = load.v32 %1, %1, %2 {bytes=4}\njump 0x4\n")
          .function;
  ASSERT_EQ(FirstMessage(function), "");
  Inst& load = function[function.blocks[0].insts[2]];
  ASSERT_EQ(load.op, Op::kLoad);
  MemoryAccess access = load.access();
  access.index_shift = 2;
  load.aux = access.Pack();
  EXPECT_EQ(FirstMessage(function), "block 0x0: %3 load: has no index");
  access.index_shift = 0;
  access.index_signed = true;
  load.aux = access.Pack();
  EXPECT_EQ(FirstMessage(function), "block 0x0: %3 load: has no index");
}

TEST(IrVerifier, Blocks) {
  Function function;
  function.blocks.resize(2);
  EXPECT_EQ(FirstMessage(function), "block 0x0: %0 ?: the block is empty");

  Builder b(function, function.blocks[0]);
  const Value scc = b.Emit(Op::kGetScc, Type::kU1, {});
  EXPECT_EQ(FirstMessage(function), "block 0x0: %1 get_scc: the block does not end here");
  b.Emit(Op::kJump, Type::kVoid, {});
  Builder other(function, function.blocks[1]);
  other.Emit(Op::kSetScc, Type::kVoid, {scc});
  other.Emit(Op::kJump, Type::kVoid, {});
  EXPECT_EQ(FirstMessage(function),
            "block 0x0: %3 set_scc: argument 0 is not defined before it in its block");
  function.blocks.pop_back();
  EXPECT_EQ(FirstMessage(function), "");

  std::swap(function.blocks[0].insts[0], function.blocks[0].insts[1]);
  EXPECT_EQ(FirstMessage(function), "block 0x0: %2 jump: the block ends too early");
  function.blocks[0].insts = {scc, scc, Value{2}};
  EXPECT_EQ(FirstMessage(function), "block 0x0: %1 get_scc: defined twice");
  function.blocks[0].insts = {Value{77}, Value{2}};
  EXPECT_EQ(FirstMessage(function), "block 0x0: %77 ?: no such value");

  function.blocks[0].insts = {scc, Value{2}};
  function.blocks[0].guest_pcs = {0};
  function[scc].guest = 1;
  EXPECT_EQ(FirstMessage(function),
            "block 0x0: %1 get_scc: belongs to no guest instruction of the block");
}

}  // namespace
}  // namespace gcnjit::ir
