#include "runtime/jit/interrupted_code.h"

#include "runtime/memory/signal_guard.h"

namespace gcnjit::runtime {
namespace {

// Of the model that needs no allocation when a signal handler is the first to look at it.
[[gnu::tls_model("initial-exec")]] thread_local constinit RunningCode* running_code = nullptr;

}  // namespace

void SetRunningCode(RunningCode* running) {
  SetResumeCode(ResumeInterruptedCode);
  running_code = running;
}

bool IsInCompiledCode() { return running_code != nullptr && running_code->region != nullptr; }

bool ResumeInterruptedCode(gregset_t& registers, uint64_t address) {
  const RunningCode* const running = running_code;
  if (running == nullptr || running->region == nullptr) return false;
  const backend::CompiledRegion& region = *running->region;
  const auto code = reinterpret_cast<uint64_t>(region.code);
  const auto find = [&](greg_t pc) -> const backend::GuardedCode* {
    const uint64_t at = static_cast<uint64_t>(pc) - code;
    return at < region.code_bytes ? backend::FindGuardedCode(region.guarded, at) : nullptr;
  };
  const backend::GuardedCode* found = find(registers[REG_RIP]);
  if (found == nullptr) return false;
  greg_t stack = registers[REG_RSP];
  if (found->site == backend::GuardedCode::kRoutine) {
    found = find(*reinterpret_cast<const greg_t*>(stack));
    if (found == nullptr || found->site == backend::GuardedCode::kRoutine) return false;
    stack += sizeof(uint64_t);
  }
  const backend::MemorySite& site = region.sites[found->site];
  if (site.is_lds) return false;
  backend::RegionContext& context = *running->context;
  context.region.windows[site.index] = {};
  context.interruption = {&site, address, true};
  registers[REG_RSP] = stack;
  registers[REG_RIP] = static_cast<greg_t>(code + found->resume);
  return true;
}

}  // namespace gcnjit::runtime
