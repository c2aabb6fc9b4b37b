#include "harness/assembler.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "oracle/scopes.h"

namespace gcnjit::isa_tests {
namespace {

namespace fs = std::filesystem;

Error Trouble(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// `... encoding: [0x01,0x02,0x03,0x04]` to words; empty if the line has none.
std::vector<uint32_t> EncodingOf(const std::string& line) {
  std::vector<uint32_t> words;
  const size_t begin = line.find("encoding: [");
  if (begin == line.npos) return words;
  std::istringstream bytes(line.substr(begin + 11));
  int count = 0;
  for (std::string byte; std::getline(bytes, byte, ',') && !byte.empty(); ++count) {
    if (count % 4 == 0) words.push_back(0);
    words.back() |= static_cast<uint32_t>(std::strtoul(byte.c_str(), nullptr, 16) & 0xFF)
                    << (count % 4 * 8);
  }
  return words;
}

// "NAME:LINE:COLUMN: error: TEXT" by line.
std::map<int, std::string> ErrorsByLine(const fs::path& path) {
  std::map<int, std::string> errors;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t error = line.find(": error: ");
    const size_t name = line.find("in.s:");
    if (error == line.npos || name == line.npos) continue;
    errors.emplace(std::atoi(line.c_str() + name + 5), line.substr(error + 9));
  }
  return errors;
}

// The folder with `in.s`, which is `input`, and what llvm-mc made of it: `out.s` and `errors`.
// Several test programs assemble the same lines, and llvm-mc takes longer to start than to work:
// the folder stays, by a name that says what is in it.
Result<fs::path> AssembledFolder(const std::string& program, const std::string& target,
                                 const std::string& input) {
  const auto age = fs::last_write_time(program).time_since_epoch().count();
  const fs::path folder =
      fs::path(GCNJIT_ASSEMBLED) /
      fmt::format("{:016x}", std::hash<std::string>{}(
                                 fmt::format("{}\n{}\n{}\n{}", program, age, target, input)));
  if (fs::exists(folder)) return folder;

  fs::create_directories(GCNJIT_ASSEMBLED);
  std::string temporary = folder.string() + ".XXXXXX";
  if (mkdtemp(temporary.data()) == nullptr) return Trouble("cannot make " + temporary);
  std::ofstream(temporary + "/in.s") << input;
  const std::string command =
      fmt::format("cd {} && {} -arch=amdgcn -mcpu={} -show-encoding in.s >out.s 2>errors",
                  temporary, program, target);
  if (std::system(command.c_str()) != 0 && ErrorsByLine(temporary + "/errors").empty()) {
    fs::remove_all(temporary);
    return Trouble("llvm-mc failed: " + command);
  }
  std::error_code is_there;  // another process was faster
  fs::rename(temporary, folder, is_there);
  if (is_there) fs::remove_all(temporary);
  return folder;
}

// One instruction a line; returns the words, or an empty vector and the error, by line from 1.
struct AssembledLine {
  std::vector<uint32_t> words;
  std::string error;
};
Result<std::vector<AssembledLine>> AssembleLines(const std::vector<std::string>& lines,
                                                 frontend::Generation generation) {
  std::vector<AssembledLine> result(lines.size());
  if (lines.empty()) return result;
  const bool is_newer = Has(generation, frontend::kGfx942Isa);
  std::string input;
  for (const std::string& line : lines) {
    input += (is_newer ? oracle::WithScopes(line) : line) + '\n';
  }
  const Result<fs::path> folder =
      AssembledFolder(is_newer ? GCNJIT_NEWER_LLVM_MC : GCNJIT_LLVM_MC,
                      std::string(frontend::TargetName(generation)), input);
  if (!folder) return folder.error();
  const std::map<int, std::string> errors = ErrorsByLine(folder.value() / "errors");

  // Refused lines leave nothing in the output; the others come in order.
  std::ifstream out(folder.value() / "out.s");
  size_t next = 0;
  const auto skip_refused = [&] {
    for (; next < lines.size(); ++next) {
      const auto found = errors.find(static_cast<int>(next) + 1);
      if (found == errors.end()) return;
      result[next].error = found->second;
    }
  };
  skip_refused();
  for (std::string line; std::getline(out, line);) {
    std::vector<uint32_t> words = EncodingOf(line);
    if (words.empty()) continue;
    if (next >= lines.size()) return Trouble("llvm-mc wrote more instructions than it was given");
    result[next++].words = std::move(words);
    skip_refused();
  }
  if (next != lines.size()) return Trouble("llvm-mc wrote fewer instructions than it was given");
  return result;
}

}  // namespace

Result<std::vector<Assembled>> AssembleFile(const CaseFile& file, frontend::Generation generation) {
  std::vector<std::string> lines;
  for (const Section& section : file.sections) {
    if (!section.header.Holds(generation)) continue;
    for (const CaseInstruction& i : section.header.instructions) {
      if (i.words.empty()) lines.push_back(i.text);
    }
  }
  const Result<std::vector<AssembledLine>> assembled = AssembleLines(lines, generation);
  if (!assembled) return assembled.error();

  std::vector<Assembled> result(file.sections.size());
  size_t line = 0;
  for (size_t n = 0; n < file.sections.size(); ++n) {
    if (!file.sections[n].header.Holds(generation)) continue;
    for (const CaseInstruction& i : file.sections[n].header.instructions) {
      result[n].starts.push_back(static_cast<uint32_t>(result[n].words.size()));
      const AssembledLine from_llvm =
          i.words.empty() ? assembled.value()[line++] : AssembledLine{i.words, {}};
      if (!from_llvm.error.empty()) result[n].error = i.text + ": " + from_llvm.error;
      result[n].words.insert(result[n].words.end(), from_llvm.words.begin(), from_llvm.words.end());
    }
  }
  return result;
}

}  // namespace gcnjit::isa_tests
