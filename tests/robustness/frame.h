// Kernels made of any machine words: a compiled kernel of s_nop (frame.s), whose code is replaced
// in the file before it is loaded, so that all of the loader and of the launch is in the test.
//
// A wave begins with
//   s[0:3]  private segment buffer       s[6:7]  kernel arguments: FrameArguments
//   s[4:5]  dispatch packet              s[8:9]  FLAT_SCRATCH's initial value
//   s10..s12 work-group id               s13     the wave's scratch offset
//   v0      work-item id
// It has 32 VGPRs, 4,036 bytes of LDS, for which the hardware allocates 4,096, and 64 bytes of
// scratch a work-item.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcnjit/launch.h"
#include "gcnjit/program.h"
#include "isa/generation.h"

namespace gcnjit::robustness {

inline constexpr uint32_t kFrameLdsBytes = 4036;
inline constexpr uint32_t kFrameAllocatedLdsBytes = 4096;
inline constexpr uint32_t kFrameScratchBytes = 64;

// The kernel's one argument, by value.
struct FrameArguments {
  uint64_t words[8] = {};
};

// The code object whose kernel consists of these words; they may fill 24,000 dwords.
std::vector<std::byte> FrameFile(frontend::Generation generation, std::span<const uint32_t> words);

// The same kernel with so much LDS instead, and with ids along y; and maybe without scratch: then
// its waves' SGPRs are all the same, and s13 is nothing in particular.
void ChangeFrame(std::vector<std::byte>& file, uint32_t lds_bytes, bool has_scratch);

// Says of each segment that the guest may write to it, also of the one with the code.
void MakeAllWritable(std::vector<std::byte>& file);

// Every way of running a kernel that this host has: "interp", "avx2", "avx512".
std::vector<std::string> Engines();

// What Launch is to be told for it; `engine` is one of Engines().
void UseEngine(std::string_view engine, LaunchConfig& config);

// Machine words of instructions in LLVM's syntax, assembled by llvm-mc, all of a generation at
// once. glc and slc stand for sc0 and nt, too. Throws std::runtime_error for what it refuses.
std::vector<std::vector<uint32_t>> Assemble(frontend::Generation generation,
                                            const std::vector<std::string>& lines);

// v_add without carry on each generation: "v_add_u32_e32 v1, 4, v1". VCC is lost before gfx9.
std::string AddLine(frontend::Generation generation, std::string_view dst, std::string_view src0,
                    std::string_view src1);

// Of lines that are one program.
std::vector<uint32_t> AssembleProgram(frontend::Generation generation,
                                      const std::vector<std::string>& lines);

}  // namespace gcnjit::robustness
