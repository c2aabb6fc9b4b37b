// Programs that end badly, each in a child of its own: an assertion of a kernel, a null pointer, an
// address that is not allocated, an endless loop that is killed. What they print is compared, too,
// and that they print their statistics.
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <csignal>
#include <thread>

#include "check.h"

__global__ void Assert(int limit) {
  assert(static_cast<int>(threadIdx.x) < limit && "beyond the limit");
}

__global__ void Store(uint32_t* to) { to[threadIdx.x] = threadIdx.x; }

// Says that it runs, and runs until the flag is set, which it never is.
__global__ void Spin(volatile uint32_t* flag, uint32_t* running) {
  __atomic_store_n(running, 1u, __ATOMIC_RELEASE);
  while (*flag == 0) {
  }
}

// Returns when the kernel runs.
static void StartSpinning() {
  uint32_t* running = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&running), 8, hipHostMallocCoherent));
  running[0] = running[1] = 0;
  Spin<<<1, 64>>>(running + 1, running);
  HIP(hipGetLastError());
  while (__atomic_load_n(running, __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
  std::printf("spinning\n");
  std::fflush(stdout);
}

struct Ending {
  int status = 0;
  std::string text;  // what it printed
};

// HIP must not be used before the fork: its threads do not exist in the child. The child gets the
// signal as soon as it has printed `kill_at`.
template <typename Program>
static Ending RunChild(Program program, const char* kill_at = nullptr, int signal = SIGTERM) {
  int ends[2];
  if (::pipe(ends) != 0) std::exit(2);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::setenv("GCNJIT_STATS", "1", 1);
    program();
    std::exit(0);
  }
  ::close(ends[1]);
  Ending ending;
  char part[4096];
  for (ssize_t size; (size = ::read(ends[0], part, sizeof part)) > 0;) {
    ending.text.append(part, static_cast<size_t>(size));
    if (kill_at && ending.text.find(kill_at) != std::string::npos) ::kill(child, signal);
  }
  ::close(ends[0]);
  ::waitpid(child, &ending.status, 0);
  return ending;
}

// The words come in this order.
static void Expect(const char* what, const Ending& ending, bool as_it_should,
                   std::initializer_list<const char*> words) {
  bool right = as_it_should;
  size_t at = 0;
  for (const char* word : words) {
    at = ending.text.find(word, at);
    right = right && at != std::string::npos;
  }
  ++check::compared;
  if (right) return;
  ++check::different;
  std::fprintf(stderr, "%s: wait status 0x%x, printed:\n%s\n", what,
               static_cast<unsigned>(ending.status), ending.text.c_str());
}

// Of the statistics.
static constexpr const char* kTableBegin = "gcnjit:  launches";
static constexpr const char* kTableEnd = "regions compiled in";

static bool Aborted(const Ending& e) {
  return WIFSIGNALED(e.status) && WTERMSIG(e.status) == SIGABRT;
}

int main() {
  const Ending failed = RunChild([] {
    Assert<<<1, 64>>>(60);
    (void)hipDeviceSynchronize();
    std::printf("went on\n");
  });
  Expect("assert", failed, Aborted(failed) && failed.text.find("went on") == std::string::npos,
         {"Assert", "beyond the limit", kTableBegin, kTableEnd});

  const Ending passed = RunChild([] {
    Assert<<<1, 64>>>(64);
    HIP(hipDeviceSynchronize());
    std::printf("went on\n");
  });
  Expect("assert that holds", passed, passed.status == 0,
         {kTableBegin, "Assert", kTableEnd, "went on"});

  const Ending null = RunChild([] {
    Store<<<1, 64>>>(nullptr);
    (void)hipDeviceSynchronize();
    std::printf("went on\n");
  });
  Expect("null pointer", null, Aborted(null) && null.text.find("went on") == std::string::npos,
         {"Memory access fault by GPU node-1 (Agent handle: 0x", ") on address (nil). Reason: Page",
          "memory write fault in kernel '_Z5StorePj'", "  at ", "(kernel + 0x", "_store_dword",
          "  address ", "  nearest ", "past the null pointer", "  where ",
          "group (0, 0, 0), wave 0, lane 0, work-item (0, 0, 0)", kTableBegin, kTableEnd,
          "_Z5StorePj"});

  const Ending stray = RunChild([] {
    check::Buffer<uint32_t> buffer(64);
    Store<<<1, 64>>>(buffer + (size_t{1} << 40));
    (void)hipDeviceSynchronize();
    std::printf("went on\n");
  });
  Expect(
      "stray pointer", stray, Aborted(stray) && stray.text.find("went on") == std::string::npos,
      {"Memory access fault by GPU node-1", "memory write fault in kernel '_Z5StorePj'", "  at ",
       "_store_dword", "  nearest ", "  where ", "lane 0", kTableBegin, kTableEnd, "_Z5StorePj"});

  // A kernel that never ends does not keep the program from being ended.
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    const Ending spinning = RunChild(
        [] {
          StartSpinning();
          (void)hipDeviceSynchronize();
        },
        "spinning", signal);
    Expect("killed", spinning, WIFSIGNALED(spinning.status) && WTERMSIG(spinning.status) == signal,
           {"spinning", kTableBegin, kTableEnd, "gcnjit: not finished after", "_Z4Spin"});
  }

  // Nor does it keep the program from ending itself.
  const Ending left = RunChild([] {
    StartSpinning();
    std::_Exit(7);
  });
  Expect("left", left, WIFEXITED(left.status) && WEXITSTATUS(left.status) == 7, {"spinning"});
  return check::Finish();
}
