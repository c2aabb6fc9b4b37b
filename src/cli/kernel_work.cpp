#include "cli/kernel_work.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cli/image_dispatch.h"
#include "differential/group_run.h"
#include "ir/types.h"
#include "isa/matrix_shape.h"
#include "runtime/check/access.h"
#include "runtime/interpreter/code_map.h"
#include "runtime/interpreter/interpreter.h"
#include "runtime/launch/prepared_launch.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::cli {
namespace {

// What one instruction costs, each time.
struct Cost {
  bool is_vector = false;
  bool is_decoded = false;
  uint32_t flops = 0;  // a lane
  uint32_t read = 0;   // bytes: a lane, or a wave for scalar loads
  uint32_t written = 0;
};

bool IsScalarMemory(const frontend::Instruction& i) {
  return i.encoding == frontend::Encoding::kSmem || i.encoding == frontend::Encoding::kSmrd;
}

Cost CostOf(const runtime::CodeSlot& slot, frontend::Generation generation) {
  Cost cost;
  if (slot.status != frontend::DecodeStatus::kOk) return cost;
  const frontend::Instruction& i = slot.instruction;
  cost.is_decoded = true;
  cost.is_vector = slot.is_vector;
  cost.flops = static_cast<uint32_t>(FlopsOf(i.row()));
  const runtime::check::InstructionInfo info = runtime::check::InfoOf(i, generation);
  if (!info.accesses_memory || i.encoding == frontend::Encoding::kDs) return cost;
  using runtime::check::AccessType;
  if (info.type != AccessType::kWrite) cost.read = info.bytes;
  if (info.type != AccessType::kRead) cost.written = info.bytes;
  cost.is_vector = !IsScalarMemory(i);
  return cost;
}

class Counter {
 public:
  Counter(const LaunchRequest& request, uint64_t most_instructions)
      : request_(request),
        loaded_(*request.program.internal()),
        code_(loaded_.processor(), loaded_.code_ranges()),
        most_(most_instructions) {}

  KernelWork Count(const runtime::LaunchState& launch) {
    std::vector<uint64_t> addresses = {launch.kernarg, launch.dispatch_packet};
    if (launch.scratch_total != 0) addresses.push_back(launch.scratch_base);
    for (const auto& image : loaded_.images()) addresses.push_back(image.base);
    for (const BoundBuffer& buffer : request_.buffers) addresses.push_back(buffer.address);
    differential::GuestImage image(*loaded_.memory(), std::move(addresses));
    differential::Place place{DispatchOn(image, launch, &stop_), {}, image, loaded_.code_ranges()};
    std::vector<std::byte> lds(64 * 1024);
    place.group.lds = lds.data();
    place.group.lds_bytes = launch.lds_bytes;
    const runtime::WaveStarter starter(launch);
    differential::GridPlace grid{launch, starter, place};
    const differential::RunFunction run = [this](runtime::Wave& w, uint64_t budget) {
      return RunCounted(w, budget);
    };
    constexpr uint64_t kWholeTurn = uint64_t{1} << 40;
    work_.groups = grid.group_count();
    for (uint64_t index = 0; index < work_.groups && work_.wave_instructions < most_; ++index) {
      differential::GroupRun group(grid, index);
      while (group.Take(run, kWholeTurn)) {
      }
      if (group.faulted()) break;
      ++work_.groups_counted;
    }
    return work_;
  }

 private:
  const Cost& CostAt(uint64_t pc) {
    const auto found = costs_.find(pc);
    if (found != costs_.end()) return found->second;
    const Cost cost = CostOf(code_.SlotAt(pc), loaded_.generation());
    return costs_.emplace(pc, cost).first->second;
  }

  uint64_t RunCounted(runtime::Wave& w, uint64_t budget) {
    uint64_t executed = 0;
    w.event = runtime::WaveEvent::kNone;
    while (executed < budget && w.event == runtime::WaveEvent::kNone) {
      const Cost& cost = CostAt(w.state.pc);
      const auto lanes = static_cast<uint64_t>(std::popcount(w.exec()));
      if (runtime::RunWave(w, reader_, 1) == 0) break;
      ++executed;
      if (!cost.is_decoded) continue;
      const uint64_t times = cost.is_vector ? lanes : 1;
      work_.vector_instructions += cost.is_vector ? 1 : 0;
      work_.active_lanes += cost.is_vector ? lanes : 0;
      work_.flops += cost.flops * times;
      work_.bytes_read += cost.read * times;
      work_.bytes_written += cost.written * times;
    }
    work_.wave_instructions += executed;
    return executed;
  }

  const LaunchRequest& request_;
  const runtime::LoadedProgram& loaded_;
  runtime::CodeMap code_;
  runtime::CodeReader reader_{code_};
  const uint64_t most_;
  std::atomic<bool> stop_ = false;
  std::unordered_map<uint64_t, Cost> costs_;
  KernelWork work_;
};

}  // namespace

int FlopsOf(const frontend::OpcodeRow& row) {
  if (const frontend::MatrixShape* shape = frontend::MatrixShapeOf(row.opcode)) {
    if (shape->element == frontend::MatrixElement::kI8) return 0;
    return 2 * shape->m * shape->n * shape->k * shape->blocks / ir::kLanes;
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

Result<KernelWork> CountWork(LaunchRequest& request, const std::string& kernel,
                             uint64_t most_instructions) {
  KernelWork work;
  LaunchConfig config = request.config;
  config.threads = 1;
  config.engine = gcnjit::Engine::kInterpreter;
  const auto result =
      runtime::WithPreparedLaunch(*request.program.internal(), kernel, config, request.arguments,
                                  [&](const runtime::LaunchState& launch) {
                                    work = Counter(request, most_instructions).Count(launch);
                                  });
  if (!result) return result.error();
  return work;
}

}  // namespace gcnjit::cli
