// Arguments of kernels of which no metadata says where they stand.
#pragma once

#include <cstdint>
#include <vector>

#include "gcnjit/launch.h"
#include "gcnjit/program.h"

namespace gcnjit::runtime {

// As metadata would describe what is given, laid out as gcnjit/launch.h says of Arguments. What
// does not fit into the largest kernarg segment is left out.
std::vector<ArgumentInfo> ArgumentsAsGiven(const Arguments& arguments);

// Bytes that are given for the kernarg segment of a kernel without metadata, or by
// Arguments::Segment; 0: none are, where metadata says how many it has.
uint64_t GivenKernargBytes(const KernelInfo& kernel, const Arguments& arguments);

}  // namespace gcnjit::runtime
