// Private memory (scratch): dynamic indexing, large frames, calls, pointers of all kinds.

kernel void private_index(global int* out, global const int* in) {
  int a[32];
  const int i = get_global_id(0), v = in[i];
  for (int j = 0; j < 32; ++j) a[j] = v * j + i;
  for (int j = 0; j < 64; ++j) {
    const int from = (v + j * 7) & 31, to = (i * 5 + j * 3) & 31;
    a[to] += a[from] ^ j;
  }
  int sum = 0;
  for (int j = 0; j < 32; ++j) sum = sum * 31 + a[j];
  out[i] = sum;
}

kernel void private_sort(global short* out, global const short* in, int count) {
  short a[48];
  const size_t base = get_global_id(0) * count;
  for (int j = 0; j < count; ++j) {
    const short v = in[base + j];
    int k = j;
    while (k > 0 && a[k - 1] > v) {
      a[k] = a[k - 1];
      --k;
    }
    a[k] = v;
  }
  for (int j = 0; j < count; ++j) out[base + j] = a[j];
}

typedef struct {
  uchar bytes[11];
  short shorts[7];
  double doubles[5];
  long longs[3];
  float4 vectors[3];
  char last[5];
} Record;

kernel void private_mixed(global double* out, global const uint* in) {
  Record r[2];
  const size_t i = get_global_id(0);
  const uint v = in[i];
  for (int j = 0; j < 2; ++j) {
    for (int k = 0; k < 11; ++k) r[j].bytes[k] = v >> k;
    for (int k = 0; k < 7; ++k) r[j].shorts[k] = v >> (2 * k + j);
    for (int k = 0; k < 5; ++k) r[j].doubles[k] = (v & 0xffff) * 0.25 + k * j;
    for (int k = 0; k < 3; ++k) r[j].longs[k] = (long)v << (10 * k);
    for (int k = 0; k < 3; ++k) r[j].vectors[k] = (float4)(v & 255, k, j, 1.0f);
    for (int k = 0; k < 5; ++k) r[j].last[k] = v >> (3 * k);
  }
  r[v & 1].bytes[(v >> 3) % 11] = 200;
  r[(v >> 1) & 1].shorts[(v >> 4) % 7] = -300;
  r[(v >> 2) & 1].vectors[v % 3].z = 5.0f;
  double sum = 0;
  for (int j = 0; j < 12; ++j) {
    const uint at = v * (j + 1) >> 5;
    const Record* p = &r[at & 1];
    sum += p->bytes[at % 11] + p->shorts[at % 7] + p->doubles[at % 5] + p->last[at % 5];
    sum += (double)(p->longs[at % 3] & 0xfffffff) + p->vectors[at % 3].x * p->vectors[at % 3].z;
  }
  out[i] = sum;
}

// A frame of more than 4 KiB a work-item: beyond the offset field of the instructions.
kernel void private_large(global uint* out, global const uint* in) {
  uint a[1500];
  const size_t i = get_global_id(0);
  const uint v = in[i];
  for (uint j = 0; j < 1500; j += 4) a[(j * 7 + v) % 1500] = j ^ v;
  for (uint j = 1; j < 1500; j += 2) a[(j * 7 + v) % 1500] = j + v;
  for (uint j = 2; j < 1500; j += 4) a[(j * 7 + v) % 1500] = j * 3;
  uint sum = a[0] + a[1499] * 3 + a[1100] * 5;
  for (uint j = 0; j < 40; ++j) sum = sum * 33 + a[(v + j * 61) % 1500];
  out[i] = sum;
}

// Quicksort with a stack of its own.
kernel void private_stack(global uint* out, global const uint* in) {
  uint a[32];
  int stack[64];
  const size_t base = get_global_id(0) * 32;
  for (int j = 0; j < 32; ++j) a[j] = in[base + j];
  int top = 0;
  stack[top++] = 0;
  stack[top++] = 31;
  while (top > 0) {
    const int high = stack[--top], low = stack[--top];
    if (low >= high) continue;
    const uint pivot = a[(low + high) / 2];
    int i = low - 1, j = high + 1;
    for (;;) {
      do { ++i; } while (a[i] < pivot);
      do { --j; } while (a[j] > pivot);
      if (i >= j) break;
      const uint t = a[i];
      a[i] = a[j];
      a[j] = t;
    }
    stack[top++] = low;
    stack[top++] = j;
    stack[top++] = j + 1;
    stack[top++] = high;
  }
  for (int j = 0; j < 32; ++j) out[base + j] = a[j];
}

__attribute__((noinline)) int sum_of(private const int* values, int count, int start) {
  int sum = start;
  for (int j = 0; j < count; ++j) sum = sum * 7 + values[j];
  return sum;
}

__attribute__((noinline)) void fill(private int* values, int count, int seed) {
  for (int j = 0; j < count; ++j) values[j] = seed * (j + 1);
}

__attribute__((noinline)) int outer(private int* values, int seed) {
  int more[6];
  fill(more, 6, seed + 1);
  const int first = sum_of(more, 6, 1);
  fill(values, 9, first);
  return sum_of(values, 9, first) ^ sum_of(more, 6, 2);
}

// Calls that are not inlined, with pointers into the caller's frame, in divergent code.
kernel void private_calls(global int* out, global const int* in) {
  int values[9];
  const size_t i = get_global_id(0);
  const int v = in[i];
  fill(values, 9, v);
  int r = sum_of(values, (v & 7) + 2, 5);
  if (v & 8) r += outer(values, v);
  for (int j = 0; j < (v & 3); ++j) r = sum_of(values, 3 + j, r);
  out[i] = r;
}

// Many arguments: some of them on the stack.
__attribute__((noinline)) long many(int a, long b, float c, int16 d, int16 e, double f, short g,
                                    char h, long4 i) {
  return a + b * 3 + (long)c + d.s0 * 5 + d.sf * 7 + e.s3 * 11 + e.sc * 13 + (long)f * 17 + g * 19 +
         h * 23 + i.x * 29 + i.w * 31;
}

kernel void private_many_arguments(global long* out, global const int* in) {
  const size_t i = get_global_id(0);
  const int v = in[i];
  long r = many(v, (long)v << 20, v * 0.5f, (int16)(v + 1), (int16)(v ^ 3), v * 2.0, (short)v,
                (char)(v >> 4), (long4)(v, 2, 3, v + 9));
  if (v & 1) {
    r ^= many(1, 2, 3.0f, (int16)(v, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, v),
              (int16)(4), 6.0, 7, 8, (long4)(9));
  }
  out[i] = r;
}

#if GENERATION >= 7
__attribute__((noinline)) int generic_sum(const int* p, int count) {
  int sum = 0;
  for (int j = 0; j < count; ++j) sum = sum * 3 + p[j];
  return sum;
}

// One pointer to three kinds of memory (FLAT instructions and the apertures).
kernel void generic_pointers(global int* out, global const int* in) {
  local int shared_values[64];
  int own[8];
  const int l = get_local_id(0), i = get_global_id(0);
  shared_values[l] = in[i] + 1;
  for (int j = 0; j < 8; ++j) own[j] = in[i] * j;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int* p;
  switch (in[i] & 3) {
    case 0: p = own + (in[i] >> 2 & 3); break;
    case 1: p = shared_values + (l & 48); break;
    case 2: p = (const int*)(in + (i & ~15)); break;
    default: p = own; break;
  }
  const int sum = generic_sum(p, 4);
  int* q = (in[i] & 8) ? (int*)&own[1] : (int*)&out[2 * i + 1];
  *q = sum;
  out[2 * i] = sum + own[1];
  if (in[i] & 8) out[2 * i + 1] = to_local(p) != 0 ? 1 : to_private(p) != 0 ? 2 : 3;
}

// A place in LDS or in a private array, by data: nothing else may be known of the pointer.
kernel void flat_place(global uint* out, global const uint* in) {
  local uint shared_values[256];
  const uint l = get_local_id(0), i = get_global_id(0);
  uint own[2] = {4, 4};
  shared_values[l] = 4;
  uint* p = in[i] & 1 ? (uint*)&shared_values[l] : (uint*)&own[in[i] >> 1 & 1];
  const uint v = *(volatile uint*)p;
  *(volatile uint*)p = v + 1;
  out[i] = shared_values[l] + own[0] * 3 + own[1] * 5;
}
#endif
