// The library above this one that calls it, where an answer depends on that.
#pragma once

namespace gcnjit::hsa {

// Is the code at this address AMD's OpenCL (libamdocl64.so)? It and HIP share one source, which
// looks at the same attribute, the profile of gfx701, for different ends, so that no single answer
// suits both: HIP takes the processor only with the full one, and still allocates in the device's
// memory; OpenCL takes the full one for a device without memory of its own, makes no staging
// buffers, and then crashes in its first copy.
bool IsOpenCl(const void* caller);

}  // namespace gcnjit::hsa
