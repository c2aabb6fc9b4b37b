// Accesses to rows of one plane, as a stencil's neighbours are, and those of all waves of a
// work-group: they differ by so many rows and elements. Whether all that lies between them is
// within a window is looked at once, before the slices of the first one's stage.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "backend_x64/emit/block_sites.h"
#include "backend_x64/emit/contiguous_accesses.h"
#include "backend_x64/plan/scalar_sums.h"

namespace gcnjit::backend {

// Where an access's rows (LateIndex) are.
struct PlaceInPlane {
  x86::Mem begin;     // address of the plane's first row; 0: that row, or another one, is outside
  x86::Mem step;      // bytes from each row's begin to the next one's
  int row = 0;        // of the wave's first lane
  int32_t bytes = 0;  // from a row's begin to what the access has of it
  int element_bytes = 0;

  // rax: where a lane of the slice, by its number, has its element. On to `outside`. Changes rdx.
  void EmitAddress(x86::Assembler& a, const LateIndex& late, int lane,
                   const asmjit::Label& outside) const;
};

class PlaneRows {
 public:
  PlaneRows(RegionAssembler& region, Cursor& at, ValueMemory& memory, BlockSites& sites,
            ContiguousAccesses& runs);

  // Of the block, before its stages and after late indices have been found.
  void Find();
  // Before the slices of a stage: looks at the windows of planes that begin there.
  void Emit();
  // After all stages.
  void Free();
  // None: the access looks at its window itself.
  std::optional<PlaceInPlane> PlaceOf(ir::Value access) const;
  // Is it for both or for neither that the window does?
  bool AreInOne(ir::Value access, ir::Value other) const;

 private:
  struct Range {
    int32_t lowest = 0;
    int32_t highest = 0;
    void Include(int32_t number) {
      lowest = std::min(lowest, number);
      highest = std::max(highest, number);
    }
  };
  // From the first row and element of the first access on.
  struct Place {
    int32_t row = 0;
    int32_t element = 0;
  };
  // Of the frame: PlaceInPlane::begin and step.
  struct Slots {
    int begin = -1;
    int step = -1;
  };
  struct Plane {
    ir::Value first;      // access
    ir::Value looked_at;  // whose window is: of a store, if there is one
    ContiguousAccesses::Rows rows_of_first = {};
    ir::Value step = {};  // from each row's index to the next one's; none: there is one row
    int stage = 0;        // of the first access
    int accesses = 0;
    bool is_wanted = false;
    // From where the first access's first row begins: rows and elements of which accesses have
    // indices, and bytes, with what is added to addresses.
    Range rows = {};
    Range elements = {};
    int32_t begin = 0;
    int32_t end = 0;
    Slots slots = {};
  };
  struct Member {
    size_t plane = 0;
    int32_t row = 0;
    int32_t bytes = 0;
  };

  void Take(ir::Value access, const ContiguousAccesses::Rows& rows, int stage, ScalarSums& sums);
  std::optional<Place> PlaceIn(Plane& plane, ir::Value access, const ContiguousAccesses::Rows& rows,
                               ScalarSums& sums) const;
  bool IsReady(ir::Value scalar, int stage) const;
  void EmitLook(const Plane& plane);
  // rax, and where there are several rows rdx: of the first and of the last one.
  static std::span<const x86::Gp> EndsOf(const Plane& plane);
  void EmitNoWrap(const Plane& plane, const asmjit::Label& fail);

  x86::Assembler& a;
  RegionAssembler& region_;
  Cursor& at_;
  const BlockContext& block_;
  ValueMemory& memory_;
  BlockSites& sites_;
  ContiguousAccesses& runs_;
  std::vector<Plane> planes_;
  std::unordered_map<uint32_t, Member> members_;  // by value id
};

}  // namespace gcnjit::backend
