#include "runtime/launch/given_arguments.h"

#include <algorithm>

#include "frontend/code_object/code_object.h"

namespace gcnjit::runtime {
namespace {

constexpr uint64_t kMostAlign = 16;  // of a vector of four floats; a longer value may be a struct

uint64_t SizeOf(const Arguments::Entry& entry) {
  switch (entry.kind) {
    case ArgumentKind::kGlobalBuffer: return sizeof entry.address;
    case ArgumentKind::kDynamicLds: return sizeof(uint32_t);
    case ArgumentKind::kByValue:
    case ArgumentKind::kUnsupported:
    case ArgumentKind::kHidden: break;
  }
  return entry.bytes.size();
}

uint64_t AlignOf(uint64_t size) {
  const uint64_t divisor = size & (~size + 1);  // the largest power of two that divides it
  return size == 0 ? 1 : std::min(divisor, kMostAlign);
}

// Calls place(entry, offset, size) for each; gives where the last one ends.
template <typename Place>
uint64_t LayOut(const Arguments& arguments, Place place) {
  uint64_t end = 0;
  for (const Arguments::Entry& entry : arguments.entries()) {
    const uint64_t size = SizeOf(entry);
    const uint64_t align = AlignOf(size);
    end = (end + align - 1) / align * align;
    place(entry, end, size);
    end += size;
  }
  return end;
}

}  // namespace

std::vector<ArgumentInfo> ArgumentsAsGiven(const Arguments& arguments) {
  std::vector<ArgumentInfo> infos;
  LayOut(arguments, [&](const Arguments::Entry& entry, uint64_t offset, uint64_t size) {
    if (offset + size > frontend::kMaxKernargBytes) return;
    ArgumentInfo info;
    info.kind = entry.kind;
    info.offset = static_cast<uint32_t>(offset);
    info.size = static_cast<uint32_t>(size);
    infos.push_back(std::move(info));
  });
  return infos;
}

uint64_t GivenKernargBytes(const KernelInfo& kernel, const Arguments& arguments) {
  const uint64_t laid_out =
      kernel.has_metadata ? 0
                          : LayOut(arguments, [](const Arguments::Entry&, uint64_t, uint64_t) {});
  return std::max<uint64_t>(laid_out, arguments.segment() ? arguments.segment()->size() : 0);
}

}  // namespace gcnjit::runtime
