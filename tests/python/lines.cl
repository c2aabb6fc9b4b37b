// Kernels of lines_test.py, compiled with -g: the test looks for what is written in capitals.
static inline __attribute__((always_inline)) void store(global uint* to, uint value) {
  *to = value;  // HERE IT STRAYS
}

kernel void stray(global uint* data) {
  const uint i = get_global_id(0);
  if (i == 69) store(data + 0x100000, 1);  // HERE IT IS INLINED
}

kernel void race(global uint* data, local volatile uint* scratch) {
  const uint i = get_local_id(0);
  scratch[i] = i;  // HERE IT WRITES
  data[i] = scratch[get_local_size(0) - 1 - i];  // HERE IT READS
}

kernel void spin(global volatile uint* data) {
  while (*data == 0) {}  // HERE IT SPINS
}
