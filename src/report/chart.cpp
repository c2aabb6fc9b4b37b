#include "report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "report/html.h"

namespace gcnjit::report {
namespace {

std::string Begin(const std::string& title, int width, int height) {
  return fmt::format(
      "<svg class=\"chart\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" role=\"img\" "
      "aria-label=\"{}\"><title>{}</title>\n",
      width, height, width, height, Escape(title), Escape(title));
}

std::string Text(double x, double y, std::string_view anchor, std::string_view text,
                 std::string_view kind = {}) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, kind.empty() ? "" : fmt::format(" class=\"{}\"", kind), Escape(text));
}

std::string Segment(double x1, double y1, double x2, double y2, std::string_view kind) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2,
      y2, kind);
}

double Largest(const std::vector<Bar>& bars) {
  double most = 0;
  for (const Bar& bar : bars) most = std::max(most, bar.value);
  return most > 0 ? most : 1;
}

// Logarithmic, to the tenfold below and above.
struct Axis {
  double low = 0, high = 1;  // logarithms
  double from = 0, to = 1;   // coordinates

  double At(double value) const {
    return from + (std::log10(value) - low) / (high - low) * (to - from);
  }
};

Axis AxisFor(double least, double most, double from, double to) {
  return {std::floor(std::log10(least)), std::ceil(std::log10(most) + 0.05), from, to};
}

std::string PowerOfTen(double exponent) { return Short(std::pow(10, exponent)); }

}  // namespace

std::string BarChart(const std::string& title, const std::vector<Bar>& bars) {
  constexpr int kWidth = 720, kValue = 130, kRow = 24, kCharacter = 7;
  size_t longest = 8;
  for (const Bar& bar : bars) longest = std::max(longest, bar.label.size());
  const int label_width = std::min(static_cast<int>(longest) * kCharacter + 12, kWidth / 2);
  std::string svg = Begin(title, kWidth, kRow * static_cast<int>(bars.size()) + 4);
  const double most = Largest(bars);
  double y = 2;
  for (const Bar& bar : bars) {
    const double width = bar.value / most * (kWidth - label_width - kValue);
    svg += Text(label_width - 8, y + 16, "end", bar.label);
    svg += fmt::format(
        "<rect x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\" class=\"bar\"/>\n",
        label_width, y + 3, std::max(width, 1.0), kRow - 7);
    svg += Text(label_width + std::max(width, 1.0) + 6, y + 16, "start", bar.text, "dim");
    y += kRow;
  }
  return svg + "</svg>\n";
}

std::string ColumnChart(const std::string& title, const std::vector<Bar>& columns) {
  constexpr int kColumn = 62, kHeight = 150, kTop = 20, kBottom = 24;
  const int width = kColumn * static_cast<int>(columns.size()) + 8;
  std::string svg = Begin(title, width, kHeight + kTop + kBottom);
  const double most = Largest(columns);
  double x = 4;
  for (const Bar& column : columns) {
    const double height = column.value / most * kHeight;
    const double top = kTop + kHeight - height;
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" rx=\"2\" class=\"bar\"/>\n",
        x + 6, top, kColumn - 12, height);
    if (column.value > 0) svg += Text(x + kColumn / 2.0, top - 5, "middle", column.text, "dim");
    svg += Text(x + kColumn / 2.0, kTop + kHeight + 16, "middle", column.label);
    x += kColumn;
  }
  svg += Segment(4, kTop + kHeight, width - 4, kTop + kHeight, "axis");
  return svg + "</svg>\n";
}

std::string RooflineChart(const Roofline& roofline) {
  double best = 0, least = 0;
  for (const Roofline::Line& peak : roofline.peaks) best = std::max(best, peak.flops);
  for (const Roofline::Point& point : roofline.points) {
    if (point.flops > 0) least = least == 0 ? point.flops : std::min(least, point.flops);
  }
  if (best <= 0 || least <= 0 || roofline.memory <= 0 || roofline.intensity <= 0) return {};
  constexpr double kLeft = 64, kRight = 620, kTop = 16, kBottom = 316;
  const double ridge = best / roofline.memory;
  const Axis x = AxisFor(std::min(roofline.intensity, ridge) / 4,
                         std::max(roofline.intensity, ridge) * 4, kLeft, kRight);
  const Axis y = AxisFor(least / 2, best, kBottom, kTop);
  std::string svg = Begin("Roofline: flops a second over flops a byte", 640, 366);
  for (double n = x.low; n <= x.high; ++n) {
    const double at = x.At(std::pow(10, n));
    svg += Segment(at, kTop, at, kBottom, "grid") + Text(at, kBottom + 18, "middle", PowerOfTen(n));
  }
  for (double n = y.low; n <= y.high; ++n) {
    const double at = y.At(std::pow(10, n));
    svg +=
        Segment(kLeft, at, kRight, at, "grid") + Text(kLeft - 8, at + 4, "end", PowerOfTen(n - 9));
  }
  svg += Text((kLeft + kRight) / 2, kBottom + 42, "middle", "flops a byte asked for", "dim");
  svg +=
      "<text transform=\"translate(14 166) rotate(-90)\" text-anchor=\"middle\" "
      "class=\"dim\">GFLOP/s of a core</text>\n";
  // Where the slope meets the bottom, or the left side.
  const double low = std::max(std::pow(10, x.low), std::pow(10, y.low) / roofline.memory);
  svg += Segment(x.At(low), y.At(low * roofline.memory), x.At(ridge), y.At(best), "roof");
  // Below the slope, a quarter of its way up.
  const double label = std::pow(low, 0.75) * std::pow(ridge, 0.25);
  svg += Text(x.At(label) + 10, y.At(label * roofline.memory) + 14, "start",
              fmt::format("memory {} GB/s", Short(roofline.memory / 1e9)), "dim");
  for (const Roofline::Line& peak : roofline.peaks) {
    if (peak.flops <= 0) continue;
    const double at = y.At(peak.flops);
    svg += Segment(x.At(peak.flops / roofline.memory), at, kRight, at, "roof");
    svg += Text(kRight - 4, at - 5, "end",
                fmt::format("{} {} GFLOP/s", peak.label, Short(peak.flops / 1e9)), "dim");
  }
  const double here = x.At(roofline.intensity);
  svg += Segment(here, kTop, here, kBottom, "here");
  const bool has_room = here < kRight - 190;
  for (const Roofline::Point& point : roofline.points) {
    if (point.flops <= 0) continue;
    const double at = y.At(point.flops);
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" class=\"point\"/>\n", here, at);
    svg += Text(has_room ? here + 10 : here - 10, at + 4, has_room ? "start" : "end",
                fmt::format("{} {}", point.label, Short(point.flops / 1e9)));
  }
  return svg + "</svg>\n";
}

}  // namespace gcnjit::report
