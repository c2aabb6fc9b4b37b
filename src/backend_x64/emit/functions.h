// Functions that compiled code calls, made by asmjit's compiler: it gives registers to their
// values. Their code comes after all other code of the region.
#pragma once

#include <asmjit/x86.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace gcnjit::backend {

struct RegionAssembler;

class Functions {
 public:
  // An access of theirs, which may be interrupted (fault_table.h).
  struct Load {
    asmjit::Label begin, end;
    asmjit::Label resume;  // where no value is in a register
    uint32_t site = 0;
  };

  // For profiles: code from there on is of a guest instruction, 0 for none of the block's.
  struct Place {
    asmjit::Label begin;
    uint64_t block = 0;
    uint64_t pc = 0;
  };

  asmjit::x86::Compiler& Compiler(RegionAssembler& region);
  void Add(const Load& load) { loads_.push_back(load); }
  void Add(const Place& place) { places_.push_back(place); }
  // When all other code has been emitted, constants included.
  void Emit(RegionAssembler& region);

 private:
  std::unique_ptr<asmjit::x86::Compiler> compiler_;
  std::vector<Load> loads_;
  std::vector<Place> places_;
};

}  // namespace gcnjit::backend
