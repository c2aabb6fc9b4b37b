// Mandelbrot and Black-Scholes: a loop whose lanes leave one by one, and straight-line code with
// the approximate functions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "native/native.h"
#include "workload.h"

namespace gcnjit::bench {
namespace {

class Mandelbrot : public Workload {
 public:
  Mandelbrot(Device& device, uint64_t edge)
      : edge_(static_cast<uint32_t>(edge)),
        step_(2.5f / static_cast<float>(edge)),
        out_(device, edge * edge) {
    RunNative();
    expected_.assign(out_.values().begin(), out_.values().end());
    for (const uint32_t count : expected_) iterations_ += count;
  }
  double Work() const override { return 8.0 * static_cast<double>(iterations_); }
  void Reset() override { std::ranges::fill(out_.values(), ~0u); }
  void Run(Runner& runner) override {
    runner.Launch("mandelbrot", {edge_, edge_}, {16, 16},
                  Arguments().Buffer(out_.address()).Value(edge_).Value(step_).Value(kLimit));
  }
  void RunNative() override { native::Mandelbrot(out_.data(), edge_, edge_, step_, kLimit); }
  std::string Check() const override { return CompareExact(out_.values(), expected_); }
  std::string CheckReference() const override {
    for (uint32_t py = 0; py < edge_; py += 31) {
      for (uint32_t px = 0; px < edge_; px += 7) {
        const uint32_t count = CountAt(px, py);
        if (expected_[size_t{py} * edge_ + px] != count) {
          return fmt::format("native count at ({}, {}) is {}, expected {}", px, py,
                             expected_[size_t{py} * edge_ + px], count);
        }
      }
    }
    return {};
  }

 private:
  uint32_t CountAt(uint32_t px, uint32_t py) const {
    const float cx = std::fma(static_cast<float>(px), step_, -2.0f);
    const float cy = std::fma(static_cast<float>(py), step_, -1.25f);
    float x = 0, y = 0;
    uint32_t n = 0;
    while (n < kLimit && x * x + y * y <= 4.0f) {
      const float next = x * x - y * y + cx;
      y = std::fma(x + x, y, cy);
      x = next;
      ++n;
    }
    return n;
  }

  static constexpr uint32_t kLimit = 256;
  uint32_t edge_;
  float step_;
  Buffer<uint32_t> out_;
  std::vector<uint32_t> expected_;
  uint64_t iterations_ = 0;
};

class BlackScholes : public Workload {
 public:
  BlackScholes(Device& device, uint64_t count)
      : call_(device, count),
        put_(device, count),
        spot_(device, count),
        strike_(device, count),
        years_(device, count) {
    for (size_t i = 0; i < count; ++i) {
      spot_[i] = RandomFloat(3 * i, 5, 30);
      strike_[i] = RandomFloat(3 * i + 1, 1, 100);
      years_[i] = RandomFloat(3 * i + 2, 0.25f, 10);
    }
    RunNative();
    expected_call_.assign(call_.values().begin(), call_.values().end());
    expected_put_.assign(put_.values().begin(), put_.values().end());
  }
  double Work() const override { return static_cast<double>(call_.size()); }
  void Reset() override {
    std::ranges::fill(call_.values(), -1.0f);
    std::ranges::fill(put_.values(), -1.0f);
  }
  void Run(Runner& runner) override {
    runner.Launch("black_scholes", {static_cast<uint32_t>(call_.size())}, {256},
                  Arguments()
                      .Buffer(call_.address())
                      .Buffer(put_.address())
                      .Buffer(spot_.address())
                      .Buffer(strike_.address())
                      .Buffer(years_.address())
                      .Value(kRate)
                      .Value(kVolatility));
  }
  void RunNative() override {
    native::BlackScholes(call_.data(), put_.data(), spot_.data(), strike_.data(), years_.data(),
                         kRate, kVolatility, call_.size());
  }
  std::string Check() const override {
    const std::string wrong = CompareNear(call_.values(), expected_call_, kTolerance);
    if (!wrong.empty()) return "call: " + wrong;
    const std::string wrong_put = CompareNear(put_.values(), expected_put_, kTolerance);
    return wrong_put.empty() ? wrong_put : "put: " + wrong_put;
  }
  std::string CheckReference() const override {
    for (size_t i = 0; i < call_.size(); i += 101) {
      const double s = double{spot_[i]}, k = double{strike_[i]}, t = double{years_[i]};
      const double rate = double{kRate}, volatility = double{kVolatility};
      const double d1 = (std::log(s / k) + (rate + volatility * volatility / 2) * t) /
                        (volatility * std::sqrt(t));
      const double d2 = d1 - volatility * std::sqrt(t);
      const auto cdf = [](double d) { return std::erfc(-d / std::sqrt(2.0)) / 2; };
      const double discounted = k * std::exp(-rate * t);
      const double call = s * cdf(d1) - discounted * cdf(d2);
      const double put = discounted * cdf(-d2) - s * cdf(-d1);
      if (!(std::fabs(double{expected_call_[i]} - call) <= double{kTolerance}) ||
          !(std::fabs(double{expected_put_[i]} - put) <= double{kTolerance})) {
        return fmt::format("native prices of option {} are {} and {}, expected {} and {}", i,
                           expected_call_[i], expected_put_[i], call, put);
      }
    }
    return {};
  }

 private:
  static constexpr float kRate = 0.02f, kVolatility = 0.3f;
  // Prices go up to 100; the differences of products lose a few ulps of that (7.6e-6 each).
  static constexpr float kTolerance = 1e-4f;
  Buffer<float> call_, put_, spot_, strike_, years_;
  std::vector<float> expected_call_, expected_put_;
};

}  // namespace

std::vector<Entry> MathEntries() {
  constexpr uint64_t kM = 1 << 20;
  const auto mandelbrot = [](Device& device, uint64_t edge) {
    return std::make_unique<Mandelbrot>(device, edge);
  };
  const auto black_scholes = [](Device& device, uint64_t count) {
    return std::make_unique<BlackScholes>(device, count);
  };
  return {
      {"mandelbrot", "GFLOP/s", 1e9, 2048, 2048, 1024, 64, true, mandelbrot},
      {"black_scholes", "Mopt/s", 1e6, 4 * kM, 4 * kM, kM, 64, true, black_scholes},
  };
}

}  // namespace gcnjit::bench
