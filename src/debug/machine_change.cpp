// What is changed from outside, between two instructions.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "debug/change.h"
#include "debug/goals.h"
#include "debug/machine.h"

namespace gcnjit::debug {

namespace {

Error NoChange(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

std::vector<uint32_t> WordsOf(const Change& change) {
  std::vector<uint32_t> words(change.bytes.size() / 4);
  std::memcpy(words.data(), change.bytes.data(), words.size() * 4);
  return words;
}

constexpr uint64_t kPage = runtime::GuestMemory::kPageBytes;

// A register of a wave that is at work.
Result<void> FitsRegister(const runtime::WaveState& wave, const runtime::CodeMap& code,
                          const Change& change) {
  if (!Has(wave, change.reg)) return NoChange("the kernel has no such register");
  const std::vector<uint32_t> words = WordsOf(change);
  switch (change.reg.kind) {
    case RegisterKind::kMode: return NoChange("mode changes by s_setreg alone");
    case RegisterKind::kScc:
      if (words[0] > 1) return NoChange("scc is 0 or 1");
      break;
    case RegisterKind::kPc: {
      const uint64_t pc = words[0] | uint64_t{words[1]} << 32;
      if (pc % 4 != 0 || code.WordsAt(pc).empty()) {
        return NoChange(fmt::format("there is no instruction at {:#x}", pc));
      }
      break;
    }
    case RegisterKind::kScalar:
    case RegisterKind::kVector: break;
  }
  return {};
}

}  // namespace

uint64_t Machine::Fitting(const Change& change) const {
  const uint64_t size = change.bytes.size();
  if (change.kind == Change::Kind::kMemory) {
    uint64_t end = change.address;
    while (end - change.address < size && memory().Writable(end, 1))
      end = (end / kPage + 1) * kPage;
    return std::min(end - change.address, size);
  }
  const WorkGroup* group = Find(change.wave.group);
  const uint64_t bytes = group == nullptr ? 0 : group->state().lds_bytes;
  return change.address < bytes ? std::min(bytes - change.address, size) : 0;
}

Result<void> Machine::Fits(const Change& change) const {
  if (ended()) return NoChange("the kernel has ended: go back first");
  const uint64_t size = change.bytes.size();
  if (change.kind == Change::Kind::kMemory) {
    const uint64_t fitting = Fitting(change);
    if (fitting == size) return {};
    return NoChange(fmt::format("the kernel cannot write to {:#x}", change.address + fitting));
  }
  const WorkGroup* group = Find(change.wave.group);
  if (group == nullptr) return NoChange("the work-group has not begun, or has ended");
  if (change.kind == Change::Kind::kLds) {
    if (Fitting(change) == size) return {};
    return NoChange(fmt::format("the group has {} bytes of LDS", group->state().lds_bytes));
  }
  const bool is_there = change.wave.wave < group->wave_count() && !IsGone(*this, change.wave);
  if (!is_there) return NoChange("the wave has ended, or there is none of that number");
  return FitsRegister(group->registers(change.wave.wave), code(), change);
}

void Machine::Make(const Change& change) {
  if (change.kind == Change::Kind::kMemory) {
    for (uint64_t n = 0; n < change.bytes.size(); n += kPage) {
      pages_.WillWrite(change.address + n, std::min(kPage, change.bytes.size() - n));
    }
    std::memcpy(reinterpret_cast<void*>(change.address), change.bytes.data(), change.bytes.size());
    return;
  }
  WorkGroup& group = *groups_.at(change.wave.group);
  if (change.kind == Change::Kind::kLds) {
    std::memcpy(group.state().lds + change.address, change.bytes.data(), change.bytes.size());
    return;
  }
  SetValues(group.wave(change.wave.wave).state, change.reg, change.lane, WordsOf(change));
}

void Machine::ForgetWhatFollows() {
  frontier_ = order_.step;  // from where on clocks are read anew, too
  if (fault_ && fault_->step >= order_.step) fault_.reset();
}

}  // namespace gcnjit::debug
