// Constant tables, program-scope variables, tables of pointers (relocations), strings.

constant int squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
constant float weights[5] = {0.5f, -1.25f, 3.0f, 1e10f, -0.0f};
constant char text[] = "The quick brown fox jumps over the lazy dog";

typedef struct {
  int key;
  double value;
  uchar tag[3];
} Entry;
constant Entry entries[3] = {{10, 1.5, {1, 2, 3}}, {-20, 2.5, {4, 5, 6}}, {30, -3.5, {7, 8, 9}}};

kernel void constant_tables(global double* out, global const uint* in) {
  const size_t i = get_global_id(0);
  const uint v = in[i];
  constant Entry* entry = &entries[v % 3];
  out[i] = squares[v & 15] + weights[(v >> 4) % 5] + entry->key * entry->value +
           entry->tag[(v >> 8) % 3] + text[(v >> 12) % sizeof(text)];
}

constant short primes[] = {2, 3, 5, 7, 11, 13};
constant short powers[] = {1, 2, 4, 8, 16, 32};
constant short fibonacci[] = {1, 1, 2, 3, 5, 8};
constant short* constant tables[3] = {primes, powers, fibonacci};

// The table holds addresses: they are relocated when the program is loaded.
kernel void pointer_table(global int* out, global const uint* in) {
  const size_t i = get_global_id(0);
  constant short* table = tables[in[i] % 3];
  out[i] = table[(in[i] >> 8) % 6];
}

global int counter = 100;
global uint histogram[8];
global int* global cursor;
global float scale = 2.5f;

kernel void global_variables(global float* out, global const uint* in) {
  const size_t i = get_global_id(0);
  atomic_add(&counter, 1);
  atomic_inc(&histogram[in[i] & 7]);
  out[i] = scale * (float)(in[i] & 0xff);
}

// State that stays from one launch to the next.
kernel void remember_pointer(global int* buffer) { cursor = buffer + 5; }
kernel void use_pointer(int add) {
  cursor[get_global_id(0)] += add;
}

kernel void static_tables(global int* out) {
  const int local_table[3][4] = {{1, 2, 3, 4}, {50, 60, 70, 80}, {-9, -8, -7, -6}};
  const size_t i = get_global_id(0);
  out[i] = local_table[(i / 4) % 3][i % 4] * (int)(i + 1);
}
