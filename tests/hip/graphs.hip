// Graphs: captured from a stream and built by hand, launched repeatedly.
#include "check.h"

constexpr uint32_t kCount = 4096;

__global__ void Step(uint32_t* data, uint32_t addend) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] * 5 + addend;
}

static void Captured() {
  std::vector<uint32_t> host(kCount);
  for (uint32_t i = 0; i < kCount; ++i) host[i] = i;
  check::Buffer<uint32_t> data(host);
  std::vector<uint32_t> result(kCount, 1);
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  for (uint32_t r = 0; r < 5; ++r) Step<<<kCount / 128, 128, 0, stream>>>(data, r);
  HIP(hipMemcpyAsync(result.data(), data, kCount * 4, hipMemcpyDeviceToHost, stream));
  hipGraph_t graph;
  HIP(hipStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  HIP(hipGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 6);
  EXPECT(data.Get()[3] == 3);  // captured only, not run
  hipGraphExec_t runnable;
  HIP(hipGraphInstantiate(&runnable, graph, nullptr, nullptr, 0));
  for (int launch = 0; launch < 4; ++launch) HIP(hipGraphLaunch(runnable, stream));
  HIP(hipStreamSynchronize(stream));
  check::Each("captured graph", result, [](size_t i) {
    uint32_t x = static_cast<uint32_t>(i);
    for (int launch = 0; launch < 4; ++launch) {
      for (uint32_t r = 0; r < 5; ++r) x = x * 5 + r;
    }
    return x;
  });
  HIP(hipGraphExecDestroy(runnable));
  HIP(hipGraphDestroy(graph));
  HIP(hipStreamDestroy(stream));
}

static void Built() {
  check::Buffer<uint32_t> data(kCount);
  std::vector<uint32_t> result(kCount, 1);
  uint32_t* pointer = data;
  uint32_t addend = 9;
  hipGraph_t graph;
  HIP(hipGraphCreate(&graph, 0));
  hipMemsetParams fill = {};
  fill.dst = pointer;
  fill.elementSize = 4;
  fill.width = kCount;
  fill.height = 1;
  fill.value = 123456;
  hipGraphNode_t fill_node, kernel_node, copy_node;
  HIP(hipGraphAddMemsetNode(&fill_node, graph, nullptr, 0, &fill));
  void* arguments[] = {&pointer, &addend};
  hipKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(Step);
  kernel.gridDim = dim3(kCount / 256);
  kernel.blockDim = dim3(256);
  kernel.kernelParams = arguments;
  HIP(hipGraphAddKernelNode(&kernel_node, graph, &fill_node, 1, &kernel));
  HIP(hipGraphAddMemcpyNode1D(&copy_node, graph, &kernel_node, 1, result.data(), pointer,
                              kCount * 4, hipMemcpyDeviceToHost));
  hipGraphExec_t runnable;
  HIP(hipGraphInstantiate(&runnable, graph, nullptr, nullptr, 0));
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  HIP(hipGraphLaunch(runnable, stream));
  HIP(hipStreamSynchronize(stream));
  check::Each("built graph", result, [](size_t) { return 123456u * 5 + 9; });
  HIP(hipStreamDestroy(stream));
  HIP(hipGraphExecDestroy(runnable));
  HIP(hipGraphDestroy(graph));
}

int main() {
  Captured();
  Built();
  return check::Finish();
}
