// Bodies that act on each other.

kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void nbody_tile(global float4* acceleration, global const float4* bodies, int n) {
  local float4 tile[128];
  int i = get_global_id(0), t = get_local_id(0);
  float4 me = i < n ? bodies[i] : (float4)(0.0f);
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int base = 0; base < n; base += 128) {
    tile[t] = base + t < n ? bodies[base + t] : (float4)(0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 128; j++) {
      float4 other = tile[j];
      float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      float r = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
      float f = other.w * r * r * r;
      ax += dx * f;
      ay += dy * f;
      az += dz * f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n) acceleration[i] = (float4)(ax, ay, az, 0.0f);
}

// Lennard-Jones with a list of 32 neighbours for each atom, neighbour by neighbour.
kernel void lj_neighbours(global float4* force, global const float4* position,
                          global const int* neighbours, float cutoff, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float4 p = position[i];
  float4 f = (float4)(0.0f);
  for (int j = 0; j < 32; j++) {
    int k = neighbours[j * n + i];
    float4 q = position[k];
    float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < cutoff && r2 > 0.01f) {
      float r2inv = 1.0f / r2;
      float r6inv = r2inv * r2inv * r2inv;
      float s = r2inv * r6inv * (1.5f * r6inv - 2.0f);
      f.x += dx * s;
      f.y += dy * s;
      f.z += dz * s;
    }
  }
  force[i] = f;
}

// Neighbours of cells of a cube: cell c has particles begin[c] to begin[c + 1] - 1.
kernel void cell_list(global int* near, global const float* x, global const float* y,
                      global const float* z, global const int* begin, float cutoff, int n) {
  int cx = get_global_id(0), cy = get_global_id(1), cz = get_global_id(2);
  if (cx >= n || cy >= n || cz >= n) return;
  int c = (cz * n + cy) * n + cx;
  for (int i = begin[c]; i < begin[c + 1]; i++) {
    int count = 0;
    for (int dz = -1; dz <= 1; dz++) {
      for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
          int ox = cx + dx, oy = cy + dy, oz = cz + dz;
          if (ox < 0 || oy < 0 || oz < 0 || ox >= n || oy >= n || oz >= n) continue;
          int o = (oz * n + oy) * n + ox;
          for (int j = begin[o]; j < begin[o + 1]; j++) {
            float ex = x[i] - x[j], ey = y[i] - y[j], ez = z[i] - z[j];
            if (ex * ex + ey * ey + ez * ez < cutoff) count++;
          }
        }
      }
    }
    near[i] = count;
  }
}

typedef struct {
  float x, y, z, vx, vy, vz, mass;
} Particle;

// Gravity of a fixed centre, and walls that reflect.
kernel void leapfrog(global Particle* particles, float dt, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  Particle p = particles[i];
  float r = rsqrt(p.x * p.x + p.y * p.y + p.z * p.z + 0.1f);
  float a = -r * r * r * dt;
  p.vx += a * p.x;
  p.vy += a * p.y;
  p.vz += a * p.z;
  p.x += p.vx * dt;
  p.y += p.vy * dt;
  p.z += p.vz * dt;
  if (p.x < 0.0f || p.x > 1.0f) p.vx = -p.vx;
  if (p.y < 0.0f || p.y > 1.0f) p.vy = -p.vy;
  if (p.z < 0.0f || p.z > 1.0f) p.vz = -p.vz;
  particles[i] = p;
}

// Cloth: springs to four neighbours, where there are any.
kernel void cloth(global float4* next, global const float4* now, float rest, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= n || y >= n) return;
  float4 me = now[y * n + x];
  float4 f = (float4)(0.0f, -0.1f, 0.0f, 0.0f);
  for (int k = 0; k < 4; k++) {
    int ox = x + (k == 0) - (k == 1), oy = y + (k == 2) - (k == 3);
    if (ox < 0 || oy < 0 || ox >= n || oy >= n) continue;
    float4 d = now[oy * n + ox] - me;
    float l = sqrt(d.x * d.x + d.y * d.y + d.z * d.z) + 0.001f;
    f += d * ((l - rest) / l);
  }
  next[y * n + x] = me + f * 0.01f;
}
