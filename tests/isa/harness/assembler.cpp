#include "harness/assembler.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "oracle/scopes.h"

namespace gcnjit::isa_tests {
namespace {

Error Trouble(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// A directory for the assembler's input and output, removed at the end.
class ScratchFiles {
 public:
  ScratchFiles() {
    char name[] = "/tmp/gcnjit_isa_XXXXXX";
    if (mkdtemp(name) != nullptr) directory_ = name;
  }
  ~ScratchFiles() {
    for (const char* file : {"in.s", "out.s", "errors"}) unlink(Path(file).c_str());
    rmdir(directory_.c_str());
  }
  ScratchFiles(const ScratchFiles&) = delete;
  ScratchFiles& operator=(const ScratchFiles&) = delete;
  bool ok() const { return !directory_.empty(); }
  std::string Path(const char* file) const { return directory_ + "/" + file; }

 private:
  std::string directory_;
};

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
std::map<int, std::string> ErrorsByLine(const std::string& path) {
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

// One instruction a line; returns the words, or an empty vector and the error, by line from 1.
struct AssembledLine {
  std::vector<uint32_t> words;
  std::string error;
};
Result<std::vector<AssembledLine>> AssembleLines(const std::vector<std::string>& lines,
                                                 frontend::Generation generation) {
  std::vector<AssembledLine> result(lines.size());
  if (lines.empty()) return result;
  const ScratchFiles files;
  if (!files.ok()) return Trouble("no directory for temporary files");
  std::ofstream in(files.Path("in.s"));
  const bool is_newer = Has(generation, frontend::kGfx942Isa);
  for (const std::string& line : lines) in << (is_newer ? oracle::WithScopes(line) : line) << '\n';
  in.close();
  const std::string command = fmt::format("{} -arch=amdgcn -mcpu={} -show-encoding {} >{} 2>{}",
                                          is_newer ? GCNJIT_NEWER_LLVM_MC : GCNJIT_LLVM_MC,
                                          frontend::TargetName(generation), files.Path("in.s"),
                                          files.Path("out.s"), files.Path("errors"));
  const int status = std::system(command.c_str());
  const std::map<int, std::string> errors = ErrorsByLine(files.Path("errors"));
  if (status != 0 && errors.empty()) return Trouble("llvm-mc failed: " + command);

  // Refused lines leave nothing in the output; the others come in order.
  std::ifstream out(files.Path("out.s"));
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
