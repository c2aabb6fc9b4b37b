#include "backend_x64/listing.h"

#include <fmt/format.h>

#include <algorithm>

namespace gcnjit::backend {

void Listing::Block(const ir::Function& function) {
  function_ = &function;
  guest_ = -1;
  const ir::Block& block = function.blocks[0];
  Line(fmt::format("\nblock {:#x} instructions={}", block.begin, block.instruction_count));
  Owner(fmt::format("block {:#x}", block.begin));
  // VGPRs are read where they are used: no code of their own.
  for (const ir::Value v : block.insts) {
    if (function[v].op == ir::Op::kGetVgpr) Line("  " + ir::PrintInst(function, block, v));
  }
}

void Listing::Op(ir::Value v) {
  const ir::Block& block = function_->blocks[0];
  const int guest = (*function_)[v].guest;
  if (guest != guest_) {
    Line(ir::GuestLine(block, static_cast<size_t>(guest), comment_));
    guest_ = guest;
  }
  const std::string text = ir::PrintInst(*function_, block, v);
  Line("  " + text);
  for (ir::Value part = {v.id + 1}; part.id < function_->insts.size(); ++part.id) {
    const ir::Inst& inst = (*function_)[part];
    if (inst.op != ir::Op::kPart || inst.args[0] != v) break;
    Line("  " + ir::PrintInst(*function_, block, part));
  }
  Owner(fmt::format("block {:#x}: {}", block.begin, text));
}

void Listing::Heading(std::string_view text) {
  guest_ = -1;
  Line(text);
  const std::string block =
      function_ == nullptr ? "" : fmt::format("block {:#x}: ", function_->blocks[0].begin);
  Owner(block + std::string(text));
}

void Listing::Stage(size_t number) { Heading(fmt::format("stage {}", number)); }

void Listing::Lanes(int slices) {
  Heading(
      fmt::format("lanes: {} slice{} of {}", slices, slices == 1 ? "" : "s", ir::kLanes / slices));
}

void Listing::Owner(std::string text) {
  if (owners_.empty() || owners_.back().first != cold_.size()) owners_.emplace_back();
  owners_.back() = {cold_.size(), std::move(text)};
}

void Listing::Cold(size_t n) {
  const auto next =
      std::upper_bound(owners_.begin(), owners_.end(), n,
                       [](size_t piece, const ColdOwner& o) { return piece < o.first; });
  Line(next == owners_.begin() ? std::string_view() : std::string_view(std::prev(next)->text));
}

void SetUpLogger(asmjit::StringLogger& logger) {
  logger.setIndentation(asmjit::FormatIndentationGroup::kCode, 8);
  logger.setIndentation(asmjit::FormatIndentationGroup::kLabel, 6);
  logger.addFlags(asmjit::FormatFlags::kHexOffsets);
}

}  // namespace gcnjit::backend
