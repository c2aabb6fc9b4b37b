// https://github.com/msgpack/msgpack/blob/master/spec.md, "Formats".
#include <fmt/format.h>

#include <array>
#include <optional>

#include "frontend/code_object/metadata.h"
#include "frontend/code_object/metadata_schema.h"

namespace gcnjit::frontend {
namespace {

// Reads one value with all that is in it, and gives it to the schema piece by piece.
class MessagePackReader {
 public:
  MessagePackReader(Bytes bytes, LoadBudget& budget, MetadataSchema& schema)
      : bytes_(bytes), budget_(budget), schema_(schema) {}

  // False: the budget or the schema has had enough, or the bytes are no MessagePack.
  bool Run() {
    do {
      if (open_ != 0 && values_left_[open_ - 1] == 0) {
        --open_;
        if (!schema_.End()) return false;
        continue;
      }
      if (open_ != 0) --values_left_[open_ - 1];
      if (!budget_.Look(1) || !ReadValue()) return false;
    } while (open_ != 0);
    return true;
  }

  uint64_t at() const { return at_; }

 private:
  bool ReadValue();
  bool ReadWide(unsigned type);

  // Big-endian.
  std::optional<uint64_t> ReadNumber(unsigned bytes) {
    const auto slice = Slice(bytes_, at_, bytes);
    if (!slice) return std::nullopt;
    at_ += bytes;
    uint64_t value = 0;
    for (const std::byte byte : *slice) value = value << 8 | static_cast<uint64_t>(byte);
    return value;
  }
  bool Text(std::optional<uint64_t> size) {
    const auto slice = size ? Slice(bytes_, at_, *size) : std::nullopt;
    if (!slice || !budget_.Look(*size)) return false;
    at_ += *size;
    return schema_.Text(AsText(*slice));
  }
  bool Skip(std::optional<uint64_t> size) {
    const auto slice = size ? Slice(bytes_, at_, *size) : std::nullopt;
    if (!slice) return false;
    at_ += *size;
    return schema_.Other();
  }
  bool Begin(std::optional<uint64_t> values, bool is_map) {
    if (!values || !(is_map ? schema_.BeginMap() : schema_.BeginList())) return false;
    values_left_[open_++] = is_map ? *values * 2 : *values;  // the schema bounds the depth
    return true;
  }
  bool Signed(std::optional<uint64_t> value, unsigned bytes) {
    if (!value) return false;
    const bool is_negative = (*value >> (bytes * 8 - 1) & 1) != 0;
    return is_negative ? schema_.Other() : schema_.Number(*value);
  }

  const Bytes bytes_;
  LoadBudget& budget_;
  MetadataSchema& schema_;
  uint64_t at_ = 0;
  std::array<uint64_t, MetadataSchema::kMaxDepth> values_left_;  // of the open maps and lists
  size_t open_ = 0;
};

bool MessagePackReader::ReadValue() {
  const auto first = ReadNumber(1);
  if (!first) return false;
  const auto type = static_cast<unsigned>(*first);
  if (type < 0x80) return schema_.Number(type);
  if (type < 0x90) return Begin(type & 0xF, true);
  if (type < 0xA0) return Begin(type & 0xF, false);
  if (type < 0xC0) return Text(type & 0x1F);
  if (type >= 0xE0) return schema_.Other();  // -32 to -1
  return ReadWide(type);
}

// 0xC0 to 0xDF. Sizes of 1, 2, 4 and 8 bytes follow each other.
bool MessagePackReader::ReadWide(unsigned type) {
  switch (type) {
    case 0xC0: return schema_.Other();  // nil
    case 0xC2:
    case 0xC3: return schema_.Flag(type == 0xC3);
    case 0xC4:
    case 0xC5:
    case 0xC6: return Skip(ReadNumber(1u << (type - 0xC4)));  // bin
    case 0xC7:
    case 0xC8:
    case 0xC9: {  // ext: a size, a type and as many bytes
      const auto size = ReadNumber(1u << (type - 0xC7));
      return Skip(size ? std::optional(*size + 1) : std::nullopt);
    }
    case 0xCA: return Skip(4);  // float
    case 0xCB: return Skip(8);
    case 0xCC:
    case 0xCD:
    case 0xCE:
    case 0xCF: {  // uint
      const auto value = ReadNumber(1u << (type - 0xCC));
      return value && schema_.Number(*value);
    }
    case 0xD0:
    case 0xD1:
    case 0xD2:
    case 0xD3: {  // int
      const unsigned bytes = 1u << (type - 0xD0);
      return Signed(ReadNumber(bytes), bytes);
    }
    case 0xD4:
    case 0xD5:
    case 0xD6:
    case 0xD7:
    case 0xD8: return Skip(1 + (1u << (type - 0xD4)));  // ext of 1 to 16 bytes
    case 0xD9:
    case 0xDA:
    case 0xDB: return Text(ReadNumber(1u << (type - 0xD9)));
    case 0xDC:
    case 0xDD: return Begin(ReadNumber(2u << (type - 0xDC)), false);
    case 0xDE:
    case 0xDF: return Begin(ReadNumber(2u << (type - 0xDE)), true);
    default: return false;  // 0xC1 is never used
  }
}

}  // namespace

Result<void> ReadMessagePackMetadata(Bytes bytes, uint64_t offset, LoadBudget& budget,
                                     const TakeKernel& take) {
  MetadataSchema schema(MetadataFormat::kV3OrUp, offset, budget, take);
  MessagePackReader reader(bytes, budget, schema);
  // What follows the document is not looked at: a note's description may be padded.
  if (reader.Run()) return {};
  if (budget.is_spent()) return budget.error();
  schema.Fail(fmt::format("not MessagePack at byte {:#x}", reader.at()));
  return schema.error();
}

}  // namespace gcnjit::frontend
