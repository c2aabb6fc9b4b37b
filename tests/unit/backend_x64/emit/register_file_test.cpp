// Which registers values get, and which value gives up its own.
#include "backend_x64/emit/register_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>

namespace gcnjit::backend {
namespace {

constexpr uint32_t kThree = 0b1011;  // registers 0, 1 and 3

Unit U(uint32_t id, int part = 0) { return Unit::Lanes(ir::Value{id}, part); }

int32_t Never(Unit) { return RegisterFile::kNever; }
// By value id.
RegisterFile::Rank ById() {
  return [](Unit unit) { return static_cast<int32_t>(unit.value.id); };
}

TEST(RegisterFile, GivesTheLowestFreeRegister) {
  RegisterFile file(kThree, 8);
  EXPECT_EQ(file.Take(U(1), Never).reg, 0);
  EXPECT_EQ(file.Take(U(2), Never).reg, 1);
  EXPECT_EQ(file.Take(U(3), Never).reg, 3);
  file.Free(U(2));
  EXPECT_FALSE(file.Holds(U(2)));
  EXPECT_EQ(file.Take(U(4), Never).reg, 1);
  EXPECT_EQ(file.Find(U(4)), 1);
  EXPECT_EQ(file.Find(U(2)), std::nullopt);
}

TEST(RegisterFile, GivesUpTheHighestRank) {
  RegisterFile file(kThree, 8);
  for (const uint32_t id : {2u, 5u, 4u}) file.Take(U(id), ById());
  file.UnpinAll();
  const RegisterFile::Taken taken = file.Take(U(1), ById());
  EXPECT_EQ(taken.reg, 1);
  EXPECT_EQ(taken.victim, U(5));
  EXPECT_TRUE(taken.is_wanted);
  EXPECT_FALSE(taken.has_failed);
  EXPECT_FALSE(file.Holds(U(5)));
  EXPECT_EQ(file.UnitOf(1), U(1));
}

TEST(RegisterFile, GivesUpNoPinnedOne) {
  RegisterFile file(kThree, 8);
  for (const uint32_t id : {2u, 5u, 4u}) file.Take(U(id), ById());
  file.UnpinAll();
  file.Pin(1);
  EXPECT_EQ(file.Take(U(1), ById()).victim, U(4));
}

TEST(RegisterFile, SaysThatAVictimIsNotWanted) {
  RegisterFile file(0b1, 8);
  file.Take(U(2), Never);
  file.UnpinAll();
  const RegisterFile::Taken taken = file.Take(U(3), Never);
  EXPECT_EQ(taken.victim, U(2));
  EXPECT_FALSE(taken.is_wanted);
}

TEST(RegisterFile, SaysThatAllArePinned) {
  RegisterFile file(kThree, 8);
  for (const uint32_t id : {1u, 2u, 3u}) file.Take(U(id), ById());
  EXPECT_TRUE(file.Take(U(4), ById()).has_failed);
  EXPECT_TRUE(file.Holds(U(4)));
}

TEST(RegisterFile, ReservedOnesAreNeverGivenUp) {
  RegisterFile file(kThree, 8);
  file.Take(U(7), ById());
  EXPECT_EQ(file.Reserve(), 1);
  EXPECT_TRUE(file.Reserve(3));
  EXPECT_FALSE(file.Reserve(3));
  EXPECT_FALSE(file.Reserve(2)) << "it is not one of these";
  EXPECT_EQ(file.Reserve(), std::nullopt);
  file.UnpinAll();
  EXPECT_EQ(file.Evictable(), 0b1u);
  EXPECT_EQ(file.Take(U(6), ById()).reg, 0);
  file.Free(3);
  EXPECT_TRUE(file.TakeAt(3, U(5)));
  EXPECT_EQ(file.Held(), 0b1001u);
}

TEST(RegisterFile, Renames) {
  RegisterFile file(kThree, 8);
  file.Take(U(1, 2), Never);
  EXPECT_EQ(file.Rename(U(1, 2), U(3, 1)), 0);
  EXPECT_FALSE(file.Holds(U(1, 2)));
  EXPECT_EQ(file.Find(U(3, 1)), 0);
}

TEST(RegisterFile, TellsUnitsOfAValueApart) {
  RegisterFile file(~0u, 4);
  const ir::Value v{3};
  for (int part = 0; part < 4; ++part) {
    for (const Unit unit :
         {Unit::Lanes(v, part, 0), Unit::Lanes(v, part, 1), Unit::Mask(v, part)}) {
      EXPECT_FALSE(file.Take(unit, Never).victim);
    }
  }
  EXPECT_FALSE(file.Take(Unit::Broadcast(v), Never).victim);
  EXPECT_EQ(std::popcount(file.Held()), 13);
  file.Clear();
  EXPECT_EQ(file.Held(), 0u);
  EXPECT_FALSE(file.Holds(Unit::Broadcast(v)));
}

// Against a map: at any time, a register holds one unit, and a unit is in one register.
TEST(RegisterFile, AgreesWithAModel) {
  std::mt19937 random(1);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  for (int program = 0; program < 200; ++program) {
    const uint32_t available = (static_cast<uint32_t>(random()) & 0xFF) | 1;
    RegisterFile file(available, 8);
    std::map<int, std::optional<Unit>> model;  // by register; nothing: reserved
    for (int step = 0; step < 300; ++step) {
      const Unit unit = U(below(8), static_cast<int>(below(4)));
      if (below(8) == 0) file.UnpinAll();
      if (const auto found = file.Find(unit)) {
        ASSERT_EQ(model.at(*found), unit);
        if (below(2) == 0) {
          file.Free(unit);
          model.erase(*found);
        }
        continue;
      }
      if (below(10) == 0) {
        const std::optional<int> reg = file.Reserve();
        const bool is_full = model.size() == static_cast<size_t>(std::popcount(available));
        ASSERT_EQ(reg.has_value(), !is_full);
        if (reg) model[*reg] = std::nullopt;
        continue;
      }
      if (file.Evictable() == 0) {
        for (const auto& [reg, held] : model) file.Free(reg);
        model.clear();
      }
      const RegisterFile::Taken taken = file.Take(unit, ById());
      ASSERT_FALSE(taken.has_failed);
      ASSERT_NE(available >> taken.reg & 1, 0u);
      ASSERT_EQ(model.contains(taken.reg), taken.victim.has_value());
      if (taken.victim) {
        ASSERT_EQ(model.at(taken.reg), taken.victim);
      }
      model[taken.reg] = unit;
    }
  }
}

}  // namespace
}  // namespace gcnjit::backend
