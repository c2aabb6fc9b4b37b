#include "differential/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "differential/launch_run.h"
#include "runtime/interpreter/interpreter.h"
#include "runtime/interpreter/mxcsr_guard.h"
#include "runtime/jit/jit_runner.h"

namespace gcnjit::differential {
namespace {

using frontend::Opcode;
using runtime::CodeMap;
using runtime::CodePage;
using runtime::CodeReader;
using runtime::CodeSlot;
using runtime::FloatClass;
using runtime::Wave;
using runtime::WaveEvent;

uint64_t RunWrong(Wave& w, CodeReader& code, uint64_t budget, Opcode from, Opcode to) {
  const runtime::MxcsrGuard guard;
  w.float_class = FloatClass::kUnset;
  w.event = WaveEvent::kNone;
  uint64_t executed = 0;
  while (executed < budget && w.event == WaveEvent::kNone) {
    const CodePage* const page = code.PageAt(w.state.pc);
    if (page == nullptr || w.state.pc % 4 != 0) {
      runtime::RunWave(w, code, 1);  // for the fault
      break;
    }
    CodeSlot slot = page->SlotAt(w.state.pc);
    if (slot.function != nullptr && slot.instruction.opcode == from) {
      slot.function = runtime::ExecFunctionOf(to);
    }
    runtime::StepWave(w, slot);
    ++executed;
  }
  return executed;
}

// Engines with a planted error, by what their names begin with.
struct WrongKind {
  std::string_view prefix;
  Engine (*make)(Opcode from, Opcode to);
};
constexpr WrongKind kWrongKinds[] = {{"wrong:", WrongEngine},
                                     {"wrong-rows:", WrongRowsEngine},
                                     {"wrong-threads:", WrongThreadsEngine}};

// The row with this id that can be executed.
std::optional<Opcode> OpcodeOf(std::string_view id) {
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const frontend::OpcodeRow& row = frontend::RowOf(n);
    if (row.id == id && runtime::ExecFunctionOf(row.opcode) != nullptr) return row.opcode;
  }
  return std::nullopt;
}

// An interpreter whose launches are wrong in groups that `is_wrong` holds for.
Engine WrongLaunchEngine(Opcode from, Opcode to, IsOtherGroup is_wrong) {
  Engine engine = InterpreterEngine();
  engine.prepare_launch = [from, to, is_wrong](CodeMap& code) {
    return LaunchOfGroups(code, InterpreterEngine().prepare(code),
                          WrongEngine(from, to).prepare(code), is_wrong);
  };
  return engine;
}

void Count(const runtime::RegionCache& jit, CompileCounts& counts) {
  const runtime::JitStatistics statistics = jit.Statistics();
  counts.compiled += statistics.guest_instructions;
  for (const auto& [opcode, fallback] : statistics.fallbacks) {
    counts.interpreted[opcode] += fallback.count;
  }
}

}  // namespace

double CompileCounts::CompiledShare() const {
  uint64_t all = compiled;
  for (const auto& [opcode, count] : interpreted) all += count;
  return static_cast<double>(compiled) / static_cast<double>(std::max<uint64_t>(all, 1));
}

std::string CompileCounts::Describe() const {
  std::multimap<uint64_t, Opcode, std::greater<>> most;
  for (const auto& [opcode, count] : interpreted) most.emplace(count, opcode);
  std::string text = fmt::format("{:.2f} % of the instructions compiled; interpreted rows: {}",
                                 100 * CompiledShare(), interpreted.size());
  int shown = 0;
  for (const auto& [count, opcode] : most) {
    if (++shown > 12) return text + " ...";
    text += fmt::format(" {} ({})", frontend::RowOf(opcode).id, count);
  }
  return text;
}

Engine InterpreterEngine() {
  Engine engine;
  engine.name = "interp";
  engine.prepare = [](CodeMap& code) -> RunFunction {
    return [&code](Wave& w, uint64_t budget) {
      CodeReader reader(code);
      return runtime::RunWave(w, reader, budget);
    };
  };
  engine.prepare_launch = InterpretedLaunch;
  return engine;
}

Engine WrongEngine(Opcode from, Opcode to) {
  return {"wrong", [from, to](CodeMap& code) -> RunFunction {
            return [&code, from, to](Wave& w, uint64_t budget) {
              CodeReader reader(code);
              return RunWrong(w, reader, budget, from, to);
            };
          }};
}

Engine WrongRowsEngine(Opcode from, Opcode to) {
  return WrongLaunchEngine(from, to, [](const runtime::WorkgroupState& group, const LaunchLimits&) {
    return group.id[0] != 0;
  });
}

Engine WrongThreadsEngine(Opcode from, Opcode to) {
  return WrongLaunchEngine(from, to,
                           [](const runtime::WorkgroupState&, const LaunchLimits& limits) {
                             return limits.threads > 1;
                           });
}

std::span<const std::string_view> EngineNames() {
  static constexpr std::string_view kNames[] = {"interp", "avx2", "avx512", "avx2-live",
                                                "avx512-live"};
  return kNames;
}

std::optional<Engine> EngineOf(std::string_view name) {
  if (name == "interp") return InterpreterEngine();
  const auto kind = std::ranges::find_if(
      kWrongKinds, [&](const WrongKind& wrong) { return name.starts_with(wrong.prefix); });
  if (kind == std::end(kWrongKinds)) return JitEngine(name);
  const std::string_view rows = name.substr(kind->prefix.size());
  const size_t colon = rows.find(':');
  if (colon == rows.npos) return std::nullopt;
  const std::optional<Opcode> from = OpcodeOf(rows.substr(0, colon));
  const std::optional<Opcode> to = OpcodeOf(rows.substr(colon + 1));
  if (!from || !to) return std::nullopt;
  Engine engine = kind->make(*from, *to);
  engine.name = name;
  return engine;
}

std::optional<Engine> JitEngine(std::string_view isa) {
  using backend::HostIsa;
  Engine engine;
  engine.name = isa;
  engine.exact_registers = !isa.ends_with("-live");
  if (!engine.exact_registers) isa.remove_suffix(5);
  const HostIsa host = isa == "avx512" ? HostIsa::kAvx512 : HostIsa::kAvx2;
  if (isa != backend::NameOf(host) || !backend::HostHas(host)) return std::nullopt;
  engine.counts = std::make_shared<CompileCounts>();
  engine.prepare = [host, exact = engine.exact_registers,
                    counts = engine.counts](CodeMap& code) -> RunFunction {
    const runtime::JitOptions options{.isa = host, .exact_state = exact};
    const std::shared_ptr<runtime::RegionCache> jit(new runtime::RegionCache(code, options),
                                                    [counts](runtime::RegionCache* done) {
                                                      Count(*done, *counts);
                                                      delete done;
                                                    });
    return [&code, jit](Wave& w, uint64_t budget) {
      return runtime::JitRunner(code, *jit, *w.dispatch.memory).Run(w, budget);
    };
  };
  if (!engine.exact_registers) {
    engine.prepare_launch = [host](CodeMap& code) { return CompiledLaunch(code, host); };
  }
  return engine;
}

}  // namespace gcnjit::differential
