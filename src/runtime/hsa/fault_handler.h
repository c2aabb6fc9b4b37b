// What becomes of a kernel that faults: what ROCm does, and our report of it.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <mutex>
#include <vector>

#include "confined/loaded_lines.h"
#include "gcnjit/launch.h"
#include "runtime/hsa/agent.h"

namespace gcnjit::hsa {

class FaultHandler {
 public:
  // hsa_amd_register_system_event_handler.
  void Add(hsa_amd_system_event_callback_t callback, void* argument);

  // The last hsa_shut_down: the host program may have unloaded the handlers' code.
  void Clear();

  // Prints the report, with source lines. A memory fault that no event handler of the host program
  // takes ends the process.
  void Report(const Agent& agent, FaultReport& fault, confined::LoadedLines& lines);

 private:
  struct Handler {
    hsa_amd_system_event_callback_t callback = nullptr;
    void* argument = nullptr;
  };
  bool Handled(const Agent& agent, const FaultReport& fault);

  std::mutex mutex_;  // guards what follows
  std::vector<Handler> handlers_;
};

}  // namespace gcnjit::hsa
