// What is in an ELF code object (v2 to v6): target, image, symbols, relocations and kernels, all
// checked. Names and bytes are the file's own, which must not go away before.
// Source: LLVM AMDGPUUsage, "ELF Code Object" and "Code Object Metadata".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/code_object/kernel_descriptor.h"
#include "gcnjit/error.h"
#include "gcnjit/program.h"
#include "isa/generation.h"

namespace gcnjit::frontend {

class LoadBudget;

// A PT_LOAD segment: `bytes`, then zeros up to memory_bytes.
struct Segment {
  uint64_t address = 0;  // in the code object's own address space
  uint64_t memory_bytes = 0;
  std::span<const std::byte> bytes;
  bool writable = false;
  bool executable = false;
};

enum class SymbolKind {
  kVariable,  // STT_OBJECT, kernel descriptors (".kd") excepted
  kFunction,  // code, kernels included
  kOther,
};

struct Symbol {
  std::string_view name;
  uint64_t address = 0;
  uint64_t size = 0;
  SymbolKind kind = SymbolKind::kOther;
};

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
};

// Bytes that a relocation writes.
uint32_t FieldBytes(RelocationType type);

struct Relocation {
  uint64_t address = 0;  // of the field; all of it lies in one segment's bytes of the file
  RelocationType type = RelocationType::kAbs64;
  int64_t addend = 0;
  std::string_view symbol;          // name; empty: none
  uint64_t symbol_value = 0;        // address in the code object's address space, or absolute value
  bool symbol_is_absolute = false;  // not moved with the image
  bool symbol_is_undefined = false;  // must come from elsewhere
};

struct Kernel {
  KernelInfo info;
  KernelDescriptor descriptor;
};

struct CodeObject {
  std::string target;  // target ID, e.g. "gfx906:sramecc-:xnack-"
  Generation generation = Generation::kGfx900;
  int version = 0;                // code object version, 2 to 6
  std::vector<Segment> segments;  // by address, not overlapping
  std::vector<Symbol> symbols;    // with a name and an address in the image
  std::vector<Relocation> relocations;
  std::vector<Kernel> kernels;

  uint64_t image_begin = 0;  // first page of the image, a multiple of 4 KiB
  uint64_t image_bytes = 0;  // up to the end of the last segment

  // The one that holds the address; null: none.
  const Segment* SegmentAt(uint64_t address) const;
  // File bytes of [address, address + size); empty if they are not all in one segment.
  std::span<const std::byte> AtAddress(uint64_t address, uint64_t size) const;
};

// Limits that no real code object comes near; they bound what a broken file can make us do.
inline constexpr uint64_t kMaxImageBytes = uint64_t{4} << 30;
inline constexpr uint32_t kMaxKernargBytes = 1 << 20;
inline constexpr size_t kMaxArguments = 4096;  // of a kernel

// `file` is an AMDGPU ELF file (see bundle.h for what may be around one), on its own or with others
// that share the budget.
Result<CodeObject> ParseCodeObject(std::span<const std::byte> file);
Result<CodeObject> ParseCodeObject(std::span<const std::byte> file, LoadBudget& budget);
Result<CodeObject> ParseCodeObject(const std::vector<std::byte>&& file) = delete;  // it goes away

}  // namespace gcnjit::frontend
