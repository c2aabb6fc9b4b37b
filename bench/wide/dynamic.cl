// Dynamic programming.

// Needleman-Wunsch: a tile of 16 x 16 a group, along its diagonals, from the scores above and left.
kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void nw_tile(global int* score, global const int* similarity, global const int* top,
             global const int* left, int penalty, int tiles) {
  local int t[17][17];
  local int s[16][16];
  int x = get_local_id(0), g = get_group_id(0);
  if (g >= tiles) return;
  for (int y = 0; y < 16; y++) s[y][x] = similarity[(g * 16 + y) * 16 + x];
  if (x == 0) t[0][0] = top[g * 17];
  t[0][x + 1] = top[g * 17 + x + 1];
  t[x + 1][0] = left[g * 16 + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int m = 0; m < 31; m++) {
    int y = m - x;
    if (y >= 0 && y < 16) {
      t[y + 1][x + 1] = max(t[y][x] + s[y][x], max(t[y + 1][x] - penalty, t[y][x + 1] - penalty));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int y = 0; y < 16; y++) score[(g * 16 + y) * 16 + x] = t[y + 1][x + 1];
}

// A diagonal of the table of the longest common subsequence.
kernel void lcs_diagonal(global int* now, global const int* before, global const int* before2,
                         global const char* a, global const char* b, int d, int n) {
  int i = get_global_id(0);
  if (i > n || i > d || d - i > n) return;
  if (i == 0 || i == d) {
    now[i] = 0;
    return;
  }
  now[i] = a[i - 1] == b[d - i - 1] ? before2[i - 1] + 1 : max(before[i - 1], before[i]);
}

// The cheapest way down, eight rows in LDS with a margin that shrinks.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void pathfinder(global int* out, global const int* in, global const int* wall, int n) {
  local int previous[256], next[256];
  int t = get_local_id(0);
  int x = (int)get_group_id(0) * 240 - 8 + t;
  bool inside = x >= 0 && x < n;
  previous[t] = inside ? in[x] : INT_MAX;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r = 0; r < 8; r++) {
    if (t > r && t < 255 - r && inside) {
      int best = min(previous[t], min(previous[t - 1], previous[t + 1]));
      next[t] = best + wall[r * n + x];
    } else {
      next[t] = INT_MAX;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    previous[t] = next[t];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t >= 8 && t < 248 && inside) out[x] = previous[t];
}

kernel void knapsack_row(global int* next, global const int* now, int weight, int value, int n) {
  int w = get_global_id(0);
  if (w >= n) return;
  int best = now[w];
  if (w >= weight) best = max(best, now[w - weight] + value);
  next[w] = best;
}

// Edit distances of pairs of words of 12 letters, one pair a work-item, rows in private memory.
kernel void edit_distance(global int* distance, global const char* a, global const char* b, int n) {
  int p = get_global_id(0);
  if (p >= n) return;
  int row[13];
  for (int j = 0; j <= 12; j++) row[j] = j;
  for (int i = 1; i <= 12; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= 12; j++) {
      int up = row[j];
      int cost = a[p * 12 + i - 1] == b[p * 12 + j - 1] ? 0 : 1;
      row[j] = min(min(row[j] + 1, row[j - 1] + 1), diagonal + cost);
      diagonal = up;
    }
  }
  distance[p] = row[12];
}

// A step of Viterbi's algorithm for many sequences of a model with 16 states.
kernel void viterbi(global float* next, global int* from, global const float* now,
                    global const float* transition, int n) {
  int s = get_global_id(0);
  int q = get_global_id(1);
  if (s >= 16 || q >= n) return;
  float best = -1e30f;
  int arg = 0;
  for (int k = 0; k < 16; k++) {
    float p = now[q * 16 + k] + transition[k * 16 + s];
    if (p > best) {
      best = p;
      arg = k;
    }
  }
  next[q * 16 + s] = best;
  from[q * 16 + s] = arg;
}
