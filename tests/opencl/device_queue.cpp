// Kernels that launch kernels, and what needs a default queue on the device.
#include "harness.h"

namespace {

Queue NewDeviceQueue(const Session& s) {
  const cl_queue_properties properties[] = {
      CL_QUEUE_PROPERTIES,
      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
  cl_int error = CL_SUCCESS;
  Queue queue(clCreateCommandQueueWithProperties(s.context, s.device, properties, &error));
  OK(error);
  return queue;
}

void Children(Session& s) {
  const Queue queue = NewDeviceQueue(s);
  const Program program = s.Build(R"(
    kernel void parent(global int* p) {
      p[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(256),
                            ^{ p[1 + get_global_id(0)] += 7 + get_global_id(0); });
    })");
  const Kernel kernel = s.NewKernel(program, "parent");
  std::vector<int> host(257, 0);
  const Buffer buffer = s.NewBuffer(257, host.data());
  s.Set(kernel, buffer);
  for (int i = 0; i < 10; ++i) s.Launch(kernel, {1});
  Each("values", s.Read<int>(buffer, 257), [](size_t i) { return i == 0 ? 0 : 10 * (6 + int(i)); });
}

// Every item of the parent launches a child with local memory.
void ManyChildren(Session& s) {
  const Queue queue = NewDeviceQueue(s);
  const Program program = s.Build(R"(
    kernel void parent(global int* p) {
      size_t me = get_global_id(0);
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(64, 64),
                     ^(local void* memory) {
                       local int* shared = memory;
                       size_t i = get_local_id(0);
                       shared[i] = i * (me + 1);
                       barrier(CLK_LOCAL_MEM_FENCE);
                       p[me * 64 + i] = shared[63 - i];
                     }, 256);
    })");
  const Kernel kernel = s.NewKernel(program, "parent");
  std::vector<int> host(16 * 64, -1);
  const Buffer buffer = s.NewBuffer(host.size(), host.data());
  s.Set(kernel, buffer);
  s.Launch(kernel, {16});
  Each("values", s.Read<int>(buffer, host.size()),
       [](size_t i) { return int((63 - i % 64) * (i / 64 + 1)); });
}

void Events(Session& s) {
  const Queue queue = NewDeviceQueue(s);
  const Program program = s.Build(R"(
    kernel void parent(global int* p) {
      queue_t q = get_default_queue();
      clk_event_t first;
      enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), 0, 0, &first,
                     ^{ p[get_global_id(0)] = 3; });
      enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), 1, &first, 0,
                     ^{ p[get_global_id(0)] = p[get_global_id(0)] * 5 + 1; });
      release_event(first);
    })");
  const Kernel kernel = s.NewKernel(program, "parent");
  std::vector<int> host(64, -1);
  const Buffer buffer = s.NewBuffer(64, host.data());
  s.Set(kernel, buffer);
  s.Launch(kernel, {1});
  Each("values", s.Read<int>(buffer, 64), [](size_t) { return 16; });
}

// AMD's library takes a kernel that is not optimised for one that launches others.
void NotOptimised(Session& s) {
  const Queue queue = NewDeviceQueue(s);
  const Program program = s.Build(
      "int twice(int x) { int y[4] = {x, x, 0, 0}; return y[x & 1] + y[0]; }"
      "kernel void k(global int* p) { p[get_global_id(0)] = twice(get_global_id(0)); }",
      "-cl-opt-disable");
  const Kernel kernel = s.NewKernel(program, "k");
  const Buffer buffer = s.NewBuffer<int>(300);
  s.Set(kernel, buffer);
  s.Launch(kernel, {300}, {100});
  Each("values", s.Read<int>(buffer, 300), [](size_t i) { return 2 * int(i); });
}

}  // namespace

int main() {
  return Main({{"children", Children},
               {"many children", ManyChildren},
               {"events", Events},
               {"not optimised", NotOptimised}});
}
