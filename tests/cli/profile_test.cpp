// What gcnjit bench counts for accesses, lanes and blocks, on kernels where it can be worked out by
// hand; and that the page has it.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli_fixture.h"

namespace gcnjit::cli_test {
namespace {

using nlohmann::json;

class ProfileTest : public CliTest {
 protected:
  Outcome Bench(const std::string& kernel, const std::vector<std::string>& arguments,
                const std::vector<std::string>& more = {"--json"},
                const std::string& engines = "interp") const {
    std::vector<std::string> line = {
        "bench",         std::string(GCNJIT_CLI_OBJECTS) + "/profile.co",
        "--kernel",      kernel,
        "--global",      "128",
        "--time",        "0",
        "--repetitions", "1",
        "--engines",     engines};
    for (const std::string& argument : arguments) {
      line.push_back("--arg");
      line.push_back(argument);
    }
    line.insert(line.end(), more.begin(), more.end());
    return Gcnjit(line);
  }
  // What was counted for two waves.
  json Counted(const std::string& kernel, const std::vector<std::string>& arguments) const {
    const Outcome bench = Bench(kernel, arguments);
    EXPECT_EQ(bench.exit_code, 0) << bench.err;
    return json::parse(bench.out)["counted"];
  }
  // Of the only instruction that has this in its name.
  static json CodeOf(const json& counted, const std::string& mnemonic) {
    json found;
    for (const json& code : counted["code"]) {
      if (!code["text"].get<std::string>().starts_with(mnemonic)) continue;
      EXPECT_TRUE(found.is_null()) << mnemonic;
      found = code;
    }
    EXPECT_FALSE(found.is_null()) << mnemonic << " in " << counted.dump(1);
    return found;
  }
};

TEST_F(ProfileTest, StridedAccesses) {
  for (const auto& [stride, lines] :
       std::vector<std::pair<int, int>>{{1, 4}, {2, 8}, {8, 32}, {16, 64}, {64, 64}}) {
    const json counted =
        Counted("strided", {"buf:64K", "iota:u32:128", "u32:" + std::to_string(stride)});
    const json load = CodeOf(counted, "global_load_dword")["memory"];
    EXPECT_EQ(load["accesses"], 2);
    EXPECT_EQ(load["lines"], 2 * 4);
    EXPECT_EQ(load["bytes"], 2 * 256);
    const json store = CodeOf(counted, "global_store_dword")["memory"];
    EXPECT_EQ(store["accesses"], 2);
    EXPECT_EQ(store["lines"], 2 * lines) << stride;
    EXPECT_EQ(store["least_lines"], 2 * 4);
    EXPECT_EQ(counted["memory"]["lines"], 2 * (4 + lines));
    EXPECT_EQ(counted["memory"]["accesses"], 4);
    EXPECT_EQ(counted["bytes_written"], 2 * 256);
    EXPECT_EQ(counted["waves"], 2);
    EXPECT_EQ(counted["instructions"]["vmem_read"], 2);
    EXPECT_EQ(counted["instructions"]["vmem_write"], 2);
    EXPECT_EQ(counted["instructions"]["lds"], 0);
  }
}

TEST_F(ProfileTest, CountsByLinesAddUp) {
  const json counted = Counted("strided", {"buf:64K", "iota:u32:128", "u32:16"});
  // Loads of 4 lines, stores of 64.
  EXPECT_EQ(counted["memory"]["by_lines"], json({0, 0, 2, 0, 0, 0, 2, 0}));
}

TEST_F(ProfileTest, BankConflicts) {
  for (const auto& [stride, passes] : std::vector<std::pair<int, int>>{
           {1, 2}, {2, 4}, {3, 2}, {4, 8}, {32, 64}, {33, 2}, {0, 2}}) {
    const json counted =
        Counted("conflicts", {"buf:1024", "local:16K", "u32:" + std::to_string(stride)});
    for (const char* mnemonic : {"ds_write_b32", "ds_read_b32"}) {
      const json lds = CodeOf(counted, mnemonic)["lds"];
      EXPECT_EQ(lds["accesses"], 2) << mnemonic;
      EXPECT_EQ(lds["passes"], 2 * passes) << mnemonic << ", stride " << stride;
      EXPECT_EQ(lds["least_passes"], 2 * 2) << mnemonic;
    }
    EXPECT_EQ(counted["lds"]["passes"], 4 * passes);
    EXPECT_EQ(counted["instructions"]["barrier"], 2);
    EXPECT_EQ(counted["instructions"]["lds"], 4);
  }
}

TEST_F(ProfileTest, ADivergentLoop) {
  const json counted = Counted("uneven", {"buf:1024"});
  // 63 rounds of each wave, with 63, 62, ... 1 lanes that want another.
  const auto loop = std::ranges::find_if(
      counted["blocks"], [](const json& block) { return block["executed"] == 2 * 63; });
  ASSERT_NE(loop, counted["blocks"].end()) << counted["blocks"].dump(1);
  const auto vectors = (*loop)["vector_instructions"].get<int>();
  ASSERT_GT(vectors, 0);
  EXPECT_EQ((*loop)["active_lanes"].get<int>() / vectors, 32);
  EXPECT_EQ((*loop)["active_lanes"].get<int>() % vectors, 0);
  EXPECT_EQ(CodeOf(counted, "global_store_dword")["active_lanes"], 2 * 64);
  // Each number of lanes from 1 to 63 the same number of times.
  const json lanes = counted["by_active_lanes"];
  EXPECT_EQ(lanes[0], 0);
  for (int n = 1; n <= 7; ++n) EXPECT_EQ(lanes[n], lanes[1]) << n;
  EXPECT_EQ(lanes[1].get<int>(), 8 * vectors / 63);
}

TEST_F(ProfileTest, InstructionsAddUp) {
  for (const char* kernel : {"strided", "uneven"}) {
    const std::vector<std::string> arguments =
        std::string(kernel) == "uneven"
            ? std::vector<std::string>{"buf:1024"}
            : std::vector<std::string>{"buf:64K", "iota:u32:128", "u32:1"};
    const json counted = Counted(kernel, arguments);
    int by_kind = 0, by_code = 0, by_block = 0;
    for (const auto& [kind, count] : counted["instructions"].items()) by_kind += count.get<int>();
    for (const json& code : counted["code"]) by_code += code["executed"].get<int>();
    for (const json& block : counted["blocks"])
      by_block += block["executed"].get<int>() * block["instructions"].get<int>();
    EXPECT_EQ(by_kind, counted["wave_instructions"]);
    EXPECT_EQ(by_code, counted["wave_instructions"]);
    EXPECT_EQ(by_block, counted["wave_instructions"]);
  }
}

TEST_F(ProfileTest, SourceLinesAreThere) {
  const json store = CodeOf(Counted("uneven", {"buf:1024"}), "global_store_dword");
  EXPECT_EQ(store["source"][0]["line"], 21);
  EXPECT_EQ(store["source_line"], "  out[ID] = sum;");
  EXPECT_TRUE(store["place"].get<std::string>().starts_with("uneven+0x"));
}

TEST_F(ProfileTest, WritesAPage) {
  const std::string page = Path("page.html");
  const Outcome bench = Bench("uneven", {"buf:1024"}, {"--html", page}, "interp,avx2");
  ASSERT_EQ(bench.exit_code, 0) << bench.err;
  EXPECT_NE(bench.out.find("kernel 'uneven'"), std::string::npos);  // the usual text as well
  const std::string html = Slurp(page);
  for (const char* words :
       {"<h1>Kernel uneven</h1>", "id=\"speed\"", "id=\"roofline\"", "id=\"counters\"",
        "id=\"memory\"", "id=\"divergence\"", "id=\"hot-avx2\"", "id=\"code\"", "out[ID] = sum;"}) {
    EXPECT_NE(html.find(words), std::string::npos) << words;
  }
  EXPECT_TRUE(html.ends_with("</html>\n"));
  for (const auto& file : fs::directory_iterator(directory_))
    EXPECT_EQ(file.path().string().find("page.html."), std::string::npos) << file;
}

TEST_F(ProfileTest, ThePageAloneGoesToStandardOutput) {
  const Outcome bench = Bench("uneven", {"buf:1024"}, {"--html", "-"});
  ASSERT_EQ(bench.exit_code, 0) << bench.err;
  EXPECT_TRUE(bench.out.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(bench.out.ends_with("</html>\n"));
}

TEST_F(ProfileTest, APageThatCannotBeWrittenIsAMistakeAtOnce) {
  ExpectMistake(Bench("uneven", {"buf:1024"}, {"--html", "/no/such/folder/page.html"}),
                "/no/such/folder/page.html");
  const Outcome full = Bench("uneven", {"buf:1024"}, {"--html", "/dev/full"});
  EXPECT_EQ(full.exit_code, 2);
}

}  // namespace
}  // namespace gcnjit::cli_test
