#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "frontend/code_object/metadata.h"
#include "frontend/code_object/metadata_schema.h"

namespace gcnjit::frontend {
namespace {

using nlohmann::json;

// Stops at nesting that would exhaust the stack: the MessagePack reader and the destructor of the
// document recurse. Real metadata nests five deep.
class DepthGuard : public json::json_sax_t {
 public:
  static constexpr int kMaxDepth = 32;

  bool start_object(std::size_t) override { return Enter(); }
  bool end_object() override { return Leave(); }
  bool start_array(std::size_t) override { return Enter(); }
  bool end_array() override { return Leave(); }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(json::number_integer_t) override { return true; }
  bool number_unsigned(json::number_unsigned_t) override { return true; }
  bool number_float(json::number_float_t, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(json::binary_t&) override { return true; }
  bool key(std::string&) override { return true; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    problem_ = fmt::format("not MessagePack at byte {:#x} of the metadata", position);
    return false;
  }

  const std::string& problem() const { return problem_; }

 private:
  bool Enter() {
    if (++depth_ <= kMaxDepth) return true;
    problem_ = fmt::format("nested more than {} deep", kMaxDepth);
    return false;
  }
  bool Leave() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  std::string problem_ = "not MessagePack";
};

}  // namespace

Result<std::vector<KernelMetadata>> ParseMessagePackMetadata(Bytes bytes, uint64_t offset) {
  const auto* begin = reinterpret_cast<const uint8_t*>(bytes.data());
  const auto* end = begin + bytes.size();
  DepthGuard guard;
  // Not strict: a note's description may be padded.
  const bool well_formed =
      json::sax_parse(begin, end, &guard, json::input_format_t::msgpack, /*strict=*/false);
  json document;
  if (well_formed) {
    document = json::from_msgpack(begin, end, /*strict=*/false, /*allow_exceptions=*/false);
  }
  if (!well_formed || document.is_discarded()) {
    return Error{ErrorCode::kInvalidCodeObject,
                 fmt::format("metadata at offset {:#x}: {}", offset, guard.problem())};
  }
  return KernelsOfMetadata(document, MetadataFormat::kV3OrUp, offset);
}

}  // namespace gcnjit::frontend
