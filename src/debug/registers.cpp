#include "debug/registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <iterator>

#include "isa/instruction.h"

namespace gcnjit::debug {

using frontend::Generation;

namespace {

// The highest SGPR that any generation has is s103.
constexpr uint32_t kSgprs = 104;

struct Named {
  std::string_view name;
  RegisterName reg;
};

std::optional<RegisterName> NamedRegister(std::string_view text, Generation generation) {
  const auto flat = static_cast<uint32_t>(frontend::FlatScratchCode(generation));
  using enum RegisterKind;
  const Named all[] = {
      {"vcc", {kScalar, frontend::kCodeVccLo, 2}},
      {"vcc_lo", {kScalar, frontend::kCodeVccLo}},
      {"vcc_hi", {kScalar, frontend::kCodeVccHi}},
      {"exec", {kScalar, frontend::kCodeExecLo, 2}},
      {"exec_lo", {kScalar, frontend::kCodeExecLo}},
      {"exec_hi", {kScalar, frontend::kCodeExecHi}},
      {"m0", {kScalar, frontend::kCodeM0}},
      {"flat_scratch", {kScalar, flat, 2}},
      {"flat_scratch_lo", {kScalar, flat}},
      {"flat_scratch_hi", {kScalar, flat + 1}},
      {"pc", {kPc, 0, 2}},
      {"scc", {kScc}},
      {"mode", {kMode}},
  };
  const auto* found = std::ranges::find(all, text, &Named::name);
  if (found == std::end(all)) return std::nullopt;
  return found->reg;
}

// Takes a number off the begin of the text.
bool TakeNumber(std::string_view& text, uint32_t& number) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool Take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

struct NamedFormat {
  std::string_view name;
  NumberFormat format;
  size_t bytes;
  int width;
};
constexpr NamedFormat kFormats[] = {
    {"hex", NumberFormat::kHex, 4, 10}, {"u32", NumberFormat::kU32, 4, 10},
    {"i32", NumberFormat::kI32, 4, 11}, {"f32", NumberFormat::kF32, 4, 12},
    {"u64", NumberFormat::kU64, 8, 20}, {"i64", NumberFormat::kI64, 8, 20},
    {"f64", NumberFormat::kF64, 8, 20}, {"u8", NumberFormat::kU8, 1, 3},
};

const NamedFormat& Of(NumberFormat format) {
  return *std::ranges::find(kFormats, format, &NamedFormat::format);
}

}  // namespace

std::optional<RegisterName> ParseRegister(std::string_view text, Generation generation) {
  if (const auto named = NamedRegister(text, generation)) return named;
  if (text.size() < 2) return std::nullopt;
  const char file = text.front();
  text.remove_prefix(1);
  const bool is_range = Take(text, '[');
  RegisterName name;
  uint32_t last = 0;
  if (!TakeNumber(text, name.first)) return std::nullopt;
  last = name.first;
  if (is_range && Take(text, ':') && !TakeNumber(text, last)) return std::nullopt;
  if (is_range && !Take(text, ']')) return std::nullopt;
  const uint32_t most = file == 's' ? kSgprs : frontend::kMaxVgprs;
  if (!text.empty() || last < name.first || last >= most) return std::nullopt;
  name.count = last - name.first + 1;
  if (file == 's') return name;
  name.kind = RegisterKind::kVector;
  if (file == 'v') return name;
  if (file != 'a' || !frontend::Has(generation, frontend::kAccVgprs)) return std::nullopt;
  name.first += frontend::kFirstAccVgpr;
  return name;
}

bool Has(const runtime::WaveState& wave, const RegisterName& name) {
  if (name.kind != RegisterKind::kVector) return true;
  const bool is_acc = name.first >= runtime::kFirstAccVgpr;
  const uint32_t first = is_acc ? name.first - runtime::kFirstAccVgpr : name.first;
  return first + name.count <= (is_acc ? wave.acc_vgpr_count : wave.vgpr_count);
}

std::vector<uint32_t> ValuesOf(const runtime::WaveState& wave, const RegisterName& name, int lane) {
  std::vector<uint32_t> values;
  switch (name.kind) {
    case RegisterKind::kPc:
      return {static_cast<uint32_t>(wave.pc), static_cast<uint32_t>(wave.pc >> 32)};
    case RegisterKind::kScc: return {wave.scc};
    case RegisterKind::kMode: return {wave.mode};
    case RegisterKind::kScalar:
      values.assign(wave.sgpr + name.first, wave.sgpr + name.first + name.count);
      return values;
    case RegisterKind::kVector:
      for (uint32_t n = 0; n < name.count; ++n) values.push_back(wave.vgpr[name.first + n][lane]);
      return values;
  }
  return values;
}

void SetValues(runtime::WaveState& wave, const RegisterName& name, int lane,
               std::span<const uint32_t> values) {
  switch (name.kind) {
    case RegisterKind::kPc: wave.pc = values[0] | uint64_t{values[1]} << 32; return;
    case RegisterKind::kScc: wave.scc = values[0]; return;
    case RegisterKind::kMode: wave.mode = values[0]; return;
    case RegisterKind::kScalar: std::ranges::copy(values, wave.sgpr + name.first); return;
    case RegisterKind::kVector:
      for (uint32_t n = 0; n < name.count; ++n) wave.vgpr[name.first + n][lane] = values[n];
      return;
  }
}

std::optional<NumberFormat> ParseNumberFormat(std::string_view text) {
  const auto* found = std::ranges::find(kFormats, text, &NamedFormat::name);
  if (found == std::end(kFormats)) return std::nullopt;
  return found->format;
}

size_t BytesOf(NumberFormat format) { return Of(format).bytes; }
int WidthOf(NumberFormat format) { return Of(format).width; }

std::string NumberText(uint64_t bits, NumberFormat format) {
  const auto low = static_cast<uint32_t>(bits);
  switch (format) {
    case NumberFormat::kHex: return fmt::format("{:#010x}", low);
    case NumberFormat::kU32: return fmt::format("{}", low);
    case NumberFormat::kI32: return fmt::format("{}", static_cast<int32_t>(low));
    case NumberFormat::kF32: return fmt::format("{}", std::bit_cast<float>(low));
    case NumberFormat::kU64: return fmt::format("{}", bits);
    case NumberFormat::kI64: return fmt::format("{}", static_cast<int64_t>(bits));
    case NumberFormat::kF64: return fmt::format("{}", std::bit_cast<double>(bits));
    case NumberFormat::kU8: return fmt::format("{}", bits & 0xFF);
  }
  return {};
}

std::vector<std::string> NumberTexts(const std::byte* bytes, size_t size, NumberFormat format) {
  const size_t each = BytesOf(format);
  std::vector<std::string> texts;
  for (size_t at = 0; at + each <= size; at += each) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes + at, each);
    texts.push_back(NumberText(bits, format));
  }
  return texts;
}

std::string LanesText(uint64_t mask) {
  if (mask == 0) return "none";
  std::string text;
  while (mask != 0) {
    const int first = std::countr_zero(mask);
    const int count = std::countr_one(mask >> first);
    if (!text.empty()) text += ", ";
    text += count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1);
    if (first + count == runtime::kLanes) break;
    mask = mask >> (first + count) << (first + count);
  }
  return text;
}

}  // namespace gcnjit::debug
