// Atomic operations of work-items on memory of the device, of the host, and on LDS.
#include "check.h"

constexpr uint32_t kGroups = 16, kSize = 256, kItems = kGroups * kSize;

struct Cells {
  uint32_t add, sub, max, min, exchange_sum, bits_and, bits_or, bits_xor, inc, dec, cas;
  int32_t signed_max, signed_min;
  uint64_t wide_add, wide_max, wide_cas;
  float float_add;
  double double_add;
};

__global__ void Update(Cells* cells, uint32_t* last, uint32_t* tickets) {
  const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t ticket = atomicAdd(&cells->add, 1u);
  atomicAdd(&tickets[ticket], id + 1);
  atomicSub(&cells->sub, 3u);
  atomicMax(&cells->max, id * 2654435761u);
  atomicMin(&cells->min, id * 2654435761u + 1);
  atomicMax(&cells->signed_max, static_cast<int32_t>(id) - 2000);
  atomicMin(&cells->signed_min, static_cast<int32_t>(id) - 2000);
  atomicAdd(&cells->exchange_sum, atomicExch(last, id + 1));
  atomicAnd(&cells->bits_and, ~(1u << (id % 31)));
  atomicOr(&cells->bits_or, 1u << (id % 13));
  atomicXor(&cells->bits_xor, id);
  atomicInc(&cells->inc, 999u);
  atomicDec(&cells->dec, 999u);
  uint32_t seen = cells->cas, wanted;
  do {
    wanted = seen;
    seen = atomicCAS(&cells->cas, wanted, wanted + id);
  } while (seen != wanted);
  atomicAdd(reinterpret_cast<unsigned long long*>(&cells->wide_add), 0x100000001ull * id);
  atomicMax(reinterpret_cast<unsigned long long*>(&cells->wide_max), 0x1234567ull * id);
  auto* wide = reinterpret_cast<unsigned long long*>(&cells->wide_cas);
  unsigned long long old = *wide, expected;
  do {
    expected = old;
    old = atomicCAS(wide, expected, expected + 0x200000000ull);
  } while (old != expected);
  atomicAdd(&cells->float_add, 0.25f);
  atomicAdd(&cells->double_add, 0.125);
}

__global__ void Histogram(const uint8_t* in, uint32_t count, uint32_t* bins) {
  __shared__ uint32_t local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[in[i]], 1u);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

static void Check(const Cells& c, const std::vector<uint32_t>& tickets, uint32_t last) {
  Cells want = {};
  want.min = 0xFFFFFFFF;
  want.bits_xor = 0;
  uint32_t id_sum = 0;
  for (uint32_t id = 0; id < kItems; ++id) {
    want.max = std::max(want.max, id * 2654435761u);
    want.min = std::min(want.min, id * 2654435761u + 1);
    want.bits_xor ^= id;
    want.wide_add += 0x100000001ull * id;
    id_sum += id;
  }
  EXPECT(c.add == kItems);
  EXPECT(c.sub == 0u - 3 * kItems);
  EXPECT(c.max == want.max);
  EXPECT(c.min == want.min);
  EXPECT(c.signed_max == static_cast<int32_t>(kItems) - 1 - 2000);
  EXPECT(c.signed_min == -2000);
  EXPECT(c.exchange_sum + last == id_sum + kItems);  // each id + 1 was replaced once, or is left
  EXPECT(c.bits_and == 0x80000000u);
  EXPECT(c.bits_or == 0x1FFFu);
  EXPECT(c.bits_xor == want.bits_xor);
  EXPECT(c.inc == kItems % 1000);
  EXPECT(c.dec == (1000 - kItems % 1000) % 1000);
  EXPECT(c.cas == id_sum);
  EXPECT(c.wide_add == want.wide_add);
  EXPECT(c.wide_max == 0x1234567ull * (kItems - 1));
  EXPECT(c.wide_cas == 0x200000000ull * kItems);
  EXPECT(c.float_add == 0.25f * kItems);
  EXPECT(c.double_add == 0.125 * kItems);
  // Tickets are handed out once each: a permutation of the ids.
  std::vector<bool> seen(kItems + 1);
  for (const uint32_t ticket : tickets) {
    EXPECT(ticket >= 1 && ticket <= kItems && !seen[ticket]);
    if (ticket <= kItems) seen[ticket] = true;
  }
}

int main() {
  Cells start = {};
  start.min = 0xFFFFFFFF;
  start.bits_and = 0xFFFFFFFF;
  check::Buffer<uint32_t> tickets(std::vector<uint32_t>(kItems, 0));
  check::Buffer<uint32_t> last(std::vector<uint32_t>(1, 0));
  check::Buffer<Cells> cells(std::vector<Cells>(1, start));
  Update<<<kGroups, kSize>>>(cells, last, tickets);
  Check(cells.Get()[0], tickets.Get(), last.Get()[0]);

  Cells* host_cells = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&host_cells), sizeof(Cells), hipHostMallocCoherent));
  *host_cells = start;
  tickets.Set(std::vector<uint32_t>(kItems, 0));
  last.Set({0});
  Update<<<kGroups, kSize>>>(host_cells, last, tickets);
  HIP(hipDeviceSynchronize());
  Check(*host_cells, tickets.Get(), last.Get()[0]);
  HIP(hipHostFree(host_cells));

  std::vector<uint8_t> in(70001);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(check::Mix(i) % 251);
  check::Buffer<uint8_t> device_in(in);
  check::Buffer<uint32_t> bins(std::vector<uint32_t>(256, 0));
  Histogram<<<9, 256>>>(device_in, static_cast<uint32_t>(in.size()), bins);
  std::vector<uint32_t> want(256);
  for (const uint8_t value : in) ++want[value];
  check::Each("histogram", bins.Get(), [&](size_t i) { return want[i]; });
  return check::Finish();
}
