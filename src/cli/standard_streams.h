// Standard input, output and error of the gcnjit program as a whole.
#pragma once

namespace gcnjit::cli {

// Called before anything is opened or written. A stream that the caller has closed stays unusable:
// its number is no file's that is opened later. Writing past the limit of a file's size
// (RLIMIT_FSIZE) is an error of the write, and not the program's end. What `exec` starts inherits
// neither.
void PrepareStandardStreams();

// Called when a command has ended. Its exit code, or that of a mistake, after a message, if not all
// that it printed could be written.
int FinishStandardOutput(int exit_code);

}  // namespace gcnjit::cli
