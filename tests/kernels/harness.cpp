#include "harness.h"

#include <fmt/format.h>
#include <immintrin.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "gcnjit/gcnjit.h"

namespace gcnjit::kernel_tests {
namespace {

// Bytes after each buffer, inside its pages, that no kernel may touch.
constexpr size_t kGuardBytes = 256;
constexpr std::byte kGuardByte{0x3c};
constexpr double kTimeoutSeconds = 60;
constexpr int kMismatchesShown = 4;

std::vector<std::byte> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<std::byte> bytes(file ? static_cast<size_t>(file.tellg()) : 0);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

uint64_t ElementBits(std::span<const std::byte> bytes, size_t index, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * size, std::min<size_t>(size, 8));
  return bits;
}

float FloatFromBits(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

Half HalfFromBits(uint64_t bits) {
  Half half;
  half.bits = static_cast<uint16_t>(bits);
  return half;
}

// The unit in the last place of `value` in a format with `precision` bits and `min_exponent`.
double UnitInLastPlace(double value, int precision, int min_exponent) {
  if (!std::isfinite(value)) return 0;
  const int exponent = value == 0 ? min_exponent : std::max(std::ilogb(value), min_exponent);
  return std::ldexp(1.0, exponent - precision + 1);
}

bool Close(double want, double got, double ulp, const Tolerance& tolerance) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (want == got) return true;
  if (std::isinf(want) || std::isinf(got)) return false;
  const double distance = std::fabs(want - got);
  return distance <= tolerance.ulps * ulp || distance <= tolerance.absolute;
}

}  // namespace

Half::Half(float value)
    : bits(static_cast<uint16_t>(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT))) {}

float Half::ToFloat() const { return _cvtsh_ss(bits); }

int64_t Random::Between(int64_t low, int64_t high) {
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  return static_cast<int64_t>(static_cast<uint64_t>(low) + (range == 0 ? Next() : Next() % range));
}

double Random::Real(double low, double high) {
  return low + (high - low) * (static_cast<double>(Next() >> 11) * 0x1p-53);
}

std::vector<float> Random::Floats(size_t count, double low, double high) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(Real(low, high));
  return values;
}

std::vector<double> Random::Doubles(size_t count, double low, double high) {
  std::vector<double> values(count);
  for (double& value : values) value = Real(low, high);
  return values;
}

std::vector<Half> Random::Halves(size_t count, double low, double high) {
  std::vector<Half> values(count);
  for (Half& value : values) value = Half(static_cast<float>(Real(low, high)));
  return values;
}

uint64_t Random::Edgy(unsigned bits) {
  const uint64_t value = Next();
  if ((value & 3) != 0) return Next();
  const uint64_t top = uint64_t{1} << (bits - 1);
  switch ((value >> 2) % 8) {
    case 0: return 0;
    case 1: return 1;
    case 2: return ~uint64_t{0};
    case 3: return top;
    case 4: return top - 1;
    case 5: return uint64_t{1} << ((value >> 8) % bits);
    case 6: return (uint64_t{1} << ((value >> 8) % bits)) - 1;
    default: return (value >> 8) & 0xff;
  }
}

std::string Variant::Name() const {
  return fmt::format("{}/{}_v{}_{}", target, compiler, version, level);
}

int Variant::Generation() const { return target[3] - '0'; }

void Run::Grid(Dim3 global, Dim3 local, std::array<uint64_t, 3> offset) {
  Step().config.global = global;
  Step().config.local = local;
  Step().config.offset = offset;
}

void Run::Next() {
  LaunchStep next;
  next.config = Step().config;
  steps_.push_back(std::move(next));
}

Run::BufferId Run::AddBuffer(std::vector<std::byte> before, Judge judge) {
  buffers_.push_back({std::move(before), std::move(judge)});
  Use(buffers_.size() - 1);
  return buffers_.size() - 1;
}

std::string Run::CompareElements(std::span<const std::byte> expected,
                                 std::span<const std::byte> got, Element element, size_t size,
                                 Tolerance tolerance) {
  const size_t count = expected.size() / size;
  size_t mismatches = 0;
  std::string report;
  for (size_t i = 0; i < count; ++i) {
    if (std::memcmp(expected.data() + i * size, got.data() + i * size, size) == 0) continue;
    const uint64_t want_bits = ElementBits(expected, i, size);
    const uint64_t got_bits = ElementBits(got, i, size);
    double want_value = 0;
    double got_value = 0;
    double ulp = 0;
    switch (element) {
      case Element::kInteger: break;
      case Element::kHalf:
        want_value = HalfFromBits(want_bits).ToFloat();
        got_value = HalfFromBits(got_bits).ToFloat();
        ulp = UnitInLastPlace(want_value, 11, -14);
        break;
      case Element::kFloat:
        want_value = FloatFromBits(want_bits);
        got_value = FloatFromBits(got_bits);
        ulp = UnitInLastPlace(want_value, 24, -126);
        break;
      case Element::kDouble:
        want_value = std::bit_cast<double>(want_bits);
        got_value = std::bit_cast<double>(got_bits);
        ulp = UnitInLastPlace(want_value, 53, -1022);
        break;
    }
    if (tolerance.kind == Tolerance::Kind::kBitsOrNan && std::isnan(want_value) &&
        std::isnan(got_value)) {
      continue;
    }
    if (tolerance.kind == Tolerance::Kind::kUlps && Close(want_value, got_value, ulp, tolerance)) {
      continue;
    }
    if (++mismatches > kMismatchesShown) continue;
    report += fmt::format("\n  [{}] got {:#x}, want {:#x}", i, got_bits, want_bits);
    if (element != Element::kInteger) {
      report += fmt::format(" (got {}, want {}, {:.2f} ulp apart)", got_value, want_value,
                            ulp > 0 ? std::fabs(want_value - got_value) / ulp : 0.0);
    }
  }
  if (mismatches == 0) return {};
  return fmt::format("{} of {} elements differ{}", mismatches, count, report);
}

Result<Program> Run::LoadProgram(Device& device) const {
  const std::vector<std::byte> file = ReadFile(variant_.path);
  if (file.empty()) {
    return Error{ErrorCode::kNotFound, fmt::format("cannot read {}", variant_.path)};
  }
  return Program::Load(device, file, variant_.is_bundle ? variant_.target : std::string());
}

std::string Run::Prepare(Device& device, Program& program) {
  for (BufferInfo& buffer : buffers_) {
    auto address = device.Allocate(buffer.before.size() + kGuardBytes);
    if (!address) return "Allocate: " + address.error().message;
    buffer.address = *address;
    const auto data = device.Data(buffer.address, buffer.before.size() + kGuardBytes);
    if (data.empty()) return "Data() of a fresh allocation is empty";
    std::fill(data.begin(), data.end(), kGuardByte);
    std::copy(buffer.before.begin(), buffer.before.end(), data.begin());
  }
  for (const auto& [name, bytes] : variables_before_) {
    auto variable = program.FindVariable(name);
    if (!variable) return fmt::format("variable {}: {}", name, variable.error().message);
    if (variable->size != bytes.size()) {
      return fmt::format("variable {} has {} bytes, want {}", name, variable->size, bytes.size());
    }
    const auto data = device.Data(variable->address, variable->size);
    if (data.empty()) return fmt::format("variable {} is not in device memory", name);
    std::copy(bytes.begin(), bytes.end(), data.begin());
  }
  return {};
}

std::string Run::LaunchOne(Device& device, const Program& program, const std::string& kernel,
                           const LaunchStep& step, Engine engine, unsigned threads,
                           uint32_t checks) {
  Arguments arguments;
  for (const Argument& argument : step.arguments) {
    if (argument.kind == ArgumentKind::kDynamicLds) {
      arguments.Local(argument.local_bytes);
    } else if (argument.kind == ArgumentKind::kGlobalBuffer) {
      arguments.Buffer(buffers_[argument.pointers[0].second].address + argument.offset);
    } else {
      std::vector<std::byte> bytes = argument.bytes;
      for (const auto& [offset, buffer] : argument.pointers) {
        std::memcpy(bytes.data() + offset, &buffers_[buffer].address, sizeof(uint64_t));
      }
      arguments.Bytes(bytes);
    }
  }
  LaunchConfig config = step.config;
  config.engine = engine;
  config.compile_first = true;
  config.threads = threads;
  config.timeout_seconds = kTimeoutSeconds;
  config.check = checks;
  config.cache = cache_;
  const auto result = Launch(device, program, kernel, config, arguments);
  if (!result) return "Launch: " + result.error().message;
  wave_instructions_ += result->statistics.wave_instructions;
  compiled_regions_ = result->statistics.compiled_regions;
  for (const auto& [what, count] : result->statistics.not_compiled) {
    if (what.starts_with('(')) return "the JIT left a region to the interpreter: " + what;
  }
  if (result->statistics.wave_instructions == 0) return "the launch executed nothing";
  if (result->status == LaunchStatus::kTimeout) return "the launch timed out";
  if (result->status == LaunchStatus::kFault) {
    return "fault: " + (result->fault ? result->fault->Describe() : "without a report");
  }
  std::string findings;
  for (const Finding& finding : result->findings) findings += finding.Describe();
  return findings;
}

std::string Run::Compare(Device& device, const Program& program) {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const size_t size = buffers_[i].before.size();
    const auto data = device.Data(buffers_[i].address, size + kGuardBytes);
    const std::string wrong = buffers_[i].judge(data.first(size));
    if (!wrong.empty()) return fmt::format("buffer {}: {}", i, wrong);
    if (buffers_[i].is_result) results_.insert(results_.end(), data.begin(), data.begin() + size);
    for (size_t j = size; j < size + kGuardBytes; ++j) {
      if (data[j] == kGuardByte) continue;
      return fmt::format("buffer {}: byte {} after its end was written", i, j - size);
    }
  }
  for (const auto& [name, judge] : variables_after_) {
    auto variable = program.FindVariable(name);
    if (!variable) return fmt::format("variable {}: {}", name, variable.error().message);
    const auto data = device.Data(variable->address, variable->size);
    if (data.empty()) return fmt::format("variable {} is not in device memory", name);
    const std::string wrong = judge(data);
    if (!wrong.empty()) return fmt::format("variable {}: {}", name, wrong);
    results_.insert(results_.end(), data.begin(), data.end());
  }
  return {};
}

std::string Run::Execute(const std::string& kernel, Engine engine, unsigned threads,
                         uint32_t checks) {
  auto device = Device::Create();
  if (!device) return "Device::Create: " + device.error().message;
  auto program = LoadProgram(*device);
  if (!program) return "Program::Load: " + program.error().message;
  std::string wrong = Prepare(*device, *program);
  for (const LaunchStep& step : steps_) {
    if (!wrong.empty()) return wrong;
    wrong = LaunchOne(*device, *program, step.kernel.empty() ? kernel : step.kernel, step, engine,
                      threads, checks);
  }
  return wrong.empty() ? Compare(*device, *program) : wrong;
}

}  // namespace gcnjit::kernel_tests
