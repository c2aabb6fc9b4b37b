// Entry points that refuse say why, once a process. So the test is a process of its own: in this
// one an earlier round of it, or another test, may have called them.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "fixture.h"

namespace gcnjit::hsa_tests {
namespace {

constexpr std::pair<const char*, const char*> kRefused[] = {
#define UNSUPPORTED(name, what) {#name, what},
#include "runtime/hsa/unsupported.def"
#undef UNSUPPORTED
};

// Does the entry point refuse twice, and say so once?
bool IsToldOnce(const char* name, const char* what) {
  void* library = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD);
  auto* const call = reinterpret_cast<hsa_status_t (*)()>(dlvsym(library, name, "ROCR_1"));
  if (call == nullptr) {
    std::fprintf(stderr, "no %s\n", name);
    return false;
  }
  testing::internal::CaptureStderr();
  const bool is_refused = call() == HSA_STATUS_ERROR && call() == HSA_STATUS_ERROR;
  const std::string text = testing::internal::GetCapturedStderr();
  const std::string begin =
      std::string("gcnjit: ") + name + " is refused: emulated devices have no " + what;
  const bool is_told = text.starts_with(begin) && std::count(text.begin(), text.end(), '\n') == 1;
  if (!is_refused || !is_told) {
    std::fprintf(stderr, "%s: %s: %s\n", name, is_refused ? "refused" : "not refused",
                 text.c_str());
  }
  return is_refused && is_told;
}

[[noreturn]] void ExitTold(bool is_initialised) {
  bool is_told = !is_initialised || hsa_init() == HSA_STATUS_SUCCESS;
  for (const auto& [name, what] : kRefused) is_told &= IsToldOnce(name, what);
  if (is_initialised) is_told &= hsa_shut_down() == HSA_STATUS_SUCCESS;
  std::exit(is_told ? 0 : 1);
}

TEST(Refusals, AreToldOnceEach) {
  const std::string style = GTEST_FLAG_GET(death_test_style);
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new program, not a fork of this one
  for (const bool is_initialised : {false, true}) {
    EXPECT_EXIT(ExitTold(is_initialised), testing::ExitedWithCode(0), "") << is_initialised;
  }
  GTEST_FLAG_SET(death_test_style, style);
}

}  // namespace
}  // namespace gcnjit::hsa_tests
