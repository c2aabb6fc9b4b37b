// One test per .case file.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "harness/case_file.h"
#include "harness/run_case.h"

namespace gcnjit::isa_tests {
namespace {

constexpr size_t kMaxReports = 40;  // of one file; more would bury the first

std::vector<std::string> CaseFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(GCNJIT_CASE_DIR)) {
    if (entry.path().extension() == ".case") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class CaseFileTest : public testing::TestWithParam<std::string> {};

TEST_P(CaseFileTest, Passes) {
  const Result<CaseFile> file = ReadCaseFile(GetParam());
  ASSERT_TRUE(file.ok()) << file.error().message;
  const std::vector<std::string> failures = RunFile(file.value());
  for (size_t n = 0; n < failures.size() && n < kMaxReports; ++n) ADD_FAILURE() << failures[n];
  EXPECT_EQ(failures.size(), 0u) << "groups that failed";
}

INSTANTIATE_TEST_SUITE_P(Isa, CaseFileTest, testing::ValuesIn(CaseFiles()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return std::filesystem::path(info.param).stem().string();
                         });

}  // namespace
}  // namespace gcnjit::isa_tests
