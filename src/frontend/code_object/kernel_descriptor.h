// What the hardware and the launch need to know of a kernel, the same for code object v2
// (amd_kernel_code_t) and v3 to v6 (the 64-byte kernel descriptor).
// Source: LLVM AMDGPUUsage, "Kernel Descriptor" and "Initial Kernel Execution State";
// llvm/include/llvm/Support/AMDHSAKernelDescriptor.h; AMDKernelCodeT.h for v2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "isa/generation.h"
#include "isa/vector_registers.h"

namespace gcnjit::frontend {

inline constexpr uint32_t kMostUserSgprs = 16;

struct KernelDescriptor {
  Generation generation = Generation::kGfx900;  // how fields are to be read
  uint64_t address = 0;  // of the descriptor itself, in the code object's address space
  uint64_t entry = 0;    // of the first instruction executed, likewise
  uint32_t group_segment_bytes = 0;
  uint32_t private_segment_bytes = 0;  // a work-item
  uint32_t kernarg_bytes = 0;          // 0 where the descriptor does not say (then metadata does)
  uint32_t rsrc1 = 0;                  // COMPUTE_PGM_RSRC1
  uint32_t rsrc2 = 0;                  // COMPUTE_PGM_RSRC2
  uint32_t rsrc3 = 0;                  // COMPUTE_PGM_RSRC3

  // User SGPRs, in the order in which they are laid out.
  bool private_segment_buffer = false;                   // 4 SGPRs
  bool dispatch_ptr = false;                             // 2
  bool queue_ptr = false;                                // 2
  bool kernarg_segment_ptr = false;                      // 2
  bool dispatch_id = false;                              // 2
  bool flat_scratch_init = false;                        // 2
  bool private_segment_size = false;                     // 1
  uint32_t preloaded_dwords = 0;                         // 1 each, of the kernel's arguments
  uint32_t first_preloaded_dword = 0;                    // the number of the first of them
  bool grid_workgroup_count[3] = {false, false, false};  // 1 each, v2 only

  // The first of the SGPRs that hold these addresses.
  std::optional<int> PacketSgpr() const {
    if (!dispatch_ptr) return std::nullopt;
    return private_segment_buffer ? 4 : 0;
  }
  std::optional<int> KernargSgpr() const {
    if (!kernarg_segment_ptr) return std::nullopt;
    return (private_segment_buffer ? 4 : 0) + (dispatch_ptr ? 2 : 0) + (queue_ptr ? 2 : 0);
  }

  // The SGPR with the work-group's id along x: the first after the user SGPRs.
  std::optional<int> GroupIdSgpr() const {
    if (!WorkgroupId(0)) return std::nullopt;
    return static_cast<int>(UserSgprCount());
  }

  bool uses_dynamic_stack = false;

  // Fields of COMPUTE_PGM_RSRC1.
  // In a register file that VGPRs and AccVGPRs share, of both.
  uint32_t VgprCount() const {
    return ((rsrc1 & 0x3F) + 1) * (Has(generation, kUnifiedVgprs) ? 8 : 4);
  }
  uint32_t SgprGranules() const { return (rsrc1 >> 6) & 0xF; }
  // The field counts in eights on every generation (gfx9 leaves odd multiples unused); gfx8 and
  // gfx9 allocate in sixteens, so a wave may own up to 8 registers more. VCC and its kin are
  // included.
  uint32_t SgprCount() const { return (SgprGranules() + 1) * 8; }
  uint32_t FloatMode() const {
    return (rsrc1 >> 12) & 0xFF;
  }  // MODE[7:0]: round and denormal fields
  bool Dx10Clamp() const { return ((rsrc1 >> 21) & 1) != 0; }
  bool IeeeMode() const { return ((rsrc1 >> 23) & 1) != 0; }
  bool Fp16Overflow() const { return ((rsrc1 >> 26) & 1) != 0; }  // gfx9

  // Fields of COMPUTE_PGM_RSRC2.
  bool ScratchWaveOffset() const { return HasScratch() && !Has(generation, kScratchIsGiven); }
  // FLAT_SCRATCH starts as the address of the wave's scratch.
  bool StartsWithScratch() const { return HasScratch() && Has(generation, kScratchIsGiven); }
  uint32_t UserSgprCount() const { return (rsrc2 >> 1) & 0x1F; }
  bool TrapHandler() const { return ((rsrc2 >> 6) & 1) != 0; }
  bool WorkgroupId(int axis) const { return ((rsrc2 >> (7 + axis)) & 1) != 0; }
  bool WorkgroupInfo() const { return ((rsrc2 >> 10) & 1) != 0; }
  // 1 to 3: ids along x, y, z.
  uint32_t WorkitemIdAxes() const { return std::min(((rsrc2 >> 11) & 3) + 1, 3u); }
  bool PacksWorkitemIds() const { return Has(generation, kPackedWorkItemIds); }
  uint32_t WorkitemIdVgprs() const { return PacksWorkitemIds() ? 1 : WorkitemIdAxes(); }

  // Of COMPUTE_PGM_RSRC3: the number of the shared file's register that is a0.
  uint32_t AccumOffset() const { return ((rsrc3 & 0x3F) + 1) * 4; }

  // What a wave has.
  VgprCounts Vgprs() const {
    constexpr uint32_t kMost = kMaxVgprs;
    const uint32_t all = VgprCount();
    const bool shared = Has(generation, kUnifiedVgprs);
    const uint32_t vgprs = std::min({all, kMost, shared ? AccumOffset() : kMost});
    const uint32_t acc = shared ? std::min(all - vgprs, kMost) : vgprs;
    return {static_cast<uint16_t>(vgprs),
            static_cast<uint16_t>(Has(generation, kAccVgprs) ? acc : 0)};
  }

 private:
  bool HasScratch() const { return (rsrc2 & 1) != 0; }
};

}  // namespace gcnjit::frontend
