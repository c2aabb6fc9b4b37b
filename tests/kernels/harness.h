// The kernel suite: real compiled kernels, run by gcnjit, compared with plain C++.
//
// How to add a kernel
//   1. Write it in the source of its topic, e.g. lds.cl (OpenCL C) or calls.hip (HIP). A new source
//      is one line in the source table of CMakeLists.txt, where its language, options and the
//      targets that the compilers refuse are listed.
//   2. In <topic>_kernels.cpp, write a function that describes one run and register it:
//
//        void Saxpy(Run& run) {
//          run.Grid({300}, {64});                         // work-items; the last group is partial
//          const auto x = run.random().Floats(300, -1, 1);
//          run.Out(Expected(x));                          // arguments, in the kernel's order
//          run.In(x);
//          run.Value(2.0f);
//        }
//        suite.Add({.source = "apps.cl", .kernel = "saxpy", .prepare = Saxpy});
//
//      The function computes the expected output itself, by the simplest C++ there is and not by
//      copying the kernel. Its random numbers come from a seed fixed by the kernel's name.
//      A kernel that only some targets have says so: .targets = kFlatTargets, for instance.
//   3. That is all: the case runs for each variant of its source (target x compiler x code object
//      version x optimisation level), and a kernel in a source without a case fails the suite.
//
// What is compared: output buffers by the stated tolerance (bits, unless a bound in ulps is given;
// the bound's reason belongs in a comment); input buffers must stay as they were; the bytes after
// each buffer too.
//
// Running: kernel_tests [--engine=interp|jit|interp,jit] [--isa=avx2|avx512] [--threads=N,..]
// [--check] [--cache=FOLDER] [gtest options]. With several engines or numbers of threads each case
// runs with each, and the results must be the same to the last bit. With a folder for compiled code
// each case runs twice, in memory of its own, and the second time nothing may be compiled. Test
// names are <topic>.<case>/<target>/<compiler>_v<code object version>_<level>.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gcnjit/launch.h"

namespace gcnjit::kernel_tests {

// IEEE binary16 as bits. Conversions round to nearest even.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value);
  float ToFloat() const;
  bool operator==(const Half&) const = default;
};

// How an output is compared with its expectation.
struct Tolerance {
  enum class Kind { kBits, kBitsOrNan, kUlps } kind = Kind::kBits;
  double ulps = 0;      // kUlps: distance in units of the expected value's last place
  double absolute = 0;  // kUlps: or this far off
};
inline Tolerance Bits() { return {}; }
// Any NaN equals any NaN: for results whose NaN payload no standard fixes.
inline Tolerance BitsOrNan() { return {Tolerance::Kind::kBitsOrNan}; }
inline Tolerance Ulps(double ulps, double absolute = 0) {
  return {Tolerance::Kind::kUlps, ulps, absolute};
}

// Seeded random numbers; the same on every host (no std::*_distribution).
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint64_t Next() { return engine_(); }
  // Uniform in [low, high].
  int64_t Between(int64_t low, int64_t high);
  double Real(double low, double high);
  // count values of an integer type, all bits random.
  template <typename T>
  std::vector<T> Integers(size_t count) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(Next());
    return values;
  }
  // As Integers, but a quarter of the values are special: 0, 1, -1, extremes, single bits.
  template <typename T>
  std::vector<T> EdgyIntegers(size_t count) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(Edgy(sizeof(T) * 8));
    return values;
  }
  template <typename T>
  std::vector<T> IntegersBetween(size_t count, int64_t low, int64_t high) {
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(Between(low, high));
    return values;
  }
  std::vector<float> Floats(size_t count, double low, double high);
  std::vector<double> Doubles(size_t count, double low, double high);
  std::vector<Half> Halves(size_t count, double low, double high);

 private:
  uint64_t Edgy(unsigned bits);
  std::mt19937_64 engine_;
};

// One compiled form of a source, a line of the manifest that the build writes.
struct Variant {
  std::string path;      // the code object or bundle
  std::string source;    // "integer.cl"
  std::string target;    // "gfx900"
  std::string compiler;  // "clang15", "hipcc"
  int version = 0;       // of the code object, 2 to 6
  std::string level;     // "O2"
  bool is_bundle = false;
  std::string Name() const;  // "gfx900/clang15_v4_O2"
  int Generation() const;    // 6 to 9: the first digit of the target
};

// What one test does: launches and what must be in memory afterwards.
class Run {
 public:
  using BufferId = size_t;

  Run(const Variant& variant, uint64_t seed) : variant_(variant), random_(seed) {
    steps_.emplace_back();
  }
  const Variant& variant() const { return variant_; }
  int generation() const { return variant_.Generation(); }
  // f32 denormals are flushed by default where denormal arithmetic is slow: before gfx9
  // (LLVM: AMDGPUToolChain::getDefaultDenormsAreZeroForTarget).
  bool flushes_f32() const { return generation() < 9; }
  Random& random() { return random_; }

  void Grid(Dim3 global, Dim3 local, std::array<uint64_t, 3> offset = {0, 0, 0});

  // Arguments of the current launch, in order. In: must stay unchanged. Out: filled with a pattern
  // first. Unwritten elements of an output are expected as kUnwritten bytes.
  template <typename T>
  BufferId In(const std::vector<T>& data) {
    return InOut(data, data);
  }
  template <typename T>
  BufferId Out(const std::vector<T>& expected, Tolerance tolerance = Bits()) {
    return AddBuffer(std::vector<std::byte>(expected.size() * sizeof(T), kUnwritten),
                     Comparison<T>(expected, tolerance));
  }
  template <typename T>
  BufferId InOut(const std::vector<T>& before, const std::vector<T>& after,
                 Tolerance tolerance = Bits()) {
    return AddBuffer(ToBytes(before), Comparison<T>(after, tolerance));
  }
  // A buffer whose contents are judged by `judge`: an empty text for right, else what is wrong.
  template <typename T>
  BufferId Judged(const std::vector<T>& before,
                  std::function<std::string(const std::vector<T>&)> judge) {
    const BufferId id = AddBuffer(ToBytes(before), [judge](std::span<const std::byte> bytes) {
      return judge(FromBytes<T>(bytes));
    });
    buffers_[id].is_result = false;
    return id;
  }
  // A buffer whose contents afterwards do not matter.
  BufferId Scratch(size_t bytes) {
    const BufferId id =
        AddBuffer(std::vector<std::byte>(bytes), [](auto) { return std::string(); });
    buffers_[id].is_result = false;
    return id;
  }
  template <typename T>
  void Value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    Step().arguments.push_back({ArgumentKind::kByValue, ToBytes(std::vector<T>{value}), 0, 0, {}});
  }
  // A structure by value holding buffer addresses: (offset of the pointer, buffer).
  template <typename T>
  void ValueWithPointers(const T& value, std::vector<std::pair<size_t, BufferId>> pointers) {
    Value(value);
    Step().arguments.back().pointers = std::move(pointers);
  }
  void Local(uint32_t bytes) {
    Step().arguments.push_back({ArgumentKind::kDynamicLds, {}, 0, bytes, {}});
  }
  // The same buffer as another argument, with a byte offset.
  void Use(BufferId buffer, uint64_t offset = 0) {
    Step().arguments.push_back({ArgumentKind::kGlobalBuffer, {}, offset, 0, {{0, buffer}}});
  }
  // A buffer that is no argument itself (it is pointed at by ValueWithPointers or Use).
  template <typename T>
  BufferId Unbound(const std::vector<T>& before, const std::vector<T>& after) {
    const BufferId id = InOut(before, after);
    Step().arguments.pop_back();
    return id;
  }
  // Ends the description of one launch and starts that of the next one; memory carries over. The
  // grid is kept.
  void Next();
  // The current launch runs another kernel of the same code object than the case's own.
  void Kernel(const std::string& kernel) { Step().kernel = kernel; }

  // A program-scope variable: written before the first launch, compared after the last.
  template <typename T>
  void SetVariable(const std::string& name, const std::vector<T>& data) {
    variables_before_[name] = ToBytes(data);
  }
  template <typename T>
  void CheckVariable(const std::string& name, const std::vector<T>& expected) {
    variables_after_[name] = Comparison<T>(expected, Bits());
  }

  // Loads the code object, launches, compares. An empty text for right, else what is wrong.
  // `checks`: what LaunchConfig::check looks for; a finding is wrong.
  std::string Execute(const std::string& kernel, Engine engine, unsigned threads,
                      uint32_t checks = kCheckNothing);
  uint64_t wave_instructions() const { return wave_instructions_; }
  // Where compiled code is kept; nowhere unless told.
  void SetCache(const std::optional<CodeCache>& cache) { cache_ = cache; }
  uint64_t compiled_regions() const { return compiled_regions_; }
  // What the launches left in all buffers and variables that are compared; not in those that are
  // judged, which may depend on the order of waves.
  const std::vector<std::byte>& results() const { return results_; }

  static constexpr std::byte kUnwritten{0xa5};
  template <typename T>
  static T Unwritten() {
    T value;
    std::memset(static_cast<void*>(&value), static_cast<int>(kUnwritten), sizeof(T));
    return value;
  }

 private:
  using Judge = std::function<std::string(std::span<const std::byte>)>;
  struct BufferInfo {
    std::vector<std::byte> before;
    Judge judge;
    uint64_t address = 0;
    bool is_result = true;
  };
  struct Argument {
    ArgumentKind kind;
    std::vector<std::byte> bytes;
    uint64_t offset;
    uint32_t local_bytes;
    std::vector<std::pair<size_t, BufferId>> pointers;
  };
  struct LaunchStep {
    std::string kernel;  // empty: the case's own
    LaunchConfig config;
    std::vector<Argument> arguments;
  };

  LaunchStep& Step() { return steps_.back(); }
  BufferId AddBuffer(std::vector<std::byte> before, Judge judge);
  Result<Program> LoadProgram(Device& device) const;
  std::string Prepare(Device& device, Program& program);
  std::string LaunchOne(Device& device, const Program& program, const std::string& kernel,
                        const LaunchStep& step, Engine engine, unsigned threads, uint32_t checks);
  std::string Compare(Device& device, const Program& program);

  template <typename T>
  static std::vector<std::byte> ToBytes(const std::vector<T>& data) {
    const auto bytes = std::as_bytes(std::span(data));
    return {bytes.begin(), bytes.end()};
  }
  template <typename T>
  static std::vector<T> FromBytes(std::span<const std::byte> bytes) {
    std::vector<T> data(bytes.size() / sizeof(T));
    if (!data.empty()) std::memcpy(data.data(), bytes.data(), data.size() * sizeof(T));
    return data;
  }
  enum class Element { kInteger, kHalf, kFloat, kDouble };
  // Compares element by element; the type-erased body is in harness.cpp.
  static std::string CompareElements(std::span<const std::byte> expected,
                                     std::span<const std::byte> got, Element element, size_t size,
                                     Tolerance tolerance);
  template <typename T>
  static Judge Comparison(const std::vector<T>& expected, Tolerance tolerance) {
    constexpr Element kElement = std::is_same_v<T, Half>     ? Element::kHalf
                                 : std::is_same_v<T, float>  ? Element::kFloat
                                 : std::is_same_v<T, double> ? Element::kDouble
                                                             : Element::kInteger;
    return [expected = ToBytes(expected), tolerance](std::span<const std::byte> got) {
      return CompareElements(expected, got, kElement, sizeof(T), tolerance);
    };
  }

  const Variant& variant_;
  Random random_;
  std::vector<BufferInfo> buffers_;
  std::vector<LaunchStep> steps_;
  std::map<std::string, std::vector<std::byte>> variables_before_;
  std::map<std::string, Judge> variables_after_;
  uint64_t wave_instructions_ = 0;
  uint64_t compiled_regions_ = 0;
  std::optional<CodeCache> cache_;
  std::vector<std::byte> results_;
};

// Which generations a kernel exists on.
struct TargetSet {
  int first_generation = 6;
  int last_generation = 9;
  bool has_dot_products = false;  // gfx906 and later
  bool has_matrices = false;      // those of gfx908, which gfx942 has in part
  bool Has(const Variant& variant) const {
    const int generation = variant.Generation();
    const bool has_matrices_of_gfx908 = variant.target == "gfx908" || variant.target == "gfx90a";
    const bool is_cdna = has_matrices_of_gfx908 || variant.target == "gfx942";
    return generation >= first_generation && generation <= last_generation &&
           (!has_dot_products || variant.target == "gfx906" || is_cdna) &&
           (!has_matrices || has_matrices_of_gfx908);
  }
};
inline constexpr TargetSet kAllTargets{};
inline constexpr TargetSet kFlatTargets{.first_generation = 7};  // FLAT instructions
inline constexpr TargetSet kDppTargets{.first_generation = 8};   // DPP, ds_bpermute, native f16
inline constexpr TargetSet kGfx9Targets{.first_generation = 9};  // packed maths
inline constexpr TargetSet kDotTargets{.first_generation = 9, .has_dot_products = true};
inline constexpr TargetSet kMatrixTargets{.first_generation = 9, .has_matrices = true};

struct KernelCase {
  std::string source;  // "integer.cl"
  std::string kernel;  // as in the source
  std::function<void(Run&)> prepare;
  std::string name = {};  // of the case; empty: the kernel's
  TargetSet targets = kAllTargets;
};

class Suite {
 public:
  void Add(KernelCase kernel_case) { cases_.push_back(std::move(kernel_case)); }
  const std::vector<KernelCase>& cases() const { return cases_; }

 private:
  std::vector<KernelCase> cases_;
};

// The topics; each is one <topic>_kernels.cpp.
void AddAppsKernels(Suite& suite);
void AddAtomicsKernels(Suite& suite);
void AddBoxesKernels(Suite& suite);
void AddBuiltinsKernels(Suite& suite);
void AddCallsKernels(Suite& suite);
void AddControlKernels(Suite& suite);
void AddConvertKernels(Suite& suite);
void AddFloatKernels(Suite& suite);
void AddGeometryKernels(Suite& suite);
void AddGlobalsKernels(Suite& suite);
void AddGuardsKernels(Suite& suite);
void AddHalfKernels(Suite& suite);
void AddHipKernels(Suite& suite);
void AddIntegerKernels(Suite& suite);
void AddLdsKernels(Suite& suite);
void AddMathKernels(Suite& suite);
void AddScratchKernels(Suite& suite);
void AddPlanesKernels(Suite& suite);
void AddRowsKernels(Suite& suite);
void AddSumsKernels(Suite& suite);
void AddTilesKernels(Suite& suite);
void AddVariantsKernels(Suite& suite);
void AddWaveKernels(Suite& suite);

}  // namespace gcnjit::kernel_tests
