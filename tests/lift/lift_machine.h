// A wave with memory, run by the interpreter and by way of the lifter, and what they differ in.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../unit/frontend/flow/wave_fixture.h"
#include "lift/lifted_step.h"

namespace gcnjit::lift_tests {

class LiftMachine {
 public:
  explicit LiftMachine(frontend::Generation generation);

  // How often each of these happened.
  struct Counts {
    int executed = 0;  // and compared
    int faulted = 0;   // of them
    int refused = 0;
  };
  const Counts& counts() const { return counts_; }
  frontend::Random& random() { return random_; }
  frontend::Generation generation() const { return generation_; }

  // A random state for the first of the instructions, which run one after the other. Fills
  // `refusal` or returns the difference, empty if there is none.
  std::string Compare(std::span<const runtime::CodeSlot> slots, std::string& refusal,
                      frontend::LiftFn function = nullptr);
  // Changes each random state of Compare before it is used.
  using StateHook =
      std::function<void(frontend::Random&, frontend::TestMemory&, runtime::WaveState&)>;
  void SetStateHook(StateHook hook) { state_hook_ = std::move(hook); }
  // Of the last Compare: for reports.
  std::string InitialState(const frontend::Instruction& i) const;

 private:
  runtime::WaveEvent Interpret(std::span<const runtime::CodeSlot> slots);
  std::string Difference(Inactive inactive) const;

  const frontend::Generation generation_;
  const size_t registers_ = frontend::NamedVectorRegisters(generation_);
  frontend::Random random_;
  const frontend::DwordPool pool_;
  frontend::TestMemory memory_;
  runtime::DispatchState dispatch_;
  runtime::WorkgroupState group_;
  std::atomic<bool> stop_{false};
  const std::unique_ptr<runtime::WaveState> initial_ = std::make_unique<runtime::WaveState>();
  const std::unique_ptr<runtime::WaveState> lifted_ = std::make_unique<runtime::WaveState>();
  const std::unique_ptr<runtime::WaveState> expected_ = std::make_unique<runtime::WaveState>();
  StateHook state_hook_;
  Counts counts_;
};

// The instructions that a row's samples decode to, each once.
std::vector<runtime::CodeSlot> DecodedSamples(frontend::Generation generation,
                                              const frontend::OpcodeRow& row);

// Is the row there, executable, and lifted?
bool IsLifted(frontend::Generation generation, const frontend::OpcodeRow& row);

}  // namespace gcnjit::lift_tests
