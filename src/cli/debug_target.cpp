#include "cli/debug_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "cli/kernel_choice.h"
#include "frontend/disassemble/disassembler.h"
#include "runtime/check/check_names.h"
#include "runtime/launch/prepared_launch.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::cli {
namespace {

Error NotFound(std::string message) { return {ErrorCode::kNotFound, std::move(message)}; }

// "TEXT+NUMBER"; without a number 0.
std::pair<std::string, std::optional<uint64_t>> SplitOffset(const std::string& text) {
  const size_t plus = text.rfind('+');
  if (plus == std::string::npos) return {text, 0};
  const auto offset = ParseNumber(std::string_view(text).substr(plus + 1));
  return offset ? std::pair(text.substr(0, plus), offset) : std::pair(text, std::optional(0ul));
}

}  // namespace

std::optional<uint64_t> ParseNumber(std::string_view text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [next, status] = std::from_chars(text.data(), end, number, is_hex ? 16 : 10);
  if (status != std::errc() || next != end) return std::nullopt;
  return number;
}

DebugTarget::DebugTarget(const LaunchRequest& request, const std::string& target,
                         const KernelInfo& kernel, const runtime::LaunchState& launch)
    : kernel_(kernel),
      loaded_(*request.program.internal()),
      arguments_(request.arguments),
      lines_(request.file, target, request.program),
      code_(loaded_.processor(), loaded_.code_ranges()),
      session_({launch, kernel, request.config, request.arguments}, code_, *loaded_.memory(),
               lines_.lines()) {}

DebugTarget::Function DebugTarget::FunctionAt(uint64_t pc) const {
  const uint64_t entry = machine().launch().entry;
  const runtime::CodeMap::CodeRange range = code_.RangeAt(pc);
  Function function{{}, range.begin, range.end};
  const auto add = [&](std::string_view name, uint64_t begin, uint64_t size) {
    if (begin > pc) {
      function.end = std::min(function.end, begin);
    } else if (begin >= function.begin) {
      function = {std::string(name), begin, function.end};
      if (pc < begin + size) function.end = std::min(function.end, begin + size);
    }
  };
  for (const frontend::Symbol& symbol : loaded_.symbols()) {
    if (symbol.kind == frontend::SymbolKind::kFunction) {
      add(symbol.name, symbol.address, symbol.size);
    }
  }
  // The symbol of a v2 kernel stands at its descriptor.
  if (entry >= range.begin && entry < range.end) add(kernel_.name, entry, 0);
  return function;
}

std::string DebugTarget::PlaceText(uint64_t pc) const {
  const Function function = FunctionAt(pc);
  if (function.name.empty()) return fmt::format("{:#x}", pc);
  return fmt::format("{}+{:#x}", function.name, pc - function.begin);
}

std::string DebugTarget::Disassembly(uint64_t pc) const {
  const std::span<const uint32_t> words = code_.WordsAt(pc);
  if (words.empty()) return "(no code there)";
  const runtime::CodeSlot slot = code_.SlotAt(pc);
  if (slot.status != frontend::DecodeStatus::kOk) return fmt::format(".long {:#010x}", words[0]);
  return frontend::DisassembleWords(code_.generation(), words, slot.instruction, pc);
}

std::vector<uint64_t> DebugTarget::InstructionsAround(uint64_t pc, size_t before, size_t after) {
  if (code_.WordsAt(pc).empty()) return {};
  const Function function = FunctionAt(pc);
  const debug::CodeLines& lines = session_.lines();
  std::vector<uint64_t> pcs = lines.InstructionsOf(function.begin, pc);
  if (pcs.size() > before) pcs.erase(pcs.begin(), pcs.end() - static_cast<std::ptrdiff_t>(before));
  const uint64_t end = code_.RangeAt(pc).end;
  for (uint64_t next = pc; next < end && after-- != 0; next += lines.SizeAt(next)) {
    pcs.push_back(next);
  }
  return pcs;
}

Result<uint64_t> DebugTarget::FindFunction(const std::string& name) const {
  if (name.empty() || name == kernel_.name) return machine().launch().entry;
  std::vector<std::string_view> names;
  for (const frontend::Symbol& symbol : loaded_.symbols()) {
    if (symbol.kind == frontend::SymbolKind::kFunction) names.push_back(symbol.name);
  }
  const auto chosen = ChooseKernel(std::move(names), name, kernel_.name);
  if (!chosen) return NotFound(fmt::format("no function '{}'", name));
  if (*chosen == kernel_.name) return machine().launch().entry;
  if (const auto kernel = loaded_.Find(*chosen)) return (*kernel)->entry_address;
  const auto found = std::ranges::find(loaded_.symbols(), *chosen, &frontend::Symbol::name);
  return found->address;
}

Result<DebugTarget::Places> DebugTarget::FindLine(const std::string& file, uint64_t line) {
  if (line == 0 || line > std::numeric_limits<uint32_t>::max()) {
    return NotFound(fmt::format("{}:{}: there is no such line; the first one is 1", file, line));
  }
  const Function function = FunctionAt(machine().launch().entry);
  auto place =
      session_.lines().Find(file, static_cast<uint32_t>(line), function.begin, function.end);
  if (!place) {
    return NotFound(fmt::format("{}:{}: kernel '{}' has no code of it; without -g it has no lines",
                                file, line, kernel_.name));
  }
  return Places{std::move(place->pcs), fmt::format("{}:{}", place->file, place->line)};
}

Result<DebugTarget::Places> DebugTarget::FindPlaces(const std::string& text, uint64_t pc) {
  const size_t colon = text.rfind(':');
  const bool has_file = colon != std::string::npos && (colon == 0 || text[colon - 1] != ':');
  const auto line = ParseNumber(has_file ? text.substr(colon + 1) : text);
  if (line) {
    std::string file = has_file ? text.substr(0, colon) : std::string();
    const SourceFrames& frames = session_.lines().At(pc);
    if (file.empty() && !frames.empty()) file = frames.front().file;
    if (file.empty()) return NotFound("no source file is known here: give FILE:LINE");
    return FindLine(file, *line);
  }
  uint64_t at = 0;
  if (text.starts_with('*')) {
    const auto address = ParseNumber(std::string_view(text).substr(1));
    if (!address) return NotFound(fmt::format("'{}': expected *ADDRESS", text));
    at = *address;
  } else {
    const auto [name, offset] = SplitOffset(text);
    const auto begin = FindFunction(name);
    if (!begin) return begin.error();
    at = *begin + *offset;
  }
  if (code_.WordsAt(at).empty() || at % 4 != 0) {
    return NotFound(fmt::format("'{}': there is no instruction at {:#x}", text, at));
  }
  return Places{{at}, PlaceText(at)};
}

Result<uint64_t> DebugTarget::FindAddress(const std::string& text, const runtime::WaveState& wave,
                                          int lane) const {
  const auto [base, offset] = SplitOffset(text);
  if (const auto number = ParseNumber(base)) return *number + *offset;
  if (base.starts_with("arg")) {
    const auto number = ParseNumber(std::string_view(base).substr(3));
    const auto& entries = arguments_.entries();
    if (number && *number < entries.size() &&
        entries[*number].kind == ArgumentKind::kGlobalBuffer) {
      return entries[*number].address + *offset;
    }
    return NotFound(fmt::format("'{}' is no buffer; arguments are numbered from 0", base));
  }
  const auto reg = debug::ParseRegister(base, code_.generation());
  if (reg && reg->count == 2 && debug::Has(wave, *reg)) {
    const std::vector<uint32_t> values = debug::ValuesOf(wave, *reg, lane);
    return (values[0] | uint64_t{values[1]} << 32) + *offset;
  }
  return NotFound(fmt::format(
      "'{}' is no address: give a number, argN or a pair of registers, and perhaps +OFFSET", text));
}

std::span<const std::byte> DebugTarget::Memory(uint64_t address, uint64_t bytes) const {
  constexpr uint64_t kPage = runtime::GuestMemory::kPageBytes;
  const runtime::GuestMemory& memory = *loaded_.memory();
  uint64_t end = address;
  while (end - address < bytes && memory.Readable(end, 1)) end = (end / kPage + 1) * kPage;
  return {reinterpret_cast<const std::byte*>(address), std::min(bytes, end - address)};
}

std::string DebugTarget::DescribeAddress(uint64_t address) const {
  return loaded_.memory()->Describe(address);
}

FaultReport DebugTarget::Fault() {
  FaultReport report = machine().fault()->report;
  runtime::NoteMissingHost(kernel_, report);
  AddSource(report, lines_.lines());
  return report;
}

Finding DebugTarget::FindingAt(size_t number) {
  Finding finding = session_.findings()[number];
  AddSource(std::span(&finding, 1), lines_.lines());
  return finding;
}

Result<int> WithDebugTarget(const DebugOptions& options,
                            const std::function<int(DebugTarget&)>& use) {
  auto request = MakeRequest(options);
  if (!request) return request.error();
  request->config.threads = 1;
  request->config.engine = Engine::kInterpreter;
  if (!options.check.empty()) {
    const auto checks = ParseChecks(options.check);
    if (!checks) return Error{checks.error().code, "--check " + checks.error().message};
    request->config.check = *checks;
  }
  const auto info = request->program.FindKernel(request->kernel);
  if (!info) return info.error();
  int code = 0;
  const auto result =
      runtime::WithPreparedLaunch(*request->program.internal(), request->kernel, request->config,
                                  request->arguments, [&](const runtime::LaunchState& launch) {
                                    DebugTarget target(*request, options.target, **info, launch);
                                    code = use(target);
                                  });
  if (!result) return result.error();
  return code;
}

}  // namespace gcnjit::cli
