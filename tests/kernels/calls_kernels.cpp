// References of calls.hip.
#include "harness.h"

namespace gcnjit::kernel_tests {
namespace calls_kernels {
namespace {

constexpr uint32_t kItems = 192;
constexpr Dim3 kGlobal{kItems};
constexpr Dim3 kLocal{64};  // GROUP_SIZE in the build

void Recursion(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<uint32_t>(kItems);
  constexpr std::array<int32_t, 8> kFibonacci = {0, 1, 1, 2, 3, 5, 8, 13};
  std::vector<int32_t> out;
  for (const uint32_t v : in) {
    out.push_back(kFibonacci[v % 8]);
    const auto n = static_cast<int32_t>((v >> 5) & 3);
    const int32_t ackermann = ((v >> 4) & 1) != 0 ? n + 2 : n + 1;
    out.push_back((v & 8) != 0 ? ackermann : -1);
  }
  run.Out(out);
  run.In(in);
}

void MutualRecursion(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<uint32_t>(kItems);
  std::vector<int32_t> out;
  for (const uint32_t v : in) out.push_back(v % 2 == 0 ? 1 : 2);
  run.Out(out);
  run.In(in);
}

uint32_t Operate(uint32_t which, uint32_t a, uint32_t b) {
  switch (which) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    default: return (a ^ b) + a * 3;
  }
}

void FunctionPointers(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto a = run.random().Integers<uint32_t>(kItems);
  const auto b = run.random().Integers<uint32_t>(kItems);
  std::vector<uint32_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    const uint32_t r = Operate(a[i] % 4, a[i], b[i]);
    out.push_back(Operate((r >> 3) % 4, r, b[i]));
  }
  run.Out(out);
  run.In(a);
  run.In(b);
}

void UniformFunctionPointer(Run& run) {
  run.Grid(kGlobal, kLocal);
  for (uint32_t which = 0; which < 4; ++which) {
    if (which != 0) run.Next();
    const auto a = run.random().Integers<uint32_t>(kItems);
    std::vector<uint32_t> out;
    for (const uint32_t v : a) out.push_back(Operate(which, v, 7) + Operate(which, 3, v));
    run.Out(out);
    run.In(a);
    run.Value(which);
  }
}

void VirtualFunctions(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().IntegersBetween<int32_t>(kItems, 0, 10000);
  std::vector<int32_t> out;
  for (const int32_t v : in) {
    const bool circle = v % 2 == 1;
    out.push_back(circle ? 3 * (v + 1) * (v + 1) : v * v);
    out.push_back(circle ? 0 : 4);
  }
  run.Out(out);
  run.In(in);
}

void StructByValue(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().IntegersBetween<int32_t>(kItems, 0, 100000);
  std::vector<double> out;  // multiples of 1/2 below 2^40: exact
  for (const int32_t v : in) out.push_back(v * (v % 32 % 6 + 1.0) * (v * 0.5) + v * 6.0);
  run.Out(out);
  run.In(in);
}

void CallsKeepValues(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<uint32_t>(kItems);
  std::vector<uint32_t> out;
  for (const uint32_t seed : in) {
    std::array<uint32_t, 12> v{};
    for (uint32_t j = 0; j < 12; ++j) v[j] = seed * (j + 3) + j;
    uint32_t sum = 0;
    for (uint32_t j = 0; j < seed % 8; ++j) {
      sum += Operate(3, v[0], j);
      if (((seed >> j) & 1) != 0) sum ^= sum * v[1];
      for (size_t k = 0; k < 12; ++k) v[k] = v[k] * 5 + v[(k + 1) % 12];
    }
    for (const uint32_t value : v) sum = sum * 3 + value;
    out.push_back(sum);
  }
  run.Out(out);
  run.In(in);
}

void Polynomials(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<uint32_t>(kItems);
  const std::vector<int32_t> coefficients = {2, 7, -1, 8, 2, -8, 1, 8};
  run.SetVariable("coefficients", coefficients);
  run.SetVariable<int32_t>("total", {50});
  const auto polynomial = [&](uint32_t x, size_t steps) {
    uint32_t sum = 0;
    uint32_t power = 1;
    for (size_t j = steps; j-- > 0; power *= x) {
      sum += static_cast<uint32_t>(coefficients[j]) * power;
    }
    return sum;
  };
  std::vector<uint32_t> out;
  for (size_t i = 0; i < kItems; ++i) {
    out.push_back(polynomial(in[i / 64 * 64 + 63 - i % 64], 8) + polynomial(in[i], 3));
  }
  run.Out(out);
  run.In(in);
  run.CheckVariable<int32_t>("total", {50 + static_cast<int32_t>(kItems)});
}

}  // namespace
}  // namespace calls_kernels

void AddCallsKernels(Suite& suite) {
  using namespace calls_kernels;
  const std::string source = "calls.hip";
  suite.Add({source, "recursion", Recursion});
  suite.Add({source, "mutual_recursion", MutualRecursion});
  suite.Add({source, "function_pointers", FunctionPointers});
  suite.Add({source, "uniform_function_pointer", UniformFunctionPointer});
  suite.Add({source, "virtual_functions", VirtualFunctions, {}, kFlatTargets});
  suite.Add({source, "struct_by_value", StructByValue});
  suite.Add({source, "calls_keep_values", CallsKeepValues});
  suite.Add({source, "polynomials", Polynomials});
}

}  // namespace gcnjit::kernel_tests
