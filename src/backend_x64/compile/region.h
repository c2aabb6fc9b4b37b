// Compiles a lifted region to host code.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend_x64/abi/region_abi.h"
#include "backend_x64/emit/compile_options.h"
#include "backend_x64/emit/fault_table.h"
#include "backend_x64/host/features.h"
#include "backend_x64/host/pc_map.h"
#include "backend_x64/plan/written_registers.h"
#include "ir/function.h"
#include "ir/passes.h"

namespace gcnjit::backend {

// Host code that belongs to one guest block; both of its pieces may be there.
struct CodeRange {
  uint64_t block = 0;        // guest address
  const char* version = "";  // or what is special about it
  size_t begin = 0;          // byte offset from CompiledRegion::code
  size_t bytes = 0;
};

// Code for all waves of a group together.
struct GroupCode {
  // Where they start, the first of which is RelayState::wave. It ends when they have all ended,
  // which leaves RelayWave::code and all PCs but the last one's as they were; nullptr: there is
  // none.
  const std::byte* begin = nullptr;
  bool wants_zeroed_lds = true;
  // The first one's state is all that it reads, and there are no CompiledRegion::entries.
  bool is_one_block = false;
  // Such a block can go on with the next group by itself, as long as RelayState::row_left says that
  // there is one: guest instructions of each group, unless RelayState::ends_row says that it was
  // fewer. 0: it cannot.
  uint32_t row_instructions = 0;
  WrittenRegisters writes = {};
  ir::LiveRegisters reads = {};  // before it writes them
};

// What NoteOptions asked for.
struct RegionNotes {
  // Host code under the IR operations it was emitted for, block by block and stage by stage; then
  // out-of-line code. Values are numbered within their block.
  std::string listing = {};
  std::vector<CodeRange> ranges = {};  // ascending
  std::vector<GuestSpan> spans = {};   // ascending
};

struct CompiledRegion {
  ~CompiledRegion();

  std::unordered_map<uint64_t, const std::byte*> entries;  // by guest address of a block
  std::vector<MemorySite> sites;                           // each has a window
  const std::byte* code = nullptr;
  size_t code_bytes = 0;
  // Of a kernel: where a wave may start that has the same SGPRs as the one before, which has run to
  // its end with RelayState::leads; nullptr: at the kernel's begin, as that one. Where there is
  // such a place, waves end one after the other, and only the last one's PC is set.
  const std::byte* follow = nullptr;
  GroupCode group;
  size_t temp_bytes = 0;
  size_t slot_count = 0;
  WrittenRegisters writes;  // but of group code
  uint64_t code_base = 0;   // of RegionTables, wherever the code runs
  RegionNotes notes;
  std::vector<GuardedCode> guarded;  // ascending

  // Makes `bytes`, which were another region's code, this one's. False and a message if the host
  // has no memory for it.
  bool Place(std::span<const std::byte> bytes, std::string* error);

  CompiledRegion() = default;
  CompiledRegion(const CompiledRegion&) = delete;
  CompiledRegion& operator=(const CompiledRegion&) = delete;
};

// Makes operations of the host's out of others; the last step before Compile. Lane shapes that were
// found before still hold.
void Lower(ir::Function& function, HostIsa isa);

// nullptr and a message if the host has no memory for it, or the back end cannot emit it: IR that
// breaks its rules (block_invariants.h), or a bug of ours.
std::unique_ptr<CompiledRegion> Compile(const ir::Function& function, const CompileOptions& options,
                                        std::string* error);

}  // namespace gcnjit::backend
