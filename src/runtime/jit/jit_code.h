// Compiled code of one program: regions by the guest address at which they are entered and by what
// they were compiled for, made on first use, once, however many threads ask.
#pragma once

#include <atomic>
#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend_x64/compiler.h"
#include "backend_x64/host_features.h"
#include "backend_x64/perf_map.h"
#include "frontend/lift/lift_region.h"
#include "runtime/interpreter/code_map.h"

namespace gcnjit::runtime {

using backend::HostIsa;

struct JitOptions {
  HostIsa isa = HostIsa::kAvx2;
  // Every register is live at s_endpgm, so that final states can be compared. Off: what is never
  // read again may hold anything.
  bool exact_state = false;
  // What profiles call code at a guest address; empty: the address.
  std::function<std::string(uint64_t pc)> name_of = {};
};

// How code for waves with this MODE is compiled.
backend::CompileOptions CompileOptionsFor(HostIsa isa, uint32_t mode);

// Where to continue at a guest address.
struct JitEntry {
  const backend::CompiledRegion* region = nullptr;  // nullptr: the interpreter has this instruction
  const std::byte* code = nullptr;
};

struct JitStatistics {
  uint64_t regions = 0;
  uint64_t guest_instructions = 0;  // compiled
  uint64_t host_bytes = 0;
  double compile_seconds = 0;
  struct Fallback {
    uint64_t count = 0;  // occurrences in the code
    std::string reason;
  };
  std::map<frontend::Opcode, Fallback> fallbacks;
  // Regions that the back end could not compile, by its message: a bug of ours, or no memory. They
  // are interpreted.
  std::map<std::string, uint64_t> failures;
};

class JitCode {
 public:
  // The words from pc to the end of its code range; see frontend::CodeBytes.
  JitCode(CodeMap& code, JitOptions options);
  ~JitCode();

  // The code at `pc` for this value of MODE and number of VGPRs. Compiles if need be.
  JitEntry Find(uint64_t pc, uint32_t mode, uint32_t vgpr_count);

  // Has a region been compiled that is entered at `pc`?
  bool HasCompiled(uint64_t pc) const;

  const JitOptions& options() const { return options_; }
  // Tells JitCode objects apart, also of different times at one address.
  uint64_t id() const { return id_; }
  uint32_t window_count() const { return windows_.load(std::memory_order_acquire); }
  JitStatistics Statistics() const;

 private:
  struct Variant {
    uint32_t mode;
    uint32_t vgpr_count;
    std::unordered_map<uint64_t, JitEntry> entries;
  };
  Variant& VariantOf(uint32_t mode, uint32_t vgpr_count);
  void CompileAt(Variant& variant, uint64_t pc);
  void AddToPerfMap(const backend::CompiledRegion& region, backend::PerfMap& map) const;

  CodeMap& code_;
  const JitOptions options_;
  const uint64_t id_;
  std::atomic<uint32_t> windows_ = 0;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<Variant>> variants_;
  std::vector<std::unique_ptr<backend::CompiledRegion>> regions_;
  JitStatistics statistics_;
};

}  // namespace gcnjit::runtime
