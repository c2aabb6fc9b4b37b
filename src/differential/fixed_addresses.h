// Runs that can be repeated although programs see the host's addresses.
#pragma once

namespace gcnjit::differential {

// Starts this program again without address space randomisation, so that a seed gives the same run
// each time; goes on as it is where that is not allowed. To be called before anything is done.
void FixAddresses();

}  // namespace gcnjit::differential
