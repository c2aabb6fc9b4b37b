#include "frontend/code_object/bundle_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/code_object/plain_text.h"
#include "frontend/code_object/target.h"

namespace gcnjit::frontend {
namespace {

constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr uint64_t kEntryHeaderBytes = 24;  // offset, size, length of the name
constexpr uint64_t kMaxIdBytes = 4096;

// "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-" -> "gfx906:xnack-"; empty for host entries.
std::string TargetOfId(std::string_view id) {
  const size_t triple = id.find("amdgcn-");
  if (triple == std::string_view::npos) return {};
  const size_t processor = id.find("-gfx", triple);
  return processor == std::string_view::npos ? std::string()
                                             : std::string(id.substr(processor + 1));
}

// The entries of bundle number `index`, at `begin`; gives the offset of its end.
Result<uint64_t> ReadBundle(Bytes file, uint64_t begin, size_t index, LoadBudget& budget,
                            std::vector<BundleEntry>* entries) {
  uint64_t offset = begin + kBundleMagic.size();
  const auto count = Read<uint64_t>(file, offset);
  if (!count)
    return InvalidCodeObject(fmt::format("the bundle at offset {:#x} is truncated", begin));
  offset += sizeof(uint64_t);
  if (*count > (file.size() - offset) / kEntryHeaderBytes) {
    return InvalidCodeObject(
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
      return InvalidCodeObject(
          fmt::format("the bundle at offset {:#x} has {} entries by its header, but the "
                      "file ends in entry {}",
                      begin, *count, i));
    }
    const auto id = Slice(file, offset + kEntryHeaderBytes, *id_size);
    if (!id || *id_size > kMaxIdBytes || !IsPlainText(AsText(*id))) {
      return InvalidCodeObject(
          fmt::format("entry {} of the bundle at offset {:#x} has a broken name of {} "
                      "bytes",
                      i, begin, *id_size));
    }
    // Positions count from the bundle's own start.
    const auto contents = Slice(file.subspan(begin), *position, *size);
    if (!contents) {
      return InvalidCodeObject(
          fmt::format("entry '{}' of the bundle at offset {:#x}: {:#x} bytes at {:#x} do "
                      "not fit in the file's {:#x} bytes",
                      AsText(*id), begin, *size, *position, file.size()));
    }
    offset += kEntryHeaderBytes + *id_size;
    end = std::max({end, offset, begin + *position + *size});
    if (!budget.Look(kEntryHeaderBytes + *id_size)) return budget.error();
    std::string target = TargetOfId(AsText(*id));
    if (target.empty() || contents->empty()) continue;
    // The vector grows by copying.
    if (!budget.Keep(2 * sizeof(BundleEntry) + *id_size + target.size())) return budget.error();
    entries->push_back({std::string(AsText(*id)),
                        std::move(target),
                        index,
                        static_cast<size_t>(i),
                        *contents,
                        {}});
  }
  return end;
}

// Gives the offset of its end.
Result<uint64_t> UseCompressedBundle(Bytes file, uint64_t begin, size_t index, LoadBudget& budget,
                                     const UseBundle& use) {
  auto bundle = Unpack(file, begin, budget);
  if (!bundle) return bundle.error();
  const Bytes contents = bundle->contents.bytes();
  if (!AsText(contents).starts_with(kBundleMagic)) {
    return InvalidCodeObject(
        fmt::format("what the compressed bundle at offset {:#x} unpacks to is no bundle", begin));
  }
  std::vector<BundleEntry> entries;
  const auto read = ReadBundle(contents, 0, index, budget, &entries);
  if (!read) {
    return Error{read.error().code, fmt::format("in the compressed bundle at offset {:#x}: {}",
                                                begin, read.error().message)};
  }
  budget.TakeBack(contents.size());  // what `use` keeps of it is no other memory
  if (auto used = use(std::move(entries), &bundle->contents); !used) return used.error();
  return bundle->end;
}

}  // namespace

bool IsBundle(Bytes file) {
  return AsText(file).starts_with(kBundleMagic) || AsText(file).starts_with(kCompressedMagic);
}

Result<void> ForEachBundle(Bytes file, LoadBudget& budget, const UseBundle& use) {
  const std::string_view text = AsText(file);
  size_t plain = text.find(kBundleMagic);
  size_t compressed = text.find(kCompressedMagic);
  bool is_any = false;
  for (size_t index = 0; plain != text.npos || compressed != text.npos; ++index) {
    uint64_t end = 0;
    if (compressed < plain) {
      const auto used =
          UseCompressedBundle(file, compressed, index, budget, [&](auto entries, auto* unpacked) {
            is_any |= !entries.empty();
            return use(std::move(entries), unpacked);
          });
      if (!used) return used.error();
      end = *used;
    } else {
      std::vector<BundleEntry> entries;
      const auto read = ReadBundle(file, plain, index, budget, &entries);
      if (!read) return read.error();
      end = *read;
      is_any |= !entries.empty();
      if (auto used = use(std::move(entries), nullptr); !used) return used;
    }
    if (plain < end) plain = text.find(kBundleMagic, end);
    if (compressed < end) compressed = text.find(kCompressedMagic, end);
  }
  if (!is_any)
    return InvalidCodeObject(
        fmt::format("an offload bundle without any entry for amdgcn: compile with "
                    "--offload-arch for one of {}",
                    kEmulatedTargets));
  return {};
}

}  // namespace gcnjit::frontend
