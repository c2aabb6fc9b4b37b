// Options without a value, and results that would go to one place.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "mistakes.h"

namespace gcnjit::cli_test {
namespace {

class ValuesTest : public MessagesTest {};

// As from a variable of the shell that is not set.
TEST_F(ValuesTest, MayNotBeEmpty) {
  const std::vector<std::string> launch = {"CO", "--global", "64", "--arg", "buf:256"};
  const std::vector<std::pair<const char*, std::vector<const char*>>> options = {
      {"run", {"--kernel", "--target", "--kernarg", "--junit", "--check"}},
      {"bench", {"--engines", "--html"}},
      {"diff", {"--engines", "--case", "--replay", "--junit"}}};
  for (const auto& [command, names] : options) {
    for (const std::string option : names) {
      std::vector<std::string> line = {command};
      line.insert(line.end(), launch.begin(), launch.end());
      ExpectEach({{{option, ""}, (option + " has an empty value").c_str()},
                  {{option + "="}, (option + " has an empty value").c_str()},
                  {{option + "=", "@/x"}, (option + " has an empty value").c_str()}},
                 line);
    }
  }
  for (const char* option : {"--gen", "--engines", "--shard", "--junit"}) {
    ExpectEach({{{"fuzz", "--count", "1", option, ""}, "has an empty value"}});
  }
  ExpectEach({{{"fuzz", "--merge", ""}, "--merge has an empty value"},
              {{"fuzz", "--sweep="}, "--sweep has an empty value"},
              {{"exec", "--junit", "", "--", "true"}, "--junit has an empty value"},
              {{"exec", "--junit=", "--", "true"}, "--junit has an empty value"},
              {{"exec", "--device", "", "true"}, "--device"},
              {{"isa", "--target", ""}, "--target has an empty value"},
              {{"info", "CO", "--target", ""}, "--target has an empty value"},
              {{"disasm", "CO", "--target", ""}, "--target has an empty value"}});
  // A program's own arguments may be empty.
  EXPECT_EQ(Gcnjit({"exec", "true", "", "--junit="}).exit_code, 0);
  EXPECT_EQ(Gcnjit({"exec", "--", "true", "--junit=", ""}).exit_code, 0);
}

// Two results in one place are one that nobody can read.
TEST_F(ValuesTest, OutputsHaveTheirOwnPlaces) {
  const std::vector<std::string> launch = {"CO", "--kernel", "exactly_64", "--global", "64"};
  const auto expect = [&](const std::string& command, const std::vector<Mistake>& mistakes) {
    std::vector<std::string> line = {command};
    line.insert(line.end(), launch.begin(), launch.end());
    ExpectEach(mistakes, line);
  };
  fs::create_symlink("same", Path("another"));
  const char* const to_output = "both write to standard output: give one of them a file";
  const char* const to_file = "both write to '";
  expect("run", {{{"--arg", "buf:256", "--junit", "-", "--json"}, to_output},
                 {{"--arg", "buf:256", "--junit", "-", "--stats"}, to_output},
                 {{"--arg", "buf:256", "--junit", "-", "--check"}, to_output},
                 {{"--arg", "out:256:-", "--arg", "out:256:-"}, to_output},
                 {{"--arg", "out:256:@/same", "--arg", "out:256:@/same"}, to_file},
                 {{"--arg", "out:256:@/same", "--arg", "inout:/dev/null:@/./same"}, to_file},
                 {{"--arg", "out:256:@/same", "--arg", "out:256:@/another"}, to_file},
                 {{"--arg", "out:256:@/same", "--junit", "@/folder/../same"}, to_file}});
  expect("diff", {{{"--arg", "buf:256", "--junit", "-", "--json"}, to_output},
                  {{"--arg", "buf:256", "--case", "-"}, to_output},
                  {{"--arg", "buf:256", "--case", "@/same", "--junit", "@/same"}, to_file}});
  expect("bench", {{{"--arg", "buf:256", "--html", "-", "--json"}, to_output}});
  ExpectEach({{{"fuzz", "--count", "1", "--junit", "-", "--json"}, to_output}});
  EXPECT_FALSE(fs::exists(Path("same")));
  // Devices take all.
  EXPECT_EQ(Run({"run", "CO", "--kernel", "exactly_64", "--global", "64", "--arg",
                 "out:256:/dev/null", "--junit", "/dev/null"})
                .exit_code,
            0);
  // The report alone.
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"diff", "CO", "--kernel", "exactly_64", "--global", "64", "--arg",
                                 "buf:256", "--case", "@/case"},
        {"fuzz", "--count", "1", "--engines", "interp,avx2"}}) {
    std::vector<std::string> with = line;
    with.insert(with.end(), {"--junit", "-"});
    const Outcome run = Run(with);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(run.out.starts_with("<?xml ") && run.out.ends_with("</testsuite>\n")) << run.out;
  }
}

}  // namespace
}  // namespace gcnjit::cli_test
