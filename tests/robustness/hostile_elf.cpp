// R22: relocations, symbols, notes, segments and tables.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <string>

#include "robustness/hostile_file.h"

namespace gcnjit::robustness {
namespace elf_kinds {
namespace {

constexpr uint32_t kAbs64 = 3;  // R_AMDGPU_ABS64
constexpr uint64_t kFarAway = uint64_t{16} << 20;

HostileFile Loaded(const CodeObjectWriter& object, size_t kernels = 1) {
  return {object.Build(), Ends::kLoaded, kernels};
}

// "a", "b", ..., "ba", ...: as short as they come.
std::string ShortName(size_t n) {
  std::string name;
  do name.push_back(static_cast<char>('a' + n % 26));
  while ((n /= 26) != 0);
  return name;
}

// --- Well formed ---

HostileFile GoodKernels(const HostileShape& shape) {
  CodeObjectWriter object(shape.target, shape.version);
  constexpr size_t kArguments = 8;
  const size_t kernels = shape.bytes / (shape.version == 2 ? 1400 : 620);
  for (size_t n = 0; n < kernels; ++n) {
    object.AddKernelSymbol(n == 0 ? "k" : fmt::format("k{}", n));
  }
  object.AddMetadata(KernelMetadata(shape.version, 0, kernels, kArguments));
  return Loaded(object, kernels);
}

// As the linker leaves it: a note from each of many object files.
HostileFile GoodNotes(const HostileShape& shape) {
  CodeObjectWriter object(shape.target, shape.version);
  const size_t notes = shape.bytes / (shape.version == 2 ? 1500 : 680);
  for (size_t n = 0; n < notes; ++n) {
    object.AddKernelSymbol(n == 0 ? "k" : fmt::format("k{}", n));
    object.AddMetadata(KernelMetadata(shape.version, n, 1, 8));
  }
  return Loaded(object, notes);
}

HostileFile GoodSymbols(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  for (size_t n = 0; n < shape.bytes / 80; ++n) {
    const uint32_t name = object.AddName(fmt::format("_Z20variable_or_functionILi{}E", n));
    object.AddSymbol(name, n % 2 == 0 ? STT_OBJECT : STT_FUNC, object.descriptor() + n % 256);
  }
  return Loaded(object);
}

HostileFile GoodRelocations(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  const size_t count = shape.bytes / 64;
  object.data_bytes = count * 8;
  for (size_t n = 0; n < count; ++n) {
    const uint32_t symbol =
        object.AddSymbol(object.AddName(ShortName(n)), STT_OBJECT, object.data() + n * 8);
    object.AddRelocation(object.data() + n * 8, kAbs64, symbol, 0);
  }
  return Loaded(object);
}

// --- Relocations ---

HostileFile RelocationsOfOneName(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  object.data_bytes = 8;
  const uint32_t symbol = object.AddSymbol(object.AddName(std::string(shape.bytes / 2, 'n')),
                                           STT_OBJECT, object.data());
  for (size_t n = 0; n < shape.bytes / 48; ++n)
    object.AddRelocation(object.data(), kAbs64, symbol, 0);
  return Loaded(object);
}

HostileFile RelocationsWithoutEnd(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  object.data_bytes = 8;
  for (size_t n = 0; n < shape.bytes / 24; ++n) object.AddRelocation(object.data(), kAbs64, 0, 1);
  return Loaded(object);
}

// Each on a page of its own, where the file has nothing.
HostileFile RelocationsOfZeros(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  constexpr uint64_t kPages = 1 << 19;
  object.AddSegment(kFarAway, 0, kPages * 4096);
  const uint64_t count = shape.bytes / 24;
  const uint64_t step = std::max<uint64_t>(kPages / count, 1);
  for (uint64_t n = 0; n < count; ++n) {
    object.AddRelocation(kFarAway + n * step % kPages * 4096, kAbs64, 0, 1);
  }
  return {object.Build(), Ends::kRefused, 1};
}

// Segments are looked up for each relocation.
HostileFile RelocationsInManySegments(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape, CodeObjectWriter::kLargeHead);
  for (uint64_t n = 1; n < 240; ++n) object.AddSegment(kFarAway + n * 8192, 16, 16);
  for (size_t n = 0; n < shape.bytes / 24; ++n) {
    object.AddRelocation(kFarAway + (1 + n % 239) * 8192, kAbs64, 0, 1);
  }
  return Loaded(object);
}

// --- Symbols ---

// A few names may be as long as they like.
Ends EndOfSharedNames(const HostileShape& shape) {
  return shape.bytes < 256 << 10 ? Ends::kLoaded : Ends::kRefused;
}

HostileFile SymbolsOfOneName(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  const uint32_t name = object.AddName("same");
  for (size_t n = 0; n < shape.bytes / 28; ++n) object.AddSymbol(name, STT_OBJECT, object.code());
  return Loaded(object);
}

HostileFile SymbolsOfOneLongName(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  const uint32_t name = object.AddName(std::string(shape.bytes / 2, 'n'));
  for (size_t n = 0; n < shape.bytes / 56; ++n) object.AddSymbol(name, STT_OBJECT, object.code());
  return {object.Build(), EndOfSharedNames(shape)};
}

// Each name is the end of a long one.
HostileFile SymbolsThatShareAName(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  const size_t length = shape.bytes / 2;
  const uint32_t name = object.AddName(std::string(length, 'n'));
  for (uint32_t n = 0; n < length / 28; ++n) {
    object.AddSymbol(name + n * 28, STT_OBJECT, object.code());
  }
  return {object.Build(), EndOfSharedNames(shape)};
}

HostileFile SymbolsOfShortNames(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  for (size_t n = 0; n < shape.bytes / 33; ++n) {
    object.AddSymbol(object.AddName(ShortName(n)), STT_OBJECT, object.code());
  }
  return Loaded(object);
}

HostileFile StaticSymbols(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  for (size_t n = 0; n < shape.bytes / 29; ++n) {
    object.AddStaticSymbol(object.AddName(ShortName(n)), STT_FUNC, object.code());
  }
  return Loaded(object);
}

HostileFile SymbolsInBothTables(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  for (size_t n = 0; n < shape.bytes / 57; ++n) {
    const uint32_t name = object.AddName(ShortName(n));
    object.AddSymbol(name, STT_OBJECT, object.code());
    object.AddStaticSymbol(name, STT_OBJECT, object.code());
  }
  return Loaded(object);
}

// Without metadata each descriptor is a kernel; and all of these are the same one.
HostileFile SymbolsOfOneDescriptor(const HostileShape& shape) {
  CodeObjectWriter object(shape.target, shape.version);
  object.AddKernelSymbol("k");
  for (size_t n = 0; n < shape.bytes / 36; ++n) object.AddKernelSymbol(ShortName(n) + "_");
  return {object.Build(), Ends::kEither};
}

// Names that differ at their ends only.
HostileFile SymbolsOfLongNames(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  const std::string prefix(1000, 'n');
  for (size_t n = 0; n < shape.bytes / 1036; ++n) {
    object.AddSymbol(object.AddName(prefix + std::to_string(n)), STT_OBJECT, object.code());
  }
  return Loaded(object);
}

HostileFile SymbolCountOutOfNothing(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  object.AddName(std::string(shape.bytes, 'n'));
  object.hash_count = 0xFFFFFFFF;
  return {object.Build(), Ends::kRefused};
}

// --- Notes ---

HostileFile EmptyNotes(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  for (size_t n = 0; n < shape.bytes / 16; ++n) object.AddNote("", 0, "");
  return Loaded(object);
}

HostileFile NotesShownOften(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape, CodeObjectWriter::kLargeHead);
  for (size_t n = 0; n < shape.bytes / 16; ++n) object.AddNote("", 0, "");
  object.note_headers = 240;
  return {object.Build(), Ends::kRefused};
}

HostileFile NoteBeyondTheEnd(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  object.AddName(std::string(shape.bytes, 'n'));
  FileBytes file = object.Build();
  // The first note's size of name and of description.
  std::fill_n(&file[object.data()], 8, std::byte{0xFF});
  return {std::move(file), Ends::kRefused};
}

// --- Segments, sections, tables ---

HostileFile SegmentsWithoutBytes(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  object.AddName(std::string(shape.bytes, 'n'));
  object.AddSegment(kFarAway, 0, (uint64_t{4} << 30) - kFarAway);
  return {object.Build(), Ends::kEither};
}

// A byte here, a byte there: of host memory it is a page each.
HostileFile SegmentsFarApart(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape, CodeObjectWriter::kLargeHead);
  object.AddName(std::string(shape.bytes, 'n'));
  for (uint64_t n = 1; n < 200; ++n) object.AddSegment(n * kFarAway, 1, kFarAway / 2);
  return {object.Build(), Ends::kEither};
}

HostileFile SegmentsThatOverlap(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape, CodeObjectWriter::kLargeHead);
  object.AddName(std::string(shape.bytes, 'n'));
  for (uint64_t n = 1; n < 240; ++n) object.AddSegment(n * 16, 1, kFarAway);
  return {object.Build(), Ends::kRefused};
}

HostileFile SegmentsThatShareBytes(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape, CodeObjectWriter::kLargeHead);
  object.AddName(std::string(shape.bytes, 'n'));
  for (uint64_t n = 1; n < 240; ++n) object.AddSegment(n * kFarAway, shape.bytes, shape.bytes);
  return {object.Build(), Ends::kRefused};
}

HostileFile SectionsWithoutEnd(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  object.section_headers = std::min<size_t>(shape.bytes / 64, 65000);
  return Loaded(object);
}

// A host's program whose sections nearly have the name that is looked for.
HostileFile SectionsOfAHostProgram(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  object.section_headers = std::min<size_t>(shape.bytes / 64, 65000);
  FileBytes file = object.Build();
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  header.e_machine = EM_X86_64;
  header.e_shstrndx = 2;
  std::memcpy(file.data(), &header, sizeof header);
  return {std::move(file), Ends::kRefused};
}

HostileFile ProgramHeadersWithoutEnd(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  object.AddName(std::string(shape.bytes, 'n'));
  FileBytes file = object.Build();
  const auto count = static_cast<uint16_t>(std::min<size_t>(file.size() / 56 - 2, 65535));
  std::memcpy(&file[offsetof(Elf64_Ehdr, e_phnum)], &count, sizeof count);
  return {std::move(file), count > 256 ? Ends::kRefused : Ends::kEither};
}

HostileFile DynamicTableWithoutEnd(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  object.dynamic_entries = shape.bytes / 16;
  return Loaded(object);
}

// Sizes of LDS, scratch and arguments; what kernels are given is the launch's concern.
HostileFile DescriptorOfLargeNumbers(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  object.AddName(std::string(shape.bytes, 'n'));
  for (const size_t word : {0, 1, 2, 15, 16, 18}) {
    if (shape.version == 2 || word < 3) object.SetDescriptorWord(word, 0x7FFFFFFF);
  }
  return {object.Build(), Ends::kEither};
}

HostileFile Noise(const HostileShape& shape) {
  FileBytes file = SmallObject(shape).Build();
  std::mt19937 random(static_cast<uint32_t>(shape.bytes) + static_cast<uint32_t>(shape.version));
  const size_t begin = CodeObjectWriter::kSmallHead;
  file.resize(shape.bytes);
  for (size_t n = begin; n < file.size(); ++n) file[n] = static_cast<std::byte>(random());
  return {std::move(file), Ends::kRefused};
}

constexpr HostileKind kKinds[] = {
    {"good-kernels", 2, 6, GoodKernels},
    {"good-notes", 2, 6, GoodNotes},
    {"good-symbols", 2, 6, GoodSymbols},
    {"good-relocations", 2, 6, GoodRelocations},
    {"relocations-of-one-name", 2, 6, RelocationsOfOneName},
    {"relocations-without-end", 2, 6, RelocationsWithoutEnd},
    {"relocations-of-zeros", 2, 6, RelocationsOfZeros},
    {"relocations-in-many-segments", 2, 6, RelocationsInManySegments},
    {"symbols-of-one-name", 2, 6, SymbolsOfOneName},
    {"symbols-of-one-long-name", 2, 6, SymbolsOfOneLongName},
    {"symbols-that-share-a-name", 2, 6, SymbolsThatShareAName},
    {"symbols-of-short-names", 2, 6, SymbolsOfShortNames},
    {"static-symbols", 2, 6, StaticSymbols},
    {"symbols-in-both-tables", 2, 6, SymbolsInBothTables},
    {"symbols-of-one-descriptor", 2, 6, SymbolsOfOneDescriptor},
    {"symbols-of-long-names", 2, 6, SymbolsOfLongNames},
    {"symbol-count-out-of-nothing", 2, 6, SymbolCountOutOfNothing},
    {"empty-notes", 2, 6, EmptyNotes},
    {"notes-shown-often", 2, 6, NotesShownOften},
    {"note-beyond-the-end", 2, 6, NoteBeyondTheEnd},
    {"segments-without-bytes", 2, 6, SegmentsWithoutBytes},
    {"segments-far-apart", 2, 6, SegmentsFarApart},
    {"segments-that-overlap", 2, 6, SegmentsThatOverlap},
    {"segments-that-share-bytes", 2, 6, SegmentsThatShareBytes},
    {"sections-without-end", 2, 6, SectionsWithoutEnd},
    {"sections-of-a-host-program", 2, 6, SectionsOfAHostProgram},
    {"program-headers-without-end", 2, 6, ProgramHeadersWithoutEnd},
    {"dynamic-table-without-end", 2, 6, DynamicTableWithoutEnd},
    {"descriptor-of-large-numbers", 2, 6, DescriptorOfLargeNumbers},
    {"noise", 2, 6, Noise},
};

}  // namespace
}  // namespace elf_kinds

std::span<const HostileKind> ElfKinds() { return elf_kinds::kKinds; }

}  // namespace gcnjit::robustness
