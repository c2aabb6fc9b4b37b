// Host registers of one kind, and which values they hold while a block is emitted. They are given
// out in one pass over the block's operations, in the order in which they are emitted: code within
// a stage has no branches that matter (slow paths are out of line and leave every register alone),
// so the value that is used again last is the best one to give up. Nothing here emits code: what is
// given up has to be stored by the caller.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ir/function.h"

namespace gcnjit::backend {

// What one register can hold of a value.
struct Unit {
  // Components: the dwords of a v32 or v64, or these.
  static constexpr uint8_t kBroadcast = 2;  // a scalar in every lane; one for all parts
  static constexpr uint8_t kMask = 3;

  static Unit Lanes(ir::Value v, int part, int component = 0) {
    return {v, static_cast<uint8_t>(component), static_cast<uint8_t>(part)};
  }
  static Unit Broadcast(ir::Value v) { return {v, kBroadcast, 0}; }
  static Unit Mask(ir::Value v, int part) { return {v, kMask, static_cast<uint8_t>(part)}; }
  static Unit Scalar(ir::Value v) { return {v, 0, 0}; }

  ir::Value value;
  uint8_t component = 0;
  uint8_t part = 0;

  // Below kUnits.
  int Index() const { return component * 4 + part; }
  friend bool operator==(Unit, Unit) = default;
};
inline constexpr int kUnits = 16;

class RegisterFile {
 public:
  // How long a unit can do without its register: the unit with the highest rank gives it up.
  // kNever: nothing needs the unit any more.
  using Rank = std::function<int32_t(Unit)>;
  static constexpr int32_t kNever = INT32_MAX;

  // A register that was given to a unit, and whose it was.
  struct Taken {
    int reg = 0;
    std::optional<Unit> victim;  // in no register now
    bool is_wanted = false;      // the victim will be needed again
    bool has_failed = false;     // there was none to give up: the victim was pinned
  };

  // `available`: a bit for each register, at least one. `values`: how many value ids there are.
  RegisterFile(uint32_t available, size_t values);

  // The register that holds the unit.
  std::optional<int> Find(Unit unit) const {
    const int8_t reg = reg_of_[KeyOf(unit)];
    return reg < 0 ? std::nullopt : std::optional<int>(reg);
  }
  bool Holds(Unit unit) const { return reg_of_[KeyOf(unit)] >= 0; }

  // A register for a unit that has none; pinned.
  Taken Take(Unit unit, const Rank& rank);
  // Likewise, but none if none is free; or that register, if it is free.
  std::optional<int> TakeFree(Unit unit);
  bool TakeAt(int reg, Unit unit);
  // A register for something that is no unit, so that it is never given up. None: there is none
  // free.
  std::optional<int> Reserve();
  bool Reserve(int reg);  // false: it is not free

  // Does nothing if the unit has no register.
  void Free(Unit unit);
  void Free(int reg);
  // The register of `from` is that of `to` from now on.
  int Rename(Unit from, Unit to);
  void Clear();

  // A pinned register is not given up.
  void Pin(int reg) { pinned_ |= 1u << reg; }
  void UnpinAll() { pinned_ = 0; }

  // Registers that hold a unit: all of them, and those that may be given up. A bit each.
  uint32_t Held() const { return used_ & ~reserved_; }
  uint32_t Evictable() const { return Held() & ~pinned_; }
  Unit UnitOf(int reg) const { return units_[static_cast<size_t>(reg)]; }

 private:
  static size_t KeyOf(Unit unit) {
    return unit.value.id * size_t{kUnits} + static_cast<size_t>(unit.Index());
  }
  void Hold(int reg, Unit unit);

  const uint32_t available_;
  uint32_t used_ = 0;
  uint32_t reserved_ = 0;
  uint32_t pinned_ = 0;
  std::array<Unit, 32> units_ = {};  // by register
  std::vector<int8_t> reg_of_;       // by KeyOf; -1: none
};

}  // namespace gcnjit::backend
