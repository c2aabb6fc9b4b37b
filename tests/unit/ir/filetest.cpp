// tests/filetests/*.ir: IR, what is done to it, and the text that must come out. README.md there
// has the format. GCNJIT_UPDATE_FILETESTS=1 rewrites the expectations, to be read before they are
// committed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/parser.h"
#include "ir/passes.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace gcnjit::ir {
namespace {

constexpr std::string_view kPassLine = "; pass: ";
constexpr std::string_view kCaseLine = "; case: ";
constexpr std::string_view kExpectLine = "; expect\n";

struct FileCase {
  std::string name;
  std::string input;
  std::string expected;
};

struct File {
  std::vector<std::string> passes;
  std::string head;  // up to the first case
  std::vector<FileCase> cases;
};

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

File ReadFile(const std::filesystem::path& path) {
  File file;
  std::istringstream lines(ReadAll(path));
  std::string line;
  std::string* target = &file.head;
  while (std::getline(lines, line)) {
    line += '\n';
    if (line.starts_with(kPassLine)) {
      std::istringstream words(line.substr(kPassLine.size()));
      for (std::string word; words >> word;) file.passes.push_back(word);
    }
    if (line.starts_with(kCaseLine)) {
      file.cases.emplace_back();
      file.cases.back().name = line.substr(kCaseLine.size());
      target = &file.cases.back().input;
    } else if (line == kExpectLine && !file.cases.empty()) {
      target = &file.cases.back().expected;
    } else {
      *target += line;
    }
  }
  return file;
}

// The same text without empty lines and indentation, so that files can be laid out freely.
std::string Normalised(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos && line[begin] != ';') result += line.substr(begin) + '\n';
  }
  return result;
}

constexpr std::string_view kBlockLine = "block 0x0 instructions=1\n";

// The block's line may be left out.
std::string WithBlock(const std::string& text) {
  return text.find("block ") == std::string::npos ? std::string(kBlockLine) + text : text;
}

class FileTest : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(FileTest, GivesTheExpectedText) {
  const bool update = std::getenv("GCNJIT_UPDATE_FILETESTS") != nullptr;
  File file = ReadFile(GetParam());
  ASSERT_FALSE(file.passes.empty()) << "no line '" << kPassLine << "NAME'";
  ASSERT_FALSE(file.cases.empty()) << "no line '" << kCaseLine << "NAME'";
  for (FileCase& test : file.cases) {
    ParseResult parsed = Parse(WithBlock(test.input));
    ASSERT_FALSE(parsed.error) << test.name << "line " << parsed.error->line << ": "
                               << parsed.error->message;
    ASSERT_EQ(Verify(parsed.function), std::vector<std::string>{}) << test.name;
    for (const std::string& name : file.passes) {
      if (name == "all") {
        Optimise(parsed.function);
        continue;
      }
      const Pass* pass = FindPass(name);
      ASSERT_NE(pass, nullptr) << "no pass " << name;
      pass->run(parsed.function);
    }
    ASSERT_EQ(Verify(parsed.function), std::vector<std::string>{}) << test.name;
    const std::string printed = Print(parsed.function);
    if (update) {
      const bool implied = test.input.find("block ") == std::string::npos;
      test.expected = implied ? printed.substr(kBlockLine.size()) : printed;
    } else {
      EXPECT_EQ(Normalised(printed), Normalised(WithBlock(test.expected))) << "case " << test.name;
    }
  }
  if (!update) return;
  std::ofstream out(GetParam());
  out << file.head;
  for (const FileCase& test : file.cases) {
    out << kCaseLine << test.name << test.input << kExpectLine << test.expected << '\n';
  }
}

std::vector<std::filesystem::path> Files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(GCNJIT_FILETESTS)) {
    if (entry.path().extension() == ".ir") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(Filetests, FileTest, ::testing::ValuesIn(Files()),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
}  // namespace gcnjit::ir
