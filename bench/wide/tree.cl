// Searching.

kernel void binary_search(global int* place, global const int* sorted, global const int* wanted,
                          int n, int queries) {
  int q = get_global_id(0);
  if (q >= queries) return;
  int key = wanted[q], low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (sorted[middle] < key) low = middle + 1;
    else high = middle;
  }
  place[q] = low;
}

// Down a complete tree of splits, axis by axis, to a leaf.
kernel void kd_lookup(global int* leaf, global const float* split, global const float4* points,
                      int depth, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float4 p = points[i];
  int node = 0;
  for (int d = 0; d < depth; d++) {
    float v = d % 3 == 0 ? p.x : d % 3 == 1 ? p.y : p.z;
    node = 2 * node + (v < split[node] ? 1 : 2);
  }
  leaf[i] = node - ((1 << depth) - 1);
}

typedef struct {
  float low[3];
  float high[3];
} Box;

// Which leaves of a complete binary tree of boxes a ray meets: how many, and the sum of their
// numbers. The stack is a private array.
kernel void bvh_step(global int2* met, global const Box* boxes, global const float* rays, int nodes,
                     int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float ox = rays[i * 6], oy = rays[i * 6 + 1], oz = rays[i * 6 + 2];
  float ix = 1.0f / (rays[i * 6 + 3] + 0.01f), iy = 1.0f / (rays[i * 6 + 4] + 0.01f);
  float iz = 1.0f / (rays[i * 6 + 5] + 0.01f);
  int stack[16];
  int top = 0, count = 0, sum = 0;
  stack[top++] = 0;
  while (top > 0) {
    int node = stack[--top];
    Box b = boxes[node];
    float x0 = (b.low[0] - ox) * ix, x1 = (b.high[0] - ox) * ix;
    float y0 = (b.low[1] - oy) * iy, y1 = (b.high[1] - oy) * iy;
    float z0 = (b.low[2] - oz) * iz, z1 = (b.high[2] - oz) * iz;
    float enter = fmax(fmax(fmin(x0, x1), fmin(y0, y1)), fmin(z0, z1));
    float leave = fmin(fmin(fmax(x0, x1), fmax(y0, y1)), fmax(z0, z1));
    if (enter > leave || leave < 0.0f) continue;
    if (2 * node + 1 >= nodes) {
      count++;
      sum += node;
    } else {
      stack[top++] = 2 * node + 1;
      stack[top++] = 2 * node + 2;
    }
  }
  met[i] = (int2)(count, sum);
}

// Open addressing in a table of 65,536, of which half is empty (-1).
kernel void hash_probe(global int* found, global const int* table, global const int* keys, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  int key = keys[i];
  uint slot = (uint)key * 2654435761u >> 16;
  int steps = 0;
  while (table[slot] != key && table[slot] != -1 && steps < 64) {
    slot = (slot + 1) & 65535;
    steps++;
  }
  found[i] = table[slot] == key ? (int)slot : -1 - steps;
}

// Down a tree of nodes with 16 keys.
kernel void btree_search(global int* leaf, global const int* keys, global const int* wanted,
                         int levels, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  int key = wanted[i], node = 0;
  for (int l = 0; l < levels; l++) {
    int child = 0;
    for (int k = 0; k < 16; k++) child += keys[node * 16 + k] < key;
    node = node * 17 + 1 + child;
  }
  leaf[i] = node;
}
