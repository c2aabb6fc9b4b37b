// What lanes of a wave tell each other: shuffles of all widths, votes, ballots, DPP and swizzles.
#include "check.h"

constexpr uint32_t kWaves = 8, kCount = kWaves * 64;

__global__ void Shuffles(const int32_t* in, int32_t* out, int width, int step) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const int32_t value = in[i];
  out[i] = __shfl(value, step, width);
  out[kCount + i] = __shfl_up(value, static_cast<unsigned>(step), width);
  out[2 * kCount + i] = __shfl_down(value, static_cast<unsigned>(step), width);
  out[3 * kCount + i] = __shfl_xor(value, step, width);
}

__global__ void ShuffleWide(const double* in, double* out) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = in[i];
  for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
  out[i] = sum;
}

__global__ void Votes(const int32_t* in, uint64_t* ballots, uint32_t* out) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const int32_t value = in[i];
  ballots[i] = __ballot(value % 3 == 0);
  uint32_t bits = (__any(value == 12345678) ? 1u : 0u) | (__all(value != 12345678) ? 2u : 0u);
  bits |= (__any(value % 2 == 0) ? 4u : 0u) | (__all(value % 2 == 0) ? 8u : 0u);
  if (value % 2 != 0) {  // only some lanes vote
    bits |= static_cast<uint32_t>(__popcll(__ballot(value % 5 == 0))) << 8;
    bits |=
        static_cast<uint32_t>(__ffsll(static_cast<unsigned long long>(__ballot(value != 12345678))))
        << 16;
  }
  out[i] = bits | __lane_id() << 24;
}

__global__ void Moves(const int32_t* in, int32_t* out) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const int32_t value = in[i];
  out[i] = __builtin_amdgcn_readfirstlane(value);
  out[kCount + i] = __builtin_amdgcn_readlane(value, 17);
  out[2 * kCount + i] = __hip_ds_swizzle_N<0x401F>(value);               // swap with lane ^ 16
  out[3 * kCount + i] = __hip_move_dpp_N<0x1B, 0xF, 0xF, false>(value);  // quads reversed
  out[4 * kCount + i] =
      __builtin_amdgcn_update_dpp(-1, value, 0x111, 0xF, 0xF, false);  // row_shr:1
  out[5 * kCount + i] =
      __builtin_amdgcn_ds_permute(static_cast<int>((63 - __lane_id()) * 4), value);
}

int main() {
  std::vector<int32_t> in(kCount);
  for (uint32_t i = 0; i < kCount; ++i) in[i] = static_cast<int32_t>(check::Mix(i + 1) >> 4);
  check::Buffer<int32_t> device_in(in);

  for (const int width : {64, 32, 16, 8, 4, 2}) {
    for (const int step : {1, width / 2, width - 1}) {
      check::Buffer<int32_t> out(4 * kCount);
      Shuffles<<<kWaves / 2, 128>>>(device_in, out, width, step);
      const std::vector<int32_t> got = out.Get();
      const auto lane = [&](size_t i) { return static_cast<int>(i) % width; };
      check::Each("shfl", &got[0], kCount, [&](size_t i) { return in[i - lane(i) + step]; });
      check::Each("shfl_up", &got[kCount], kCount,
                  [&](size_t i) { return in[lane(i) >= step ? i - step : i]; });
      check::Each("shfl_down", &got[2 * kCount], kCount,
                  [&](size_t i) { return in[lane(i) + step < width ? i + step : i]; });
      check::Each("shfl_xor", &got[3 * kCount], kCount, [&](size_t i) { return in[i ^ step]; });
    }
  }

  std::vector<double> numbers(kCount);
  for (uint32_t i = 0; i < kCount; ++i) numbers[i] = in[i] / 2;
  check::Buffer<double> device_numbers(numbers), sums(kCount);
  ShuffleWide<<<kWaves, 64>>>(device_numbers, sums);
  check::Each("sums of waves", sums.Get(), [&](size_t i) {
    double sum = 0;  // whole numbers: exact in any order
    for (size_t j = 0; j < 64; ++j) sum += numbers[i / 64 * 64 + j];
    return sum;
  });

  check::Buffer<uint64_t> ballots(kCount);
  check::Buffer<uint32_t> votes(kCount);
  Votes<<<kWaves, 64>>>(device_in, ballots, votes);
  const auto ballot = [&](size_t wave, auto condition) {
    uint64_t mask = 0;
    for (size_t j = 0; j < 64; ++j)
      mask |= static_cast<uint64_t>(condition(in[wave * 64 + j])) << j;
    return mask;
  };
  check::Each("ballot", ballots.Get(),
              [&](size_t i) { return ballot(i / 64, [](int32_t v) { return v % 3 == 0; }); });
  check::Each("votes", votes.Get(), [&](size_t i) {
    const uint64_t odd = ballot(i / 64, [](int32_t v) { return v % 2 != 0; });
    const uint64_t fives = ballot(i / 64, [](int32_t v) { return v % 2 != 0 && v % 5 == 0; });
    uint32_t bits = 2u | (odd != ~0ull ? 4u : 0u) | (odd == 0 ? 8u : 0u);
    if (in[i] % 2 != 0) {
      bits |= static_cast<uint32_t>(__builtin_popcountll(fives)) << 8;
      bits |= static_cast<uint32_t>(__builtin_ffsll(static_cast<long long>(odd))) << 16;
    }
    return bits | static_cast<uint32_t>(i % 64) << 24;
  });

  check::Buffer<int32_t> moved(6 * kCount);
  Moves<<<kWaves, 64>>>(device_in, moved);
  const std::vector<int32_t> got = moved.Get();
  check::Each("readfirstlane", &got[0], kCount, [&](size_t i) { return in[i & ~63ull]; });
  check::Each("readlane", &got[kCount], kCount, [&](size_t i) { return in[(i & ~63ull) + 17]; });
  check::Each("swizzle", &got[2 * kCount], kCount, [&](size_t i) { return in[i ^ 16]; });
  check::Each("quad_perm", &got[3 * kCount], kCount, [&](size_t i) { return in[i ^ 3]; });
  check::Each("row_shr", &got[4 * kCount], kCount,
              [&](size_t i) { return i % 16 ? in[i - 1] : -1; });
  check::Each("permute", &got[5 * kCount], kCount, [&](size_t i) { return in[i ^ 63]; });
  return check::Finish();
}
