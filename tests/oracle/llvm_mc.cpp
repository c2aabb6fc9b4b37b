#include "llvm_mc.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>

extern char** environ;

namespace gcnjit::oracle {
namespace {

// Marks the end of one sample's output: a harmless instruction that no sample needs.
constexpr uint32_t kSentinelWord = 0xbf807e55;
constexpr std::string_view kSentinelText = "s_nop 0x7e55";

struct ProcessOutput {
  bool crashed = false;
  std::string out;
  std::string err;
};

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "gcnjit_oracle_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string File(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

// The one that knows the target.
std::string ProgramFor(const std::string& target) {
  return target == "gfx942" ? NewerLlvmMcProgram() : LlvmMcProgram();
}

// Runs llvm-mc on `input`. llvm-mc's exit code says no more than its error output.
ProcessOutput RunLlvmMc(const std::string& program, const std::vector<std::string>& arguments,
                        const std::string& input) {
  const TemporaryDirectory folder;
  const std::string in = folder.File("in"), out = folder.File("out"), err = folder.File("err");
  std::ofstream(in, std::ios::binary) << input;

  std::vector<std::string> storage = {program};
  storage.insert(storage.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& argument : storage) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed != 0 || waitpid(pid, &status, 0) != pid ||
      (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
    throw std::runtime_error("cannot run " + storage[0]);
  }
  return {!WIFEXITED(status), ReadFile(out), ReadFile(err)};
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

struct Diagnostic {
  int line;
  int column;
  std::string_view message;
};

// "<stdin>:3:21: warning: invalid instruction encoding"
std::vector<Diagnostic> Diagnostics(std::string_view err) {
  std::vector<Diagnostic> result;
  for (std::string_view line : Lines(err)) {
    constexpr std::string_view kPrefix = "<stdin>:";
    if (!line.starts_with(kPrefix)) continue;
    line.remove_prefix(kPrefix.size());
    Diagnostic d{};
    const auto [after_line, e1] = std::from_chars(line.begin(), line.end(), d.line);
    if (e1 != std::errc() || after_line == line.end() || *after_line != ':') continue;
    const auto [after_column, e2] = std::from_chars(after_line + 1, line.end(), d.column);
    if (e2 != std::errc()) continue;
    d.message = Trim(std::string_view(after_column + 1, line.end()));
    result.push_back(d);
  }
  return result;
}

std::string HexBytes(uint32_t word) {
  return fmt::format("0x{:02x} 0x{:02x} 0x{:02x} 0x{:02x}", word & 0xFF, word >> 8 & 0xFF,
                     word >> 16 & 0xFF, word >> 24);
}
constexpr int kCharactersPerByte = 5;

// A batch on which llvm-mc dies is halved until the words that kill it stand alone.
std::vector<Disassembled> BisectCrash(const std::string& target, std::span<const Words> samples) {
  if (samples.size() == 1) {
    Disassembled crashed;
    crashed.crashed = true;
    return {crashed};
  }
  const size_t half = samples.size() / 2;
  std::vector<Disassembled> result = LlvmDisassemble(target, samples.first(half));
  const std::vector<Disassembled> rest = LlvmDisassemble(target, samples.subspan(half));
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

}  // namespace

std::string LlvmMcProgram() {
  const char* name = std::getenv("GCNJIT_LLVM_MC");
  return name != nullptr ? name : "llvm-mc-15";
}

std::string NewerLlvmMcProgram() {
  const char* name = std::getenv("GCNJIT_NEWER_LLVM_MC");
  return name != nullptr ? name : "llvm-mc-19";
}

bool LlvmMcAvailable() {
  try {
    return RunLlvmMc(LlvmMcProgram(), {"--version"}, "").out.find("amdgcn") != std::string::npos;
  } catch (const std::runtime_error&) {
    return false;
  }
}

std::vector<Disassembled> LlvmDisassemble(const std::string& target,
                                          std::span<const Words> samples) {
  std::string input;
  for (const Words& words : samples) {
    // Brackets keep a sample's bytes apart from the next line's.
    input += fmt::format("[{} {}]\n[{}]\n", HexBytes(words[0]), HexBytes(words[1]),
                         HexBytes(kSentinelWord));
  }
  const ProcessOutput output =
      RunLlvmMc(ProgramFor(target), {"-arch=amdgcn", "-mcpu=" + target, "-disassemble"}, input);
  if (output.crashed) return BisectCrash(target, samples);

  // Which bytes of which sample start something that llvm-mc refuses.
  std::vector<Disassembled> result(samples.size());
  std::vector<std::array<bool, 2>> refused(samples.size(), {false, false});
  for (const Diagnostic& d : Diagnostics(output.err)) {
    const auto sample = static_cast<size_t>((d.line - 1) / 2);
    const int byte = (d.column - 2) / kCharactersPerByte;
    if (sample >= samples.size() || d.line % 2 == 0 || (byte != 0 && byte != 4)) {
      throw std::runtime_error(
          fmt::format("llvm-mc: unexpected message at {}:{}: {}", d.line, d.column, d.message));
    }
    refused[sample][byte == 0 ? 0 : 1] = true;
  }

  size_t sample = 0;
  std::vector<std::string_view> texts;
  for (std::string_view line : Lines(output.out)) {
    line = Trim(line);
    if (line.empty() || line == ".text") continue;
    if (line != kSentinelText) {
      texts.push_back(line);
      continue;
    }
    if (sample >= samples.size()) throw std::runtime_error("llvm-mc: too many results");
    Disassembled& r = result[sample];
    r.accepted = !refused[sample][0];
    if (r.accepted) {
      if (texts.empty())
        throw std::runtime_error(fmt::format("llvm-mc: no result for {:08x} {:08x}",
                                             samples[sample][0], samples[sample][1]));
      r.text = texts[0];
      r.size = texts.size() == 2 || refused[sample][1] ? 4 : 8;
    }
    texts.clear();
    ++sample;
  }
  if (sample != samples.size()) throw std::runtime_error("llvm-mc: too few results");
  return result;
}

std::vector<Assembled> LlvmAssemble(const std::string& target,
                                    const std::vector<std::string>& lines) {
  std::string input;
  for (const std::string& line : lines) input += line + "\ns_nop 0x7e55\n";
  const ProcessOutput output =
      RunLlvmMc(ProgramFor(target), {"-arch=amdgcn", "-mcpu=" + target, "-show-encoding"}, input);
  std::vector<Assembled> result(lines.size());
  std::map<size_t, std::string> errors;
  for (const Diagnostic& d : Diagnostics(output.err)) {
    errors.emplace(static_cast<size_t>((d.line - 1) / 2), d.message);
  }
  size_t sample = 0;
  for (std::string_view line : Lines(output.out)) {
    constexpr std::string_view kEncoding = "; encoding: [";
    const size_t at = line.find(kEncoding);
    if (at == line.npos) continue;
    if (Trim(line.substr(0, at)) == kSentinelText) {
      ++sample;
      continue;
    }
    if (sample >= lines.size()) throw std::runtime_error("llvm-mc: too many results");
    std::string_view bytes = line.substr(at + kEncoding.size());
    while (bytes.starts_with("0x")) {
      unsigned value = 0;
      std::from_chars(bytes.begin() + 2, bytes.end(), value, 16);
      result[sample].bytes.push_back(static_cast<uint8_t>(value));
      bytes.remove_prefix(std::min<size_t>(bytes.size(), 5));
    }
    result[sample].accepted = true;
  }
  if (sample != lines.size()) throw std::runtime_error("llvm-mc: too few results");
  for (const auto& [index, message] : errors) {
    if (index < result.size()) result[index].error = message;
  }
  return result;
}

}  // namespace gcnjit::oracle
