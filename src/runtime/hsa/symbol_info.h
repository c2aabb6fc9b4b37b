// What a symbol says of itself. Code objects and executables number it alike: a number of
// hsa_code_symbol_info_t is that of hsa_executable_symbol_info_t.
#pragma once

#include <hsa/hsa.h>

#include <cstdint>

#include "runtime/hsa/executables.h"

namespace gcnjit::hsa {

hsa_status_t GetSymbolInfo(const Symbol& symbol, uint32_t number, void* value);

}  // namespace gcnjit::hsa
