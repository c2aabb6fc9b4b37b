#include "backend_x64/emit/register_file.h"

#include <bit>

namespace gcnjit::backend {

RegisterFile::RegisterFile(uint32_t available, size_t values)
    : available_(available), reg_of_(values * kUnits, -1) {}

void RegisterFile::Hold(int reg, Unit unit) {
  units_[static_cast<size_t>(reg)] = unit;
  reg_of_[KeyOf(unit)] = static_cast<int8_t>(reg);
  used_ |= 1u << reg;
  Pin(reg);
}

RegisterFile::Taken RegisterFile::Take(Unit unit, const Rank& rank) {
  Taken taken;
  if (const std::optional<int> free = TakeFree(unit)) {
    taken.reg = *free;
    return taken;
  }
  int32_t highest = -1;
  for (uint32_t left = Evictable(); left != 0; left &= left - 1) {
    const int candidate = std::countr_zero(left);
    const int32_t own = rank(UnitOf(candidate));
    if (own <= highest) continue;
    highest = own;
    taken.reg = candidate;
  }
  taken.has_failed = highest < 0;
  if (taken.has_failed) taken.reg = std::countr_zero(Held() != 0 ? Held() : used_);
  taken.is_wanted = highest != kNever;
  taken.victim = UnitOf(taken.reg);
  reg_of_[KeyOf(*taken.victim)] = -1;
  Hold(taken.reg, unit);
  return taken;
}

std::optional<int> RegisterFile::TakeFree(Unit unit) {
  const uint32_t free = available_ & ~used_;
  if (free == 0) return std::nullopt;
  Hold(std::countr_zero(free), unit);
  return std::countr_zero(free);
}

bool RegisterFile::TakeAt(int reg, Unit unit) {
  if (((available_ & ~used_) >> reg & 1) == 0) return false;
  Hold(reg, unit);
  return true;
}

std::optional<int> RegisterFile::Reserve() {
  const uint32_t free = available_ & ~used_;
  if (free == 0) return std::nullopt;
  const int reg = std::countr_zero(free);
  Reserve(reg);
  return reg;
}

bool RegisterFile::Reserve(int reg) {
  if (((available_ & ~used_) >> reg & 1) == 0) return false;
  used_ |= 1u << reg;
  reserved_ |= 1u << reg;
  return true;
}

void RegisterFile::Free(Unit unit) {
  if (const std::optional<int> reg = Find(unit)) Free(*reg);
}

void RegisterFile::Free(int reg) {
  if ((Held() >> reg & 1) != 0) reg_of_[KeyOf(UnitOf(reg))] = -1;
  used_ &= ~(1u << reg);
  reserved_ &= ~(1u << reg);
  pinned_ &= ~(1u << reg);
}

int RegisterFile::Rename(Unit from, Unit to) {
  const int8_t reg = reg_of_[KeyOf(from)];
  reg_of_[KeyOf(from)] = -1;
  reg_of_[KeyOf(to)] = reg;
  units_[static_cast<size_t>(reg)] = to;
  return reg;
}

void RegisterFile::Clear() {
  for (uint32_t left = Held(); left != 0; left &= left - 1) {
    reg_of_[KeyOf(UnitOf(std::countr_zero(left)))] = -1;
  }
  used_ = 0;
  reserved_ = 0;
  pinned_ = 0;
}

}  // namespace gcnjit::backend
