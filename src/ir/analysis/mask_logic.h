// Masks as functions of other masks: what holds of them in every bit, whatever those are. Compilers
// write `if (a || b)` with a mask for each step, which together say less than each alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/function.h"

namespace gcnjit::ir {

class MaskLogic {
 public:
  explicit MaskLogic(const Function& function) : function_(function) {}

  // What a mask is made of by bitwise operations: values that are something else, by id, and for
  // each way in which their bits can be set what the mask's bit is. Bit n of the table is for the
  // way in which atom k is bit k of n. A table depends on each of its atoms.
  static constexpr size_t kMostAtoms = 6;
  struct Form {
    std::array<Value, kMostAtoms> atoms = {};
    size_t count = 0;
    uint64_t table = 0;

    bool operator==(const Form&) const = default;
    // Of one atom: is it the mask, and not its opposite?
    bool HasAtomItself() const { return (table & 2) != 0; }
  };

  // Of a mask; one that has more atoms than there is room for is its own.
  Form FormOf(Value mask);
  // Of an operation on masks; nothing: it is no bitwise one, or has too many atoms.
  std::optional<Form> FormOf(const Inst& inst);

  // Of two masks: is each bit of `a` one of `b`? Do they have no bit in common? Does one of them
  // have it, for each bit?
  bool Implies(Value a, Value b);
  bool Excludes(Value a, Value b);
  bool Covers(Value a, Value b);

 private:
  const Function& function_;
  int depth_ = 0;                           // of the masks that are being looked into
  std::vector<std::optional<Form>> forms_;  // by value id; nothing: not yet asked for
};

}  // namespace gcnjit::ir
