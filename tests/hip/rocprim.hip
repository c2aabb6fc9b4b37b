// rocPRIM's device-wide algorithms on a million elements against those of the standard library. The
// scans look back at what earlier work-groups have published while these may still be running.
#include <algorithm>
#include <numeric>
#include <rocprim/rocprim.hpp>

#include "check.h"

constexpr size_t kCount = 1000003;

// Calls `algorithm(storage, bytes)` twice, as rocPRIM wants it: for the size and for the work.
template <typename Algorithm>
static void Run(Algorithm algorithm) {
  size_t bytes = 0;
  HIP(algorithm(nullptr, bytes));
  check::Buffer<uint8_t> storage(std::max<size_t>(bytes, 1));
  HIP(algorithm(static_cast<void*>(static_cast<uint8_t*>(storage)), bytes));
  HIP(hipDeviceSynchronize());
}

int main() {
  std::vector<uint32_t> in(kCount);
  for (uint32_t i = 0; i < kCount; ++i) in[i] = check::Mix(i) >> (i % 3 * 8);
  check::Buffer<uint32_t> device_in(in), out(kCount);
  uint32_t* const source = device_in;
  uint32_t* const target = out;
  const auto plus = rocprim::plus<uint32_t>();

  Run([&](void* storage, size_t& bytes) {
    return rocprim::reduce(storage, bytes, source, target, 5u, kCount, plus);
  });
  EXPECT(out.Get()[0] == std::accumulate(in.begin(), in.end(), 5u));

  Run([&](void* storage, size_t& bytes) {
    return rocprim::inclusive_scan(storage, bytes, source, target, kCount, plus);
  });
  std::vector<uint32_t> want(kCount);
  std::partial_sum(in.begin(), in.end(), want.begin());
  check::Each("inclusive scan", out.Get(), [&](size_t i) { return want[i]; });

  Run([&](void* storage, size_t& bytes) {
    return rocprim::exclusive_scan(storage, bytes, source, target, 11u, kCount, plus);
  });
  check::Each("exclusive scan", out.Get(),
              [&](size_t i) { return i == 0 ? 11 : want[i - 1] + 11; });

  check::Buffer<uint32_t> keys(kCount);
  check::Buffer<uint32_t> positions_out(kCount);
  std::vector<uint32_t> positions(kCount);
  std::iota(positions.begin(), positions.end(), 0u);
  check::Buffer<uint32_t> positions_in(positions);
  Run([&](void* storage, size_t& bytes) {
    return rocprim::radix_sort_pairs(storage, bytes, source, static_cast<uint32_t*>(keys),
                                     static_cast<uint32_t*>(positions_in),
                                     static_cast<uint32_t*>(positions_out), kCount);
  });
  std::stable_sort(positions.begin(), positions.end(),
                   [&](uint32_t a, uint32_t b) { return in[a] < in[b]; });
  check::Each("sorted keys", keys.Get(), [&](size_t i) { return in[positions[i]]; });
  check::Each("sorted values", positions_out.Get(), [&](size_t i) { return positions[i]; });

  std::vector<uint32_t> offsets = {0};
  while (offsets.back() < kCount) {  // segments of no, few and many elements
    const auto segment = static_cast<uint32_t>(offsets.size());
    const uint32_t length = check::Mix(segment) % (segment % 10 == 0 ? 20000 : 300);
    offsets.push_back(std::min(static_cast<uint32_t>(kCount), offsets.back() + length));
  }
  const auto segments = static_cast<unsigned>(offsets.size() - 1);
  check::Buffer<uint32_t> device_offsets(offsets), sums(segments);
  uint32_t* const begins = device_offsets;
  Run([&](void* storage, size_t& bytes) {
    return rocprim::segmented_reduce(storage, bytes, source, static_cast<uint32_t*>(sums), segments,
                                     begins, begins + 1, plus, 9u);
  });
  check::Each("segmented sums", sums.Get(), [&](size_t s) {
    return std::accumulate(in.begin() + offsets[s], in.begin() + offsets[s + 1], 9u);
  });

  Run([&](void* storage, size_t& bytes) {
    return rocprim::segmented_inclusive_scan(storage, bytes, source, target, segments, begins,
                                             begins + 1, plus);
  });
  for (unsigned s = 0; s < segments; ++s) {
    std::partial_sum(in.begin() + offsets[s], in.begin() + offsets[s + 1],
                     want.begin() + offsets[s]);
  }
  check::Each("segmented scan", out.Get(), [&](size_t i) { return want[i]; });

  Run([&](void* storage, size_t& bytes) {
    return rocprim::segmented_radix_sort_keys(storage, bytes, source, target,
                                              static_cast<unsigned>(kCount), segments, begins,
                                              begins + 1);
  });
  want = in;
  for (unsigned s = 0; s < segments; ++s) {
    std::sort(want.begin() + offsets[s], want.begin() + offsets[s + 1]);
  }
  check::Each("segments sorted", out.Get(), [&](size_t i) { return want[i]; });

  check::Buffer<uint32_t> selected_count(1);
  const auto odd = [] __host__ __device__(uint32_t value) { return value % 2 == 1; };
  Run([&](void* storage, size_t& bytes) {
    return rocprim::select(storage, bytes, source, target, static_cast<uint32_t*>(selected_count),
                           kCount, odd);
  });
  want.clear();
  std::copy_if(in.begin(), in.end(), std::back_inserter(want), odd);
  EXPECT(selected_count.Get()[0] == want.size());
  std::vector<uint32_t> selected = out.Get();
  selected.resize(want.size());
  check::Each("selected", selected, [&](size_t i) { return want[i]; });
  return check::Finish();
}
