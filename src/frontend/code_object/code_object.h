// What is in an ELF code object (v2 to v6): target, image, symbols, relocations and kernels, all
// checked. Names and bytes are the file's own, which must not go away before; a relocatable object
// (relocatable.h) has its image in memory of its own.
// Source: LLVM AMDGPUUsage, "ELF Code Object" and "Code Object Metadata".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/code_object/kernel_descriptor.h"
#include "frontend/code_object/relocation.h"
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

struct Kernel {
  KernelInfo info;
  KernelDescriptor descriptor;
  std::shared_ptr<const std::vector<std::string>> printf_formats;  // null: none are known
};

// Whose loader the file was made for: what is in it beside code differs.
enum class Platform {
  kHsa,
  kMesa3d,  // kernels as in code object v2, mostly without metadata
  kPal,     // shaders of a graphics driver: nothing that HSA could start
};

struct CodeObject {
  Platform platform = Platform::kHsa;
  std::string target;  // target ID, e.g. "gfx906:sramecc-:xnack-"
  Generation generation = Generation::kGfx900;
  int version = 0;                // code object version, 2 to 6; 0: the platform has none
  std::vector<Segment> segments;  // by address, not overlapping
  std::vector<Symbol> symbols;    // with a name and an address in the image
  std::vector<Relocation> relocations;
  std::vector<Kernel> kernels;

  uint64_t image_begin = 0;  // first page of the image, a multiple of 4 KiB
  uint64_t image_bytes = 0;  // up to the end of the last segment
  std::shared_ptr<const std::vector<std::byte>> linked;  // what segments lie in, if not in the file

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
