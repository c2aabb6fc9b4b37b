// Shared virtual memory and pipes, as far as the device announces them.
#include "harness.h"

namespace {

const char* const kList = R"(
  typedef struct Node { global struct Node* next; int value; } Node;
  kernel void k(global Node* head, global int* sum) {
    *sum = 0;
    for (global Node* at = head; at; at = at->next) { *sum += at->value; at->value *= -1; }
  })";

struct Node {
  Node* next;
  int value;
};

// A list whose pointers host and kernel both follow. Where the device has none, it says so.
void List(Session& s, cl_svm_mem_flags flags, bool is_announced) {
  auto* nodes = static_cast<Node*>(clSVMAlloc(s.context, flags, 1000 * sizeof(Node), 0));
  if (!is_announced) {
    CHECK(nodes == nullptr);
    return;
  }
  CHECK(nodes != nullptr);
  const bool is_fine = (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0;
  const auto map = [&] {
    if (!is_fine)
      OK(clEnqueueSVMMap(s.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, nodes, 1000 * sizeof(Node),
                         0, nullptr, nullptr));
  };
  const auto unmap = [&] {
    if (!is_fine) OK(clEnqueueSVMUnmap(s.queue, nodes, 0, nullptr, nullptr));
  };
  map();
  int want = 0;
  for (int i = 0; i < 1000; ++i) {
    nodes[i] = {&nodes[(i * 7 + 3) % 1000], i};
  }
  // Some of them, in an order that is not theirs, until one comes again.
  std::vector<bool> seen(1000);
  int count = 0;
  Node* last = nodes;
  for (Node* at = nodes; at != nullptr && !seen[static_cast<size_t>(at - nodes)]; at = at->next) {
    seen[static_cast<size_t>(at - nodes)] = true;
    want += at->value;
    ++count;
    last = at;
  }
  last->next = nullptr;
  CHECK(count > 1);
  unmap();
  const Program program = s.Build(kList);
  const Kernel kernel = s.NewKernel(program, "k");
  const Buffer sum = s.NewBuffer<int>(1);
  OK(clSetKernelArgSVMPointer(kernel, 0, nodes));
  Session::SetOne(kernel, 1, sum);
  s.Launch(kernel, {1});
  Each("sum", s.Read<int>(sum, 1), [&](size_t) { return want; });
  map();
  int wrong = 0;
  for (int i = 0; i < 1000; ++i) wrong += nodes[i].value != (seen[i] ? -i : i);
  CHECK(wrong == 0);
  unmap();
  OK(clFinish(s.queue));
  clSVMFree(s.context, nodes);
}

bool Announces(const Session& s, cl_device_svm_capabilities what) {
  return (DeviceInfo<cl_device_svm_capabilities>(s.device, CL_DEVICE_SVM_CAPABILITIES) & what) != 0;
}

void CoarseGrain(Session& s) {
  List(s, CL_MEM_READ_WRITE, Announces(s, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER));
}
void FineGrain(Session& s) {
  List(s, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
       Announces(s, CL_DEVICE_SVM_FINE_GRAIN_BUFFER));
}

void Commands(Session& s) {
  auto* a = static_cast<int*>(clSVMAlloc(s.context, CL_MEM_READ_WRITE, 4096, 0));
  auto* b = static_cast<int*>(clSVMAlloc(s.context, CL_MEM_READ_WRITE, 4096, 128));
  CHECK(a != nullptr && b != nullptr && reinterpret_cast<uintptr_t>(b) % 128 == 0);
  const int pattern[2] = {3, -4};
  std::vector<int> host(1024);
  OK(clEnqueueSVMMemFill(s.queue, a, pattern, 8, 4096, 0, nullptr, nullptr));
  OK(clEnqueueSVMMemcpy(s.queue, CL_FALSE, b, a, 4096, 0, nullptr, nullptr));
  OK(clEnqueueSVMMemcpy(s.queue, CL_TRUE, host.data(), b, 4096, 0, nullptr, nullptr));
  Each("copied", host, [](size_t i) { return i % 2 ? -4 : 3; });
  void* both[] = {a, b};
  OK(clEnqueueSVMFree(s.queue, 2, both, nullptr, nullptr, 0, nullptr, nullptr));
}

// Kernel and host take turns in one launch.
void FineGrainTurns(Session& s) {
  auto* words = static_cast<volatile int*>(
      clSVMAlloc(s.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 4096, 0));
  if (words == nullptr) {
    CHECK(!Announces(s, CL_DEVICE_SVM_FINE_GRAIN_BUFFER));
    return;
  }
  words[0] = words[1] = 0;
  const Program program = s.Build(R"(
    kernel void k(volatile global int* words) {
      for (int turn = 1; turn <= 20; ++turn) {
        words[0] = turn;
        while (words[1] != turn * 3) {}
      }
    })");
  const Kernel kernel = s.NewKernel(program, "k");
  OK(clSetKernelArgSVMPointer(kernel, 0, const_cast<int*>(words)));
  s.Launch(kernel, {1});
  OK(clFlush(s.queue));
  for (int turn = 1; turn <= 20; ++turn) {
    while (words[0] != turn) {
    }
    words[1] = turn * 3;
  }
  OK(clFinish(s.queue));
  CHECK(words[0] == 20);
  clSVMFree(s.context, const_cast<int*>(words));
}

void Pipes(Session& s) {
  cl_int error = CL_SUCCESS;
  const Buffer pipe(clCreatePipe(s.context, CL_MEM_READ_WRITE, 8, 256, nullptr, &error));
  OK(error);
  const Program program = s.Build(R"(
    kernel void put(write_only pipe uint2 p, global int* left) {
      uint2 v = (uint2)(get_global_id(0), get_global_id(0) * 3);
      if (write_pipe(p, &v) != 0) atomic_inc(left);
    }
    kernel void take(read_only pipe uint2 p, global uint* seen, global int* left) {
      uint2 v;
      if (read_pipe(p, &v) != 0) atomic_inc(left);
      else if (v.y == v.x * 3) atomic_inc(&seen[v.x]);
    })");
  const Kernel put = s.NewKernel(program, "put"), take = s.NewKernel(program, "take");
  std::vector<int> zeros(256, 0);
  const Buffer seen = s.NewBuffer(256, zeros.data()), full = s.NewBuffer(1, zeros.data()),
               empty = s.NewBuffer(1, zeros.data());
  s.Set(put, pipe, full);
  s.Set(take, pipe, seen, empty);
  s.Launch(put, {256});
  s.Launch(take, {256});
  Each("seen", s.Read<int>(seen, 256), [](size_t) { return 1; });
  s.Launch(take, {10});
  CHECK(s.Read<int>(empty, 1)[0] == 10);
  s.Launch(put, {300});
  CHECK(s.Read<int>(full, 1)[0] == 44);
}

}  // namespace

int main() {
  return Main({{"coarse grain", CoarseGrain},
               {"fine grain", FineGrain},
               {"commands", Commands},
               {"fine grain turns", FineGrainTurns},
               {"pipes", Pipes}});
}
