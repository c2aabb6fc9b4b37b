// Programs as compilers write them, of each target and version: kernels, arguments, variables, and
// which of their memory may be written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "frontend/code_object/code_object.h"
#include "gcnjit/device.h"
#include "gcnjit/program.h"
#include "runtime/program/loaded_program.h"
#include "tests/unit/code_object_files.h"
#include "tests/unit/frontend/code_object/loaded_value.h"

namespace gcnjit {
namespace {

struct LoaderCase {
  std::string file;
  std::string target;
  frontend::Generation generation;
  int version;
};

// Linked by lld.
std::vector<LoaderCase> LinkedCases() {
  using frontend::Generation;
  return {
      {"loader_gfx600_v2.co", "gfx600", Generation::kGfx6, 2},
      {"loader_gfx600_v3.co", "gfx600", Generation::kGfx6, 3},
      {"loader_gfx600_v4.co", "gfx600", Generation::kGfx6, 4},
      {"loader_gfx600_v5.co", "gfx600", Generation::kGfx6, 5},
      {"loader_gfx600_v6.co", "gfx600", Generation::kGfx6, 6},
      {"loader_gfx700_v2.co", "gfx700", Generation::kGfx7, 2},
      {"loader_gfx700_v3.co", "gfx700", Generation::kGfx7, 3},
      {"loader_gfx700_v4.co", "gfx700", Generation::kGfx7, 4},
      {"loader_gfx700_v5.co", "gfx700", Generation::kGfx7, 5},
      {"loader_gfx700_v6.co", "gfx700", Generation::kGfx7, 6},
      {"loader_gfx803_v2.co", "gfx803", Generation::kGfx8, 2},
      {"loader_gfx803_v3.co", "gfx803", Generation::kGfx8, 3},
      {"loader_gfx803_v4.co", "gfx803", Generation::kGfx8, 4},
      {"loader_gfx803_v5.co", "gfx803", Generation::kGfx8, 5},
      {"loader_gfx803_v6.co", "gfx803", Generation::kGfx8, 6},
      // Without a feature in -mcpu, clang 14 writes xnack (and sramecc) as on in v2 and v3, as
      // "any" from v4 on.
      {"loader_gfx900_v2.co", "gfx900:xnack+", Generation::kGfx900, 2},
      {"loader_gfx900_v3.co", "gfx900:xnack+", Generation::kGfx900, 3},
      {"loader_gfx900_v4.co", "gfx900", Generation::kGfx900, 4},
      {"loader_gfx900_v5.co", "gfx900", Generation::kGfx900, 5},
      {"loader_gfx900_v6.co", "gfx900", Generation::kGfx900, 6},
      {"loader_gfx906_v2.co", "gfx906:sramecc-:xnack+", Generation::kGfx906, 2},
      {"loader_gfx906_v3.co", "gfx906:sramecc+:xnack+", Generation::kGfx906, 3},
      {"loader_gfx906_v4.co", "gfx906", Generation::kGfx906, 4},
      {"loader_gfx906_v5.co", "gfx906", Generation::kGfx906, 5},
      {"loader_gfx906_v6.co", "gfx906", Generation::kGfx906, 6},
      {"loader_gfx908_v3.co", "gfx908:sramecc+:xnack+", Generation::kGfx908, 3},
      {"loader_gfx908_v4.co", "gfx908", Generation::kGfx908, 4},
      {"loader_gfx908_v5.co", "gfx908", Generation::kGfx908, 5},
      {"loader_gfx908_v6.co", "gfx908", Generation::kGfx908, 6},
      {"loader_gfx90a_v3.co", "gfx90a:sramecc+:xnack+", Generation::kGfx90a, 3},
      {"loader_gfx90a_v4.co", "gfx90a", Generation::kGfx90a, 4},
      {"loader_gfx90a_v5.co", "gfx90a", Generation::kGfx90a, 5},
      {"loader_gfx90a_v6.co", "gfx90a", Generation::kGfx90a, 6},
      {"loader_gfx942_v4.co", "gfx942", Generation::kGfx942, 4},
      {"loader_gfx942_v5.co", "gfx942", Generation::kGfx942, 5},
      {"loader_gfx942_v6.co", "gfx942", Generation::kGfx942, 6},
      {"loader_gfx9-generic_v6.co", "gfx9-generic", Generation::kGfx900, 6},
      {"loader_xnack_off.co", "gfx906:sramecc+:xnack-", Generation::kGfx906, 5},
  };
}

// And by us, which must make no difference.
std::vector<LoaderCase> LoaderCases() {
  std::vector<LoaderCase> cases = LinkedCases();
  const size_t linked = cases.size();
  for (size_t n = 0; n < linked; ++n) {
    LoaderCase one = cases[n];
    if (!one.file.starts_with("loader_gfx") || one.target == "gfx9-generic") continue;
    one.file.replace(one.file.rfind(".co"), 3, ".o");
    cases.push_back(one);
  }
  return cases;
}

class LoaderTest : public testing::TestWithParam<LoaderCase> {
 protected:
  void SetUp() override {
    auto program = Program::Load(device_, ReadTestFile(GetParam().file));
    ASSERT_TRUE(program.ok()) << program.error().message;
    program_.emplace(*program);
  }

  Device device_ = *Device::Create();
  std::optional<Program> program_;
};

INSTANTIATE_TEST_SUITE_P(Files, LoaderTest, testing::ValuesIn(LoaderCases()), [](const auto& info) {
  std::string name = info.param.file;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST_P(LoaderTest, KnowsTargetAndVersion) {
  EXPECT_EQ(program_->internal()->target(), GetParam().target);
  EXPECT_EQ(program_->internal()->generation(), GetParam().generation);
  ASSERT_EQ(program_->Kernels().size(), 2u);
  for (const KernelInfo& kernel : program_->Kernels()) {
    EXPECT_EQ(kernel.target, GetParam().target);
    EXPECT_EQ(kernel.code_object_version, GetParam().version);
  }
}

void ExpectArgument(const ArgumentInfo& argument, ArgumentKind kind, const char* value_kind,
                    const char* type, uint32_t offset, uint32_t size) {
  EXPECT_EQ(argument.kind, kind);
  EXPECT_EQ(argument.value_kind, value_kind);
  EXPECT_EQ(argument.type_name, type);
  EXPECT_EQ(argument.offset, offset);
  EXPECT_EQ(argument.size, size);
}

// Offsets and sizes by OpenCL's layout rules: each argument at its own alignment.
TEST_P(LoaderTest, ListsExplicitArguments) {
  const auto copy = program_->FindKernel("copy");
  ASSERT_TRUE(copy.ok());
  const auto& arguments = (*copy)->arguments;
  ASSERT_GE(arguments.size(), 4u);
  ExpectArgument(arguments[0], ArgumentKind::kGlobalBuffer, "global_buffer", "int*", 0, 8);
  ExpectArgument(arguments[1], ArgumentKind::kGlobalBuffer, "global_buffer", "int*", 8, 8);
  ExpectArgument(arguments[2], ArgumentKind::kByValue, "by_value", "int", 16, 4);
  ExpectArgument(arguments[3], ArgumentKind::kDynamicLds, "dynamic_shared_pointer", "int*", 20, 4);
  EXPECT_EQ((*copy)->kernarg_segment_size, 24u);
  EXPECT_EQ((*copy)->kernarg_segment_align, 8u);
  EXPECT_EQ((*copy)->max_flat_workgroup_size, 256u);
  EXPECT_EQ((*copy)->reqd_workgroup_size[0], 0u);

  const auto by_value = program_->FindKernel("by_value");
  ASSERT_TRUE(by_value.ok());
  const auto& values = (*by_value)->arguments;
  ASSERT_GE(values.size(), 4u);
  ExpectArgument(values[1], ArgumentKind::kByValue, "by_value", "float4", 16, 16);
  ExpectArgument(values[2], ArgumentKind::kByValue, "by_value", "uchar", 32, 1);
  ExpectArgument(values[3], ArgumentKind::kByValue, "by_value", "double", 40, 8);
  EXPECT_EQ((*by_value)->kernarg_segment_align, 16u);
  EXPECT_EQ((*by_value)->reqd_workgroup_size[0], 64u);
  EXPECT_EQ((*by_value)->reqd_workgroup_size[1], 1u);
  EXPECT_EQ((*by_value)->reqd_workgroup_size[2], 1u);
  EXPECT_GT((*by_value)->vgpr_count, 0u);
  EXPECT_GT((*by_value)->sgpr_count, 0u);
  EXPECT_EQ((*by_value)->group_segment_size, 0u);
  EXPECT_EQ((*by_value)->private_segment_size, 0u);
}

TEST_P(LoaderTest, KernelsStartInCode) {
  const auto& program = *program_->internal();
  ASSERT_FALSE(program.code_ranges().empty());
  for (const char* name : {"copy", "by_value"}) {
    const auto kernel = program.Find(name);
    ASSERT_TRUE(kernel.ok());
    EXPECT_EQ((*kernel)->info->name, name);
    const uint64_t entry = (*kernel)->entry_address;
    EXPECT_EQ(entry % 256, 0u);
    EXPECT_TRUE(std::ranges::any_of(program.code_ranges(), [&](const auto& range) {
      return entry >= range.first && entry < range.second;
    }));
    // clang starts these kernels with a scalar load: SMRD (gfx6/7), SMEM (gfx8/9) or SOP/VOP words,
    // never with zeros.
    EXPECT_NE(ValueAt<uint32_t>(entry), 0u);
    EXPECT_TRUE((*kernel)->descriptor.kernarg_segment_ptr);
    EXPECT_GE((*kernel)->descriptor.VgprCount(), (*kernel)->info->vgpr_count);
    EXPECT_TRUE((*kernel)->descriptor.WorkgroupId(0));
  }
}

TEST_P(LoaderTest, FindsVariablesAndRelocatesPointersToThem) {
  const auto counter = program_->FindVariable("counter");
  ASSERT_TRUE(counter.ok()) << counter.error().message;
  EXPECT_EQ(counter->size, 4u);
  EXPECT_EQ(ValueAt<int>(counter->address), 7);
  const auto table = program_->FindVariable("table");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(table->size, 16u);
  EXPECT_EQ(ValueAt<int>(table->address + 8), 3);

  // The kernels reach `counter` through the GOT, which R_AMDGPU_ABS64 fills.
  const auto file = ReadTestFile(GetParam().file);
  const auto object = frontend::ParseCodeObject(file);
  ASSERT_TRUE(object.ok());
  ASSERT_EQ(object->relocations.size(), 1u);
  const frontend::Relocation& relocation = object->relocations[0];
  EXPECT_EQ(relocation.type, frontend::RelocationType::kAbs64);
  EXPECT_EQ(relocation.symbol, "counter");
  EXPECT_EQ(ValueAt<uint64_t>(program_->internal()->images()[0].load_bias + relocation.address),
            counter->address);
}

TEST_P(LoaderTest, OnlyWritableSegmentsAreWritable) {
  const auto& memory = *program_->internal()->memory();
  const uint64_t code = (*program_->internal()->Find("copy"))->entry_address;
  EXPECT_TRUE(memory.Readable(code, 64));
  EXPECT_FALSE(memory.Writable(code, 4));
  const uint64_t table = program_->FindVariable("table")->address;
  EXPECT_TRUE(memory.Readable(table, 16));
  EXPECT_FALSE(memory.Writable(table, 16));
  const uint64_t counter = program_->FindVariable("counter")->address;
  EXPECT_TRUE(memory.Writable(counter, 4));
}

TEST_P(LoaderTest, FreesItsMemory) {
  const auto memory = device_.memory();
  const uint64_t code = (*program_->internal()->Find("copy"))->entry_address;
  Program copy = *program_;
  program_.reset();
  EXPECT_TRUE(memory->Readable(code, 4)) << "a copy still lives";
  EXPECT_EQ(memory->Nearest(code).label, "code object");
  copy = *Program::Load(device_, ReadTestFile("loader_gfx900_v4.co"));
  EXPECT_FALSE(memory->Readable(code, 4));
}

TEST_P(LoaderTest, NamesWhatThereIs) {
  const auto missing = program_->FindKernel("nothing");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_NE(missing.error().message.find("copy"), std::string::npos) << missing.error().message;
  EXPECT_NE(missing.error().message.find("by_value"), std::string::npos);
  EXPECT_EQ(program_->FindVariable("nothing").error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(program_->FindVariable("copy.kd").ok()) << "a descriptor is no variable";
  EXPECT_FALSE(program_->FindVariable("copy").ok()) << "a kernel is no variable";
}

}  // namespace
}  // namespace gcnjit
