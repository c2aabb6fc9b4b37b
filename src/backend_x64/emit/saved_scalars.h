// Copies of scalars of the wave's state, in slots of the frame.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <vector>

#include "backend_x64/emit/region_assembler.h"
#include "ir/function.h"

namespace gcnjit::backend {

class SavedScalars {
 public:
  explicit SavedScalars(RegionAssembler& region) : region_(region) {}

  // Of what the operations write: SGPRs, pairs of them, SCC.
  void Take(const ir::Function& function, const std::vector<ir::Value>& ops);
  void Free();
  bool IsEmpty() const { return copies_.empty(); }
  // Both change rdx.
  void Save() const;
  void Restore() const;

  struct Copy {
    int32_t offset = 0;  // in the state
    bool is_wide = false;
    int slot = 0;
  };
  // Of the n-th such operation.
  const Copy& CopyOf(size_t n) const { return copies_[n]; }

 private:
  RegionAssembler& region_;
  std::vector<Copy> copies_;
};

}  // namespace gcnjit::backend
