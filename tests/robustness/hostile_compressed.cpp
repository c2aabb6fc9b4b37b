// R22: compressed offload bundles, whose bytes may become very many.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "robustness/hostile_file.h"
#include "tests/offload_bundles.h"

namespace gcnjit::robustness {
namespace compressed_kinds {
namespace {

using bundles::kZlib;
using bundles::kZstd;

constexpr int kFast = 1;  // level of compression: the files are many
constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";

// Version and method of the compressed bundle: all of them as versions and targets come.
struct Format {
  int version;
  uint16_t method;
};

Format FormatOf(const HostileShape& shape) {
  const bool early = shape.target < "gfx803";
  return {1 + shape.version % 3, early ? kZlib : kZstd};
}

FileBytes Compress(const FileBytes& plain, const HostileShape& shape) {
  const auto [version, method] = FormatOf(shape);
  return bundles::Compress(plain, version, method, kFast);
}

std::string IdOf(std::string_view target) {
  return fmt::format("hipv4-amdgcn-amd-amdhsa--{}", target);
}

// A bundle of one object, and what follows it.
FileBytes Plain(const FileBytes& object, std::string_view target, size_t more = 0) {
  FileBytes file = bundles::Bundle({{IdOf(target), object}});
  file.resize(file.size() + more);
  return file;
}

FileBytes Small(const HostileShape& shape) { return SmallObject(shape).Build(); }

// Letters that do not become fewer by much.
std::string Letters(size_t count) {
  std::mt19937 random(1);
  std::string text;
  text.reserve(count);
  while (text.size() < count) text.push_back(static_cast<char>('a' + random() % 26));
  return text;
}

// To the size that the file is to have, where nothing is a bundle.
FileBytes Padded(FileBytes file, size_t bytes) {
  if (file.size() < bytes) {
    const std::string letters = Letters(bytes - file.size());
    Append(file, letters);
  }
  return file;
}

// --- Well formed ---

HostileFile Good(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  object.AddName(Letters(shape.bytes * 4 / 3));
  return {Compress(Plain(object.Build(), shape.target), shape), Ends::kLoaded, 1};
}

// As much as is unpacked at all, nearly, of which next to nothing is for the target.
HostileFile GoodToTheLimit(const HostileShape& shape) {
  const size_t more = (size_t{40} << 20) + 5 * shape.bytes;
  const auto [version, method] = FormatOf(shape);
  // zlib's time is limited before.
  const size_t most = method == kZlib ? (size_t{28} << 20) + 3 * shape.bytes : more;
  return {Padded(Compress(Plain(Small(shape), shape.target, most), shape), shape.bytes),
          Ends::kLoaded, 1};
}

HostileFile GoodInARow(const HostileShape& shape) {
  const FileBytes one = Compress(Plain(Small(shape), shape.target), shape);
  FileBytes file;
  while (file.size() < shape.bytes) file.insert(file.end(), one.begin(), one.end());
  return {std::move(file), Ends::kEither, 1};
}

// --- Too much ---

HostileFile ZerosWithoutEnd(const HostileShape& shape) {
  const size_t more = (size_t{60} << 20) + 8 * shape.bytes;
  return {Padded(Compress(Plain(Small(shape), shape.target, more), shape), shape.bytes),
          Ends::kRefused};
}

// The object itself is large.
HostileFile LargeObject(const HostileShape& shape) {
  CodeObjectWriter object = SmallObject(shape);
  object.data_bytes = (size_t{14} << 20) + 4 * shape.bytes;
  return {Padded(Compress(Plain(object.Build(), shape.target), shape), shape.bytes), Ends::kEither,
          1};
}

HostileFile BombsInARow(const HostileShape& shape) {
  const FileBytes one = Compress(Plain(Small(shape), shape.target, size_t{20} << 20), shape);
  FileBytes file;
  while (file.size() < std::max<size_t>(shape.bytes, 1 << 18)) {
    file.insert(file.end(), one.begin(), one.end());
  }
  return {std::move(file), Ends::kRefused};
}

HostileFile LongTable(const HostileShape& shape) {
  FileBytes plain;
  Append(plain, kMagic);
  const size_t count = ((size_t{20} << 20) + 2 * shape.bytes) / 37;
  AppendValue(plain, uint64_t{count});
  for (size_t n = 0; n < count; ++n) {
    AppendValue(plain, uint64_t{0});
    AppendValue(plain, uint64_t{8});
    AppendValue(plain, uint64_t{13});
    Append(plain, "amdgcn--gfx7x");
  }
  return {Padded(Compress(plain, shape), shape.bytes), Ends::kRefused};
}

HostileFile BundlesInBundles(const HostileShape& shape) {
  FileBytes file = Plain(Small(shape), shape.target);
  for (int n = 0; n < 8; ++n) file = Compress(file, shape);
  return {Padded(std::move(file), shape.bytes), Ends::kRefused};
}

// --- Sizes that are not true ---

HostileFile WithSizes(const HostileShape& shape, uint64_t unpacked) {
  const auto [version, method] = FormatOf(shape);
  const FileBytes packed =
      bundles::Squeeze(Plain(Small(shape), shape.target, size_t{30} << 20), method, kFast);
  return {Padded(bundles::WithHeader(packed, unpacked, version, method), shape.bytes),
          Ends::kRefused};
}

HostileFile MoreThanTheHeaderSays(const HostileShape& shape) { return WithSizes(shape, 4096); }
HostileFile LessThanTheHeaderSays(const HostileShape& shape) {
  return WithSizes(shape, (uint64_t{31} << 20) + 2 * shape.bytes);
}
HostileFile SizesOutOfNothing(const HostileShape& shape) {
  return WithSizes(shape, FormatOf(shape).version == 3 ? UINT64_MAX - 7 : 0xFFFFFFFF);
}

HostileFile TotalOutOfNothing(const HostileShape& shape) {
  FileBytes file = bundles::Compress(Plain(Small(shape), shape.target), 3, kZstd, kFast);
  file[14] = std::byte{0xFF};  // of the size of all of it
  return {Padded(std::move(file), shape.bytes), Ends::kRefused};
}

// A frame that wants a window of 128 MiB and does not say how much it holds.
HostileFile LargeWindow(const HostileShape& shape) {
  const FileBytes plain = Plain(Small(shape), shape.target, size_t{30} << 20);
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 27);
  ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  FileBytes packed(ZSTD_compressBound(plain.size()));
  ZSTD_outBuffer out = {packed.data(), packed.size(), 0};
  ZSTD_inBuffer in = {plain.data(), plain.size(), 0};
  while (ZSTD_compressStream2(context, &out, &in, ZSTD_e_end) != 0) {
  }
  ZSTD_freeCCtx(context);
  packed.resize(out.pos);
  return {Padded(bundles::WithHeader(packed, plain.size(), 2, kZstd), shape.bytes), Ends::kLoaded,
          1};
}

HostileFile Noise(const HostileShape& shape) {
  FileBytes file = Good(shape).bytes;
  std::mt19937 random(static_cast<uint32_t>(shape.bytes) + static_cast<uint32_t>(shape.version));
  for (size_t n = 32; n < file.size(); n += 1 + random() % 4096) {
    file[n] = static_cast<std::byte>(random());
  }
  return {std::move(file), Ends::kRefused};
}

HostileFile NothingButMagic(const HostileShape& shape) {
  FileBytes file;
  while (file.size() < shape.bytes) Append(file, "CCOB");
  return {std::move(file), Ends::kRefused};
}

constexpr HostileKind kKinds[] = {
    {"compressed-good", 2, 6, Good},
    {"compressed-good-to-the-limit", 2, 6, GoodToTheLimit},
    {"compressed-good-in-a-row", 2, 6, GoodInARow},
    {"compressed-zeros-without-end", 2, 6, ZerosWithoutEnd},
    {"compressed-large-object", 2, 6, LargeObject},
    {"compressed-bombs-in-a-row", 2, 6, BombsInARow},
    {"compressed-long-table", 2, 6, LongTable},
    {"compressed-bundles-in-bundles", 2, 6, BundlesInBundles},
    {"compressed-more-than-it-says", 2, 6, MoreThanTheHeaderSays},
    {"compressed-less-than-it-says", 2, 6, LessThanTheHeaderSays},
    {"compressed-sizes-out-of-nothing", 2, 6, SizesOutOfNothing},
    {"compressed-total-out-of-nothing", 2, 6, TotalOutOfNothing},
    {"compressed-large-window", 2, 6, LargeWindow},
    {"compressed-noise", 2, 6, Noise},
    {"compressed-magic-only", 2, 6, NothingButMagic},
};

}  // namespace
}  // namespace compressed_kinds

std::span<const HostileKind> CompressedKinds() { return compressed_kinds::kKinds; }

}  // namespace gcnjit::robustness
