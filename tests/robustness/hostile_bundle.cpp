// R22: clang offload bundles. LLVM ClangOffloadBundler, "Bundled Binary File Layout".
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "robustness/hostile_file.h"

namespace gcnjit::robustness {
namespace bundle_kinds {
namespace {

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";

struct Entry {
  std::string id;
  size_t contents = 0;  // which of the contents
};

// The entries' table, then the contents, each once.
FileBytes Bundle(const std::vector<Entry>& entries, const std::vector<FileBytes>& contents) {
  size_t position = kMagic.size() + 8;
  for (const Entry& entry : entries) position += 24 + entry.id.size();
  std::vector<size_t> positions;
  for (const FileBytes& one : contents) {
    positions.push_back(position);
    position += one.size();
  }
  FileBytes file;
  file.reserve(position);
  Append(file, kMagic);
  AppendValue(file, uint64_t{entries.size()});
  for (const Entry& entry : entries) {
    AppendValue(file, uint64_t{positions[entry.contents]});
    AppendValue(file, uint64_t{contents[entry.contents].size()});
    AppendValue(file, uint64_t{entry.id.size()});
    Append(file, entry.id);
  }
  for (const FileBytes& one : contents) file.insert(file.end(), one.begin(), one.end());
  return file;
}

std::string IdOf(std::string_view target) {
  return fmt::format("hipv4-amdgcn-amd-amdhsa--{}", target);
}

HostileFile GoodBundle(const HostileShape& shape) {
  std::vector<Entry> entries;
  std::vector<FileBytes> contents;
  for (const std::string_view target : {"gfx600", "gfx700", "gfx803", "gfx900", "gfx906"}) {
    CodeObjectWriter object = SmallObject({shape.bytes, target, shape.version});
    object.AddName(std::string(shape.bytes / 5, 'n'));
    entries.push_back({IdOf(target), contents.size()});
    contents.push_back(object.Build());
  }
  return {Bundle(entries, contents), Ends::kLoaded, 1};
}

HostileFile EntriesOfOtherTargets(const HostileShape& shape) {
  std::vector<Entry> entries;
  for (size_t n = 0; n < shape.bytes / 40; ++n) {
    entries.push_back({fmt::format("amdgcn--gfx{}", 1100 + n), 0});
  }
  return {Bundle(entries, {SmallObject(shape).Build()}), Ends::kRefused};
}

HostileFile TheLastOfManyEntries(const HostileShape& shape) {
  std::vector<Entry> entries(shape.bytes / 37, {"amdgcn-gfx7x", 0});
  entries.push_back({IdOf(shape.target), 0});
  return {Bundle(entries, {SmallObject(shape).Build()}), Ends::kLoaded, 1};
}

HostileFile EntriesOfOneObject(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  object.AddName(std::string(shape.bytes / 2, 'n'));
  const std::vector<Entry> entries(shape.bytes / 100, {IdOf(shape.target), 0});
  return {Bundle(entries, {object.Build()}), Ends::kLoaded, 1};
}

HostileFile EntriesOfLongNames(const HostileShape& shape) {
  std::vector<Entry> entries;
  for (size_t n = 0; n < shape.bytes / 4100; ++n) {
    entries.push_back({IdOf(shape.target) + ":" + std::string(4000, 'f') + std::to_string(n), 0});
  }
  return {Bundle(entries, {SmallObject(shape).Build()}), Ends::kEither, 1};
}

// A program's bundles, one a source file, as small as they can be: each is loaded.
HostileFile ManyBundles(const HostileShape& shape) {
  const FileBytes one = Bundle({{"amdgcn-" + std::string("-") + std::string(shape.target), 0}},
                               {SmallObject(shape).Build()});
  FileBytes file;
  while (file.size() < shape.bytes) file.insert(file.end(), one.begin(), one.end());
  return {std::move(file), Ends::kEither, 1};
}

// Segments of a byte in objects of many segments.
HostileFile BundlesOfManySegments(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape, CodeObjectWriter::kLargeHead);
  for (uint64_t n = 1; n < 240; ++n) object.AddSegment((8 + n) << 16, 1, 1);
  const FileBytes one = Bundle({{IdOf(shape.target), 0}}, {object.Build()});
  FileBytes file;
  while (file.size() < shape.bytes) file.insert(file.end(), one.begin(), one.end());
  return {std::move(file), Ends::kEither, 1};
}

HostileFile BundlesInBundles(const HostileShape& shape) {
  FileBytes file = SmallObject(shape).Build();
  while (file.size() < shape.bytes) {
    file = Bundle(std::vector<Entry>(1 + file.size() / 2000, {IdOf(shape.target), 0}), {file});
  }
  return {std::move(file), Ends::kRefused};
}

HostileFile NothingButMagic(const HostileShape& shape) {
  FileBytes file;
  while (file.size() < shape.bytes) Append(file, kMagic);
  return {std::move(file), Ends::kRefused};
}

HostileFile EmptyBundles(const HostileShape& shape) {
  FileBytes file;
  while (file.size() < shape.bytes) {
    Append(file, kMagic);
    AppendValue(file, uint64_t{0});
  }
  return {std::move(file), Ends::kRefused};
}

HostileFile CountsOutOfNothing(const HostileShape& shape) {
  FileBytes file = Bundle({{IdOf(shape.target), 0}}, {SmallObject(shape).Build()});
  file.resize(std::max(file.size(), shape.bytes));
  std::fill_n(&file[kMagic.size()], 7, std::byte{0xFF});
  return {std::move(file), Ends::kRefused};
}

constexpr HostileKind kKinds[] = {
    {"good-bundle", 2, 6, GoodBundle},
    {"bundle-of-other-targets", 2, 6, EntriesOfOtherTargets},
    {"bundle-the-last-of-many", 2, 6, TheLastOfManyEntries},
    {"bundle-of-one-object", 2, 6, EntriesOfOneObject},
    {"bundle-of-long-names", 2, 6, EntriesOfLongNames},
    {"bundles-in-a-row", 2, 6, ManyBundles},
    {"bundles-of-many-segments", 2, 6, BundlesOfManySegments},
    {"bundles-in-bundles", 2, 6, BundlesInBundles},
    {"bundle-magic-only", 2, 6, NothingButMagic},
    {"bundles-without-entries", 2, 6, EmptyBundles},
    {"bundle-counts-out-of-nothing", 2, 6, CountsOutOfNothing},
};

}  // namespace
}  // namespace bundle_kinds

std::span<const HostileKind> BundleKinds() { return bundle_kinds::kKinds; }

}  // namespace gcnjit::robustness
