#include "cli/debug_expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "debug/value.h"
#include "isa/instruction.h"

namespace gcnjit::cli {

using debug::NumberFormat;
using debug::RegisterKind;
using debug::RegisterName;
using Kind = debug::Change::Kind;

namespace {

Error NoValue(std::string message) { return {ErrorCode::kNotFound, std::move(message)}; }

const runtime::WaveState& WaveStateOf(const DebugTarget& target, const DebugFocus& focus) {
  return target.machine().Find(focus.wave.group)->registers(focus.wave.wave);
}

std::string Trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// What is between NAME[ and the last ].
std::optional<std::string> InBrackets(const std::string& text, std::string_view name) {
  if (!text.starts_with(name) || text.size() < name.size() + 2) return std::nullopt;
  if (text[name.size()] != '[' || text.back() != ']') return std::nullopt;
  return text.substr(name.size() + 1, text.size() - name.size() - 2);
}

// A register, or a lane of one.
std::optional<DebugExpression> ParseRegisterOrLane(const DebugTarget& target,
                                                   const std::string& text) {
  const auto generation = target.machine().code().generation();
  DebugExpression expression;
  if (const auto reg = debug::ParseRegister(text, generation)) {
    expression.reg = *reg;
    return expression;
  }
  const size_t bracket = text.rfind('[');
  if (bracket == std::string::npos || text.back() != ']') return std::nullopt;
  const auto reg = debug::ParseRegister(text.substr(0, bracket), generation);
  const auto lane = ParseNumber(text.substr(bracket + 1, text.size() - bracket - 2));
  if (!reg || reg->kind != RegisterKind::kVector || !lane || *lane >= runtime::kLanes) {
    return std::nullopt;
  }
  expression.reg = *reg;
  expression.lane = static_cast<int>(*lane);
  return expression;
}

Result<std::vector<uint32_t>> RegisterValues(const DebugTarget& target, const DebugFocus& focus,
                                             const DebugExpression& expression) {
  const runtime::WaveState& state = WaveStateOf(target, focus);
  if (!debug::Has(state, expression.reg)) {
    return NoValue(fmt::format("the kernel has {} VGPRs and {} AccVGPRs", state.vgpr_count,
                               state.acc_vgpr_count));
  }
  return debug::ValuesOf(state, expression.reg, expression.lane.value_or(focus.lane));
}

// "NUMBER", "REGISTER" or "REGISTER+NUMBER".
Result<uint64_t> FindLdsAddress(const DebugTarget& target, const DebugFocus& focus,
                                const std::string& text) {
  if (const auto number = ParseNumber(text)) return *number;
  const size_t plus = std::min(text.find('+'), text.size());
  const auto offset = plus == text.size() ? std::optional<uint64_t>(0)
                                          : ParseNumber(Trimmed(text.substr(plus + 1)));
  const auto reg = ParseRegisterOrLane(target, Trimmed(text.substr(0, plus)));
  if (!offset || !reg || reg->reg.count != 1) {
    return NoValue(fmt::format("'{}' is no address in LDS: give a number, or a register", text));
  }
  const auto values = RegisterValues(target, focus, *reg);
  if (!values) return values.error();
  return values->front() + *offset;
}

size_t SizeOf(const DebugExpression& expression) {
  if (expression.kind == Kind::kRegister) return expression.reg.count * 4;
  return debug::BytesOf(expression.format.value_or(NumberFormat::kHex));
}

// Bytes of LDS or memory.
Result<std::span<const std::byte>> BytesAt(const DebugTarget& target, const DebugFocus& focus,
                                           const DebugExpression& expression) {
  const size_t size = SizeOf(expression);
  if (expression.kind == Kind::kMemory) {
    const auto bytes = target.Memory(expression.address, size);
    if (bytes.size() == size) return bytes;
    return NoValue(fmt::format("the kernel cannot read {:#x}: {}", expression.address,
                               target.DescribeAddress(expression.address)));
  }
  const runtime::WorkgroupState& group = target.machine().Find(focus.wave.group)->state();
  if (size > group.lds_bytes || expression.address > group.lds_bytes - size) {
    return NoValue(fmt::format("the group has {} bytes of LDS", group.lds_bytes));
  }
  return std::span<const std::byte>(group.lds + expression.address, size);
}

// Of a register without a format.
std::string UsualText(const DebugTarget& target, const DebugExpression& expression,
                      const std::vector<uint32_t>& values) {
  const RegisterName& reg = expression.reg;
  if (reg.kind == RegisterKind::kScc) return fmt::format("{}", values[0]);
  if (reg.kind == RegisterKind::kMode) return fmt::format("{:#x}", values[0]);
  if (values.size() == 1) return AllFormats(values[0]);
  const uint64_t pair = values[0] | uint64_t{values[1]} << 32;
  if (reg.kind == RegisterKind::kPc) return fmt::format("{:#x}  {}", pair, target.PlaceText(pair));
  if (values.size() > 2) return fmt::format("{:#010x}", fmt::join(values, " "));
  const bool is_mask = reg.kind == RegisterKind::kScalar &&
                       (reg.first == frontend::kCodeExecLo || reg.first == frontend::kCodeVccLo);
  if (is_mask) return MaskText(pair);
  return fmt::format("{:#018x}  {}  {}", pair, NumberText(pair, NumberFormat::kI64),
                     NumberText(pair, NumberFormat::kF64));
}

}  // namespace

std::string AllFormats(uint32_t bits) {
  return fmt::format("{}  {}  {}f", NumberText(bits, NumberFormat::kHex),
                     NumberText(bits, NumberFormat::kI32), NumberText(bits, NumberFormat::kF32));
}

std::string MaskText(uint64_t mask) {
  return fmt::format("{:#018x}  lanes {}", mask, debug::LanesText(mask));
}

Result<DebugExpression> ParseExpression(const DebugTarget& target, const DebugFocus& focus,
                                        const std::string& text) {
  constexpr std::string_view kAs = " as ";
  const size_t as = text.rfind(kAs);
  const std::string what = Trimmed(text.substr(0, as));
  std::optional<NumberFormat> format;
  if (as != std::string::npos) {
    const std::string name = Trimmed(text.substr(as + kAs.size()));
    format = debug::ParseNumberFormat(name);
    if (!format) {
      return NoValue(
          fmt::format("'as {}': expected hex, u32, i32, f32, u64, i64, f64 or u8", name));
    }
  }
  DebugExpression expression;
  if (const auto lds = InBrackets(what, "lds")) {
    const auto address = FindLdsAddress(target, focus, *lds);
    if (!address) return address.error();
    expression.kind = Kind::kLds;
    expression.address = *address;
  } else if (const auto memory = InBrackets(what, "mem")) {
    const auto address = target.FindAddress(*memory, WaveStateOf(target, focus), focus.lane);
    if (!address) return address.error();
    expression.kind = Kind::kMemory;
    expression.address = *address;
  } else if (const auto reg = ParseRegisterOrLane(target, what)) {
    expression = *reg;
    if (format && expression.reg.count * 4 < debug::BytesOf(*format)) {
      return NoValue(
          fmt::format("a 64-bit number takes two registers, as in v[2:3]: not {}", what));
    }
  } else {
    return NoValue(
        fmt::format("no register '{}'; expected one, as v3, v3[5] (of a lane), s[4:5], exec, or "
                    "lds[ADDRESS] or mem[ADDRESS]",
                    what));
  }
  expression.format = format;
  return expression;
}

Result<std::string> ValueText(const DebugTarget& target, const DebugFocus& focus,
                              const DebugExpression& expression) {
  if (expression.kind != Kind::kRegister) {
    const auto bytes = BytesAt(target, focus, expression);
    if (!bytes) return bytes.error();
    if (expression.format) return NumberTexts(bytes->data(), bytes->size(), *expression.format)[0];
    uint32_t word = 0;
    std::memcpy(&word, bytes->data(), sizeof word);
    return AllFormats(word);
  }
  const auto values = RegisterValues(target, focus, expression);
  if (!values) return values.error();
  const auto bytes = std::as_bytes(std::span(*values));
  const std::string text =
      expression.format
          ? fmt::format("{}",
                        fmt::join(NumberTexts(bytes.data(), bytes.size(), *expression.format), " "))
          : UsualText(target, expression, *values);
  const bool is_all = expression.reg.kind == RegisterKind::kVector && !expression.lane;
  return is_all ? fmt::format("lane {}: {}", focus.lane, text) : text;
}

Result<debug::Change> ChangeOf(const DebugFocus& focus, const DebugExpression& expression,
                               const std::string& value) {
  const RegisterName& reg = expression.reg;
  const bool is_register = expression.kind == Kind::kRegister;
  if (is_register && reg.kind == RegisterKind::kVector && !expression.lane) {
    return NoValue("a vector register has a value in each lane: name one, as in v3[5]");
  }
  const size_t size = SizeOf(expression);
  const auto format = expression.format;
  const bool is_one = size <= 8 && !(format == NumberFormat::kF32 && size == 8);
  if (!is_one) return NoValue("a number has 32 or 64 bits: name one register, or two");
  const auto number = debug::ParseValue(Trimmed(value), size, format);
  if (!number) return number.error();
  debug::Change change;
  change.kind = expression.kind;
  change.wave = focus.wave;
  change.reg = reg;
  change.lane = expression.lane.value_or(0);
  change.address = expression.address;
  change.bytes.resize(size);
  std::memcpy(change.bytes.data(), &*number, size);
  return change;
}

}  // namespace gcnjit::cli
