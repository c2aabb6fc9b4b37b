#include "runtime/interpreter/fidelity.h"

#include <algorithm>
#include <string_view>

#include "frontend/arith/accuracy.h"
#include "isa/image_operands.h"
#include "isa/matrix_shape.h"

namespace gcnjit {

const char* ToString(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::kExact: return "exact";
    case Fidelity::kApproximate: return "approximate";
    case Fidelity::kModelled: return "modelled";
    case Fidelity::kHostDefined: return "host-defined";
    case Fidelity::kHint: return "hint";
    case Fidelity::kUnsupported: return "unsupported";
  }
  return "unknown";
}

namespace runtime {
namespace {

using enum frontend::Opcode;

struct Row {
  frontend::Opcode opcode;
  Fidelity fidelity;
  const char* note;
};

constexpr const char* kInOrder = "instructions complete in order";
constexpr const char* kCoherent = "memory is coherent";
constexpr const char* kNoTools = "there are no performance counters and no thread trace";
constexpr const char* kNoDebugger = "never taken: there is no debugger";
constexpr const char* kClock = "the host's clock";
constexpr const char* kKeptDenormals = "that denormals are kept is LLVM's word alone";
constexpr const char* kBf16Sums =
    "no document says how bf16 sums are rounded: to nearest here, denormals kept";
constexpr const char* kLdsAsMemory = "where the address is in LDS, denormals as in memory";

// What is not exact for another reason than that of arith/accuracy.h.
constexpr Row kRows[] = {
    {S_NOP, Fidelity::kHint, kInOrder},
    {S_WAITCNT, Fidelity::kHint, kInOrder},
    {V_NOP, Fidelity::kHint, kInOrder},
    {DS_NOP, Fidelity::kHint, kInOrder},
    {S_SLEEP, Fidelity::kHint, "other waves of the group get their turn; no time passes"},
    {S_WAKEUP, Fidelity::kHint, "waves do not sleep"},
    {S_SETPRIO, Fidelity::kHint, "there are no priorities"},
    {S_SENDMSG, Fidelity::kHint, "an interrupt: the host looks by itself"},
    {S_ICACHE_INV, Fidelity::kHint, "code is read-only"},
    {S_DCACHE_INV, Fidelity::kHint, kCoherent},
    {S_DCACHE_INV_VOL, Fidelity::kHint, kCoherent},
    {S_DCACHE_WB, Fidelity::kHint, kCoherent},
    {S_DCACHE_WB_VOL, Fidelity::kHint, kCoherent},
    {S_DCACHE_DISCARD, Fidelity::kHint, kCoherent},
    {S_DCACHE_DISCARD_X2, Fidelity::kHint, kCoherent},
    {S_ATC_PROBE, Fidelity::kHint, "there is no translation to prefetch"},
    {S_ATC_PROBE_BUFFER, Fidelity::kHint, "there is no translation to prefetch"},
    {BUFFER_WBINVL1, Fidelity::kHint, kCoherent},
    {BUFFER_WBINVL1_SC, Fidelity::kHint, kCoherent},
    {BUFFER_WBINVL1_VOL, Fidelity::kHint, kCoherent},
    {BUFFER_WBL2, Fidelity::kHint, kCoherent},
    {BUFFER_INVL2, Fidelity::kHint, kCoherent},
    {BUFFER_INV, Fidelity::kHint, kCoherent},
    {S_INCPERFLEVEL, Fidelity::kHint, kNoTools},
    {S_DECPERFLEVEL, Fidelity::kHint, kNoTools},
    {S_TTRACEDATA, Fidelity::kHint, kNoTools},
    {V_CLREXCP, Fidelity::kHint, "exceptions are not collected"},
    {S_CBRANCH_CDBGSYS, Fidelity::kHint, kNoDebugger},
    {S_CBRANCH_CDBGUSER, Fidelity::kHint, kNoDebugger},
    {S_CBRANCH_CDBGSYS_OR_USER, Fidelity::kHint, kNoDebugger},
    {S_CBRANCH_CDBGSYS_AND_USER, Fidelity::kHint, kNoDebugger},
    {BUFFER_ATOMIC_ADD_F64, Fidelity::kModelled, kKeptDenormals},
    {FLAT_ATOMIC_ADD_F64, Fidelity::kModelled, kKeptDenormals},
    {GLOBAL_ATOMIC_ADD_F64, Fidelity::kModelled, kKeptDenormals},
    {DS_PK_ADD_BF16, Fidelity::kModelled, kBf16Sums},
    {DS_PK_ADD_RTN_BF16, Fidelity::kModelled, kBf16Sums},
    {FLAT_ATOMIC_PK_ADD_BF16, Fidelity::kModelled, kBf16Sums},
    {GLOBAL_ATOMIC_PK_ADD_BF16, Fidelity::kModelled, kBf16Sums},
    {FLAT_ATOMIC_ADD_F32, Fidelity::kModelled, kLdsAsMemory},
    {FLAT_ATOMIC_PK_ADD_F16, Fidelity::kModelled, kLdsAsMemory},
    {S_MEMTIME, Fidelity::kHostDefined, kClock},
    {S_MEMREALTIME, Fidelity::kHostDefined, kClock},
    {S_GETREG_B32, Fidelity::kHostDefined,
     "of MODE and STATUS exact; HW_ID and allocations as if on a device of its own; of TRAPSTS "
     "what s_setreg wrote"},
};

// Products of matrices whose sums are no chain of fused multiply-adds, nor of integers.
bool IsModelledProduct(frontend::Opcode opcode) {
  using enum frontend::MatrixElement;
  const frontend::MatrixShape* shape = frontend::MatrixShapeOf(opcode);
  return shape != nullptr && shape->element != kF32 && shape->element != kF64 &&
         shape->element != kI8;
}

bool IsImageSample(frontend::Opcode opcode) {
  const frontend::OpcodeRow& row = frontend::RowOf(opcode);
  return std::string_view(row.id).starts_with("IMAGE_") &&
         frontend::ImageFormOf(row).kind == frontend::ImageKind::kSample;
}

}  // namespace

InstructionCount FidelityOf(frontend::Opcode opcode) {
  InstructionCount count;
  if (const char* refusal = frontend::RowOf(opcode).refusal) {
    count.fidelity = Fidelity::kUnsupported;
    count.note = refusal;
  } else if (const auto* accuracy = frontend::arith::AccuracyOf(opcode)) {
    count.fidelity = Fidelity::kApproximate;
    count.ulp = accuracy->ulp;
    count.note = accuracy->note;
  } else if (IsModelledProduct(opcode)) {
    count.fidelity = Fidelity::kModelled;
    count.note = "the order of sums, and denormals, as one measurement found them (MMA-Sim)";
  } else if (IsImageSample(opcode)) {
    count.fidelity = Fidelity::kModelled;
    count.note =
        "nearest texels exact; how blends of texels and of levels are rounded is not known";
  } else {
    const auto* found = std::find_if(std::begin(kRows), std::end(kRows),
                                     [&](const Row& row) { return row.opcode == opcode; });
    if (found != std::end(kRows)) {
      count.fidelity = found->fidelity;
      count.note = found->note;
    }
  }
  return count;
}

std::vector<InstructionCount> ReportOf(const OpcodeCounts& counts,
                                       frontend::Generation generation) {
  std::vector<InstructionCount> report;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    if (counts[n] == 0) continue;
    InstructionCount& count = report.emplace_back(FidelityOf(static_cast<frontend::Opcode>(n)));
    count.mnemonic = frontend::RowOf(n).Name(generation);
    count.executed = counts[n];
  }
  std::stable_sort(report.begin(), report.end(),
                   [](const auto& a, const auto& b) { return a.executed > b.executed; });
  return report;
}

}  // namespace runtime
}  // namespace gcnjit
