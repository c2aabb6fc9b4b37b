// A launch under control, and what its places are called: for `gcnjit debug`, whoever asks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/launch_request.h"
#include "cli/program_lines.h"
#include "cli/source_text.h"
#include "debug/registers.h"
#include "debug/session.h"

namespace gcnjit::cli {

struct DebugOptions : LaunchOptions {
  std::string check;  // as for `gcnjit run`; empty: nothing is checked
};

class DebugTarget {
 public:
  // All of these outlive the object.
  DebugTarget(const LaunchRequest& request, const std::string& target, const KernelInfo& kernel,
              const runtime::LaunchState& launch);

  debug::Session& session() { return session_; }
  const debug::Machine& machine() const { return session_.machine(); }
  const KernelInfo& kernel() const { return kernel_; }
  SourceText& source() { return source_; }

  // "saxpy+0x40".
  std::string PlaceText(uint64_t pc) const;
  // In LLVM's syntax.
  std::string Disassembly(uint64_t pc) const;
  // Instructions before and after `pc`, in a straight line through its function.
  std::vector<uint64_t> InstructionsAround(uint64_t pc, size_t before, size_t after);

  // Instructions that a text means: "NAME", "NAME+0x40", "+0x40", "*0x7f0012", "FILE:LINE",
  // "LINE"; the last of the file that `pc` is of.
  struct Places {
    std::vector<uint64_t> pcs;
    std::string text;  // as found: a line without code stands for one after it
  };
  Result<Places> FindPlaces(const std::string& text, uint64_t pc);
  Result<Places> FindLine(const std::string& file, uint64_t line);

  // A guest address: a number, "argN" for a buffer, a pair of registers ("s[4:5]", or "v[2:3]" of a
  // lane), and perhaps "+NUMBER".
  Result<uint64_t> FindAddress(const std::string& text, const runtime::WaveState& wave,
                               int lane) const;
  // Bytes at a guest address, as many as the guest may read.
  std::span<const std::byte> Memory(uint64_t address, uint64_t bytes) const;
  // "4 bytes into the 4,096-byte allocation 'buffer' at 0x...".
  std::string DescribeAddress(uint64_t address) const;

  // What is reported, with its lines.
  FaultReport Fault();
  Finding FindingAt(size_t number);

 private:
  struct Function {
    std::string name;
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  Function FunctionAt(uint64_t pc) const;
  Result<uint64_t> FindFunction(const std::string& name) const;

  const KernelInfo& kernel_;
  const runtime::LoadedProgram& loaded_;
  const Arguments& arguments_;
  ProgramLines lines_;
  SourceText source_;
  runtime::CodeMap code_;
  debug::Session session_;
};

// Prepares the launch and lets `use` have it. The result is an exit code; so are mistakes, once
// they have been told.
Result<int> WithDebugTarget(const DebugOptions& options,
                            const std::function<int(DebugTarget&)>& use);

// A whole number, also in hexadecimal (0x...).
std::optional<uint64_t> ParseNumber(std::string_view text);

}  // namespace gcnjit::cli
