#include "cli/command_lines.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace gcnjit::cli {
namespace {

Error Unreadable(const std::string& why) { return {ErrorCode::kInvalidArgument, why}; }

}  // namespace

CommandLines::CommandLines(runtime::FileDescriptor file) : file_(std::move(file)) {}

Result<CommandLines> CommandLines::Open(const std::string& path) {
  runtime::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return Unreadable(std::strerror(errno));
  return CommandLines(std::move(file));
}

CommandLines CommandLines::OfStandardInput() {
  return CommandLines(runtime::FileDescriptor(::dup(STDIN_FILENO)));
}

Result<std::optional<std::string>> CommandLines::Next() {
  while (true) {
    const size_t end = bytes_.find('\n', begin_);
    const size_t size = std::min(end, bytes_.size()) - begin_;
    if (size > kMostBytes) {
      return Unreadable(fmt::format("a line of more than {} bytes is no command", kMostBytes));
    }
    if (end != std::string::npos || (has_ended_ && size != 0)) {
      std::string line = bytes_.substr(begin_, size);
      begin_ += size + (end != std::string::npos ? 1 : 0);
      return std::optional(std::move(line));
    }
    if (has_ended_) return std::optional<std::string>();
    bytes_.erase(0, std::exchange(begin_, 0));
    char some[4096];
    const ssize_t got = ::read(file_.get(), some, sizeof some);
    if (got < 0 && errno != EINTR) return Unreadable(std::strerror(errno));
    has_ended_ = got == 0;
    if (got > 0) bytes_.append(some, static_cast<size_t>(got));
  }
}

}  // namespace gcnjit::cli
