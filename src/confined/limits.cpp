#include "confined/limits.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace gcnjit::confined {
namespace {

// Sanitizers map terabytes of shadow memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitMemory = false;
#else
constexpr bool kLimitMemory = true;
#endif

constexpr rlim_t kMemory = rlim_t{1} << 30;  // bytes
constexpr rlim_t kProcessorSeconds = 5;

bool Limit(__rlimit_resource resource, rlim_t value) {
  rlimit limit = {};
  if (::getrlimit(resource, &limit) != 0) return false;
  limit.rlim_max = limit.rlim_max < value ? limit.rlim_max : value;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(resource, &limit) == 0;
}

// Memory, messages on the open socket, and ending. Opening a file, starting anything, signals to
// other processes: EPERM.
constexpr uint32_t kAllowed[] = {
    SYS_read,         SYS_write,          SYS_recvfrom,        SYS_sendto,    SYS_mmap,
    SYS_munmap,       SYS_mremap,         SYS_mprotect,        SYS_madvise,   SYS_brk,
    SYS_futex,        SYS_getpid,         SYS_gettid,          SYS_getrandom, SYS_clock_gettime,
    SYS_exit,         SYS_close,          SYS_sched_yield,     SYS_sysinfo,   SYS_exit_group,
    SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_restart_syscall,
};

#if defined(__SANITIZE_ADDRESS__)
// UndefinedBehaviorSanitizer asks a pipe whether memory can be read.
constexpr uint32_t kAllowedToSanitizers[] = {SYS_pipe, SYS_pipe2};
#else
constexpr std::array<uint32_t, 0> kAllowedToSanitizers = {};
#endif

bool FilterSystemCalls() {
  std::vector<sock_filter> program = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  const auto allow = [&](uint32_t call) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  };
  for (const uint32_t call : kAllowed) allow(call);
  for (const uint32_t call : kAllowedToSanitizers) allow(call);
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace

bool LimitThisProcess() {
  return (!kLimitMemory || Limit(RLIMIT_AS, kMemory)) && Limit(RLIMIT_CPU, kProcessorSeconds) &&
         Limit(RLIMIT_FSIZE, 0) && Limit(RLIMIT_CORE, 0) &&
         ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && FilterSystemCalls();
}

}  // namespace gcnjit::confined
