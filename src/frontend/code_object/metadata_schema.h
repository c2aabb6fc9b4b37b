// From a metadata document, value by value, to kernels. Both formats end here: they differ in the
// spelling of their keys and in a few words. Nothing is kept but what launching needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/code_object/load_budget.h"
#include "frontend/code_object/metadata.h"
#include "gcnjit/error.h"

namespace gcnjit::frontend {

enum class MetadataFormat {
  kV2,      // "Kernels", "CodeProps", "GlobalBuffer"; no argument offsets; numbers are text
  kV3OrUp,  // "amdhsa.kernels", ".kernarg_segment_size", "global_buffer"
};

// A reader calls these for one document: a scalar, or a map or list and what is in it up to End; in
// a map keys and values take turns. False: the reader is to stop, and error() says why.
class MetadataSchema {
 public:
  static constexpr size_t kMaxDepth = 32;  // real metadata nests five deep

  // `offset` is the document's place in the file, for messages.
  MetadataSchema(MetadataFormat format, uint64_t offset, LoadBudget& budget,
                 const TakeKernel& take);

  bool BeginMap() { return Begin(true); }
  bool BeginList() { return Begin(false); }
  bool End();
  bool Text(std::string_view text);
  bool Number(uint64_t value);
  bool Flag(bool value);
  bool Other();  // nothing, a fraction, a negative number, binary data

  // The reader's own problem; false, for it to return.
  bool Fail(std::string problem);
  const Error& error() const { return *error_; }

 private:
  // What a map or list is, by the way to it.
  enum class Place : uint8_t {
    kOutside,  // of the document
    kRoot,
    kVersion,
    kKernels,
    kKernel,
    kAttributes,
    kCodeProperties,
    kWorkgroupSize,
    kArguments,
    kArgument,
    kPrintf,
    kUnknown,  // and everything in it
  };
  // What a key of a map stands for.
  enum class Field : uint8_t {
    kUnknown,
    kVersion,
    kKernels,
    kPrintf,
    kName,
    kSymbol,
    kAttributes,
    kCodeProperties,
    kWorkgroupSize,
    kKernargSize,
    kKernargAlign,
    kGroupSize,
    kPrivateSize,
    kWavefrontSize,
    kSgprs,
    kVgprs,
    kMaxWorkgroup,
    kDynamicStack,
    kArguments,
    kArgumentName,
    kArgumentType,
    kArgumentSize,
    kArgumentOffset,  // v3: stated
    kArgumentAlign,   // v2: the offset follows from sizes and alignments
    kValueKind,
    kPointeeAlign,
    kCount,
  };
  struct Key {
    Field field;
    Place v2_place;
    std::string_view v2;  // empty: the format has no such key
    Place v3_place;
    std::string_view v3;
  };
  static const Key kKeys[];

  struct Level {
    Place place = Place::kUnknown;
    bool is_map = false;
    bool wants_key = false;
    Field field = Field::kUnknown;  // of the last key
    uint32_t items = 0;             // of a list, begun or over
  };

  struct Value {
    std::optional<std::string_view> text;
    std::optional<uint64_t> number;
    std::optional<bool> flag;
  };

  bool Begin(bool is_map);
  bool Scalar(const Value& value);
  bool ScalarOfField(Field field, const Value& value);
  bool ScalarOfList(const Level& list, const Value& value);
  // Where a value stands that is about to begin: in a list one more item, in a map after its key.
  Level& Enter();
  Place PlaceOf(const Level& outer, bool is_map) const;
  Field FieldOf(Place place, std::string_view key) const;
  std::string_view Spelling(Field field) const;
  uint32_t* NumberOf(Field field);
  std::string* TextOf(Field field);

  bool EndKernel();
  bool EndArgument();
  bool AddPrintfFormat(std::string_view text);
  bool Require(Field field, uint32_t seen, const std::string& whose);
  std::string Kernel() const;
  std::string Argument() const;
  // Whose field it is.
  std::string OwnerOf(Field field) const;

  const MetadataFormat format_;
  const uint64_t offset_;
  LoadBudget& budget_;
  const TakeKernel& take_;
  std::optional<Error> error_;

  std::array<Level, kMaxDepth + 1> levels_;  // the first one is outside the document
  size_t depth_ = 0;

  const std::shared_ptr<PrintfFormats> printf_formats_;
  uint32_t kernels_ = 0;  // begun
  bool has_kernels_ = false;
  KernelMetadata kernel_;
  uint32_t kernel_fields_ = 0;  // a bit for each that was there
  uint32_t wavefront_size_ = 64;
  std::vector<ArgumentInfo> arguments_;  // of the kernel
  ArgumentInfo argument_;
  uint32_t argument_fields_ = 0;
  uint32_t argument_align_ = 1;
  uint64_t arguments_end_ = 0;  // of v2's, which are laid out by size and alignment
};

}  // namespace gcnjit::frontend
