#include "cli/standard_streams.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/commands.h"
#include "cli/message.h"

namespace gcnjit::cli {

void PrepareStandardStreams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // Open for what it is not used for.
    const int wrong_way = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    (void)::open("/dev/null", wrong_way | O_CLOEXEC);
  }
  // A handler, unlike SIG_IGN, ends with execv. Where the signal is ignored already, it stays so.
  struct sigaction action = {};
  if (::sigaction(SIGXFSZ, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGXFSZ, &action, nullptr);
}

int FinishStandardOutput(int exit_code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  PrintMessage("gcnjit: not all of the output could be written{}{}\n", errno != 0 ? ": " : "",
               errno != 0 ? std::strerror(errno) : "");
  return kExitBadInput;
}

}  // namespace gcnjit::cli
