// Tiles in LDS, read by rows and by columns, for work-groups of many shapes: how the lanes'
// addresses lie to each other depends on the group's shape.

// A group has lw x lh work-items, fewer at the grid's right and lower edge.
kernel void tile_sums(global uint* out, global const uint* in, uint width, uint height, uint lw,
                      uint lh) {
  local uint tile[1024];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint column = get_global_id(0), row = get_global_id(1);
  const uint columns = min(lw, width - (uint)get_group_id(0) * lw);
  const uint rows = min(lh, height - (uint)get_group_id(1) * lh);
  tile[y * lw + x] = in[row * width + column];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = in[row * width];
  for (uint k = 0; k < columns; ++k) sum = sum * 3 + tile[y * lw + k];
  for (uint k = 0; k < rows; ++k) sum = sum * 5 + tile[k * lw + x];
  out[row * width + column] = sum;
}

// The same by constants, which the compiler unrolls and addresses by offsets.
kernel void tile_16(global uint* out, global const uint* in, uint width) {
  local uint tile[16][16];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint at = get_global_id(1) * width + get_global_id(0);
  uint sum = 0;
  for (uint round = 0; round < 3; ++round) {
    tile[y][x] = in[at] + round;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; ++k) sum = sum * 3 + tile[y][k] * tile[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[at] = sum;
}

// Pairs and quadruples of words: consecutive ones, and one for 16 work-items.
kernel void vectors(global uint2* out2, global uint4* out4, global const uint2* in2,
                    global const uint4* in4, global const uint4* shared_by_16, uint count) {
  local uint4 quads[128];
  local uint2 pairs[128];
  const uint i = get_global_id(0), lane = get_local_id(0);
  quads[lane] = (uint4)(0, 0, 0, 0);
  if (i < count) {
    quads[lane] = in4[i];
    pairs[lane] = in2[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= count) return;
  const uint4 common = shared_by_16[lane / 16];
  const uint4 first = quads[lane / 16 * 16];
  out4[i] = quads[lane] * common + first;
  out2[i] = pairs[lane] ^ common.yw;
}
