// The per-instruction cases of tests/isa by way of the lifter. What it leaves to the interpreter is
// executed by the interpreter, but images by what the JIT has for them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/case_file.h"
#include "harness/run_case.h"
#include "lift/lifted_step.h"
#include "runtime/image_lanes/image_lanes.h"

namespace gcnjit::lift_tests {
namespace {

constexpr size_t kMaxReports = 40;  // of one file

std::vector<std::string> CaseFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(GCNJIT_CASE_DIR)) {
    if (entry.path().extension() == ".case") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool RunsImageLanes(runtime::Wave& w, const runtime::CodeSlot& slot) {
  if (slot.instruction.encoding != frontend::Encoding::kMimg) return false;
  w.UseFloatClass(runtime::FloatClass::kNearest);
  return runtime::ImageLanes().Run(w, slot);
}

class LiftedCases : public testing::TestWithParam<std::string> {};

TEST_P(LiftedCases, Pass) {
  const Result<isa_tests::CaseFile> file = isa_tests::ReadCaseFile(GetParam());
  ASSERT_TRUE(file.ok()) << file.error().message;
  int lifted = 0;
  std::map<std::string, int> interpreted;  // row and reason
  const auto step = [&](runtime::Wave& w, const runtime::CodeSlot& slot) {
    if (RunsImageLanes(w, slot)) {
      ++lifted;
      return;
    }
    const std::string reason = StepLifted(w, slot);
    if (reason.empty()) {
      ++lifted;
      return;
    }
    EXPECT_FALSE(reason.starts_with(kMalformed)) << slot.instruction.row().id << ": " << reason;
    if (slot.status == frontend::DecodeStatus::kOk) {
      ++interpreted[fmt::format("{}: {}", slot.instruction.row().id, reason)];
    }
    runtime::StepWave(w, slot);
  };
  const std::vector<std::string> failures = isa_tests::RunFile(file.value(), step);
  for (size_t n = 0; n < failures.size() && n < kMaxReports; ++n) ADD_FAILURE() << failures[n];
  EXPECT_EQ(failures.size(), 0u) << "groups that failed";
  fmt::print("{} instructions lifted\n", lifted);
  for (const auto& [what, count] : interpreted) fmt::print("  interpreted {}: {}\n", count, what);
}

INSTANTIATE_TEST_SUITE_P(Lift, LiftedCases, testing::ValuesIn(CaseFiles()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return std::filesystem::path(info.param).stem().string();
                         });

}  // namespace
}  // namespace gcnjit::lift_tests
