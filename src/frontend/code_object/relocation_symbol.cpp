#include "frontend/code_object/relocation_symbol.h"

#include <fmt/format.h>

namespace gcnjit::frontend {
namespace {

constexpr unsigned kSectionLds = 0xFF00;  // SHN_AMDGPU_LDS

}  // namespace

Result<Relocation> RelocationTo(const ElfSymbol* symbol) {
  Relocation relocation;
  if (symbol == nullptr) {
    relocation.symbol_is_absolute = true;  // S is 0
    return relocation;
  }
  if (symbol->raw.st_shndx == kSectionLds) {
    return Error{
        ErrorCode::kUnsupported,
        fmt::format("a relocation refers to the LDS variable '{}', to which a linker gives "
                    "its place: link the object with ld.lld -shared",
                    symbol->name)};
  }
  relocation.symbol = symbol->name;
  // An undefined weak symbol is the absolute address 0.
  const bool is_nothing = symbol->undefined() && ELF64_ST_BIND(symbol->raw.st_info) == STB_WEAK;
  relocation.symbol_value = is_nothing ? 0 : symbol->raw.st_value;
  relocation.symbol_is_absolute = is_nothing || symbol->raw.st_shndx == SHN_ABS;
  relocation.symbol_is_undefined = symbol->undefined() && !is_nothing;
  return relocation;
}

}  // namespace gcnjit::frontend
