#include "frontend/code_object/bundle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "frontend/code_object/checked_bytes.h"
#include "frontend/code_object/elf_file.h"
#include "frontend/code_object/plain_text.h"
#include "frontend/code_object/target.h"

namespace gcnjit::frontend {
namespace {

constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedMagic = "CCOB";
constexpr std::string_view kFatBinarySection = ".hip_fatbin";
constexpr std::string_view kBitcodeMagic = "BC\xC0\xDE";
constexpr uint64_t kEntryHeaderBytes = 24;  // offset, size, length of the name
constexpr uint64_t kMaxIdBytes = 4096;
constexpr size_t kMaxListed = 32;  // entries that an error message names

bool StartsWith(Bytes bytes, std::string_view magic) { return AsText(bytes).starts_with(magic); }

Error Invalid(std::string message) { return {ErrorCode::kInvalidCodeObject, std::move(message)}; }

Error Compressed() {
  return {ErrorCode::kUnsupported,
          "a compressed offload bundle (CCOB): build with --no-offload-compress, or unpack it with "
          "clang-offload-bundler --unbundle"};
}

// "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-" -> "gfx906:xnack-"; empty for host entries.
std::string TargetOfId(std::string_view id) {
  const size_t triple = id.find("amdgcn-");
  if (triple == std::string_view::npos) return {};
  const size_t processor = id.find("-gfx", triple);
  return processor == std::string_view::npos ? std::string()
                                             : std::string(id.substr(processor + 1));
}

// Bundle number `index`, at `begin`; gives the offset of its end.
Result<uint64_t> ReadBundle(Bytes file, uint64_t begin, size_t index,
                            std::vector<BundleEntry>* entries) {
  uint64_t offset = begin + kBundleMagic.size();
  const auto count = Read<uint64_t>(file, offset);
  if (!count) return Invalid(fmt::format("the bundle at offset {:#x} is truncated", begin));
  offset += sizeof(uint64_t);
  if (*count > (file.size() - offset) / kEntryHeaderBytes) {
    return Invalid(
        fmt::format("the bundle at offset {:#x} has {} entries by its header, more than "
                    "the file can hold",
                    begin, *count));
  }
  uint64_t end = offset;
  for (uint64_t i = 0; i < *count; ++i) {
    const auto position = Read<uint64_t>(file, offset);
    const auto size = Read<uint64_t>(file, offset + 8);
    const auto id_size = Read<uint64_t>(file, offset + 16);
    if (!position || !size || !id_size) {
      return Invalid(
          fmt::format("the bundle at offset {:#x} has {} entries by its header, but the "
                      "file ends in entry {}",
                      begin, *count, i));
    }
    const auto id = Slice(file, offset + kEntryHeaderBytes, *id_size);
    if (!id || *id_size > kMaxIdBytes || !IsPlainText(AsText(*id))) {
      return Invalid(
          fmt::format("entry {} of the bundle at offset {:#x} has a broken name of {} "
                      "bytes",
                      i, begin, *id_size));
    }
    // Positions count from the bundle's own start.
    const auto contents = Slice(file.subspan(begin), *position, *size);
    if (!contents) {
      return Invalid(
          fmt::format("entry '{}' of the bundle at offset {:#x}: {:#x} bytes at {:#x} do "
                      "not fit in the file's {:#x} bytes",
                      AsText(*id), begin, *size, *position, file.size()));
    }
    offset += kEntryHeaderBytes + *id_size;
    end = std::max({end, offset, begin + *position + *size});
    BundleEntry entry = {AsText(*id), TargetOfId(AsText(*id)), index, *contents};
    if (!entry.target.empty() && !contents->empty()) entries->push_back(std::move(entry));
  }
  return end;
}

// The linker concatenates the bundles of a program's object files, with padding between.
Result<std::vector<BundleEntry>> ReadBundles(Bytes file) {
  std::vector<BundleEntry> entries;
  uint64_t offset = 0;
  for (size_t index = 0;; ++index) {
    const size_t found = AsText(file).find(kBundleMagic, offset);
    if (found == std::string_view::npos) break;
    const auto end = ReadBundle(file, found, index, &entries);
    if (!end) return end.error();
    offset = *end;
  }
  if (entries.empty()) return Invalid("an offload bundle without any entry for amdgcn");
  return entries;
}

std::string Describe(const std::vector<BundleEntry>& entries) {
  std::vector<std::string_view> names;
  for (const BundleEntry& entry : entries) {
    const std::string_view name = entry.id.empty() ? entry.target : entry.id;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    if (names.size() == kMaxListed) {
      names.push_back("...");
      break;
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<std::vector<BundleEntry>> ListElf(Bytes file) {
  const auto elf = ElfFile::Parse(file);
  if (!elf) return elf.error();
  if (elf->header().e_machine == EM_AMDGPU) {
    const Elf64_Ehdr& header = elf->header();
    const int version = header.e_ident[EI_ABIVERSION] + 2;
    // v2 has its target in a note, which the parser reads; it is checked after loading.
    const std::string target = version == 2 ? "" : TargetOfFlags(header.e_flags, version);
    return std::vector<BundleEntry>{{"", target, 0, file}};
  }
  const Elf64_Shdr* section = elf->FindSection(kFatBinarySection);
  if (section == nullptr) {
    return Error{ErrorCode::kUnsupportedTarget,
                 fmt::format("an ELF file for machine {} (e_machine at offset 18) without a {} "
                             "section: neither an AMDGPU code object nor a HIP program",
                             elf->header().e_machine, kFatBinarySection)};
  }
  const Bytes bundles = *Slice(file, section->sh_offset, section->sh_size);
  if (StartsWith(bundles, kCompressedMagic)) return Compressed();
  return ReadBundles(bundles);
}

}  // namespace

Result<std::vector<BundleEntry>> ListBundle(std::span<const std::byte> file) {
  if (StartsWith(file, kCompressedMagic)) return Compressed();
  if (StartsWith(file, kBundleMagic)) return ReadBundles(file);
  if (ElfFile::HasMagic(file)) return ListElf(file);
  if (StartsWith(file, kBitcodeMagic)) {
    return Error{ErrorCode::kUnsupported,
                 "LLVM bitcode, not machine code: compile it for a GPU first"};
  }
  return Invalid(
      fmt::format("neither an ELF file nor a clang offload bundle ({} bytes, no known "
                  "magic at offset 0)",
                  file.size()));
}

Result<std::vector<BundleEntry>> SelectCodeObjects(std::span<const std::byte> file,
                                                   std::string_view target) {
  auto entries = ListBundle(file);
  if (!entries) return entries.error();
  // A bare code object without a known target is one of v2: the parser will know.
  const bool is_bare = entries->size() == 1 && entries->front().id.empty();
  if (is_bare && (target.empty() || entries->front().target.empty())) return entries;
  std::string wanted(target);
  if (wanted.empty()) {
    const auto emulated = std::ranges::find_if(*entries, [](const BundleEntry& entry) {
      return ElfFile::HasMagic(entry.contents) && GenerationOfCodeObject(entry.target).has_value();
    });
    if (emulated == entries->end()) {
      return Error{ErrorCode::kUnsupportedTarget,
                   fmt::format("no entry is for an emulated target (gfx600-602, gfx700-705, "
                               "gfx801-810, gfx900, gfx902, gfx906); there are: {}",
                               Describe(*entries))};
    }
    wanted = emulated->target;
  }
  // The best entry of each bundle; entries are in file order.
  std::vector<BundleEntry> selected;
  for (const BundleEntry& entry : *entries) {
    if (!ElfFile::HasMagic(entry.contents) || !TargetFits(entry.target, wanted)) continue;
    if (selected.empty() || selected.back().bundle != entry.bundle) {
      selected.push_back(entry);
    } else if (selected.back().target != wanted && entry.target == wanted) {
      selected.back() = entry;
    }
  }
  if (selected.empty()) {
    return Error{ErrorCode::kNotFound, fmt::format("nothing in the file is for {}; there are: {}",
                                                   wanted, Describe(*entries))};
  }
  return selected;
}

Result<BundleEntry> SelectCodeObject(std::span<const std::byte> file, std::string_view target) {
  auto entries = SelectCodeObjects(file, target);
  if (!entries) return entries.error();
  return entries->front();
}

}  // namespace gcnjit::frontend
