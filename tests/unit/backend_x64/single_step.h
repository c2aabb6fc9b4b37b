// Lets this thread stop after each host instruction (x86's trap flag), to see or change memory
// between any two of them as another thread might.
#pragma once

namespace gcnjit::backend {

class SingleStep {
 public:
  // While this lives, `step` is called after each instruction. In a signal handler: it may touch
  // memory and nothing else.
  explicit SingleStep(void (*step)());
  ~SingleStep();
  SingleStep(const SingleStep&) = delete;
  SingleStep& operator=(const SingleStep&) = delete;
};

}  // namespace gcnjit::backend
