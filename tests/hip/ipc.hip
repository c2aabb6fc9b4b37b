// Two processes with the same device memory: this program and itself again, which finds the handle
// on its command line, adds to the memory by a kernel, and ends.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "check.h"

extern char** environ;

constexpr uint32_t kCount = 100'000;

__global__ void Add(uint32_t* data, uint32_t count, uint32_t value) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += value * i;
}

static void Launch(uint32_t* data, uint32_t value) {
  Add<<<(kCount + 255) / 256, 256>>>(data, kCount, value);
  HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
}

static std::string TextOf(const hipIpcMemHandle_t& handle) {
  std::string text;
  for (const char byte : handle.reserved) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
    text += digits;
  }
  return text;
}

static hipIpcMemHandle_t HandleOf(const std::string& text) {
  hipIpcMemHandle_t handle;
  for (size_t n = 0; n < sizeof handle.reserved; ++n) {
    handle.reserved[n] = static_cast<char>(std::stoul(text.substr(2 * n, 2), nullptr, 16));
  }
  return handle;
}

// What the other process does; "die": it does not come to an end by itself.
static int Other(const std::string& role, const std::string& handle) {
  void* data = nullptr;
  HIP(hipIpcOpenMemHandle(&data, HandleOf(handle), hipIpcMemLazyEnablePeerAccess));
  std::vector<uint32_t> values(kCount);
  HIP(hipMemcpy(values.data(), data, kCount * sizeof(uint32_t), hipMemcpyDeviceToHost));
  check::Each("found", values, [](size_t i) { return 7 * i; });
  Launch(static_cast<uint32_t*>(data), 1000);
  if (role == "die") std::raise(SIGKILL);
  HIP(hipIpcCloseMemHandle(data));
  return check::Finish();
}

// Its status, as of waitpid.
static int Run(const char* role, const hipIpcMemHandle_t& handle) {
  std::string program = "/proc/self/exe", name = role, text = TextOf(handle);
  char* argv[] = {program.data(), name.data(), text.data(), nullptr};
  pid_t process = -1;
  int status = -1;
  if (posix_spawn(&process, program.c_str(), nullptr, nullptr, argv, environ) != 0) return -1;
  ::waitpid(process, &status, 0);
  return status;
}

int main(int argc, char** argv) {
  if (argc == 3) return Other(argv[1], argv[2]);
  for (const char* role : {"end", "die"}) {
    check::Buffer<uint32_t> data(std::vector<uint32_t>(kCount, 0));
    Launch(data, 7);
    hipIpcMemHandle_t handle;
    HIP(hipIpcGetMemHandle(&handle, static_cast<uint32_t*>(data)));
    const int status = Run(role, handle);
    if (std::strcmp(role, "die") == 0) {
      EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    } else {
      EXPECT(status == 0);
    }
    check::Each("data", data.Get(), [](size_t i) { return 1007 * i; });
    // Whatever the other process did: the memory is as usable as before.
    Launch(data, 1);
    check::Each("data", data.Get(), [](size_t i) { return 1008 * i; });
  }
  return check::Finish();
}
