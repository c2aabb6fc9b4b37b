#include "frontend/code_object/metadata_schema.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <iterator>
#include <utility>

#include "frontend/code_object/code_object.h"

namespace gcnjit::frontend {
namespace {

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

// v2 writes numbers as text.
std::optional<uint32_t> ToNumber(std::optional<uint64_t> number,
                                 std::optional<std::string_view> text) {
  if (number && *number <= UINT32_MAX) return static_cast<uint32_t>(*number);
  if (!text) return std::nullopt;
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return value;
}

// What a text needs beyond the std::string itself.
size_t HeapBytes(const std::string& text) {
  constexpr size_t kOfAllocation = 16;
  return text.size() < sizeof(std::string) / 2 ? 0 : text.size() + 1 + kOfAllocation;
}

}  // namespace

// AMDGPUUsage, "Code Object V2 Metadata" and "Code Object V3 Metadata".
const MetadataSchema::Key MetadataSchema::kKeys[] = {
    {Field::kVersion, Place::kRoot, "Version", Place::kRoot, "amdhsa.version"},
    {Field::kKernels, Place::kRoot, "Kernels", Place::kRoot, "amdhsa.kernels"},
    {Field::kPrintf, Place::kRoot, "Printf", Place::kRoot, "amdhsa.printf"},
    {Field::kName, Place::kKernel, "Name", Place::kKernel, ".name"},
    {Field::kSymbol, Place::kKernel, "SymbolName", Place::kKernel, ".symbol"},
    {Field::kAttributes, Place::kKernel, "Attrs", Place::kKernel, ""},
    {Field::kCodeProperties, Place::kKernel, "CodeProps", Place::kKernel, ""},
    {Field::kArguments, Place::kKernel, "Args", Place::kKernel, ".args"},
    {Field::kWorkgroupSize, Place::kAttributes, "ReqdWorkGroupSize", Place::kKernel,
     ".reqd_workgroup_size"},
    {Field::kKernargSize, Place::kCodeProperties, "KernargSegmentSize", Place::kKernel,
     ".kernarg_segment_size"},
    {Field::kKernargAlign, Place::kCodeProperties, "KernargSegmentAlign", Place::kKernel,
     ".kernarg_segment_align"},
    {Field::kGroupSize, Place::kCodeProperties, "GroupSegmentFixedSize", Place::kKernel,
     ".group_segment_fixed_size"},
    {Field::kPrivateSize, Place::kCodeProperties, "PrivateSegmentFixedSize", Place::kKernel,
     ".private_segment_fixed_size"},
    {Field::kWavefrontSize, Place::kCodeProperties, "WavefrontSize", Place::kKernel,
     ".wavefront_size"},
    {Field::kSgprs, Place::kCodeProperties, "NumSGPRs", Place::kKernel, ".sgpr_count"},
    {Field::kVgprs, Place::kCodeProperties, "NumVGPRs", Place::kKernel, ".vgpr_count"},
    {Field::kMaxWorkgroup, Place::kCodeProperties, "MaxFlatWorkGroupSize", Place::kKernel,
     ".max_flat_workgroup_size"},
    {Field::kDynamicStack, Place::kCodeProperties, "IsDynamicCallStack", Place::kKernel,
     ".uses_dynamic_stack"},
    {Field::kArgumentName, Place::kArgument, "Name", Place::kArgument, ".name"},
    {Field::kArgumentType, Place::kArgument, "TypeName", Place::kArgument, ".type_name"},
    {Field::kArgumentSize, Place::kArgument, "Size", Place::kArgument, ".size"},
    {Field::kArgumentOffset, Place::kArgument, "", Place::kArgument, ".offset"},
    {Field::kArgumentAlign, Place::kArgument, "Align", Place::kArgument, ""},
    {Field::kValueKind, Place::kArgument, "ValueKind", Place::kArgument, ".value_kind"},
    {Field::kPointeeAlign, Place::kArgument, "PointeeAlign", Place::kArgument, ".pointee_align"},
};

MetadataSchema::MetadataSchema(MetadataFormat format, uint64_t offset, LoadBudget& budget,
                               const TakeKernel& take)
    : format_(format),
      offset_(offset),
      budget_(budget),
      take_(take),
      printf_formats_(std::make_shared<PrintfFormats>()) {
  static_assert(static_cast<int>(Field::kCount) <= 32, "a bit each");
  levels_[0].place = Place::kOutside;
}

bool MetadataSchema::Fail(std::string problem) {
  if (!error_) {
    error_ = Error{ErrorCode::kInvalidCodeObject,
                   fmt::format("metadata at offset {:#x}: {}", offset_, problem)};
  }
  return false;
}

MetadataSchema::Field MetadataSchema::FieldOf(Place place, std::string_view name) const {
  if (place == Place::kUnknown || name.empty()) return Field::kUnknown;
  const bool v2 = format_ == MetadataFormat::kV2;
  for (const Key& key : kKeys) {
    if (place == (v2 ? key.v2_place : key.v3_place) && name == (v2 ? key.v2 : key.v3)) {
      return key.field;
    }
  }
  return Field::kUnknown;
}

std::string_view MetadataSchema::Spelling(Field field) const {
  for (const Key& key : kKeys) {
    if (key.field == field) return format_ == MetadataFormat::kV2 ? key.v2 : key.v3;
  }
  return {};
}

std::string MetadataSchema::Kernel() const { return fmt::format("kernel {}", kernels_ - 1); }

std::string MetadataSchema::Argument() const {
  return fmt::format("argument {} of {}", arguments_.size(), Kernel());
}

std::string MetadataSchema::OwnerOf(Field field) const {
  if (field >= Field::kArgumentName) return Argument();
  return field >= Field::kName ? Kernel() : "the document";
}

MetadataSchema::Level& MetadataSchema::Enter() {
  Level& level = levels_[depth_];
  if (level.is_map) {
    level.wants_key = true;  // after the value
  } else {
    ++level.items;
  }
  return level;
}

MetadataSchema::Place MetadataSchema::PlaceOf(const Level& outer, bool is_map) const {
  switch (outer.place) {
    case Place::kOutside: return is_map ? Place::kRoot : Place::kUnknown;
    case Place::kKernels: return is_map ? Place::kKernel : Place::kUnknown;
    case Place::kArguments: return is_map ? Place::kArgument : Place::kUnknown;
    default: break;
  }
  if (!outer.is_map) return Place::kUnknown;
  switch (outer.field) {
    case Field::kVersion: return is_map ? Place::kUnknown : Place::kVersion;
    case Field::kKernels: return is_map ? Place::kUnknown : Place::kKernels;
    case Field::kArguments: return is_map ? Place::kUnknown : Place::kArguments;
    case Field::kPrintf: return is_map ? Place::kUnknown : Place::kPrintf;
    case Field::kWorkgroupSize: return is_map ? Place::kUnknown : Place::kWorkgroupSize;
    case Field::kAttributes: return is_map ? Place::kAttributes : Place::kUnknown;
    case Field::kCodeProperties: return is_map ? Place::kCodeProperties : Place::kUnknown;
    default: return Place::kUnknown;
  }
}

bool MetadataSchema::Begin(bool is_map) {
  Level& outer = levels_[depth_];
  if (outer.wants_key) return Fail("a map has a key that is a map or a list");
  if (depth_ == kMaxDepth) return Fail(fmt::format("nested more than {} deep", kMaxDepth));
  Enter();
  const Place place = PlaceOf(outer, is_map);
  // A map or list where none should be is refused like any other wrong value.
  if (place == Place::kUnknown && outer.place != Place::kUnknown) {
    const bool ok = outer.is_map ? ScalarOfField(outer.field, {}) : ScalarOfList(outer, {});
    if (!ok) return false;
  }
  levels_[++depth_] = {place, is_map, is_map, Field::kUnknown, 0};
  switch (place) {
    case Place::kKernels:
      if (std::exchange(has_kernels_, true)) {
        return Fail(fmt::format("the document has '{}' twice", Spelling(Field::kKernels)));
      }
      break;
    case Place::kKernel:
      ++kernels_;
      kernel_ = {};
      kernel_fields_ = 0;
      wavefront_size_ = 64;
      arguments_.clear();
      arguments_end_ = 0;
      break;
    case Place::kArguments:
      arguments_.clear();
      arguments_end_ = 0;
      break;
    case Place::kArgument:
      argument_ = {};
      argument_fields_ = 0;
      argument_align_ = 1;
      break;
    default: break;
  }
  return true;
}

bool MetadataSchema::End() {
  const Level level = levels_[depth_--];
  switch (level.place) {
    case Place::kVersion:
      if (level.items != 0) return true;
      return ScalarOfList({Place::kVersion, false, false, Field::kUnknown, 1}, {});
    case Place::kWorkgroupSize:
      if (level.items == 3) return true;
      return Fail(Kernel() + " has a required work-group size without three numbers");
    case Place::kArgument: return EndArgument();
    case Place::kKernel: return EndKernel();
    default: return true;
  }
}

bool MetadataSchema::Text(std::string_view text) {
  Level& level = levels_[depth_];
  if (!level.wants_key) return Scalar({.text = text, .number = {}, .flag = {}});
  level.wants_key = false;
  level.field = FieldOf(level.place, text);
  return true;
}
bool MetadataSchema::Number(uint64_t value) {
  return Scalar({.text = {}, .number = value, .flag = {}});
}
bool MetadataSchema::Flag(bool value) { return Scalar({.text = {}, .number = {}, .flag = value}); }
bool MetadataSchema::Other() { return Scalar({}); }

bool MetadataSchema::Scalar(const Value& value) {
  Level& level = levels_[depth_];
  if (level.wants_key) {
    // Tensile keeps parameters that are numbers, each by another number.
    level.wants_key = false;
    level.field = Field::kUnknown;
    return true;
  }
  Enter();
  if (level.place == Place::kUnknown) return true;
  return level.is_map ? ScalarOfField(level.field, value) : ScalarOfList(level, value);
}

bool MetadataSchema::ScalarOfList(const Level& list, const Value& value) {
  switch (list.place) {
    case Place::kOutside: return Fail("the document is not a map");
    case Place::kKernels: return Fail(fmt::format("kernel {} is not a map", kernels_));
    case Place::kArguments: return Fail(Argument() + " is not a map");
    case Place::kVersion:
      // Both formats are at major version 1; a minor version only adds keys.
      if (list.items > 1 || ToNumber(value.number, value.text) == 1u) return true;
      error_ = Error{ErrorCode::kUnsupported,
                     fmt::format("metadata at offset {:#x} has a version other than 1", offset_)};
      return false;
    case Place::kWorkgroupSize: {
      const std::optional<uint32_t> number = ToNumber(value.number, value.text);
      if (!number) return Fail(Kernel() + " has a required work-group size that is not a number");
      if (list.items <= 3) kernel_.info.reqd_workgroup_size[list.items - 1] = *number;
      return true;
    }
    case Place::kPrintf:
      if (value.text) return AddPrintfFormat(*value.text);
      return Fail(fmt::format("'{}' has an item that is not text", Spelling(Field::kPrintf)));
    default: return true;
  }
}

bool MetadataSchema::AddPrintfFormat(std::string_view text) {
  // The vector grows by copying.
  if (!budget_.Keep(2 * sizeof(std::string) + text.size() + 1)) {
    error_ = budget_.error();
    return false;
  }
  printf_formats_->emplace_back(text);
  return true;
}

std::string* MetadataSchema::TextOf(Field field) {
  switch (field) {
    case Field::kName: return &kernel_.info.name;
    case Field::kSymbol: return &kernel_.symbol;
    case Field::kArgumentName: return &argument_.name;
    case Field::kArgumentType: return &argument_.type_name;
    case Field::kValueKind: return &argument_.value_kind;
    default: return nullptr;
  }
}

uint32_t* MetadataSchema::NumberOf(Field field) {
  KernelInfo& info = kernel_.info;
  switch (field) {
    case Field::kKernargSize: return &info.kernarg_segment_size;
    case Field::kKernargAlign: return &info.kernarg_segment_align;
    case Field::kGroupSize: return &info.group_segment_size;
    case Field::kPrivateSize: return &info.private_segment_size;
    case Field::kWavefrontSize: return &wavefront_size_;
    case Field::kSgprs: return &info.sgpr_count;
    case Field::kVgprs: return &info.vgpr_count;
    case Field::kMaxWorkgroup: return &info.max_flat_workgroup_size;
    case Field::kArgumentSize: return &argument_.size;
    case Field::kArgumentOffset: return &argument_.offset;
    case Field::kArgumentAlign: return &argument_align_;
    case Field::kPointeeAlign: return &argument_.pointee_align;
    default: return nullptr;
  }
}

bool MetadataSchema::ScalarOfField(Field field, const Value& value) {
  if (field == Field::kUnknown) return true;
  const auto wrong = [&](std::string_view what) {
    return Fail(fmt::format("{} has a '{}' that is {}", OwnerOf(field), Spelling(field), what));
  };
  (field >= Field::kArgumentName ? argument_fields_ : kernel_fields_) |= uint32_t{1}
                                                                         << static_cast<int>(field);
  if (std::string* text = TextOf(field)) {
    if (!value.text) return wrong("not text");
    *text = *value.text;
    return true;
  }
  if (uint32_t* number = NumberOf(field)) {
    const std::optional<uint32_t> read = ToNumber(value.number, value.text);
    if (!read) return wrong("not a number below 2^32");
    *number = *read;
    return true;
  }
  switch (field) {
    case Field::kDynamicStack: {
      const bool is_true = value.flag.value_or(value.text == "true");
      if (!is_true && !value.flag && value.text != "false") return wrong("neither true nor false");
      kernel_.info.uses_dynamic_stack = is_true;
      return true;
    }
    case Field::kAttributes:
    case Field::kCodeProperties: return wrong("not a map");
    default: return wrong("not a list");
  }
}

bool MetadataSchema::Require(Field field, uint32_t seen, const std::string& whose) {
  if ((seen >> static_cast<int>(field) & 1) != 0) return true;
  return Fail(fmt::format("{} has no '{}'", whose, Spelling(field)));
}

bool MetadataSchema::EndArgument() {
  const bool v2 = format_ == MetadataFormat::kV2;
  for (const Field field : {Field::kValueKind, Field::kArgumentSize,
                            v2 ? Field::kArgumentAlign : Field::kArgumentOffset}) {
    if (!Require(field, argument_fields_, Argument())) return false;
  }
  if (v2) {
    for (const auto& [v2_word, v3_word] : kV2ValueKinds) {
      if (argument_.value_kind == v2_word) {
        argument_.value_kind = v3_word;
        break;
      }
    }
    if (!std::has_single_bit(argument_align_)) {
      return Fail(fmt::format("{} has an alignment of {}, which is no power of two", Argument(),
                              argument_align_));
    }
    const uint64_t at = (arguments_end_ + argument_align_ - 1) & ~uint64_t{argument_align_ - 1};
    if (at > UINT32_MAX) return Fail(Argument() + " starts beyond 4 GiB");
    argument_.offset = static_cast<uint32_t>(at);
    arguments_end_ = at + argument_.size;
  }
  if (arguments_.size() == kMaxArguments) {
    return Fail(fmt::format("{} has more than {} arguments", Kernel(), kMaxArguments));
  }
  argument_.kind = ArgumentKindOf(argument_.value_kind);
  const size_t heap =
      HeapBytes(argument_.name) + HeapBytes(argument_.type_name) + HeapBytes(argument_.value_kind);
  if (!budget_.Keep(sizeof argument_ + heap)) {
    error_ = budget_.error();
    return false;
  }
  arguments_.push_back(std::move(argument_));
  return true;
}

bool MetadataSchema::EndKernel() {
  for (const Field field : {Field::kName, Field::kSymbol}) {
    if (!Require(field, kernel_fields_, Kernel())) return false;
  }
  if (wavefront_size_ != 64) {
    return Fail(fmt::format("{} has waves of {} lanes, not 64", Kernel(), wavefront_size_));
  }
  // In a vector of just their number; arguments_ keeps its room for the next kernel's.
  kernel_.info.arguments.assign(std::make_move_iterator(arguments_.begin()),
                                std::make_move_iterator(arguments_.end()));
  kernel_.printf_formats = printf_formats_;
  if (auto result = take_(std::move(kernel_)); !result) {
    error_ = result.error();
    return false;
  }
  return true;
}

}  // namespace gcnjit::frontend
