// Platform, device and contexts: what they say of themselves.
#include "harness.h"

namespace {

void Platform(Session& s) {
  cl_uint count = 0;
  OK(clGetPlatformIDs(0, nullptr, &count));
  CHECK(count == 1);  // gcnjit exec leaves AMD's alone
  char text[256] = {};
  OK(clGetPlatformInfo(s.platform, CL_PLATFORM_NAME, sizeof text, text, nullptr));
  CHECK(std::strcmp(text, "AMD Accelerated Parallel Processing") == 0);
  FAILS(clGetPlatformInfo(s.platform, CL_PLATFORM_NAME, 3, text, nullptr), CL_INVALID_VALUE);
}

void Devices(Session& s) {
  cl_uint count = 0;
  OK(clGetDeviceIDs(s.platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count));
  CHECK(count == 1);
  const std::string wanted = std::getenv("GCNJIT_DEVICE");
  CHECK(DeviceText(s.device, CL_DEVICE_NAME).rfind(wanted, 0) == 0);
  CHECK(DeviceInfo<cl_device_type>(s.device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU);
  CHECK(DeviceInfo<cl_uint>(s.device, CL_DEVICE_MAX_COMPUTE_UNITS) == 64);
  CHECK(DeviceInfo<cl_ulong>(s.device, CL_DEVICE_LOCAL_MEM_SIZE) == 65536);
  CHECK(DeviceInfo<cl_bool>(s.device, CL_DEVICE_AVAILABLE));
  CHECK(DeviceInfo<cl_bool>(s.device, CL_DEVICE_COMPILER_AVAILABLE));
  CHECK(DeviceInfo<cl_uint>(s.device, CL_DEVICE_ADDRESS_BITS) == 64);
  CHECK(DeviceInfo<cl_ulong>(s.device, CL_DEVICE_GLOBAL_MEM_SIZE) >=
        DeviceInfo<cl_ulong>(s.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  CHECK(DeviceInfo<cl_ulong>(s.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE) >= (1u << 28));
  FAILS(clGetDeviceIDs(s.platform, CL_DEVICE_TYPE_CPU, 0, nullptr, &count), CL_DEVICE_NOT_FOUND);
}

void Contexts(Session& s) {
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(s.platform), 0};
  cl_int error = CL_SUCCESS;
  const Owned<cl_context> context(
      clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, nullptr, nullptr, &error));
  OK(error);
  cl_uint devices = 0, references = 0;
  OK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof devices, &devices, nullptr));
  CHECK(devices == 1);
  OK(clRetainContext(context));
  OK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references,
                      nullptr));
  CHECK(references == 2);
  OK(clReleaseContext(context));
  cl_device_id device = nullptr;
  OK(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr));
  CHECK(device == s.device);
}

// Objects keep what they are made of, whichever is released first.
void ReleaseOrder(Session& s) {
  std::vector<int> host(64, 5);
  for (int order = 0; order < 4; ++order) {
    Session own;
    Buffer buffer = own.NewBuffer(host.size(), host.data());
    Program program = own.Build("kernel void k(global int* p) { p[get_global_id(0)] += 2; }");
    Kernel kernel = own.NewKernel(program, "k");
    own.Set(kernel, buffer);
    if (order & 1) program = Program();
    if (order & 2) own.context = Owned<cl_context>();
    own.Launch(kernel, {64});
    kernel = Kernel();  // still running, maybe
    std::vector<int> got(64);
    OK(clEnqueueReadBuffer(own.queue, buffer, CL_FALSE, 0, 256, got.data(), 0, nullptr, nullptr));
    buffer = Buffer();
    OK(clFinish(own.queue));
    Each("after releases", got, [](size_t) { return 7; });
  }
  (void)s;
}

void OneDeviceIsNotSplit(Session& s) {
  const cl_device_partition_property half[] = {CL_DEVICE_PARTITION_EQUALLY, 32, 0};
  cl_uint count = 0;
  cl_device_id parts[2] = {};
  CHECK(clCreateSubDevices(s.device, half, 2, parts, &count) != CL_SUCCESS);
  cl_device_id parent = s.device;
  OK(clGetDeviceInfo(s.device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, nullptr));
  CHECK(parent == nullptr);
}

}  // namespace

int main() {
  return Main({{"platform", Platform},
               {"devices", Devices},
               {"contexts", Contexts},
               {"release order", ReleaseOrder},
               {"one device is not split", OneDeviceIsNotSplit}});
}
