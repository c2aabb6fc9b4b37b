// saxpy, triad, stencil, reduction: as much memory as arithmetic. All data are small integers, so
// every result is exact whatever is fused or reordered.
#include <algorithm>
#include <bit>
#include <cmath>

#include "native/native.h"
#include "workload.h"

namespace gcnjit::bench {
namespace {

constexpr float kSpoiled = -12345.0f;

uint32_t U32(uint64_t value) { return static_cast<uint32_t>(value); }

void FillSmall(std::span<float> values, uint64_t seed) {
  for (size_t i = 0; i < values.size(); ++i) values[i] = RandomSmall(seed + i);
}

class Saxpy : public Workload {
 public:
  Saxpy(Device& device, uint64_t size) : x_(device, size), y_(device, size), expected_(size) {
    FillSmall(x_.values(), 0);
    Reset();
    for (size_t i = 0; i < size; ++i) expected_[i] = kFactor * x_[i] + y_[i];
  }
  double Work() const override { return 12.0 * static_cast<double>(x_.size()); }
  void Reset() override { FillSmall(y_.values(), x_.size()); }
  void Run(Runner& runner) override {
    runner.Launch("saxpy", {U32(x_.size())}, {256},
                  Arguments().Buffer(y_.address()).Buffer(x_.address()).Value(kFactor));
  }
  void RunNative() override { native::Saxpy(y_.data(), x_.data(), kFactor, x_.size()); }
  std::string Check() const override { return CompareExact(y_.values(), expected_); }

 private:
  static constexpr float kFactor = 3;
  Buffer<float> x_, y_;
  std::vector<float> expected_;
};

class Triad : public Workload {
 public:
  Triad(Device& device, uint64_t size)
      : a_(device, size), b_(device, size), c_(device, size), expected_(size) {
    FillSmall(b_.values(), 0);
    FillSmall(c_.values(), size);
    for (size_t i = 0; i < size; ++i) expected_[i] = b_[i] + kFactor * c_[i];
  }
  double Work() const override { return 12.0 * static_cast<double>(a_.size()); }
  void Reset() override { std::ranges::fill(a_.values(), kSpoiled); }
  void Run(Runner& runner) override {
    runner.Launch(
        "triad", {U32(a_.size())}, {256},
        Arguments().Buffer(a_.address()).Buffer(b_.address()).Buffer(c_.address()).Value(kFactor));
  }
  void RunNative() override { native::Triad(a_.data(), b_.data(), c_.data(), kFactor, a_.size()); }
  std::string Check() const override { return CompareExact(a_.values(), expected_); }

 private:
  static constexpr float kFactor = 3;
  Buffer<float> a_, b_, c_;
  std::vector<float> expected_;
};

class Stencil : public Workload {
 public:
  Stencil(Device& device, uint64_t edge)
      : edge_(edge), in_(device, edge * edge), out_(device, edge * edge), expected_(edge * edge) {
    FillSmall(in_.values(), 0);
    for (size_t y = 0; y < edge; ++y) {
      for (size_t x = 0; x < edge; ++x) {
        const size_t at = y * edge + x;
        const bool border = x == 0 || y == 0 || x == edge - 1 || y == edge - 1;
        expected_[at] =
            border
                ? in_[at]
                : (4 * in_[at] + in_[at - 1] + in_[at + 1] + in_[at - edge] + in_[at + edge]) / 8;
      }
    }
  }
  double Work() const override { return 8.0 * static_cast<double>(in_.size()); }
  void Reset() override { std::ranges::fill(out_.values(), kSpoiled); }
  void Run(Runner& runner) override {
    runner.Launch("stencil", {U32(edge_), U32(edge_)}, {64, 4},
                  Arguments()
                      .Buffer(out_.address())
                      .Buffer(in_.address())
                      .Value(U32(edge_))
                      .Value(U32(edge_)));
  }
  void RunNative() override { native::Stencil(out_.data(), in_.data(), edge_, edge_); }
  std::string Check() const override { return CompareExact(out_.values(), expected_); }

 private:
  size_t edge_;
  Buffer<float> in_, out_;
  std::vector<float> expected_;
};

// Sums of 256 elements until one is left. A pass reads whole groups, so the buffers of partial sums
// are padded with zeros; the size itself must be a multiple of 256.
class Reduction : public Workload {
 public:
  Reduction(Device& device, uint64_t size)
      : in_(device, size), even_(device, Groups(size)), odd_(device, Groups(Groups(size))) {
    FillSmall(in_.values(), 0);
    int64_t sum = 0;
    for (const float value : in_.values()) sum += static_cast<int64_t>(value);
    expected_ = static_cast<float>(sum);
  }
  double Work() const override { return 4.0 * static_cast<double>(in_.size()); }
  void Reset() override {
    std::ranges::fill(even_.values(), 0.0f);
    std::ranges::fill(odd_.values(), 0.0f);
    result_ = kSpoiled;
  }
  void Run(Runner& runner) override {
    const Buffer<float>* from = &in_;
    const Buffer<float>* to = &even_;
    for (size_t left = in_.size(); left > 1; left = (left + 255) / 256) {
      runner.Launch("reduction", {U32((left + 255) / 256 * 256)}, {256},
                    Arguments().Buffer(to->address()).Buffer(from->address()));
      from = to;
      to = from == &even_ ? &odd_ : &even_;
    }
    runner.Finish();
    result_ = (*from)[0];
  }
  void RunNative() override { result_ = native::Reduction(in_.data(), in_.size()); }
  std::string Check() const override {
    return CompareExact(std::span(&result_, 1), std::span(&expected_, 1));
  }

 private:
  // Partial sums of `size` elements, padded for the next pass.
  static size_t Groups(size_t size) { return (size / 256 + 255) / 256 * 256; }
  Buffer<float> in_, even_, odd_;
  float result_ = 0, expected_ = 0;
};

template <typename T>
std::unique_ptr<Workload> Make(Device& device, uint64_t size) {
  return std::make_unique<T>(device, size);
}

}  // namespace

std::vector<Entry> StreamingEntries() {
  constexpr uint64_t kM = 1 << 20;
  return {
      {"saxpy", "GB/s", 1e9, 16 * kM, 16 * kM, 4 * kM, 64, true, Make<Saxpy>, true},
      {"triad", "GB/s", 1e9, 16 * kM, 16 * kM, 4 * kM, 64, true, Make<Triad>, true},
      {"reduction", "GB/s", 1e9, 16 * kM, 16 * kM, 4 * kM, 256, true, Make<Reduction>, true},
      {"stencil", "GB/s", 1e9, 4096, 4096, 2048, 64, true, Make<Stencil>, true},
  };
}

}  // namespace gcnjit::bench
