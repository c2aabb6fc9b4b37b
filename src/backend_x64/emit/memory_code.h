// Operands of memory operations, the same for every instruction set.
#pragma once

#include "backend_x64/emit/part_access.h"
#include "backend_x64/emit/part_code.h"

namespace gcnjit::backend {

class MemoryCode : protected PartCode {
 protected:
  explicit MemoryCode(BlockParts& parts) : PartCode(parts) {}

  // The lanes of an access; -1: all of them.
  int AccessMask(ir::Value mask, int part) {
    return b_.at.IsAllLanes(mask, part) ? -1 : UseMask(mask, part);
  }
  // The registers of the dwords that are stored, or operands of an atomic.
  void UseData(const ir::Inst& inst, int part, int (&data)[4]) {
    for (int n = 3; n < inst.argument_count; ++n) data[n - 3] = Use(inst.args[n], part);
  }
  // The registers that a load's dwords, or quadwords' components, go to; -1 where nothing reads
  // them.
  void DefResults(ir::Value v, const ir::Inst& inst, int part, int (&result)[4]) {
    for (int& reg : result) reg = -1;
    if (inst.type == ir::Type::kVoid) return;
    const auto def = [&](ir::Value of, int64_t dword) {
      if (!IsRead(of)) return;
      result[dword] = Def(of, part);
      if (inst.type == ir::Type::kV64) result[dword + 1] = Def(of, part, 1);
    };
    def(v, 0);
    const std::vector<ir::Inst>& insts = b_.block.function.insts;
    for (ir::Value p{v.id + 1};
         p.id < insts.size() && InstOf(p).op == ir::Op::kPart && InstOf(p).args[0] == v; ++p.id) {
      def(p, InstOf(p).imm);
    }
  }
  // Parts of an operation come in ascending order: the first one's site is all parts'.
  SiteId SiteOf(ir::Value v, int part) {
    if (part == 0) site_ = b_.accesses.sites.Add(v);
    return site_;
  }
  // What does not depend on operands, of the part of an operation with that site.
  PartAccess PartOf(const ir::Inst& inst, SiteId site, int part);
  // All of a part, but for the labels `scattered` and `partial`. An atomic's lanes are always in a
  // register.
  PartAccess GuestPart(ir::Value v, const ir::Inst& inst, int part);
  // Puts addresses that a loop has counted into their registers, and gives these up.
  void LoadAddress(const PartAddress& address);
  void FreeAddress(const ir::Inst& inst, const PartAccess& s);
  PartAccess LdsPart(ir::Value v, const ir::Inst& inst, int part);
  // Of a load by address. None: it is no stream, or its lanes are known to be close to each other.
  std::optional<StreamBuffer> StreamOf(ir::Value v, const ir::Inst& inst, int part) const;

 private:
  SiteId site_;
};

}  // namespace gcnjit::backend
