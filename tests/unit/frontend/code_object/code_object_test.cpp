// Code objects as compilers write them: kernels, arguments, descriptors, relocations, protection.
#include "frontend/code_object/code_object.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/code_object/load_budget.h"
#include "frontend/code_object/plain_text.h"
#include "frontend/code_object/target.h"
#include "gcnjit/device.h"
#include "gcnjit/program.h"
#include "runtime/program/loaded_program.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit {
namespace {

using frontend::CodeObject;
using frontend::ParseCodeObject;

template <typename T>
T Value(uint64_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(T));
  return value;
}

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
    EXPECT_NE(Value<uint32_t>(entry), 0u);
    EXPECT_TRUE((*kernel)->descriptor.kernarg_segment_ptr);
    EXPECT_GE((*kernel)->descriptor.VgprCount(), (*kernel)->info->vgpr_count);
    EXPECT_TRUE((*kernel)->descriptor.WorkgroupId(0));
  }
}

TEST_P(LoaderTest, FindsVariablesAndRelocatesPointersToThem) {
  const auto counter = program_->FindVariable("counter");
  ASSERT_TRUE(counter.ok()) << counter.error().message;
  EXPECT_EQ(counter->size, 4u);
  EXPECT_EQ(Value<int>(counter->address), 7);
  const auto table = program_->FindVariable("table");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(table->size, 16u);
  EXPECT_EQ(Value<int>(table->address + 8), 3);

  // The kernels reach `counter` through the GOT, which R_AMDGPU_ABS64 fills.
  const auto file = ReadTestFile(GetParam().file);
  const auto object = ParseCodeObject(file);
  ASSERT_TRUE(object.ok());
  ASSERT_EQ(object->relocations.size(), 1u);
  const frontend::Relocation& relocation = object->relocations[0];
  EXPECT_EQ(relocation.type, frontend::RelocationType::kAbs64);
  EXPECT_EQ(relocation.symbol, "counter");
  EXPECT_EQ(Value<uint64_t>(program_->internal()->images()[0].load_bias + relocation.address),
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

// Whatever a file says of its segments, and whichever lie in one page: what is code is never
// written, neither by the guest nor by way of the host's views.
TEST(CodeObjectTest, NothingWritesCode) {
  Device device = *Device::Create();
  for (const char* name : {"loader_gfx600_v2.co", "loader_gfx900_v4.co", "loader_gfx906_v6.co",
                           "loader_omagic.co", "loader_shared_page.co"}) {
    std::vector<std::byte> file = ReadTestFile(name);
    Elf64_Ehdr header;
    std::memcpy(&header, file.data(), sizeof header);
    std::vector<Elf64_Phdr*> loaded_segments;
    auto* const segments = reinterpret_cast<Elf64_Phdr*>(file.data() + header.e_phoff);
    for (Elf64_Phdr& segment : std::span(segments, header.e_phnum)) {
      if (segment.p_type == PT_LOAD) loaded_segments.push_back(&segment);
    }
    std::vector<uint32_t> flags;
    for (const Elf64_Phdr* segment : loaded_segments) flags.push_back(segment->p_flags);
    for (uint32_t more = 0; more < 1u << 2 * flags.size(); ++more) {
      for (size_t n = 0; n < flags.size(); ++n) {
        const uint32_t added = more >> 2 * n;
        loaded_segments[n]->p_flags =
            flags[n] | (added & 1 ? uint32_t{PF_W} : 0) | (added & 2 ? uint32_t{PF_X} : 0);
      }
      const auto program = Program::Load(device, file);
      ASSERT_TRUE(program.ok()) << program.error().message;
      const auto& loaded = *program->internal();
      const auto& memory = *loaded.memory();
      ASSERT_FALSE(loaded.code_ranges().empty());
      for (const auto& [begin, end] : loaded.code_ranges()) {
        for (uint64_t at = begin; at < end; ++at) {
          ASSERT_TRUE(memory.Readable(at, 1));
          ASSERT_FALSE(memory.Writable(at, 1)) << name << " " << more;
        }
        EXPECT_TRUE(device.Data(begin, end - begin).empty());
      }
      EXPECT_FALSE(device.Free(loaded.images()[0].base).ok());
    }
  }
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

// The values are those of data/descriptor_v2.s and descriptor_v4.s.
void ExpectProbe(const frontend::KernelDescriptor& descriptor) {
  EXPECT_EQ(descriptor.private_segment_bytes, 1001u);
  EXPECT_EQ(descriptor.group_segment_bytes, 1002u);
  EXPECT_EQ(descriptor.kernarg_bytes, 1003u);
  EXPECT_TRUE(descriptor.private_segment_buffer);
  EXPECT_FALSE(descriptor.dispatch_ptr);
  EXPECT_TRUE(descriptor.queue_ptr);
  EXPECT_FALSE(descriptor.kernarg_segment_ptr);
  EXPECT_TRUE(descriptor.dispatch_id);
  EXPECT_FALSE(descriptor.flat_scratch_init);
  EXPECT_TRUE(descriptor.private_segment_size);
  EXPECT_TRUE(descriptor.ScratchWaveOffset());
  EXPECT_TRUE(descriptor.WorkgroupId(0));
  EXPECT_FALSE(descriptor.WorkgroupId(1));
  EXPECT_TRUE(descriptor.WorkgroupId(2));
  EXPECT_TRUE(descriptor.WorkgroupInfo());
  EXPECT_EQ(descriptor.WorkitemIdVgprs(), 3u);
  EXPECT_EQ(descriptor.VgprCount(), 24u);
  EXPECT_EQ(descriptor.SgprCount(), 32u);
  EXPECT_EQ(descriptor.FloatMode(), 0xC5u);
  EXPECT_TRUE(descriptor.Dx10Clamp());
  EXPECT_FALSE(descriptor.IeeeMode());
}

TEST(CodeObjectTest, ReadsEveryFieldOfAmdKernelCode) {
  auto device = *Device::Create();
  const auto program = Program::Load(device, ReadTestFile("descriptor_v2.co"));
  ASSERT_TRUE(program.ok()) << program.error().message;
  const auto kernel = program->internal()->Find("probe");
  ASSERT_TRUE(kernel.ok());
  const frontend::KernelDescriptor& descriptor = (*kernel)->descriptor;
  ExpectProbe(descriptor);
  EXPECT_EQ(descriptor.UserSgprCount(), 13u);
  EXPECT_TRUE(descriptor.grid_workgroup_count[0]);
  EXPECT_FALSE(descriptor.grid_workgroup_count[1]);
  EXPECT_TRUE(descriptor.grid_workgroup_count[2]);
  EXPECT_TRUE(descriptor.uses_dynamic_stack);
  EXPECT_EQ((*kernel)->entry_address - (*kernel)->descriptor_address, 512u);
  EXPECT_EQ(Value<uint32_t>((*kernel)->entry_address), 0xBF810000u);  // s_endpgm
  const KernelInfo& info = *(*kernel)->info;
  EXPECT_EQ(info.sgpr_count, 29u);
  EXPECT_EQ(info.vgpr_count, 23u);
  EXPECT_EQ(info.kernarg_segment_size, 1003u);
  EXPECT_EQ(info.kernarg_segment_align, 32u);
  EXPECT_EQ(info.group_segment_size, 1002u);
  EXPECT_EQ(info.private_segment_size, 1001u);
  EXPECT_TRUE(info.arguments.empty());
}

TEST(CodeObjectTest, ReadsEveryFieldOfTheDescriptor) {
  auto device = *Device::Create();
  const auto program = Program::Load(device, ReadTestFile("descriptor_v4.co"));
  ASSERT_TRUE(program.ok()) << program.error().message;
  ASSERT_EQ(program->Kernels().size(), 1u) << "a kernel without metadata is listed too";
  const auto kernel = program->internal()->Find("probe");
  ASSERT_TRUE(kernel.ok());
  const frontend::KernelDescriptor& descriptor = (*kernel)->descriptor;
  ExpectProbe(descriptor);
  EXPECT_EQ(descriptor.UserSgprCount(), 4u + 2u + 2u + 1u);
  EXPECT_TRUE(descriptor.Fp16Overflow());
  EXPECT_EQ(Value<uint32_t>((*kernel)->entry_address), 0xBF810000u);  // s_endpgm
  const KernelInfo& info = *(*kernel)->info;
  EXPECT_EQ(info.sgpr_count, 32u);
  EXPECT_EQ(info.vgpr_count, 24u);
  EXPECT_EQ(info.kernarg_segment_size, 1003u);
  EXPECT_EQ(info.group_segment_size, 1002u);
  EXPECT_EQ(info.private_segment_size, 1001u);
}

TEST(CodeObjectTest, RefusesWhatItCannotRun) {
  const auto other_file = ReadTestFile("loader_gfx1030.co");
  const auto other = ParseCodeObject(other_file);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kUnsupportedTarget);
  EXPECT_NE(other.error().message.find("gfx1030"), std::string::npos) << other.error().message;

  auto executable = ReadTestFile("loader_gfx900_v4.co");
  executable[16] = std::byte{ET_EXEC};  // e_type
  EXPECT_EQ(ParseCodeObject(executable).error().code, ErrorCode::kUnsupported);

  auto future = ReadTestFile("loader_gfx900_v4.co");
  future[8] = std::byte{9};  // EI_ABIVERSION
  EXPECT_EQ(ParseCodeObject(future).error().code, ErrorCode::kUnsupported);

  auto no_platform = ReadTestFile("loader_gfx900_v4.co");
  no_platform[7] = std::byte{0};  // EI_OSABI: ELFOSABI_NONE
  EXPECT_EQ(ParseCodeObject(no_platform).error().code, ErrorCode::kUnsupportedTarget);
}

TEST(CodeObjectTest, AnUndefinedSymbolIsNamedAtLoading) {
  for (const char* name : {"needs_symbol.co", "needs_symbol.o"}) {
    const auto file = ReadTestFile(name);
    EXPECT_TRUE(ParseCodeObject(file).ok()) << "it can be looked at";
    auto device = *Device::Create();
    const auto program = Program::Load(device, file);
    ASSERT_FALSE(program.ok());
    EXPECT_NE(program.error().message.find("'elsewhere'"), std::string::npos)
        << program.error().message;
  }
}

TEST(CodeObjectTest, AKernelThatNoMetadataDescribesIsListedToo) {
  auto device = *Device::Create();
  const auto program = Program::Load(device, ReadTestFile("half_described.co"));
  ASSERT_TRUE(program.ok()) << program.error().message;
  ASSERT_EQ(program->Kernels().size(), 2u);
  const auto described = program->FindKernel("described");
  ASSERT_TRUE(described.ok());
  EXPECT_TRUE((*described)->has_metadata);
  EXPECT_EQ((*described)->arguments.size(), 1u);
  const auto bare = program->FindKernel("bare");
  ASSERT_TRUE(bare.ok());
  EXPECT_FALSE((*bare)->has_metadata);
  EXPECT_EQ((*bare)->kernarg_segment_size, 24u);
  for (const char* name : {"descriptor_v2.co", "descriptor_v4.co"}) {
    const auto probe = Program::Load(device, ReadTestFile(name));
    ASSERT_TRUE(probe.ok()) << name;
    EXPECT_FALSE(probe->Kernels()[0].has_metadata) << name;
  }
}

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
    return Value<uint64_t>(*bias + 0x3010);
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
  EXPECT_EQ(Value<uint64_t>((*program)->images()[0].load_bias + 0x3010), 0x12345675u);
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

TEST(CodeObjectTest, DerivedStateIsMadeOnce) {
  auto device = *Device::Create();
  const auto program = Program::Load(device, ReadTestFile("loader_gfx900_v4.co"));
  int made = 0;
  const auto make = [&] { return std::make_shared<std::string>(std::to_string(++made)); };
  std::string& first = program->internal()->Derived<std::string>(make);
  EXPECT_EQ(&program->internal()->Derived<std::string>(make), &first);
  EXPECT_EQ(first, "1");
  EXPECT_EQ(program->internal()->Derived<int>([] { return std::make_shared<int>(5); }), 5);
}

// AMDGPUUsage, "Code Object V2 Supported Processors and Fixed Target Feature Settings".
TEST(TargetTest, IsaVersionsOfV2) {
  using frontend::TargetOfIsaVersion;
  EXPECT_EQ(TargetOfIsaVersion(6, 0, 1), "gfx601");
  EXPECT_EQ(TargetOfIsaVersion(7, 0, 5), "gfx705");
  EXPECT_EQ(TargetOfIsaVersion(8, 0, 0), "gfx802");
  EXPECT_EQ(TargetOfIsaVersion(8, 0, 1), "gfx801:xnack+");
  EXPECT_EQ(TargetOfIsaVersion(8, 0, 2), "gfx802");
  EXPECT_EQ(TargetOfIsaVersion(8, 0, 3), "gfx803");
  EXPECT_EQ(TargetOfIsaVersion(8, 0, 4), "gfx803");
  EXPECT_EQ(TargetOfIsaVersion(8, 0, 5), "gfx805");
  EXPECT_EQ(TargetOfIsaVersion(8, 1, 0), "gfx810:xnack+");
  EXPECT_EQ(TargetOfIsaVersion(9, 0, 0), "gfx900:xnack-");
  EXPECT_EQ(TargetOfIsaVersion(9, 0, 1), "gfx900:xnack+");
  EXPECT_EQ(TargetOfIsaVersion(9, 0, 2), "gfx902:xnack-");
  EXPECT_EQ(TargetOfIsaVersion(9, 0, 3), "gfx902:xnack+");
  EXPECT_EQ(TargetOfIsaVersion(9, 0, 6), "gfx906:sramecc-:xnack-");
  EXPECT_EQ(TargetOfIsaVersion(9, 0, 7), "gfx906:sramecc-:xnack+");
  EXPECT_EQ(TargetOfIsaVersion(9, 0, 12), "gfx90c");
}

TEST(TargetTest, FeaturesInFlags) {
  using frontend::TargetOfFlags;
  EXPECT_EQ(TargetOfFlags(0x2F, 3), "gfx906:sramecc-:xnack-");
  EXPECT_EQ(TargetOfFlags(0x32F, 3), "gfx906:sramecc+:xnack+");
  EXPECT_EQ(TargetOfFlags(0x2A, 3), "gfx803");
  EXPECT_EQ(TargetOfFlags(0x230, 3), "gfx908:sramecc+:xnack-");
  EXPECT_EQ(TargetOfFlags(0x530, 4), "gfx908");
  EXPECT_EQ(TargetOfFlags(0xE30, 4), "gfx908:sramecc+:xnack-");
  EXPECT_EQ(TargetOfFlags(0x52F, 4), "gfx906");  // any, any
  EXPECT_EQ(TargetOfFlags(0xE2F, 4), "gfx906:sramecc+:xnack-");
  EXPECT_EQ(TargetOfFlags(0x92F, 5), "gfx906:sramecc-");  // off, any
  // Generic processors, with their version in the topmost byte (LLVM AMDGPUUsage, "ELF Header").
  EXPECT_EQ(TargetOfFlags(0x01000151, 6), "gfx9-generic");
  EXPECT_EQ(TargetOfFlags(0x01000251, 6), "gfx9-generic:xnack-");
  EXPECT_EQ(TargetOfFlags(0x01000E5F, 6), "gfx9-4-generic:sramecc+:xnack-");
  EXPECT_EQ(TargetOfFlags(0x01000054, 6), "gfx11-generic");
  EXPECT_EQ(TargetOfFlags(0xFF, 4), "machine 0xff");
}

TEST(TargetTest, Fits) {
  using frontend::TargetFits;
  EXPECT_TRUE(TargetFits("gfx900", "gfx900"));
  EXPECT_TRUE(TargetFits("gfx900", "gfx900:xnack-"));
  EXPECT_TRUE(TargetFits("gfx900:xnack-", "gfx900"));
  EXPECT_FALSE(TargetFits("gfx900:xnack-", "gfx900:xnack+"));
  EXPECT_TRUE(TargetFits("gfx906:sramecc-:xnack+", "gfx906:xnack+"));
  // Each feature is named once, as on or off.
  for (const char* wanted :
       {"gfx906:", "gfx906:xnack", "gfx906:xnack+:xnack-", "gfx906:xnack-:xnack-", "gfx906:+",
        "gfx906:tgsplit+", "gfx906::xnack-"}) {
    EXPECT_FALSE(TargetFits("gfx906", wanted)) << wanted;
    EXPECT_FALSE(frontend::GenerationOfTarget(wanted)) << wanted;
  }
  EXPECT_TRUE(frontend::GenerationOfTarget("gfx906:xnack+:sramecc-"));
  EXPECT_FALSE(TargetFits("gfx906:sramecc-:xnack+", "gfx906:sramecc+:xnack+"));
  EXPECT_TRUE(TargetFits("gfx906", "gfx906:sramecc+:xnack-"));
  EXPECT_TRUE(TargetFits("gfx906:sramecc+:xnack-", "gfx906:sramecc+:xnack-"));
  EXPECT_FALSE(TargetFits("gfx90", "gfx900"));
  EXPECT_FALSE(TargetFits("gfx900", "gfx906"));
}

// Which processors run code for a generic one: LLVM AMDGPUUsage, "Generic Processors", and ROCr's
// isa.cpp (the last column of ISAREG_ENTRY_GEN), whose names of features are compared as others'.
TEST(TargetTest, GenericCodeFitsItsProcessors) {
  using frontend::TargetFits;
  for (const char* device : {"gfx900", "gfx900:xnack-", "gfx902", "gfx906:sramecc+:xnack-"}) {
    EXPECT_TRUE(TargetFits("gfx9-generic", device)) << device;
    EXPECT_TRUE(TargetFits("gfx9-generic:xnack-", device)) << device;
    EXPECT_FALSE(TargetFits("gfx9-4-generic", device)) << device;
    EXPECT_FALSE(TargetFits(device, "gfx9-generic")) << device;
  }
  EXPECT_FALSE(TargetFits("gfx9-generic:xnack+", "gfx906:sramecc+:xnack-"));
  for (const char* device : {"gfx803", "gfx908", "gfx90a", "gfx942", "gfx9", ""}) {
    EXPECT_FALSE(TargetFits("gfx9-generic", device)) << device;
  }
  EXPECT_TRUE(TargetFits("gfx9-4-generic", "gfx942:sramecc+:xnack-"));
  EXPECT_FALSE(TargetFits("gfx9-4-generic:sramecc-", "gfx942:sramecc+:xnack-"));
  EXPECT_FALSE(TargetFits("gfx11-generic", "gfx1100"));
  EXPECT_EQ(frontend::ProcessorOfTarget("gfx9-4-generic"),
            frontend::Processor(frontend::Generation::kGfx942, true));
  EXPECT_EQ(frontend::ProcessorOfTarget("gfx9-generic", "gfx902"),
            frontend::Processor(frontend::Generation::kGfx900));
  EXPECT_FALSE(frontend::ProcessorOfTarget("gfx11-generic"));
}

// The code object's own word counts, then the device's; cards with SRAM-ECC come with it switched
// on.
TEST(Target, SaysWhetherThereIsSramEcc) {
  const auto sram_ecc = [](std::string_view target, std::string_view device) {
    const auto processor = frontend::ProcessorOfTarget(target, device);
    EXPECT_TRUE(processor) << target;
    return processor && processor->sram_ecc;
  };
  for (const char* device : {"", "gfx906", "gfx906:sramecc+:xnack-"}) {
    EXPECT_TRUE(sram_ecc("gfx906", device)) << device;
    EXPECT_TRUE(sram_ecc("gfx906:xnack-", device)) << device;
    EXPECT_TRUE(sram_ecc("gfx906:sramecc+:xnack-", device)) << device;
    EXPECT_FALSE(sram_ecc("gfx906:sramecc-", device)) << device;
  }
  EXPECT_FALSE(sram_ecc("gfx906:xnack-", "gfx906:sramecc-:xnack-"));
  EXPECT_TRUE(sram_ecc("gfx906:sramecc+:xnack-", "gfx906:sramecc-:xnack-"));
  for (const char* target : {"gfx600", "gfx701", "gfx803", "gfx900:xnack-", "gfx9-generic"}) {
    EXPECT_FALSE(sram_ecc(target, "")) << target;
  }
  EXPECT_FALSE(frontend::ProcessorOfTarget("gfx1030"));
  for (const frontend::Processor& processor : frontend::kProcessors) {
    EXPECT_EQ(frontend::ProcessorOfTarget(frontend::TargetOf(processor)), processor)
        << frontend::TargetOf(processor);
  }
}

TEST(PlainTextTest, Utf8WithoutControls) {
  using frontend::IsPlainText;
  EXPECT_TRUE(IsPlainText(""));
  EXPECT_TRUE(IsPlainText("_Z2tkIfEvPT_.kd"));
  EXPECT_TRUE(IsPlainText("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"));
  for (const char* bad : {"a\nb", "\x1B[31m", "\x7F", "\x80", "\xC3", "\xC0\x80", "\xED\xA0\x80",
                          "\xF4\x90\x80\x80", "\xE2\x82", "\xC2\x9B", "\xFF"}) {
    EXPECT_FALSE(IsPlainText(bad)) << testing::PrintToString(bad);
  }
}

}  // namespace
}  // namespace gcnjit
