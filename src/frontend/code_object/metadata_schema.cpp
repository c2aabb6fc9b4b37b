#include "frontend/code_object/metadata_schema.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace gcnjit::frontend {
namespace {

using nlohmann::json;

// The keys of one format. AMDGPUUsage, "Code Object V2 Metadata" and "Code Object V3 Metadata".
struct Spelling {
  const char* version;
  const char* kernels;
  const char* name;
  const char* symbol;
  const char* attributes;       // map that holds reqd_workgroup_size; null: the kernel itself
  const char* code_properties;  // map that holds the sizes; null: the kernel itself
  const char* reqd_workgroup_size;
  const char* kernarg_size;
  const char* kernarg_align;
  const char* group_size;
  const char* private_size;
  const char* wavefront_size;
  const char* sgprs;
  const char* vgprs;
  const char* max_workgroup;
  const char* dynamic_stack;
  const char* arguments;
  const char* argument_name;
  const char* argument_type;
  const char* argument_size;
  const char* argument_offset;  // null: not stated, follows from sizes and alignments
  const char* argument_align;   // likewise
  const char* value_kind;
  const char* pointee_align;
};

constexpr Spelling kV2Spelling = {
    .version = "Version",
    .kernels = "Kernels",
    .name = "Name",
    .symbol = "SymbolName",
    .attributes = "Attrs",
    .code_properties = "CodeProps",
    .reqd_workgroup_size = "ReqdWorkGroupSize",
    .kernarg_size = "KernargSegmentSize",
    .kernarg_align = "KernargSegmentAlign",
    .group_size = "GroupSegmentFixedSize",
    .private_size = "PrivateSegmentFixedSize",
    .wavefront_size = "WavefrontSize",
    .sgprs = "NumSGPRs",
    .vgprs = "NumVGPRs",
    .max_workgroup = "MaxFlatWorkGroupSize",
    .dynamic_stack = "IsDynamicCallStack",
    .arguments = "Args",
    .argument_name = "Name",
    .argument_type = "TypeName",
    .argument_size = "Size",
    .argument_offset = nullptr,
    .argument_align = "Align",
    .value_kind = "ValueKind",
    .pointee_align = "PointeeAlign",
};

constexpr Spelling kV3Spelling = {
    .version = "amdhsa.version",
    .kernels = "amdhsa.kernels",
    .name = ".name",
    .symbol = ".symbol",
    .attributes = nullptr,
    .code_properties = nullptr,
    .reqd_workgroup_size = ".reqd_workgroup_size",
    .kernarg_size = ".kernarg_segment_size",
    .kernarg_align = ".kernarg_segment_align",
    .group_size = ".group_segment_fixed_size",
    .private_size = ".private_segment_fixed_size",
    .wavefront_size = ".wavefront_size",
    .sgprs = ".sgpr_count",
    .vgprs = ".vgpr_count",
    .max_workgroup = ".max_flat_workgroup_size",
    .dynamic_stack = ".uses_dynamic_stack",
    .arguments = ".args",
    .argument_name = ".name",
    .argument_type = ".type_name",
    .argument_size = ".size",
    .argument_offset = ".offset",
    .argument_align = nullptr,
    .value_kind = ".value_kind",
    .pointee_align = ".pointee_align",
};

// v2's value kinds in v3's words; others (none are known) are passed through.
constexpr std::pair<std::string_view, std::string_view> kV2ValueKinds[] = {
    {"ByValue", "by_value"},
    {"GlobalBuffer", "global_buffer"},
    {"DynamicSharedPointer", "dynamic_shared_pointer"},
    {"Sampler", "sampler"},
    {"Image", "image"},
    {"Pipe", "pipe"},
    {"Queue", "queue"},
    {"HiddenGlobalOffsetX", "hidden_global_offset_x"},
    {"HiddenGlobalOffsetY", "hidden_global_offset_y"},
    {"HiddenGlobalOffsetZ", "hidden_global_offset_z"},
    {"HiddenNone", "hidden_none"},
    {"HiddenPrintfBuffer", "hidden_printf_buffer"},
    {"HiddenHostcallBuffer", "hidden_hostcall_buffer"},
    {"HiddenDefaultQueue", "hidden_default_queue"},
    {"HiddenCompletionAction", "hidden_completion_action"},
    {"HiddenMultiGridSyncArg", "hidden_multigrid_sync_arg"},
};

enum class Need { kRequired, kOptional };

// Typed access to one map. The first problem is kept; afterwards every getter gives its default.
class Fields {
 public:
  Fields(const json& map, std::string where, std::string* problem)
      : map_(map), where_(std::move(where)), problem_(problem) {
    if (!map.is_object()) Report("is not a map");
  }

  std::string Text(const char* key, Need need) {
    const json* value = Find(key, need);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get<std::string>();
    Report(fmt::format("has a '{}' that is not text", key));
    return {};
  }

  uint32_t Number(const char* key, Need need, uint32_t fallback = 0) {
    const json* value = Find(key, need);
    if (value == nullptr) return fallback;
    const std::optional<uint32_t> number = ToNumber(*value);
    if (!number) Report(fmt::format("has a '{}' that is not a number below 2^32", key));
    return number.value_or(fallback);
  }

  bool Flag(const char* key) {
    const json* value = Find(key, Need::kOptional);
    if (value == nullptr) return false;
    if (value->is_boolean()) return value->get<bool>();
    if (*value == "true") return true;
    if (*value != "false") Report(fmt::format("has a '{}' that is neither true nor false", key));
    return false;
  }

  // Null: absent, or a problem.
  const json* List(const char* key) {
    const json* value = Find(key, Need::kOptional);
    if (value == nullptr || value->is_array()) return value;
    Report(fmt::format("has a '{}' that is not a list", key));
    return nullptr;
  }

  // The map under `key`; the map itself if the format has no such level, an empty one if absent.
  const json& Nested(const char* key) {
    if (key == nullptr) return map_;
    static const json kEmpty = json::object();
    const json* value = Find(key, Need::kOptional);
    return value == nullptr ? kEmpty : *value;
  }

  void Report(const std::string& what) {
    if (problem_->empty()) *problem_ = where_ + " " + what;
  }

  static std::optional<uint32_t> ToNumber(const json& value) {
    if (value.is_number_unsigned() && value.get<uint64_t>() <= UINT32_MAX) {
      return static_cast<uint32_t>(value.get<uint64_t>());
    }
    if (!value.is_string()) return std::nullopt;
    const std::string& text = value.get_ref<const std::string&>();
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
  }

 private:
  const json* Find(const char* key, Need need) {
    if (!map_.is_object()) return nullptr;
    const auto it = map_.find(key);
    if (it != map_.end()) return &*it;
    if (need == Need::kRequired) Report(fmt::format("has no '{}'", key));
    return nullptr;
  }

  const json& map_;
  const std::string where_;
  std::string* const problem_;
};

std::string V3ValueKind(std::string word, MetadataFormat format) {
  if (format == MetadataFormat::kV2) {
    for (const auto& [v2, v3] : kV2ValueKinds) {
      if (word == v2) return std::string(v3);
    }
  }
  return word;
}

// `end` is where the previous argument ended: v2 lays arguments out by size and alignment.
ArgumentInfo ReadArgument(Fields& fields, const Spelling& keys, MetadataFormat format,
                          uint64_t* end) {
  ArgumentInfo argument;
  argument.name = fields.Text(keys.argument_name, Need::kOptional);
  argument.type_name = fields.Text(keys.argument_type, Need::kOptional);
  argument.value_kind = V3ValueKind(fields.Text(keys.value_kind, Need::kRequired), format);
  argument.kind = ArgumentKindOf(argument.value_kind);
  argument.size = fields.Number(keys.argument_size, Need::kRequired);
  argument.pointee_align = fields.Number(keys.pointee_align, Need::kOptional);
  if (keys.argument_offset != nullptr) {
    argument.offset = fields.Number(keys.argument_offset, Need::kRequired);
    return argument;
  }
  const uint32_t align = fields.Number(keys.argument_align, Need::kRequired, 1);
  if (!std::has_single_bit(align)) {
    fields.Report(fmt::format("has an alignment of {}, which is no power of two", align));
    return argument;
  }
  const uint64_t offset = (*end + align - 1) & ~uint64_t{align - 1};
  if (offset > UINT32_MAX) {
    fields.Report("starts beyond 4 GiB");
    return argument;
  }
  argument.offset = static_cast<uint32_t>(offset);
  *end = offset + argument.size;
  return argument;
}

KernelMetadata ReadKernel(const json& map, size_t index, const Spelling& keys,
                          MetadataFormat format, std::string* problem) {
  KernelMetadata kernel;
  KernelInfo& info = kernel.info;
  Fields fields(map, fmt::format("kernel {}", index), problem);
  info.name = fields.Text(keys.name, Need::kRequired);
  kernel.symbol = fields.Text(keys.symbol, Need::kRequired);

  Fields sizes(fields.Nested(keys.code_properties), fmt::format("kernel {}", index), problem);
  info.kernarg_segment_size = sizes.Number(keys.kernarg_size, Need::kOptional);
  info.kernarg_segment_align = sizes.Number(keys.kernarg_align, Need::kOptional);
  info.group_segment_size = sizes.Number(keys.group_size, Need::kOptional);
  info.private_segment_size = sizes.Number(keys.private_size, Need::kOptional);
  info.sgpr_count = sizes.Number(keys.sgprs, Need::kOptional);
  info.vgpr_count = sizes.Number(keys.vgprs, Need::kOptional);
  info.max_flat_workgroup_size = sizes.Number(keys.max_workgroup, Need::kOptional);
  info.uses_dynamic_stack = sizes.Flag(keys.dynamic_stack);
  const uint32_t wave = sizes.Number(keys.wavefront_size, Need::kOptional, 64);
  if (wave != 64) fields.Report(fmt::format("has waves of {} lanes, not 64", wave));

  Fields attributes(fields.Nested(keys.attributes), fmt::format("kernel {}", index), problem);
  if (const json* size = attributes.List(keys.reqd_workgroup_size)) {
    for (size_t axis = 0; axis < 3 && size->size() == 3; ++axis) {
      const std::optional<uint32_t> number = Fields::ToNumber((*size)[axis]);
      if (!number) fields.Report("has a required work-group size that is not a number");
      info.reqd_workgroup_size[axis] = number.value_or(0);
    }
    if (size->size() != 3) fields.Report("has a required work-group size without three numbers");
  }

  if (const json* arguments = fields.List(keys.arguments)) {
    uint64_t end = 0;
    for (size_t i = 0; i < arguments->size() && problem->empty(); ++i) {
      Fields argument((*arguments)[i], fmt::format("argument {} of kernel {}", i, index), problem);
      info.arguments.push_back(ReadArgument(argument, keys, format, &end));
    }
  }
  return kernel;
}

}  // namespace

Result<std::vector<KernelMetadata>> KernelsOfMetadata(const json& document, MetadataFormat format,
                                                      uint64_t offset) {
  const Spelling& keys = format == MetadataFormat::kV2 ? kV2Spelling : kV3Spelling;
  std::vector<KernelMetadata> kernels;
  std::string problem;
  Fields root(document, "the document", &problem);
  if (const json* version = root.List(keys.version)) {
    // Both formats are at major version 1; a minor version only adds keys.
    if (version->empty() || Fields::ToNumber((*version)[0]) != 1u) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("metadata at offset {:#x} has a version other than 1", offset)};
    }
  }
  if (const json* list = root.List(keys.kernels)) {
    for (size_t i = 0; i < list->size() && problem.empty(); ++i) {
      kernels.push_back(ReadKernel((*list)[i], i, keys, format, &problem));
    }
  }
  if (!problem.empty()) {
    return Error{ErrorCode::kInvalidCodeObject,
                 fmt::format("metadata at offset {:#x}: {}", offset, problem)};
  }
  return kernels;
}

}  // namespace gcnjit::frontend
