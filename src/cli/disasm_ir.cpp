#include "cli/disasm_ir.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/cfg.h"
#include "frontend/disassembler.h"
#include "frontend/lift/lift_region.h"
#include "frontend/liveness.h"
#include "ir/passes.h"
#include "ir/printer.h"
#include "runtime/initial_state.h"
#include "runtime/wave_state.h"

namespace gcnjit::cli {
namespace {

constexpr size_t kMaxInstructions = 100'000;

// The words of an executable segment.
struct CodeRange {
  uint64_t begin = 0;
  std::vector<uint32_t> words;
};

std::vector<CodeRange> CodeOf(const frontend::CodeObject& object) {
  std::vector<CodeRange> ranges;
  for (const frontend::Segment& segment : object.segments) {
    // The PC is a multiple of 4, while a broken file's segment may begin anywhere.
    const uint64_t begin = (segment.address + 3) & ~uint64_t{3};
    const uint64_t skipped = begin - segment.address;
    if (!segment.executable || segment.bytes.size() < skipped + 4) continue;
    CodeRange& range = ranges.emplace_back();
    range.begin = begin;
    range.words.resize((segment.bytes.size() - skipped) / 4);
    std::memcpy(range.words.data(), segment.bytes.data() + skipped, range.words.size() * 4);
  }
  return ranges;
}

// The function's text at a moment of the pipeline.
Result<std::string> OptimisedText(ir::Function& function, std::string_view moment,
                                  const ir::GuestComment& comment) {
  if (moment.empty()) {
    ir::Optimise(function);
    return ir::Print(function, comment);
  }
  const bool before = moment.starts_with("before:");
  if (!before && !moment.starts_with("after:")) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--ir takes before:PASS or after:PASS, not '{}'", moment)};
  }
  const std::string_view wanted = moment.substr(moment.find(':') + 1);
  std::optional<std::string> text;
  std::string names;
  ir::Optimise(function, [&](std::string_view pass, ir::PassMoment at, const ir::Function& now) {
    const bool is_before = at == ir::PassMoment::kBefore;
    if (is_before) names += fmt::format("{}{}", names.empty() ? "" : ", ", pass);
    if (pass == wanted && is_before == before) text = ir::Print(now, comment);
  });
  if (text) return *std::move(text);
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("there is no pass '{}'; the passes are {}", wanted, names)};
}

}  // namespace

Result<std::string> KernelIr(const frontend::CodeObject& object, const frontend::Kernel& kernel,
                             std::string_view moment) {
  const std::vector<CodeRange> ranges = CodeOf(object);
  const auto words_at = [&](uint64_t pc) -> std::span<const uint32_t> {
    for (const CodeRange& range : ranges) {
      if (pc % 4 == 0 && pc >= range.begin && (pc - range.begin) / 4 < range.words.size()) {
        return std::span(range.words).subspan((pc - range.begin) / 4);
      }
    }
    return {};
  };
  const frontend::ControlFlowGraph graph =
      frontend::BuildCfg(object.generation, words_at, kernel.descriptor.entry, kMaxInstructions);
  const frontend::Liveness liveness(graph, object.generation, {});
  const frontend::LiftTarget target{
      object.generation, runtime::ModeAtStart(kernel.descriptor, object.generation),
      std::min<uint32_t>(kernel.descriptor.VgprCount(), runtime::kMaxVgprs)};
  frontend::LiftStatistics statistics;
  ir::Function function = frontend::LiftRegion(graph, liveness, target, &statistics);

  std::unordered_map<uint64_t, const frontend::Instruction*> by_pc;
  for (const frontend::CodeBlock& block : graph.blocks) {
    for (const frontend::DecodedInstruction& at : block.instructions) by_pc[at.pc] = &at.inst;
  }
  const auto disassembly = [&](uint64_t pc) {
    const auto found = by_pc.find(pc);
    return found == by_pc.end() ? std::string()
                                : frontend::Disassemble(object.generation, *found->second, pc);
  };
  auto text = OptimisedText(function, moment, disassembly);
  if (!text) return text;
  std::string result = fmt::format("; kernel {}, MODE {:#x}, {} VGPRs\n{}", kernel.info.name,
                                   target.mode, target.vgpr_count, *text);
  for (const auto& [opcode, interpreted] : statistics.interpreted) {
    result += fmt::format("; interpreted: {} x {}: {}\n", interpreted.count,
                          frontend::RowOf(opcode).Name(object.generation), interpreted.reason);
  }
  return result;
}

}  // namespace gcnjit::cli
