#include "cli/disasm_ir.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/lifted_kernel.h"
#include "ir/passes.h"
#include "ir/printer.h"

namespace gcnjit::cli {
namespace {

// The function's text at a moment of the pipeline.
Result<std::string> OptimisedText(ir::Function& function, std::string_view moment,
                                  const ir::GuestComment& comment) {
  if (moment.empty()) {
    ir::Optimise(function);
    return ir::Print(function, comment);
  }
  const bool before = moment.starts_with("before:");
  if (!before && !moment.starts_with("after:")) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--ir takes before:PASS or after:PASS, not '{}'", moment)};
  }
  const std::string_view wanted = moment.substr(moment.find(':') + 1);
  std::optional<std::string> text;
  std::string names;
  ir::Optimise(function, [&](std::string_view pass, ir::PassMoment at, const ir::Function& now) {
    const bool is_before = at == ir::PassMoment::kBefore;
    if (is_before) names += fmt::format("{}{}", names.empty() ? "" : ", ", pass);
    if (pass == wanted && is_before == before) text = ir::Print(now, comment);
  });
  if (text) return *std::move(text);
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("there is no pass '{}'; the passes are {}", wanted, names)};
}

}  // namespace

Result<std::string> KernelIr(const frontend::CodeObject& object, const frontend::Kernel& kernel,
                             std::string_view moment) {
  frontend::LiftedCode lifted = LiftKernel(object, kernel);
  auto text = OptimisedText(lifted.function, moment, DisassemblyOf(lifted));
  if (!text) return text;
  return fmt::format("; kernel {}, MODE {:#x}, {} VGPRs\n{}{}", kernel.info.name,
                     lifted.target.mode, lifted.target.vgprs.vgprs, *text, InterpretedText(lifted));
}

}  // namespace gcnjit::cli
