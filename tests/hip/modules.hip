// Code that is not part of the program: a module loaded from a file, and one that hiprtc compiles
// from source while the program runs. The module is the program's own second argument.
#include <hip/hiprtc.h>

#include "check.h"

constexpr uint32_t kCount = 1000;

static void FromFile(const char* path) {
  hipModule_t module;
  HIP(hipModuleLoad(&module, path));
  hipFunction_t function;
  HIP(hipModuleGetFunction(&function, module, "ModuleScale"));
  EXPECT(hipModuleGetFunction(&function, module, "NoSuchKernel") == hipErrorNotFound);
  (void)hipGetLastError();
  HIP(hipModuleGetFunction(&function, module, "ModuleScale"));
  hipDeviceptr_t factor = nullptr;
  size_t size = 0;
  HIP(hipModuleGetGlobal(&factor, &size, module, "module_factor"));
  EXPECT(size == 4);
  const uint32_t value = 77;
  HIP(hipMemcpyHtoD(factor, const_cast<uint32_t*>(&value), 4));

  std::vector<uint32_t> in(kCount);
  for (uint32_t i = 0; i < kCount; ++i) in[i] = check::Mix(i);
  check::Buffer<uint32_t> device_in(in), out(kCount);
  struct {
    const uint32_t* in;
    uint32_t* out;
    uint32_t count;
  } arguments = {device_in, out, kCount};
  size_t bytes = sizeof arguments;
  void* config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                    &bytes, HIP_LAUNCH_PARAM_END};
  HIP(hipModuleLaunchKernel(function, (kCount + 63) / 64, 1, 1, 64, 1, 1, 0, nullptr, nullptr,
                            config));
  check::Each("module, packed arguments", out.Get(), [&](size_t i) { return in[i] * 77; });
  const uint32_t other = 3;
  HIP(hipMemcpyHtoD(factor, const_cast<uint32_t*>(&other), 4));
  void* list[] = {&arguments.in, &arguments.out, &arguments.count};
  HIP(hipModuleLaunchKernel(function, 2, 1, 1, 512, 1, 1, 0, nullptr, list, nullptr));
  check::Each("module, list of arguments", out.Get(), [&](size_t i) { return in[i] * 3; });
  HIP(hipModuleUnload(module));
  EXPECT(hipModuleLoad(&module, "/nonexistent/module") != hipSuccess);
  (void)hipGetLastError();
}

static void FromSource() {
  const char* source = R"(
    template <typename T>
    __global__ void Scale(const T* in, T* out, int count) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < count) out[i] = in[i] * FACTOR;
    }
    extern "C" __global__ void Reverse(const float* in, float* out) {
      __shared__ float values[256];
      values[threadIdx.x] = in[threadIdx.x];
      __syncthreads();
      out[threadIdx.x] = values[255 - threadIdx.x];
    })";
  hiprtcProgram program;
  EXPECT(hiprtcCreateProgram(&program, source, "scale.hip", 0, nullptr, nullptr) == HIPRTC_SUCCESS);
  EXPECT(hiprtcAddNameExpression(program, "Scale<double>") == HIPRTC_SUCCESS);
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  const std::string target = std::string("--gpu-architecture=") + properties.gcnArchName;
  const char* options[] = {target.c_str(), "-DFACTOR=6"};
  if (hiprtcCompileProgram(program, 2, options) != HIPRTC_SUCCESS) {
    size_t size = 0;
    (void)hiprtcGetProgramLogSize(program, &size);
    std::string log(size, ' ');
    (void)hiprtcGetProgramLog(program, log.data());
    std::fprintf(stderr, "hiprtc: %s\n", log.c_str());
    std::exit(1);
  }
  const char* name = nullptr;
  EXPECT(hiprtcGetLoweredName(program, "Scale<double>", &name) == HIPRTC_SUCCESS);
  size_t size = 0;
  EXPECT(hiprtcGetCodeSize(program, &size) == HIPRTC_SUCCESS && size > 0);
  std::vector<char> code(size);
  EXPECT(hiprtcGetCode(program, code.data()) == HIPRTC_SUCCESS);
  hipModule_t module;
  HIP(hipModuleLoadData(&module, code.data()));
  hipFunction_t scale, reverse;
  HIP(hipModuleGetFunction(&scale, module, name));
  HIP(hipModuleGetFunction(&reverse, module, "Reverse"));
  EXPECT(hiprtcDestroyProgram(&program) == HIPRTC_SUCCESS);

  std::vector<double> in(kCount);
  for (uint32_t i = 0; i < kCount; ++i) in[i] = static_cast<double>(i) + 0.125;
  check::Buffer<double> device_in(in), out(kCount);
  double* p = device_in;
  double* q = out;
  int count = kCount;
  void* arguments[] = {&p, &q, &count};
  HIP(hipModuleLaunchKernel(scale, 4, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
  check::Each("hiprtc template", out.Get(), [&](size_t i) { return in[i] * 6; });

  std::vector<float> line(256);
  for (size_t i = 0; i < 256; ++i) line[i] = static_cast<float>(check::Mix(i) >> 8);
  check::Buffer<float> device_line(line), reversed(256);
  float* r = device_line;
  float* s = reversed;
  void* line_arguments[] = {&r, &s};
  HIP(hipModuleLaunchKernel(reverse, 1, 1, 1, 256, 1, 1, 0, nullptr, line_arguments, nullptr));
  check::Each("hiprtc LDS", reversed.Get(), [&](size_t i) { return line[255 - i]; });
  HIP(hipModuleUnload(module));
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s MODULE\n", argv[0]);
    return 2;
  }
  FromFile(argv[1]);
  FromSource();
  return check::Finish();
}
