// Relocations: what to write where, once addresses are known.
// Source: LLVM AMDGPUUsage, "Relocation Records"; the rounding of kRel16: lld's AMDGPU.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gcnjit::frontend {

// R_AMDGPU_*, with the numbers of the ABI. S: symbol, A: addend, P: place, B: load address.
enum class RelocationType : uint32_t {
  kAbs32Lo = 1,      // (S + A) & 0xFFFFFFFF
  kAbs32Hi = 2,      // (S + A) >> 32
  kAbs64 = 3,        // S + A
  kRel32 = 4,        // S + A - P
  kRel64 = 5,        // S + A - P
  kAbs32 = 6,        // S + A
  kRel32Lo = 10,     // (S + A - P) & 0xFFFFFFFF
  kRel32Hi = 11,     // (S + A - P) >> 32
  kRelative64 = 13,  // B + A
  kRel16 = 14,       // (S + A - P - 4) / 4: a branch's offset in words from the next instruction
};

// Bytes that a relocation writes.
uint32_t FieldBytes(RelocationType type);

// The value to store, in the width of the field; nullopt if it does not fit.
std::optional<uint64_t> RelocatedValue(RelocationType type, uint64_t s, uint64_t a, uint64_t p);

struct Relocation {
  uint64_t address = 0;  // of the field; all of it lies in one segment's bytes of the file
  RelocationType type = RelocationType::kAbs64;
  int64_t addend = 0;
  std::string_view symbol;          // name; empty: none
  uint64_t symbol_value = 0;        // address in the code object's address space, or absolute value
  bool symbol_is_absolute = false;  // not moved with the image
  bool symbol_is_undefined = false;  // must come from elsewhere
};

}  // namespace gcnjit::frontend
