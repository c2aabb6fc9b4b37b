// The fault matrix (R8): every kind of access, to every kind of address, from the first, a middle
// and the last lane of a wave, or from a lane that EXEC excludes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gcnjit/launch.h"
#include "isa/generation.h"

namespace gcnjit::robustness {

enum class Unit : uint8_t {
  kFlat,
  kGlobal,
  kBuffer,
  kBufferAddr64,
  kScratch,
  kShare,
  kScalar,
  kFetch
};

// An instruction that accesses memory.
struct Access {
  Unit unit;
  std::string text;  // LLVM syntax
  uint32_t bytes;    // of one lane; of a scalar access, all of them
  bool is_store = false;
  bool is_atomic = false;
  bool loops = false;  // its address moves on by 4 bytes in a loop around it
};
std::vector<Access> AccessesOf(frontend::Generation generation);

enum class Place : uint8_t {
  kNull,
  kUnmapped,    // in the gap between allocations
  kPastEnd,     // after the last page of an allocation
  kStraddling,  // the first half of the access lies before that end
  kMisaligned,  // within an allocation, at an odd address
  kOver48Bits,
  kNegative,  // bits 63 to 4 set
  kFreed,
  kPrivate,     // flat: beyond the lane's scratch; buffer: beyond the range of the scratch resource
  kShared,      // flat: beyond the work-group's LDS
  kRestOfLds,   // flat, DS: beyond what the kernel asks for, in the block that it gets
  kKernarg,     // the kernel's arguments: read-only
  kOutOfRange,  // buffers: beyond NUM_RECORDS, in memory
  kCode,        // the kernel's own, which its file calls writable
};
inline constexpr Place kPlaces[] = {Place::kNull,       Place::kUnmapped,   Place::kPastEnd,
                                    Place::kStraddling, Place::kMisaligned, Place::kOver48Bits,
                                    Place::kNegative,   Place::kFreed,      Place::kPrivate,
                                    Place::kShared,     Place::kRestOfLds,  Place::kKernarg,
                                    Place::kOutOfRange, Place::kCode};
const char* NameOf(Place place);

// Addresses of a run.
struct Memory {
  uint64_t good = 0;  // a buffer of kGoodBytes
  uint64_t freed = 0;
  uint64_t code = 0;  // of the kernel, aligned like a buffer
  uint64_t out = 0;   // where lanes leave what they loaded: a dword for each work-item
};
inline constexpr uint64_t kGoodBytes = 8192;
inline constexpr uint64_t kFreedBytes = 1 << 20;
// Distance of the address in the gap from the end of the good buffer.
inline constexpr uint64_t kIntoGap = 16 * 1024;

// What is to happen. Nothing: no fault.
struct Expected {
  FaultKind kind;
  uint64_t address = 0;
  uint32_t bytes = 0;
  std::string nearest;  // part of FaultReport::nearest; empty: none expected
};

// The cell's address; nothing: there is no such cell for this access.
std::optional<uint64_t> AddressOf(const Access& access, Place place, frontend::Generation g,
                                  const Memory& memory);
// By the rules of docs/faults.md and of the manuals, for the address that AddressOf gave.
std::optional<Expected> ExpectedOf(const Access& access, Place place, frontend::Generation g,
                                   int lane, uint64_t address, const Memory& memory);

}  // namespace gcnjit::robustness
