// Times on the command line.
#pragma once

#include <string>

namespace gcnjit::cli {

// For CLI::Validator: empty if `text` is a number of seconds, 0 or more, else why it is none.
std::string NoSeconds(const std::string& text);

// Likewise, and no more than `most`.
std::string NoSecondsUpTo(double most, const std::string& text);

// Likewise for more than 0, and for no more than a process will ever run.
std::string NoTimeLimit(const std::string& text);

}  // namespace gcnjit::cli
