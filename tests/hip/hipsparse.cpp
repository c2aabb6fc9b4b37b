// hipSPARSE: what it passes on to rocSPARSE (rocsparse.cpp has more of that) comes back right.
// Whole numbers, so that the order of sums makes no difference.
#include <hipsparse/hipsparse.h>

#include "check.h"

#define SPARSE(call) Succeed((call), #call, __LINE__)

static void Succeed(hipsparseStatus_t status, const char* text, int line) {
  if (status == HIPSPARSE_STATUS_SUCCESS) return;
  std::fprintf(stderr, "line %d: %s: hipSPARSE status %d\n", line, text, static_cast<int>(status));
  std::exit(1);
}

int main() {
  constexpr int kSize = 900;
  const auto dense = [](int row, int column) {
    const uint32_t mixed = check::Mix(static_cast<uint32_t>(row * kSize + column));
    return mixed % 40 == 0 ? static_cast<double>(mixed >> 8 & 15) - 7 : 0.0;
  };
  std::vector<int> begins = {0}, columns;
  std::vector<double> values, x(kSize), y(kSize);
  for (int row = 0; row < kSize; ++row) {
    x[static_cast<size_t>(row)] = row % 23;
    y[static_cast<size_t>(row)] = row % 7;
    for (int column = 0; column < kSize; ++column) {
      if (dense(row, column) == 0) continue;
      columns.push_back(column);
      values.push_back(dense(row, column));
    }
    begins.push_back(static_cast<int>(columns.size()));
  }
  check::Buffer<int> device_begins(begins), device_columns(columns);
  check::Buffer<double> device_values(values), device_x(x), device_y(y);
  hipsparseHandle_t handle = nullptr;
  hipsparseMatDescr_t description = nullptr;
  SPARSE(hipsparseCreate(&handle));
  SPARSE(hipsparseCreateMatDescr(&description));
  const double alpha = 3, beta = -2;
  SPARSE(hipsparseDcsrmv(handle, HIPSPARSE_OPERATION_NON_TRANSPOSE, kSize, kSize,
                         static_cast<int>(values.size()), &alpha, description, device_values,
                         device_begins, device_columns, device_x, &beta, device_y));
  check::Each("csrmv", device_y.Get(), [&](size_t row) {
    double sum = 0;
    for (int column = 0; column < kSize; ++column) {
      sum += dense(static_cast<int>(row), column) * x[static_cast<size_t>(column)];
    }
    return alpha * sum + beta * y[row];
  });
  SPARSE(hipsparseDestroyMatDescr(description));
  SPARSE(hipsparseDestroy(handle));
  return check::Finish();
}
