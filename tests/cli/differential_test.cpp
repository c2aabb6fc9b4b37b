// gcnjit fuzz and gcnjit diff: engines that agree, and one with a planted error, which must be
// found and named.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli_fixture.h"

namespace gcnjit::cli_test {
namespace {

nlohmann::json Json(const Outcome& outcome) {
  return nlohmann::json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
}

void ExpectWords(const std::string& text, std::initializer_list<const char*> all) {
  for (const char* words : all) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\nin: " << text;
  }
}

// ---- fuzz

class FuzzTest : public CliTest {};

TEST_F(FuzzTest, FindsNothing) {
  const Outcome run = Gcnjit({"fuzz", "--count", "20", "--seed", "7", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.out << run.err;
  const auto json = Json(run);
  ASSERT_TRUE(json.is_object()) << run.out;
  constexpr size_t kTargets = 8;
  EXPECT_EQ(json["targets"].size(), kTargets);
  EXPECT_EQ(json["programs"], 20 * kTargets);
  EXPECT_EQ(json["targets"]["gfx803"]["programs"], 20);
  EXPECT_GT(json["instructions"].get<int>(), 1000);
  EXPECT_GE(json["engines"].size(), 3u);  // the interpreter and AVX2, exact and as for kernels
  EXPECT_TRUE(json["failures"].empty());
}

// The arguments of the command that a failure gives.
std::vector<std::string> ArgumentsOf(const nlohmann::json& failure) {
  std::istringstream words(failure["command"].get<std::string>());
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word);
  EXPECT_EQ(command.at(0), "gcnjit");
  command.erase(command.begin());
  return command;
}

TEST_F(FuzzTest, FindsReducesAndRepeats) {
  const Outcome run = Gcnjit({"fuzz", "--engines", "interp,wrong:V_ADD_F32:V_SUB_F32", "--gen",
                              "gfx803", "--failures", "1", "--json"});
  ASSERT_EQ(run.exit_code, 4) << run.out << run.err;
  const auto json = Json(run);
  ASSERT_EQ(json["failures"].size(), 1u) << run.out;
  const auto& failure = json["failures"][0];
  EXPECT_LE(failure["instructions"].get<int>(), 10);
  ExpectWords(failure["report"].get<std::string>(), {"v_add_f32", "expected", "got"});

  const Outcome again = Gcnjit(ArgumentsOf(failure));
  EXPECT_EQ(again.exit_code, 4);
  ExpectWords(again.out, {"v_add_f32", "repeat with gcnjit fuzz"});
}

TEST_F(FuzzTest, LaunchesRowsOfGroups) {
  const Outcome run = Gcnjit({"fuzz", "--rows", "--count", "20", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.out << run.err;
  const auto json = Json(run);
  EXPECT_EQ(json["rows"], true);
  EXPECT_EQ(json["targets"]["gfx906"]["programs"], 20);
  // Most must not end in a fault: that says little.
  EXPECT_LT(json["faulted"].get<int>() * 2, json["programs"].get<int>());
}

TEST_F(FuzzTest, FindsReducesAndRepeatsALaunch) {
  const Outcome run =
      Gcnjit({"fuzz", "--rows", "--engines", "interp,wrong-rows:V_LSHLREV_B32:V_LSHRREV_B32",
              "--gen", "gfx900", "--failures", "1", "--json"});
  ASSERT_EQ(run.exit_code, 4) << run.out << run.err;
  const auto failure = Json(run)["failures"].at(0);
  EXPECT_LE(failure["instructions"].get<int>(), 20);
  ExpectWords(failure["report"].get<std::string>(), {"v_lshlrev_b32", "expected", "got", "groups"});
  const Outcome again = Gcnjit(ArgumentsOf(failure));
  EXPECT_EQ(again.exit_code, 4);
  ExpectWords(again.out, {"v_lshlrev_b32", "repeat with gcnjit fuzz --rows"});
}

TEST_F(FuzzTest, SweepsARow) {
  const std::vector<std::string> row = {"fuzz", "--sweep=S_BFE_U32", "--gen", "gfx700"};
  const Outcome right = Gcnjit(row);
  EXPECT_EQ(right.exit_code, 0) << right.out;
  ExpectWords(right.out, {"1 rows", "0 rows failed"});
  std::vector<std::string> planted = row;
  planted.insert(planted.end(), {"--engines", "interp,wrong:S_BFE_U32:S_BFE_I32"});
  const Outcome wrong = Gcnjit(planted);
  EXPECT_EQ(wrong.exit_code, 4);
  ExpectWords(wrong.out, {"s_bfe_u32", "1 rows failed", "--sweep=S_BFE_U32 --gen gfx700"});
}

// Whatever ran before it.
TEST_F(FuzzTest, ASweepsFailureRepeats) {
  for (const bool quick : {true, false}) {
    std::vector<std::string> command = {
        "fuzz",       "--sweep", "--gen",     "gfx700",
        "--seed",     "7",       "--engines", "interp,wrong:S_LSHL_B32:S_LSHR_B32",
        "--failures", "1",       "--json"};
    if (quick) command.push_back("--quick");
    const Outcome first = Gcnjit(command);
    ASSERT_EQ(first.exit_code, 4) << first.out;
    const auto failure = Json(first)["failures"].at(0);
    command = ArgumentsOf(failure);
    command.push_back("--json");
    const Outcome again = Gcnjit(command);
    ASSERT_EQ(again.exit_code, 4) << again.out;
    EXPECT_EQ(Json(again)["failures"].at(0), failure);
  }
}

TEST_F(FuzzTest, RefusesWhatItDoesNotKnow) {
  ExpectMistake(Gcnjit({"fuzz", "--gen", "gfx1030"}), "'gfx1030' is no target");
  ExpectMistake(Gcnjit({"fuzz", "--engines", "interp"}), "at least two");
  ExpectMistake(Gcnjit({"fuzz", "--engines", "interp,sse2"}), "no engine 'sse2'");
  ExpectMistake(Gcnjit({"fuzz", "--rows", "--engines", "interp,avx2"}), "end with -live");
  ExpectMistake(Gcnjit({"fuzz", "--sweep=V_ADD_F128"}), "no instruction 'V_ADD_F128'");
}

// ---- diff

class DiffTest : public CliTest {
 protected:
  Outcome Diff(const std::string& kernel, const std::vector<std::string>& arguments,
               const std::vector<std::string>& more) const {
    std::vector<std::string> line = {"diff", ObjectOf("gfx900"), "--kernel", kernel};
    line.insert(line.end(), more.begin(), more.end());
    for (const std::string& argument : arguments) line.insert(line.end(), {"--arg", argument});
    line.insert(line.end(), {"--case", Path("case.json").string()});
    return Gcnjit(line);
  }
};

TEST_F(DiffTest, FindsNothing) {
  const Outcome run =
      Diff("scale", {"buf:4096", "iota:u32:1024", "u32:3"}, {"--global", "1024", "--local", "256"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  ExpectWords(run.out, {"no difference: 4 groups, 16 waves,", "nor of the launch as a whole, in",
                        "avx2-live"});
  EXPECT_FALSE(fs::exists(Path("case.json")));
  const Outcome with_lds = Diff("sum_local", {"buf:4", "local:256"}, {"--global", "64", "--json"});
  EXPECT_EQ(with_lds.exit_code, 0) << with_lds.out << with_lds.err;
  EXPECT_EQ(Json(with_lds)["status"], "same");
  EXPECT_EQ(Json(with_lds)["launches"].at(0), "avx2-live");
  // Which does not come with code that keeps every register.
  const Outcome exact = Diff("scale", {"buf:4096", "iota:u32:1024", "u32:3"},
                             {"--global", "1024", "--engines", "interp,avx2"});
  EXPECT_EQ(exact.exit_code, 0) << exact.out << exact.err;
  EXPECT_EQ(exact.out.find("as a whole"), std::string::npos) << exact.out;
}

TEST_F(DiffTest, EndsWithTheFaultOfAll) {
  const Outcome run = Diff("stray", {"buf:256", "u32:5"}, {"--global", "64"});
  EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
  ExpectWords(run.out, {"the same fault", "lane 5"});
}

TEST_F(DiffTest, NamesThePlantedErrorAndReplaysIt) {
  const std::string engines = "interp,wrong:V_MUL_LO_U32:V_MUL_HI_U32";
  const Outcome run = Diff("scale", {"buf:4096", "iota:u32:1024", "u32:3"},
                           {"--global", "1024", "--local", "256", "--engines", engines});
  EXPECT_EQ(run.exit_code, 4) << run.out << run.err;
  ExpectWords(run.out, {"in work-group (0, 0, 0)", "wave 0", "v_mul_lo_u32", "lane 1: expected",
                        "shows it by itself", "--replay"});
  const Outcome again = Gcnjit({"diff", "--replay", Path("case.json").string(), "--json"});
  EXPECT_EQ(again.exit_code, 4) << again.out << again.err;
  const auto json = Json(again);
  ASSERT_EQ(json["place"]["instructions"].size(), 1u) << again.out;
  EXPECT_TRUE(
      json["place"]["instructions"][0]["text"].get<std::string>().starts_with("v_mul_lo_u32"));
  EXPECT_EQ(json["place"]["differences"][0]["lane"], 1);
  // Other engines do it right.
  const Outcome right =
      Gcnjit({"diff", "--replay", Path("case.json").string(), "--engines", "interp,avx2"});
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
}

// Files come from other people: whatever they say is refused or run, but never brings us down.
TEST_F(DiffTest, RefusesCasesThatAreWrong) {
  ASSERT_EQ(Diff("scale", {"buf:4096", "iota:u32:1024", "u32:3"},
                 {"--global", "1024", "--local", "256", "--engines",
                  "interp,wrong:V_MUL_LO_U32:V_MUL_HI_U32"})
                .exit_code,
            4);
  const auto right = nlohmann::json::parse(Slurp(Path("case.json")));
  const auto replay = [&](const nlohmann::json& wrong) {
    std::ofstream(Path("wrong.json")) << wrong.dump();
    return Gcnjit({"diff", "--replay", Path("wrong.json").string(), "--engines", "interp,avx2"});
  };
  ASSERT_EQ(replay(right).exit_code, 0);
  const auto expect_refusal = [&](const char* pointer, const nlohmann::json& value) {
    SCOPED_TRACE(fmt::format("{} = {}", pointer, value.dump().substr(0, 80)));
    nlohmann::json wrong = right;
    wrong[nlohmann::json::json_pointer(pointer)] = value;
    ExpectMistake(replay(wrong), "no case");
  };
  expect_refusal("/base", "");
  expect_refusal("/base", "0x");
  expect_refusal("/wave/pc", "12");
  expect_refusal("/memory", nlohmann::json::array());
  // Pages that are not in guest memory, the last one of the address space among them.
  nlohmann::json memory = right["memory"];
  for (const char* address : {"0xfffffffffffff000", "0x0", "0x1000", "0x7ffffffff000"}) {
    memory.push_back({{"address", address}, {"writable", true}, {"bytes", "01"}});
    expect_refusal("/memory", memory);
    memory.erase(memory.size() - 1);
  }
  // Rows of 4 work-items, whole ones, in no columns; rows that the group does not have.
  expect_refusal("/group/shape", "0x100000104");
  expect_refusal("/group/shape", "0x100000007");
  expect_refusal("/group/shape", "0x0100000000000040");
}

// min(x, 1) is x * 1 but for large x: one work-item shows it.
TEST_F(DiffTest, FindsTheFirstGroupThatDiffers) {
  std::vector<uint32_t> in(1024, 1);
  in[700] = 0xC0000000;
  std::ofstream(Path("in.bin"), std::ios::binary)
      .write(reinterpret_cast<const char*>(in.data()), 4096);
  const Outcome run =
      Diff("scale", {"buf:4096", "in:" + Path("in.bin").string(), "u32:1"},
           {"--global", "1024", "--engines", "interp,wrong:V_MUL_LO_U32:V_MIN_U32"});
  EXPECT_EQ(run.exit_code, 4) << run.out << run.err;
  ExpectWords(run.out, {"work-group (10, 0, 0)", "lane 60: expected 0xc0000000, got 0x00000001"});
}

// Each group by itself is right.
TEST_F(DiffTest, FindsWhatOnlyAWholeLaunchShows) {
  const std::vector<std::string> arguments = {"buf:4096", "iota:u32:1024", "u32:3"};
  std::vector<std::string> more = {"--global", "1024", "--engines",
                                   "interp,wrong-rows:V_MUL_LO_U32:V_MUL_HI_U32"};
  const Outcome run = Diff("scale", arguments, more);
  EXPECT_EQ(run.exit_code, 4) << run.out << run.err;
  ExpectWords(run.out, {"The whole launch in wrong-rows:V_MUL_LO_U32:V_MUL_HI_U32 differs",
                        "each of its 16 work-groups by itself is the same",
                        "arg 0 + 0x100: expected 0x000000c0, got 0x00000000;",
                        "the first 2 work-groups, up to (1, 0, 0);"});
  more.push_back("--json");
  const auto json = Json(Diff("scale", arguments, more));
  EXPECT_EQ(json["status"], "different");
  const auto& found = json["difference"];
  EXPECT_EQ(found["groups"], 2);
  EXPECT_EQ(found["workgroup"], nlohmann::json({1, 0, 0}));
  const auto& memory = found["with_groups"]["memory"].at(0);
  EXPECT_EQ(memory["buffer"], "arg 0");
  EXPECT_EQ(memory["offset"], 0x100);
  EXPECT_EQ(memory["expected"], 0xC0);
  EXPECT_EQ(memory["got"], 0);
  // 3 * n has a second byte from n = 86 on.
  EXPECT_EQ(memory["bytes"], 64 + 64 - 22);
}

// The file has the launch's groups up to the one that differs.
TEST_F(DiffTest, RepeatsWholeLaunches) {
  const std::string wrong = "interp,wrong-rows:V_MUL_LO_U32:V_MUL_HI_U32";
  const Outcome run = Diff("scale", {"buf:4096", "iota:u32:1024", "u32:3"},
                           {"--global", "1024", "--engines", wrong});
  EXPECT_EQ(run.exit_code, 4) << run.out << run.err;
  ExpectWords(run.out, {"Repeat it with: gcnjit diff --replay"});
  const std::string path = Path("case.json").string();
  const Outcome again = Gcnjit({"diff", "--replay", path, "--json"});
  EXPECT_EQ(again.exit_code, 4) << again.out << again.err;
  const auto found = Json(again)["difference"];
  EXPECT_EQ(found["groups"], 2);
  EXPECT_EQ(found["with_groups"]["memory"].at(0)["expected"], 0xC0);
  EXPECT_EQ(found["with_groups"]["memory"].at(0)["got"], 0);
  const Outcome right = Gcnjit({"diff", "--replay", path, "--engines", "interp,avx2-live"});
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  ExpectWords(right.out, {"no difference: a launch of 2 groups"});
  ExpectMistake(Gcnjit({"diff", "--replay", path, "--engines", "interp,avx2"}), "-live");
}

TEST_F(DiffTest, RefusesLaunchesThatAreNone) {
  Diff("scale", {"buf:4096", "iota:u32:1024", "u32:3"},
       {"--global", "1024", "--engines", "interp,wrong-rows:V_MUL_LO_U32:V_MUL_HI_U32"});
  nlohmann::json right;
  std::ifstream(Path("case.json")) >> right;
  const auto expect_refusal = [&](const char* at, const nlohmann::json& value) {
    nlohmann::json wrong = right;
    wrong[nlohmann::json::json_pointer(at)] = value;
    std::ofstream(Path("wrong.json")) << wrong;
    ExpectMistake(Gcnjit({"diff", "--replay", Path("wrong.json").string()}), "no case");
  };
  expect_refusal("/launch/global", {0, 1, 1});
  expect_refusal("/launch/local", {2048, 1, 1});
  expect_refusal("/launch/local", {64});
  expect_refusal("/launch/lds_bytes", 1u << 30);
  expect_refusal("/launch/entry", "12");
  expect_refusal("/launch/descriptor", nlohmann::json::object());
  expect_refusal("/memory", nlohmann::json::array());
  expect_refusal("/readable/0/end", "0xfffffffffffff000");
  expect_refusal("/writable/0/begin", "0x1000");
  expect_refusal("/base", "0x10");
}

TEST_F(DiffTest, FindsWhatOnlySeveralThreadsShow) {
  const std::vector<std::string> arguments = {"buf:4096", "iota:u32:1024", "u32:3"};
  std::vector<std::string> more = {"--global", "1024", "--engines",
                                   "interp,wrong-threads:V_MUL_LO_U32:V_MUL_HI_U32"};
  const Outcome run = Diff("scale", arguments, more);
  EXPECT_EQ(run.exit_code, 4) << run.out << run.err;
  ExpectWords(run.out, {"so is the launch on one host thread: it differs on 2",
                        "arg 0 + 0x4: expected 0x00000003, got 0x00000000;"});
  EXPECT_EQ(Gcnjit({"diff", "--replay", Path("case.json").string()}).exit_code, 4);
  more.insert(more.end(), {"--threads", "1"});
  EXPECT_EQ(Diff("scale", arguments, more).exit_code, 0);
}

// Each group writes to the same place.
TEST_F(DiffTest, KnowsGroupOrderFromDifferences) {
  const Outcome run =
      Gcnjit({"diff", std::string(GCNJIT_CLI_OBJECTS) + "/last_group.co", "--global", "256",
              "--arg", "buf:8", "--engines", "interp,wrong-threads:V_MOV_B32:V_NOT_B32", "--case",
              Path("case.json").string()});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  ExpectWords(run.out, {"no difference: 4 groups", "groups run in another order"});
}

// An engine whose launch faults where no group does.
TEST_F(DiffTest, FindsAFaultThatOnlyAWholeLaunchHas) {
  const Outcome run =
      Diff("stray", {"buf:1024", "u32:512"},
           {"--global", "256", "--engines", "interp,wrong-rows:V_CMP_EQ_U32:V_CMP_NE_U32"});
  EXPECT_EQ(run.exit_code, 4) << run.out << run.err;
  ExpectWords(run.out, {"expected its end after", "got a fault: memory write fault",
                        "the first 2 work-groups, up to (1, 0, 0);"});
}

// Launches give waves shorter turns than single groups have. That is no difference of engines.
TEST_F(DiffTest, KnowsTurnsFromDifferences) {
  const Outcome run =
      Gcnjit({"diff", std::string(GCNJIT_CLI_OBJECTS) + "/turns.co", "--global", "128", "--local",
              "128", "--arg", "buf:8", "--case", Path("case.json").string()});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  ExpectWords(run.out, {"no difference: 1 groups", "depends on that"});
}

TEST_F(DiffTest, RefusesWhatItCannotRun) {
  ExpectMistake(Gcnjit({"diff"}), "give CODE_OBJECT and --global, or --replay FILE");
  ExpectMistake(Diff("scal", {}, {"--global", "64"}), "no kernel 'scal'");
  ExpectMistake(Diff("scale", {"buf:4"}, {"--global", "64"}), "takes 3 arguments");
  std::ofstream(Path("bad.json")) << R"({"what": "something else"})";
  ExpectMistake(Gcnjit({"diff", "--replay", Path("bad.json").string()}), "no case");
  std::ofstream(Path("empty.json")) << "";
  ExpectMistake(Gcnjit({"diff", "--replay", Path("empty.json").string()}), "no case");
}

}  // namespace
}  // namespace gcnjit::cli_test
