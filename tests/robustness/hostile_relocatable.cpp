// R22: relocatable objects: sections, their addresses, and relocations.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "robustness/hostile_file.h"
#include "robustness/relocatable_writer.h"

namespace gcnjit::robustness {
namespace relocatable_kinds {
namespace {

constexpr uint32_t kAbs64 = 3;
constexpr uint32_t kRel32Lo = 10;
constexpr uint32_t kGotPcRel32Lo = 8;
constexpr uint64_t kData = SHF_ALLOC | SHF_WRITE;
constexpr int kOften = 20000;            // so often sections show the same bytes
constexpr size_t kMostSections = 60000;  // that e_shnum and st_shndx can tell

HostileFile Loaded(const RelocatableWriter& object) { return {object.Build(), Ends::kLoaded, 1}; }
HostileFile Refused(const RelocatableWriter& object) { return {object.Build(), Ends::kRefused}; }
HostileFile Either(const RelocatableWriter& object) { return {object.Build(), Ends::kEither}; }

FileBytes Zeros(size_t count) { return FileBytes(count); }

uint64_t Info(uint32_t symbol, uint32_t type) { return ELF64_R_INFO(uint64_t{symbol}, type); }

// --- Well formed ---

HostileFile GoodSymbols(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  for (size_t n = 0; n < shape.bytes / 70; ++n) {
    const uint32_t name = object.AddName(fmt::format("_Z20variable_or_functionILi{}E", n));
    object.AddSymbol(name, STT_OBJECT, n % 64, RelocatableWriter::kRodata, 1);
  }
  return Loaded(object);
}

// A table of pointers.
HostileFile GoodRelocations(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  const size_t count = shape.bytes / (8 + sizeof(Elf64_Rela));
  const uint32_t data = object.AddSection(SHT_PROGBITS, kData, Zeros(count * 8), 8);
  const uint32_t symbol = object.AddSymbol(object.AddName("table"), STT_OBJECT, 0,
                                           static_cast<uint16_t>(data), count * 8);
  std::vector<Elf64_Rela> relocations;
  for (size_t n = 0; n < count; ++n) {
    relocations.push_back({n * 8, Info(symbol, kAbs64), static_cast<int64_t>(n)});
  }
  object.AddRelocations(data, relocations);
  return Loaded(object);
}

// As -ffunction-sections writes them.
HostileFile GoodSections(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  const size_t count = std::min(shape.bytes / 128, kMostSections);
  for (size_t n = 0; n < count; ++n) {
    object.AddSection(SHT_PROGBITS, n % 2 == 0 ? kData : SHF_ALLOC | SHF_EXECINSTR,
                      Zeros(shape.bytes / count - 64), 4);
  }
  return Loaded(object);
}

// Zeros are no memory of the host's, however many there are.
HostileFile GoodZeros(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  object.AddName(std::string(shape.bytes, 'n'));
  const uint32_t zeros = object.AddSection(SHT_NOBITS, kData, {}, 4096);
  object.Section(zeros).sh_size = uint64_t{1} << 30;
  object.AddSymbol(object.AddName("common"), STT_OBJECT, 4096, SHN_COMMON, uint64_t{1} << 30);
  return Loaded(object);
}

// --- Addresses ---

HostileFile SectionsFarApart(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  for (size_t n = 0; n < std::min(shape.bytes / 72, kMostSections); ++n) {
    object.AddSection(SHT_PROGBITS, SHF_ALLOC, Zeros(1), 65536);
  }
  return shape.bytes < 1 << 17 ? Either(object) : Refused(object);
}

HostileFile SectionsThatShareBytes(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  const uint32_t data = object.AddSection(SHT_PROGBITS, kData, Zeros(shape.bytes), 1);
  for (int n = 0; n < kOften; ++n) object.ShowAgain(data);
  return Refused(object);
}

HostileFile ZerosWithoutEnd(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  object.AddName(std::string(shape.bytes, 'n'));
  for (int n = 0; n < 100; ++n) {
    object.Section(object.AddSection(SHT_NOBITS, kData, {}, 1)).sh_size = uint64_t{3} << 30;
  }
  return Refused(object);
}

HostileFile AlignmentsOfEverything(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  object.AddName(std::string(shape.bytes, 'n'));
  object.AddSection(SHT_PROGBITS, kData, Zeros(1), uint64_t{1} << 63);
  return Refused(object);
}

HostileFile CommonSymbols(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  const uint32_t name = object.AddName("common");
  for (size_t n = 0; n < shape.bytes / sizeof(Elf64_Sym); ++n) {
    object.AddSymbol(name, STT_OBJECT, 65536, SHN_COMMON, 1);
  }
  return Either(object);
}

// --- Relocations ---

HostileFile RelocationsOfOneField(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  const uint32_t data = object.AddSection(SHT_PROGBITS, kData, Zeros(8), 8);
  object.AddRelocations(
      data, std::vector<Elf64_Rela>(shape.bytes / sizeof(Elf64_Rela), {0, Info(1, kAbs64), 0}));
  return Loaded(object);
}

HostileFile TablesThatShareBytes(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  const uint32_t data = object.AddSection(SHT_PROGBITS, kData, Zeros(8), 8);
  const size_t count = shape.bytes / sizeof(Elf64_Rela);
  const uint32_t table =
      object.AddRelocations(data, std::vector<Elf64_Rela>(count, {0, Info(1, kRel32Lo), 0}));
  for (int n = 0; n < kOften; ++n) object.ShowAgain(table);
  return Refused(object);
}

HostileFile SlotsOfManySymbols(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  const uint32_t data = object.AddSection(SHT_PROGBITS, kData, Zeros(8), 8);
  const uint32_t name = object.AddName("s");
  std::vector<Elf64_Rela> relocations;
  for (size_t n = 0; n < shape.bytes / 48; ++n) {
    const uint32_t symbol = object.AddSymbol(name, STT_OBJECT, 0, RelocatableWriter::kRodata);
    relocations.push_back({0, Info(symbol, kGotPcRel32Lo), 0});
  }
  object.AddRelocations(data, relocations);
  return Either(object);
}

HostileFile RelocationsOfOneLongName(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  const uint32_t data = object.AddSection(SHT_PROGBITS, kData, Zeros(8), 8);
  const uint32_t name = object.AddName(std::string(shape.bytes / 2, 'n'));
  const uint32_t symbol = object.AddSymbol(name, STT_OBJECT, 0, SHN_UNDEF);
  object.AddRelocations(data, std::vector<Elf64_Rela>(shape.bytes / 2 / sizeof(Elf64_Rela),
                                                      {0, Info(symbol, kAbs64), 0}));
  return {object.Build(), Ends::kShown};
}

HostileFile RelocationBeyondTheEnd(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  const uint32_t data = object.AddSection(SHT_PROGBITS, kData, Zeros(shape.bytes), 8);
  object.AddRelocations(data, {{shape.bytes - 4, Info(1, kAbs64), 0}});
  return Refused(object);
}

HostileFile RelocationsOfZeros(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  object.AddName(std::string(shape.bytes, 'n'));
  const uint32_t zeros = object.AddSection(SHT_NOBITS, kData, {}, 8);
  object.Section(zeros).sh_size = uint64_t{1} << 30;
  object.AddRelocations(zeros, {{1 << 20, Info(1, kAbs64), 0}});
  return Refused(object);
}

// --- Anything ---

HostileFile NotesThatShareBytes(const HostileShape& shape) {
  RelocatableWriter object(shape.target, shape.version);
  // Records of nothing, 12 bytes each.
  const uint32_t notes = object.AddSection(SHT_NOTE, 0, Zeros(shape.bytes / 12 * 12), 4);
  for (int n = 0; n < kOften; ++n) object.ShowAgain(notes);
  return Refused(object);
}

// Any byte but those of the header.
HostileFile Noise(const HostileShape& shape) {
  HostileFile file =
      GoodRelocations({std::min<size_t>(shape.bytes, 1 << 18), shape.target, shape.version});
  std::mt19937 random(static_cast<uint32_t>(shape.bytes) + static_cast<uint32_t>(shape.version));
  for (int n = 0; n < 64; ++n) {
    // Where the small tables are, or anywhere.
    const size_t range = n % 2 == 0 ? 1024 : file.bytes.size() - sizeof(Elf64_Ehdr);
    file.bytes[sizeof(Elf64_Ehdr) + random() % range] = static_cast<std::byte>(random());
    const size_t header = file.bytes.size() - 1 - random() % 500;
    if (n % 4 == 0) file.bytes[header] = static_cast<std::byte>(random());
  }
  file.ends = Ends::kAnyhow;
  return file;
}

constexpr HostileKind kKinds[] = {
    {"relocatable-good-symbols", 2, 6, GoodSymbols},
    {"relocatable-good-relocations", 2, 6, GoodRelocations},
    {"relocatable-good-sections", 2, 6, GoodSections},
    {"relocatable-good-zeros", 2, 6, GoodZeros},
    {"relocatable-sections-far-apart", 2, 6, SectionsFarApart},
    {"relocatable-sections-that-share-bytes", 2, 6, SectionsThatShareBytes},
    {"relocatable-zeros-without-end", 2, 6, ZerosWithoutEnd},
    {"relocatable-alignments", 2, 6, AlignmentsOfEverything},
    {"relocatable-common-symbols", 2, 6, CommonSymbols},
    {"relocatable-one-field", 2, 6, RelocationsOfOneField},
    {"relocatable-tables-that-share-bytes", 2, 6, TablesThatShareBytes},
    {"relocatable-slots", 2, 6, SlotsOfManySymbols},
    {"relocatable-one-long-name", 2, 6, RelocationsOfOneLongName},
    {"relocatable-beyond-the-end", 2, 6, RelocationBeyondTheEnd},
    {"relocatable-relocations-of-zeros", 2, 6, RelocationsOfZeros},
    {"relocatable-notes-that-share-bytes", 2, 6, NotesThatShareBytes},
    {"relocatable-noise", 2, 6, Noise},
};

}  // namespace
}  // namespace relocatable_kinds

std::span<const HostileKind> RelocatableKinds() { return relocatable_kinds::kKinds; }

}  // namespace gcnjit::robustness
