// Writes clang offload bundles, plain ones ("Bundled Binary File Layout" of LLVM's
// ClangOffloadBundler) and compressed ones ("CCOB", by clang's OffloadBundler.h).
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gcnjit::bundles {

using File = std::vector<std::byte>;

// llvm::compression::Format.
inline constexpr uint16_t kZlib = 0;
inline constexpr uint16_t kZstd = 1;

template <typename T>
void Put(File& file, T value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  file.insert(file.end(), bytes.begin(), bytes.end());
}
inline void Put(File& file, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  file.insert(file.end(), bytes.begin(), bytes.end());
}
inline void Put(File& file, const File& more) { file.insert(file.end(), more.begin(), more.end()); }

struct Item {
  std::string id;
  File contents;
};

// The table, then the contents, each at a multiple of the alignment (bytes).
inline File Bundle(const std::vector<Item>& items, size_t alignment = 1) {
  const auto aligned = [alignment](uint64_t at) {
    return (at + alignment - 1) / alignment * alignment;
  };
  File file;
  Put(file, std::string_view("__CLANG_OFFLOAD_BUNDLE__"));
  Put(file, uint64_t{items.size()});
  uint64_t position = file.size();
  for (const Item& item : items) position += 24 + item.id.size();
  for (const Item& item : items) {
    position = aligned(position);
    Put(file, position);
    Put(file, uint64_t{item.contents.size()});
    Put(file, uint64_t{item.id.size()});
    Put(file, std::string_view(item.id));
    position += item.contents.size();
  }
  for (const Item& item : items) {
    file.resize(aligned(file.size()));
    Put(file, item.contents);
  }
  return file;
}

inline File Squeeze(const File& plain, uint16_t method, int level = 9) {
  File packed(method == kZlib ? ::compressBound(plain.size()) : ZSTD_compressBound(plain.size()));
  size_t size = 0;
  if (method == kZlib) {
    uLongf made = packed.size();
    const int status =
        ::compress2(reinterpret_cast<Bytef*>(packed.data()), &made,
                    reinterpret_cast<const Bytef*>(plain.data()), plain.size(), level);
    if (status != Z_OK) throw std::runtime_error("zlib does not compress");
    size = made;
  } else {
    size = ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), level);
    if (ZSTD_isError(size) != 0) throw std::runtime_error("zstd does not compress");
  }
  packed.resize(size);
  return packed;
}

inline File WithHeader(const File& packed, uint64_t unpacked, int version, uint16_t method) {
  File file;
  Put(file, std::string_view("CCOB"));
  Put(file, static_cast<uint16_t>(version));
  Put(file, method);
  if (version == 2) Put(file, static_cast<uint32_t>(24 + packed.size()));
  if (version == 3) Put(file, uint64_t{32 + packed.size()});
  if (version == 3) {
    Put(file, unpacked);
  } else {
    Put(file, static_cast<uint32_t>(unpacked));
  }
  Put(file, uint64_t{0x0123456789ABCDEF});  // of a hash, which nothing reads
  Put(file, packed);
  return file;
}

inline File Compress(const File& plain, int version, uint16_t method, int level = 9) {
  return WithHeader(Squeeze(plain, method, level), plain.size(), version, method);
}

}  // namespace gcnjit::bundles
