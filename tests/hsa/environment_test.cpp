// What the environment says of the emulated machine. It is read once a process, so each case runs
// in one of its own.
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "fixture.h"

namespace gcnjit::hsa_tests {
namespace {

class EnvironmentDeathTest : public KernelTest {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  void TearDown() override {}

  static std::vector<std::string> AgentNames() {
    std::vector<std::string> names;
    hsa_iterate_agents(
        [](hsa_agent_t agent, void* data) {
          char name[64] = {};
          hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name);
          static_cast<std::vector<std::string>*>(data)->push_back(name);
          return HSA_STATUS_SUCCESS;
        },
        &names);
    return names;
  }
  // Ends the process: with 0, if there are these agents.
  [[noreturn]] static void ExitIfAgentsAre(const std::vector<std::string>& names) {
    std::exit(hsa_init() == HSA_STATUS_SUCCESS && AgentNames() == names ? 0 : 1);
  }
  // Runs a kernel and ends the process: with 0, if it did what it should.
  [[noreturn]] void ExitAfterAKernel() {
    KernelTest::SetUp();
    uint32_t* values = Allocate<uint32_t>(100);
    const hsa_signal_t done = Signal(1);
    Submit(queue_, Packet("add_one", {Address(values)}, 100, 64, done));
    std::exit(Done(done) && values[99] == 1 ? 0 : 1);
  }
};

const auto kExitsWell = testing::ExitedWithCode(0);

TEST_F(EnvironmentDeathTest, Devices) {
  const auto run = [](const char* variable, const char* value, std::vector<std::string> names) {
    setenv(variable, value, 1);
    ExitIfAgentsAre(names);
  };
  EXPECT_EXIT(run("GCNJIT_DEVICE", "gfx906", {"CPU", "gfx906"}), kExitsWell, "");
  EXPECT_EXIT(run("GCNJIT_DEVICES", "3", {"CPU", "gfx900", "gfx900", "gfx900"}), kExitsWell, "");
  EXPECT_EXIT(run("ROCR_VISIBLE_DEVICES", "0", {"CPU", "gfx900"}), kExitsWell, "");
  EXPECT_EXIT(run("ROCR_VISIBLE_DEVICES", "1", {"CPU"}), kExitsWell, "");
}

TEST_F(EnvironmentDeathTest, DeviceMayBeATargetId) {
  const auto run = [](const char* device, const char* isa_name) {
    setenv("GCNJIT_DEVICE", device, 1);
    hsa_isa_t isa;
    const bool is_there =
        hsa_init() == HSA_STATUS_SUCCESS && hsa_isa_from_name(isa_name, &isa) == HSA_STATUS_SUCCESS;
    std::exit(is_there && AgentNames() == std::vector<std::string>{"CPU", "gfx906"} ? 0 : 1);
  };
  constexpr const char* kWithEcc = "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-";
  constexpr const char* kWithoutEcc = "amdgcn-amd-amdhsa--gfx906:sramecc-:xnack-";
  EXPECT_EXIT(run("gfx906", kWithEcc), kExitsWell, "");
  EXPECT_EXIT(run("gfx906:sramecc+:xnack-", kWithEcc), kExitsWell, "");
  EXPECT_EXIT(run("gfx906:sramecc-:xnack-", kWithoutEcc), kExitsWell, "");
  EXPECT_EXIT(run("gfx906:sramecc-", kWithoutEcc), kExitsWell, "");
  EXPECT_EXIT(run("gfx906", kWithoutEcc), testing::ExitedWithCode(1), "");
}

// What rocminfo says of an MI210 (gfx90a), and LLVM's getMaxWavesPerEU, of four SIMDs.
TEST_F(EnvironmentDeathTest, WavesOfAComputeUnit) {
  const auto run = [](const char* device, uint32_t waves) {
    setenv("GCNJIT_DEVICE", device, 1);
    hsa_init();
    hsa_agent_t gpu{};
    hsa_iterate_agents(
        [](hsa_agent_t agent, void* data) {
          *static_cast<hsa_agent_t*>(data) = agent;
          return HSA_STATUS_SUCCESS;
        },
        &gpu);
    uint32_t answer = 0;
    hsa_agent_get_info(
        gpu, std::bit_cast<hsa_agent_info_t>(uint32_t{HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU}),
        &answer);
    std::exit(answer == waves ? 0 : 1);
  };
  EXPECT_EXIT(run("gfx908", 40), kExitsWell, "");
  EXPECT_EXIT(run("gfx90a", 32), kExitsWell, "");
}

TEST_F(EnvironmentDeathTest, WrongValues) {
  const auto run = [](const char* variable, const char* value) {
    setenv(variable, value, 1);
    std::exit(hsa_init() == HSA_STATUS_ERROR ? 0 : 1);
  };
  EXPECT_EXIT(run("GCNJIT_DEVICE", "gfx1030"), kExitsWell,
              "GCNJIT_DEVICE=gfx1030: it may be gfx701, gfx803, gfx900, gfx906, "
              "gfx906:sramecc-:xnack-, gfx908, gfx908:sramecc-:xnack-, gfx90a, gfx942");
  EXPECT_EXIT(run("GCNJIT_DEVICE", "gfx900:xnack+"), kExitsWell,
              "GCNJIT_DEVICE=gfx900:xnack.: it may be gfx701");
  EXPECT_EXIT(run("GCNJIT_DEVICE", "gfx906:fast"), kExitsWell,
              "GCNJIT_DEVICE=gfx906:fast: it may be gfx701");
  EXPECT_EXIT(run("GCNJIT_DEVICES", "0"), kExitsWell,
              "GCNJIT_DEVICES=0: it may be a number from 1");
  EXPECT_EXIT(run("GCNJIT_ENGINE", "fast"), kExitsWell,
              "GCNJIT_ENGINE=fast: it may be jit or interp");
  EXPECT_EXIT(run("GCNJIT_THREADS", "-1"), kExitsWell, "GCNJIT_THREADS=-1: it may be a number");
  EXPECT_EXIT(run("GCNJIT_CHECK", "racez"), kExitsWell, "GCNJIT_CHECK: 'racez': there are memory");
  EXPECT_EXIT(run("GCNJIT_STATS", "yes"), kExitsWell, "GCNJIT_STATS=yes: it may be 1 for a table");
}

TEST_F(EnvironmentDeathTest, Reports) {
  const auto run = [this](const char* variable, const char* value) {
    setenv(variable, value, 1);
    ExitAfterAKernel();
  };
  EXPECT_EXIT(run("GCNJIT_ENGINE", "interp"), kExitsWell, "");
  EXPECT_EXIT(run("GCNJIT_CHECK", "all"), kExitsWell, "gcnjit: 0 findings, in 1 launch\n");
  EXPECT_EXIT(run("GCNJIT_STATS", "1"), kExitsWell, "launches.*\ngcnjit: +1 +100 .* add_one\n");
  EXPECT_EXIT(run("GCNJIT_STATS", "json"), kExitsWell,
              "\\{.*\"kernel\":\"add_one\",\"launches\":1,.*\"work_items\":100\\}.*\\}\n");
}

// Long enough a launch to be compiled.
TEST_F(EnvironmentDeathTest, ReportsWhatIsLeftToTheInterpreter) {
  const auto run = [this](const char* report) {
    setenv("GCNJIT_STATS", report, 1);
    KernelTest::SetUp();
    constexpr uint32_t kItems = 1 << 20;
    uint64_t* times = Allocate<uint64_t>(kItems);
    const hsa_signal_t done = Signal(1);
    Submit(queue_, Packet("clock", {Address(times)}, kItems, 64, done));
    std::exit(Done(done) && times[kItems - 1] != 0 ? 0 : 1);
  };
  EXPECT_EXIT(run("1"), kExitsWell, "fallbacks +kernel\ngcnjit: +1 +1048576 .* 1  clock\n");
  EXPECT_EXIT(run("json"), kExitsWell, "\"fallbacks\":1,\"kernel\":\"clock\"");
}

TEST_F(EnvironmentDeathTest, TraceThatCannotBeWritten) {
  const auto run = [this](const char* path) {
    setenv("GCNJIT_TRACE", path, 1);
    ExitAfterAKernel();
  };
  EXPECT_EXIT(run("/dev/full"), kExitsWell,
              "the trace could not be written to GCNJIT_TRACE=/dev/full: is");
  EXPECT_EXIT(run("/nowhere/trace"), kExitsWell, "cannot write the trace to .*=/nowhere/trace");
  // A file that may not be so large, whose signal would end the process. The message fits.
  const std::filesystem::path folder = testing::TempDir() + "gcnjit_hsa_small_trace";
  std::filesystem::create_directory(folder);
  const auto run_small = [&] {
    const rlimit small = {200, 200};
    setrlimit(RLIMIT_FSIZE, &small);
    run((folder / "trace.json").c_str());
  };
  EXPECT_EXIT(run_small(), kExitsWell, "the trace could not be written to GCNJIT_TRACE=.*: is");
  EXPECT_TRUE(std::filesystem::is_empty(folder));  // no part of it either
  std::filesystem::remove_all(folder);
}

// Kernels of two queues and a copy: each kernel is shown with its queue, and the copy apart.
TEST_F(EnvironmentDeathTest, Trace) {
  const std::string path = testing::TempDir() + "gcnjit_hsa_trace.json";
  const auto run = [this, &path] {
    setenv("GCNJIT_TRACE", path.c_str(), 1);
    KernelTest::SetUp();
    uint32_t* values = Allocate<uint32_t>(200);
    const hsa_signal_t done = Signal(3);
    Submit(queue_, Packet("add_one", {Address(values)}, 100, 64, done));
    Submit(MakeQueue(), Packet("add_one", {Address(values + 100)}, 50, 64, done));
    EXPECT_OK(hsa_amd_memory_async_copy(Allocate<uint32_t>(200), gpu_, values, gpu_, 800, 0,
                                        nullptr, done));
    std::exit(Done(done) && values[99] == 1 ? 0 : 1);
  };
  EXPECT_EXIT(run(), kExitsWell, "");
  const std::vector<char> file = ReadFile(path.c_str());
  std::remove(path.c_str());
  const auto trace = nlohmann::json::parse(file.begin(), file.end(), nullptr, false);
  ASSERT_TRUE(trace.is_array());
  std::map<int, std::string> processes;
  std::map<int, int> queue_of;  // by the number of work-items
  int copies = 0;
  for (const auto& event : trace) {
    if (event["ph"] == "M") processes[event["pid"]] = event["args"]["name"];
    if (event["ph"] != "X") continue;
    EXPECT_GE(event["ts"].get<double>(), 0);
    EXPECT_GT(event["dur"].get<double>(), 0);
    if (processes[event["pid"]] == "copies") {
      ++copies;
      EXPECT_EQ(event["args"]["bytes"], 800);
      continue;
    }
    EXPECT_EQ(processes[event["pid"]], "queues");
    EXPECT_EQ(event["name"], "add_one");
    queue_of[event["args"]["work-items"]] = event["tid"];
  }
  EXPECT_EQ(copies, 1);
  ASSERT_EQ(queue_of.size(), 2u);
  ASSERT_TRUE(queue_of.contains(100) && queue_of.contains(50));
  EXPECT_NE(queue_of[100], queue_of[50]);
}

}  // namespace
}  // namespace gcnjit::hsa_tests
