// What is changed in a run stays with its place, on the way back and forwards.
#include "debug/change.h"

#include <map>
#include <random>

#include "tests/unit/debug/debug_run.h"

namespace gcnjit::debug {
namespace {

std::vector<std::byte> BytesOfWords(std::initializer_list<uint32_t> words) {
  const auto bytes = std::as_bytes(std::span(words.begin(), words.size()));
  return {bytes.begin(), bytes.end()};
}

Change OfRegister(const WaveName& wave, const char* name, std::initializer_list<uint32_t> words,
                  int lane = 0) {
  const auto reg = *ParseRegister(name, frontend::Generation::kGfx900);
  return {Change::Kind::kRegister, wave, reg, lane, 0, BytesOfWords(words)};
}
Change OfMemory(uint64_t address, uint32_t word) {
  return {Change::Kind::kMemory, {}, {}, 0, address, BytesOfWords({word})};
}
Change OfLds(uint64_t group, uint64_t address, uint32_t word) {
  return {Change::Kind::kLds, {group, 0}, {}, 0, address, BytesOfWords({word})};
}

class ChangeTest : public testing::Test {
 protected:
  // Two groups of four waves that work on each other's LDS.
  ChangeTest() : run_("barriers_gfx900.co") {
    run_.Buffer().Value(40).Value(1);
    run_.config.global.x = 512;
  }
  uint64_t buffer() const { return run_.arguments.entries()[0].address; }

  DebugRun run_;
};

TEST_F(ChangeTest, StaysOnTheWayBackAndForwards) {
  run_.Debug("rounds", [&](Session& session) {
    session.Forward(NoGoal());
    const uint64_t plain_steps = session.machine().step();
    const std::vector<uint32_t> plain = run_.Memory();
    // Of each kind some, each after the one before.
    std::mt19937 random(3);
    for (uint64_t n = 1; n <= 12; ++n) {
      session.GoTo(plain_steps * n / 40 + n);
      const WaveName wave = session.machine().next();
      const uint32_t word = static_cast<uint32_t>(random());
      const Change change = n % 3 == 0   ? OfMemory(buffer() + 4096 * n, word)
                            : n % 3 == 1 ? OfRegister(wave, "v1", {word}, int(word % 64))
                                         : OfLds(wave.group, word % 512 * 4, word);
      const auto made = session.Make(change);
      ASSERT_TRUE(made) << made.error().message;
      EXPECT_EQ(*made, n == 1);  // the whole run had been executed
      EXPECT_EQ(session.machine().frontier(), session.machine().step());
    }
    ASSERT_EQ(session.Forward(NoGoal()).reason, StopReason::kEnd);
    const uint64_t steps = session.machine().step();
    const std::vector<uint32_t> changed = run_.Memory();
    EXPECT_NE(changed, plain);
    std::map<uint64_t, std::pair<uint64_t, std::vector<uint32_t>>> seen;
    for (int n = 0; n < 60; ++n) {
      const uint64_t place = n == 0 ? 0 : random() % steps;
      session.GoTo(place);
      const std::pair now(FingerprintOf(session.machine()), run_.Memory());
      EXPECT_EQ(seen.try_emplace(place, now).first->second, now) << "step " << place;
    }
    for (const auto& [place, then] : seen) {
      session.GoTo(place);
      ASSERT_EQ(FingerprintOf(session.machine()), then.first) << "step " << place;
      ASSERT_EQ(run_.Memory(), then.second) << "step " << place;
    }
    session.Forward(NoGoal());
    EXPECT_EQ(session.machine().step(), steps);
    EXPECT_EQ(run_.Memory(), changed);
  });
}

TEST_F(ChangeTest, IsSeenAtItsPlaceAndNotBefore) {
  run_.Debug("rounds", [&](Session& session) {
    for (const uint64_t place : {0, 1, 2000}) {  // at 0 there is a snapshot
      session.GoTo(place);
      const WaveName wave = session.machine().next();
      ASSERT_TRUE(session.Make(OfRegister(wave, "s[90:91]", {1, 2})));
      ASSERT_TRUE(session.Make(OfRegister(wave, "v1", {77}, 9)));
      ASSERT_TRUE(session.Make(OfRegister(wave, "v1", {78}, 9)));
      ASSERT_TRUE(session.Make(OfMemory(buffer() + 8, 79)));
      ASSERT_TRUE(session.Make(OfLds(wave.group, 12, 80)));
      for (int round = 0; round < 3; ++round) {
        const WorkGroup& group = *session.machine().Find(wave.group);
        EXPECT_EQ(group.registers(wave.wave).sgpr[90], 1u);
        EXPECT_EQ(group.registers(wave.wave).sgpr[91], 2u);
        EXPECT_EQ(group.registers(wave.wave).vgpr[1][9], 78u);
        EXPECT_EQ(run_.Memory()[2], 79u);
        uint32_t lds = 0;
        std::memcpy(&lds, group.state().lds + 12, 4);
        EXPECT_EQ(lds, 80u);
        if (place == 2000) {
          session.GoTo(place - 1);
          EXPECT_NE(session.machine().Find(wave.group)->registers(wave.wave).vgpr[1][9], 78u);
        }
        session.GoTo(round == 0 ? place + 40 : 0);
        session.GoTo(place);
      }
    }
  });
}

TEST_F(ChangeTest, LaterOnesGoWithWhatFollowed) {
  run_.Debug("rounds", [&](Session& session) {
    session.GoTo(900);
    ASSERT_TRUE(session.Make(OfMemory(buffer() + 4, 900)));
    session.GoTo(700);
    EXPECT_EQ(run_.Memory()[1], 0u);
    const auto made = session.Make(OfMemory(buffer(), 700));
    ASSERT_TRUE(made);
    EXPECT_TRUE(*made);
    session.GoTo(1000);
    EXPECT_EQ(run_.Memory()[0], 700u);
    EXPECT_EQ(run_.Memory()[1], 0u);
    session.GoTo(699);
    EXPECT_EQ(run_.Memory()[0], 0u);
  });
}

TEST_F(ChangeTest, WhatDoesNotFitIsRefused) {
  run_.Debug("rounds", [&](Session& session) {
    session.GoTo(50);
    const uint64_t before = FingerprintOf(session.machine());
    const WaveName wave = session.machine().next();
    const auto refuses = [&](const Change& change, const char* why) {
      const auto made = session.Make(change);
      ASSERT_FALSE(made) << why;
      EXPECT_NE(made.error().message.find(why), std::string::npos) << made.error().message;
    };
    refuses(OfRegister(wave, "scc", {2}), "scc is 0 or 1");
    refuses(OfRegister(wave, "mode", {0}), "s_setreg");
    refuses(OfRegister(wave, "v200", {0}), "no such register");
    refuses(OfRegister(wave, "pc", {4, 0}), "no instruction at 0x4");
    refuses(OfRegister({1, 0}, "s0", {4}), "has not begun");
    refuses(OfRegister({0, 4}, "s0", {4}), "has ended");
    const auto lds = session.machine().group().state().lds_bytes;
    refuses(OfLds(0, lds - 3, 1), "bytes of LDS");
    refuses(OfLds(0, ~uint64_t{0}, 1), "bytes of LDS");
    refuses(OfMemory(64, 1), "cannot write to 0x40");
    refuses(OfMemory(session.machine().launch().entry, 1), "cannot write to");
    EXPECT_EQ(FingerprintOf(session.machine()), before);
    session.Forward(NoGoal());
    refuses(OfMemory(buffer(), 1), "has ended");
  });
}

TEST_F(ChangeTest, NothingIsChangedUnderTheChecks) {
  run_.config.check = kCheckAll;
  run_.Debug("rounds", [&](Session& session) {
    const auto made = session.Make(OfMemory(buffer(), 1));
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("--check"), std::string::npos);
    EXPECT_EQ(run_.Memory()[0], 0u);
  });
}

TEST(ChangeFaultTest, AFaultThatIsPreventedIsNotReported) {
  DebugRun run("debug_gfx900.co");
  run.Buffer();
  run.config.global.x = 192;
  run.config.local.x = 64;
  run.Debug("mistakes", [&](Session& session) {
    ASSERT_EQ(session.Forward(NoGoal()).reason, StopReason::kFault);
    const uint64_t place = session.machine().step();
    ASSERT_TRUE(session.result());
    // Lane 5 of group 1 would store beyond the buffer.
    ASSERT_TRUE(
        session.Make(OfRegister(session.machine().next(), "exec", {~uint32_t{1 << 5}, ~0u})));
    EXPECT_FALSE(session.machine().fault());
    EXPECT_FALSE(session.result());
    ASSERT_EQ(session.Forward(NoGoal()).reason, StopReason::kEnd);
    EXPECT_EQ(run.Memory()[64 + 4], 1u);
    EXPECT_EQ(run.Memory()[64 + 5], 0u);
    EXPECT_EQ(run.Memory()[64 + 6], 1u);
    // Made to happen again: before the mask is changed the address is still there.
    session.GoTo(place - 1);
    ASSERT_TRUE(session.Make(OfRegister(session.machine().next(), "s90", {0})));
    EXPECT_EQ(session.Forward(NoGoal()).reason, StopReason::kFault);
    EXPECT_EQ(session.machine().step(), place);
  });
}

TEST(ChangeClockTest, ClocksAreReadAnewAfterIt) {
  DebugRun run("debug_gfx900.co");
  run.Buffer().Value(20);
  run.config.global.x = run.config.local.x = 64;
  run.Debug("clocks", [&](Session& session) {
    session.Forward(NoGoal());
    const std::vector<uint32_t> first = run.Memory();
    session.GoTo(session.machine().step() / 2);
    ASSERT_TRUE(session.Make(OfRegister(session.machine().next(), "vcc", {0, 0})));
    session.Forward(NoGoal());
    const std::vector<uint32_t> second = run.Memory();
    EXPECT_NE(second, first);
    session.GoTo(0);
    session.Forward(NoGoal());
    EXPECT_EQ(run.Memory(), second);
  });
}

}  // namespace
}  // namespace gcnjit::debug
