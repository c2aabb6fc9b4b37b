#include "runtime/interpreter/code_map.h"

#include <algorithm>

#include "frontend/vgpr_limit.h"

namespace gcnjit::runtime {
namespace {

using frontend::Encoding;
using frontend::OpcodeRow;

bool IsVectorEncoding(Encoding encoding) {
  switch (encoding) {
    case Encoding::kSop1:
    case Encoding::kSop2:
    case Encoding::kSopk:
    case Encoding::kSopc:
    case Encoding::kSopp:
    case Encoding::kSmrd:
    case Encoding::kSmem: return false;
    default: return true;
  }
}

}  // namespace

CodeSlot DecodeSlot(const frontend::Processor& processor, std::span<const uint32_t> words) {
  CodeSlot slot;
  slot.status = frontend::Decode(processor, words, slot.instruction);
  if (slot.status != frontend::DecodeStatus::kOk) return slot;
  const OpcodeRow& row = slot.instruction.row();
  slot.is_vector = IsVectorEncoding(slot.instruction.encoding);
  if (row.Has(frontend::FP32)) slot.float_class = FloatClass::kF32;
  if (row.Has(frontend::FP64)) slot.float_class = FloatClass::kF64F16;
  slot.vgpr_limit = static_cast<uint16_t>(frontend::VgprLimitOf(slot.instruction));
  slot.function = ExecFunctionOf(slot.instruction.opcode);
  return slot;
}

CodeMap::CodeMap(const frontend::Processor& processor,
                 const std::vector<std::pair<uint64_t, uint64_t>>& ranges)
    : processor_(processor) {
  for (const auto& [first, end] : ranges) {
    // PC is a multiple of 4, while a broken file's segment may begin anywhere.
    const uint64_t begin = (first + 3) & ~uint64_t{3};
    if (begin >= end) continue;
    const uint64_t pages = (end - begin + CodePage::kBytes - 1) / CodePage::kBytes;
    auto range = std::make_unique<Range>();
    range->begin = begin;
    range->end = end;
    range->pages = std::vector<std::atomic<const CodePage*>>(pages);
    ranges_.push_back(std::move(range));
  }
}

CodeMap::~CodeMap() = default;

const CodePage* CodeMap::PageAt(uint64_t pc) {
  for (const std::unique_ptr<Range>& range : ranges_) {
    if (pc < range->begin || pc >= range->end) continue;
    const uint64_t index = (pc - range->begin) / CodePage::kBytes;
    const CodePage* page = range->pages[index].load(std::memory_order_acquire);
    return page != nullptr ? page : DecodePage(*range, index);
  }
  return nullptr;
}

CodeMap::CodeRange CodeMap::RangeAt(uint64_t pc) const {
  for (const std::unique_ptr<Range>& range : ranges_) {
    if (pc >= range->begin && pc < range->end) return {range->begin, range->end};
  }
  return {};
}

std::span<const uint32_t> CodeMap::WordsAt(uint64_t pc) const {
  const CodeRange range = RangeAt(pc);
  if (range.end == 0 || pc % 4 != 0) return {};
  return {reinterpret_cast<const uint32_t*>(pc), (range.end - pc) / 4};
}

const CodePage* CodeMap::DecodePage(Range& range, uint64_t index) {
  const std::scoped_lock lock(mutex_);
  if (const CodePage* page = range.pages[index].load(std::memory_order_acquire)) return page;
  auto page = std::make_unique<CodePage>();
  page->begin = range.begin + index * CodePage::kBytes;
  page->bytes = std::min(CodePage::kBytes, range.end - page->begin);
  for (size_t n = 0; n < page->slots.size(); ++n) {
    const uint64_t address = page->begin + n * 4;
    if (address + 4 > range.end) break;  // the slot stays undecodable
    const size_t words = std::min<uint64_t>((range.end - address) / 4, 4);
    page->slots[n] = DecodeSlot(
        processor_, std::span<const uint32_t>(reinterpret_cast<const uint32_t*>(address), words));
  }
  const CodePage* result = page.get();
  storage_.push_back(std::move(page));
  range.pages[index].store(result, std::memory_order_release);
  return result;
}

}  // namespace gcnjit::runtime
