// Code objects: what nothing writes, descriptors field by field, and files that are refused.
#include "frontend/code_object/code_object.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gcnjit/device.h"
#include "gcnjit/program.h"
#include "runtime/program/loaded_program.h"
#include "tests/unit/code_object_files.h"
#include "tests/unit/frontend/code_object/loaded_value.h"

namespace gcnjit {
namespace {

using frontend::ParseCodeObject;

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
  EXPECT_EQ(ValueAt<uint32_t>((*kernel)->entry_address), 0xBF810000u);  // s_endpgm
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
  EXPECT_EQ(ValueAt<uint32_t>((*kernel)->entry_address), 0xBF810000u);  // s_endpgm
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

}  // namespace
}  // namespace gcnjit
