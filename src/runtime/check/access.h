// The memory that an instruction is about to access, worked out from the registers before it runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontend/flow/register_access.h"
#include "runtime/image/texel.h"
#include "runtime/interpreter/lane_access.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime::check {

enum class Space : uint8_t {
  kGlobal,  // guest memory; scratch too, which is told by its addresses
  kLds,     // addresses count from the begin of the group's LDS
};

enum class AccessType : uint8_t { kRead, kWrite, kAtomic };

// What a store that converts makes of registers: a texel, or an element of a buffer.
struct ConvertedStore {
  ValueBits sources[4];  // of each component of the format; no register: it becomes 0
  std::array<std::array<uint32_t, 4>, kLanes> elements = {};
};

// The same number of bytes in each lane of `mask`. An instruction may make several.
struct Access {
  Space space = Space::kGlobal;
  AccessType type = AccessType::kRead;
  bool is_ds = false;       // by a DS instruction: what is said of M0 applies
  bool is_scalar = false;   // for the whole wave: lane 0 stands for it
  bool is_scratch = false;  // by way of scratch's buffer resource, aperture or instructions
  // GLC: past the caches of the wave's own compute unit. Or a load that polls (polling.h).
  bool is_coherent = false;
  uint32_t bytes = 0;  // at most 64
  uint64_t mask = 0;
  uint64_t dropped = 0;  // lanes that the range check of scratch or an image drops; not in `mask`
  // Images: lanes that are outside where nothing defines what is there, and what the first of them
  // asks for.
  uint64_t beyond = 0;
  std::string outside;
  // Registers that the bytes come from or go to, from byte `register_byte` of the first one on; -1:
  // the bytes are converted on the way, by a store to those of `converted` from this one on.
  int reg = -1;
  uint32_t register_byte = 0;
  bool extends = false;  // a load that also sets the bytes of the register that it has none for
  std::shared_ptr<const ConvertedStore> converted;
  LaneAddresses at;

  // Of a store: can it be told what it stores? Then byte n of a lane's.
  bool HasStoredBytes() const { return reg >= 0 || converted != nullptr; }
  uint8_t StoredByte(const Wave& w, int lane, uint64_t n) const;
};

// Reuses the storage of one instruction for the next.
class AccessList {
 public:
  void Clear() { used_ = 0; }
  // The new access is like a default one, but for its addresses, which are anything.
  Access& Add();
  Access* begin() { return accesses_.data(); }
  Access* end() { return accesses_.data() + used_; }
  const Access* begin() const { return accesses_.data(); }
  const Access* end() const { return accesses_.data() + used_; }
  bool empty() const { return used_ == 0; }

 private:
  std::vector<Access> accesses_;
  size_t used_ = 0;
};

// What can be told of an instruction without executing it.
struct InstructionInfo {
  frontend::RegisterAccess registers;
  AccessType type = AccessType::kRead;
  bool accesses_memory = false;
  bool polls = false;          // set by the checker: see polling.h
  uint32_t bytes = 0;          // of one access; two-address DS instructions make two
  uint32_t register_byte = 0;  // D16_HI forms: 2
  bool extends = false;
};
InstructionInfo InfoOf(const Instruction& i, Generation generation);

// Adds what the instruction will access, given the registers as they are now. Lanes that its range
// checks drop are in no mask, but those are that lie outside LDS. GDS is not looked at.
void FindAccesses(Wave& w, const Instruction& i, const InstructionInfo& info, AccessList& list);

// Its parts, by encoding.
void FindScalarAccesses(Wave& w, const Instruction& i, const InstructionInfo& info,
                        AccessList& list);
void FindShareAccesses(Wave& w, const Instruction& i, const InstructionInfo& info,
                       AccessList& list);
void FindBufferAccesses(Wave& w, const Instruction& i, const InstructionInfo& info,
                        AccessList& list);
void FindFlatAccesses(Wave& w, const Instruction& i, const InstructionInfo& info, AccessList& list);
void FindImageAccesses(Wave& w, const Instruction& i, const InstructionInfo& info,
                       AccessList& list);
// Of a store: `source_of` says where a value of the instruction is, `make` makes a lane's element.
// Null: it uses registers that the wave does not have.
template <typename SourceOf, typename Make>
std::shared_ptr<const ConvertedStore> Convert(const Wave& w, const StoredComponents& stored,
                                              SourceOf source_of, Make make) {
  auto converted = std::make_shared<ConvertedStore>();
  for (size_t n = 0; n < 4; ++n) {
    if (!stored.is_given[n]) continue;
    converted->sources[n] = source_of(stored.source[n]);
    if (converted->sources[n].reg >= static_cast<int>(w.state.vgpr_count)) return nullptr;
  }
  ForEachLane(w.exec(), [&](int lane) {
    uint32_t element[4] = {};
    make(lane, element);
    std::copy_n(element, 4, converted->elements[static_cast<size_t>(lane)].begin());
    return true;
  });
  return converted;
}
// What a load with the LDS bit writes (lane_access.h: LoadToLds).
void AddLdsTransfer(const Wave& w, const Instruction& i, AccessType type, AccessList& list);

}  // namespace gcnjit::runtime::check
