// rocSPARSE's own kernels against dense arithmetic on the host: matrix times vector, triangular
// solve, product of matrices, tridiagonal systems. Whole numbers where the order of sums is the
// library's.
#include <rocsparse/rocsparse.h>

#include <algorithm>

#include "check.h"

#define SPARSE(call) Succeed((call), #call, __LINE__)

static void Succeed(rocsparse_status status, const char* text, int line) {
  if (status == rocsparse_status_success) return;
  std::fprintf(stderr, "line %d: %s: rocSPARSE status %d\n", line, text, static_cast<int>(status));
  std::exit(1);
}

using Ints = std::vector<rocsparse_int>;

// Rows of different lengths, with small whole numbers; the diagonal is always there.
struct Matrix {
  explicit Matrix(rocsparse_int size, uint32_t seed, bool lower = false) : size(size) {
    begins.push_back(0);
    for (rocsparse_int r = 0; r < size; ++r) {
      const uint32_t most = r % 50 == 0 ? 100 : 10;
      for (rocsparse_int c = 0; c < (lower ? r + 1 : size); ++c) {
        const uint32_t mixed = check::Mix(seed + static_cast<uint32_t>(r * size + c));
        if (c != r && mixed % static_cast<uint32_t>(size) >= most) continue;
        columns.push_back(c);
        values.push_back(c == r ? 4 : static_cast<double>(mixed >> 8 & 7) - 3.5);
      }
      begins.push_back(static_cast<rocsparse_int>(columns.size()));
    }
  }
  rocsparse_int Count() const { return begins.back(); }
  double At(rocsparse_int r, rocsparse_int c) const {
    const auto begin = columns.begin() + begins[static_cast<size_t>(r)];
    const auto end = columns.begin() + begins[static_cast<size_t>(r) + 1];
    const auto found = std::lower_bound(begin, end, c);
    return found == end || *found != c ? 0 : values[static_cast<size_t>(found - columns.begin())];
  }

  rocsparse_int size;
  Ints begins, columns;
  std::vector<double> values;
};

struct OnDevice {
  explicit OnDevice(const Matrix& m) : begins(m.begins), columns(m.columns), values(m.values) {
    SPARSE(rocsparse_create_mat_descr(&description));
  }
  ~OnDevice() { rocsparse_destroy_mat_descr(description); }

  check::Buffer<rocsparse_int> begins, columns;
  check::Buffer<double> values;
  rocsparse_mat_descr description = nullptr;
};

static std::vector<double> Vector(rocsparse_int size, uint32_t seed) {
  std::vector<double> v(static_cast<size_t>(size));
  for (size_t i = 0; i < v.size(); ++i) v[i] = check::Mix(seed + static_cast<uint32_t>(i)) % 17;
  return v;
}

static void TimesVector(rocsparse_handle handle, bool analysed) {
  const Matrix m(1200, 5);
  const OnDevice d(m);
  const std::vector<double> x = Vector(m.size, 1), y = Vector(m.size, 2);
  check::Buffer<double> device_x(x), device_y(y);
  rocsparse_mat_info info = nullptr;
  SPARSE(rocsparse_create_mat_info(&info));
  if (analysed) {
    SPARSE(rocsparse_dcsrmv_analysis(handle, rocsparse_operation_none, m.size, m.size, m.Count(),
                                     d.description, d.values, d.begins, d.columns, info));
  }
  const double alpha = 2, beta = -1;
  SPARSE(rocsparse_dcsrmv(handle, rocsparse_operation_none, m.size, m.size, m.Count(), &alpha,
                          d.description, d.values, d.begins, d.columns, analysed ? info : nullptr,
                          device_x, &beta, device_y));
  check::Each("csrmv", device_y.Get(), [&](size_t r) {
    double sum = 0;  // halves of whole numbers: exact
    for (rocsparse_int c = 0; c < m.size; ++c) {
      sum += m.At(static_cast<rocsparse_int>(r), c) * x[static_cast<size_t>(c)];
    }
    return alpha * sum + beta * y[r];
  });
  SPARSE(rocsparse_destroy_mat_info(info));
}

static void Near(const char* what, const std::vector<double>& got,
                 const std::vector<double>& want) {
  double worst = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    worst = std::max(worst, std::abs(got[i] - want[i]) / (std::abs(want[i]) + 1));
  }
  std::printf("%s: worst relative difference %g\n", what, worst);
  EXPECT(worst < 1e-10);  // false for NaN, too
}

// Rows wait for earlier rows, which other waves work on.
static void TriangularSolve(rocsparse_handle handle) {
  const Matrix m(700, 9, true);
  const OnDevice d(m);
  SPARSE(rocsparse_set_mat_fill_mode(d.description, rocsparse_fill_mode_lower));
  const std::vector<double> b = Vector(m.size, 3);
  check::Buffer<double> device_b(b), device_x(b.size());
  rocsparse_mat_info info = nullptr;
  SPARSE(rocsparse_create_mat_info(&info));
  size_t bytes = 0;
  SPARSE(rocsparse_dcsrsv_buffer_size(handle, rocsparse_operation_none, m.size, m.Count(),
                                      d.description, d.values, d.begins, d.columns, info, &bytes));
  check::Buffer<uint8_t> storage(bytes);
  SPARSE(rocsparse_dcsrsv_analysis(
      handle, rocsparse_operation_none, m.size, m.Count(), d.description, d.values, d.begins,
      d.columns, info, rocsparse_analysis_policy_force, rocsparse_solve_policy_auto, storage));
  const double alpha = 1;
  SPARSE(rocsparse_dcsrsv_solve(handle, rocsparse_operation_none, m.size, m.Count(), &alpha,
                                d.description, d.values, d.begins, d.columns, info, device_b,
                                device_x, rocsparse_solve_policy_auto, storage));
  // Substituted back: the residual is small against what was added up.
  const std::vector<double> x = device_x.Get();
  double worst = 0;
  for (rocsparse_int r = 0; r < m.size; ++r) {
    double sum = -b[static_cast<size_t>(r)], size = std::abs(sum);
    for (rocsparse_int c = 0; c <= r; ++c) {
      const double term = m.At(r, c) * x[static_cast<size_t>(c)];
      sum += term;
      size += std::abs(term);
    }
    worst = std::max(worst, std::abs(sum) / (size + 1));
  }
  std::printf("csrsv: worst relative residual %g\n", worst);
  EXPECT(worst < 1e-12);
  SPARSE(rocsparse_destroy_mat_info(info));
}

static void Product(rocsparse_handle handle) {
  const Matrix a(300, 21), b(300, 22);
  const OnDevice da(a), db(b);
  rocsparse_mat_descr description = nullptr;
  rocsparse_mat_info info = nullptr;
  SPARSE(rocsparse_create_mat_descr(&description));
  SPARSE(rocsparse_create_mat_info(&info));
  const double alpha = 1;
  size_t bytes = 0;
  SPARSE(rocsparse_dcsrgemm_buffer_size(
      handle, rocsparse_operation_none, rocsparse_operation_none, a.size, a.size, a.size, &alpha,
      da.description, a.Count(), da.begins, da.columns, db.description, b.Count(), db.begins,
      db.columns, nullptr, nullptr, 0, nullptr, nullptr, info, &bytes));
  check::Buffer<uint8_t> storage(bytes);
  check::Buffer<rocsparse_int> begins(static_cast<size_t>(a.size) + 1);
  rocsparse_int count = 0;
  SPARSE(rocsparse_csrgemm_nnz(handle, rocsparse_operation_none, rocsparse_operation_none, a.size,
                               a.size, a.size, da.description, a.Count(), da.begins, da.columns,
                               db.description, b.Count(), db.begins, db.columns, nullptr, 0,
                               nullptr, nullptr, description, begins, &count, info, storage));
  check::Buffer<rocsparse_int> columns(static_cast<size_t>(count));
  check::Buffer<double> values(static_cast<size_t>(count));
  SPARSE(rocsparse_dcsrgemm(handle, rocsparse_operation_none, rocsparse_operation_none, a.size,
                            a.size, a.size, &alpha, da.description, a.Count(), da.values, da.begins,
                            da.columns, db.description, b.Count(), db.values, db.begins, db.columns,
                            nullptr, nullptr, 0, nullptr, nullptr, nullptr, description, values,
                            begins, columns, info, storage));
  const size_t n = static_cast<size_t>(a.size);
  std::vector<double> got(n * n, 0), want(n * n, 0);
  const Ints rows = begins.Get(), at = columns.Get();
  const std::vector<double> products = values.Get();
  for (size_t r = 0; r < n; ++r) {
    for (auto i = static_cast<size_t>(rows[r]); i < static_cast<size_t>(rows[r + 1]); ++i) {
      got[r * n + static_cast<size_t>(at[i])] = products[i];
    }
  }
  for (size_t r = 0; r < n; ++r) {
    for (size_t k = 0; k < n; ++k) {
      const double left = a.At(static_cast<rocsparse_int>(r), static_cast<rocsparse_int>(k));
      if (left == 0) continue;
      for (size_t c = 0; c < n; ++c) {
        want[r * n + c] +=
            left * b.At(static_cast<rocsparse_int>(k), static_cast<rocsparse_int>(c));
      }
    }
  }
  EXPECT(count > 0);
  check::Each("csrgemm", got, [&](size_t i) { return want[i]; });
  SPARSE(rocsparse_destroy_mat_info(info));
  SPARSE(rocsparse_destroy_mat_descr(description));
}

static void Tridiagonal(rocsparse_handle handle) {
  constexpr rocsparse_int kSize = 513, kSystems = 4;
  std::vector<double> lower(kSize, -1), diagonal(kSize), upper(kSize, 2);
  for (size_t i = 0; i < kSize; ++i) diagonal[i] = 5 + static_cast<double>(i % 7);
  lower[0] = 0;
  upper[kSize - 1] = 0;
  std::vector<double> x(kSize * kSystems), b(kSize * kSystems);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(check::Mix(i) % 100);
  for (size_t s = 0; s < kSystems; ++s) {
    for (size_t i = 0; i < kSize; ++i) {
      const size_t at = s * kSize + i;
      b[at] = diagonal[i] * x[at] + (i > 0 ? lower[i] * x[at - 1] : 0) +
              (i + 1 < kSize ? upper[i] * x[at + 1] : 0);
    }
  }
  check::Buffer<double> dl(lower), d(diagonal), du(upper), device_b(b);
  size_t bytes = 0;
  SPARSE(rocsparse_dgtsv_buffer_size(handle, kSize, kSystems, dl, d, du, device_b, kSize, &bytes));
  check::Buffer<uint8_t> storage(std::max<size_t>(bytes, 4));
  SPARSE(rocsparse_dgtsv(handle, kSize, kSystems, dl, d, du, device_b, kSize, storage));
  Near("gtsv", device_b.Get(), x);
}

int main() {
  rocsparse_handle handle = nullptr;
  SPARSE(rocsparse_create_handle(&handle));
  TimesVector(handle, false);
  TimesVector(handle, true);
  TriangularSolve(handle);
  Product(handle);
  Tridiagonal(handle);
  SPARSE(rocsparse_destroy_handle(handle));
  return check::Finish();
}
