// Decoded code, by guest address. Pages are decoded when a wave first comes to them and shared by
// all waves; looking up is lock-free.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "frontend/decoder.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// What the instruction loop needs at one dword of code.
struct CodeSlot {
  frontend::DecodeStatus status = frontend::DecodeStatus::kUnknownOpcode;
  bool is_vector = false;                       // skipped while MODE.vskip is set
  FloatClass float_class = FloatClass::kUnset;  // from the row's flags; kUnset: none needed
  uint16_t vgpr_limit = 0;                      // highest VGPR number used, plus one
  ExecFunction function = nullptr;              // nullptr: refused or not decodable
  Instruction instruction;
};

struct CodePage {
  static constexpr uint64_t kBytes = 1024;
  uint64_t begin = 0;  // guest address, a multiple of 4
  uint64_t bytes = 0;  // of code; the last page of a range may have less than kBytes
  std::array<CodeSlot, kBytes / 4> slots;
};

CodeSlot DecodeSlot(const frontend::Processor& processor, std::span<const uint32_t> words);

class CodeMap {
 public:
  // `ranges`: [begin, end) guest addresses of executable memory, readable by the host for as long
  // as the map lives.
  CodeMap(const frontend::Processor& processor,
          const std::vector<std::pair<uint64_t, uint64_t>>& ranges);
  ~CodeMap();
  CodeMap(const CodeMap&) = delete;
  CodeMap& operator=(const CodeMap&) = delete;

  // The page that holds `pc`, or nullptr if that is not code.
  const CodePage* PageAt(uint64_t pc);

  // Guest addresses of the code that `pc` is in; empty if that is not code.
  struct CodeRange {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  CodeRange RangeAt(uint64_t pc) const;

  // The words from pc to the end of its code; empty if that is not code.
  std::span<const uint32_t> WordsAt(uint64_t pc) const;

  const frontend::Processor& processor() const { return processor_; }
  frontend::Generation generation() const { return processor_.generation; }

 private:
  struct Range {
    uint64_t begin;
    uint64_t end;
    std::vector<std::atomic<const CodePage*>> pages;
  };
  const CodePage* DecodePage(Range& range, uint64_t index);

  const frontend::Processor processor_;
  std::vector<std::unique_ptr<Range>> ranges_;
  std::mutex mutex_;                                // taken only to decode
  std::vector<std::unique_ptr<CodePage>> storage_;  // guarded by mutex_
};

}  // namespace gcnjit::runtime
