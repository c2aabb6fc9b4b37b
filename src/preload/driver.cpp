// Loaded into programs that look for the kernel's driver before they use HSA, as rocminfo does:
// they ask lsmod or sysfs whether amdgpu is loaded and open /dev/kfd. HSA itself is answered by our
// library, so that the driver needs to be nothing but there.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace {

constexpr const char* kDevice = "/dev/kfd";

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

const char* Instead(const char* path) {
  return path != nullptr && std::strcmp(path, kDevice) == 0 ? "/dev/null" : path;
}

using Open = int(const char*, int, ...);

int OpenInstead(const char* name, const char* path, int flags, unsigned mode) {
  return Next<Open>(name)(Instead(path), flags, mode);
}

// rocminfo 6 reads here, by a C++ stream, whether the module has been loaded.
constexpr const char* kModuleState = "/sys/module/amdgpu/initstate";
constexpr char kLive[] = "live\n";

FILE* OpenModuleState() {
  const int file = ::memfd_create("initstate", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  const ssize_t size = sizeof kLive - 1;
  if (::write(file, kLive, sizeof kLive - 1) == size && ::lseek(file, 0, SEEK_SET) == 0) {
    if (FILE* stream = ::fdopen(file, "r"); stream != nullptr) return stream;
  }
  ::close(file);
  return nullptr;
}

using OpenStream = FILE*(const char*, const char*);

FILE* OpenStreamInstead(const char* name, const char* path, const char* mode) {
  if (path != nullptr && std::strcmp(path, kModuleState) == 0) return OpenModuleState();
  return Next<OpenStream>(name)(Instead(path), mode);
}

// The mode is passed only with these flags.
bool HasMode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int open(const char* path, int flags, ...) {
  unsigned mode = 0;
  if (HasMode(flags)) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, unsigned);
    va_end(arguments);
  }
  return OpenInstead("open", path, flags, mode);
}

__attribute__((visibility("default"))) int open64(const char* path, int flags, ...) {
  unsigned mode = 0;
  if (HasMode(flags)) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, unsigned);
    va_end(arguments);
  }
  return OpenInstead("open64", path, flags, mode);
}

__attribute__((visibility("default"))) FILE* fopen(const char* path, const char* mode) {
  return OpenStreamInstead("fopen", path, mode);
}

__attribute__((visibility("default"))) FILE* fopen64(const char* path, const char* mode) {
  return OpenStreamInstead("fopen64", path, mode);
}

__attribute__((visibility("default"))) FILE* popen(const char* command, const char* type) {
  static const auto next = Next<FILE*(const char*, const char*)>("popen");
  const bool asks = std::strncmp(command, "lsmod", 5) == 0 && std::strstr(command, "amdgpu");
  return next(asks ? "echo amdgpu" : command, type);
}
}
