// kernel_tests: registers each case for each variant of its source and runs them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>

#include "backend_x64/host/features.h"
#include "gcnjit/gcnjit.h"
#include "harness.h"

namespace gcnjit::kernel_tests {
namespace {

struct Options {
  std::vector<Engine> engines = {Engine::kInterpreter};
  std::vector<unsigned> threads = {0};
  uint32_t checks = kCheckNothing;
  std::optional<CodeCache> cache;
};

uint64_t SeedOf(const std::string& name) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a: stable everywhere, unlike std::hash
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string Topic(const std::string& source) {
  std::string topic = source;
  for (char& c : topic) c = c == '.' ? '_' : c;
  return topic;
}

// A manifest line: path|source|target|compiler|version|level|bundle(0 or 1).
std::vector<Variant> ReadManifest(const std::string& path) {
  std::vector<Variant> variants;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream stream(line);
    std::vector<std::string> fields;
    for (std::string field; std::getline(stream, field, '|');) fields.push_back(field);
    if (fields.size() != 7) continue;
    variants.push_back({fields[0], fields[1], fields[2], fields[3], std::stoi(fields[4]), fields[5],
                        fields[6] == "1"});
  }
  return variants;
}

class KernelTest : public testing::Test {
 public:
  KernelTest(const KernelCase& kernel_case, const Variant& variant, const Options& options)
      : case_(kernel_case), variant_(variant), options_(options) {}
  void TestBody() override {
    std::optional<std::vector<std::byte>> first;
    std::vector<Engine> engines = options_.engines;
    if (options_.cache) engines = {Engine::kJit, Engine::kJit};
    for (const Engine engine : engines) {
      for (const unsigned threads : options_.threads) {
        kernel_tests::Run run(variant_, SeedOf(case_.source + case_.kernel + case_.name));
        case_.prepare(run);
        run.SetCache(options_.cache);
        const std::string wrong = run.Execute(case_.kernel, engine, threads, options_.checks);
        RecordProperty("wave_instructions", std::to_string(run.wave_instructions()));
        if (!wrong.empty()) {
          ADD_FAILURE() << case_.kernel << " of " << variant_.path << ":\n" << wrong;
          return;
        }
        if (first && options_.cache) {
          EXPECT_EQ(run.compiled_regions(), 0u);
        }
        if (!first) first = run.results();
        EXPECT_TRUE(*first == run.results())
            << case_.kernel << " of " << variant_.path << ": other results in "
            << (engine == Engine::kJit ? "the JIT" : "the interpreter") << " on " << threads
            << " threads than in the first run";
      }
    }
  }

 private:
  const KernelCase& case_;
  const Variant& variant_;
  Options options_;
};

// Every kernel of the code object has a case for this target, and the other way round.
class CompletenessTest : public testing::Test {
 public:
  CompletenessTest(const Suite& suite, const Variant& variant) : suite_(suite), variant_(variant) {}
  void TestBody() override {
    std::vector<char> bytes(std::filesystem::file_size(variant_.path));
    std::ifstream file(variant_.path, std::ios::binary);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    auto device = Device::Create();
    ASSERT_TRUE(device.ok()) << device.error().message;
    auto program = Program::Load(*device, std::as_bytes(std::span(bytes)),
                                 variant_.is_bundle ? variant_.target : std::string());
    ASSERT_TRUE(program.ok()) << variant_.path << ": " << program.error().message;
    std::set<std::string> in_file;
    for (const KernelInfo& kernel : program->Kernels()) in_file.insert(kernel.name);
    std::set<std::string> in_suite;
    for (const KernelCase& kernel_case : suite_.cases()) {
      if (kernel_case.source == variant_.source && kernel_case.targets.Has(variant_)) {
        in_suite.insert(kernel_case.kernel);
      }
    }
    EXPECT_EQ(in_file, in_suite) << variant_.path;
  }

 private:
  const Suite& suite_;
  const Variant& variant_;
};

void RegisterAll(const Suite& suite, const std::vector<Variant>& variants, const Options& options) {
  for (const Variant& variant : variants) {
    const std::string topic = Topic(variant.source);
    testing::RegisterTest(topic.c_str(), ("all_kernels/" + variant.Name()).c_str(), nullptr,
                          nullptr, __FILE__, __LINE__, [&suite, &variant]() -> testing::Test* {
                            return new CompletenessTest(suite, variant);
                          });
    for (const KernelCase& kernel_case : suite.cases()) {
      if (kernel_case.source != variant.source || !kernel_case.targets.Has(variant)) continue;
      const std::string& name = kernel_case.name.empty() ? kernel_case.kernel : kernel_case.name;
      testing::RegisterTest(topic.c_str(), (name + "/" + variant.Name()).c_str(), nullptr, nullptr,
                            __FILE__, __LINE__,
                            [&kernel_case, &variant, &options]() -> testing::Test* {
                              return new KernelTest(kernel_case, variant, options);
                            });
    }
  }
}

constexpr int kSkipped = 77;  // ctest's SKIP_RETURN_CODE

bool ParseOption(const std::string& argument, Options& options) {
  if (argument == "--engine=interp") {
    options.engines = {Engine::kInterpreter};
    return true;
  }
  if (argument == "--engine=jit") {
    options.engines = {Engine::kJit};
    return true;
  }
  if (argument == "--engine=interp,jit") {
    options.engines = {Engine::kInterpreter, Engine::kJit};
    return true;
  }
  if (argument == "--check") {
    options.checks = kCheckAll;
    return true;
  }
  for (const backend::HostIsa isa : {backend::HostIsa::kAvx2, backend::HostIsa::kAvx512}) {
    if (argument != "--isa=" + std::string(backend::NameOf(isa))) continue;
    if (!backend::HostHas(isa)) {
      std::printf("this host has no %s\n", std::string(backend::NameOf(isa)).c_str());
      std::exit(kSkipped);
    }
    return setenv("GCNJIT_FORCE_ISA", std::string(backend::NameOf(isa)).c_str(), 1) == 0;
  }
  constexpr std::string_view kCache = "--cache=";
  if (argument.starts_with(kCache)) {
    const auto cache = CodeCache::Open({.folder = argument.substr(kCache.size())});
    if (!cache) fmt::print(stderr, "{}\n", cache.error().message);
    if (cache) options.cache = *cache;
    return cache.ok();
  }
  constexpr std::string_view kThreads = "--threads=";
  if (!argument.starts_with(kThreads)) return false;
  options.threads.clear();
  std::istringstream list(argument.substr(kThreads.size()));
  for (std::string number; std::getline(list, number, ',');) {
    unsigned threads = 0;
    const char* end = number.data() + number.size();
    const auto parsed = std::from_chars(number.data(), end, threads);
    if (parsed.ec != std::errc() || parsed.ptr != end) return false;
    options.threads.push_back(threads);
  }
  return !options.threads.empty();
}

int Main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (ParseOption(argv[i], options)) continue;
    fmt::print(
        stderr,
        "unknown option {}: use --engine=interp|jit|interp,jit, --isa=avx2|avx512, --threads=N,.., "
        "--check, --cache=FOLDER or gtest's\n",
        argv[i]);
    return 2;
  }
  Suite suite;
  AddAppsKernels(suite);
  AddAtomicsKernels(suite);
  AddBoxesKernels(suite);
  AddBuiltinsKernels(suite);
  AddCallsKernels(suite);
  AddControlKernels(suite);
  AddConvertKernels(suite);
  AddFloatKernels(suite);
  AddGeometryKernels(suite);
  AddGlobalsKernels(suite);
  AddGuardsKernels(suite);
  AddHalfKernels(suite);
  AddHipKernels(suite);
  AddIntegerKernels(suite);
  AddLdsKernels(suite);
  AddMathKernels(suite);
  AddScratchKernels(suite);
  AddPlanesKernels(suite);
  AddRowsKernels(suite);
  AddSumsKernels(suite);
  AddTilesKernels(suite);
  AddVariantsKernels(suite);
  AddWaveKernels(suite);
  const std::vector<Variant> variants = ReadManifest(GCNJIT_KERNEL_MANIFEST);
  if (variants.empty()) {
    fmt::print(stderr, "no kernels in {}: build the target test_kernels\n", GCNJIT_KERNEL_MANIFEST);
    return 2;
  }
  RegisterAll(suite, variants, options);
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace gcnjit::kernel_tests

int main(int argc, char** argv) { return gcnjit::kernel_tests::Main(argc, argv); }
