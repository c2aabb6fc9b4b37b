// R11: no page is ever writable and executable. While host threads compile and run kernels and
// throw compiled code away, one more looks through the process's memory map all the time; and the
// kernel is told to kill the process if it asks for such a page at all. GCNJIT_PERF_MAP=1 has
// another way of placing code, so this is to be run with and without it. Prints "N executed, M
// failed".
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "gcnjit/device.h"
#include "robustness/frame.h"

namespace gcnjit::robustness {
namespace {

// Lines of /proc/self/maps ("begin-end rwxp ...") that allow both.
std::vector<std::string> WritableAndExecutable() {
  std::vector<std::string> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t permissions = line.find(' ') + 1;
    if (line.compare(permissions + 1, 2, "wx") == 0) found.push_back(line);
  }
  return found;
}

// A scan that cannot find anything would be worth nothing.
bool ScanFindsSuchAPage() {
  void* const page =
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool found = WritableAndExecutable().size() == 1;
  ::munmap(page, 4096);
  return found && WritableAndExecutable().empty();
}

// From now on mmap and mprotect with PROT_WRITE and PROT_EXEC end the process.
bool ForbidSuchPages() {
  constexpr uint32_t kBoth = PROT_WRITE | PROT_EXEC;
  constexpr uint32_t kProtection = offsetof(seccomp_data, args) + 2 * sizeof(uint64_t);
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pkey_mprotect, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kProtection),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, kBoth),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kBoth, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {static_cast<unsigned short>(std::size(filter)), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Compiles and runs short kernels, each another one and another MODE, and keeps little of it.
uint64_t CompileAndRun(int thread, const std::vector<uint32_t>& code, int rounds) {
  Device device = *Device::Create();
  uint64_t done = 0;
  for (int n = 0; n < rounds; ++n) {
    std::vector<uint32_t> words = code;
    words[0] = 0xB0140000u | static_cast<uint32_t>(thread * rounds + n);  // s_movk_i32 s20
    const auto program = Program::Load(device, FrameFile(frontend::Generation::kGfx900, words));
    LaunchConfig config;
    config.global.x = config.local.x = 64;
    config.threads = 1;
    config.compile_first = true;
    config.code_limit = 1 << 16;
    const auto result =
        Launch(device, *program, "frame", config, Arguments().Value(FrameArguments{}));
    done += result && result->status == LaunchStatus::kDone;
  }
  return done;
}

int Run() {
  if (!ScanFindsSuchAPage()) {
    fmt::print("the scan does not find a page that is writable and executable\n");
    return 1;
  }
  const std::vector<uint32_t> code = AssembleProgram(
      frontend::Generation::kGfx900,
      {"s_movk_i32 s20, 0x1", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s20",
       "v_add_u32_e32 v1, s20, v0", "v_mul_f32_e32 v2, v1, v1", "s_add_u32 s20, s20, 1",
       "s_and_b32 s20, s20, 7", "s_cmp_lg_u32 s20, 0", "s_cbranch_scc1 0xfff9", "s_endpgm"});
  const bool is_forbidden = ForbidSuchPages();

  std::atomic<bool> finished = false;
  std::atomic<uint64_t> scans = 0;
  std::vector<std::string> found;
  std::thread scanner([&] {
    while (!finished) {
      for (const std::string& line : WritableAndExecutable()) found.push_back(line);
      ++scans;
    }
  });
  constexpr int kThreads = 3;
  constexpr int kRounds = 100;
  std::atomic<uint64_t> done = 0;
  std::vector<std::thread> threads;
  for (int n = 0; n < kThreads; ++n) {
    threads.emplace_back([&, n] { done += CompileAndRun(n, code, kRounds); });
  }
  for (std::thread& thread : threads) thread.join();
  const uint64_t during = scans;
  finished = true;
  scanner.join();
  for (const std::string& line : WritableAndExecutable()) found.push_back(line);
  for (const std::string& line : found) fmt::print("writable and executable: {}\n", line);
  if (done != uint64_t{kThreads} * kRounds) {
    fmt::print("only {} of {} launches succeeded\n", done.load(), kThreads * kRounds);
    return 1;
  }
  fmt::print("{} executed, {} failed ({} scans; such pages are {})\n", done.load(), found.size(),
             scans.load() + 1,
             is_forbidden ? "forbidden" : "not forbidden: the host has no seccomp");
  return found.empty() && during != 0 ? 0 : 1;
}

}  // namespace
}  // namespace gcnjit::robustness

int main() {
  try {
    return gcnjit::robustness::Run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "memory_map_check: {}\n", error.what());
    return 1;
  }
}
