#include "frontend/code_object/compressed_bundle.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace gcnjit::frontend {
namespace {

// llvm::compression::Format.
constexpr uint16_t kZlib = 0;
constexpr uint16_t kZstd = 1;

// Unpacked bytes that are a step of the budget: what one of them takes is a small part of what a
// byte takes that is looked at.
constexpr uint64_t kZlibBytesPerStep = 2;
constexpr uint64_t kZstdBytesPerStep = 4;

// Begins with magic (4 bytes), version (2) and method (2); what follows depends on the version.
struct Header {
  uint16_t version = 0;
  uint16_t method = 0;
  uint64_t bytes = 0;                   // of the header
  std::optional<uint64_t> total_bytes;  // of the bundle; v1 does not say
  uint64_t unpacked_bytes = 0;
};

Error Invalid(uint64_t begin, std::string_view what) {
  return {ErrorCode::kInvalidCodeObject,
          fmt::format("the compressed bundle at offset {:#x} {}", begin, what)};
}

Error Unsupported(uint64_t begin, std::string_view what) {
  return {ErrorCode::kUnsupported,
          fmt::format("the compressed bundle at offset {:#x} {}: unpack it with "
                      "clang-offload-bundler --unbundle",
                      begin, what)};
}

Result<Header> ReadHeader(Bytes file, uint64_t begin) {
  const auto version = Read<uint16_t>(file, begin + 4);
  const auto method = Read<uint16_t>(file, begin + 6);
  if (!version || !method) return Invalid(begin, "is truncated");
  Header header;
  header.version = *version;
  header.method = *method;
  std::optional<uint64_t> unpacked;
  switch (*version) {
    case 1:
      unpacked = Read<uint32_t>(file, begin + 8);
      header.bytes = 20;
      break;
    case 2:
      header.total_bytes = Read<uint32_t>(file, begin + 8);
      unpacked = Read<uint32_t>(file, begin + 12);
      header.bytes = 24;
      break;
    case 3:
      header.total_bytes = Read<uint64_t>(file, begin + 8);
      unpacked = Read<uint64_t>(file, begin + 16);
      header.bytes = 32;
      break;
    default: return Unsupported(begin, fmt::format("has version {}; 1 to 3 are known", *version));
  }
  if (!unpacked || !Slice(file, begin, header.bytes)) return Invalid(begin, "is truncated");
  if (*method != kZlib && *method != kZstd) {
    return Unsupported(begin, fmt::format("is compressed by method {}; 0 (zlib) and 1 (zstd) are "
                                          "known",
                                          *method));
  }
  header.unpacked_bytes = *unpacked;
  return header;
}

// Fills `out`; gives how many bytes of `packed` that took, or nullopt.
std::optional<uint64_t> InflateZlib(Bytes packed, UnpackedBytes& out) {
  constexpr uint64_t kMostAtOnce = uint64_t{1} << 30;  // zlib counts in 32 bits
  z_stream stream = {};
  if (inflateInit(&stream) != Z_OK) return std::nullopt;
  // zlib does not write to its input.
  auto* const packed_begin = const_cast<std::byte*>(packed.data());
  uint64_t taken = 0;
  uint64_t made = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const uint64_t in = std::min<uint64_t>(packed.size() - taken, kMostAtOnce);
    const uint64_t room = std::min<uint64_t>(out.bytes().size() - made, kMostAtOnce);
    stream.next_in = reinterpret_cast<Bytef*>(packed_begin + taken);
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + made);
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += room - stream.avail_out;
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && made == out.bytes().size() ? std::optional(taken) : std::nullopt;
}

// Likewise. v2 and v3 say where the bundle ends; v1 ends with its first frame.
std::optional<uint64_t> InflateZstd(Bytes packed, bool is_all, UnpackedBytes& out) {
  size_t size = packed.size();
  if (!is_all) size = ZSTD_findFrameCompressedSize(packed.data(), packed.size());
  if (ZSTD_isError(size) != 0) return std::nullopt;
  const size_t made = ZSTD_decompress(out.data(), out.bytes().size(), packed.data(), size);
  return made == out.bytes().size() ? std::optional(size) : std::nullopt;
}

}  // namespace

void UnpackedBytes::KeepOnly(Bytes part) {
  if (part.empty()) {
    bytes_.reset();
    size_ = 0;
    return;
  }
  std::memmove(bytes_.get(), part.data(), part.size());
  size_ = part.size();
  // Without memory for fewer bytes there are those that there were.
  if (void* const fewer = std::realloc(bytes_.get(), size_)) {
    (void)bytes_.release();
    bytes_.reset(static_cast<std::byte*>(fewer));
  }
}

Result<CompressedBundle> Unpack(Bytes file, uint64_t begin, LoadBudget& budget) {
  const auto header = ReadHeader(file, begin);
  if (!header) return header.error();
  const uint64_t rest = file.size() - begin;
  const uint64_t total = header->total_bytes.value_or(rest);
  if (total < header->bytes || total > rest) {
    return Invalid(begin,
                   fmt::format("has {:#x} bytes by its header; the file has {:#x} from there "
                               "on",
                               total, rest));
  }
  const bool is_zlib = header->method == kZlib;
  if (header->unpacked_bytes == 0) return Invalid(begin, "is empty");
  if (!budget.Lend(header->unpacked_bytes) ||
      !budget.Look(header->unpacked_bytes / (is_zlib ? kZlibBytesPerStep : kZstdBytesPerStep))) {
    return budget.error();
  }
  CompressedBundle bundle = {UnpackedBytes(header->unpacked_bytes)};
  if (bundle.contents.bytes().empty()) {
    return Error{ErrorCode::kOutOfResources,
                 "the host has no memory for what the bundle unpacks to"};
  }
  const Bytes packed = file.subspan(begin + header->bytes, total - header->bytes);
  const auto taken = is_zlib
                         ? InflateZlib(packed, bundle.contents)
                         : InflateZstd(packed, header->total_bytes.has_value(), bundle.contents);
  if (!taken) {
    return Invalid(begin,
                   fmt::format("does not unpack to the {:#x} bytes of its header ({}, {:#x} "
                               "bytes compressed)",
                               header->unpacked_bytes, is_zlib ? "zlib" : "zstd", packed.size()));
  }
  bundle.end = header->total_bytes ? begin + total : begin + header->bytes + *taken;
  return bundle;
}

}  // namespace gcnjit::frontend
