// Charts as SVG, in the page's colours.
#pragma once

#include <string>
#include <vector>

namespace gcnjit::report {

struct Bar {
  std::string label;
  double value = 0;
  std::string text;  // of the value
};
// One below the other, from the left; `title` is for those who do not see it.
std::string BarChart(const std::string& title, const std::vector<Bar>& bars);
// Side by side, from the bottom.
std::string ColumnChart(const std::string& title, const std::vector<Bar>& columns);

// What limits a kernel: memory, in bytes a second, and arithmetic, in flops a second.
struct Roofline {
  struct Line {
    std::string label;
    double flops = 0;  // a second
  };
  struct Point {
    std::string label;
    double flops = 0;
  };
  double memory = 0;     // bytes a second
  double intensity = 0;  // flops a byte
  std::vector<Line> peaks;
  std::vector<Point> points;
};
// Empty where there is nothing to draw: no flops, no bytes, no peaks.
std::string RooflineChart(const Roofline& roofline);

}  // namespace gcnjit::report
