// gcnjit disasm, info and isa: kernels, instructions, IR and the host's code.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli_fixture.h"

namespace gcnjit::cli_test {
namespace {

TEST_F(CliTest, PrintsIr) {
  const auto ir = [&](const std::string& option) {
    return Gcnjit({"disasm", ObjectOf("gfx900"), "--kernel", "scale", option});
  };
  const Outcome lifted = ir("--ir=before:fold");
  ASSERT_EQ(lifted.exit_code, 0) << lifted.err;
  EXPECT_NE(lifted.out.find("; kernel scale, MODE 0x"), std::string::npos) << lifted.out;
  EXPECT_NE(lifted.out.find("; v_mul_lo_u32"), std::string::npos) << lifted.out;
  EXPECT_NE(lifted.out.find("= mul.v32 "), std::string::npos);
  const Outcome optimised = ir("--ir");
  ASSERT_EQ(optimised.exit_code, 0) << optimised.err;
  EXPECT_LT(optimised.out.size(), lifted.out.size());
  EXPECT_EQ(ir("--ir=after:dce").out, optimised.out);
  const Outcome unknown = ir("--ir=after:magic");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("there is no pass 'magic'; the passes are fold, gvn, "),
            std::string::npos)
      << unknown.err;
  EXPECT_EQ(ir("--ir=during:fold").exit_code, 2);
}

// The line that contains `words`, from `at` on; sets `at` to its end.
std::string LineWith(const std::string& text, const std::string& words, size_t& at) {
  const size_t found = text.find(words, at);
  if (found == std::string::npos) return {};
  const size_t begin = text.rfind('\n', found) + 1;
  at = text.find('\n', found);
  return text.substr(begin, at - begin);
}

TEST_F(CliTest, PrintsHostCode) {
  for (const std::string isa : {"avx2", "avx512"}) {
    const Outcome host =
        Gcnjit({"disasm", ObjectOf("gfx900"), "--kernel", "scale", "--host=" + isa});
    ASSERT_EQ(host.exit_code, 0) << host.err;
    EXPECT_EQ(host.out.find("; kernel scale, MODE 0x"), 0u) << host.out;
    EXPECT_EQ(host.out.find("kernel stray"), std::string::npos);
    // A block, a stage, the guest's instruction, its operation and that one's code, in this order.
    size_t at = 0;
    EXPECT_FALSE(LineWith(host.out, "block 0x", at).empty());
    EXPECT_FALSE(LineWith(host.out, "\nstage 0", at).empty());
    EXPECT_FALSE(LineWith(host.out, "\nlanes: ", at).empty());
    EXPECT_EQ(LineWith(host.out, "v_mul_lo_u32 ", at).substr(0, 6), "guest ");
    EXPECT_EQ(LineWith(host.out, "= mul.v32 ", at).substr(0, 3), "  %");
    EXPECT_EQ(LineWith(host.out, "vpmulld ", at).substr(0, 16), "        vpmulld ");
    EXPECT_FALSE(LineWith(host.out, "\nend of block", at).empty());
    // The slow path of the store, under the name of the operation.
    EXPECT_FALSE(LineWith(host.out, "\nout of line", at).empty());
    EXPECT_EQ(LineWith(host.out, ": store ", at).substr(0, 8), "block 0x");
    EXPECT_FALSE(LineWith(host.out, "        call", at).empty());
    EXPECT_EQ(host.out.find("zmm") != std::string::npos, isa == "avx512");
  }
}

TEST_F(CliTest, RefusesUnknownHosts) {
  const Outcome unknown = Gcnjit({"disasm", ObjectOf("gfx900"), "--host=sse2"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("--host takes avx2 or avx512, not 'sse2'"), std::string::npos)
      << unknown.err;
  EXPECT_EQ(Gcnjit({"disasm", ObjectOf("gfx900"), "--host", "--ir"}).exit_code, 2);
  EXPECT_EQ(Gcnjit({"disasm", ObjectOf("gfx900"), "--tuning", "zen4"}).exit_code, 2);
  EXPECT_EQ(Gcnjit({"disasm", ObjectOf("gfx900"), "--host", "--local", "64,32"}).exit_code, 2);
  EXPECT_EQ(Gcnjit({"disasm", ObjectOf("gfx900"), "--local", "64"}).exit_code, 2);
  // What is known of addresses depends on the group's shape.
  const Outcome line =
      Gcnjit({"disasm", ObjectOf("gfx900"), "--kernel", "scale", "--host=avx2", "--local", "64"});
  const Outcome square =
      Gcnjit({"disasm", ObjectOf("gfx900"), "--kernel", "scale", "--host=avx2", "--local", "3,5"});
  EXPECT_EQ(line.exit_code, 0) << line.err;
  EXPECT_EQ(square.exit_code, 0) << square.err;
  EXPECT_NE(line.out, square.out);
  EXPECT_EQ(Gcnjit({"disasm", ObjectOf("gfx900"), "--host", "--kernel", "none"}).exit_code, 2);
}

// How far ahead memory is asked for differs from processor to processor.
TEST_F(CliTest, PrintsHostCodeForOtherProcessors) {
  const auto code_for = [this](const std::string& tuning) {
    return Gcnjit(
        {"disasm", ObjectOf("gfx900"), "--kernel", "scale", "--host=avx2", "--tuning=" + tuning});
  };
  const Outcome generic = code_for("generic");
  const Outcome zen4 = code_for("zen4");
  EXPECT_EQ(generic.exit_code, 0) << generic.err;
  EXPECT_EQ(zen4.exit_code, 0) << zen4.err;
  EXPECT_NE(generic.out, zen4.out);
  const Outcome unknown = code_for("z80");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("--tuning takes generic, zen4, zen5, not 'z80'"), std::string::npos)
      << unknown.err;
}

TEST_F(CliTest, ListsKernelsAndInstructions) {
  const Outcome info = Gcnjit({"info", ObjectOf("gfx803"), "--json"});
  ASSERT_EQ(info.exit_code, 0) << info.err;
  const auto json = nlohmann::json::parse(info.out, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["target"], "gfx803");
  EXPECT_EQ(json["kernels"].size(), 10u);
  const Outcome disasm = Gcnjit({"disasm", ObjectOf("gfx803"), "--kernel", "scale"});
  EXPECT_EQ(disasm.exit_code, 0);
  EXPECT_NE(disasm.out.find("v_mul_lo_u32"), std::string::npos) << disasm.out;
  EXPECT_NE(disasm.out.find("s_endpgm"), std::string::npos);
  EXPECT_EQ(disasm.out.find("<stray>"), std::string::npos);
  EXPECT_EQ(Gcnjit({"disasm", ObjectOf("gfx803"), "--kernel", "no_such_kernel"}).exit_code, 2);
  EXPECT_EQ(Gcnjit({"isa", "--target", "gfx900"}).exit_code, 0);
  EXPECT_EQ(Gcnjit({"isa", "--target", "gfx1100"}).exit_code, 2);
  const Outcome coverage = Gcnjit({"isa", "--coverage", "--target", "gfx803", "--json"});
  EXPECT_EQ(coverage.exit_code, 0) << coverage.err;
  const auto targets = nlohmann::json::parse(coverage.out, nullptr, false);
  EXPECT_EQ(targets.size(), 1u) << coverage.out;
  EXPECT_GT(targets["gfx803"]["tested"].get<int>(), 800);
}

}  // namespace
}  // namespace gcnjit::cli_test
