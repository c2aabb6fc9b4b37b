// Checking a kernel while it runs: what to look for, and what was found. See docs/check.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gcnjit/export.h"
#include "gcnjit/source.h"

namespace gcnjit {

// What LaunchConfig::check asks for; may be combined.
enum Checks : uint32_t {
  kCheckNothing = 0,
  kCheckMemory = 1u << 0,    // addresses: allocations to the byte, LDS, scratch, freed memory
  kCheckRaces = 1u << 1,     // conflicting accesses without a barrier in between
  kCheckWaits = 1u << 2,     // registers used before s_waitcnt has waited for them
  kCheckBarriers = 1u << 3,  // barriers that not all waves come to; stuck groups
  kCheckUninit = 1u << 4,    // use of registers, LDS, scratch and texels that were never written
  kCheckAtomics = 1u << 5,   // plain stores that take the place of atomic ones
  kCheckAll = (1u << 6) - 1,
};

enum class FindingKind : uint8_t {
  // kCheckMemory
  kOutOfBounds,         // memory beyond an allocation's last byte, or of no allocation
  kNullPointer,         // an address in the first 64 KiB
  kUseAfterFree,        // memory that the host has freed
  kReadOnlyWrite,       // a store to memory that the kernel may only read
  kLdsOutOfBounds,      // beyond the work-group's LDS
  kScratchOutOfBounds,  // in scratch, but not in the wave's own
  kImageOutOfBounds,    // texels that the image does not have, where no address mode defines them
  // kCheckRaces
  kLaneConflict,  // lanes of one instruction store different values to one address
  kLdsRace,       // waves of a group
  kGlobalRace,    // waves of a group, or of different groups
  // kCheckWaits
  kMissingWait,
  // kCheckBarriers
  kBarrierDivergence,  // waves of a group wait at different barriers, or some have ended
  kPartialBarrier,     // some work-items of a wave come to the barrier, others do not
  kStuckGroup,         // the launch was stopped while the group was still running
  // kCheckUninit
  kUninitializedAddress,
  kUninitializedStore,
  kUninitializedBranch,
  // kCheckAtomics
  kMixedAtomic,  // an atomic instruction and a plain store, at one address
  kPlainFlag,  // a group waits for another one's plain store, and then reads what it stored before
  // kCheckRaces, a note: no mistake by itself
  kSameValue,  // a lane-conflict or race whose stores store the same
};
inline constexpr int kFindingKinds = static_cast<int>(FindingKind::kSameValue) + 1;

// "out-of-bounds", "lds-race" and so on.
GCNJIT_API const char* ToString(FindingKind kind);

constexpr bool IsNote(FindingKind kind) { return kind == FindingKind::kSameValue; }

// One party of a finding: an instruction that was executed, and for whom.
struct FindingSite {
  uint64_t pc = 0;
  int64_t kernel_offset = 0;  // as FaultReport::kernel_offset
  std::string instruction;    // disassembled
  std::string access;         // "read", "write", "atomic"; empty: no access to memory
  std::array<uint32_t, 3> workgroup = {0, 0, 0};
  uint32_t wave = 0;
  int lane = -1;                                  // -1: the whole wave
  std::array<uint64_t, 3> work_item = {0, 0, 0};  // global id of the lane
  SourceFrames source;
};

// The first time that something happened at an instruction, or between a pair of them.
struct Finding {
  FindingKind kind = FindingKind::kOutOfBounds;
  std::string kernel;
  FindingSite site;
  std::optional<FindingSite> other;  // races: the earlier access; waits: what is not waited for
  uint64_t address = 0;              // LDS: bytes from its begin
  uint32_t access_bytes = 0;         // 0: there is no address
  std::string place;                 // the address in words: "4 bytes past the end of ..."
  std::string detail;
  uint64_t count = 1;  // how often; lanes count one by one
  GCNJIT_API std::string Describe() const;
};

}  // namespace gcnjit
