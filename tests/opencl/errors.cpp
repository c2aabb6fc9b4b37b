// Wrong arguments are refused, with the specification's codes, and break nothing.
#include "harness.h"

namespace {

const char* const kSource =
    "kernel void k(global int* p, int x, local int* l) { p[0] = x + l[0] * 0; }";

void Buffers(Session& s) {
  cl_int error = CL_SUCCESS;
  int value = 0;
  CHECK(clCreateBuffer(s.context, CL_MEM_READ_WRITE, 0, nullptr, &error) == nullptr);
  CHECK(error == CL_INVALID_BUFFER_SIZE);
  CHECK(clCreateBuffer(s.context, CL_MEM_COPY_HOST_PTR, 4, nullptr, &error) == nullptr);
  CHECK(error == CL_INVALID_HOST_PTR);
  CHECK(clCreateBuffer(s.context, CL_MEM_READ_WRITE, 4, &value, &error) == nullptr);
  CHECK(error == CL_INVALID_HOST_PTR);
  CHECK(clCreateBuffer(s.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, nullptr, &error) ==
        nullptr);
  CHECK(error == CL_INVALID_VALUE);
  CHECK(clCreateBuffer(nullptr, CL_MEM_READ_WRITE, 4, nullptr, &error) == nullptr);
  CHECK(error == CL_INVALID_CONTEXT);
  CHECK(clCreateBuffer(s.context, 0, ~size_t{0} / 2, nullptr, &error) == nullptr);
  CHECK(error == CL_INVALID_BUFFER_SIZE);
  FAILS(clReleaseMemObject(nullptr), CL_INVALID_MEM_OBJECT);
}

void Transfers(Session& s) {
  int values[8] = {};
  const Buffer buffer = s.NewBuffer<int>(4);
  FAILS(clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, 8, 16, values, 0, nullptr, nullptr),
        CL_INVALID_VALUE);
  FAILS(clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, 0, 16, nullptr, 0, nullptr, nullptr),
        CL_INVALID_VALUE);
  FAILS(clEnqueueWriteBuffer(s.queue, nullptr, CL_TRUE, 0, 16, values, 0, nullptr, nullptr),
        CL_INVALID_MEM_OBJECT);
  FAILS(clEnqueueWriteBuffer(nullptr, buffer, CL_TRUE, 0, 16, values, 0, nullptr, nullptr),
        CL_INVALID_COMMAND_QUEUE);
  FAILS(clEnqueueWriteBuffer(s.queue, buffer, CL_TRUE, 0, 16, values, 1, nullptr, nullptr),
        CL_INVALID_EVENT_WAIT_LIST);
  const Session other;
  FAILS(clEnqueueReadBuffer(other.queue, buffer, CL_TRUE, 0, 16, values, 0, nullptr, nullptr),
        CL_INVALID_CONTEXT);
  const Buffer no_read = s.NewBuffer<int>(4, nullptr, CL_MEM_HOST_WRITE_ONLY);
  FAILS(clEnqueueReadBuffer(s.queue, no_read, CL_TRUE, 0, 16, values, 0, nullptr, nullptr),
        CL_INVALID_OPERATION);
}

void Arguments(Session& s) {
  const Program program = s.Build(kSource);
  const Kernel kernel = s.NewKernel(program, "k");
  const Buffer buffer = s.NewBuffer<int>(1);
  const cl_mem memory = buffer;
  const int value = 3;
  FAILS(s.TryLaunch(kernel, {1}), CL_INVALID_KERNEL_ARGS);
  FAILS(clSetKernelArg(kernel, 3, 4, &value), CL_INVALID_ARG_INDEX);
  FAILS(clSetKernelArg(kernel, 1, 8, &value), CL_INVALID_ARG_SIZE);
  FAILS(clSetKernelArg(kernel, 1, 4, nullptr), CL_INVALID_ARG_VALUE);
  FAILS(clSetKernelArg(kernel, 2, 0, nullptr), CL_INVALID_ARG_SIZE);
  FAILS(clSetKernelArg(kernel, 2, 4, &value), CL_INVALID_ARG_VALUE);
  FAILS(clSetKernelArg(nullptr, 0, sizeof memory, &memory), CL_INVALID_KERNEL);
  s.Set(kernel, buffer, value, Local{4});
  s.Launch(kernel, {1});
  CHECK(s.Read<int>(buffer, 1)[0] == 3);
}

void Launches(Session& s) {
  const Program program = s.Build(kSource);
  const Kernel kernel = s.NewKernel(program, "k");
  const Buffer buffer = s.NewBuffer<int>(1);
  s.Set(kernel, buffer, cl_int{8}, Local{4});
  const size_t one = 1, none = 0;
  FAILS(clEnqueueNDRangeKernel(s.queue, kernel, 4, nullptr, &one, nullptr, 0, nullptr, nullptr),
        CL_INVALID_WORK_DIMENSION);
  FAILS(clEnqueueNDRangeKernel(s.queue, kernel, 0, nullptr, &one, nullptr, 0, nullptr, nullptr),
        CL_INVALID_WORK_DIMENSION);
  CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, nullptr, nullptr, nullptr, 0, nullptr,
                               nullptr) != CL_SUCCESS);
  FAILS(clEnqueueNDRangeKernel(s.queue, nullptr, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
        CL_INVALID_KERNEL);
  CHECK(s.TryLaunch(kernel, {4096}, {4096}) != CL_SUCCESS);
  CHECK(s.TryLaunch(kernel, {64, 64}, {64, 64}) != CL_SUCCESS);
  CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, nullptr, &one, &none, 0, nullptr, nullptr) !=
        CL_SUCCESS);
  // More local memory than there is.
  s.Set(kernel, buffer, cl_int{8}, Local{65536 + 4096});
  CHECK(s.TryLaunch(kernel, {1}) != CL_SUCCESS);
  s.Set(kernel, buffer, cl_int{9}, Local{65536});
  s.Launch(kernel, {1});
  CHECK(s.Read<int>(buffer, 1)[0] == 9);
}

void Objects(Session& s) {
  cl_int error = CL_SUCCESS;
  CHECK(clCreateContext(nullptr, 0, nullptr, nullptr, nullptr, &error) == nullptr);
  CHECK(error == CL_INVALID_VALUE);
  CHECK(clCreateCommandQueue(nullptr, s.device, 0, &error) == nullptr);
  CHECK(error == CL_INVALID_CONTEXT);
  CHECK(clCreateProgramWithSource(s.context, 0, nullptr, nullptr, &error) == nullptr);
  CHECK(error == CL_INVALID_VALUE);
  FAILS(clBuildProgram(nullptr, 0, nullptr, "", nullptr, nullptr), CL_INVALID_PROGRAM);
  FAILS(clWaitForEvents(0, nullptr), CL_INVALID_VALUE);
  FAILS(clFinish(nullptr), CL_INVALID_COMMAND_QUEUE);
  FAILS(clRetainContext(nullptr), CL_INVALID_CONTEXT);
  const Program program = s.NewProgram(kSource);
  CHECK(clCreateKernel(program, "k", &error) == nullptr);  // not built
  size_t bytes = 0;
  FAILS(clGetDeviceInfo(s.device, 0xFFFF, 0, nullptr, &bytes), CL_INVALID_VALUE);
}

}  // namespace

int main() {
  return Main({{"buffers", Buffers},
               {"transfers", Transfers},
               {"arguments", Arguments},
               {"launches", Launches},
               {"objects", Objects}});
}
