// isa_run FILE.case...: runs case files that are not (yet) part of the suite; prints what fails.
#include <cstdio>

#include "harness/case_file.h"
#include "harness/run_case.h"

int main(int argc, char** argv) {
  size_t failures = 0;
  for (int n = 1; n < argc; ++n) {
    const auto file = gcnjit::isa_tests::ReadCaseFile(argv[n]);
    if (!file) {
      std::printf("%s\n", file.error().message.c_str());
      ++failures;
      continue;
    }
    for (const std::string& report : gcnjit::isa_tests::RunFile(file.value())) {
      std::printf("%s\n", report.c_str());
      ++failures;
    }
  }
  std::printf("%zu failed\n", failures);
  return failures == 0 ? 0 : 1;
}
