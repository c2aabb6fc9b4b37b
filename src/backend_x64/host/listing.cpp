#include "backend_x64/host/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace gcnjit::backend {

void Listing::Block(const ir::Function& function) {
  function_ = &function;
  guest_ = -1;
  const ir::Block& block = function.blocks[0];
  block_ = ir::WithoutWave(block.begin);
  name_ = fmt::format("block {:#x}", block_);
  const bool is_group = !block.guest_pcs.empty() && ir::WaveOf(block.guest_pcs[0]) >= 0;
  if (const int wave = ir::WaveOf(block.begin); wave >= 0)
    name_ += is_group ? " of all waves" : fmt::format(" of wave {}", wave);
  Owner(0, text_ ? name_ : "");
  if (!text_) return;
  Line(fmt::format("\n{} instructions={}", name_, block.instruction_count));
  // VGPRs are read where they are used: no code of their own.
  for (const ir::Value v : block.insts) {
    if (function[v].op == ir::Op::kGetVgpr) Line("  " + ir::PrintInst(function, block, v));
  }
}

void Listing::Op(ir::Value v) {
  const ir::Block& block = function_->blocks[0];
  const int guest = (*function_)[v].guest;
  const bool is_known = static_cast<size_t>(guest) < block.guest_pcs.size();
  Owner(is_known ? ir::WithoutWave(block.guest_pcs[static_cast<size_t>(guest)]) : 0,
        text_ ? fmt::format("{}: {}", name_, ir::PrintInst(*function_, block, v)) : "");
  if (text_) OpText(v, guest);
}

void Listing::OpText(ir::Value v, int guest) {
  const ir::Block& block = function_->blocks[0];
  if (guest != guest_) {
    Line(ir::GuestLine(block, static_cast<size_t>(guest), comment_));
    guest_ = guest;
  }
  Line("  " + ir::PrintInst(*function_, block, v));
  for (ir::Value part = {v.id + 1}; part.id < function_->insts.size(); ++part.id) {
    const ir::Inst& inst = (*function_)[part];
    if (inst.op != ir::Op::kPart || inst.args[0] != v) break;
    Line("  " + ir::PrintInst(*function_, block, part));
  }
}

void Listing::Heading(std::string_view text) {
  guest_ = -1;
  Line(text);
  const std::string block = function_ == nullptr ? "" : fmt::format("block {:#x}: ", block_);
  Owner(0, block + std::string(text));
}

void Listing::Common(std::string_view text) {
  Line(text);
  Note(0, 0);
}

void Listing::Stage(size_t number) { Heading(fmt::format("stage {}", number)); }

void Listing::Lanes(int slices, int lanes) {
  Heading(fmt::format("lanes: {} slice{} of {}", slices, slices == 1 ? "" : "s", lanes));
}

void Listing::Owner(uint64_t pc, std::string text) {
  if (owners_.empty() || owners_.back().first != cold_.size()) owners_.emplace_back();
  owners_.back() = {cold_.size(), std::move(text), block_, pc};
  Note(block_, pc);
}

void Listing::Note(uint64_t block, uint64_t pc) {
  if (spans_ == nullptr) return;
  const auto begin = static_cast<uint32_t>(a_.offset());
  if (!spans_->empty() && spans_->back().begin == begin) spans_->pop_back();
  spans_->push_back({begin, block, pc});
}

void Listing::Function(uint32_t begin, uint64_t block, uint64_t pc) {
  if (spans_ != nullptr) spans_->push_back({begin, block, pc});
}

void Listing::Cold(size_t n) {
  const auto next =
      std::upper_bound(owners_.begin(), owners_.end(), n,
                       [](size_t piece, const ColdOwner& o) { return piece < o.first; });
  if (next == owners_.begin()) {
    Common("");
    return;
  }
  const ColdOwner& owner = *std::prev(next);
  Line(owner.text);
  Note(owner.block, owner.pc);
}

ListingText::ListingText() {
  setIndentation(asmjit::FormatIndentationGroup::kCode, 8);
  setIndentation(asmjit::FormatIndentationGroup::kLabel, 6);
  addFlags(asmjit::FormatFlags::kHexOffsets);
}

std::string ListingText::Take() {
  if (!is_whole_) throw std::bad_alloc();
  return std::move(text_);
}

asmjit::Error ListingText::_log(const char* text, size_t size) noexcept try {
  text_.append(text, size == SIZE_MAX ? std::strlen(text) : size);
  return asmjit::kErrorOk;
} catch (const std::bad_alloc&) {
  is_whole_ = false;
  return asmjit::kErrorOutOfMemory;
}

}  // namespace gcnjit::backend
