// Where runs stop, forwards and backwards.
#include "tests/unit/debug/debug_run.h"

namespace gcnjit::debug {
namespace {

using frontend::Opcode;

Breakpoint AtCode(uint64_t pc) {
  Breakpoint breakpoint;
  breakpoint.pcs = {pc};
  return breakpoint;
}

uint64_t PcOf(const Machine& machine) { return machine.group().registers(machine.next().wave).pc; }

class SessionTest : public testing::Test {
 protected:
  // Two groups of four waves, `count` rounds with two barriers each.
  static std::unique_ptr<DebugRun> Rounds(uint32_t count) {
    auto run = std::make_unique<DebugRun>("barriers_gfx900.co");
    run->Buffer().Value(count).Value(0);
    run->config.global.x = 512;
    return run;
  }
};

TEST_F(SessionTest, ABreakpointIsHitByEachWaveBothWays) {
  Rounds(3)->Debug("rounds", [](Session& session) {
    const uint64_t end = FindOpcode(session, Opcode::S_ENDPGM, session.machine().launch().entry);
    session.breakpoints().Add(AtCode(end));
    std::vector<std::pair<uint64_t, WaveName>> places;
    while (true) {
      const Stop stop = session.Forward(NoGoal());
      if (stop.reason != StopReason::kBreakpoint) break;
      EXPECT_EQ(stop.breakpoints, std::vector<int>{1});
      EXPECT_EQ(PcOf(session.machine()), end);
      places.emplace_back(session.machine().step(), session.machine().next());
    }
    ASSERT_EQ(places.size(), 8u);
    EXPECT_EQ(places[0].second, (WaveName{0, 3})) << "after a barrier waves go down";
    EXPECT_EQ(places[7].second, (WaveName{1, 0}));
    EXPECT_EQ(session.breakpoints().all()[0].hits, 8u);
    EXPECT_TRUE(session.machine().ended());
    for (size_t n = places.size(); n-- != 0;) {
      EXPECT_EQ(session.Backward(NoGoal()).reason, StopReason::kBreakpoint);
      EXPECT_EQ(session.machine().step(), places[n].first);
      EXPECT_EQ(session.machine().next(), places[n].second);
    }
    EXPECT_EQ(session.Backward(NoGoal()).reason, StopReason::kBegin);
    EXPECT_EQ(session.machine().step(), 0u);
    EXPECT_EQ(session.Backward(NoGoal()).reason, StopReason::kBegin);
    session.breakpoints().Enable(1, false);
    EXPECT_EQ(session.Forward(NoGoal()).reason, StopReason::kEnd);
  });
}

TEST_F(SessionTest, ABreakpointForAWorkItem) {
  Rounds(2)->Debug("rounds", [](Session& session) {
    const auto& launch = session.machine().launch();
    Breakpoint breakpoint = AtCode(FindOpcode(session, Opcode::S_BARRIER, launch.entry));
    breakpoint.item = WorkItem{256 + 130, 0, 0};
    session.breakpoints().Add(breakpoint);
    for (int round = 0; round < 2; ++round) {
      ASSERT_EQ(session.Forward(NoGoal()).reason, StopReason::kBreakpoint);
      EXPECT_EQ(session.machine().next(), (WaveName{1, 2}));
    }
    EXPECT_EQ(session.Forward(NoGoal()).reason, StopReason::kEnd);
    // Without a place it is where the wave begins.
    session.GoTo(0);
    session.breakpoints().Clear();
    breakpoint.pcs.clear();
    session.breakpoints().Add(breakpoint);
    ASSERT_EQ(session.Forward(NoGoal()).reason, StopReason::kBreakpoint);
    EXPECT_EQ(session.machine().next(), (WaveName{1, 2}));
    EXPECT_EQ(PcOf(session.machine()), launch.entry);
    EXPECT_EQ(session.Forward(NoGoal()).reason, StopReason::kEnd);
  });
}

TEST(WorkItemTest, PlacesInGroupsAtTheGridsEnd) {
  DebugRun run("launch_gfx900_v4.co");
  run.Buffer().Buffer();
  run.config.global = {70, 13, 3};
  run.config.local = {20, 6, 2};
  run.Debug("ids", [](Session& session) {
    const auto& launch = session.machine().launch();
    uint64_t items = 0;
    for (uint64_t x = 0; x < 70; ++x) {
      for (uint64_t y = 0; y < 13; ++y) {
        for (uint64_t z = 0; z < 3; ++z, ++items) {
          const auto place = PlaceOf(launch, {x, y, z});
          ASSERT_TRUE(place);
          ASSERT_EQ(ItemOf(launch, place->wave, place->lane), (WorkItem{x, y, z}));
        }
      }
    }
    EXPECT_EQ(items, 70u * 13 * 3);
    EXPECT_FALSE(PlaceOf(launch, {70, 0, 0}));
    // The last group has 10 x 1 x 1 work-items: lane 10 has none.
    const WaveName last = PlaceOf(launch, {69, 12, 2})->wave;
    EXPECT_EQ(last, (WaveName{4 * 3 * 2 - 1, 0}));
    EXPECT_FALSE(ItemOf(launch, last, 10));
  });
}

TEST_F(SessionTest, InstructionsOfAWave) {
  Rounds(1)->Debug("rounds", [](Session& session) {
    const WaveName wave{0, 0};
    std::vector<uint64_t> steps = {0};
    while (!IsGone(session.machine(), wave)) {
      ASSERT_EQ(session.Forward(AfterInstruction(wave)).reason, StopReason::kGoal);
      ASSERT_EQ(session.machine().last(), wave);
      steps.push_back(session.machine().step());
    }
    // At barriers the others execute.
    EXPECT_GT(steps.back(), steps.size());
    session.GoTo(steps.back());
    for (size_t n = steps.size() - 1; n-- != 0;) {
      ASSERT_EQ(session.Backward(BeforeInstruction(wave)).reason, StopReason::kGoal);
      ASSERT_EQ(session.machine().next(), wave);
    }
    EXPECT_EQ(session.machine().step(), 0u);
  });
}

TEST_F(SessionTest, TurnsAndBarriers) {
  Rounds(2)->Debug("rounds", [](Session& session) {
    const auto& launch = session.machine().launch();
    const uint64_t barrier = FindOpcode(session, Opcode::S_BARRIER, launch.entry);
    const WaveName wave{0, 1};
    // Its first turn comes when wave 0 waits.
    ASSERT_EQ(session.Forward(AtTurn()).reason, StopReason::kGoal);
    EXPECT_EQ(session.machine().next(), wave);
    EXPECT_EQ(session.machine().Find(0)->registers(0).pc, barrier + 4);
    // All have come to the first barrier, and waves 3 and 2 to the second one.
    ASSERT_EQ(session.Forward(PastBarrier(session.machine(), wave)).reason, StopReason::kGoal);
    EXPECT_EQ(session.machine().next(), wave);
    EXPECT_EQ(PcOf(session.machine()), barrier + 4);
    for (uint32_t n = 0; n < 4; ++n) {
      EXPECT_EQ(session.machine().Find(0)->progress.schedule.status(n),
                n > 1 ? GroupSchedule::Status::kAtBarrier : GroupSchedule::Status::kRunnable);
    }
    const uint64_t step = session.machine().step();
    ASSERT_EQ(session.Forward(PastBarrier(session.machine(), wave)).reason, StopReason::kGoal);
    ASSERT_EQ(session.Backward(PastBarrier(session.machine(), wave)).reason, StopReason::kGoal);
    EXPECT_EQ(session.machine().step(), step);
    ASSERT_EQ(session.Forward(AtEnd(wave)).reason, StopReason::kGoal);
    EXPECT_TRUE(IsGone(session.machine(), wave));
    EXPECT_FALSE(IsGone(session.machine(), {0, 0}));
    EXPECT_TRUE(IsGone(session.machine(), {1, 0}));
  });
}

class MistakesTest : public testing::TestWithParam<bool> {};

TEST_P(MistakesTest, StopsBeforeAFaultAndAtFindings) {
  const bool checks = GetParam();
  DebugRun run("debug_gfx900.co");
  run.Buffer();
  run.config.global.x = 192;
  run.config.local.x = 64;
  if (checks) run.config.check = kCheckAll;
  const LaunchResult plain = run.Plain("mistakes");
  ASSERT_EQ(plain.status, LaunchStatus::kFault);
  run.ClearMemory();
  run.Debug("mistakes", [&](Session& session) {
    Stop stop = session.Forward(NoGoal());
    if (checks) {
      ASSERT_EQ(stop.reason, StopReason::kFinding);
      ASSERT_EQ(stop.findings, std::vector<size_t>{0});
      EXPECT_EQ(session.findings()[0].kind, FindingKind::kLaneConflict);
      // It has not been executed.
      EXPECT_EQ(PcOf(session.machine()), session.findings()[0].site.pc);
      EXPECT_EQ(run.Memory()[0], 0u);
      const uint64_t step = session.machine().step();
      do stop = session.Forward(NoGoal());
      while (stop.reason == StopReason::kFinding);
      EXPECT_EQ(run.Memory()[63], 1u);
      ASSERT_EQ(stop.findings.size(), 1u);
      EXPECT_EQ(session.findings()[stop.findings[0]].kind, FindingKind::kOutOfBounds);
      while (session.machine().step() != step) {
        ASSERT_EQ(session.Backward(NoGoal()).reason, StopReason::kFinding);
      }
      EXPECT_EQ(run.Memory()[0], 0u);
      EXPECT_EQ(session.Backward(NoGoal()).reason, StopReason::kBegin);
      session.stops_at_findings = false;
      stop = session.Forward(NoGoal());
    }
    ASSERT_EQ(stop.reason, StopReason::kFault);
    ASSERT_TRUE(session.machine().fault());
    EXPECT_EQ(session.machine().step(), session.machine().fault()->step);
    EXPECT_EQ(session.machine().next(), (WaveName{1, 0}));
    EXPECT_EQ(PcOf(session.machine()), session.machine().fault()->report.pc);
    EXPECT_EQ(session.machine().fault()->report.lane, 5);
    EXPECT_EQ(session.machine().fault()->report.Describe(), plain.fault->Describe());
    // The instruction's other lanes have not stored.
    EXPECT_EQ(run.Memory()[64], 0u);
    EXPECT_EQ(session.Forward(NoGoal()).reason, StopReason::kFault);
    ASSERT_TRUE(session.result());
    EXPECT_EQ(session.result()->findings.size(), plain.findings.size());
    const uint64_t step = session.machine().step();
    session.GoTo(1);
    EXPECT_EQ(session.GoTo(step + 100).reason, StopReason::kFault);
    EXPECT_EQ(session.machine().step(), step);
  });
}

INSTANTIATE_TEST_SUITE_P(Checks, MistakesTest, testing::Bool());

// What is known at the end of the launch only is shown where it happens.
TEST_F(SessionTest, RacesOfGroups) {
  DebugRun run("debug_gfx900.co");
  run.Buffer();
  run.config.global.x = 192;
  run.config.local.x = 64;
  run.config.check = kCheckRaces;
  run.Debug("collide", [&](Session& session) {
    ASSERT_EQ(session.Forward(NoGoal()).reason, StopReason::kFinding);
    const uint64_t steps = session.machine().frontier();
    const uint64_t step = session.machine().step();
    EXPECT_LT(step, steps);
    ASSERT_FALSE(session.findings().empty());
    const Finding& finding = session.findings()[0];
    EXPECT_EQ(finding.kind, FindingKind::kGlobalRace);
    EXPECT_EQ(PcOf(session.machine()), finding.site.pc);
    EXPECT_EQ(session.machine().next(), (WaveName{finding.site.workgroup[0], finding.site.wave}));
    // The group before has stored, this one has not.
    EXPECT_EQ(run.Memory()[0], finding.site.workgroup[0]);
    while (session.Forward(NoGoal()).reason == StopReason::kFinding) {
    }
    EXPECT_TRUE(session.machine().ended());
    EXPECT_EQ(session.machine().step(), steps);
    EXPECT_EQ(run.Memory()[0], 3u);
    session.GoTo(0);
    ASSERT_EQ(session.Forward(NoGoal()).reason, StopReason::kFinding);
    EXPECT_EQ(session.machine().step(), step);
  });
}

TEST_F(SessionTest, Interruptions) {
  DebugRun run("debug_gfx900.co");
  run.Buffer().Value(2).Buffer();
  run.config.global.x = run.config.local.x = 64;  // the group that would end it is not there
  run.Debug("wait_for_last_group", [](Session& session) {
    session.is_interrupted = [] { return true; };
    EXPECT_EQ(session.Forward(NoGoal()).reason, StopReason::kInterrupted);
    EXPECT_GT(session.machine().step(), 0u);
    session.is_interrupted = {};
    EXPECT_EQ(session.Backward(NoGoal()).reason, StopReason::kBegin);
  });
}

}  // namespace
}  // namespace gcnjit::debug
