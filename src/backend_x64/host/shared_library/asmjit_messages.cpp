// asmjit's own messages, for shared libraries: in Debian's libasmjit.a the object that has them
// refers to stderr in a way that only programs may. So a shared library that this file is a part of
// does not get that object.
#include <asmjit/core.h>

#include <cstdio>
#include <cstdlib>

ASMJIT_BEGIN_NAMESPACE

namespace DebugUtils {

const char* errorAsString(Error error) noexcept {
  thread_local char text[32];
  std::snprintf(text, sizeof text, "asmjit error %u", error);
  return text;
}

void debugOutput(const char* text) noexcept { std::fputs(text, stderr); }

void assertionFailed(const char* file, int line, const char* message) noexcept {
  std::fprintf(stderr, "asmjit: assertion failed at %s (line %d): %s\n", file, line, message);
  std::abort();
}

}  // namespace DebugUtils

ASMJIT_END_NAMESPACE
