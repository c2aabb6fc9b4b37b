// Matrix products and n-body: arithmetic on data that are used again and again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "native/native.h"
#include "workload.h"

namespace gcnjit::bench {
namespace {

constexpr float kSpoiled = -12345.0f;

// The matrices hold small integers, so the product is exact in any order.
class Sgemm : public Workload {
 public:
  using Native = void (*)(float*, const float*, const float*, size_t);

  Sgemm(Device& device, uint64_t n, std::string kernel, Native native)
      : n_(static_cast<uint32_t>(n)),
        kernel_(std::move(kernel)),
        native_(native),
        a_(device, n * n),
        b_(device, n * n),
        c_(device, n * n) {
    for (size_t i = 0; i < n * n; ++i) {
      a_[i] = RandomSmall(i);
      b_[i] = RandomSmall(n * n + i);
    }
    RunNative();
    expected_.assign(c_.values().begin(), c_.values().end());
  }
  double Work() const override { return 2.0 * n_ * n_ * n_; }
  void Reset() override { std::ranges::fill(c_.values(), kSpoiled); }
  void Run(Runner& runner) override {
    runner.Launch(
        kernel_, {n_, n_}, {16, 16},
        Arguments().Buffer(c_.address()).Buffer(a_.address()).Buffer(b_.address()).Value(n_));
  }
  void RunNative() override { native_(c_.data(), a_.data(), b_.data(), n_); }
  std::string Check() const override { return CompareExact(c_.values(), expected_); }
  // Rows and columns at odd distances, so that each row and column of a tile is met.
  std::string CheckReference() const override {
    for (size_t row = 0; row < n_; row += 17) {
      for (size_t column = row % 7; column < n_; column += 29) {
        float sum = 0;
        for (size_t k = 0; k < n_; ++k) sum += a_[row * n_ + k] * b_[k * n_ + column];
        if (expected_[row * n_ + column] != sum) {
          return fmt::format("native C[{}][{}] is {}, expected {}", row, column,
                             expected_[row * n_ + column], sum);
        }
      }
    }
    return {};
  }

 private:
  uint32_t n_;
  std::string kernel_;
  Native native_;
  Buffer<float> a_, b_, c_;
  std::vector<float> expected_;
};

class Nbody : public Workload {
 public:
  Nbody(Device& device, uint64_t count)
      : count_(static_cast<uint32_t>(count)), bodies_(device, count * 4), out_(device, count * 4) {
    for (size_t i = 0; i < count; ++i) {
      for (size_t axis = 0; axis < 3; ++axis) {
        bodies_[i * 4 + axis] = RandomFloat(i * 4 + axis, -1, 1);
      }
      bodies_[i * 4 + 3] = RandomFloat(i * 4 + 3, 0.5f, 1.5f);
    }
    RunNative();
    expected_.assign(out_.values().begin(), out_.values().end());
    for (const float value : expected_) largest_ = std::max(largest_, std::fabs(value));
  }
  double Work() const override { return 20.0 * count_ * count_; }
  void Reset() override { std::ranges::fill(out_.values(), kSpoiled); }
  void Run(Runner& runner) override {
    runner.Launch("nbody", {count_}, {256},
                  Arguments().Buffer(out_.address()).Buffer(bodies_.address()).Value(count_));
  }
  void RunNative() override { native::Nbody(out_.data(), bodies_.data(), count_); }
  std::string Check() const override {
    return CompareNear(out_.values(), expected_, kTolerance * largest_);
  }
  std::string CheckReference() const override {
    for (size_t i = 0; i < count_; i += count_ / 32 + 1) {
      double sum[3] = {};
      for (size_t j = 0; j < count_; ++j) {
        double d[3], r2 = 0.01;
        for (size_t axis = 0; axis < 3; ++axis) {
          d[axis] = double{bodies_[j * 4 + axis]} - double{bodies_[i * 4 + axis]};
          r2 += d[axis] * d[axis];
        }
        const double scale = double{bodies_[j * 4 + 3]} / (r2 * std::sqrt(r2));
        for (size_t axis = 0; axis < 3; ++axis) sum[axis] += d[axis] * scale;
      }
      for (size_t axis = 0; axis < 3; ++axis) {
        if (!(std::fabs(sum[axis] - double{expected_[i * 4 + axis]}) <=
              double{kTolerance} * double{largest_})) {
          return fmt::format("native acceleration[{}].{} is {}, expected {}", i, "xyz"[axis],
                             expected_[i * 4 + axis], sum[axis]);
        }
      }
    }
    return {};
  }

 private:
  // Of the largest component: a sum of 16,384 terms in float, in any order, with a reciprocal
  // square root that is off by an ulp or two.
  static constexpr float kTolerance = 2e-5f;
  uint32_t count_;
  Buffer<float> bodies_, out_;
  std::vector<float> expected_;
  float largest_ = 0;
};

}  // namespace

std::vector<Entry> DenseEntries() {
  const auto naive = [](Device& device, uint64_t n) {
    return std::make_unique<Sgemm>(device, n, "sgemm_naive", native::SgemmInterchanged);
  };
  const auto lds = [](Device& device, uint64_t n) {
    return std::make_unique<Sgemm>(device, n, "sgemm_lds", native::SgemmBlocked);
  };
  const auto nbody = [](Device& device, uint64_t n) { return std::make_unique<Nbody>(device, n); };
  return {
      {"sgemm_naive", "GFLOP/s", 1e9, 1024, 512, 512, 64, true, naive},
      {"sgemm_lds", "GFLOP/s", 1e9, 1024, 512, 512, 64, true, lds},
      {"nbody", "GFLOP/s", 1e9, 16384, 16384, 4096, 64, true, nbody},
  };
}

}  // namespace gcnjit::bench
