// Pieces of codecs.

constant float dct_table[64] = {
    0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f,
    0.49039264f, 0.41573481f, 0.27778512f, 0.09754516f, -0.09754516f, -0.27778512f, -0.41573481f, -0.49039264f,
    0.46193977f, 0.19134172f, -0.19134172f, -0.46193977f, -0.46193977f, -0.19134172f, 0.19134172f, 0.46193977f,
    0.41573481f, -0.09754516f, -0.49039264f, -0.27778512f, 0.27778512f, 0.49039264f, 0.09754516f, -0.41573481f,
    0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f, 0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f,
    0.27778512f, -0.49039264f, 0.09754516f, 0.41573481f, -0.41573481f, -0.09754516f, 0.49039264f, -0.27778512f,
    0.19134172f, -0.46193977f, 0.46193977f, -0.19134172f, -0.19134172f, 0.46193977f, -0.46193977f, 0.19134172f,
    0.09754516f, -0.27778512f, 0.41573481f, -0.49039264f, 0.49039264f, -0.41573481f, 0.27778512f, -0.09754516f};

// Blocks of 8 x 8 by groups of 8 x 8.
kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void dct8x8(global float* out, global const float* in, int w) {
  local float block[8][8], half_done[8][8];
  int x = get_local_id(0), y = get_local_id(1);
  int at = (int)get_global_id(1) * w + (int)get_global_id(0);
  block[y][x] = in[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (int k = 0; k < 8; k++) sum += dct_table[y * 8 + k] * block[k][x];
  half_done[y][x] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = 0.0f;
  for (int k = 0; k < 8; k++) sum += half_done[y][k] * dct_table[x * 8 + k];
  out[at] = sum;
}

// Eight values a work-item, with private arrays for a row.
kernel void idct_row(global float* out, global const short* coefficients, int rows) {
  int r = get_global_id(0);
  if (r >= rows) return;
  float in[8], row[8];
  for (int k = 0; k < 8; k++) in[k] = coefficients[r * 8 + k];
  for (int x = 0; x < 8; x++) {
    float sum = 0.0f;
    for (int k = 0; k < 8; k++) sum += in[k] * dct_table[k * 8 + x];
    row[x] = sum;
  }
  for (int k = 0; k < 8; k++) out[r * 8 + k] = row[k];
}

kernel void quantise(global short* data, global const ushort* table, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  int v = data[i], q = table[i & 63];
  data[i] = v >= 0 ? (v + q / 2) / q : -((-v + q / 2) / q);
}

// Where runs begin, and how long they are up to 255.
kernel void run_lengths(global uchar* length, global const uchar* in, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  if (i > 0 && in[i] == in[i - 1]) {
    length[i] = 0;
    return;
  }
  int k = 1;
  while (i + k < n && k < 255 && in[i + k] == in[i]) k++;
  length[i] = k;
}

constant char base64_letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Three bytes to four letters.
kernel void base64(global uchar* out, global const uchar* in, int triples) {
  int i = get_global_id(0);
  if (i >= triples) return;
  uint v = in[i * 3] << 16 | in[i * 3 + 1] << 8 | in[i * 3 + 2];
  out[i * 4] = base64_letters[v >> 18];
  out[i * 4 + 1] = base64_letters[v >> 12 & 63];
  out[i * 4 + 2] = base64_letters[v >> 6 & 63];
  out[i * 4 + 3] = base64_letters[v & 63];
}

// Planes of which those of colour have half the edge.
kernel void yuv_to_rgba(global uchar4* rgba, global const uchar* luma, global const uchar* u,
                        global const uchar* v, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  int half_w = (w + 1) / 2;
  int c = 298 * (luma[y * w + x] - 16);
  int d = u[y / 2 * half_w + x / 2] - 128, e = v[y / 2 * half_w + x / 2] - 128;
  rgba[y * w + x] = (uchar4)(clamp((c + 409 * e + 128) >> 8, 0, 255),
                             clamp((c - 100 * d - 208 * e + 128) >> 8, 0, 255),
                             clamp((c + 516 * d + 128) >> 8, 0, 255), 255);
}

// How many bits the codes of blocks of 32 bytes take.
kernel void huffman_bits(global uint* bits, global const uchar* in, global const uchar* lengths,
                         int blocks) {
  int b = get_global_id(0);
  if (b >= blocks) return;
  uint sum = 0;
  for (int k = 0; k < 32; k++) sum += lengths[in[b * 32 + k]];
  bits[b] = sum;
}
