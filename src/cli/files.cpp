#include "cli/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace gcnjit::cli {
namespace {

Error Failure(const std::string& what, const std::string& path) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("cannot {} '{}': {}", what, path, std::strerror(errno))};
}

std::string DirectoryOf(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

Result<void> WriteAll(int fd, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return Failure("write", path);
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

bool IsDevice(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

Result<std::vector<std::byte>> ReadFile(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return Failure("open", path);
  std::vector<std::byte> bytes;
  std::byte chunk[1 << 16];
  size_t got = 0;
  while ((got = std::fread(chunk, 1, sizeof chunk, file)) > 0)
    bytes.insert(bytes.end(), chunk, chunk + got);
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) return Failure("read", path);
  return bytes;
}

Result<void> CheckWritable(const std::string& path) {
  if (path == "-" || IsDevice(path)) return {};
  if (std::filesystem::is_directory(path)) {
    errno = EISDIR;
    return Failure("write", path);
  }
  if (::access(DirectoryOf(path).c_str(), W_OK | X_OK) != 0) return Failure("write", path);
  return {};
}

Result<void> WriteFile(const std::string& path, std::span<const std::byte> bytes) {
  if (path == "-") return WriteAll(STDOUT_FILENO, bytes, "standard output");
  if (IsDevice(path)) {  // /dev/null, a pipe: nothing to rename over
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return Failure("open", path);
    const Result<void> result = WriteAll(fd, bytes, path);
    ::close(fd);
    return result;
  }
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return Failure("create", temporary);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  (void)::fchmod(fd, 0666 & ~mask);  // mkostemp creates private files
  Result<void> result = WriteAll(fd, bytes, path);
  if (::close(fd) != 0 && result) result = Failure("write", path);
  if (result && ::rename(temporary.c_str(), path.c_str()) != 0) result = Failure("write", path);
  if (!result) ::unlink(temporary.c_str());
  return result;
}

}  // namespace gcnjit::cli
