// Accesses of generated kernels: addresses, bytes from a base, offsets in a buffer.
#pragma once

#include <cstdint>
#include <optional>

#include "differential/kernel_code.h"

namespace gcnjit::differential {

// Where lanes access memory.
struct Pointer {
  enum class Form : uint8_t { kAddress, kFlatAddress, kBase, kBuffer };
  Form form = Form::kAddress;
  uint32_t vgpr = 0;    // an address (a pair), or bytes from a base
  uint32_t base = 0;    // an SGPR pair: kDataBase, kInput or kOutput
  uint32_t scalar = 0;  // what goes on instead of the VGPR: a pair with a base, or an offset in
                        // the buffer; 0: none
};

class KernelPointers {
 public:
  // `wraps`: numbers of elements have bits that are lost where they are multiplied by 4.
  KernelPointers(KernelCode& code, bool wraps);

  // One that the generation has.
  Pointer Any(uint32_t vgpr, uint32_t base);
  // pointer.vgpr becomes what stands for element `index` (a VGPR; signed) of 2^shift bytes.
  void Point(const Pointer& pointer, uint32_t index, uint32_t shift);
  void Advance(const Pointer& pointer, Source bytes);
  // From now on `sgpr`, or a pair, is what goes on, if the pointer has such a thing.
  void WalkByScalar(Pointer& pointer, uint32_t sgpr);
  // `offset` bytes further; 0 for pointers whose instructions have none.
  void At(const Pointer& pointer, Access access, uint32_t data, uint32_t offset = 0);
  bool HasOffset(const Pointer& pointer) const;

 private:
  using Opcode = frontend::Opcode;

  frontend::Generation generation() const { return code_.program().generation; }

  KernelCode& code_;
  std::optional<Pointer::Form> usual_;  // none: each has any
  uint32_t others_percent_ = 0;
};

}  // namespace gcnjit::differential
