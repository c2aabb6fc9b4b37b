#include "frontend/code_object/bundle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "frontend/code_object/bundle_reader.h"
#include "frontend/code_object/elf_file.h"
#include "frontend/code_object/foreign_file.h"
#include "frontend/code_object/target.h"

namespace gcnjit::frontend {
namespace {

constexpr std::string_view kFatBinarySection = ".hip_fatbin";
constexpr size_t kMaxListed = 32;  // entries that an error message names

// What a file is to this room.
struct Container {
  Bytes bundles;                           // in a row; empty: none
  std::optional<BundleEntry> code_object;  // the file itself
};

Result<Container> OpenElf(Bytes file) {
  if (const auto what = WhatElfIs(file)) return *what;
  const auto elf = ElfFile::Parse(file);
  if (!elf) return elf.error();
  if (elf->header().e_machine == EM_AMDGPU) {
    const Elf64_Ehdr& header = elf->header();
    const int version = header.e_ident[EI_ABIVERSION] + 2;
    // v2 has its target in a note, which the parser reads; it is checked after loading.
    const std::string target = version == 2 ? "" : TargetOfFlags(header.e_flags, version);
    return Container{{}, BundleEntry{"", target, 0, 0, file, {}}};
  }
  const Elf64_Shdr* section = elf->FindSection(kFatBinarySection);
  if (section == nullptr) {
    return Error{ErrorCode::kUnsupportedTarget,
                 fmt::format("an ELF file for machine {} (e_machine at offset 18) without a {} "
                             "section: neither an AMDGPU code object nor a HIP program",
                             elf->header().e_machine, kFatBinarySection)};
  }
  return Container{*Slice(file, section->sh_offset, section->sh_size), {}};
}

Result<Container> Open(Bytes file) {
  if (IsBundle(file)) return Container{file, {}};
  if (ElfFile::HasMagic(file)) return OpenElf(file);
  return WhatFileIs(file);
}

// Without contents, which may go away.
void List(std::vector<BundleEntry> entries, std::vector<BundleEntry>* all) {
  for (BundleEntry& entry : entries) entry.contents = {};
  if (all->empty()) {
    *all = std::move(entries);
  } else {
    std::ranges::move(entries, std::back_inserter(*all));
  }
}

// Chooses from one bundle after the other.
class Selection {
 public:
  Selection(std::string_view target, LoadBudget& budget, std::vector<BundleEntry>* listed)
      : wanted_(target), budget_(budget), listed_(listed) {}

  Result<void> Add(std::vector<BundleEntry> entries, UnpackedBytes* unpacked) {
    Remember(entries);
    if (auto result = Choose(entries, unpacked); !result) return result;
    if (listed_ != nullptr) List(std::move(entries), listed_);
    return {};
  }
  Result<std::vector<BundleEntry>> Take();

 private:
  void Remember(const std::vector<BundleEntry>& entries);
  Result<void> Choose(const std::vector<BundleEntry>& entries, UnpackedBytes* unpacked);

  std::string wanted_;  // empty: nothing yet that is emulated
  LoadBudget& budget_;
  std::vector<BundleEntry>* const listed_;  // null: not wanted
  std::vector<BundleEntry> selected_;
  std::vector<std::string> names_;  // of entries, for an error message
};

void Selection::Remember(const std::vector<BundleEntry>& entries) {
  for (const BundleEntry& entry : entries) {
    if (names_.size() > kMaxListed) return;
    const std::string& name = entry.id.empty() ? entry.target : entry.id;
    if (std::ranges::find(names_, name) != names_.end()) continue;
    names_.push_back(names_.size() == kMaxListed ? "..." : name);
  }
}

Result<void> Selection::Choose(const std::vector<BundleEntry>& entries, UnpackedBytes* unpacked) {
  const auto is_code = [](const BundleEntry& entry) { return ElfFile::HasMagic(entry.contents); };
  if (wanted_.empty()) {
    const auto emulated = std::ranges::find_if(entries, [&](const BundleEntry& entry) {
      return is_code(entry) && GenerationOfCodeObject(entry.target).has_value();
    });
    if (emulated == entries.end()) return {};
    wanted_ = emulated->target;
  }
  // Code for the processor itself counts more than code for a generic one, and the first one of as
  // good ones is taken.
  const auto rank = [&](const BundleEntry& entry) {
    return entry.target == wanted_ ? 2 : IsGeneric(entry.target) ? 0 : 1;
  };
  const BundleEntry* best = nullptr;
  for (const BundleEntry& entry : entries) {
    if (!is_code(entry) || !TargetFits(entry.target, wanted_)) continue;
    if (best == nullptr || rank(entry) > rank(*best)) best = &entry;
  }
  if (best == nullptr) return {};
  BundleEntry& chosen = selected_.emplace_back(*best);
  if (unpacked == nullptr) return {};
  // Guest memory will have as many once more, of which the file's size says nothing.
  const size_t bytes = chosen.contents.size();
  if (!budget_.Keep(bytes) || !budget_.Lend(bytes)) return budget_.error();
  unpacked->KeepOnly(chosen.contents);
  chosen.unpacked = std::make_shared<UnpackedBytes>(std::move(*unpacked));
  chosen.contents = chosen.unpacked->bytes();
  return {};
}

Result<std::vector<BundleEntry>> Selection::Take() {
  const std::string listed = fmt::format("{}", fmt::join(names_, ", "));
  if (wanted_.empty()) {
    return Error{ErrorCode::kUnsupportedTarget,
                 fmt::format("no entry is for an emulated target, so compile with --offload-arch "
                             "for one of {}; there are: {}",
                             kEmulatedTargets, listed)};
  }
  if (selected_.empty()) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("nothing in the file is for {}; there are: {}", wanted_, listed)};
  }
  return std::move(selected_);
}

}  // namespace

Result<std::vector<BundleEntry>> ListBundle(std::span<const std::byte> file, LoadBudget& budget) {
  auto container = Open(file);
  if (!container) return container.error();
  std::vector<BundleEntry> all;
  if (container->code_object) {
    all.push_back(std::move(*container->code_object));
    return all;
  }
  const auto add = [&](std::vector<BundleEntry> entries, UnpackedBytes* unpacked) -> Result<void> {
    for (BundleEntry& entry : entries) {
      if (unpacked != nullptr) entry.contents = {};
      all.push_back(std::move(entry));
    }
    return {};
  };
  if (auto read = ForEachBundle(container->bundles, budget, add); !read) return read.error();
  return all;
}

Result<std::vector<BundleEntry>> ListBundle(std::span<const std::byte> file) {
  LoadBudget budget(file.size());
  return ListBundle(file, budget);
}

Result<std::vector<BundleEntry>> SelectCodeObjects(std::span<const std::byte> file,
                                                   std::string_view target, LoadBudget& budget,
                                                   std::vector<BundleEntry>* listed) {
  auto container = Open(file);
  if (!container) return container.error();
  Selection selection(target, budget, listed);
  if (auto& code_object = container->code_object) {
    // One without a known target is one of v2: the parser will know.
    if (target.empty() || code_object->target.empty()) {
      if (listed != nullptr) List({*code_object}, listed);
      return std::vector<BundleEntry>{std::move(*code_object)};
    }
    if (auto added = selection.Add({std::move(*code_object)}, nullptr); !added) {
      return added.error();
    }
    return selection.Take();
  }
  const auto add = [&](std::vector<BundleEntry> entries, UnpackedBytes* unpacked) {
    return selection.Add(std::move(entries), unpacked);
  };
  if (auto read = ForEachBundle(container->bundles, budget, add); !read) return read.error();
  return selection.Take();
}

Result<std::vector<BundleEntry>> SelectCodeObjects(std::span<const std::byte> file,
                                                   std::string_view target) {
  LoadBudget budget(file.size());
  return SelectCodeObjects(file, target, budget);
}

Result<BundleEntry> SelectCodeObject(std::span<const std::byte> file, std::string_view target) {
  auto entries = SelectCodeObjects(file, target);
  if (!entries) return entries.error();
  return entries->front();
}

}  // namespace gcnjit::frontend
