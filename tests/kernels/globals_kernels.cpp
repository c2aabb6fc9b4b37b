// References of globals.cl.
#include <string_view>

#include "harness.h"

namespace gcnjit::kernel_tests {
namespace globals_kernels {
namespace {

constexpr uint32_t kItems = 200;
constexpr Dim3 kGlobal{kItems};
constexpr Dim3 kLocal{64};

void ConstantTables(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<uint32_t>(kItems);
  const std::array<float, 5> weights = {0.5f, -1.25f, 3.0f, 1e10f, -0.0f};
  const std::string_view text = "The quick brown fox jumps over the lazy dog";
  std::vector<double> out;
  for (const uint32_t v : in) {
    const std::array<double, 3> products = {15, -50, -105};
    const size_t letter = (v >> 12) % (text.size() + 1);
    const uint32_t square = (v % 16) * (v % 16);
    // The kernel adds the first two in f32.
    out.push_back(static_cast<double>(static_cast<float>(square) + weights[(v >> 4) % 5]) +
                  products[v % 3] + (v % 3) * 3 + 1 + (v >> 8) % 3 +
                  (letter == text.size() ? 0 : text[letter]));
  }
  run.Out(out);
  run.In(in);
}

void PointerTable(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<uint32_t>(kItems);
  constexpr int32_t kTables[3][6] = {
      {2, 3, 5, 7, 11, 13}, {1, 2, 4, 8, 16, 32}, {1, 1, 2, 3, 5, 8}};
  std::vector<int32_t> out;
  for (const uint32_t v : in) out.push_back(kTables[v % 3][(v >> 8) % 6]);
  run.Out(out);
  run.In(in);
}

void GlobalVariables(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<uint32_t>(kItems);
  std::vector<float> out;
  std::vector<uint32_t> histogram = {9, 0, 0, 0, 0, 0, 0, 1};
  run.SetVariable("histogram", histogram);
  for (const uint32_t v : in) {
    out.push_back(2.5f * static_cast<float>(v % 256));
    ++histogram[v % 8];
  }
  run.Out(out);
  run.In(in);
  run.CheckVariable<int32_t>("counter", {100 + kItems});
  run.CheckVariable("histogram", histogram);
  run.CheckVariable<float>("scale", {2.5f});
}

void ScaleSetByHost(Run& run) {
  run.Grid(kGlobal, kLocal);
  const auto in = run.random().Integers<uint32_t>(kItems);
  run.SetVariable<float>("scale", {-0.5f});
  run.SetVariable<int32_t>("counter", {-1000});
  std::vector<float> out;
  for (const uint32_t v : in) out.push_back(-0.5f * static_cast<float>(v % 256));
  run.Out(out);
  run.In(in);
  run.CheckVariable<int32_t>("counter", {-1000 + static_cast<int32_t>(kItems)});
}

// A device pointer stored by one launch and used by the next two.
void UsePointer(Run& run) {
  run.Kernel("remember_pointer");
  run.Grid({1}, {1});
  std::vector<int32_t> before(80), after(80);
  for (int32_t i = 0; i < 80; ++i) {
    before[static_cast<size_t>(i)] = i * 3;
    after[static_cast<size_t>(i)] = i * 3 + (i >= 5 && i < 75 ? 1007 : 0);
  }
  run.InOut(before, after);
  run.Next();
  run.Grid({70}, {64});
  run.Value(int32_t{1000});
  run.Next();
  run.Value(int32_t{7});
}

void RememberPointer(Run& run) {
  run.Grid({1}, {1});
  run.InOut<int32_t>({1, 2, 3}, {1, 2, 3});
}

void StaticTables(Run& run) {
  run.Grid(kGlobal, kLocal);
  constexpr std::array<int32_t, 12> kTable = {1, 2, 3, 4, 50, 60, 70, 80, -9, -8, -7, -6};
  std::vector<int32_t> out;
  for (int32_t i = 0; i < static_cast<int32_t>(kItems); ++i) {
    out.push_back(kTable[static_cast<size_t>(i % 12)] * (i + 1));
  }
  run.Out(out);
}

}  // namespace
}  // namespace globals_kernels

void AddGlobalsKernels(Suite& suite) {
  using namespace globals_kernels;
  const std::string source = "globals.cl";
  suite.Add({source, "constant_tables", ConstantTables});
  suite.Add({source, "pointer_table", PointerTable});
  suite.Add({source, "global_variables", GlobalVariables});
  suite.Add({source, "global_variables", ScaleSetByHost, "variables_set_by_host"});
  suite.Add({source, "remember_pointer", RememberPointer});
  suite.Add({source, "use_pointer", UsePointer});
  suite.Add({source, "static_tables", StaticTables});
}

}  // namespace gcnjit::kernel_tests
