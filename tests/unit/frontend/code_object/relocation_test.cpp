// Relocations of each type: what they leave in memory, and when they do not fit.
#include <gtest/gtest.h>

#include <memory>

#include "frontend/code_object/code_object.h"
#include "frontend/code_object/load_budget.h"
#include "runtime/program/loaded_program.h"
#include "tests/unit/frontend/code_object/loaded_value.h"

namespace gcnjit {
namespace {

using frontend::CodeObject;

// A code object by hand: one writable segment, and the relocations of the test.
CodeObject WithRelocation(const frontend::Relocation& relocation) {
  CodeObject object;
  object.target = "gfx900";
  object.version = 4;
  frontend::Segment segment;
  segment.address = 0x3000;
  segment.memory_bytes = 0x100;
  segment.writable = true;
  object.segments = {segment};
  object.image_begin = 0x3000;
  object.image_bytes = 0x100;
  object.relocations = {relocation};
  return object;
}

Result<std::shared_ptr<runtime::LoadedProgram>> LoadWithRelocation(
    const std::shared_ptr<runtime::GuestMemory>& memory, const frontend::Relocation& relocation) {
  frontend::LoadBudget budget(0);
  return runtime::LoadedProgram::Load(memory, {WithRelocation(relocation)}, budget, "");
}

// AMDGPUUsage, "Relocation Records": S symbol, A addend, P place, B load address.
TEST(CodeObjectTest, EveryRelocationType) {
  using frontend::RelocationType;
  const auto memory = *runtime::GuestMemory::Reserve();
  const auto field = [&](RelocationType type, int64_t addend, uint64_t* bias) {
    frontend::Relocation relocation;
    relocation.address = 0x3010;
    relocation.type = type;
    relocation.addend = addend;
    relocation.symbol_value = type == RelocationType::kRelative64 ? 0 : 0x3080;
    const auto program = LoadWithRelocation(memory, relocation);
    EXPECT_TRUE(program.ok());
    *bias = (*program)->images()[0].load_bias;
    return ValueAt<uint64_t>(*bias + 0x3010);
  };
  const auto expect = [&](RelocationType type, int64_t addend, auto expected) {
    uint64_t bias = 0;
    const uint64_t value = field(type, addend, &bias);
    EXPECT_EQ(value, expected(bias)) << "type " << static_cast<uint32_t>(type);
  };
  expect(RelocationType::kAbs64, 5, [](uint64_t b) { return b + 0x3085; });
  expect(RelocationType::kAbs32Lo, 5, [](uint64_t b) { return (b + 0x3085) & 0xFFFFFFFF; });
  expect(RelocationType::kAbs32Hi, 5, [](uint64_t b) { return (b + 0x3085) >> 32; });
  expect(RelocationType::kRel64, -0x100, [](uint64_t) { return static_cast<uint64_t>(-0x90); });
  expect(RelocationType::kRel32, -0x100, [](uint64_t) { return uint64_t{0xFFFFFF70}; });
  expect(RelocationType::kRel32Lo, -0x100, [](uint64_t) { return uint64_t{0xFFFFFF70}; });
  expect(RelocationType::kRel32Hi, -0x100, [](uint64_t) { return uint64_t{0xFFFFFFFF}; });
  expect(RelocationType::kRel32Hi, 0x100, [](uint64_t) { return uint64_t{0}; });
  expect(RelocationType::kRelative64, 0x3044, [](uint64_t b) { return b + 0x3044; });
  // lld's AMDGPU.cpp: words from the next instruction on.
  expect(RelocationType::kRel16, 0, [](uint64_t) { return uint64_t{0x1B}; });
  expect(RelocationType::kRel16, -0x100, [](uint64_t) { return uint64_t{0xFFDB}; });
}

// ELF specification, "Special Section Indexes": SHN_ABS values are not changed by relocation.
TEST(CodeObjectTest, AbsoluteSymbolsStayWhereTheyAre) {
  const auto memory = *runtime::GuestMemory::Reserve();
  frontend::Relocation relocation;
  relocation.address = 0x3010;
  relocation.type = frontend::RelocationType::kAbs64;
  relocation.addend = 5;
  relocation.symbol_value = 0x12345670;
  relocation.symbol_is_absolute = true;
  const auto program = LoadWithRelocation(memory, relocation);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(ValueAt<uint64_t>((*program)->images()[0].load_bias + 0x3010), 0x12345675u);
}

TEST(CodeObjectTest, RelocationsThatDoNotFitAreErrors) {
  const auto memory = *runtime::GuestMemory::Reserve();
  for (const auto type : {frontend::RelocationType::kAbs32, frontend::RelocationType::kRel32,
                          frontend::RelocationType::kRel16}) {
    frontend::Relocation relocation;
    relocation.address = 0x3010;
    relocation.type = type;
    relocation.addend = int64_t{1} << 40;
    relocation.symbol_value = 0x3080;
    const auto program = LoadWithRelocation(memory, relocation);
    ASSERT_FALSE(program.ok());
    EXPECT_EQ(program.error().code, ErrorCode::kInvalidCodeObject);
  }
  EXPECT_EQ(memory->Nearest(0).bytes, 0u) << "a failed load leaves nothing";
}

}  // namespace
}  // namespace gcnjit
