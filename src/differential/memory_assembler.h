// Memory instructions by row and registers, for the parts of generated programs that are not
// random. Bits that say how caches are used are 0.
#pragma once

#include <cstdint>

#include "differential/program.h"
#include "isa/generation.h"
#include "isa/opcode_table.h"

namespace gcnjit::differential {

// What lanes do at an address of their own.
enum class Access : uint8_t {
  kLoadUbyte,
  kLoadSbyte,
  kLoadUshort,
  kLoadSshort,
  kLoadDword,
  kLoadDwordx2,
  kLoadDwordx4,
  kStoreByte,
  kStoreShort,
  kStoreDword,
  // Without the old value:
  kAdd,
  kSub,
  kOr,
  kXor,
  kUmax,
  kSmin,
};
uint32_t BytesOf(Access access);

class MemoryAssembler {
 public:
  explicit MemoryAssembler(frontend::Generation generation) : generation_(generation) {}

  // From the address in an SGPR pair; `offset` in bytes, a multiple of 4.
  Item ScalarLoad(frontend::Opcode opcode, uint32_t sdst, uint32_t pair, uint32_t offset) const;
  // At a 64-bit address in a pair of VGPRs. `free_resource`: SGPRs with a resource whose base is 0,
  // for generations without FLAT.
  Item AtAddress(Access access, uint32_t data, uint32_t pair, uint32_t free_resource) const;
  // The same as FLAT, on gfx7 and later.
  Item AtFlatAddress(Access access, uint32_t data, uint32_t pair) const;
  // At the base in an SGPR pair and 32 bits in a VGPR. gfx9 has it.
  Item AtBase(Access access, uint32_t data, uint32_t base, uint32_t offset) const;
  // In a buffer, at 32 bits in a VGPR and an SGPR (128: none).
  Item InBuffer(Access access, uint32_t data, uint32_t offset, uint32_t resource,
                uint32_t scalar_offset) const;
  // In LDS, `offset` in bytes.
  Item LdsLoad(frontend::Opcode opcode, uint32_t data, uint32_t address, uint32_t offset) const;
  Item LdsStore(frontend::Opcode opcode, uint32_t address, uint32_t data, uint32_t offset) const;

 private:
  Item Start(frontend::Opcode opcode) const;
  Item Flat(frontend::Opcode opcode, Access access, uint32_t data, uint32_t address,
            uint32_t base) const;

  frontend::Generation generation_;
};

}  // namespace gcnjit::differential
