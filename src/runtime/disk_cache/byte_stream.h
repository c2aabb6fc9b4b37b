// Numbers and bytes one after the other. What is read is not trusted: after the end there are
// zeros, and the reader remembers that it was asked for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace gcnjit::runtime {

class ByteWriter {
 public:
  template <typename T>
  requires std::is_integral_v<T>
  void Put(T value) { PutBytes(std::as_bytes(std::span<const T, 1>(&value, 1))); }
  void PutBytes(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <typename T>
  requires std::is_integral_v<T> T Take() {
    T value = 0;
    const std::span<const std::byte> bytes = TakeBytes(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  // Nothing if there are not so many.
  std::span<const std::byte> TakeBytes(size_t count) {
    if (count > left_.size()) {
      ok_ = false;
      left_ = {};
      return {};
    }
    const auto bytes = left_.first(count);
    left_ = left_.subspan(count);
    return bytes;
  }
  // How many elements follow, of at least so many bytes each; 0 if that cannot be.
  uint32_t TakeCount(size_t element_bytes) {
    const auto count = Take<uint32_t>();
    if (count <= left_.size() / element_bytes) return count;
    Fail();
    return 0;
  }
  void Fail() { ok_ = false; }

  bool ok() const { return ok_; }
  // All has been read, and it was all there.
  bool IsDone() const { return ok_ && left_.empty(); }

 private:
  std::span<const std::byte> left_;
  bool ok_ = true;
};

}  // namespace gcnjit::runtime
