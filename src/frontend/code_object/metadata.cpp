#include "frontend/code_object/metadata.h"

#include <fmt/format.h>

#include <bit>

#include "frontend/code_object/code_object.h"
#include "frontend/code_object/plain_text.h"

namespace gcnjit::frontend {

ArgumentKind ArgumentKindOf(std::string_view value_kind) {
  if (value_kind == "by_value") return ArgumentKind::kByValue;
  if (value_kind == "global_buffer") return ArgumentKind::kGlobalBuffer;
  if (value_kind == "dynamic_shared_pointer") return ArgumentKind::kDynamicLds;
  if (value_kind.starts_with("hidden_")) return ArgumentKind::kHidden;
  return ArgumentKind::kUnsupported;
}

Result<void> CheckKernelInfo(const KernelInfo& info, uint64_t offset) {
  const auto invalid = [&](std::string what) {
    return Error{ErrorCode::kInvalidCodeObject,
                 fmt::format("metadata at offset {:#x}: {}", offset, what)};
  };
  if (info.kernarg_segment_size > kMaxKernargBytes) {
    return invalid(
        fmt::format("kernel '{}' has a kernarg segment of {} bytes; at most {} are "
                    "accepted",
                    info.name, info.kernarg_segment_size, kMaxKernargBytes));
  }
  if (!std::has_single_bit(info.kernarg_segment_align) || info.kernarg_segment_align > 4096) {
    return invalid(
        fmt::format("kernel '{}' has a kernarg alignment of {}, which is no power of "
                    "two up to 4096",
                    info.name, info.kernarg_segment_align));
  }
  for (size_t i = 0; i < info.arguments.size(); ++i) {
    const ArgumentInfo& argument = info.arguments[i];
    if (!IsPlainText(argument.name) || !IsPlainText(argument.type_name) ||
        !IsPlainText(argument.value_kind)) {
      return invalid(
          fmt::format("argument {} of kernel '{}' has a name, type or kind that is not "
                      "plain text",
                      i, info.name));
    }
    if (uint64_t{argument.offset} + argument.size > info.kernarg_segment_size) {
      return invalid(
          fmt::format("argument {} of kernel '{}' ({} bytes at offset {}) is outside the "
                      "kernarg segment of {} bytes",
                      i, info.name, argument.size, argument.offset, info.kernarg_segment_size));
    }
  }
  return {};
}

}  // namespace gcnjit::frontend
