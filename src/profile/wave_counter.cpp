#include "profile/wave_counter.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "isa/matrix_shape.h"
#include "isa/mode_register.h"
#include "profile/access_pattern.h"

namespace gcnjit::profile {
namespace {

using runtime::check::Access;
using runtime::check::AccessType;
using runtime::check::Space;

size_t LineBucketOf(uint32_t lines) {
  return std::min(kLineBuckets - 1, static_cast<size_t>(std::bit_width(std::max(lines, 1u) - 1)));
}

void AddLines(LineCounts& counts, const Access& access) {
  const CacheLines touched = CacheLinesOf(access);
  ++counts.accesses;
  counts.bytes += uint64_t{access.bytes} * static_cast<uint64_t>(std::popcount(access.mask));
  counts.lines += touched.needed;
  counts.least_lines += touched.least;
  ++counts.by_lines[LineBucketOf(touched.needed)];
}

void AddPasses(BankCounts& counts, const Access& access) {
  const LdsPasses passes = LdsPassesOf(access);
  ++counts.accesses;
  counts.passes += passes.needed;
  counts.least_passes += passes.least;
}

// What is the same each time.
CodeCounts CountsFor(const frontend::Instruction& i, const runtime::check::InstructionInfo& info) {
  CodeCounts counts;
  const frontend::OpcodeRow& row = i.row();
  counts.kind = ClassOf(i);
  counts.bytes = i.size;
  counts.is_decoded = true;
  counts.ends_block =
      row.Has(frontend::BRANCH) || row.Has(frontend::BARRIER) || row.Has(frontend::END);
  counts.flops = static_cast<uint32_t>(FlopsOf(row));
  if (!info.accesses_memory || i.encoding == frontend::Encoding::kDs) return counts;
  if (info.type != AccessType::kWrite) counts.bytes_read = info.bytes;
  if (info.type != AccessType::kRead) counts.bytes_written = info.bytes;
  return counts;
}

}  // namespace

int FlopsOf(const frontend::OpcodeRow& row) {
  if (const frontend::MatrixShape* shape = frontend::MatrixShapeOf(row.opcode)) {
    if (shape->element == frontend::MatrixElement::kI8) return 0;
    return 2 * shape->m * shape->n * shape->k * shape->blocks / runtime::kLanes;
  }
  const std::string_view id = row.id;
  if (!id.starts_with("V_")) return 0;
  const auto has = [&](std::string_view part) { return id.find(part) != std::string_view::npos; };
  if (has("CVT") || has("CMP") || has("_CLASS") || has("DIV_SCALE") || has("FREXP") || has("LDEXP"))
    return 0;
  const bool is_float = has("_F16") || has("_F32") || has("_F64") || has("_MIX");
  if (!is_float) return 0;
  const int numbers = id.starts_with("V_PK_") ? 2 : 1;
  const bool adds_and_multiplies =
      has("_MAD") || has("_MAC") || has("_FMA") || has("_MIX") || has("DIV_FMAS");
  return numbers * (adds_and_multiplies ? 2 : 1);
}

WaveCounter::Seen& WaveCounter::SeenAt(uint64_t pc) {
  const auto found = seen_.find(pc);
  if (found != seen_.end()) return found->second;
  Seen& seen = seen_[pc];
  const runtime::CodeSlot slot = code_.SlotAt(pc);
  if (slot.status != frontend::DecodeStatus::kOk) return seen;
  seen.instruction = slot.instruction;
  seen.is_vector = slot.is_vector;
  seen.info = runtime::check::InfoOf(slot.instruction, code_.generation());
  seen.counts = CountsFor(slot.instruction, seen.info);
  return seen;
}

void WaveCounter::CountAccesses(runtime::Wave& w, Seen& seen) {
  accesses_.Clear();
  FindAccesses(w, seen.instruction, seen.info, accesses_);
  for (const Access& access : accesses_) {
    if (access.mask == 0) continue;
    if (access.space == Space::kLds) {
      AddPasses(seen.counts.banks, access);
    } else if (!access.is_scalar) {
      AddLines(seen.counts.lines, access);
    }
  }
}

void WaveCounter::NoteTarget(const runtime::Wave& w, const Seen& seen, uint64_t pc) {
  const uint64_t now = w.state.pc;
  if (!seen.counts.ends_block || now == pc + seen.counts.bytes) return;
  if (w.event == runtime::WaveEvent::kNone) SeenAt(now).counts.is_target = true;
}

uint64_t WaveCounter::Run(runtime::Wave& w, uint64_t budget) {
  uint64_t executed = 0;
  w.event = runtime::WaveEvent::kNone;
  while (executed < budget && w.event == runtime::WaveEvent::kNone) {
    const uint64_t pc = w.state.pc;
    Seen& seen = SeenAt(pc);
    const bool skipped = seen.is_vector && (w.state.mode & frontend::kModeVskip) != 0;
    const auto lanes = skipped ? 0 : static_cast<uint64_t>(std::popcount(w.exec()));
    // The addresses are in registers that the instruction may change.
    if (seen.info.accesses_memory && !skipped) CountAccesses(w, seen);
    if (runtime::RunWave(w, reader_, 1) == 0) break;
    ++executed;
    if (!seen.counts.is_decoded) continue;
    ++seen.counts.executed;
    seen.counts.active_lanes += lanes;
    ++seen.counts.by_lanes[(lanes + 7) / 8];
    NoteTarget(w, seen, pc);
  }
  return executed;
}

CountsByPc WaveCounter::Counts() const {
  CountsByPc counts;
  for (const auto& [pc, seen] : seen_) {
    if (seen.counts.executed != 0) counts.emplace(pc, seen.counts);
  }
  return counts;
}

}  // namespace gcnjit::profile
