// The buffer that kernels' printf writes to: the hidden argument hidden_printf_buffer.
//
// It begins with how many bytes after these 8 are in use, and how many there are; a call needs room
// for 8 bytes more than it writes (ROCm-Device-Libs, __printf_alloc). It writes
//   OpenCL: the number of its format, 4 bytes, and each argument in as many bytes as the format
//     tells (LLVM, AMDGPUPrintfRuntimeBinding)
//   HIP with -mprintf-kind=buffered: its size * 4 + flags, 4 bytes; the hash of its format, 8
//     bytes; the arguments (printf_text.h; LLVM, AMDGPUEmitPrintf)
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gcnjit/error.h"
#include "gcnjit/program.h"
#include "runtime/launch/launch_memory.h"

namespace gcnjit::runtime {

// The guest address of a buffer for a launch of the kernel; 0: it has no such argument. Without
// `is_read` no call finds room in it, and printf returns -1.
Result<uint64_t> AllocatePrintfBuffer(const KernelInfo& kernel, bool is_read, LaunchMemory& memory);

// Gives to `print` what the kernel has written there. `formats`: of its code object's metadata. The
// result says in words what is missing; empty: nothing.
std::string PrintBuffer(uint64_t address, const std::vector<std::string>& formats,
                        const std::function<void(std::string_view)>& print);

}  // namespace gcnjit::runtime
