// Atomics of 32 and 64 bits, in global and local memory, of OpenCL C 1.2 and 2.0.
#include <algorithm>

#include "harness.h"

namespace {

constexpr size_t kItems = 8192;

// Each operation on its own word, by all items; the order makes no difference to the end.
template <typename T>
void Operations(const Session& s, const char* type, const char* prefix, const char* place) {
  const std::string source = std::string(
                                 "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                                 "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
                                 "#define T ") +
                             type + "\n#define A(x) " + prefix + "##x\n#define PLACE " + place + R"(
    kernel void k(global T* out, local T* scratch) {
      T me = get_global_id(0) * (T)0x100000001UL + 3;
      PLACE T* p = (PLACE T*)TARGET;
    #ifdef IN_LOCAL
      if (get_local_id(0) < 9) scratch[get_local_id(0)] = out[get_local_id(0)];
      barrier(CLK_LOCAL_MEM_FENCE);
    #endif
      A(add)(p, me); A(sub)(p + 1, me); A(inc)(p + 2); A(dec)(p + 3);
      A(min)(p + 4, me); A(max)(p + 5, me); A(and)(p + 6, ~(me & 0xF0)); A(or)(p + 7, me);
      A(xor)(p + 8, me);
    #ifdef IN_LOCAL
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) < 9) out[get_local_id(0)] = scratch[get_local_id(0)];
    #endif
    })";
  const bool is_local = std::string(place) == "local";
  const Program program =
      s.Build(source.c_str(), is_local ? "-DIN_LOCAL -DTARGET=scratch" : "-DTARGET=out");
  const Kernel kernel = s.NewKernel(program, "k");
  const size_t items = is_local ? 256 : kItems;
  std::vector<T> want = {1, 2, 3, T(5000000), T(~T(0)) / 2, 6, T(~T(0)), 8, 9};
  const Buffer buffer = s.NewBuffer(want.size(), want.data());
  s.Set(kernel, buffer, Local{128});
  s.Launch(kernel, {items}, {256});
  for (size_t i = 0; i < items; ++i) {
    const T me = static_cast<T>(static_cast<T>(i) * static_cast<T>(0x100000001UL) + 3);
    want[0] += me;
    want[1] -= me;
    ++want[2];
    --want[3];
    want[4] = std::min(want[4], me);
    want[5] = std::max(want[5], me);
    want[6] &= ~(me & 0xF0);
    want[7] |= me;
    want[8] ^= me;
  }
  Each(type, s.Read<T>(buffer, want.size()), [&](size_t i) { return want[i]; });
}

void Words(Session& s) {
  for (const char* place : {"global", "local"}) {
    Operations<uint32_t>(s, "uint", "atomic_", place);
    Operations<int32_t>(s, "int", "atomic_", place);
  }
}

void DoubleWords(Session& s) {
  for (const char* place : {"global", "local"}) {
    Operations<uint64_t>(s, "ulong", "atom_", place);
    Operations<int64_t>(s, "long", "atom_", place);
  }
}

// What an atomic returns: each value once.
void Returned(Session& s) {
  const Program program = s.Build(R"(
    kernel void k(global uint* next, global uint* seen, global uint* chain) {
      uint ticket = atomic_inc(next);
      atomic_inc(&seen[ticket]);
      chain[get_global_id(0)] = atomic_xchg(next + 1, (uint)get_global_id(0) + 1);
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  std::vector<uint32_t> zeros(kItems, 0);
  const Buffer next = s.NewBuffer(2, zeros.data()), seen = s.NewBuffer(kItems, zeros.data()),
               chain = s.NewBuffer(kItems, zeros.data());
  s.Set(kernel, next, seen, chain);
  s.Launch(kernel, {kItems});
  Each("tickets", s.Read<uint32_t>(seen, kItems), [](size_t) { return 1u; });
  // The values that were exchanged are all of 0 ... kItems but the one that is left.
  std::vector<uint32_t> values = s.Read<uint32_t>(chain, kItems);
  values.push_back(s.Read<uint32_t>(next, 2)[1]);
  std::sort(values.begin(), values.end());
  Each("chain", values, [](size_t i) { return uint32_t(i); });
}

// Floats by compare-and-swap; sums of small integers are exact in any order.
void CompareAndSwap(Session& s) {
  const Program program = s.Build(R"(
    kernel void k(global float* sum, global double* big) {
      union { uint u; float f; } old, new;
      do { old.f = *sum; new.f = old.f + (float)(get_global_id(0) & 7); }
      while (atomic_cmpxchg((volatile global uint*)sum, old.u, new.u) != old.u);
      union { ulong u; double d; } was, is;
      do { was.d = *big; is.d = was.d + 0.5; }
      while (atom_cmpxchg((volatile global ulong*)big, was.u, is.u) != was.u);
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  float sum = 0;
  double big = 0;
  const Buffer a = s.NewBuffer(1, &sum), b = s.NewBuffer(1, &big);
  s.Set(kernel, a, b);
  s.Launch(kernel, {kItems});
  Each("sum", s.Read<float>(a, 1), [](size_t) { return 3.5f * kItems; });
  Each("big", s.Read<double>(b, 1), [](size_t) { return 0.5 * kItems; });
}

// OpenCL C 2.0: orders and scopes; a group publishes data that a later one reads.
void Orders(Session& s) {
  const Program program = s.Build(R"(
    kernel void k(global uint* data, global atomic_uint* flags, global uint* out) {
      size_t group = get_group_id(0), i = get_local_id(0), n = get_local_size(0);
      uint before = 0;
      if (group > 0) {
        if (i == 0)
          while (atomic_load_explicit(flags + group - 1, memory_order_acquire,
                                      memory_scope_device) == 0) {}
        work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
        before = data[(group - 1) * n + i];
      }
      data[group * n + i] = before + i + 1;
      work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
      if (i == 0)
        atomic_store_explicit(flags + group, 1, memory_order_release, memory_scope_device);
      out[group * n + i] = before;
      local atomic_int shared;
      if (i == 0) atomic_init(&shared, 0);
      work_group_barrier(CLK_LOCAL_MEM_FENCE);
      atomic_fetch_add_explicit(&shared, 1, memory_order_relaxed, memory_scope_work_group);
      work_group_barrier(CLK_LOCAL_MEM_FENCE);
      if (atomic_load(&shared) != n) out[group * n + i] = 12345;
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  constexpr size_t kGroups = 40, kGroup = 128;
  std::vector<uint32_t> zeros(kGroups * kGroup, 0);
  const Buffer data = s.NewBuffer(zeros.size(), zeros.data()),
               flags = s.NewBuffer(kGroups, zeros.data()),
               out = s.NewBuffer(zeros.size(), zeros.data());
  s.Set(kernel, data, flags, out);
  s.Launch(kernel, {zeros.size()}, {kGroup});
  Each("before", s.Read<uint32_t>(out, zeros.size()),
       [](size_t i) { return i / kGroup * (i % kGroup + 1); });
}

}  // namespace

int main() {
  return Main({{"words", Words},
               {"double words", DoubleWords},
               {"returned", Returned},
               {"compare and swap", CompareAndSwap},
               {"orders", Orders}});
}
