// Launching, random inputs and comparisons that all workloads share.
#include "workload.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>

namespace gcnjit::bench {
namespace {

template <typename T, typename Same>
std::string Compare(std::span<const T> got, std::span<const T> expected, Same same) {
  if (got.size() != expected.size()) {
    return fmt::format("{} elements, expected {}", got.size(), expected.size());
  }
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (same(got[i], expected[i])) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return {};
  return fmt::format("{} of {} elements are wrong, first [{}]: {}, expected {}", wrong, got.size(),
                     first, got[first], expected[first]);
}

}  // namespace

std::vector<Entry> AllEntries() {
  std::vector<Entry> all;
  for (auto part : {StreamingEntries, DenseEntries, MathEntries, IntegerEntries}) {
    for (Entry& entry : part()) all.push_back(std::move(entry));
  }
  return all;
}

Program LoadKernels(Device& device, const std::string& folder, const std::string& target,
                    const std::string& name) {
  const std::string path = fmt::format("{}/{}-{}.co", folder, name, target);
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error(fmt::format(
        "cannot read {}: configure with -DGCNJIT_BENCH_TARGETS=\"gfx900;{}\"", path, target));
  }
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  auto program = Program::Load(device, std::as_bytes(std::span(bytes)));
  if (!program) throw std::runtime_error(program.error().message);
  return *std::move(program);
}

Device CreateDevice() {
  auto device = Device::Create();
  if (!device) throw std::runtime_error(device.error().message);
  return *std::move(device);
}

void GuestRunner::Launch(const std::string& kernel, Dim3 global, Dim3 local,
                         const Arguments& arguments) {
  if (!error_.empty()) return;
  LaunchConfig config;
  config.global = global;
  config.local = local;
  config.engine = engine_;
  config.compile_first = true;
  config.threads = threads_;
  const auto result = gcnjit::Launch(device_, program_, kernel, config, arguments);
  if (!result) {
    error_ = result.error().message;
  } else if (result->status != LaunchStatus::kDone) {
    error_ = result->fault ? result->fault->Describe() : "the launch timed out";
  } else {
    wave_instructions_ += result->statistics.wave_instructions;
    compile_seconds_ = result->statistics.compile_seconds;
    not_compiled_ = 0;
    for (const auto& [mnemonic, count] : result->statistics.not_compiled) not_compiled_ += count;
  }
}

float RandomFloat(uint64_t index, float low, float high) {
  return low + (high - low) * static_cast<float>(RandomAt(index) >> 8) * 0x1p-24f;
}

std::string CompareExact(std::span<const float> got, std::span<const float> expected) {
  return Compare(got, expected, [](float a, float b) { return a == b; });
}

std::string CompareExact(std::span<const uint32_t> got, std::span<const uint32_t> expected) {
  return Compare(got, expected, [](uint32_t a, uint32_t b) { return a == b; });
}

std::string CompareNear(std::span<const float> got, std::span<const float> expected,
                        float absolute_tolerance) {
  return Compare(got, expected, [&](float a, float b) {
    return std::fabs(a - b) <= absolute_tolerance;  // false for a NaN
  });
}

}  // namespace gcnjit::bench
