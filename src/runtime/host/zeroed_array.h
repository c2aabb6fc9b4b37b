// Arrays of zeros that take up memory only where they are touched: what is large and mostly left
// alone, as the registers of a wave are.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace gcnjit::runtime {

namespace zeroed_array_internal {
// Whole pages of zeros, anonymous and private. Throws std::bad_alloc if there are none.
void* MapZeros(size_t bytes);
void Unmap(void* at, size_t bytes);
}  // namespace zeroed_array_internal

template <typename T>
class ZeroedArray {
 public:
  static_assert(std::is_trivial_v<T>);

  ZeroedArray() = default;
  explicit ZeroedArray(size_t size)  // at least 1
      : data_(static_cast<T*>(zeroed_array_internal::MapZeros(size * sizeof(T)))), size_(size) {}
  ~ZeroedArray() {
    if (data_ != nullptr) zeroed_array_internal::Unmap(data_, size_ * sizeof(T));
  }
  ZeroedArray(ZeroedArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  ZeroedArray& operator=(ZeroedArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t n) const { return data_[n]; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace gcnjit::runtime
