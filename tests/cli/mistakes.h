// Command lines that are mistakes, each with words of the message.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "cli_fixture.h"

namespace gcnjit::cli_test {

// In the arguments @ is the folder of the test, CO a code object for gfx900, HIP one of HIP's.
struct Mistake {
  std::vector<std::string> line;
  const char* words;
};

class MessagesTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    std::ofstream(Path("text")) << "some text\n";
    fs::create_directory(Path("folder"));
    fs::create_symlink(Path("folder"), Path("link"));
    fs::create_directory(Path("open"));
    fs::permissions(Path("open"), fs::perms::all);
  }

  Outcome Run(std::vector<std::string> line) const {
    for (std::string& word : line) {
      if (word == "CO") word = ObjectOf("gfx900");
      if (word == "HIP") word = fmt::format("{}/lines-hipcc.co", GCNJIT_CLI_OBJECTS);
      if (const size_t at = word.find('@'); at != std::string::npos) {
        word.replace(at, 1, directory_.string());
      }
    }
    return Gcnjit(std::move(line));
  }

  void ExpectEach(const std::vector<Mistake>& mistakes,
                  const std::vector<std::string>& begin = {}) const {
    for (const auto& [more, words] : mistakes) {
      std::vector<std::string> line = begin;
      line.insert(line.end(), more.begin(), more.end());
      const Outcome run = Run(line);
      const std::string text = fmt::format("{}", fmt::join(line, " "));
      EXPECT_EQ(run.exit_code, 2) << text << "\n" << run.out << run.err;
      EXPECT_NE(run.err.find(words), std::string::npos) << text << "\nstderr: " << run.err;
      EXPECT_EQ(run.out, "") << text;
    }
  }
};

}  // namespace gcnjit::cli_test
