// MUBUF and MTBUF; the addresses are those of BufferAccess.
#include <algorithm>

#include "runtime/check/access.h"
#include "runtime/interpreter/buffer_format.h"

namespace gcnjit::runtime::check {

namespace {

// Is it the resource that waves find in their first SGPRs (initial_state.cpp)? Code adds the wave's
// offset to its base, or has it in SOFFSET.
bool IsScratch(const Wave& w, const BufferResource& resource) {
  return resource.swizzle && resource.add_tid &&
         resource.base - w.dispatch.scratch_base < resource.num_records;
}

// `bytes` at `component` bytes into each lane's access.
Access& AddPart(const Wave& w, const BufferAccess& buffer, const Instruction& i,
                const InstructionInfo& info, uint32_t component, uint32_t bytes, bool whole,
                AccessList& list) {
  Access& access = list.Add();
  access.type = info.type;
  access.is_coherent = i.glc || i.scc;
  access.bytes = bytes;
  access.mask = buffer.Locate(component, bytes, whole, access.at);
  access.is_scratch = IsScratch(w, buffer.resource());
  if (access.is_scratch) access.dropped = w.exec() & ~access.mask;
  return access;
}

// buffer_store_format_d16_xyz: its components, and how they lie in registers.
int ComponentsOf(std::string_view name) {
  return static_cast<int>(name.size() - name.rfind('_') - 1);
}
Packing PackingOf(std::string_view name) {
  if (name.find("d16_hi") != name.npos) return Packing::kD16Hi;
  return name.find("d16") != name.npos ? Packing::kD16 : Packing::kDwords;
}

std::shared_ptr<const ConvertedStore> ConvertElements(Wave& w, const Instruction& i,
                                                      const FormatPlan& plan) {
  w.UseFloatClass(FloatClass::kNearest);
  const Packing packing = PackingOf(i.row().names);
  return Convert(
      w, plan.stored, [&](int n) { return BitsOfFormatValue(w, i, packing, n); },
      [&](int lane, uint32_t(&element)[4]) { MakeElement(w, i, plan, packing, lane, element); });
}

void AddFormat(Wave& w, const Instruction& i, const InstructionInfo& info, AccessList& list) {
  const BufferAccess buffer(w, i, /*format_access=*/true);
  const bool is_store = info.type == AccessType::kWrite;
  FormatPlan plan;
  if (MakeFormatPlan(i, buffer.resource(), ComponentsOf(i.row().names), is_store, &plan) !=
          nullptr ||
      plan.format.bytes == 0) {
    return;
  }
  const auto converted = is_store ? ConvertElements(w, i, plan) : nullptr;
  const uint32_t piece = buffer.swizzled() ? 1 : plan.format.bytes;
  for (uint32_t n = 0; n < plan.format.bytes; n += piece) {
    Access& access = AddPart(w, buffer, i, info, n, piece, /*whole=*/true, list);
    access.converted = converted;
    access.register_byte = n;
  }
}

}  // namespace

void FindBufferAccesses(Wave& w, const Instruction& i, const InstructionInfo& info,
                        AccessList& list) {
  if (i.row().names.find("_format_") != std::string_view::npos) {
    return AddFormat(w, i, info, list);
  }
  const BufferAccess buffer(w, i, /*format_access=*/false);
  if (info.type == AccessType::kAtomic) {
    AddPart(w, buffer, i, info, 0, info.bytes, /*whole=*/true, list);
    return;
  }
  if (i.opcode == frontend::Opcode::BUFFER_STORE_LDS_DWORD) {
    AddLdsTransfer(w, i, AccessType::kRead, list);
    AddPart(w, buffer, i, info, 0, 4, /*whole=*/false, list);
    return;
  }
  if (i.lds) {
    AddPart(w, buffer, i, info, 0, info.bytes, /*whole=*/false, list);
    return AddLdsTransfer(w, i, AccessType::kWrite, list);
  }
  const int reg = info.type == AccessType::kRead ? i.dst.index : i.src[1].index;
  // In pieces that are contiguous and that the range check takes by themselves.
  const uint32_t piece = buffer.Apart(info.bytes) != 0 ? 1 : std::min(info.bytes, 4u);
  for (uint32_t n = 0; n < info.bytes; n += piece) {
    Access& access = AddPart(w, buffer, i, info, n, piece, /*whole=*/false, list);
    access.reg = reg + static_cast<int>(n / 4);
    access.register_byte = info.register_byte + n % 4;
    access.extends = info.extends;
  }
}

}  // namespace gcnjit::runtime::check
