// Makes a program smaller while something stays true of it.
#pragma once

#include <functional>

#include "source_fuzz/program.h"

namespace gcnjit::source_fuzz {

// Takes statements and operands away, or puts constants in their place, as long as `is_interesting`
// says yes; asks at most `attempts` times. What is taken away keeps the rest well defined, or the
// compilers refuse it, of which `is_interesting` must say no.
Program Reduce(Program program, int attempts,
               const std::function<bool(const Program&)>& is_interesting);

}  // namespace gcnjit::source_fuzz
