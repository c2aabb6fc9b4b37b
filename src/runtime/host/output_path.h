// Where output goes that is written beside its place and renamed over it.
#pragma once

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace gcnjit::runtime {

// The file that `path` stands for: symbolic links are followed, also to what is not there yet.
// None, with errno: they lead in a circle, or cannot be read.
inline std::optional<std::string> FollowLinks(const std::string& path) {
  constexpr int kMostLinks = 40;  // as in Linux
  std::string at = path;
  for (int n = 0; n <= kMostLinks; ++n) {
    struct stat status;
    if (::lstat(at.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return at;
    char target[PATH_MAX];
    const ssize_t size = ::readlink(at.c_str(), target, sizeof target);
    if (size < 0) return std::nullopt;
    const std::string_view to(target, static_cast<size_t>(size));
    const size_t slash = to.starts_with('/') ? std::string::npos : at.rfind('/');
    at = (slash == std::string::npos ? std::string() : at.substr(0, slash + 1)).append(to);
  }
  errno = ELOOP;
  return std::nullopt;
}

// The open file that /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N stand for. It may
// have no name, or one that other processes write to as well: it cannot be renamed over.
inline std::optional<int> OpenFileOf(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* const end = path.data() + path.size();
    const auto [at, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && at == end && number >= 0) return number;
  }
  return std::nullopt;
}

// A new file, which will take the place of `path`, gets the owner and the permissions of what is
// there; if there is nothing, those of any new file.
inline void TakePermissions(int file, const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) {
    (void)!::fchown(file, status.st_uid, status.st_gid);  // only root can give files away
    (void)::fchmod(file, status.st_mode & 0777);
    return;
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  (void)::fchmod(file, 0666 & ~mask);
}

}  // namespace gcnjit::runtime
