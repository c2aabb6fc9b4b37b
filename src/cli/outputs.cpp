#include "cli/outputs.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "cli/files.h"
#include "runtime/host/output_path.h"

namespace gcnjit::cli {
namespace {

constexpr const char* kStandardOutput = "standard output";

// A name that stands for one place; empty: a device or a pipe, which takes more than one.
std::string PlaceOf(const std::string& path) {
  if (IsStandardOutput(path)) return kStandardOutput;
  if (runtime::OpenFileOf(path)) return {};
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) return {};
    return fmt::format("{}:{}", status.st_dev, status.st_ino);
  }
  std::error_code error;
  const std::filesystem::path target = runtime::FollowLinks(path).value_or(path);
  return std::filesystem::weakly_canonical(target, error).string();
}

}  // namespace

bool IsStandardOutput(const std::string& path) {
  return path == "-" || runtime::OpenFileOf(path) == STDOUT_FILENO;
}

Result<void> CheckOutputs(const std::vector<Output>& outputs) {
  std::map<std::string, const Output*> places;
  for (const Output& output : outputs) {
    if (output.path.empty()) continue;
    if (const auto writable = CheckWritable(output.path); !writable) return writable;
    const std::string place = PlaceOf(output.path);
    if (place.empty()) continue;
    const auto [other, is_new] = places.emplace(place, &output);
    if (is_new) continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} and {} both write to {}: give one of them a file of its own",
                             other->second->option, output.option,
                             place == kStandardOutput ? place : "'" + output.path + "'")};
  }
  return {};
}

}  // namespace gcnjit::cli
