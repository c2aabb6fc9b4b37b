// Heat in a bar that is cut into one piece a process, each on a device of its own; neighbours
// exchange the ends of their pieces every step. The result is that of one process doing the whole
// bar.
#include <mpi.h>

#include "check.h"

constexpr int kEach = 4096, kSteps = 60;

// piece[0] and piece[kEach + 1] belong to the neighbours.
__global__ void Step(const double* piece, double* next) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) + 1;
  if (i <= kEach) next[i] = piece[i] * 0.5 + (piece[i - 1] + piece[i + 1]) * 0.25;
}

static double Start(int i) { return check::Mix(static_cast<uint32_t>(i)) % 1024; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1, devices = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  HIP(hipGetDeviceCount(&devices));
  HIP(hipSetDevice(rank % devices));

  std::vector<double> piece(kEach + 2, 0);
  for (int i = 1; i <= kEach; ++i) piece[static_cast<size_t>(i)] = Start(rank * kEach + i);
  check::Buffer<double> a(piece), b(piece);
  double* now = a;
  double* next = b;
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  for (int step = 0; step < kSteps; ++step) {
    double ends[2], halo[2] = {0, 0};
    HIP(hipMemcpy(&ends[0], now + 1, sizeof(double), hipMemcpyDeviceToHost));
    HIP(hipMemcpy(&ends[1], now + kEach, sizeof(double), hipMemcpyDeviceToHost));
    MPI_Sendrecv(&ends[0], 1, MPI_DOUBLE, left, 0, &halo[1], 1, MPI_DOUBLE, right, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&ends[1], 1, MPI_DOUBLE, right, 1, &halo[0], 1, MPI_DOUBLE, left, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    HIP(hipMemcpy(now, &halo[0], sizeof(double), hipMemcpyHostToDevice));
    HIP(hipMemcpy(now + kEach + 1, &halo[1], sizeof(double), hipMemcpyHostToDevice));
    Step<<<kEach / 256, 256>>>(now, next);
    HIP(hipGetLastError());
    std::swap(now, next);
  }
  HIP(hipMemcpy(piece.data(), now, piece.size() * sizeof(double), hipMemcpyDeviceToHost));

  // Products with powers of two are exact, so that it does not matter what is fused.
  std::vector<double> whole(static_cast<size_t>(size * kEach + 2), 0), following = whole;
  for (int i = 1; i <= size * kEach; ++i) whole[static_cast<size_t>(i)] = Start(i);
  for (int step = 0; step < kSteps; ++step) {
    for (size_t i = 1; i + 1 < whole.size(); ++i) {
      following[i] = whole[i] * 0.5 + (whole[i - 1] + whole[i + 1]) * 0.25;
    }
    std::swap(whole, following);
  }
  check::Each("piece", &piece[1], kEach,
              [&](size_t i) { return whole[static_cast<size_t>(rank * kEach) + i + 1]; });
  std::printf("rank %d of %d: ", rank, size);
  const int failed = check::Finish();
  int any_failed = 0;
  MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any_failed;
}
