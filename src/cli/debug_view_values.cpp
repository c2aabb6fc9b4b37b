// Registers and memory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "cli/debug_view.h"

namespace gcnjit::cli {

using debug::NumberFormat;
using debug::RegisterKind;
using debug::RegisterName;
using runtime::kLanes;

namespace {

// The bytes of registers, as many numbers of that format as they hold.
std::string NumbersText(const std::vector<uint32_t>& values, NumberFormat format) {
  const auto bytes = std::as_bytes(std::span(values));
  return fmt::format("{}", fmt::join(NumberTexts(bytes.data(), bytes.size(), format), " "));
}

}  // namespace

std::string DebugView::Mask(const std::string& text, uint64_t mask) const {
  std::string line = fmt::format("{:<6} {:#018x}  {} lanes: {}\n", text, mask, std::popcount(mask),
                                 debug::LanesText(mask));
  if (!style_.has_colours()) return line;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (lane % 32 == 0) line += fmt::format("{:>6} ", lane);
    line += (mask >> lane & 1) != 0 ? style_.Green("■") : style_.Dim("·");
    if (lane % 8 == 7) line += lane % 32 == 31 ? "\n" : " ";
  }
  return line;
}

// Eight lanes a row; those that EXEC has not are in parentheses, or dim.
std::string DebugView::Lanes(const runtime::WaveState& wave, const RegisterName& name,
                             NumberFormat format) {
  constexpr int kRow = 8;
  std::vector<std::string> cells;
  size_t width = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool is_on = (wave.exec() >> lane & 1) != 0;
    std::string cell = NumbersText(ValuesOf(wave, name, lane), format);
    if (!is_on && !style_.has_colours()) cell = "(" + cell + ")";
    width = std::max(width, cell.size());
    cells.push_back(std::move(cell));
  }
  std::string text;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (lane % kRow == 0) text += fmt::format("{:>6} |", lane);
    const std::string cell = fmt::format(" {:>{}}", cells[static_cast<size_t>(lane)], width);
    text += (wave.exec() >> lane & 1) != 0 ? cell : style_.Dim(cell);
    if (lane % kRow == kRow - 1) text += "\n";
  }
  return text;
}

std::string DebugView::Register(const DebugFocus& focus, const std::string& text,
                                const RegisterName& name, NumberFormat format) {
  const runtime::WaveState& wave = StateOf(focus);
  const std::vector<uint32_t> values = ValuesOf(wave, name, focus.lane);
  if (name.kind == RegisterKind::kVector) return text + "\n" + Lanes(wave, name, format);
  if (name.kind == RegisterKind::kScc) return fmt::format("scc    {}\n", wave.scc);
  if (name.kind == RegisterKind::kPc) return fmt::format("pc     {:#x}\n", wave.pc);
  if (name.kind == RegisterKind::kScalar && values.size() == 2 && format == NumberFormat::kHex) {
    return Mask(text, wave.Pair(static_cast<int>(name.first)));
  }
  return fmt::format("{:<6} {}\n", text, NumbersText(values, format));
}

std::string DebugView::ScalarRegisters(const DebugFocus& focus, NumberFormat format) {
  constexpr uint32_t kRow = 4;
  const runtime::WaveState& wave = StateOf(focus);
  std::string text = fmt::format("pc     {:#x}  {}\n", wave.pc, target_.PlaceText(wave.pc));
  text += Mask("exec", wave.exec()) + Mask("vcc", wave.vcc());
  text += fmt::format("scc    {}\nm0     {:#x}\nmode   {:#x}\n", wave.scc, wave.m0(), wave.mode);
  const uint32_t count = (std::max(target_.kernel().sgpr_count, 16u) + kRow - 1) / kRow * kRow;
  for (uint32_t n = 0; n < std::min(count, 104u); ++n) {
    if (n % kRow == 0) text += fmt::format("s{:<5}", n);
    text += fmt::format(" {:>{}}", NumbersText({wave.sgpr[n]}, format), WidthOf(format));
    if (n % kRow == kRow - 1) text += "\n";
  }
  return text;
}

std::string DebugView::VectorRegisters(const DebugFocus& focus, NumberFormat format) {
  constexpr uint32_t kRow = 4;
  const runtime::WaveState& wave = StateOf(focus);
  const bool is_on = (wave.exec() >> focus.lane & 1) != 0;
  std::string text = fmt::format("lane {}{}\n", focus.lane, is_on ? "" : ", not in EXEC");
  const auto add = [&](uint32_t first, uint32_t count) {
    for (uint32_t n = first; n < first + count; ++n) {
      if ((n - first) % kRow == 0) {
        text += fmt::format("{:<6}", frontend::VectorRegisterName(static_cast<int>(n)));
      }
      text +=
          fmt::format(" {:>{}}", NumbersText({wave.vgpr[n][focus.lane]}, format), WidthOf(format));
      if ((n - first) % kRow == kRow - 1 || n == first + count - 1) text += "\n";
    }
  };
  add(0, wave.vgpr_count);
  add(runtime::kFirstAccVgpr, wave.acc_vgpr_count);
  return text;
}

std::string DebugView::Changes(const DebugFocus& focus, const runtime::WaveState& before) const {
  const runtime::WaveState& now = StateOf(focus);
  std::string text;
  const auto compare = [&](const std::string& name, uint32_t was, uint32_t is) {
    if (was == is) return;
    text += fmt::format("   {:<8} {} -> {}\n", name, NumberText(was, NumberFormat::kHex),
                        style_.Green(NumberText(is, NumberFormat::kHex)));
  };
  for (const char* name : {"vcc_lo", "vcc_hi", "exec_lo", "exec_hi", "m0", "scc", "mode"}) {
    const RegisterName reg = *debug::ParseRegister(name, target_.machine().code().generation());
    compare(name, ValuesOf(before, reg, 0)[0], ValuesOf(now, reg, 0)[0]);
  }
  for (int n = 0; n < frontend::kCodeVccLo; ++n) {
    compare(fmt::format("s{}", n), before.sgpr[n], now.sgpr[n]);
  }
  const auto compare_vectors = [&](uint32_t first, uint32_t count) {
    for (uint32_t n = first; n < first + count; ++n) {
      const std::string name = frontend::VectorRegisterName(static_cast<int>(n));
      compare(name, before.vgpr[n][focus.lane], now.vgpr[n][focus.lane]);
    }
  };
  compare_vectors(0, now.vgpr_count);
  compare_vectors(runtime::kFirstAccVgpr, now.acc_vgpr_count);
  return text;
}

std::string DebugView::Bytes(uint64_t address, std::span<const std::byte> bytes,
                             NumberFormat format) {
  const size_t each = debug::BytesOf(format);
  const size_t row = each == 1 ? 16 : each == 4 ? 8 : 4;
  std::string text;
  const auto numbers = NumberTexts(bytes.data(), bytes.size(), format);
  for (size_t n = 0; n < numbers.size(); ++n) {
    if (n % row == 0) text += style_.Dim(fmt::format("{:#x}:", address + n * each));
    text += fmt::format(" {:>{}}", numbers[n], WidthOf(format));
    if (n % row == row - 1 || n == numbers.size() - 1) text += "\n";
  }
  return text;
}

}  // namespace gcnjit::cli
