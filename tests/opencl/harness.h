// What every OpenCL test program shares: calls that must succeed, calls that must fail with one
// code, values that must be equal, and handles that release themselves.
//
// A program is a list of cases: int main() { return Main({{"name", Function}, ...}); }. It fails
// when a value differed, and also when a case compared nothing. Expected values are computed by the
// host.
#pragma once

#define CL_TARGET_OPENCL_VERSION 210
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace harness {

inline uint64_t compared = 0;
inline uint64_t different = 0;
inline const char* running = "";

// Ends the program: what follows would only repeat the message.
inline void Call(cl_int error, const char* text, const char* file, int line) {
  if (error == CL_SUCCESS) return;
  std::fprintf(stderr, "%s:%d: %s: %s: error %d\n", file, line, running, text, error);
  std::exit(2);
}

inline void True(bool holds, const std::string& text, const char* file, int line) {
  ++compared;
  if (holds) return;
  ++different;
  std::fprintf(stderr, "%s:%d: %s: does not hold: %s\n", file, line, running, text.c_str());
}

inline void Fails(cl_int got, cl_int want, const char* text, const char* file, int line) {
  True(got == want,
       std::string(text) + " gives " + std::to_string(want) + "; it gave " + std::to_string(got),
       file, line);
}

#define OK(call) ::harness::Call((call), #call, __FILE__, __LINE__)
#define CHECK(condition) ::harness::True((condition), #condition, __FILE__, __LINE__)
#define FAILS(call, code) ::harness::Fails((call), (code), #call, __FILE__, __LINE__)

// got[i] must be want(i), byte for byte; the first few differences are printed.
template <typename T, typename Want>
void Each(const char* what, const T* got, size_t count, Want want) {
  uint64_t here = 0;
  for (size_t i = 0; i < count; ++i) {
    const T wanted = static_cast<T>(want(i));
    ++compared;
    if (std::memcmp(&got[i], &wanted, sizeof(T)) == 0) continue;
    ++different;
    if (++here <= 5)
      std::fprintf(stderr, "%s: %s[%zu] is %.17g, not %.17g\n", running, what, i,
                   static_cast<double>(got[i]), static_cast<double>(wanted));
  }
}
template <typename T, typename Want>
void Each(const char* what, const std::vector<T>& got, Want want) {
  Each(what, got.data(), got.size(), want);
}

inline void Release(cl_mem it) { OK(clReleaseMemObject(it)); }
inline void Release(cl_kernel it) { OK(clReleaseKernel(it)); }
inline void Release(cl_program it) { OK(clReleaseProgram(it)); }
inline void Release(cl_command_queue it) { OK(clReleaseCommandQueue(it)); }
inline void Release(cl_context it) { OK(clReleaseContext(it)); }
inline void Release(cl_event it) { OK(clReleaseEvent(it)); }

template <typename T>
class Owned {
 public:
  Owned() = default;
  explicit Owned(T it) : it_(it) {}
  Owned(Owned&& other) noexcept : it_(std::exchange(other.it_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(it_, other.it_);
    return *this;
  }
  ~Owned() {
    if (it_ != nullptr) Release(it_);
  }
  operator T() const { return it_; }
  T* out() { return &it_; }  // where a call puts a new one

 private:
  T it_ = nullptr;
};
using Buffer = Owned<cl_mem>;
using Kernel = Owned<cl_kernel>;
using Program = Owned<cl_program>;
using Queue = Owned<cl_command_queue>;
using Event = Owned<cl_event>;

template <typename T>
T DeviceInfo(cl_device_id device, cl_device_info what) {
  T value{};
  OK(clGetDeviceInfo(device, what, sizeof value, &value, nullptr));
  return value;
}
inline std::string DeviceText(cl_device_id device, cl_device_info what) {
  size_t bytes = 0;
  OK(clGetDeviceInfo(device, what, 0, nullptr, &bytes));
  std::string text(bytes, '\0');
  OK(clGetDeviceInfo(device, what, bytes, text.data(), nullptr));
  return text.c_str();
}

// Local memory of so many bytes, as an argument.
struct Local {
  size_t bytes;
};

// The device, a context and a queue.
struct Session {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  Owned<cl_context> context;
  Queue queue;

  Session() {
    OK(clGetPlatformIDs(1, &platform, nullptr));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, nullptr));
    cl_int error = CL_SUCCESS;
    context = Owned<cl_context>(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error));
    OK(error);
    queue = NewQueue();
  }

  bool HasExtension(const char* name) const {
    return (DeviceText(device, CL_DEVICE_EXTENSIONS) + " ").find(std::string(name) + " ") !=
           std::string::npos;
  }

  Queue NewQueue(cl_command_queue_properties properties = 0) const {
    cl_int error = CL_SUCCESS;
    Queue made(clCreateCommandQueue(context, device, properties, &error));
    OK(error);
    return made;
  }

  template <typename T>
  Buffer NewBuffer(size_t count, T* contents = nullptr,
                   cl_mem_flags flags = CL_MEM_READ_WRITE) const {
    cl_int error = CL_SUCCESS;
    if (contents != nullptr && (flags & CL_MEM_USE_HOST_PTR) == 0) flags |= CL_MEM_COPY_HOST_PTR;
    Buffer made(clCreateBuffer(context, flags, count * sizeof(T), contents, &error));
    OK(error);
    return made;
  }

  template <typename T>
  void Read(cl_mem buffer, T* to, size_t count) const {
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof(T), to, 0, nullptr, nullptr));
  }
  template <typename T>
  std::vector<T> Read(cl_mem buffer, size_t count) const {
    std::vector<T> values(count);
    Read(buffer, values.data(), count);
    return values;
  }

  Program NewProgram(const char* source) const {
    cl_int error = CL_SUCCESS;
    Program made(clCreateProgramWithSource(context, 1, &source, nullptr, &error));
    OK(error);
    return made;
  }
  std::string BuildLog(cl_program program) const {
    size_t bytes = 0;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes));
    std::string log(bytes, '\0');
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr));
    return log.c_str();
  }
  Program Build(const char* source, const char* options = "-cl-std=CL2.0") const {
    Program made = NewProgram(source);
    const cl_int error = clBuildProgram(made, 1, &device, options, nullptr, nullptr);
    if (error != CL_SUCCESS) std::fprintf(stderr, "%s\n", BuildLog(made).c_str());
    OK(error);
    return made;
  }
  Kernel NewKernel(cl_program program, const char* name) const {
    cl_int error = CL_SUCCESS;
    Kernel made(clCreateKernel(program, name, &error));
    OK(error);
    return made;
  }

  static void SetOne(cl_kernel kernel, cl_uint at, const Local& local) {
    OK(clSetKernelArg(kernel, at, local.bytes, nullptr));
  }
  static void SetOne(cl_kernel kernel, cl_uint at, const Buffer& buffer) {
    const cl_mem memory = buffer;
    OK(clSetKernelArg(kernel, at, sizeof memory, &memory));
  }
  template <typename T>
  static void SetOne(cl_kernel kernel, cl_uint at, const T& value) {
    OK(clSetKernelArg(kernel, at, sizeof value, &value));
  }
  template <typename... Arguments>
  static void Set(cl_kernel kernel, const Arguments&... arguments) {
    cl_uint at = 0;
    (SetOne(kernel, at++, arguments), ...);
  }

  using Sizes = std::vector<size_t>;
  // Does not wait. Empty sizes: not given.
  void Launch(cl_kernel kernel, const Sizes& global, const Sizes& local = {},
              const Sizes& offset = {}) const {
    OK(TryLaunch(kernel, global, local, offset));
  }
  cl_int TryLaunch(cl_kernel kernel, const Sizes& global, const Sizes& local = {},
                   const Sizes& offset = {}) const {
    return clEnqueueNDRangeKernel(queue, kernel, static_cast<cl_uint>(global.size()),
                                  offset.empty() ? nullptr : offset.data(), global.data(),
                                  local.empty() ? nullptr : local.data(), 0, nullptr, nullptr);
  }
};

struct Case {
  const char* name;
  std::function<void(Session&)> run;
};

inline int Main(std::initializer_list<Case> cases) {
  Session session;
  for (const Case& one : cases) {
    running = one.name;
    const uint64_t before = compared;
    one.run(session);
    OK(clFinish(session.queue));
    if (compared == before) {
      ++different;
      std::fprintf(stderr, "%s compared nothing\n", one.name);
    }
  }
  std::printf("%zu cases, %llu values compared, %llu differ\n", cases.size(),
              static_cast<unsigned long long>(compared),
              static_cast<unsigned long long>(different));
  return different == 0 && cases.size() != 0 ? 0 : 1;
}

}  // namespace harness

using namespace harness;
