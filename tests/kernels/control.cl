// Control flow: divergent loops, breaks, switches, irreducible graphs, uniform branches.

kernel void collatz(global uint* steps, global const uint* in, uint limit) {
  uint n = in[get_global_id(0)], count = 0;
  while (n != 1 && count < limit) {
    n = (n & 1) ? 3 * n + 1 : n / 2;
    ++count;
  }
  steps[get_global_id(0)] = count;
}

kernel void nested_breaks(global int* out, global const int* in, int width) {
  const int i = get_global_id(0);
  int found = -1, visited = 0;
  for (int row = 0; row < 8; ++row) {
    int sum = 0;
    for (int column = 0; column < width; ++column) {
      const int v = in[(i * 3 + row * width + column) % 256];
      if (v < 0) continue;
      ++visited;
      sum += v;
      if (sum > 500) break;
      if (v == 77) {
        found = row * width + column;
        goto done;
      }
    }
    if (sum == 0) break;
  }
done:
  out[2 * i] = found;
  out[2 * i + 1] = visited;
}

// A small virtual machine: the program counter differs from lane to lane.
kernel void bytecode(global int* out, constant uchar* program, global const int* in) {
  int a = in[get_global_id(0)], b = 1, counter = 0, pc = 0;
  for (int fuel = 200; fuel > 0; --fuel) {
    const uchar op = program[pc++];
    switch (op) {
      case 0: goto halted;
      case 1: a += b; break;
      case 2: b = a ^ program[pc++]; break;
      case 3:
        a = a * 3 + 1;
        // Falls through: also counts.
      case 4: ++counter; break;
      case 5: if (a & 1) pc = program[pc]; else ++pc; break;
      case 6: a = (int)((uint)a >> 3); break;
      case 7: if (counter < 9) pc = program[pc]; else ++pc; break;
      case 200: b = -b; break;
      default: a ^= op; break;
    }
  }
halted:
  out[2 * get_global_id(0)] = a;
  out[2 * get_global_id(0) + 1] = b * 16 + counter;
}

kernel void switch_dense(global int* out, global const int* in) {
  const int i = get_global_id(0), v = in[i];
  int r;
  switch (v & 15) {
    case 0: r = v * 3; break;
    case 1: r = v - 100; break;
    case 2: r = v ^ 0x1234; break;
    case 3: case 4: case 5: r = -v; break;
    case 6: r = v / 7; break;
    case 7: r = v << 2; break;
    case 8: return;
    case 9: r = v >> 1; break;
    case 10: r = v | 0xff; break;
    case 11: r = popcount(v); break;
    case 14: r = clz(v); break;
    default: r = 42; break;
  }
  out[i] = r;
}

// Two entries into one loop.
kernel void irreducible(global uint* out, global const uint* in) {
  const size_t i = get_global_id(0);
  uint v = in[i], count = 0;
  if (v & 1) goto middle;
top:
  v = v * 1664525u + 1013904223u;
  count += 1;
middle:
  v ^= v >> 7;
  count += 16;
  if ((v & 7) != 3 && count < 600) goto top;
  out[2 * i] = v;
  out[2 * i + 1] = count;
}

kernel void euclid(global uint* out, global const uint* a, global const uint* b) {
  uint x = a[get_global_id(0)], y = b[get_global_id(0)];
  do {
    const uint rest = y == 0 ? 0 : x % y;
    x = y == 0 ? x : y;
    y = rest;
  } while (y != 0);
  out[get_global_id(0)] = x;
}

kernel void binary_search(global int* out, global const int* sorted, int count,
                          global const int* wanted) {
  const int w = wanted[get_global_id(0)];
  int low = 0, high = count;
  while (low < high) {
    const int middle = (low + high) >> 1;
    if (sorted[middle] < w) low = middle + 1; else high = middle;
  }
  out[get_global_id(0)] = low < count && sorted[low] == w ? low : ~low;
}

kernel void deep_ifs(global int* out, global const int* in) {
  const int v = in[get_global_id(0)];
  int r = 1;
  if (v & 1) {
    r += 2;
    if (v & 2) {
      r *= 3;
      if (v & 4) {
        r ^= 0x10;
        if (v & 8) { r -= 7; } else { r += 5; if ((v & 16) || (r & 4)) r = -r; }
      } else if (v & 32) {
        r |= 0x100;
      }
    } else {
      for (int j = 0; j < (v & 3); ++j) r += j * v;
    }
  } else if ((v & 6) == 6 && (v & 24) != 8) {
    r = v;
    while (r > 100) r /= 3;
  }
  out[get_global_id(0)] = r;
}

// Branches on kernel arguments: scalar control flow, and loops with a scalar trip count.
kernel void uniform_flow(global int* out, int mode, int trips, global const int* table) {
  int sum = get_global_id(0);
  for (int j = 0; j < trips; ++j) {
    const int t = table[j];
    if (t == mode) sum += 1000;
    else if (t > mode * 2) sum = sum * 2 + 1;
    else if (t < 0) break;
    if (mode == 3) sum ^= t;
  }
  if (mode > 5) sum = -sum;
  out[get_global_id(0)] = sum;
}

// Work-items leave at different times, the last ones alone.
kernel void early_return(global int* out, int n) {
  const int i = get_global_id(0);
  if (i >= n) return;
  int v = i;
  for (int j = 0; j < 64; ++j) {
    if (j == (i & 63)) {
      out[i] = v;
      return;
    }
    v = v * 5 + 3;
  }
}

kernel void mandelbrot(global uchar* out, int width, float x0, float y0, float step, int limit) {
  const int x = get_global_id(0), y = get_global_id(1);
  const float cx = x0 + step * x, cy = y0 + step * y;
  float zx = 0, zy = 0;
  int n = 0;
  while (n < limit && zx * zx + zy * zy <= 4.0f) {
    const float next = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = next;
    ++n;
  }
  out[y * width + x] = (uchar)n;
}
