#include "runtime/interpreter/code_map.h"

#include <algorithm>
#include <iterator>

#include "isa/encodings.h"
#include "isa/vgpr_limit.h"

namespace gcnjit::runtime {
namespace {

using frontend::Encoding;
using frontend::OpcodeRow;

// PC is a multiple of 4, while a broken file's segment may begin anywhere.
uint64_t FirstPc(uint64_t begin) { return (begin + 3) & ~uint64_t{3}; }

uint64_t PagesOf(uint64_t begin, uint64_t end) {
  return (end - begin + CodePage::kBytes - 1) / CodePage::kBytes;
}

}  // namespace

CodeSlot DecodeSlot(const frontend::Processor& processor, std::span<const uint32_t> words) {
  CodeSlot slot;
  slot.status = frontend::Decode(processor, words, slot.instruction);
  if (slot.status != frontend::DecodeStatus::kOk) return slot;
  const OpcodeRow& row = slot.instruction.row();
  slot.is_vector = !frontend::IsScalarEncoding(slot.instruction.encoding);
  slot.keeps_signalling_nans = frontend::KeepsSignallingNans(row);
  if (row.Has(frontend::FP32)) slot.float_class = FloatClass::kF32;
  if (row.Has(frontend::FP64)) slot.float_class = FloatClass::kF64F16;
  slot.vgpr_limit = frontend::VgprLimitOf(slot.instruction);
  slot.function = ExecFunctionOf(slot.instruction.opcode);
  return slot;
}

CodeMap::Shelf::Shelf(uint64_t count, size_t most_pages)
    : has_place_for_each(count <= most_pages),
      shown(static_cast<size_t>(std::min<uint64_t>(count, most_pages))),
      pages(shown.size()) {}

CodeMap::CodeMap(const frontend::Processor& processor,
                 const std::vector<std::pair<uint64_t, uint64_t>>& ranges, size_t most_pages,
                 FindElsewhere find_elsewhere)
    : processor_(processor), most_pages_(most_pages), find_elsewhere_(std::move(find_elsewhere)) {
  for (const auto& [first, end] : ranges) {
    const uint64_t begin = FirstPc(first);
    if (begin < end) ranges_.push_back({begin, end, 0, nullptr});
  }
  std::ranges::sort(ranges_, {}, &Range::begin);
  uint64_t pages = 0;
  for (Range& range : ranges_) {
    range.first_page = pages;
    pages += PagesOf(range.begin, range.end);
  }
  shelf_ = std::make_unique<Shelf>(pages, most_pages);
  for (Range& range : ranges_) range.shelf = shelf_.get();
}

CodeMap::~CodeMap() {
  for (const Found* found = found_.load(std::memory_order_relaxed); found != nullptr;) {
    const std::unique_ptr<const Found> owner(found);
    found = owner->next;
  }
}

const CodeMap::Range* CodeMap::Find(uint64_t pc) const {
  const auto above = std::ranges::upper_bound(ranges_, pc, {}, &Range::begin);
  if (above != ranges_.begin() && pc < std::prev(above)->end) return &*std::prev(above);
  if (!find_elsewhere_) return nullptr;
  const Range* const range = FindFound(pc);
  return range != nullptr ? range : LookElsewhere(pc);
}

const CodeMap::Range* CodeMap::FindFound(uint64_t pc) const {
  const Found* found = found_.load(std::memory_order_acquire);
  while (found != nullptr && pc - found->range.begin >= found->range.end - found->range.begin) {
    found = found->next;
  }
  return found == nullptr ? nullptr : &found->range;
}

const CodeMap::Range* CodeMap::LookElsewhere(uint64_t pc) const {
  const std::scoped_lock lock(found_mutex_);
  if (const Range* const range = FindFound(pc)) return range;  // another thread was first
  std::optional<Elsewhere> code = find_elsewhere_(pc);
  if (!code) return nullptr;
  const uint64_t begin = FirstPc(code->begin);
  if (pc < begin || pc >= code->end) return nullptr;
  auto found = std::make_unique<Found>(Found{{begin, code->end, 0, nullptr},
                                             Shelf(PagesOf(begin, code->end), most_pages_),
                                             std::move(code->keep),
                                             found_.load(std::memory_order_relaxed)});
  found->range.shelf = &found->shelf;
  const Range* const range = &found->range;
  found_.store(found.release(), std::memory_order_release);
  return range;
}

CodeMap::CodeRange CodeMap::RangeAt(uint64_t pc) const {
  const Range* const range = Find(pc);
  return range == nullptr ? CodeRange{} : CodeRange{range->begin, range->end};
}

std::span<const uint32_t> CodeMap::WordsAt(uint64_t pc) const {
  const CodeRange range = RangeAt(pc);
  if (range.end == 0 || pc % 4 != 0) return {};
  return {reinterpret_cast<const uint32_t*>(pc), (range.end - pc) / 4};
}

CodeMap::Place CodeMap::PlaceOf(uint64_t pc) const {
  const Range* const range = Find(pc);
  if (range == nullptr) return {};
  const uint64_t page = (pc - range->begin) / CodePage::kBytes;
  const uint64_t number = range->first_page + page;
  const uint64_t begin = range->begin + page * CodePage::kBytes;
  const size_t places = range->shelf->shown.size();
  return {range->shelf, static_cast<size_t>(number < places ? number : number % places), begin,
          std::min(CodePage::kBytes, range->end - begin)};
}

std::unique_ptr<CodePage> CodeMap::DecodePage(const Place& place) const {
  auto page = std::make_unique<CodePage>();
  page->begin = place.begin;
  page->bytes = place.bytes;
  std::span<const uint32_t> words = WordsAt(place.begin);
  for (CodeSlot& slot : page->slots) {
    if (words.empty()) break;  // the slot stays undecodable
    slot = DecodeSlot(processor_, words);
    words = words.subspan(1);
  }
  return page;
}

// Puts the page in its place, and into `reader`.
const CodePage* CodeMap::Decode(const Place& place, CodeReader& reader) {
  const std::scoped_lock lock(mutex_);
  if (!reader.is_known_) {
    readers_.push_back(&reader);
    reader.is_known_ = true;
  }
  std::unique_ptr<const CodePage>& owner = place.shelf->pages[place.index];
  if (owner == nullptr || owner->begin != place.begin) {
    std::unique_ptr<const CodePage> page = DecodePage(place);
    dropped_.reserve(dropped_.size() + 1);
    place.shelf->shown[place.index].store(page.get(), std::memory_order_seq_cst);
    if (owner != nullptr) dropped_.push_back(std::move(owner));
    owner = std::move(page);
  }
  reader.kept_.store(owner.get(), std::memory_order_seq_cst);
  if (!dropped_.empty()) FreeDropped();
  return owner.get();
}

// A reader that has said that it keeps one of them, but has not seen it shown since, asks for
// another one.
void CodeMap::FreeDropped() {
  std::erase_if(dropped_, [this](const std::unique_ptr<const CodePage>& page) {
    return std::ranges::none_of(readers_, [&page](const CodeReader* reader) {
      return reader->kept_.load(std::memory_order_seq_cst) == page.get();
    });
  });
}

size_t CodeMap::DecodedPages() const {
  const std::scoped_lock lock(mutex_);
  const auto count = [](const Shelf& shelf) {
    return static_cast<size_t>(
        std::ranges::count_if(shelf.pages, [](const auto& page) { return !!page; }));
  };
  size_t pages = count(*shelf_) + dropped_.size();
  for (const Found* found = found_.load(std::memory_order_acquire); found != nullptr;
       found = found->next) {
    pages += count(found->shelf);
  }
  return pages;
}

CodeReader::~CodeReader() {
  if (!is_known_) return;
  const std::scoped_lock lock(code_.mutex_);
  std::erase(code_.readers_, this);
  code_.FreeDropped();
}

const CodePage* CodeReader::FindPage(uint64_t pc) {
  page_ = nullptr;  // it is not kept any more, even where there is no memory for another
  const CodeMap::Place place = code_.PlaceOf(pc);
  if (place.bytes == 0) return nullptr;
  if (!is_known_) return code_.Decode(place, *this);
  const std::atomic<const CodePage*>& shown = place.shelf->shown[place.index];
  const CodePage* page = shown.load(std::memory_order_acquire);
  if (place.shelf->has_place_for_each) return page != nullptr ? page : code_.Decode(place, *this);
  while (page != nullptr) {
    // Between looking and keeping it may have been freed. It has not if it is shown after that.
    kept_.store(page, std::memory_order_seq_cst);
    const CodePage* const now = shown.load(std::memory_order_seq_cst);
    if (now == page) break;
    page = now;
  }
  return page != nullptr && page->begin == place.begin ? page : code_.Decode(place, *this);
}

}  // namespace gcnjit::runtime
