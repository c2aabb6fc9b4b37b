// Kernels with mistakes, compiled with -g. lines_test.py knows what their reports say.
//
//   lines stray    a store to what is no memory
//   lines collide  work-items that store to one place
//   lines waits    stray, in a program that waits for whatever child it has
#include <hip/hip_runtime.h>
#include <sys/wait.h>

#include <cerrno>
#include <string>
#include <thread>

#define INLINE static inline __device__ __attribute__((always_inline))
#define GLOBAL
#define KERNEL __global__
#define ID (blockIdx.x * 64 + threadIdx.x)
#include "../cli/lines.h"

int main(int, char** arguments) {
  const std::string what = arguments[1];
  unsigned* out = nullptr;
  if (hipMalloc(reinterpret_cast<void**>(&out), 4096) != hipSuccess) return 1;
  if (what == "waits") {
    std::thread([] {
      while (true) {
        if (wait(nullptr) < 0 && errno == ECHILD) std::this_thread::yield();
      }
    }).detach();
  }
  if (what == "collide") {
    for (int launch = 0; launch < 3; ++launch) collide<<<4, 64>>>(out, 1);
  } else {
    multiply<<<4, 64>>>(reinterpret_cast<unsigned*>(64), 3);
  }
  return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
