#include "runtime/hsa/client.h"

#include <dlfcn.h>

#include <string_view>

namespace gcnjit::hsa {

bool IsOpenCl(const void* caller) {
  Dl_info info{};
  if (dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return false;
  const std::string_view path = info.dli_fname;
  return path.substr(path.rfind('/') + 1).starts_with("libamdocl");
}

}  // namespace gcnjit::hsa
