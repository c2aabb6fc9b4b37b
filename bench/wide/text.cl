// Text, and counting bytes.

// Where a pattern of up to 16 letters begins.
kernel void substring(global uchar* found, global const uchar* text, global const uchar* pattern,
                      int m, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  int k = 0;
  if (i + m <= n) {
    while (k < m && text[i + k] == pattern[k]) k++;
  }
  found[i] = k == m;
}

// Words that begin in a piece of 64 letters.
kernel void word_count(global int* words, global const uchar* text, int n) {
  int i = get_global_id(0);
  if (i * 64 >= n) return;
  int count = 0;
  uchar before = i == 0 ? ' ' : text[i * 64 - 1];
  for (int k = i * 64; k < min(i * 64 + 64, n); k++) {
    uchar c = text[k];
    if (c != ' ' && before == ' ') count++;
    before = c;
  }
  words[i] = count;
}

kernel void histogram_global(global uint* bins, global const uchar* in, int n) {
  int i = get_global_id(0);
  if (i < n) atomic_inc(&bins[in[i]]);
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void histogram_local(global uint* bins, global const uchar* in, int n) {
  local uint own[256];
  int t = get_local_id(0), g = get_group_id(0);
  own[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = g * 4096 + t; i < min((g + 1) * 4096, n); i += 256) atomic_inc(&own[in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (own[t] != 0) atomic_add(&bins[t], own[t]);
}

kernel void to_upper(global uchar* text, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uchar c = text[i];
  if (c >= 'a' && c <= 'z') text[i] = c - 32;
}

// Numbers of up to 8 digits in fields of 9 letters, that end with a space.
kernel void parse_numbers(global int* out, global const uchar* text, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  int value = 0;
  for (int k = 0; k < 9; k++) {
    uchar c = text[i * 9 + k];
    if (c == ' ') break;
    value = value * 10 + (c - '0');
  }
  out[i] = value;
}
