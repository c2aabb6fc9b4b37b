// A program that is ended when it takes too long.
#pragma once

#include <string>
#include <vector>

namespace gcnjit::cli {

// What a shell returns for a program that it cannot run.
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;
// And timeout(1) for one that took too long.
inline constexpr int kExitTimedOut = 124;

// Becomes the program. Returns only if that fails: the exit code, after a message.
int BecomeProgram(const std::string& program, const std::vector<std::string>& command);

// Runs the program in a child in the same process group, and returns what a shell would: its exit
// code, or 128 and the number of the signal that ended it. After `seconds` it gets SIGTERM, a few
// seconds later SIGKILL, and the result is kExitTimedOut.
//
// Signals that are sent to this process are passed on; those of the terminal reach the child by
// themselves. When the child is stopped by job control, so is this process. When this process is
// killed, so is the child. Children of the program are its own affair.
int RunTimedProgram(const std::string& program, const std::vector<std::string>& command,
                    double seconds);

}  // namespace gcnjit::cli
