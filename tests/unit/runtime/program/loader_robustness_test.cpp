// Broken files of every kind: each must give an Error or a valid program, soon and without harm.
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "frontend/code_object/bundle.h"
#include "frontend/code_object/code_object.h"
#include "gcnjit/device.h"
#include "gcnjit/program.h"
#include "runtime/program/loaded_program.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit {
namespace {

using File = std::vector<std::byte>;

// Of this thread: others may keep it from running for any time.
double CpuSeconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class RobustnessTest : public testing::TestWithParam<const char*> {
 protected:
  // Loads a copy in a buffer of exactly its size, so that a sanitizer sees any read beyond it, and
  // uses what was loaded. Counts what happened.
  void Try(const File& file) {
    const File exact(file.begin(), file.end());
    const double start = CpuSeconds();
    const auto program = Program::Load(device_, exact);
    slowest_ = std::max(slowest_, CpuSeconds() - start);
    if (!program) {
      ++refused_;
      EXPECT_FALSE(program.error().message.empty());
      return;
    }
    ++accepted_;
    const auto& loaded = *program->internal();
    for (const KernelInfo& kernel : program->Kernels()) {
      const auto found = loaded.Find(kernel.name);
      ASSERT_TRUE(found.ok());
      EXPECT_TRUE(loaded.memory()->Readable((*found)->entry_address, 1));
      EXPECT_TRUE(loaded.memory()->Readable((*found)->descriptor_address, 64));
      for (const ArgumentInfo& argument : kernel.arguments) {
        EXPECT_LE(uint64_t{argument.offset} + argument.size, kernel.kernarg_segment_size);
      }
    }
    for (const frontend::Symbol& symbol : loaded.symbols()) {
      const auto variable = program->FindVariable(std::string(symbol.name));
      if (variable && variable->size != 0) {
        EXPECT_TRUE(loaded.memory()->InOneAllocation(variable->address, variable->size));
      }
    }
  }

  void TearDown() override {
    EXPECT_LT(slowest_, 5.0) << "seconds for one file";
    RecordProperty("refused", refused_);
    RecordProperty("accepted", accepted_);
  }

  Device device_ = *Device::Create();
  int refused_ = 0;
  int accepted_ = 0;
  double slowest_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Files, RobustnessTest,
                         testing::Values("loader_gfx803_v2.co", "loader_gfx900_v3.co",
                                         "loader_gfx906_v5.co", "descriptor_v2.co",
                                         "descriptor_v4.co", "loader_gfx900_v2.o",
                                         "loader_gfx900_v4.o", "relocations.o", "mesa_gfx803.co"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST_P(RobustnessTest, EveryTruncation) {
  const File good = ReadTestFile(GetParam());
  for (size_t size = 0; size < good.size(); ++size) {
    Try(File(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)));
    if (HasFailure()) FAIL() << "size " << size;
  }
  EXPECT_EQ(accepted_, 0) << "the section headers at the end are missing";
}

TEST_P(RobustnessTest, EveryByteFlipped) {
  const File good = ReadTestFile(GetParam());
  std::mt19937 random(1);
  for (size_t position = 0; position < good.size(); ++position) {
    File file = good;
    file[position] ^= static_cast<std::byte>(1 + random() % 255);
    Try(file);
    if (HasFailure()) FAIL() << "position " << position;
  }
  EXPECT_GT(refused_, 0);
  EXPECT_GT(accepted_, 0);  // flips in code and data are no business of the loader's
}

// Fields are mostly 4 or 8 bytes wide: put extreme numbers there.
TEST_P(RobustnessTest, EveryFieldExtreme) {
  struct Extreme {
    uint64_t value;
    size_t width;
  };
  constexpr Extreme kExtremes[] = {
      {0, 8}, {0xFFFFFFFF, 4}, {0x7FFFFFFFFFFFFFFF, 8}, {0xFFFFFFFFFFFFFFF8, 8}};
  const File good = ReadTestFile(GetParam());
  for (size_t position = 0; position + 8 <= good.size(); position += 4) {
    for (const auto& [value, width] : kExtremes) {
      File file = good;
      std::memcpy(file.data() + position, &value, width);
      Try(file);
      if (HasFailure()) FAIL() << "position " << position << " value " << value;
    }
  }
  EXPECT_GT(refused_, 0);
}

TEST_P(RobustnessTest, ManyBytesAtOnce) {
  const File good = ReadTestFile(GetParam());
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    File file = good;
    for (unsigned k = 0; k < 2 + random() % 12; ++k) {
      // Half of them in the ELF and program headers.
      const size_t range = random() % 2 == 0 ? 64 + 9 * 56 : file.size();
      file[random() % std::min(range, file.size())] = static_cast<std::byte>(random());
    }
    Try(file);
    if (HasFailure()) FAIL() << "iteration " << i;
  }
  EXPECT_GT(refused_, 0);
}

// --- Small files that would make a trusting loader do a great deal of work ---

class HostileTest : public RobustnessTest {
 protected:
  static Elf64_Ehdr* Header(File* file) { return reinterpret_cast<Elf64_Ehdr*>(file->data()); }
  static Elf64_Phdr* Segments(File* file) {
    return reinterpret_cast<Elf64_Phdr*>(file->data() + Header(file)->e_phoff);
  }
  // Section header of a type; the file is not stripped.
  static Elf64_Shdr* Section(File* file, uint32_t type) {
    auto* sections = reinterpret_cast<Elf64_Shdr*>(file->data() + Header(file)->e_shoff);
    for (unsigned i = 0; i < Header(file)->e_shnum; ++i) {
      if (sections[i].sh_type == type) return &sections[i];
    }
    return nullptr;
  }

  std::string Message(const File& file) {
    const double start = CpuSeconds();
    const auto program = Program::Load(device_, file);
    EXPECT_LT(CpuSeconds() - start, 10.0);
    return program.ok() ? "loaded" : program.error().message;
  }
};

INSTANTIATE_TEST_SUITE_P(Files, HostileTest, testing::Values("loader_gfx900_v4.co"));

TEST_P(HostileTest, HugeSegment) {
  File file = ReadTestFile(GetParam());
  for (unsigned i = 0; i < Header(&file)->e_phnum; ++i) {
    if (Segments(&file)[i].p_type == PT_LOAD) Segments(&file)[i].p_memsz = uint64_t{5} << 30;
  }
  EXPECT_NE(Message(file).find("at most"), std::string::npos) << Message(file);
}

TEST_P(HostileTest, DistantSegments) {
  File file = ReadTestFile(GetParam());
  Elf64_Phdr* last = nullptr;
  for (unsigned i = 0; i < Header(&file)->e_phnum; ++i) {
    if (Segments(&file)[i].p_type == PT_LOAD) last = &Segments(&file)[i];
  }
  last->p_vaddr = uint64_t{1} << 40;
  EXPECT_NE(Message(file).find("at most"), std::string::npos) << Message(file);
}

TEST_P(HostileTest, OverlappingSegments) {
  File file = ReadTestFile(GetParam());
  for (unsigned i = 0; i < Header(&file)->e_phnum; ++i) {
    if (Segments(&file)[i].p_type == PT_LOAD) Segments(&file)[i].p_vaddr = 0;
  }
  EXPECT_NE(Message(file).find("overlap"), std::string::npos) << Message(file);
}

// A relocation may write the last of a segment's bytes, and none after them: what is not in the
// file has nothing to relocate, and would cost a page of host memory each time.
TEST_P(HostileTest, RelocationsAtTheEnd) {
  File file = ReadTestFile(GetParam());
  const Elf64_Shdr* relocations = Section(&file, SHT_RELA);
  ASSERT_NE(relocations, nullptr);
  auto* const relocation = reinterpret_cast<Elf64_Rela*>(file.data() + relocations->sh_offset);
  ASSERT_EQ(relocations->sh_size, sizeof *relocation);
  Elf64_Phdr* last = nullptr;
  for (unsigned i = 0; i < Header(&file)->e_phnum; ++i) {
    if (Segments(&file)[i].p_type == PT_LOAD) last = &Segments(&file)[i];
  }
  last->p_filesz = 64;
  last->p_memsz = 4096;
  const uint64_t end = last->p_vaddr + last->p_filesz;
  relocation->r_offset = end - 8;
  EXPECT_EQ(Message(file), "loaded");
  for (const uint64_t missing : {1, 4, 7, 8, 4000}) {
    relocation->r_offset = end - 8 + missing;
    EXPECT_NE(Message(file).find("outside every segment"), std::string::npos) << Message(file);
  }
}

// 200 segments that all show the whole file would be 200 times its size in memory.
TEST_P(HostileTest, SegmentsThatShareBytes) {
  File file = ReadTestFile(GetParam());
  file.resize(1 << 20);
  std::vector<Elf64_Phdr> segments(200);
  for (size_t i = 0; i < segments.size(); ++i) {
    segments[i].p_type = PT_LOAD;
    segments[i].p_vaddr = i << 20;
    segments[i].p_filesz = segments[i].p_memsz = file.size();
  }
  Header(&file)->e_phoff = file.size();
  Header(&file)->e_phnum = static_cast<Elf64_Half>(segments.size());
  const auto bytes = std::as_bytes(std::span(segments));
  file.insert(file.end(), bytes.begin(), bytes.end());
  EXPECT_NE(Message(file).find("together"), std::string::npos) << Message(file);
}

// Each of many small segments far apart takes a page of the host's, not a huge one.
TEST_P(HostileTest, SmallSegmentsFarApart) {
  constexpr uint64_t kApart = 2 << 20;
  for (const uint64_t memory_bytes : {uint64_t{4}, kApart}) {
    for (const uint32_t flags : {PF_R, PF_R | PF_W, PF_R | PF_X}) {
      File file = ReadTestFile(GetParam());
      std::vector<Elf64_Phdr> segments(Segments(&file), Segments(&file) + Header(&file)->e_phnum);
      for (uint64_t n = 1; n <= 200; ++n) {
        Elf64_Phdr segment = {};
        segment.p_type = PT_LOAD;
        segment.p_flags = flags;
        segment.p_vaddr = n * kApart;
        segment.p_filesz = 4;
        segment.p_memsz = memory_bytes;
        segments.push_back(segment);
      }
      // Segments may have as many bytes as the file, all together.
      file.resize(file.size() + segments.size() * 4);
      Header(&file)->e_phoff = file.size();
      Header(&file)->e_phnum = static_cast<Elf64_Half>(segments.size());
      const auto bytes = std::as_bytes(std::span(segments));
      file.insert(file.end(), bytes.begin(), bytes.end());
      const auto program = Program::Load(device_, file);
      ASSERT_TRUE(program.ok()) << program.error().message;
      const runtime::LoadedProgram::Image image = program->internal()->images()[0];
      std::vector<unsigned char> resident((image.bytes + 4095) / 4096);
      ASSERT_EQ(::mincore(reinterpret_cast<void*>(image.base), image.bytes, resident.data()), 0);
      const auto pages = std::ranges::count_if(resident, [](auto page) { return (page & 1) != 0; });
      EXPECT_LE(pages, 400);
    }
  }
}

TEST_P(HostileTest, TooManyProgramHeaders) {
  File file = ReadTestFile(GetParam());
  Header(&file)->e_phnum = 65535;
  EXPECT_NE(Message(file).find("at most 256"), std::string::npos) << Message(file);
}

// 400,000 symbols that share one name of 4 MB would be 1.6 TB of names.
TEST_P(HostileTest, SymbolsThatShareAName) {
  File file = ReadTestFile(GetParam());
  const uint64_t strings = file.size();
  file.resize(file.size() + (4 << 20), std::byte{'a'});
  file.back() = std::byte{0};
  const uint64_t symbols = file.size();
  std::vector<Elf64_Sym> table(400'000);
  for (Elf64_Sym& symbol : table) {
    symbol.st_name = 1;
    symbol.st_shndx = 1;
  }
  const auto bytes = std::as_bytes(std::span(table));
  file.insert(file.end(), bytes.begin(), bytes.end());
  Elf64_Shdr* symtab = Section(&file, SHT_SYMTAB);
  ASSERT_NE(symtab, nullptr);
  symtab->sh_offset = symbols;
  symtab->sh_size = bytes.size();
  auto* all = reinterpret_cast<Elf64_Shdr*>(file.data() + Header(&file)->e_shoff);
  all[symtab->sh_link].sh_offset = strings;
  all[symtab->sh_link].sh_size = symbols - strings;
  EXPECT_NE(Message(file).find("more steps to read"), std::string::npos) << Message(file);
}

TEST_P(HostileTest, NotesWithoutEnd) {
  File file = ReadTestFile(GetParam());
  for (unsigned i = 0; i < Header(&file)->e_phnum; ++i) {
    const Elf64_Phdr& segment = Segments(&file)[i];
    if (segment.p_type != PT_NOTE) continue;
    auto* note = reinterpret_cast<Elf64_Nhdr*>(file.data() + segment.p_offset);
    note->n_descsz = 0xFFFFFFFF;
    note->n_namesz = 0xFFFFFFFF;
  }
  EXPECT_NE(Message(file).find("note record"), std::string::npos) << Message(file);
}

TEST_P(HostileTest, KernelNamesForTheTerminal) {
  File file = ReadTestFile(GetParam());
  // The kernel's name in the metadata: "copy" becomes an escape sequence.
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const size_t name = text.find("copy", text.find(".name"));
  ASSERT_NE(name, std::string_view::npos);
  std::memcpy(file.data() + name, "\x1B[2J", 4);
  const std::string message = Message(file);
  EXPECT_NE(message.find("not plain text"), std::string::npos) << message;
  EXPECT_EQ(message.find('\x1B'), std::string::npos);
}

}  // namespace
}  // namespace gcnjit
