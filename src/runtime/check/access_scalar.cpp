// SMRD and SMEM.
#include "runtime/check/access.h"
#include "runtime/interpreter/scalar_address.h"

namespace gcnjit::runtime::check {
namespace {

void Add(const Instruction& i, const InstructionInfo& info, uint64_t address, uint32_t bytes,
         int reg, AccessList& list) {
  Access& access = list.Add();
  access.type = info.type;
  access.is_scalar = true;
  access.is_coherent = i.glc;
  access.bytes = bytes;
  access.mask = 1;
  access.reg = reg;
  access.at[0] = address;
}

}  // namespace

void FindScalarAccesses(Wave& w, const Instruction& i, const InstructionInfo& info,
                        AccessList& list) {
  const std::string_view names = i.row().names;
  const int reg = info.type == AccessType::kWrite ? i.src[2].index : i.dst.index;
  if (!names.starts_with("s_buffer_")) {
    const bool scratch = names.starts_with("s_scratch_");
    const uint64_t address = scratch ? ScalarScratchAddress(w, i) : ScalarAddress(w, i);
    Add(i, info, address, info.bytes, reg, list);
    return;
  }
  const ScalarBuffer buffer = ReadScalarBuffer(w, i);
  if (info.type == AccessType::kAtomic) {
    if (buffer.InRange(0, info.bytes)) Add(i, info, buffer.Address(0), info.bytes, reg, list);
    return;
  }
  // Dword by dword, as far as the buffer goes.
  for (uint32_t n = 0; n < info.bytes / 4 && buffer.InRange(n, 1); ++n) {
    Add(i, info, buffer.Address(n), 4, reg + static_cast<int>(n), list);
  }
}

}  // namespace gcnjit::runtime::check
