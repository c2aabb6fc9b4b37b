// SMRD and SMEM; the addresses are those of exec_smem.cpp.
#include "runtime/check/access.h"
#include "runtime/interpreter/scalar_operands.h"

namespace gcnjit::runtime::check {
namespace {

constexpr uint64_t DwordAligned(uint64_t value) { return value & ~uint64_t{3}; }

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
  const uint64_t from_register =
      i.src[1].kind == OperandKind::kNone ? 0 : DwordAligned(ReadScalar32(w, i.src[1]));
  const uint64_t immediate =
      i.has_offset ? DwordAligned(static_cast<uint64_t>(int64_t{i.offset})) : 0;
  const int reg = info.type == AccessType::kWrite ? i.src[2].index : i.dst.index;
  if (!names.starts_with("s_buffer_")) {
    const uint64_t base = DwordAligned(ReadScalar64(w, i.src[0])) + immediate;
    const bool scratch = names.starts_with("s_scratch_");
    Add(i, info, base + from_register * (scratch ? 64 : 1), info.bytes, reg, list);
    return;
  }
  const uint64_t words01 = w.state.Pair(i.src[0].index);
  const uint64_t num_records = w.state.sgpr[i.src[0].index + 2];
  const uint64_t stride = words01 >> 48 & 0x3FFF;
  const uint64_t bytes = stride == 0 ? num_records : num_records * stride;
  const uint64_t base = DwordAligned(words01 & 0xFFFFFFFFFFFF);
  const uint64_t offset = from_register + immediate;
  if (info.type == AccessType::kAtomic) {
    if (offset < bytes && bytes - offset >= info.bytes) {
      Add(i, info, base + offset, info.bytes, reg, list);
    }
    return;
  }
  // Dword by dword, as far as the buffer goes.
  for (uint32_t n = 0; n < info.bytes; n += 4) {
    if (offset + n >= bytes) return;
    Add(i, info, base + offset + n, 4, reg + static_cast<int>(n / 4), list);
  }
}

}  // namespace gcnjit::runtime::check
