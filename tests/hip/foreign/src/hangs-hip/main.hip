// Its kernel never ends.
#include <hip/hip_runtime.h>

__global__ void Spin(volatile unsigned* flag) {
  while (*flag == 0) {
  }
}

int main() {
  unsigned* flag = nullptr;
  (void)hipMalloc((void**)&flag, 4);
  (void)hipMemset(flag, 0, 4);
  Spin<<<1, 64>>>(flag);
  (void)hipDeviceSynchronize();
}
