// The example of docs/api.md; a test checks that the two are the same.
#include "api_example.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace {

std::string Slurp(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ApiExample, Runs) {
  const std::string object = std::string(GCNJIT_SOURCE_DIR) + "/demo/kernels-gfx900.co";
  std::string printed;
  EXPECT_EQ(RunApiExample(object.c_str(), printed), 0);
  EXPECT_EQ(printed, "7 takes 16 steps\n");
}

TEST(ApiExample, IsInTheDocumentation) {
  const std::string example = Slurp(std::string(GCNJIT_SOURCE_DIR) + "/tests/unit/api_example.h");
  const std::string docs = Slurp(std::string(GCNJIT_SOURCE_DIR) + "/docs/api.md");
  ASSERT_FALSE(example.empty());
  const std::string shown = example.substr(example.find("#include"));
  EXPECT_NE(docs.find(shown), std::string::npos)
      << "copy tests/unit/api_example.h into docs/api.md";
}

}  // namespace
