// Decoded code, by guest address. A page of it is decoded when a wave first comes to it, and shared
// by all waves. There are only so many: where code is larger, pages take the place of others, which
// are freed once no host thread looks at them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "frontend/decode/decoder.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

class CodeReader;

// What the instruction loop needs at one dword of code.
struct CodeSlot {
  frontend::DecodeStatus status = frontend::DecodeStatus::kUnknownOpcode;
  bool is_vector = false;                       // skipped while MODE.vskip is set
  bool keeps_signalling_nans = false;           // while MODE.IEEE is off
  FloatClass float_class = FloatClass::kUnset;  // from the row's flags; kUnset: none needed
  frontend::VgprCounts vgpr_limit;              // highest numbers used, plus one
  ExecFunction function = nullptr;              // nullptr: refused or not decodable
  Instruction instruction;
};

// Small: a slot takes some fifty times the bytes of the code that it stands for, and little of a
// page may ever be executed.
struct CodePage {
  static constexpr uint64_t kBytes = 256;
  uint64_t begin = 0;  // guest address, a multiple of 4
  uint64_t bytes = 0;  // of code; the last page of a range may have less than kBytes
  std::array<CodeSlot, kBytes / 4> slots;

  const CodeSlot& SlotAt(uint64_t pc) const { return slots[(pc - begin) / 4]; }
};

CodeSlot DecodeSlot(const frontend::Processor& processor, std::span<const uint32_t> words);

class CodeMap {
 public:
  // Enough for half a MiB of code, in about 24 MiB.
  static constexpr size_t kMostPages = 2048;

  // Code that the ranges do not hold, which a function pointer may lead to. `keep` makes it stay as
  // it is for as long as the map lives.
  struct Elsewhere {
    uint64_t begin = 0;
    uint64_t end = 0;
    std::shared_ptr<const void> keep;
  };
  // nullopt: the guest address is not code.
  using FindElsewhere = std::function<std::optional<Elsewhere>(uint64_t pc)>;

  // `ranges`: [begin, end) guest addresses of executable memory, which the host can read, and which
  // does not change, for as long as the map lives. `most_pages`: of these, and of each that is
  // found elsewhere, that are decoded at a time, at least 1; besides, each reader may keep one.
  CodeMap(const frontend::Processor& processor,
          const std::vector<std::pair<uint64_t, uint64_t>>& ranges, size_t most_pages = kMostPages,
          FindElsewhere find_elsewhere = {});
  ~CodeMap();
  CodeMap(const CodeMap&) = delete;
  CodeMap& operator=(const CodeMap&) = delete;

  // Guest addresses of the code that `pc` is in; empty if that is not code.
  struct CodeRange {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  CodeRange RangeAt(uint64_t pc) const;

  // The words from pc to the end of its code; empty if that is not code.
  std::span<const uint32_t> WordsAt(uint64_t pc) const;

  // Decoded for this call; for what is not done often.
  CodeSlot SlotAt(uint64_t pc) const { return DecodeSlot(processor_, WordsAt(pc)); }

  // Pages that there are now, those included that only readers keep.
  size_t DecodedPages() const;

  const frontend::Processor& processor() const { return processor_; }
  frontend::Generation generation() const { return processor_.generation; }

 private:
  friend class CodeReader;

  // Places of decoded pages. Several pages may share one.
  struct Shelf {
    Shelf(uint64_t count, size_t most_pages);

    bool has_place_for_each;  // no page ever takes another one's place
    // What readers look at, without a lock; changed under mutex_. `pages` owns what it shows.
    std::vector<std::atomic<const CodePage*>> shown;
    std::vector<std::unique_ptr<const CodePage>> pages;
  };
  struct Range {
    uint64_t begin;
    uint64_t end;
    uint64_t first_page;  // pages of a shelf are numbered
    Shelf* shelf;
  };
  // A range that was found elsewhere, in a list that only grows.
  struct Found {
    Range range;
    Shelf shelf;
    std::shared_ptr<const void> keep;
    const Found* next;
  };
  // Where the page of a pc is if it has been decoded.
  struct Place {
    Shelf* shelf = nullptr;
    size_t index = 0;
    uint64_t begin = 0;  // of the page
    uint64_t bytes = 0;  // 0: there is no code
  };

  const Range* Find(uint64_t pc) const;
  const Range* FindFound(uint64_t pc) const;
  const Range* LookElsewhere(uint64_t pc) const;
  Place PlaceOf(uint64_t pc) const;
  std::unique_ptr<CodePage> DecodePage(const Place& place) const;
  const CodePage* Decode(const Place& place, CodeReader& reader);
  void FreeDropped();

  const frontend::Processor processor_;
  const size_t most_pages_;
  const FindElsewhere find_elsewhere_;
  std::unique_ptr<Shelf> shelf_;
  std::vector<Range> ranges_;  // by address
  // The first of those found elsewhere; read without a lock. The others follow it.
  mutable std::atomic<const Found*> found_ = nullptr;
  mutable std::mutex found_mutex_;  // held to add to them
  mutable std::mutex mutex_;        // guards what follows, and what the shelves hold
  std::vector<std::unique_ptr<const CodePage>> dropped_;  // no more shown, but some reader's
  std::vector<CodeReader*> readers_;
};

// A host thread's view of decoded code. The page that it was given last is not freed before it asks
// for another one.
class CodeReader {
 public:
  explicit CodeReader(CodeMap& code) : code_(code) {}
  ~CodeReader();
  CodeReader(const CodeReader&) = delete;
  CodeReader& operator=(const CodeReader&) = delete;

  // The page that holds `pc`, until the next call; nullptr if that is not code.
  const CodePage* PageAt(uint64_t pc) {
    if (page_ != nullptr && pc - page_->begin < page_->bytes) return page_;
    return page_ = FindPage(pc);
  }

  CodeMap& code() const { return code_; }

 private:
  friend class CodeMap;
  const CodePage* FindPage(uint64_t pc);

  CodeMap& code_;
  const CodePage* page_ = nullptr;
  // What must not be freed: written before it is looked at again whether the page is still shown.
  std::atomic<const CodePage*> kept_ = nullptr;
  bool is_known_ = false;  // code_.readers_ has it
};

}  // namespace gcnjit::runtime
