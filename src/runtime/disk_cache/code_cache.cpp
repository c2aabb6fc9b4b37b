// gcnjit::CodeCache: what the environment asks for, and opening it.
#include "gcnjit/code_cache.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "runtime/disk_cache/build_id.h"
#include "runtime/disk_cache/cache_folder.h"

namespace gcnjit {
namespace {

// Programs that run with other rights than their user's do not listen to the user here.
std::string_view Variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

Error Wrong(const char* name, std::string_view value, const char* may_be) {
  return {ErrorCode::kInvalidArgument, fmt::format("{}={}: it may be {}", name, value, may_be)};
}

// A number of bytes; K, M or G may follow.
std::optional<uint64_t> SizeOf(std::string_view text) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit(rest, static_cast<size_t>(end - rest));
  unsigned shift = 0;
  if (unit == "K") shift = 10;
  if (unit == "M") shift = 20;
  if (unit == "G") shift = 30;
  if (!unit.empty() && shift == 0) return std::nullopt;
  if (number > UINT64_MAX >> shift) return std::nullopt;
  return number << shift;
}

// Relative ones do not count, as the XDG Base Directory Specification has it.
std::string FolderOf(std::string_view parent, const char* below) {
  return parent.starts_with('/') ? std::string(parent) + below : std::string();
}

}  // namespace

Result<CodeCache> CodeCache::Open(const Options& options) {
  if (runtime::BuildId().empty()) {
    return Error{ErrorCode::kUnsupported,
                 "this gcnjit was linked without a build id (-Wl,--build-id), by which code of "
                 "other versions could be told"};
  }
  if (options.folder.empty()) {
    return Error{ErrorCode::kInvalidArgument, "the cache's folder has no name: give a path"};
  }
  if (options.folder.find('\0') != std::string::npos) {
    return Error{ErrorCode::kInvalidArgument, "the cache's folder has a zero byte in its name"};
  }
  // The process may go elsewhere.
  std::error_code error;
  std::string folder = std::filesystem::absolute(options.folder, error).lexically_normal();
  if (error) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: {}", options.folder, error.message())};
  }
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  if (const auto checked = runtime::CacheFolder::Check(folder); !checked) return checked.error();
  return CodeCache(std::make_shared<runtime::CacheFolder>(std::move(folder), options.max_bytes));
}

Result<ChosenCache> CacheFromEnvironment() {
  const std::string_view wanted = Variable("GCNJIT_CACHE");
  if (wanted == "0") return ChosenCache{{}, "off, by GCNJIT_CACHE=0"};
  if (!wanted.empty() && wanted != "1") return Wrong("GCNJIT_CACHE", wanted, "0 or 1");
  CodeCache::Options options;
  if (const std::string_view size = Variable("GCNJIT_CACHE_SIZE"); !size.empty()) {
    const std::optional<uint64_t> bytes = SizeOf(size);
    if (!bytes) {
      return Wrong("GCNJIT_CACHE_SIZE", size, "a number of bytes, such as 1000000, 64M or 1G");
    }
    options.max_bytes = *bytes;
  }
  options.folder = Variable("GCNJIT_CACHE_DIR");
  if (options.folder.empty()) options.folder = FolderOf(Variable("XDG_CACHE_HOME"), "/gcnjit");
  if (options.folder.empty()) options.folder = FolderOf(Variable("HOME"), "/.cache/gcnjit");
  if (options.folder.empty()) return ChosenCache{{}, "off: there is no HOME; set GCNJIT_CACHE_DIR"};
  auto cache = CodeCache::Open(options);
  if (!cache) return ChosenCache{{}, "off: " + cache.error().message};
  const std::string folder = cache->internal()->path();
  return ChosenCache{std::move(*cache), folder};
}

}  // namespace gcnjit
