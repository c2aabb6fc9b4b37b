#include "cli/shard_option.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "cli/fuzz_report_check.h"

namespace gcnjit::cli {

const char* const kShardHelp =
    "Only the I-th of N equal parts, I/N; auto: as Open MPI's, Slurm's or GitLab's variables say";

namespace {

using differential::Shard;

struct ShardVariables {
  const char* number;
  const char* count;
  uint64_t first;  // number of the first one
};
// mpirun in a job of Slurm's finds the job's own variables, which are the same for all processes:
// Open MPI's come first.
constexpr ShardVariables kVariables[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", 0},
                                         {"SLURM_PROCID", "SLURM_NTASKS", 0},
                                         {"CI_NODE_INDEX", "CI_NODE_TOTAL", 1}};

std::optional<uint64_t> WholeNumber(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// `first` is the number of the first part.
std::optional<Shard> MakeShard(std::string_view number, std::string_view count, uint64_t first) {
  const auto index = WholeNumber(number);
  const auto parts = WholeNumber(count);
  if (!index || !parts || *index < first || *index - first >= *parts) return std::nullopt;
  if (*parts > kMostShards) return std::nullopt;
  return Shard{*index - first, *parts};
}

std::string Missing(const char* there, const char* missing) {
  return fmt::format("--shard auto: {} is set, but {} is not; give --shard I/N", there, missing);
}

Result<Shard> ShardFromEnvironment() {
  std::string half;  // what is said of the first pair that lacks one
  for (const ShardVariables& names : kVariables) {
    const char* number = std::getenv(names.number);
    const char* count = std::getenv(names.count);
    if (number == nullptr || count == nullptr) {
      if (half.empty() && number != nullptr) half = Missing(names.number, names.count);
      if (half.empty() && count != nullptr) half = Missing(names.count, names.number);
      continue;
    }
    if (const auto shard = MakeShard(number, count, names.first)) return *shard;
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("--shard auto: {}={} and {}={} are no part of a whole, of up to {} parts",
                    names.number, number, names.count, count, kMostShards)};
  }
  if (!half.empty()) return Error{ErrorCode::kInvalidArgument, half};
  return Error{ErrorCode::kInvalidArgument,
               "--shard auto: neither OMPI_COMM_WORLD_RANK nor SLURM_PROCID nor CI_NODE_INDEX is "
               "set; give --shard I/N"};
}

}  // namespace

Result<Shard> ParseShard(const std::string& text) {
  if (text.empty()) return Shard{};
  if (text == "auto") return ShardFromEnvironment();
  const size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const std::string_view all = text;
    if (const auto shard = MakeShard(all.substr(0, slash), all.substr(slash + 1), 1)) return *shard;
  }
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("--shard '{}': give I/N, with I from 1 to N and N up to {}, such as 2/8, or auto",
                  text, kMostShards)};
}

}  // namespace gcnjit::cli
