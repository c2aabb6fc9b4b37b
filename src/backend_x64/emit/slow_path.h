// Accesses that compiled code hands over to the runtime: what both instruction sets do alike.
#pragma once

#include <asmjit/x86.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "backend_x64/emit/region_assembler.h"

namespace gcnjit::backend {

struct HandOver {
  SiteId site;
  int first_lane = 0;        // in the slice
  bool environment = false;  // MXCSR is not the block's
  asmjit::Label done, abort;
};

// What is to be accessed has been put down, as the request says. Then `take`
// takes what has been loaded, and it goes on at `done`; after a fault at `abort`.
void EmitHandOver(RegionAssembler& region, const HandOver& access, AccessRequest request,
                  const std::function<void()>& take);

// Puts down what RunBlock wants but data and masks. `joined_lanes`: RunBlock's. eax: the first
// lane's index. Changes rcx.
void EmitRunFields(asmjit::x86::Assembler& a, const ir::MemoryAccess& access,
                   const asmjit::x86::Mem& base, int lanes, int joined_lanes);

// Fields of AccessTransfer::access and run.
inline asmjit::x86::Mem Access(size_t offset, uint32_t size = 0) {
  return asmjit::x86::ptr(asmjit::x86::r12,
                          static_cast<int32_t>(offsetof(RegionContext, transfer.access) + offset),
                          size);
}
inline asmjit::x86::Mem Run(size_t offset, uint32_t size = 0) {
  return asmjit::x86::ptr(
      asmjit::x86::r12, static_cast<int32_t>(offsetof(RegionContext, transfer.run) + offset), size);
}

}  // namespace gcnjit::backend
