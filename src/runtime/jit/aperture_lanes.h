// Flat accesses to LDS and scratch that compiled code hands over.
#pragma once

#include "backend_x64/abi/region_abi.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::runtime {

// A load or store by generic pointers of which all active lanes are in LDS, or all in scratch, and
// can make their access: does it for all lanes together. False: it has done nothing, and lanes are
// to be accessed one after another.
bool AccessAperture(const Wave& w, const backend::MemorySite& site, backend::AccessBlock& block);

}  // namespace gcnjit::runtime
