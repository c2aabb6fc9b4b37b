// Runs the cases of all *.check files.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gcnjit/gcnjit.h"
#include "runtime/memory/guest_memory.h"
#include "tests/check/check_case.h"

namespace gcnjit::check_tests {
namespace {

std::vector<std::string> CheckFiles() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(GCNJIT_CHECK_DIR)) {
    if (entry.path().extension() == ".check") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool Fits(const Finding& finding, const Expectation& expectation) {
  return expectation.kind == ToString(finding.kind) &&
         finding.site.instruction.starts_with(expectation.at) &&
         (expectation.other.empty() ||
          (finding.other && finding.other->instruction.starts_with(expectation.other))) &&
         (expectation.count == 0 || expectation.count == finding.count);
}

void ExpectExactly(const std::vector<Finding>& findings,
                   const std::vector<Expectation>& expectations, const std::string& described) {
  EXPECT_EQ(findings.size(), expectations.size()) << described;
  for (const Expectation& expectation : expectations) {
    EXPECT_TRUE(std::any_of(findings.begin(), findings.end(),
                            [&](const Finding& finding) { return Fits(finding, expectation); }))
        << "no " << expectation.kind << " at " << expectation.at << "\n"
        << described;
  }
}

void RunCase(const Case& check_case, std::span<const std::byte> file, const std::string& kernel) {
  auto device = Device::Create();
  ASSERT_TRUE(device) << device.error().message;
  const auto program = Program::Load(*device, file);
  ASSERT_TRUE(program) << program.error().message;
  const auto buffer = device->Allocate(1024);
  ASSERT_TRUE(buffer) << buffer.error().message;
  if (check_case.leaves_memory_undefined) device->memory()->LeaveUndefined(*buffer);
  LaunchConfig config;
  config.global.x = check_case.groups * check_case.local;
  config.local.x = check_case.local;
  config.timeout_seconds = check_case.timeout != 0 ? check_case.timeout : 60;
  config.check = kCheckAll;
  const auto result = Launch(*device, *program, kernel, config, Arguments().Buffer(*buffer));
  ASSERT_TRUE(result) << result.error().message;

  std::string described;
  for (const Finding& finding : result->findings) described += finding.Describe();
  for (const Finding& note : result->notes) described += note.Describe();
  ExpectExactly(result->findings, check_case.findings, described);
  ExpectExactly(result->notes, check_case.notes, described);
  for (const std::string& text : check_case.texts) {
    EXPECT_NE(described.find(text), std::string::npos) << "no '" << text << "' in\n" << described;
  }
  const LaunchStatus status = check_case.faults         ? LaunchStatus::kFault
                              : check_case.timeout != 0 ? LaunchStatus::kTimeout
                                                        : LaunchStatus::kDone;
  EXPECT_EQ(static_cast<int>(result->status), static_cast<int>(status))
      << (result->fault ? result->fault->Describe() : "");
}

class CheckTest : public testing::TestWithParam<std::string> {};

TEST_P(CheckTest, FindsWhatIsExpected) {
  std::string error;
  const auto cases = ReadCases(std::string(GCNJIT_CHECK_DIR) + "/" + GetParam() + ".check", &error);
  ASSERT_TRUE(error.empty()) << error;
  std::map<std::string, std::vector<Case>> by_target;
  for (const Case& check_case : cases) {
    for (const std::string& target : check_case.targets) by_target[target].push_back(check_case);
  }
  for (const auto& [target, of_target] : by_target) {
    const auto file = Assemble(of_target, target, &error);
    ASSERT_FALSE(file.empty()) << "for " << target << ": " << error;
    for (size_t n = 0; n < of_target.size(); ++n) {
      SCOPED_TRACE(of_target[n].name + " for " + target);
      RunCase(of_target[n], file, KernelOf(n));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, CheckTest, testing::ValuesIn(CheckFiles()),
                         [](const auto& info) { return info.param; });

// Every kind has a case that has it and each file one that has nothing.
TEST(CheckFilesTest, CoverAllKinds) {
  std::set<std::string> kinds;
  for (const std::string& name : CheckFiles()) {
    std::string error;
    bool clean = false;
    for (const Case& check_case :
         ReadCases(std::string(GCNJIT_CHECK_DIR) + "/" + name + ".check", &error)) {
      clean |= check_case.findings.empty();
      for (const Expectation& expectation : check_case.findings) kinds.insert(expectation.kind);
      for (const Expectation& expectation : check_case.notes) kinds.insert(expectation.kind);
    }
    EXPECT_TRUE(clean) << name;
  }
  // freed_memory_test.cpp: it takes a host that frees.
  kinds.insert(ToString(FindingKind::kUseAfterFree));
  for (int kind = 0; kind < kFindingKinds; ++kind) {
    const char* name = ToString(static_cast<FindingKind>(kind));
    EXPECT_TRUE(kinds.contains(name)) << name;
  }
}

}  // namespace
}  // namespace gcnjit::check_tests
