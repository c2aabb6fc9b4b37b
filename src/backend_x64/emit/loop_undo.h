// Takes a loop back to where it began, for the interpreter to find its fault
// (LoopPlan::is_undone_if_fault): what the loop changes is saved before its first slice.
#pragma once

#include <vector>

#include "backend_x64/emit/block_parts.h"
#include "backend_x64/emit/saved_scalars.h"

namespace gcnjit::backend {

class LoopUndo {
 public:
  explicit LoopUndo(BlockParts& parts);

  // Before the first slice.
  void Save();
  // Where an access of a slice goes that has faulted.
  const asmjit::Label& label() const { return label_; }
  // After the last slice. The code at the label, which leaves the region, is emitted out of line.
  void Finish();

 private:
  struct SavedVgpr {
    int vgpr = 0;
    int temp = 0;
  };

  BlockParts& b_;
  asmjit::Label label_;
  SavedScalars scalars_;
  std::vector<SavedVgpr> vgprs_;
};

}  // namespace gcnjit::backend
