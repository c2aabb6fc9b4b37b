#include "frontend/code_object/kernel_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "frontend/code_object/descriptor_reader.h"
#include "frontend/code_object/metadata.h"
#include "frontend/code_object/plain_text.h"

namespace gcnjit::frontend {
namespace {

constexpr uint64_t kEntryAlign = 256;  // the hardware's start address has no lower bits

Error Invalid(std::string message) { return {ErrorCode::kInvalidCodeObject, std::move(message)}; }

class KernelReader {
 public:
  KernelReader(const CodeObject& object, const DescriptorTable& descriptors)
      : object_(object), descriptors_(descriptors) {}

  std::vector<KernelMetadata> KernelsOfSymbols() const;
  Result<Kernel> ReadKernel(KernelMetadata metadata) const;

 private:
  Result<KernelDescriptor> ReadKernelDescriptor(const std::string& symbol, KernelInfo* info) const;
  bool IsCode(uint64_t address) const;

  const CodeObject& object_;
  const DescriptorTable& descriptors_;
};

std::vector<KernelMetadata> KernelReader::KernelsOfSymbols() const {
  std::vector<KernelMetadata> kernels;
  for (const auto& [symbol, address] : descriptors_) {
    KernelMetadata kernel;
    kernel.symbol = symbol;
    kernel.info.name = symbol;
    if (object_.version != 2) {
      kernel.info.name.resize(symbol.size() - kDescriptorSuffix.size());
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

bool KernelReader::IsCode(uint64_t address) const {
  return std::ranges::any_of(object_.segments, [&](const Segment& segment) {
    return segment.executable && address >= segment.address &&
           address - segment.address < segment.memory_bytes;
  });
}

Result<KernelDescriptor> KernelReader::ReadKernelDescriptor(const std::string& symbol,
                                                            KernelInfo* info) const {
  const auto found = descriptors_.find(symbol);
  if (found == descriptors_.end()) {
    return Invalid(
        fmt::format("kernel '{}' has no descriptor: there is no symbol '{}'", info->name, symbol));
  }
  const uint64_t address = found->second;
  const bool v2 = object_.version == 2;
  const uint64_t size = v2 ? kKernelCodeBytes : kDescriptorBytes;
  const Bytes bytes = object_.AtAddress(address, size);
  if (bytes.empty() || address % (v2 ? kEntryAlign : kDescriptorBytes) != 0) {
    return Invalid(
        fmt::format("the descriptor of kernel '{}' ({} bytes at address {:#x}) is "
                    "misaligned or not in the file",
                    info->name, size, address));
  }
  if (!v2) return ReadDescriptor(bytes, address);
  const auto code = ReadKernelCode(bytes, address);
  if (!code) return code.error();
  if (info->sgpr_count == 0) info->sgpr_count = code->sgpr_count;
  if (info->vgpr_count == 0) info->vgpr_count = code->vgpr_count;
  if (info->kernarg_segment_align == 0) info->kernarg_segment_align = code->kernarg_align;
  return code->descriptor;
}

Result<Kernel> KernelReader::ReadKernel(KernelMetadata metadata) const {
  Kernel kernel;
  kernel.info = std::move(metadata.info);
  KernelInfo& info = kernel.info;
  info.target = object_.target;
  info.code_object_version = object_.version;
  // v2's metadata names a symbol "name@kd" that no linker ever wrote.
  const std::string symbol = object_.version == 2 ? info.name : metadata.symbol;
  auto descriptor = ReadKernelDescriptor(symbol, &info);
  if (!descriptor) return descriptor.error();
  kernel.descriptor = *descriptor;
  if (!IsCode(descriptor->entry) || descriptor->entry % kEntryAlign != 0) {
    return Invalid(fmt::format(
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

Result<std::vector<KernelMetadata>> ParseMetadata(int version, const Note& note) {
  if (version == 2) return ParseYamlMetadata(AsText(note.bytes), note.offset);
  return ParseMessagePackMetadata(note.bytes, note.offset);
}

}  // namespace

Result<std::vector<Kernel>> ReadKernels(const CodeObject& object,
                                        const DescriptorTable& descriptors,
                                        const std::optional<Note>& metadata) {
  const KernelReader reader(object, descriptors);
  auto entries = metadata ? ParseMetadata(object.version, *metadata)
                          : Result<std::vector<KernelMetadata>>(reader.KernelsOfSymbols());
  if (!entries) return entries.error();
  const uint64_t offset = metadata ? metadata->offset : 0;
  std::vector<Kernel> kernels;
  std::set<std::string, std::less<>> names;
  for (KernelMetadata& entry : *entries) {
    if (entry.info.name.empty() || !IsPlainText(entry.info.name) || !IsPlainText(entry.symbol)) {
      return Invalid(
          fmt::format("metadata at offset {:#x}: the name of kernel {} is empty or not "
                      "plain text",
                      offset, kernels.size()));
    }
    auto kernel = reader.ReadKernel(std::move(entry));
    if (!kernel) return kernel.error();
    if (auto result = CheckKernelInfo(kernel->info, offset); !result) return result.error();
    if (!names.insert(kernel->info.name).second) {
      return Invalid(fmt::format("metadata at offset {:#x} describes kernel '{}' twice", offset,
                                 kernel->info.name));
    }
    kernels.push_back(std::move(*kernel));
  }
  return kernels;
}

}  // namespace gcnjit::frontend
