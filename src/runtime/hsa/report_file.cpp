#include "runtime/hsa/report_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "runtime/host/output_path.h"

namespace gcnjit::hsa {
namespace {

// What cannot be renamed over, such as a pipe.
bool IsDevice(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

// Null: it cannot be written.
std::FILE* OpenNew(const std::string& path) {
  (void)::unlink(path.c_str());
  const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return nullptr;
  std::FILE* const stream = ::fdopen(file, "w");
  if (stream == nullptr) ::close(file);
  return stream;
}

std::FILE* OpenAgain(int open_file) {
  const int file = ::fcntl(open_file, F_DUPFD_CLOEXEC, 0);
  return file < 0 ? nullptr : ::fdopen(file, "w");
}

}  // namespace

std::string WriteReportFile(const std::string& path, const std::string& what,
                            const std::string& variable,
                            const std::function<void(std::FILE*)>& write) {
  const std::optional<int> open_file = runtime::OpenFileOf(path);
  const bool is_device = open_file || IsDevice(path);
  const std::string place = runtime::FollowLinks(path).value_or(path);
  const std::string part = is_device ? path : fmt::format("{}.part-{}", place, ::getpid());
  std::FILE* const file = open_file   ? OpenAgain(*open_file)
                          : is_device ? std::fopen(part.c_str(), "we")
                                      : OpenNew(part);
  if (file == nullptr) {
    return fmt::format("gcnjit: cannot write the {} to {}={}\n", what, variable, path);
  }
  if (!is_device) runtime::TakePermissions(::fileno(file), place);
  write(file);
  bool is_complete = std::ferror(file) == 0;
  is_complete = std::fclose(file) == 0 && is_complete;
  if (is_complete && !is_device) is_complete = std::rename(part.c_str(), place.c_str()) == 0;
  if (is_complete) return {};
  if (!is_device) (void)::unlink(part.c_str());
  return fmt::format(
      "gcnjit: the {} could not be written to {}={}: is the disk full, or the file larger than "
      "'ulimit -f' permits?\n",
      what, variable, path);
}

}  // namespace gcnjit::hsa
