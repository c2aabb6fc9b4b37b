// Its kernel writes where nothing is.
#include <hip/hip_runtime.h>

__global__ void Store(unsigned* to) { to[threadIdx.x] = 1; }

int main() {
  Store<<<1, 64>>>(nullptr);
  (void)hipDeviceSynchronize();
}
