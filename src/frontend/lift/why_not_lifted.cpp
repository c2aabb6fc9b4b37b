#include "frontend/lift/why_not_lifted.h"

#include <string_view>

#include "frontend/lift/lifter.h"

namespace gcnjit::frontend {
namespace {

struct Reason {
  std::string_view prefix;  // of the row's id; the first one that fits counts
  const char* text;
};

constexpr const char* kFork = "keeps a stack of branches in SGPRs, counted by MODE";
constexpr const char* kHardwareRegister =
    "hardware registers: among them MODE, which code depends on";
constexpr const char* kRelative = "M0 chooses the register";
constexpr const char* kChangesMode = "redirects or skips the vector instructions that follow";
constexpr const char* kEvent = "messages, traps and halting reach beyond the wave";
constexpr const char* kClock = "reads a clock";
constexpr const char* kScalarMemory = "scalar memory other than plain loads";
constexpr const char* kDependentAccesses = "LDS accesses that depend on each other";
constexpr const char* kFormat = "converts formats that the resource names when it runs";

constexpr Reason kReasons[] = {
    {"S_CBRANCH_", kFork},
    {"S_GETREG_", kHardwareRegister},
    {"S_SETREG_", kHardwareRegister},
    {"S_MOVREL", kRelative},
    {"V_MOVREL", kRelative},
    {"S_SET_GPR_IDX_", kChangesMode},
    {"S_SETVSKIP", kChangesMode},
    {"S_SLEEP", "lets other waves run"},
    {"S_SETHALT", kEvent},
    {"S_SETKILL", kEvent},
    {"S_SENDMSG", kEvent},
    {"S_TRAP", kEvent},
    {"S_MEMTIME", kClock},
    {"S_MEMREALTIME", kClock},
    {"S_BUFFER_", kScalarMemory},
    {"S_STORE_", kScalarMemory},
    {"S_SCRATCH_STORE_", kScalarMemory},
    {"S_ATOMIC_", kScalarMemory},
    {"DS_WRXCHG2", kDependentAccesses},
    {"DS_CONDXCHG32", kDependentAccesses},
    {"DS_PERMUTE_", "scatters values to lanes"},
    {"BUFFER_LOAD_FORMAT_", kFormat},
    {"BUFFER_STORE_FORMAT_", kFormat},
    {"TBUFFER_", kFormat},
    {"BUFFER_STORE_LDS_", "transfers from LDS"},
    {"SCRATCH_", "compilers for gfx9 reach private memory by MUBUF"},
};

}  // namespace

const char* WhyNotLifted(Opcode opcode) {
  const OpcodeRow& row = RowOf(opcode);
  if (row.refusal != nullptr) return row.refusal;
  if (LiftFunctionOf(opcode) != nullptr) return nullptr;
  const std::string_view id = row.id;
  for (const Reason& reason : kReasons) {
    if (id.starts_with(reason.prefix)) return reason.text;
  }
  if (id.starts_with("DS_") && id.find("_SRC2_") != std::string_view::npos) {
    return kDependentAccesses;
  }
  return row.Has(GRAPHICS) ? "no compute instruction" : "no lift function";
}

}  // namespace gcnjit::frontend
