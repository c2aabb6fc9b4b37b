// What the blocks of a region share while their code is emitted: the assembler, the frame, the
// memory sites, the out-of-line code.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backend_x64/abi/region_abi.h"
#include "backend_x64/emit/compile_options.h"
#include "backend_x64/emit/fault_table.h"
#include "backend_x64/emit/frame.h"
#include "backend_x64/emit/functions.h"
#include "backend_x64/host/constant_pool.h"
#include "backend_x64/host/listing.h"

namespace gcnjit::backend {

namespace x86 = asmjit::x86;

inline constexpr int kVgprBytes = ir::kLanes * 4;

// A field of RegionContext.
inline x86::Mem Context(size_t offset, uint32_t size = 0) {
  return x86::ptr(x86::r12, static_cast<int32_t>(offset), size);
}

// Out-of-line code, emitted after all blocks.
using ColdCode = std::function<void()>;

struct RegionAssembler {
  x86::Assembler& a;
  const CompileOptions& options;
  ConstantPool constants;
  std::vector<MemorySite>& sites;
  const asmjit::Label exit;    // eax: ExitReason
  Listing* listing = nullptr;  // nullptr: none is wanted
  std::string error = {};      // what could not be emitted: the region must not run
  std::vector<ColdCode> cold = {};
  Frame frame = {};
  FaultTable faults = {};
  Functions functions = {};
  // Called by accesses: by LaneAtomic::Key, an element's bytes (avx512::LaneStores), or
  // StreamBuffer::KeyOf.
  std::map<uint64_t, asmjit::Label> routines = {};

  // MXCSR that regions are entered with.
  uint32_t BaseMxcsr() const { return 0x1F80u | options.base_env.bits; }

  // A bug of ours, or IR that breaks its rules: the region will not be used. Emission goes on.
  void Fail(const char* what) {
    if (error.empty()) error = what;
  }
  // For the listing: what comes next.
  void Note(ir::Value v) {
    if (listing != nullptr) listing->Op(v);
  }
  void NoteHeading(const char* text) {
    if (listing != nullptr) listing->Heading(text);
  }

  MemorySite& SiteOf(SiteId site) { return sites[site.index]; }
  // A field of the site's MemoryWindow. rdx: RegionTables::windows.
  static x86::Mem WindowField(SiteId site, size_t offset, uint32_t size = 8) {
    return x86::ptr(x86::rdx, static_cast<int32_t>(site.index * sizeof(MemoryWindow) + offset),
                    size);
  }
};

}  // namespace gcnjit::backend
