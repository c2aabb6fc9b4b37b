// Random numbers and what is made of them.

kernel void xorshift_pi(global uint* inside, int rounds, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint s = i * 2654435761u + 12345u, count = 0;
  for (int k = 0; k < rounds; k++) {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    float x = (s >> 8) * 0x1p-24f;
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    float y = (s >> 8) * 0x1p-24f;
    if (x * x + y * y < 1.0f) count++;
  }
  inside[i] = count;
}

// Philox 4 x 32, ten rounds.
kernel void philox(global uint4* out, uint key0, uint key1, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint4 c = (uint4)(i, 0, 0, 0);
  for (int r = 0; r < 10; r++) {
    uint low0 = c.x * 0xD2511F53u, high0 = mul_hi(c.x, 0xD2511F53u);
    uint low1 = c.z * 0xCD9E8D57u, high1 = mul_hi(c.z, 0xCD9E8D57u);
    c = (uint4)(high1 ^ c.y ^ key0, low1, high0 ^ c.w ^ key1, low0);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  out[i] = c;
}

// On a torus of bytes that say which way to go next.
kernel void random_walk(global int* end, global const uchar* ways, int steps, int w, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  int x = i % w, y = i / w % w;
  for (int k = 0; k < steps; k++) {
    int way = ways[y * w + x] + k & 3;
    if (way == 0) x = x + 1 == w ? 0 : x + 1;
    else if (way == 1) x = x == 0 ? w - 1 : x - 1;
    else if (way == 2) y = y + 1 == w ? 0 : y + 1;
    else y = y == 0 ? w - 1 : y - 1;
  }
  end[i] = y * w + x;
}

kernel void box_muller(global float* out, global const uint* in, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float u = ((in[2 * i] >> 8) + 1) * 0x1p-24f, v = (in[2 * i + 1] >> 8) * 0x1p-24f;
  float r = sqrt(-2.0f * log(u));
  out[2 * i] = r * cos(2.0f * M_PI_F * v);
  out[2 * i + 1] = r * sin(2.0f * M_PI_F * v);
}

// Metropolis on one colour of a chess board of spins.
kernel void ising(global char* spins, global const uint* random, uint p4, uint p8, int colour, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= n || y >= n || ((x + y) & 1) != colour) return;
  int s = spins[y * n + x];
  int around = spins[y * n + (x + 1) % n] + spins[y * n + (x + n - 1) % n] + spins[(y + 1) % n * n + x] +
               spins[(y + n - 1) % n * n + x];
  int energy = 2 * s * around;
  uint r = random[y * n + x];
  if (energy <= 0 || (energy == 4 && r < p4) || (energy == 8 && r < p8)) spins[y * n + x] = -s;
}
