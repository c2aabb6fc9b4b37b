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
#include <utility>

#include "runtime/disk_cache/file_descriptor.h"
#include "runtime/host/output_path.h"
#include "runtime/host/physical_memory.h"

namespace gcnjit::cli {
namespace {

// Pipes, devices, files of /proc: what has no size is not read for ever.
constexpr uint64_t kMostOfUnknownSize = uint64_t{256} << 20;

Error Refusal(const std::string& path, const std::string& why) {
  return {ErrorCode::kInvalidArgument, fmt::format("cannot read '{}': {}", path, why)};
}

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

// A name beside `path`, for mkostemp. Names have 255 bytes at most.
std::string TemporaryName(const std::string& path) {
  constexpr size_t kMostBytes = 200;
  const std::filesystem::path whole(path);
  return (whole.parent_path() / (whole.filename().string().substr(0, kMostBytes) + ".XXXXXX"))
      .string();
}

bool IsDevice(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

Result<std::vector<std::byte>> ReadFile(const std::string& path) {
  const runtime::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!file || ::fstat(file.get(), &status) != 0) return Failure("open", path);
  const auto size = static_cast<uint64_t>(status.st_size);
  // Files of /proc say that they are empty.
  const bool has_size = S_ISREG(status.st_mode) && size != 0;
  if (has_size && size > runtime::PhysicalBytes()) {
    return Refusal(path, fmt::format("its {} bytes are more than this machine's memory", size));
  }
  std::vector<std::byte> bytes;
  if (has_size) bytes.reserve(size);
  std::vector<std::byte> chunk(1 << 16);
  while (true) {
    const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failure("read", path);
    if (got == 0) return bytes;
    if (!has_size && bytes.size() >= kMostOfUnknownSize) {
      return Refusal(path,
                     fmt::format("it does not end within {} MiB, and is no file of known size",
                                 kMostOfUnknownSize >> 20));
    }
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + got);
  }
}

Result<void> CheckWritable(const std::string& path) {
  if (path == "-") return {};
  if (const auto open_file = runtime::OpenFileOf(path)) {
    return ::fcntl(*open_file, F_GETFL) < 0 ? Failure("write", path) : Result<void>();
  }
  struct stat status;
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  if (!is_there && errno != ENOENT) return Failure("write", path);
  if (is_there && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return Failure("write", path);
  }
  if (is_there && ::access(path.c_str(), W_OK) != 0) return Failure("write", path);
  if (is_there && !S_ISREG(status.st_mode)) return {};
  const auto place = runtime::FollowLinks(path);
  if (!place || ::access(DirectoryOf(*place).c_str(), W_OK | X_OK) != 0) {
    return Failure("write", path);
  }
  return {};
}

OutputFiles::~OutputFiles() {
  for (const File& file : files_) ::unlink(file.temporary.c_str());
}

Result<void> OutputFiles::Add(const std::string& path, std::span<const std::byte> bytes) {
  if (path == "-") return WriteAll(STDOUT_FILENO, bytes, "standard output");
  if (const auto open_file = runtime::OpenFileOf(path)) return WriteAll(*open_file, bytes, path);
  if (IsDevice(path)) {  // /dev/null, a pipe: nothing to rename over
    const runtime::FileDescriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    return device ? WriteAll(device.get(), bytes, path) : Failure("open", path);
  }
  const auto place = runtime::FollowLinks(path);
  if (!place) return Failure("write", path);
  files_.reserve(files_.size() + 1);
  File file = {TemporaryName(*place), *place};
  const int fd = ::mkostemp(file.temporary.data(), O_CLOEXEC);
  if (fd < 0) return Failure("create", file.temporary);
  files_.push_back(std::move(file));
  runtime::FileDescriptor made(fd);
  runtime::TakePermissions(fd, *place);  // mkostemp creates private files
  if (const auto written = WriteAll(fd, bytes, path); !written) return written;
  return made.Close() ? Result<void>() : Failure("write", path);
}

Result<void> OutputFiles::Publish() {
  // In their order: of two with one name the last one stays.
  for (auto file = files_.begin(); file != files_.end(); ++file) {
    if (::rename(file->temporary.c_str(), file->path.c_str()) == 0) continue;
    Error error = Failure("write", file->path);
    files_.erase(files_.begin(), file);
    return error;
  }
  files_.clear();
  return {};
}

Result<void> WriteFile(const std::string& path, std::span<const std::byte> bytes) {
  OutputFiles files;
  if (const auto added = files.Add(path, bytes); !added) return added;
  return files.Publish();
}

}  // namespace gcnjit::cli
