// Launches: arguments of all kinds, shapes of grids and groups, local memory, barriers.
#include "harness.h"

namespace {

void Arguments(Session& s) {
  struct Inner {
    int8_t a;
    double b;
  };
  struct Outer {
    int16_t a;
    Inner inner[2];
    alignas(16) float vector[4];
    uint8_t last;
  };
  const Program program = s.Build(R"(
    typedef struct { char a; double b; } Inner;
    typedef struct { short a; Inner inner[2]; float4 vector; uchar last; } Outer;
    kernel void k(global double* out, char c, ushort2 s, int3 i, ulong l, Outer o, float f, double d,
                  uchar16 bytes, global int* null) {
      int at = 0;
      out[at++] = c; out[at++] = s.y; out[at++] = i.z; out[at++] = l; out[at++] = o.a;
      out[at++] = o.inner[1].a; out[at++] = o.inner[1].b; out[at++] = o.vector.w; out[at++] = o.last;
      out[at++] = f; out[at++] = d; out[at++] = bytes.sf; out[at++] = null == 0;
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  const Buffer out = s.NewBuffer<double>(13);
  const Outer outer = {-300, {{1, 2.5}, {-4, 1e200}}, {1, 2, 3, 4.25f}, 201};
  cl_uchar16 bytes{};
  bytes.s[15] = 99;
  s.Set(kernel, out, cl_char{-5}, cl_ushort2{{1, 65000}}, cl_int3{{1, 2, -70000}},
        cl_ulong{1} << 52, outer, 0.75f, -1.0 / 3, bytes, cl_mem{nullptr});
  s.Launch(kernel, {1});
  const double want[] = {-5,   65000, -70000, 4503599627370496.0, -300, -4, 1e200,
                         4.25, 201,   0.75,   -1.0 / 3,           99,   1};
  Each("values", s.Read<double>(out, 13), [&](size_t i) { return want[i]; });
}

void Ids(Session& s) {
  const Program program = s.Build(R"(
    kernel void k(global uint* out) {
      uint at = get_global_linear_id();
      uint v = get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_global_id(2);
      uint w = get_local_id(0) + 64 * get_local_id(1) + 4096 * get_local_id(2);
      uint x = get_group_id(0) + 64 * get_group_id(1) + 4096 * get_group_id(2);
      uint y = get_global_offset(0) + get_global_offset(1) + get_global_offset(2) +
               get_num_groups(0) * get_num_groups(1) * get_num_groups(2) + get_work_dim();
      out[4 * at] = v; out[4 * at + 1] = w; out[4 * at + 2] = x; out[4 * at + 3] = y;
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  const struct {
    Session::Sizes global, local, offset;
  } shapes[] = {{{100}, {20}, {}},
                {{256}, {64}, {3}},
                {{30, 14}, {5, 7}, {}},
                {{64, 32}, {16, 16}, {100, 7}},
                {{8, 6, 10}, {4, 2, 5}, {}},
                {{12, 9, 6}, {3, 3, 3}, {1, 20, 300}},
                {{1, 1, 256}, {1, 1, 256}, {}}};
  for (const auto& shape : shapes) {
    size_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1}, offset[3] = {}, groups = 1;
    for (size_t d = 0; d < shape.global.size(); ++d) {
      global[d] = shape.global[d];
      local[d] = shape.local[d];
      if (!shape.offset.empty()) offset[d] = shape.offset[d];
      groups *= global[d] / local[d];
    }
    const size_t items = global[0] * global[1] * global[2];
    const Buffer out = s.NewBuffer<uint32_t>(4 * items);
    s.Set(kernel, out);
    s.Launch(kernel, shape.global, shape.local, shape.offset);
    Each("ids", s.Read<uint32_t>(out, 4 * items), [&](size_t i) {
      const size_t x = i / 4 % global[0], y = i / 4 / global[0] % global[1],
                   z = i / 4 / global[0] / global[1];
      switch (i % 4) {
        case 0: return x + offset[0] + 1000 * (y + offset[1]) + 1000000 * (z + offset[2]);
        case 1: return x % local[0] + 64 * (y % local[1]) + 4096 * (z % local[2]);
        case 2: return x / local[0] + 64 * (y / local[1]) + 4096 * (z / local[2]);
        default: return offset[0] + offset[1] + offset[2] + groups + shape.global.size();
      }
    });
  }
}

// The last group of a dimension may be smaller in OpenCL C 2.0, and says so.
void UnevenGroups(Session& s) {
  const Program program = s.Build(R"(
    kernel void k(global uint2* out) {
      out[get_global_linear_id()] =
          (uint2)(get_local_size(0) + 256 * get_local_size(1),
                  get_enqueued_local_size(0) + 256 * get_enqueued_local_size(1));
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  constexpr size_t kX = 37, kY = 21, kGroupX = 16, kGroupY = 8;
  const Buffer out = s.NewBuffer<uint32_t>(2 * kX * kY);
  s.Set(kernel, out);
  s.Launch(kernel, {kX, kY}, {kGroupX, kGroupY});
  Each("sizes", s.Read<uint32_t>(out, 2 * kX * kY), [&](size_t i) {
    if (i % 2 == 1) return kGroupX + 256 * kGroupY;
    const size_t x = i / 2 % kX, y = i / 2 / kX;
    return (x >= 32 ? kX - 32 : kGroupX) + 256 * (y >= 16 ? kY - 16 : kGroupY);
  });
}

void UniformGroupsAreRequired(Session& s) {
  const Program program = s.Build("kernel void k(global int* p) { *p = 1; }",
                                  "-cl-std=CL2.0 -cl-uniform-work-group-size");
  const Kernel kernel = s.NewKernel(program, "k");
  const Buffer out = s.NewBuffer<int>(1);
  s.Set(kernel, out);
  FAILS(s.TryLaunch(kernel, {100}, {64}), CL_INVALID_WORK_GROUP_SIZE);
  FAILS(s.TryLaunch(kernel, {128}, {64}), CL_SUCCESS);
}

void RequiredSize(Session& s) {
  const Program program = s.Build(R"(
    kernel __attribute__((reqd_work_group_size(4, 8, 1))) void k(global uint* p) {
      p[get_global_linear_id()] = get_local_linear_id();
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  const Buffer out = s.NewBuffer<uint32_t>(256);
  s.Set(kernel, out);
  s.Launch(kernel, {16, 16}, {4, 8});
  Each("local ids", s.Read<uint32_t>(out, 256), [](size_t i) { return i % 4 + 4 * (i / 16 % 8); });
  FAILS(s.TryLaunch(kernel, {16, 16}, {8, 4}), CL_INVALID_WORK_GROUP_SIZE);
  FAILS(s.TryLaunch(kernel, {256}, {32}), CL_INVALID_WORK_GROUP_SIZE);
}

// A tree in local memory that is an argument, and one that is the kernel's own.
void Reduction(Session& s) {
  const Program program = s.Build(R"(
    kernel void k(global const uint* in, global uint* out, local uint* shared) {
      local uint own[2];
      size_t i = get_local_id(0), n = get_local_size(0);
      if (i < 2) own[i] = 0;
      shared[i] = in[get_global_id(0)];
      barrier(CLK_LOCAL_MEM_FENCE);
      for (size_t step = n / 2; step > 0; step /= 2) {
        if (i < step) shared[i] += shared[i + step];
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      atomic_add(&own[i & 1], (uint)i);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (i == 0) out[get_group_id(0)] = shared[0] + own[0] * 3 + own[1];
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  std::vector<uint32_t> in(8192);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint32_t>(i * i);
  const Buffer source = s.NewBuffer(in.size(), in.data());
  for (const size_t group : {2, 64, 128, 256}) {
    const size_t groups = in.size() / group;
    const Buffer out = s.NewBuffer<uint32_t>(groups);
    s.Set(kernel, source, out, Local{4 * group});
    s.Launch(kernel, {in.size()}, {group});
    Each("sums", s.Read<uint32_t>(out, groups), [&](size_t at) {
      uint32_t sum = 0;
      for (size_t i = 0; i < group; ++i) sum += in[at * group + i] + (i % 2 ? i : 3 * i);
      return sum;
    });
  }
}

void AsyncCopies(Session& s) {
  const Program program = s.Build(R"(
    kernel void k(global const short* in, global short* out, local short* a, local short* b) {
      event_t e = async_work_group_copy(a, in + get_group_id(0) * 100, 100, 0);
      e = async_work_group_strided_copy(b, in + get_group_id(0), 50, 3, e);
      wait_group_events(1, &e);
      for (size_t i = get_local_id(0); i < 50; i += get_local_size(0)) a[i] += b[49 - i];
      barrier(CLK_LOCAL_MEM_FENCE);
      event_t f = async_work_group_copy(out + get_group_id(0) * 100, a, 100, 0);
      wait_group_events(1, &f);
      prefetch(in, 100);
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  std::vector<int16_t> in(1000);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int16_t>(i * 31);
  const Buffer source = s.NewBuffer(1000, in.data()), out = s.NewBuffer<int16_t>(1000);
  s.Set(kernel, source, out, Local{200}, Local{100});
  s.Launch(kernel, {10 * 48}, {48});
  Each("copied", s.Read<int16_t>(out, 1000), [&](size_t i) {
    const size_t group = i / 100, at = i % 100;
    return in[i] + (at < 50 ? in[group + 3 * (49 - at)] : 0);
  });
}

void Constants(Session& s) {
  const Program program = s.Build(R"(
    constant int table[] = {5, -6, 7, 1 << 20};
    constant struct { char a; double4 b; } mixed = {3, (double4)(1, 2, 3, 4.5)};
    global int counter = 40;  // kept between launches
    kernel void k(constant int* given, global int* out) {
      size_t i = get_global_id(0);
      out[i] = table[i & 3] + given[i / 2] + mixed.a + (int)(2 * mixed.b.w);
      if (i == 0) out[64] = counter++;
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  std::vector<int> given(32);
  for (int i = 0; i < 32; ++i) given[i] = i * i;
  const Buffer in = s.NewBuffer(32, given.data(), CL_MEM_READ_ONLY), out = s.NewBuffer<int>(65);
  s.Set(kernel, in, out);
  s.Launch(kernel, {64});
  s.Launch(kernel, {64});
  const int table[] = {5, -6, 7, 1 << 20};
  Each("values", s.Read<int>(out, 65),
       [&](size_t i) { return i == 64 ? 41 : table[i & 3] + given[i / 2] + 12; });
}

void ManySmall(Session& s) {
  const Program program =
      s.Build("kernel void k(global uint* p, uint i) { p[i] += i * 3 + p[i / 2]; }");
  const Kernel kernel = s.NewKernel(program, "k");
  constexpr uint32_t kLaunches = 3000;
  std::vector<uint32_t> want(kLaunches, 1);
  const Buffer buffer = s.NewBuffer(kLaunches, want.data());
  for (uint32_t i = 0; i < kLaunches; ++i) {
    s.Set(kernel, buffer, i);
    s.Launch(kernel, {1}, {1});
    want[i] += i * 3 + want[i / 2];
  }
  Each("values", s.Read<uint32_t>(buffer, kLaunches), [&](size_t i) { return want[i]; });
}

}  // namespace

int main() {
  return Main({{"arguments", Arguments},
               {"ids", Ids},
               {"uneven groups", UnevenGroups},
               {"uniform groups are required", UniformGroupsAreRequired},
               {"required size", RequiredSize},
               {"reduction", Reduction},
               {"async copies", AsyncCopies},
               {"constants", Constants},
               {"many small", ManySmall}});
}
