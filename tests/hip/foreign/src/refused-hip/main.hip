// Its kernel reads an image.
#include <hip/hip_runtime.h>

__global__ void Load() {
  asm volatile("image_load v0, v[0:3], s[0:7] dmask:0x1 unorm" ::: "v0");
}

int main() {
  Load<<<1, 64>>>();
  (void)hipDeviceSynchronize();
}
