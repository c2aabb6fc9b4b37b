#include "runtime/disk_cache/cache_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/disk_cache/byte_stream.h"
#include "runtime/disk_cache/file_descriptor.h"
#include "runtime/disk_cache/hash.h"
#include "runtime/disk_cache/trim_folder.h"
#include "runtime/host/file_size_signal.h"

namespace gcnjit::runtime {
namespace {

constexpr uint64_t kMagic = 0x3243'5449'4A4E'4347;  // "GCNJITC2"
constexpr size_t kMaxEntry = 64 << 20;
// An entry's time of use is good to so many seconds: reading is not to write much.
constexpr time_t kUseGranule = 3600;

std::string NameOf(CacheFolder::Bytes key) { return HashOf(key).Hex() + kEntrySuffix; }

// Belongs to this user, and no other user may write to it.
bool IsOwn(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Looked at anew each time: a folder may be replaced while a process runs, and programs exist that
// close all files they find open.
FileDescriptor OpenFolder(const std::string& path) {
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status = {};
  if (!folder || ::fstat(folder.get(), &status) != 0 || !IsOwn(status)) return FileDescriptor();
  return folder;
}

bool WriteAll(int file, CacheFolder::Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

// Nothing if the file ends before `size`: it has been cut off.
std::optional<std::vector<std::byte>> ReadAll(int file, size_t size) {
  std::vector<std::byte> bytes(size);
  for (size_t at = 0; at < size;) {
    const ssize_t read = ::read(file, bytes.data() + at, size - at);
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) return std::nullopt;
    at += static_cast<size_t>(read);
  }
  return bytes;
}

void PutBlob(ByteWriter& to, CacheFolder::Bytes bytes) {
  to.Put(static_cast<uint64_t>(bytes.size()));
  to.PutBytes(bytes);
}
CacheFolder::Bytes TakeBlob(ByteReader& from) {
  const auto size = from.Take<uint64_t>();
  return from.TakeBytes(size);
}

// An entry's file: the magic number, key, contents, and the hash of all of these.
std::vector<std::byte> Frame(CacheFolder::Bytes key, CacheFolder::Bytes contents) {
  ByteWriter file;
  file.Put(kMagic);
  PutBlob(file, key);
  PutBlob(file, contents);
  const Hash128 hash = HashOf(file.bytes());
  file.Put(hash.low);
  file.Put(hash.high);
  return file.bytes();
}

std::optional<std::vector<std::byte>> Unframe(CacheFolder::Bytes file, CacheFolder::Bytes key) {
  if (file.size() < sizeof(Hash128)) return std::nullopt;
  const CacheFolder::Bytes hashed = file.first(file.size() - sizeof(Hash128));
  ByteReader end(file.subspan(hashed.size()));
  Hash128 expected;
  expected.low = end.Take<uint64_t>();
  expected.high = end.Take<uint64_t>();
  if (HashOf(hashed) != expected) return std::nullopt;
  ByteReader from(hashed);
  const bool is_entry = from.Take<uint64_t>() == kMagic;
  const CacheFolder::Bytes its_key = TakeBlob(from);
  const CacheFolder::Bytes contents = TakeBlob(from);
  if (!is_entry || !from.IsDone() || !std::ranges::equal(its_key, key)) return std::nullopt;
  return std::vector<std::byte>(contents.begin(), contents.end());
}

}  // namespace

Result<void> CacheFolder::Check(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("{}: {}", path, why)};
  };
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  std::filesystem::create_directories(parent, error);
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return refuse(fmt::format("cannot be made: {}", std::strerror(errno)));
  }
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) return refuse(std::strerror(errno));
  if (S_ISLNK(status.st_mode)) return refuse("is a symbolic link; name what it points to");
  if (!S_ISDIR(status.st_mode)) return refuse("is not a folder");
  if (status.st_uid != ::geteuid()) return refuse("belongs to another user");
  if (!IsOwn(status)) return refuse("others may write to it; 'chmod go-w' makes it the user's own");
  if (::access(path.c_str(), R_OK | X_OK) != 0) return refuse(std::strerror(errno));
  return {};
}

CacheFolder::CacheFolder(std::string path, uint64_t max_bytes)
    : path_(std::move(path)), max_bytes_(max_bytes) {}

bool CacheFolder::Has(Bytes key) const {
  const FileDescriptor folder = OpenFolder(path_);
  return folder && ::faccessat(folder.get(), NameOf(key).c_str(), R_OK, AT_EACCESS) == 0;
}

std::optional<std::vector<std::byte>> CacheFolder::Read(Bytes key) const {
  const FileDescriptor folder = OpenFolder(path_);
  if (!folder) return std::nullopt;
  const FileDescriptor file(
      ::openat(folder.get(), NameOf(key).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status = {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || !IsOwn(status) ||
      status.st_size <= 0 || status.st_size > static_cast<off_t>(kMaxEntry)) {
    return std::nullopt;
  }
  // Read rather than mapped: a file that is cut off meanwhile is an error here, not a SIGBUS.
  const auto bytes = ReadAll(file.get(), static_cast<size_t>(status.st_size));
  if (!bytes) return std::nullopt;
  auto contents = Unframe(*bytes, key);
  if (contents && ::time(nullptr) - status.st_mtime > kUseGranule) {
    ::futimens(file.get(), nullptr);
  }
  return contents;
}

void CacheFolder::Write(Bytes key, Bytes contents) {
  if (!is_writable_) return;
  const std::vector<std::byte> bytes = Frame(key, contents);
  if (bytes.size() > kMaxEntry || BytesOnDisk(bytes.size()) > max_bytes_) return;
  const FileDescriptor folder = OpenFolder(path_);
  if (!folder) return;
  const FileSizeSignalBlock block;
  static std::atomic<uint64_t> count = 0;
  const std::string name = NameOf(key);
  const std::string unfinished =
      fmt::format("{}.{}.{}{}", name, ::getpid(), count.fetch_add(1), kUnfinishedSuffix);
  bool written = false;
  {
    const FileDescriptor file(::openat(folder.get(), unfinished.c_str(),
                                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                       S_IRUSR | S_IWUSR));
    written = file && WriteAll(file.get(), bytes);
  }
  if (written) {
    written = ::renameat(folder.get(), unfinished.c_str(), folder.get(), name.c_str()) == 0;
  }
  if (!written) {
    // The disk is full, files may not be so large, or the folder is read-only: trying again costs
    // time each time.
    ::unlinkat(folder.get(), unfinished.c_str(), 0);
    is_writable_ = false;
    return;
  }
  Account(folder.get(), BytesOnDisk(bytes.size()));
}

// `bytes` have been added. Others may write, too: what there is in all is counted when this process
// first writes, and whenever its own count says that it is too much.
void CacheFolder::Account(int folder, uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (bytes_) *bytes_ += bytes;
  if (!bytes_ || *bytes_ > max_bytes_) bytes_ = TrimFolder(folder, max_bytes_);
}

}  // namespace gcnjit::runtime
