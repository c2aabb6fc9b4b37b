// Runs the gcnjit program as a process, for the tests of what it prints and returns.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace gcnjit::cli_test {

namespace fs = std::filesystem;

struct Outcome {
  int exit_code = -1;  // -1: killed by a signal
  std::string out;
  std::string err;
  pid_t process = 0;
};

inline std::string Slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class CliTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "gcnjit-cli-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }

  fs::path Path(const std::string& name) const { return directory_ / name; }

  Outcome Gcnjit(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), GCNJIT_PROGRAM);
    const fs::path out = Path("stdout");
    const fs::path err = Path("stderr");
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open(out.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDOUT_FILENO);
      ::dup2(::open(err.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);
      std::vector<char*> argv;
      for (std::string& argument : arguments) argv.push_back(argument.data());
      argv.push_back(nullptr);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Slurp(out), Slurp(err), child};
  }

  // run with the kernel, a grid of 64 work-items unless `more` says otherwise.
  Outcome RunKernel(const std::string& target, const std::string& kernel,
                    const std::vector<std::string>& arguments,
                    const std::vector<std::string>& more = {"--global", "64"}) const {
    std::vector<std::string> line = {"run", ObjectOf(target), "--kernel", kernel};
    line.insert(line.end(), more.begin(), more.end());
    for (const std::string& argument : arguments) {
      line.push_back("--arg");
      line.push_back(argument);
    }
    return Gcnjit(line);
  }

  static std::string ObjectOf(const std::string& target) {
    return fmt::format("{}/cli-{}.co", GCNJIT_CLI_OBJECTS, target);
  }

  template <typename T>
  std::vector<T> ReadValues(const std::string& name) const {
    const std::string bytes = Slurp(Path(name));
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }

  void ExpectMistake(const Outcome& outcome, const std::string& words) const {
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << "stderr: " << outcome.err;
    EXPECT_FALSE(fs::exists(Path("out.bin")));
  }

  fs::path directory_;
};

}  // namespace gcnjit::cli_test
