#include "source_fuzz/compile.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

namespace gcnjit::source_fuzz {
namespace {

// Of the processor, so that a busy machine refuses nothing. A program takes less than a second for
// the device; for the host under UBSan far more.
constexpr int kDeviceSeconds = 10;
constexpr int kHostSeconds = 60;

// Of all compilers so far.
int64_t SecondsOfChildren() {
  rusage usage = {};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
}

Compiled RunCompiler(const std::string& command, int seconds, const std::string& output,
                     std::string& said) {
  const std::string log = output + ".log";
  const int64_t before = SecondsOfChildren();
  const int status =
      std::system(fmt::format("ulimit -t {}; {} > '{}' 2>&1", seconds, command, log).c_str());
  if (status == 0) return Compiled::kDone;
  std::ifstream stream(log);
  said.assign(std::istreambuf_iterator<char>(stream), {});
  if (said.empty()) said = fmt::format("the compiler ended with status {}", status);
  return SecondsOfChildren() - before >= seconds - 1 ? Compiled::kOutOfTime : Compiled::kRefused;
}

// Of "clang-N": N.
int Version(std::string_view compiler) {
  int version = 0;
  const size_t dash = compiler.rfind('-') + 1;
  std::from_chars(compiler.data() + dash, compiler.data() + compiler.size(), version);
  return version;
}

}  // namespace

std::vector<std::string> InstalledCompilers() {
  std::vector<std::string> found;
  for (const char* name : {"clang-14", "clang-15", "clang-17", "clang-19", "clang-21"}) {
    if (std::system(fmt::format("command -v {} > /dev/null 2>&1", name).c_str()) == 0)
      found.emplace_back(name);
  }
  return found;
}

Compiled CompileForDevice(const std::string& source, const Build& build, const std::string& output,
                          std::string& said) {
  std::string options;
  // LLVM up to 15 writes elements of small arrays that it keeps in registers at indices that are
  // not known wrongly: bytes with a mask of 16 bits, and both halves of 64 bits to the first one's
  // place.
  const int version = Version(build.compiler);
  if (version <= 15) options += " -mllvm -disable-promote-alloca-to-vector";
  // LLVM up to 17 moves v_cndmask_b32 out of a loop that lanes leave one after the other: the
  // condition in VCC is then that of the last turn, 0 in lanes that left before (llvm-project pull
  // request 67456).
  if (version <= 17) options += " -mllvm -disable-machine-sink";
  // Division as in C++; no contraction; nothing of the device library.
  return RunCompiler(fmt::format("{} -x cl -cl-std=CL2.0 -cl-fp32-correctly-rounded-divide-sqrt "
                                 "-ffp-contract=off -w -nogpulib -fno-crash-diagnostics "
                                 "-target amdgcn-amd-amdhsa -mcpu={} {}{} -I'{}' '{}' -o '{}'",
                                 build.compiler, build.target, build.level, options,
                                 GCNJIT_SOURCE_FUZZ_DIR, source, output),
                     kDeviceSeconds, output, said);
}

bool CompileForHost(const std::string& source, const std::string& output, bool is_sanitized,
                    std::string& said) {
  return RunCompiler(
             fmt::format("clang-15 -x c++ -std=c++20 -O1 -march=x86-64-v3 -ffp-contract=off -w "
                         "-fPIC -shared {} "
                         "-I'{}' '{}' -o '{}' -lm",
                         is_sanitized
                             ? "-fsanitize=undefined,float-cast-overflow -fno-sanitize-recover=all"
                             : "",
                         GCNJIT_SOURCE_FUZZ_DIR, source, output),
             kHostSeconds, output, said) == Compiled::kDone;
}

}  // namespace gcnjit::source_fuzz
