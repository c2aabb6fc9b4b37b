#include "cli/jit_text.h"

#include <fmt/format.h>

#include <optional>

#include "cli/disasm_host.h"
#include "cli/lifted_kernel.h"
#include "ir/passes.h"
#include "ir/printer.h"

namespace gcnjit::cli {
namespace {

// The host that an engine compiles for; nothing: it does not compile.
std::optional<backend::HostIsa> IsaOf(const differential::Engine& engine) {
  for (const backend::HostIsa isa : {backend::HostIsa::kAvx512, backend::HostIsa::kAvx2}) {
    if (engine.name.starts_with(backend::NameOf(isa))) return isa;
  }
  return std::nullopt;
}

}  // namespace

std::string JitText(const frontend::LiftTarget& target, const frontend::CodeBytes& code,
                    uint64_t entry, const differential::Engine& engine) {
  const auto isa = IsaOf(engine);
  if (!isa) return {};
  frontend::LiftedCode lifted = LiftAll(target, code, entry, engine.exact_registers);
  ir::Function function = lifted.function;
  ir::Optimise(function);
  const std::string text =
      "Intermediate code:\n" + ir::Print(function, DisassemblyOf(lifted)) + InterpretedText(lifted);
  const auto host = HostListing(lifted, *isa);
  if (!host) return text + "It cannot be compiled: " + host.error().message + "\n";
  return text + fmt::format("Host code ({}):\n{}", backend::NameOf(*isa), host->text);
}

}  // namespace gcnjit::cli
