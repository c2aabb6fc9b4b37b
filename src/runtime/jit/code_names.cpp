#include "runtime/jit/code_names.h"

#include <fmt/format.h>

#include <iterator>

namespace gcnjit::runtime {

CodeNames::CodeNames(const LoadedProgram& program) {
  // The symbol of a v2 kernel stands at its descriptor, so kernels count first.
  for (const KernelInfo& info : program.kernels()) {
    const auto kernel = program.Find(info.name);
    if (kernel) names_.emplace((*kernel)->entry_address, info.name);
  }
  for (const frontend::Symbol& symbol : program.symbols()) {
    if (symbol.kind == frontend::SymbolKind::kFunction) {
      names_.emplace(symbol.address, symbol.name);
    }
  }
}

std::string CodeNames::NameOf(uint64_t pc) const {
  const auto next = names_.upper_bound(pc);
  if (next == names_.begin()) return fmt::format("{:#x}", pc);
  const auto& [address, name] = *std::prev(next);
  return fmt::format("{}+{:#x}", name, pc - address);
}

}  // namespace gcnjit::runtime
