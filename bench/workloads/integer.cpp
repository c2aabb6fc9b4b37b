// sha256, bitonic sort, histogram: integer arithmetic, many launches, LDS atomics. All exact. And
// valu_loop, the engines' own speed; and empty, what starting a wave costs.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "native/native.h"
#include "workload.h"

namespace gcnjit::bench {
namespace {

uint32_t U32(uint64_t value) { return static_cast<uint32_t>(value); }

// Parameters of FIPS 180-4 are cube and square roots of primes: worked out here, not copied from
// the kernel. The fraction's first 32 bits by bisection in exact integers.
uint32_t RootFraction(uint32_t prime, int degree) {
  // The largest r with r^degree <= prime * 2^(32 * degree); r < 2^36.
  using Wide = unsigned __int128;
  uint64_t low = 0, high = uint64_t{1} << 36;
  const auto at_most = [&](uint64_t r) {
    // r^3 can have 108 bits and prime * 2^96 105: both fit.
    const Wide power = degree == 2 ? Wide{r} * r : Wide{r} * r * r;
    return power <= Wide{prime} << (32 * degree);
  };
  while (high - low > 1) {
    const uint64_t middle = (low + high) / 2;
    (at_most(middle) ? low : high) = middle;
  }
  return U32(low);
}

// The plain compression function that the results are checked with.
class Sha256Reference {
 public:
  Sha256Reference() {
    uint32_t prime = 1;
    for (int i = 0; i < 64; ++i) {
      do {
        ++prime;
      } while (!IsPrime(prime));
      round_[i] = RootFraction(prime, 3);
      if (i < 8) initial_[i] = RootFraction(prime, 2);
    }
  }
  std::array<uint32_t, 8> Compress(const std::array<uint32_t, 16>& block) const {
    uint32_t w[64];
    for (int j = 0; j < 64; ++j) {
      if (j < 16) {
        w[j] = block[j];
        continue;
      }
      const uint32_t s0 = std::rotr(w[j - 15], 7) ^ std::rotr(w[j - 15], 18) ^ w[j - 15] >> 3;
      const uint32_t s1 = std::rotr(w[j - 2], 17) ^ std::rotr(w[j - 2], 19) ^ w[j - 2] >> 10;
      w[j] = w[j - 16] + s0 + w[j - 7] + s1;
    }
    std::array<uint32_t, 8> v = initial_;
    for (int j = 0; j < 64; ++j) {
      const uint32_t s1 = std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25);
      const uint32_t s0 = std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22);
      const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
      const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
      const uint32_t t1 = v[7] + s1 + choice + round_[j] + w[j];
      v = {t1 + s0 + majority, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]};
    }
    for (int j = 0; j < 8; ++j) v[j] += initial_[j];
    return v;
  }

 private:
  static bool IsPrime(uint32_t n) {
    for (uint32_t d = 2; d * d <= n; ++d) {
      if (n % d == 0) return false;
    }
    return true;
  }
  std::array<uint32_t, 8> initial_;
  std::array<uint32_t, 64> round_;
};

class Sha256 : public Workload {
 public:
  Sha256(Device& device, uint64_t count) : seed_(device, 16), out_(device, count) {
    for (size_t j = 0; j < 16; ++j) seed_[j] = RandomAt(j);
    RunNative();
    expected_.assign(out_.values().begin(), out_.values().end());
  }
  double Work() const override { return static_cast<double>(out_.size()); }
  void Reset() override { std::ranges::fill(out_.values(), 0u); }
  void Run(Runner& runner) override {
    runner.Launch("sha256", {U32(out_.size())}, {256},
                  Arguments().Buffer(out_.address()).Buffer(seed_.address()));
  }
  void RunNative() override { native::Sha256(out_.data(), seed_.data(), out_.size()); }
  std::string Check() const override { return CompareExact(out_.values(), expected_); }
  std::string CheckReference() const override {
    const Sha256Reference reference;
    // FIPS 180-4's example "abc": one padded block.
    if (reference.Compress({0x61626380, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24}) !=
        std::array<uint32_t, 8>{0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3,
                                0x96177a9c, 0xb410ff61, 0xf20015ad}) {
      return "the plain SHA-256 is wrong";
    }
    for (size_t i = 0; i < out_.size(); i += 61) {
      std::array<uint32_t, 16> block;
      for (size_t j = 0; j < 16; ++j) block[j] = seed_[j] ^ U32(i);
      uint32_t folded = 0;
      for (const uint32_t word : reference.Compress(block)) folded ^= word;
      if (expected_[i] != folded) {
        return fmt::format("native hash {} is {:08x}, expected {:08x}", i, expected_[i], folded);
      }
    }
    return {};
  }

 private:
  Buffer<uint32_t> seed_, out_;
  std::vector<uint32_t> expected_;
};

class Bitonic : public Workload {
 public:
  Bitonic(Device& device, uint64_t count) : data_(device, count), input_(count) {
    if (!std::has_single_bit(count)) throw std::runtime_error("bitonic sorts powers of two only");
    for (size_t i = 0; i < count; ++i) input_[i] = RandomAt(i);
    expected_ = input_;
    std::ranges::sort(expected_);
  }
  double Work() const override {
    const auto levels = static_cast<double>(std::bit_width(data_.size()) - 1);
    return levels * (levels + 1) / 2 * static_cast<double>(data_.size()) / 2;
  }
  void Reset() override { std::ranges::copy(input_, data_.data()); }
  bool ResetsEachRun() const override { return true; }
  void Run(Runner& runner) override {
    for (size_t block = 2; block <= data_.size(); block *= 2) {
      for (size_t stride = block / 2; stride > 0; stride /= 2) {
        runner.Launch("bitonic", {U32(data_.size() / 2)}, {256},
                      Arguments().Buffer(data_.address()).Value(U32(stride)).Value(U32(block)));
      }
    }
  }
  void RunNative() override { native::BitonicSort(data_.data(), data_.size()); }
  std::string Check() const override { return CompareExact(data_.values(), expected_); }

 private:
  Buffer<uint32_t> data_;
  std::vector<uint32_t> input_, expected_;
};

class Histogram : public Workload {
 public:
  Histogram(Device& device, uint64_t count) : in_(device, count), bins_(device, 256) {
    expected_.resize(256);
    for (size_t i = 0; i < count; ++i) {
      in_[i] = RandomAt(i);
      ++expected_[in_[i] >> 24];
    }
  }
  double Work() const override { return 4.0 * static_cast<double>(in_.size()); }
  void Reset() override { std::ranges::fill(bins_.values(), 0u); }
  void Run(Runner& runner) override {
    runner.Launch("histogram", {U32(in_.size() / 64)}, {256},
                  Arguments().Buffer(bins_.address()).Buffer(in_.address()));
  }
  void RunNative() override { native::Histogram(bins_.data(), in_.data(), in_.size()); }
  std::string Check() const override { return CompareExact(bins_.values(), expected_); }

 private:
  Buffer<uint32_t> in_, bins_;
  std::vector<uint32_t> expected_;
};

// 256 waves; the size is the loop's rounds.
class ValuLoop : public Workload {
 public:
  ValuLoop(Device& device, uint64_t rounds)
      : rounds_(U32(rounds)), out_(device, kItems), expected_(kItems) {
    for (uint32_t i = 0; i < kItems; ++i) expected_[i] = At(i);
  }
  // Nominal. The Mwave/s that is reported comes from Statistics, as for every kernel.
  double Work() const override { return 20.0 * rounds_ * (kItems / 64); }
  void Reset() override { std::ranges::fill(out_.values(), 0u); }
  void Run(Runner& runner) override {
    runner.Launch("valu_loop", {kItems}, {256},
                  Arguments().Buffer(out_.address()).Value(kA).Value(kB).Value(kM).Value(rounds_));
  }
  void RunNative() override {}
  std::string Check() const override { return CompareExact(out_.values(), expected_); }

 private:
  // Powers of two keep the float part exact whether the compiler fuses or not.
  uint32_t At(uint32_t i) const {
    float f0 = static_cast<float>(i), f1 = f0 + 1, f2 = f0 + 2, f3 = f0 + 3;
    uint32_t u0 = i, u1 = i * 3, u2 = i * 5, u3 = i * 7;
    for (uint32_t j = 0; j < rounds_; ++j) {
      f0 = std::fma(f0, kA, kB);
      f1 = std::fma(f1, kA, kB);
      f2 = std::fma(f2, kA, kB);
      f3 = std::fma(f3, kA, kB);
      f0 = std::max(f0, f2);
      f1 = std::min(f1, f3);
      f2 = f2 * kA + kB;
      f3 = f3 * kA + kB;
      u0 ^= u1;
      u1 += u2;
      u2 = std::rotl(u2, 7);
      u3 ^= u0;
      u0 += kM;
      u1 = std::min(u1, u3);
      u2 -= u3;
      u3 = std::rotl(u3, 13);
      u0 &= ~u2;
      u1 |= kM;
    }
    return std::bit_cast<uint32_t>(f0 + f1 + f2 + f3) ^ u0 ^ u1 ^ u2 ^ u3;
  }

  static constexpr uint32_t kItems = 256 * 64, kM = 0x01234567;
  static constexpr float kA = 0.5f, kB = 1.0f;
  uint32_t rounds_;
  Buffer<uint32_t> out_;
  std::vector<uint32_t> expected_;
};

// Waves that end at once. There is nothing to see in memory, so the instructions are counted.
class Empty : public Workload {
 public:
  Empty(Device& device, uint64_t size) : size_(size), out_(device, 1) {}
  double Work() const override { return static_cast<double>(Waves()); }
  void Reset() override { executed_ = 0; }
  void Run(Runner& runner) override {
    const uint64_t before = runner.wave_instructions();
    runner.Launch("empty", {U32(size_)}, {256}, Arguments().Buffer(out_.address()));
    executed_ = runner.wave_instructions() - before;
  }
  void RunNative() override {}
  std::string Check() const override {
    if (executed_ == Waves()) return {};
    return fmt::format("{} instructions executed, expected {}", executed_, Waves());
  }

 private:
  uint64_t Waves() const { return size_ / 64; }

  uint64_t size_;
  Buffer<uint32_t> out_;
  uint64_t executed_ = 0;
};

template <typename T>
std::unique_ptr<Workload> Make(Device& device, uint64_t size) {
  return std::make_unique<T>(device, size);
}

}  // namespace

std::vector<Entry> IntegerEntries() {
  constexpr uint64_t kM = 1 << 20;
  return {
      {"sha256", "Mhash/s", 1e6, 4 * kM, 4 * kM, kM / 2, 64, true, Make<Sha256>},
      {"bitonic", "Gop/s", 1e9, kM, kM, kM / 8, 512, true, Make<Bitonic>},
      {"histogram", "GB/s", 1e9, 16 * kM, 16 * kM, 4 * kM, 16384, true, Make<Histogram>},
      {"valu_loop", "Mwave/s", 1e6, 10000, 10000, 2000, 1, false, Make<ValuLoop>},
      {"empty", "M waves/s", 1e6, 16 * kM, 16 * kM, 4 * kM, 64, false, Make<Empty>},
  };
}

}  // namespace gcnjit::bench
