#include "frontend/code_object/kernel_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "frontend/code_object/descriptor_reader.h"
#include "frontend/code_object/metadata.h"
#include "frontend/code_object/plain_text.h"

namespace gcnjit::frontend {
namespace {

constexpr uint64_t kEntryAlign = 256;  // the hardware's start address has no lower bits

class KernelReader {
 public:
  KernelReader(const CodeObject& object, const DescriptorTable& descriptors, LoadBudget& budget)
      : object_(object),
        descriptors_(descriptors),
        budget_(budget),
        is_described_(descriptors.size()) {}

  Result<void> ReadNote(const Note& note);
  // Kernels that no note describes.
  Result<void> ReadSymbols();
  // All that were read; no two have one name.
  Result<std::vector<Kernel>> Take();

 private:
  Result<void> Add(KernelMetadata metadata, uint64_t offset);
  Result<Kernel> ReadKernel(KernelMetadata metadata);
  Result<KernelDescriptor> ReadKernelDescriptor(std::string_view symbol, KernelInfo* info);
  bool IsCode(uint64_t address) const;

  const CodeObject& object_;
  const DescriptorTable& descriptors_;
  LoadBudget& budget_;
  std::vector<bool> is_described_;  // each of descriptors_: is it a kernel's of kernels_?
  std::vector<Kernel> kernels_;
};

Result<void> KernelReader::ReadNote(const Note& note) {
  const auto take = [&](KernelMetadata metadata) { return Add(std::move(metadata), note.offset); };
  if (object_.version == 2) {
    return ReadYamlMetadata(AsText(note.bytes), note.offset, budget_, take);
  }
  return ReadMessagePackMetadata(note.bytes, note.offset, budget_, take);
}

Result<void> KernelReader::ReadSymbols() {
  for (size_t n = 0; n < descriptors_.size(); ++n) {
    if (is_described_[n]) continue;
    const std::string_view symbol = descriptors_[n].first;
    KernelMetadata kernel;
    kernel.symbol = symbol;
    kernel.info.name = symbol;
    kernel.info.has_metadata = false;
    if (object_.version != 2) {
      kernel.info.name.resize(symbol.size() - kDescriptorSuffix.size());
    }
    if (auto result = Add(std::move(kernel), 0); !result) return result;
  }
  return {};
}

Result<void> KernelReader::Add(KernelMetadata metadata, uint64_t offset) {
  if (metadata.info.name.empty() || !IsPlainText(metadata.info.name) ||
      !IsPlainText(metadata.symbol)) {
    return InvalidCodeObject(
        fmt::format("metadata at offset {:#x}: the name of kernel {} is empty or not "
                    "plain text",
                    offset, kernels_.size()));
  }
  auto kernel = ReadKernel(std::move(metadata));
  if (!kernel) return kernel.error();
  if (auto result = CheckKernelInfo(kernel->info, offset); !result) return result;
  // The vector grows by copying.
  if (!budget_.Keep(2 * sizeof(Kernel) + kernel->info.name.size() + object_.target.size())) {
    return budget_.error();
  }
  kernels_.push_back(std::move(*kernel));
  return {};
}

Result<std::vector<Kernel>> KernelReader::Take() {
  const auto name_of = [&](uint32_t n) -> std::string_view { return kernels_[n].info.name; };
  std::vector<uint32_t> by_name(kernels_.size());
  std::iota(by_name.begin(), by_name.end(), 0);
  std::ranges::sort(by_name, {}, name_of);
  const auto twice = std::ranges::adjacent_find(by_name, {}, name_of);
  if (twice != by_name.end()) {
    return InvalidCodeObject(
        fmt::format("the metadata describes kernel '{}' twice", name_of(*twice)));
  }
  return std::move(kernels_);
}

bool KernelReader::IsCode(uint64_t address) const {
  const Segment* segment = object_.SegmentAt(address);
  return segment != nullptr && segment->executable;
}

Result<KernelDescriptor> KernelReader::ReadKernelDescriptor(std::string_view symbol,
                                                            KernelInfo* info) {
  const auto found =
      std::ranges::lower_bound(descriptors_, symbol, {}, &DescriptorTable::value_type::first);
  if (found == descriptors_.end() || found->first != symbol) {
    return InvalidCodeObject(
        fmt::format("kernel '{}' has no descriptor: there is no symbol '{}'", info->name, symbol));
  }
  is_described_[static_cast<size_t>(found - descriptors_.begin())] = true;
  const uint64_t address = found->second;
  const bool v2 = object_.version == 2;
  const uint64_t size = v2 ? kKernelCodeBytes : kDescriptorBytes;
  const Bytes bytes = object_.AtAddress(address, size);
  if (bytes.empty() || address % (v2 ? kEntryAlign : kDescriptorBytes) != 0) {
    return InvalidCodeObject(
        fmt::format("the descriptor of kernel '{}' ({} bytes at address {:#x}) is "
                    "misaligned or not in the file",
                    info->name, size, address));
  }
  if (!v2) return ReadDescriptor(bytes, address, object_.generation);
  const auto code = ReadKernelCode(bytes, address, object_.generation);
  if (!code) return code.error();
  if (info->sgpr_count == 0) info->sgpr_count = code->sgpr_count;
  if (info->vgpr_count == 0) info->vgpr_count = code->vgpr_count;
  if (info->kernarg_segment_align == 0) info->kernarg_segment_align = code->kernarg_align;
  return code->descriptor;
}

Result<Kernel> KernelReader::ReadKernel(KernelMetadata metadata) {
  Kernel kernel;
  kernel.info = std::move(metadata.info);
  kernel.printf_formats = std::move(metadata.printf_formats);
  KernelInfo& info = kernel.info;
  info.target = object_.target;
  info.code_object_version = object_.version;
  // v2's metadata names a symbol "name@kd" that no linker ever wrote.
  const std::string_view symbol = object_.version == 2 ? info.name : metadata.symbol;
  auto descriptor = ReadKernelDescriptor(symbol, &info);
  if (!descriptor) return descriptor.error();
  kernel.descriptor = *descriptor;
  if (!IsCode(descriptor->entry) || descriptor->entry % kEntryAlign != 0) {
    return InvalidCodeObject(fmt::format(
        "kernel '{}' starts at address {:#x}, which is {}", info.name, descriptor->entry,
        IsCode(descriptor->entry) ? "not 256-byte aligned: add .p2align 8 before its label"
                                  : "not in an executable segment"));
  }
  if (info.kernarg_segment_size == 0) info.kernarg_segment_size = descriptor->kernarg_bytes;
  if (info.kernarg_segment_align == 0) info.kernarg_segment_align = 8;
  if (info.group_segment_size == 0) info.group_segment_size = descriptor->group_segment_bytes;
  if (info.private_segment_size == 0) info.private_segment_size = descriptor->private_segment_bytes;
  if (info.sgpr_count == 0) info.sgpr_count = descriptor->SgprCount();
  if (info.vgpr_count == 0) info.vgpr_count = descriptor->VgprCount();
  info.uses_dynamic_stack |= descriptor->uses_dynamic_stack;
  return kernel;
}

}  // namespace

Result<std::vector<Kernel>> ReadKernels(const CodeObject& object,
                                        const DescriptorTable& descriptors,
                                        std::span<const Note> metadata, LoadBudget& budget) {
  KernelReader reader(object, descriptors, budget);
  for (const Note& note : metadata) {
    if (auto result = reader.ReadNote(note); !result) return result.error();
  }
  if (auto result = reader.ReadSymbols(); !result) return result.error();
  return reader.Take();
}

}  // namespace gcnjit::frontend
