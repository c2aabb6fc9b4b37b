// Clang offload bundles and HIP fat binaries, built by hand around compiled code objects.
#include "frontend/code_object/bundle.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "gcnjit/device.h"
#include "gcnjit/program.h"
#include "runtime/program/loaded_program.h"
#include "tests/unit/code_object_files.h"
#include "tests/unit/frontend/code_object/hip_items.h"

namespace gcnjit {
namespace {

using frontend::BundleEntry;
using frontend::ListBundle;
using frontend::SelectCodeObject;
using frontend::SelectCodeObjects;
using File = std::vector<std::byte>;

void Append(File* file, const void* data, size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  file->insert(file->end(), bytes, bytes + size);
}

File FromText(const std::string& text) {
  File file;
  Append(&file, text.data(), text.size());
  return file;
}

// Contents at multiples of 4096, as clang writes them.
File AlignedBundle(const std::vector<bundles::Item>& items) { return bundles::Bundle(items, 4096); }

File ThreeTargets() {
  return AlignedBundle({kHostItem, HipItem("gfx1030", "loader_gfx1030.co"),
                        HipItem("gfx803", "loader_gfx803_v4.co"),
                        HipItem("gfx906:sramecc+:xnack-", "loader_xnack_off.co")});
}

// A host ELF file with one section of contents.
File HostElf(const std::string& section, const File& contents) {
  const std::string names = std::string("\0.shstrtab\0", 11) + section + '\0';
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 1;
  header.e_shoff = sizeof(Elf64_Ehdr) + names.size() + contents.size();
  Elf64_Shdr sections[3] = {};
  sections[1] = {.sh_name = 1,
                 .sh_type = SHT_STRTAB,
                 .sh_flags = 0,
                 .sh_addr = 0,
                 .sh_offset = sizeof(Elf64_Ehdr),
                 .sh_size = names.size(),
                 .sh_link = 0,
                 .sh_info = 0,
                 .sh_addralign = 1,
                 .sh_entsize = 0};
  sections[2] = {.sh_name = 11,
                 .sh_type = SHT_PROGBITS,
                 .sh_flags = SHF_ALLOC,
                 .sh_addr = 0,
                 .sh_offset = sizeof(Elf64_Ehdr) + names.size(),
                 .sh_size = contents.size(),
                 .sh_link = 0,
                 .sh_info = 0,
                 .sh_addralign = 1,
                 .sh_entsize = 0};
  File file;
  Append(&file, &header, sizeof(header));
  Append(&file, names.data(), names.size());
  Append(&file, contents.data(), contents.size());
  Append(&file, sections, sizeof(sections));
  return file;
}

File Concatenate(const std::vector<File>& bundles) {
  File all;
  for (const File& bundle : bundles) {
    all.resize((all.size() + 4095) / 4096 * 4096);
    all.insert(all.end(), bundle.begin(), bundle.end());
  }
  return all;
}

std::string SelectedId(const File& file, const std::string& target) {
  const auto entry = SelectCodeObject(file, target);
  return entry.ok() ? std::string(entry->id) : "error: " + entry.error().message;
}

TEST(BundleTest, ListsDeviceEntries) {
  const File file = ThreeTargets();
  const auto entries = ListBundle(file);
  ASSERT_TRUE(entries.ok()) << entries.error().message;
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[0].target, "gfx1030");
  EXPECT_EQ((*entries)[1].id, "hipv4-amdgcn-amd-amdhsa--gfx803");
  EXPECT_EQ((*entries)[2].target, "gfx906:sramecc+:xnack-");
  const File expected = ReadTestFile("loader_gfx803_v4.co");
  const auto contents = (*entries)[1].contents;
  EXPECT_TRUE(std::ranges::equal(contents, expected));
}

TEST(BundleTest, PicksTheFirstEmulatedEntryOrTheOneAskedFor) {
  const File file = ThreeTargets();
  EXPECT_EQ(SelectedId(file, ""), "hipv4-amdgcn-amd-amdhsa--gfx803");
  EXPECT_EQ(SelectedId(file, "gfx803"), "hipv4-amdgcn-amd-amdhsa--gfx803");
  const char* gfx906 = "hipv4-amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-";
  EXPECT_EQ(SelectedId(file, "gfx906"), gfx906);
  EXPECT_EQ(SelectedId(file, "gfx906:xnack-"), gfx906);
  EXPECT_EQ(SelectedId(file, "gfx906:sramecc+:xnack-"), gfx906);
}

TEST(BundleTest, AnExactMatchBeatsAnEarlierFit) {
  const File file = AlignedBundle({kHostItem, HipItem("gfx906:xnack-", "loader_gfx906_v4.co"),
                                   HipItem("gfx906", "loader_gfx906_v5.co")});
  EXPECT_EQ(SelectedId(file, "gfx906"), "hipv4-amdgcn-amd-amdhsa--gfx906");
  EXPECT_EQ(SelectedId(file, "gfx906:xnack-"), "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-");
  EXPECT_EQ(SelectedId(file, "gfx906:xnack+"), "hipv4-amdgcn-amd-amdhsa--gfx906");
}

// hipcc's bundles are sorted by name; HIP takes code for the processor itself if there is some.
TEST(BundleTest, CodeForTheProcessorBeatsCodeForAGenericOne) {
  const bundles::Item generic = HipItem("gfx9-generic", "loader_gfx9-generic_v6.co");
  const bundles::Item gfx906 = HipItem("gfx906:xnack-", "loader_gfx906_v4.co");
  const File file = AlignedBundle({kHostItem, generic, gfx906});
  EXPECT_EQ(SelectedId(file, "gfx906:sramecc+:xnack-"), gfx906.id);
  EXPECT_EQ(SelectedId(file, "gfx906"), gfx906.id);
  EXPECT_EQ(SelectedId(file, "gfx906:xnack+"), generic.id);
  EXPECT_EQ(SelectedId(file, "gfx900"), generic.id);
  EXPECT_EQ(SelectedId(file, "gfx9-generic"), generic.id);
  EXPECT_EQ(SelectCodeObject(file, "gfx908").error().code, ErrorCode::kNotFound);
}

// Without a target, code for a generic processor is executed as what the rest of the program is
// for.
TEST(BundleTest, GenericCodeIsExecutedAsWhatTheDeviceIs) {
  const bundles::Item generic = HipItem("gfx9-generic", "loader_gfx9-generic_v6.co");
  const bundles::Item gfx906 = HipItem("gfx906", "loader_gfx906_v4.co");
  const File program = HostElf(".hip_fatbin", Concatenate({AlignedBundle({kHostItem, generic}),
                                                           AlignedBundle({kHostItem, gfx906})}));
  auto device = *Device::Create();
  const auto processor_for = [&](const File& file, const char* target) {
    const auto loaded = Program::Load(device, file, target);
    EXPECT_TRUE(loaded.ok()) << target << ": " << loaded.error().message;
    return loaded.ok() ? loaded->internal()->processor()
                       : frontend::Processor(frontend::Generation::kGfx6);
  };
  const frontend::Processor with_ecc(frontend::Generation::kGfx906, true);
  EXPECT_EQ(processor_for(program, "gfx906"), with_ecc);
  EXPECT_EQ(processor_for(program, "gfx906:sramecc-"),
            frontend::Processor(frontend::Generation::kGfx906, false));
  const File swapped = HostElf(".hip_fatbin", Concatenate({AlignedBundle({kHostItem, gfx906}),
                                                           AlignedBundle({kHostItem, generic})}));
  EXPECT_EQ(processor_for(swapped, ""), with_ecc);
  const File bare = ReadTestFile("loader_gfx9-generic_v6.co");
  EXPECT_EQ(processor_for(bare, ""), frontend::Processor(frontend::Generation::kGfx900));
  EXPECT_EQ(processor_for(bare, "gfx900"), frontend::Processor(frontend::Generation::kGfx900));
  EXPECT_EQ(processor_for(bare, "gfx906"), with_ecc);
}

TEST(BundleTest, AnErrorListsWhatIsThere) {
  const File file = ThreeTargets();
  const auto entry = SelectCodeObject(file, "gfx906:xnack+");
  ASSERT_FALSE(entry.ok());
  EXPECT_EQ(entry.error().code, ErrorCode::kNotFound);
  for (const char* part : {"gfx906:xnack+", "gfx1030", "gfx803", "gfx906:sramecc+:xnack-"}) {
    EXPECT_NE(entry.error().message.find(part), std::string::npos) << entry.error().message;
  }
  const File foreign = AlignedBundle({kHostItem, HipItem("gfx1030", "loader_gfx1030.co")});
  const auto none = SelectCodeObject(foreign, "");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kUnsupportedTarget);
  EXPECT_NE(none.error().message.find("gfx1030"), std::string::npos);
}

TEST(BundleTest, OtherOffloadKindsAndOldTriples) {
  const File file =
      AlignedBundle({{"openmp-amdgcn-amd-amdhsa--gfx900", ReadTestFile("loader_gfx900_v4.co")},
                     {"hip-amdgcn-amd-amdhsa-gfx906", ReadTestFile("loader_gfx906_v3.co")}});
  EXPECT_EQ(SelectedId(file, "gfx900"), "openmp-amdgcn-amd-amdhsa--gfx900");
  EXPECT_EQ(SelectedId(file, "gfx906"), "hip-amdgcn-amd-amdhsa-gfx906");
}

TEST(BundleTest, ConcatenatedBundlesInAHipProgram) {
  const File program =
      HostElf(".hip_fatbin",
              Concatenate({AlignedBundle({kHostItem, HipItem("gfx803", "loader_gfx803_v4.co")}),
                           AlignedBundle({kHostItem, HipItem("gfx900", "loader_gfx900_v4.co")})}));
  const auto entries = ListBundle(program);
  ASSERT_TRUE(entries.ok()) << entries.error().message;
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ(SelectedId(program, "gfx900"), "hipv4-amdgcn-amd-amdhsa--gfx900");

  auto device = *Device::Create();
  const auto loaded = Program::Load(device, program, "gfx900");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->internal()->target(), "gfx900");
  EXPECT_TRUE(loaded->FindKernel("copy").ok());
}

// A HIP program of several source files: one bundle each, and a kernel may be in any of them.
TEST(BundleTest, AllBundlesOfAProgramAreLoaded) {
  const bundles::Item loader = HipItem("gfx900", "loader_gfx900_v4.co");
  const bundles::Item probe = HipItem("gfx900:xnack-", "descriptor_v4.co");
  const bundles::Item other = HipItem("gfx803", "loader_gfx803_v4.co");
  const File program = HostElf(
      ".hip_fatbin",
      Concatenate({AlignedBundle({kHostItem, other, loader}), AlignedBundle({kHostItem, other}),
                   AlignedBundle({kHostItem, probe, loader}), AlignedBundle({kHostItem, loader})}));
  const auto entries = SelectCodeObjects(program, "gfx900:xnack-");
  ASSERT_TRUE(entries.ok()) << entries.error().message;
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[0].bundle, 0u);
  EXPECT_EQ((*entries)[1].bundle, 2u);
  EXPECT_EQ((*entries)[1].id, probe.id) << "the exact match of its bundle";
  EXPECT_EQ((*entries)[2].bundle, 3u);

  auto device = *Device::Create();
  const auto loaded = Program::Load(device, program, "gfx900:xnack-");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  ASSERT_EQ(loaded->Kernels().size(), 3u) << "the second copy of the first file adds nothing";
  for (const char* name : {"copy", "by_value", "probe"}) {
    const auto kernel = loaded->internal()->Find(name);
    ASSERT_TRUE(kernel.ok()) << name;
    EXPECT_EQ((*kernel)->info->name, name);
    EXPECT_TRUE(std::ranges::any_of(loaded->internal()->code_ranges(), [&](const auto& range) {
      return (*kernel)->entry_address >= range.first && (*kernel)->entry_address < range.second;
    }));
  }
  EXPECT_EQ(loaded->internal()->images().size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(loaded->internal()->code_ranges()));
}

TEST(BundleTest, AWrongLabelOnAnEntryIsNoticed) {
  auto device = *Device::Create();
  const auto program =
      Program::Load(device, AlignedBundle({kHostItem, HipItem("gfx900", "loader_gfx803_v4.co")}));
  ASSERT_FALSE(program.ok());
  EXPECT_NE(program.error().message.find("gfx803"), std::string::npos) << program.error().message;
}

TEST(BundleTest, ABareCodeObjectIsChecked) {
  auto device = *Device::Create();
  for (const char* name : {"loader_gfx900_v2.co", "loader_gfx900_v4.co", "loader_gfx900_v6.co"}) {
    const File file = ReadTestFile(name);
    EXPECT_TRUE(Program::Load(device, file, "gfx900").ok());
    const auto wrong = Program::Load(device, file, "gfx803");
    ASSERT_FALSE(wrong.ok()) << name;
    EXPECT_EQ(wrong.error().code, ErrorCode::kNotFound);
    EXPECT_NE(wrong.error().message.find("gfx900"), std::string::npos) << wrong.error().message;
  }
}

TEST(BundleTest, ErrorsOfAnEntryNameIt) {
  bundles::Item broken = HipItem("gfx900", "loader_gfx900_v4.co");
  broken.contents.resize(70);
  auto device = *Device::Create();
  const auto program = Program::Load(device, AlignedBundle({kHostItem, broken}));
  ASSERT_FALSE(program.ok());
  EXPECT_NE(program.error().message.find("hipv4-amdgcn-amd-amdhsa--gfx900"), std::string::npos);
}

void ExpectError(const File& file, ErrorCode code, const char* part) {
  const auto entries = ListBundle(file);
  ASSERT_FALSE(entries.ok());
  EXPECT_EQ(entries.error().code, code);
  EXPECT_NE(entries.error().message.find(part), std::string::npos) << entries.error().message;
}

TEST(BundleTest, OtherFilesAreNamed) {
  ExpectError(FromText("CCOB\2"), ErrorCode::kInvalidCodeObject, "truncated");
  ExpectError(FromText("BC\xC0\xDE"), ErrorCode::kUnsupported, "bitcode");
  ExpectError(HostElf(".text", FromText("x")), ErrorCode::kUnsupportedTarget, ".hip_fatbin");
  ExpectError(HostElf(".hip_fatbin", FromText("CCOB")), ErrorCode::kInvalidCodeObject, "truncated");
  ExpectError(HostElf(".hip_fatbin", FromText("x")), ErrorCode::kInvalidCodeObject, "bundle");
  ExpectError(AlignedBundle({kHostItem}), ErrorCode::kInvalidCodeObject, "without any entry");
}

TEST(BundleTest, BrokenTablesAreErrors) {
  const File good = ThreeTargets();
  const auto with = [&](size_t offset, uint64_t value) {
    File file = good;
    std::memcpy(file.data() + offset, &value, sizeof(value));
    return file;
  };
  constexpr size_t kCount = 24;
  constexpr size_t kSecondEntry = 32 + 24 + 25;  // after the host entry and its name
  ExpectError(with(kCount, 100000), ErrorCode::kInvalidCodeObject, "100000 entries");
  ExpectError(with(kCount, UINT64_MAX), ErrorCode::kInvalidCodeObject, "entries");
  ExpectError(with(kSecondEntry, good.size()), ErrorCode::kInvalidCodeObject, "do not fit");
  ExpectError(with(kSecondEntry, UINT64_MAX), ErrorCode::kInvalidCodeObject, "do not fit");
  ExpectError(with(kSecondEntry + 8, UINT64_MAX), ErrorCode::kInvalidCodeObject, "do not fit");
  ExpectError(with(kSecondEntry + 16, UINT64_MAX), ErrorCode::kInvalidCodeObject, "broken name");
  ExpectError(with(kSecondEntry + 16, 5000), ErrorCode::kInvalidCodeObject, "broken name");
  File truncated = good;
  truncated.resize(100);
  ExpectError(truncated, ErrorCode::kInvalidCodeObject, "");
}

}  // namespace
}  // namespace gcnjit
