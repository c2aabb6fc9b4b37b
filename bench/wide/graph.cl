// Graphs as lists of neighbours: those of v are edges[first[v]] to edges[first[v + 1] - 1].

kernel void bfs_level(global int* level, global int* changed, global const int* first,
                      global const int* edges, int now, int n) {
  int v = get_global_id(0);
  if (v >= n) return;
  if (level[v] == now) {
    for (int e = first[v]; e < first[v + 1]; e++) {
      int u = edges[e];
      if (level[u] < 0) {
        level[u] = now + 1;
        *changed = 1;
      }
    }
  }
}

kernel void page_rank(global float* next, global const float* rank, global const int* first,
                      global const int* edges, global const int* degree, int n) {
  int v = get_global_id(0);
  if (v >= n) return;
  float sum = 0.0f;
  for (int e = first[v]; e < first[v + 1]; e++) {
    int u = edges[e];
    sum += rank[u] / degree[u];
  }
  next[v] = 0.15f / n + 0.85f * sum;
}

kernel void floyd_warshall(global int* distance, int n, int k) {
  int j = get_global_id(0);
  int i = get_global_id(1);
  if (i >= n || j >= n) return;
  int through = distance[i * n + k] + distance[k * n + j];
  if (through < distance[i * n + j]) distance[i * n + j] = through;
}

// A round of Bellman-Ford over all vertices.
kernel void relax(global int* next, global const int* distance, global const int* first,
                  global const int* edges, global const int* weight, int n) {
  int v = get_global_id(0);
  if (v < n) {
    int d = distance[v];
    for (int e = first[v]; e < first[v + 1]; e++) atomic_min(&next[edges[e]], d + weight[e]);
  }
}

// A round of connected components: the least label around.
kernel void least_label(global int* next, global const int* label, global const int* first,
                        global const int* edges, int n) {
  int v = get_global_id(0);
  if (v >= n) return;
  int least = label[v];
  int end = first[v + 1];
  for (int e = first[v]; e < end; e++) {
    int other = label[edges[e]];
    if (other < least) least = other;
  }
  next[v] = least;
}

// Neighbours that neighbours have in common.
kernel void common_neighbours(global int* count, global const int* first, global const int* edges,
                              int n) {
  int v = get_global_id(0);
  if (v >= n) return;
  int found = 0;
  for (int e = first[v]; e < first[v + 1]; e++) {
    int u = edges[e];
    for (int a = first[u]; a < first[u + 1]; a++) {
      for (int b = first[v]; b < first[v + 1]; b++) found += edges[a] == edges[b];
    }
  }
  count[v] = found;
}
