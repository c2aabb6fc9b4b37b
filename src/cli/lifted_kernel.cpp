#include "cli/lifted_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <unordered_map>
#include <vector>

#include "frontend/code_object/target.h"
#include "frontend/disassemble/disassembler.h"
#include "runtime/state/initial_state.h"
#include "runtime/state/wave_state.h"

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

}  // namespace

ir::GuestComment DisassemblyOf(const frontend::LiftedCode& lifted) {
  std::unordered_map<uint64_t, const frontend::Instruction*> by_pc;
  for (const frontend::CodeBlock& block : lifted.graph.blocks) {
    for (const frontend::DecodedInstruction& at : block.instructions) by_pc[at.pc] = &at.inst();
  }
  return [by_pc = std::move(by_pc), generation = lifted.target.processor.generation](uint64_t pc) {
    const auto found = by_pc.find(pc);
    return found == by_pc.end() ? std::string()
                                : frontend::Disassemble(generation, *found->second, pc);
  };
}

std::string InterpretedText(const frontend::LiftedCode& lifted) {
  std::string text;
  for (const auto& [opcode, interpreted] : lifted.statistics.interpreted) {
    text += fmt::format("; interpreted: {} x {}: {}\n", interpreted.count,
                        frontend::RowOf(opcode).Name(lifted.target.processor.generation),
                        interpreted.reason);
  }
  return text;
}

frontend::LiftedCode LiftKernel(const frontend::CodeObject& object, const frontend::Kernel& kernel,
                                std::span<const frontend::ReadableMemory> readable) {
  const std::vector<CodeRange> ranges = CodeOf(object);
  const auto words_at = [&](uint64_t pc) -> std::span<const uint32_t> {
    for (const CodeRange& range : ranges) {
      if (pc % 4 == 0 && pc >= range.begin && (pc - range.begin) / 4 < range.words.size()) {
        return std::span(range.words).subspan((pc - range.begin) / 4);
      }
    }
    return {};
  };
  // A target that is emulated, or it would not have been parsed.
  const frontend::Processor processor = *frontend::ProcessorOfTarget(object.target);
  return LiftAll({processor, runtime::ModeAtStart(kernel.descriptor, object.generation),
                  kernel.descriptor.Vgprs()},
                 words_at, kernel.descriptor.entry, /*exact=*/false, readable);
}

frontend::LiftedCode LiftAll(const frontend::LiftTarget& target, const frontend::CodeBytes& code,
                             uint64_t entry, bool exact,
                             std::span<const frontend::ReadableMemory> readable) {
  frontend::LiveAtEnd at_end;
  if (exact) {
    at_end.live = frontend::RegisterSet::All();
    at_end.wide.set();
  }
  return frontend::LiftCode(target, code, entry, at_end, kMaxInstructions, readable);
}

}  // namespace gcnjit::cli
