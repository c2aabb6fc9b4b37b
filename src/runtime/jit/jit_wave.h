// Runs a wave in compiled code, and in the interpreter where there is none.
#pragma once

#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/wave.h"
#include "runtime/jit/jit_code.h"

namespace gcnjit::runtime {

class JitWorker;

// The calling thread stays in compiled code, which is therefore not freed, while one of these
// lives. RunWaveJit has its own; one around many calls spares each the announcement, which has to
// wait for the stores before it.
class JitStay {
 public:
  JitStay();
  explicit JitStay(JitWorker& worker);  // the calling thread's
  ~JitStay();
  JitStay(const JitStay&) = delete;
  JitStay& operator=(const JitStay&) = delete;

 private:
  JitWorker& worker_;
};

// As RunWave (interpreter/interpreter.h): runs until an event or until about `budget` instructions
// have been executed; returns how many were. Compiled code looks at the budget at loops only.
uint64_t RunWaveJit(Wave& w, CodeMap& code, JitCode& jit, uint64_t budget);

}  // namespace gcnjit::runtime
