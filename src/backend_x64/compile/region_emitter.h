// Emits the code of a region: its blocks, some in two versions, then what is out of line.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "backend_x64/abi/linear_access.h"
#include "backend_x64/compile/block_source.h"
#include "backend_x64/compile/region.h"
#include "backend_x64/compile/sunk_store.h"
#include "backend_x64/emit/relay.h"
#include "backend_x64/emit/terminator.h"
#include "backend_x64/host/new_code.h"
#include "backend_x64/plan/loop_prefetch.h"

namespace gcnjit::backend {

class RegionEmitter {
 public:
  RegionEmitter(const ir::Function& function, const CompileOptions& options, CompiledRegion& region,
                asmjit::CodeHolder& code);
  RegionEmitter(const RegionEmitter&) = delete;
  RegionEmitter& operator=(const RegionEmitter&) = delete;

  void Emit();

  const BlockLabels& Labels() const { return labels_; }
  const asmjit::Label& Follow() const { return follow_; }
  uint64_t GroupBegin() const { return relay_.GroupBegin(); }
  const std::string& Error() const { return assembler_.error; }

 private:
  // Why a block's first version does not fit: for the listing, and CodeRange::version.
  struct Reason {
    const char* heading;
    const char* version;
  };
  // A version of a block for when the first one does not fit.
  struct Second {
    size_t block;
    asmjit::Label label;
    const Reason* why;
    bool assumes_scratch = false;  // as the first version did
  };

  // Adds the versions that it wants to `others`.
  void EmitFirst(size_t n, std::vector<Second>& others);
  void EmitSecond(const Second& second);
  // Where the SGPRs of these resources have not the words of scratch's, on to `otherwise`.
  void EmitScratchTest(const std::vector<int>& resources, const asmjit::Label& otherwise);
  void EmitBlock(const ir::Function& alone, BlockVersion& version, uint64_t next);
  template <typename Isa, typename LaneCode>
  void EmitBlockFor(const ir::Function& alone, BlockVersion& version, uint64_t next);
  // A loop that stores, as one that slices may run to its end, where there is such code: with its
  // store after it, or for lanes that are disjoint. The block's label is where control goes on
  // otherwise.
  void EmitStoringLoop(size_t n, const ir::Function& alone);
  // The block with its store after the loop; nothing: it cannot be, and nothing was emitted. Where
  // the store must stay in the loop, control goes on at the label, which is after this code.
  std::optional<asmjit::Label> EmitSunk(size_t n, SunkStore sunk);
  template <typename Isa, typename LaneCode>
  std::optional<asmjit::Label> EmitSunkFor(const SunkStore& sunk, BlockVersion& version);
  // Likewise; the loop for lanes that are disjoint.
  std::optional<asmjit::Label> EmitDisjoint(size_t n, ir::Function alone);
  template <typename Isa, typename LaneCode>
  std::optional<asmjit::Label> EmitDisjointFor(const ir::Function& alone,
                                               const std::vector<LinearAccess>& accesses,
                                               BlockVersion& version);
  std::vector<int> ScratchResourcesOf(const ir::Function& alone) const;
  const ir::RegionShapes* ShapesOf(ir::Function& alone, bool is_group_code, bool has_changed);
  void EmitCold();
  void Finish();
  uint64_t BlockAfter(size_t n) const;
  void NoteRange(size_t n, size_t begin, const char* version);

  static const Reason kNotAllLanes;
  static const Reason kBeyondLds;
  static const Reason kOtherResource;

  const ir::Function& function_;
  const CompileOptions& options_;
  CompiledRegion& region_;
  NewAssembler a_;
  RegionAssembler assembler_;
  Listing listing_;
  BlockLabels labels_;
  Relay relay_;
  BlockSource source_;
  const LoopAhead ahead_;
  asmjit::Label follow_;  // BlockVersion::Follow's
  // Blocks as they were emitted, and how many pieces of out-of-line code there were then.
  std::vector<std::pair<size_t, size_t>> cold_end_;
};

}  // namespace gcnjit::backend
