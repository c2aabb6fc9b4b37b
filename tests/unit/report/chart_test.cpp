// Charts say what they are given, where it belongs.
#include "report/chart.h"

#include <gtest/gtest.h>

#include <regex>

namespace gcnjit::report {
namespace {

std::vector<double> AllOf(const std::string& svg, const std::string& pattern) {
  std::vector<double> values;
  const std::regex expression(pattern);
  for (std::sregex_iterator at(svg.begin(), svg.end(), expression), end; at != end; ++at) {
    values.push_back(std::stod((*at)[1]));
  }
  return values;
}

TEST(ChartTest, BarsAreAsLongAsTheirValues) {
  const std::string svg = BarChart("t<", {{"a&b", 4, "four"}, {"c", 1, "one"}, {"d", 0, ""}});
  const auto widths = AllOf(svg, "<rect [^>]* width=\"([0-9.]+)\"");
  ASSERT_EQ(widths.size(), 3u);
  EXPECT_NEAR(widths[0], 4 * widths[1], 0.3);
  EXPECT_LE(widths[2], 1);
  EXPECT_NE(svg.find("a&amp;b"), std::string::npos);
  EXPECT_NE(svg.find("aria-label=\"t&lt;\""), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(ChartTest, ColumnsStandOnTheAxis) {
  const std::string svg = ColumnChart("t", {{"1", 10, "x"}, {"2", 5, "y"}, {"3", 0, "z"}});
  const auto heights = AllOf(svg, "<rect [^>]* height=\"([0-9.]+)\"");
  const auto tops = AllOf(svg, "<rect [^>]* y=\"([0-9.]+)\"");
  ASSERT_EQ(heights.size(), 3u);
  EXPECT_NEAR(heights[0], 2 * heights[1], 0.1);
  for (size_t n = 0; n < 3; ++n) EXPECT_NEAR(tops[n] + heights[n], tops[0] + heights[0], 0.1);
  EXPECT_EQ(svg.find(">z<"), std::string::npos);  // nothing there to write over
}

Roofline Usual() {
  return {32e9, 4, {{"avx2", 64e9}, {"avx512", 128e9}}, {{"avx512", 50e9}, {"interp", 1e9}}};
}

TEST(ChartTest, TheRoofBendsWhereMemoryMeetsArithmetic) {
  const std::string svg = RooflineChart(Usual());
  // The slope ends, and the roof of avx512 begins, at 128 / 32 flops a byte, where the kernel is
  // too.
  const auto ends = AllOf(svg, "x2=\"([0-9.]+)\" y2=\"[0-9.]+\" class=\"roof\"");
  const auto begins =
      AllOf(svg, "x1=\"([0-9.]+)\" y1=\"[0-9.]+\" x2=\"[0-9.]+\" y2=\"[0-9.]+\" class=\"roof\"");
  const auto points = AllOf(svg, "<circle cx=\"([0-9.]+)\"");
  ASSERT_EQ(begins.size(), 3u);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_NEAR(ends[0], begins[2], 0.2);
  EXPECT_NEAR(points[0], begins[2], 0.2);
  EXPECT_LT(begins[1], begins[2]);  // avx2's begins further left
  const auto heights = AllOf(svg, "<circle cx=\"[0-9.]+\" cy=\"([0-9.]+)\"");
  EXPECT_LT(heights[0], heights[1]);
}

TEST(ChartTest, WithoutFiguresThereIsNoRoof) {
  Roofline roofline = Usual();
  roofline.intensity = 0;
  EXPECT_EQ(RooflineChart(roofline), "");
  roofline = Usual();
  roofline.memory = 0;
  EXPECT_EQ(RooflineChart(roofline), "");
  roofline = Usual();
  roofline.peaks.clear();
  EXPECT_EQ(RooflineChart(roofline), "");
  roofline = Usual();
  for (auto& point : roofline.points) point.flops = 0;
  EXPECT_EQ(RooflineChart(roofline), "");
}

}  // namespace
}  // namespace gcnjit::report
