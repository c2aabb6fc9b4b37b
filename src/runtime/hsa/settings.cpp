#include "runtime/hsa/settings.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>

#include "runtime/check/check_names.h"
#include "runtime/hsa/gpu_model.h"

namespace gcnjit::hsa {
namespace {

constexpr unsigned kMaxDevices = 16;
constexpr unsigned kMaxThreads = 1024;

// None for a program with other rights than its user's: a variable names a file to execute, another
// one to write.
std::string_view Variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

Error Wrong(const char* name, std::string_view value, const std::string& may_be) {
  return {ErrorCode::kInvalidArgument, fmt::format("{}={}: it may be {}", name, value, may_be)};
}

std::optional<unsigned> NumberIn(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// ROCR_VISIBLE_DEVICES: the numbers of the devices to keep, in that order. As in ROCm, the list
// ends at the first entry that is not a device.
std::vector<std::string> VisibleOf(const std::vector<std::string>& devices, std::string_view list) {
  std::vector<std::string> visible;
  while (true) {
    const size_t comma = list.find(',');
    const std::optional<unsigned> number = NumberIn(list.substr(0, comma));
    if (!number || *number >= devices.size()) break;
    visible.push_back(devices[*number]);
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return visible;
}

}  // namespace

Result<Settings> ReadSettings() {
  Settings settings;
  std::string_view device = Variable("GCNJIT_DEVICE");
  if (device.empty()) device = "gfx900";
  if (FindGpuModel(device) == nullptr) return Wrong("GCNJIT_DEVICE", device, GpuModelNames());
  unsigned count = 1;
  if (const std::string_view text = Variable("GCNJIT_DEVICES"); !text.empty()) {
    const std::optional<unsigned> number = NumberIn(text);
    if (!number || *number == 0 || *number > kMaxDevices) {
      return Wrong("GCNJIT_DEVICES", text, fmt::format("a number from 1 to {}", kMaxDevices));
    }
    count = *number;
  }
  settings.devices.assign(count, std::string(device));
  if (const char* visible = std::getenv("ROCR_VISIBLE_DEVICES"); visible != nullptr) {
    settings.devices = VisibleOf(settings.devices, visible);
  }
  const std::string_view engine = Variable("GCNJIT_ENGINE");
  if (engine == "interp") {
    settings.engine = Engine::kInterpreter;
  } else if (!engine.empty() && engine != "jit") {
    return Wrong("GCNJIT_ENGINE", engine, "jit or interp");
  }
  if (const std::string_view text = Variable("GCNJIT_THREADS"); !text.empty()) {
    const std::optional<unsigned> number = NumberIn(text);
    if (!number || *number > kMaxThreads) {
      return Wrong("GCNJIT_THREADS", text,
                   fmt::format("a number up to {}; 0 stands for all processors", kMaxThreads));
    }
    settings.threads = *number;
  }
  if (const std::string_view text = Variable("GCNJIT_CHECK"); !text.empty()) {
    const auto checks = ParseChecks(text);
    if (!checks) {
      return Error{ErrorCode::kInvalidArgument, "GCNJIT_CHECK: " + checks.error().message};
    }
    settings.checks = *checks;
  }
  const std::string_view statistics = Variable("GCNJIT_STATS");
  if (statistics == "json") {
    settings.statistics = Settings::Report::kJson;
  } else if (statistics == "1") {
    settings.statistics = Settings::Report::kTable;
  } else if (!statistics.empty() && statistics != "0") {
    return Wrong("GCNJIT_STATS", statistics, "1 for a table, json, or 0");
  }
  const std::string_view unfinished = Variable("GCNJIT_UNFINISHED");
  if (!unfinished.empty() && unfinished != "0" && unfinished != "1") {
    return Wrong("GCNJIT_UNFINISHED", unfinished, "1 or 0");
  }
  settings.tell_unfinished = unfinished == "1";
  settings.trace_file = Variable("GCNJIT_TRACE");
  settings.html_file = Variable("GCNJIT_HTML");
  settings.junit_file = Variable("GCNJIT_JUNIT");
  settings.program = Variable("GCNJIT_PROGRAM");
  const auto cache = CacheFromEnvironment();
  if (!cache) return cache.error();
  settings.cache = *cache;
  return settings;
}

}  // namespace gcnjit::hsa
