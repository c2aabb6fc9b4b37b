// Code that asmjit is asked to make (backend_x64/host/new_code.h). That it throws where there is no
// memory is tested by tests/robustness, which takes the memory away.
#include "backend_x64/host/new_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace gcnjit::backend {
namespace {

namespace x86 = asmjit::x86;

std::vector<uint8_t> BytesOf(NewCode& code) {
  const asmjit::CodeBuffer& buffer = code.holder().textSection()->buffer();
  return {buffer.begin(), buffer.end()};
}

TEST(NewCodeTest, HasWhatItsAssemblerEmits) {
  NewCode code;
  NewAssembler a(code.holder());
  a.ret();
  EXPECT_EQ(BytesOf(code), std::vector<uint8_t>{0xC3});
  EXPECT_EQ(code.refusal(), "");
}

TEST(NewCodeTest, KeepsTheFirstRefusal) {
  NewCode code;
  NewAssembler a(code.holder());
  const asmjit::Label place = a.newLabel();
  a.bind(place);
  a.bind(place);
  const std::string first = code.refusal();
  EXPECT_NE(first, "");
  a.emit(x86::Inst::kIdMov, x86::eax, x86::zmm0);
  EXPECT_EQ(code.refusal(), first);
}

// Padding in front of a loop is executed: one byte each would be as many instructions.
TEST(NewCodeTest, PadsWithLongInstructions) {
  NewCode code;
  NewAssembler a(code.holder());
  a.ret();
  a.align(asmjit::AlignMode::kCode, 16);
  const std::vector<uint8_t> bytes = BytesOf(code);
  ASSERT_EQ(bytes.size(), 16u);
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0x90), 0);
}

TEST(NewCodeTest, LabelsOfACompilerAreOnesToBind) {
  NewCode code;
  x86::Compiler compiler;
  Attach(compiler, code.holder());
  const asmjit::Label first = NewLabel(compiler);
  const asmjit::Label second = NewLabel(compiler);
  EXPECT_TRUE(compiler.isLabelValid(first));
  EXPECT_NE(first.id(), second.id());
}

}  // namespace
}  // namespace gcnjit::backend
