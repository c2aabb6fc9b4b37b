// What every HIP test program shares: calls that must succeed, and values that must be equal.
//
// A program ends with `return Finish();`, which fails when a value differed, and also when nothing
// was compared: a test must not pass because nothing was executed. Expected values are computed by
// the host and are never what fresh memory holds.
#pragma once

#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace check {

inline uint64_t compared = 0;
inline uint64_t different = 0;

// Ends the program when a call fails: what follows would only repeat the message. The exit code is
// not that of a wrong value: where the host gives too little, the one may be, and never the other.
inline void Call(hipError_t error, const char* text, const char* file, int line) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, text, hipGetErrorName(error),
               hipGetErrorString(error));
  std::exit(2);
}

inline void True(bool holds, const char* text, const char* file, int line) {
  ++compared;
  if (holds) return;
  ++different;
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, text);
}

inline void Print(std::FILE* to, double value) { std::fprintf(to, "%.17g", value); }
inline void Print(std::FILE* to, float value) { std::fprintf(to, "%.9g", value); }
template <typename T>
void Print(std::FILE* to, T value) {
  std::fprintf(to, "%lld", static_cast<long long>(value));
}

// got[i] must be want(i), bit for bit; the first few differences are printed.
template <typename T, typename Want>
void Each(const char* what, const T* got, size_t count, Want want) {
  constexpr uint64_t kMostPrinted = 5;
  uint64_t here = 0;
  for (size_t i = 0; i < count; ++i) {
    const T expected = static_cast<T>(want(i));
    if (std::memcmp(&got[i], &expected, sizeof(T)) == 0) continue;
    if (++here > kMostPrinted) continue;
    std::fprintf(stderr, "%s[%zu] is ", what, i);
    Print(stderr, got[i]);
    std::fprintf(stderr, ", expected ");
    Print(stderr, expected);
    std::fprintf(stderr, "\n");
  }
  if (here > kMostPrinted)
    std::fprintf(stderr, "%s: %llu values differ\n", what, static_cast<unsigned long long>(here));
  compared += count;
  different += here;
}

template <typename T, typename Want>
void Each(const char* what, const std::vector<T>& got, Want want) {
  Each(what, got.data(), got.size(), want);
}

// Memory of the device for the length of a scope, first filled with a byte that no test expects.
template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t count) : count_(count) {
    const std::vector<uint8_t> poison(count * sizeof(T), 0xA5);
    Call(hipMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), "hipMalloc", __FILE__,
         __LINE__);
    Call(hipMemcpy(data_, poison.data(), poison.size(), hipMemcpyHostToDevice), "hipMemcpy",
         __FILE__, __LINE__);
  }
  explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) { Set(values); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { (void)hipFree(data_); }

  void Set(const std::vector<T>& values) {
    Call(hipMemcpy(data_, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice),
         "hipMemcpy to the device", __FILE__, __LINE__);
  }
  std::vector<T> Get() const {
    std::vector<T> values(count_);
    Call(hipMemcpy(values.data(), data_, count_ * sizeof(T), hipMemcpyDeviceToHost),
         "hipMemcpy from the device", __FILE__, __LINE__);
    return values;
  }
  operator T*() const { return data_; }  // kernels take it as their pointer
  size_t size() const { return count_; }

 private:
  T* data_ = nullptr;
  size_t count_;
};

// Numbers that look random and are the same everywhere.
inline uint32_t Mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

inline int Finish() {
  std::printf("%llu values compared, %llu differ\n", static_cast<unsigned long long>(compared),
              static_cast<unsigned long long>(different));
  return compared > 0 && different == 0 ? 0 : 1;
}

}  // namespace check

#define HIP(call) check::Call((call), #call, __FILE__, __LINE__)
#define EXPECT(condition) check::True((condition), #condition, __FILE__, __LINE__)
