// Whole pages: all that a report has is in them, and nothing of it is markup.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "report/bench_page.h"
#include "report/exec_page.h"

namespace gcnjit::report {
namespace {

using nlohmann::json;

json Frame(const std::string& text) {
  return json::array({{{"file", "/src/k" + text + ".cl"}, {"line", 12}, {"function", "f" + text}}});
}

// A report of a kernel with all that there may be; each text has `t` in it.
json BenchReportWith(const std::string& t) {
  json memory = {{"accesses", 4},
                 {"bytes", 1024},
                 {"lines", 256},
                 {"least_lines", 16},
                 {"by_lines", {0, 0, 0, 0, 0, 0, 4, 0}},
                 {"line_bytes", 64}};
  json lds = {{"accesses", 4}, {"passes", 256}, {"least_passes", 8}};
  json code = json::array();
  code.push_back({{"place", "k+0x0" + t},
                  {"text", "store" + t},
                  {"kind", "vmem_write"},
                  {"executed", 4},
                  {"by_lanes", true},
                  {"active_lanes", 256},
                  {"memory", memory},
                  {"lds", lds},
                  {"source", Frame(t)},
                  {"source_line", "x = 1;" + t}});
  code.push_back({{"place", "k+0x8"},
                  {"text", "s_endpgm"},
                  {"kind", "other"},
                  {"executed", 4},
                  {"by_lanes", false},
                  {"source", json::array()}});
  json instructions;
  for (const char* name : {"valu", "salu", "vmem_read", "vmem_write", "vmem_atomic", "smem", "lds",
                           "gds", "branch", "barrier", "message", "other"}) {
    instructions[name] = 4;
  }
  json hot = {{"samples", 100},
              {"compiled", 80},
              {"called", 10},
              {"outside", 10},
              {"places", json::array({{{"place", "k+0x0" + t},
                                       {"pc", 0},
                                       {"kind", "instruction"},
                                       {"text", "store" + t},
                                       {"source", Frame(t)},
                                       {"source_line", "x = 1;" + t},
                                       {"samples", 80},
                                       {"host_code", "  vmovdqu32 [rax], zmm0" + t + "\n"}}})}};
  return {{"kernel", "k" + t},
          {"target", "gfx900" + t},
          {"file", "k.co" + t},
          {"work_items", 256},
          {"threads", 1},
          {"counted",
           {{"workgroups", 4},
            {"of_workgroups", 4},
            {"waves", 4},
            {"wave_instructions", 48},
            {"instructions", instructions},
            {"vector_instructions", 24},
            {"active_lanes", 768},
            {"by_active_lanes", {0, 0, 0, 0, 24, 0, 0, 0, 0}},
            {"flops", 512},
            {"bytes_read", 1024},
            {"bytes_written", 1024},
            {"memory", memory},
            {"lds", lds},
            {"blocks", json::array({{{"executed", 4},
                                     {"instructions", 2},
                                     {"vector_instructions", 4},
                                     {"active_lanes", 128},
                                     {"place", "k+0x0" + t},
                                     {"source", Frame(t)}}})},
            {"code", code}}},
          {"peaks", {{"flops", {{"avx2", 1e11}, {"avx512" + t, 2e11}}}, {"memory", 3e10}}},
          {"engines", json::array({{{"engine", "avx512" + t},
                                    {"runs", 5},
                                    {"cpu_seconds", 0.002},
                                    {"wall_seconds", 0.003},
                                    {"wave_instructions", 48},
                                    {"wave_instructions_per_second", 24e3},
                                    {"work_items_per_second", 1e6},
                                    {"flops_per_second", 1e9},
                                    {"bytes_per_second", 2e9},
                                    {"flops_peak", 2e11},
                                    {"compile_seconds", 0.04},
                                    {"not_compiled", {{"s_sleep" + t, 2}}},
                                    {"hot", hot}}})}};
}

json StatisticsWith(const std::string& t) {
  return {
      {"kernels", json::array({{{"kernel", "short" + t},
                                {"launches", 2},
                                {"work_items", 128},
                                {"wave_instructions", 100},
                                {"nanoseconds", 1000000},
                                {"compile_seconds", 0.1},
                                {"fallbacks", 1}},
                               {{"kernel", "long" + t},
                                {"launches", 1},
                                {"work_items", 64},
                                {"wave_instructions", 100},
                                {"nanoseconds", 3000000},
                                {"compile_seconds", 0.0},
                                {"fallbacks", 0}}})},
      {"copies", {{"count", 3}, {"bytes", 4096}, {"nanoseconds", 5000}}},
      {"jit",
       {{"compiled_regions", 2},
        {"compile_seconds", 0.1},
        {"cached_regions", 1},
        {"cache_seconds", 0.01},
        {"cache", "/cache" + t}}},
      {"not_compiled", {{"s_sleep" + t, 2}}},
      {"unfinished", json::array({{{"kernel", "endless" + t}, {"queue", 1}, {"nanoseconds", 5}}})},
      {"check",
       {{"findings", json::array({{{"kind", "race" + t},
                                   {"kernel", "short" + t},
                                   {"count", 7},
                                   {"detail", "two stores" + t},
                                   {"site", {{"instruction", "store" + t}}}}})}}}};
}

size_t Times(const std::string& text, const std::string& what) {
  size_t times = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++times;
  return times;
}

void ExpectAll(const std::string& page, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
}

TEST(BenchPageTest, HasAllFigures) {
  const std::string page = BenchPage(BenchReportWith(""));
  ExpectAll(page, {"Kernel k</h1>", "gfx900, 256 work-items in 4 work-groups, 1 host thread<",
                   "all 4 work-groups", "64 / 4", "96.9 %", "SQ_INSTS_VALU", "barriers",
                   "0.25 flops for each byte", "avx512 200 GFLOP/s", "memory 30 GB/s", "k.cl:12",
                   "x = 1;", "vmovdqu32 [rax], zmm0", "s_sleep (2 in the code)", "executed 4 times",
                   "64 cache lines an access (at best 4)", "64 LDS passes an access (at best 2)",
                   "Show them, in the order of the code"});
  EXPECT_EQ(Times(page, "<svg"), Times(page, "</svg>"));
  EXPECT_EQ(Times(page, "<section"), Times(page, "</section>"));
  EXPECT_EQ(Times(page, "<table"), Times(page, "</table>"));
}

TEST(BenchPageTest, SaysWhatItHasNot) {
  json report = BenchReportWith("");
  report["counted"]["flops"] = 0;
  report["counted"]["workgroups"] = 2;
  report["counted"]["lds"]["accesses"] = 0;
  report["engines"][0].erase("hot");
  const std::string page = BenchPage(report);
  ExpectAll(page, {"no floating-point arithmetic", "the first 2 of 4 work-groups"});
  EXPECT_EQ(page.find("Where the time goes"), std::string::npos);
  EXPECT_EQ(page.find("LDS bank conflicts"), std::string::npos);
}

TEST(ExecPageTest, HasAllFiguresTheLongestFirst) {
  const std::string page = ExecPage(StatisticsWith(""), "./solver --fast");
  ExpectAll(page, {"<h1>./solver --fast</h1>", "short", "long", "/cache", "s_sleep", "endless",
                   "race", "two stores", "75.0 %", "3 copies of 4,096 bytes"});
  EXPECT_LT(page.find("<code class=\"short\">long</code>"),
            page.find("<code class=\"short\">short</code>"));
}

TEST(ExecPageTest, NothingRan) {
  json statistics = StatisticsWith("");
  statistics["kernels"] = json::array();
  statistics["check"]["findings"] = json::array();
  ExpectAll(ExecPage(statistics, ""), {"No kernel was run to its end.", "There are none."});
}

// Kernel names, files, source lines, instructions, whatever: text.
TEST(PagesTest, HostileTextsAreText) {
  const std::string bench = BenchPage(BenchReportWith(""));
  const std::string exec = ExecPage(StatisticsWith(""), "p");
  for (const std::string hostile :
       {"<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
        "</style></title><svg onload=alert(1)>", "]]>--><b>", "&lt;b&gt;", "\xE2\x80\xAE\xFF<b>"}) {
    const std::string found = BenchPage(BenchReportWith(hostile));
    const std::string ran = ExecPage(StatisticsWith(hostile), "p" + hostile);
    // As many tags and quotes as with harmless texts.
    for (const char* mark : {"<", ">", "\"", "'"}) {
      EXPECT_EQ(Times(found, mark), Times(bench, mark)) << mark << " of " << hostile;
      EXPECT_EQ(Times(ran, mark), Times(exec, mark)) << mark << " of " << hostile;
    }
    EXPECT_GT(Times(found, "&lt;") + Times(found, "&#39;") + Times(found, "&amp;"), 20u);
  }
}

TEST(PagesTest, NeedNothingElse) {
  for (const std::string& page :
       {BenchPage(BenchReportWith("")), ExecPage(StatisticsWith(""), "p")}) {
    EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
    EXPECT_EQ(Times(page, "<script"), 1u);
    for (const char* outside : {"http:", "https:", "src=", "<link", "@import", "url("}) {
      EXPECT_EQ(Times(page, outside), 0u) << outside;
    }
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  }
}

}  // namespace
}  // namespace gcnjit::report
