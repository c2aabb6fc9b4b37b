#include "cli/source_text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "frontend/code_object/plain_text.h"
#include "runtime/disk_cache/file_descriptor.h"

namespace gcnjit::cli {
namespace {

constexpr off_t kMostBytes = 16 << 20;

// Debug information may name any file, so only what is one is read, and without waiting.
std::string ReadSource(const std::string& path) {
  const runtime::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size > kMostBytes) {
    return {};
  }
  std::string text(static_cast<size_t>(status.st_size), '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::string SourceText::Line(const std::string& path, uint32_t number) {
  const auto [file, is_new] = files_.try_emplace(path);
  if (is_new) file->second = LinesOf(ReadSource(path));
  if (number == 0 || number > file->second.size()) return {};
  std::string line = file->second[number - 1];
  std::ranges::replace(line, '\t', ' ');
  return frontend::IsPlainText(line) ? line : std::string();
}

std::string SourceText::Comment(const SourceFrames& frames) {
  if (frames.empty()) return {};
  std::string text = fmt::format("// {}\n", DescribeSource(frames, "\n//   "));
  const std::string line = Line(frames.front().file, frames.front().line);
  if (!line.empty()) text += fmt::format("// | {}\n", line);
  return text;
}

}  // namespace gcnjit::cli
