#include "differential/reduce.h"

#include <algorithm>

namespace gcnjit::differential {
namespace {

// Drops the items of [first, first + count) that can be. False if there is none.
bool Drop(Program& program, size_t first, size_t count) {
  bool any = false;
  const size_t end = std::min(first + count, program.items.size());
  for (size_t n = first; n < end; ++n) {
    Item& item = program.items[n];
    if (item.fixed || item.dropped) continue;
    item.dropped = true;
    any = true;
  }
  return any;
}

// Without the unit; false: there is none of that number.
bool DropUnit(Program& program, int unit) {
  bool any = false;
  for (Item& item : program.items) {
    if (item.unit != unit || item.dropped) continue;
    item.dropped = true;
    any = true;
  }
  return any;
}

}  // namespace

Program Reduce(Comparison& comparison, Program program) {
  for (int unit = 1;; ++unit) {
    Program smaller = program;
    if (!DropUnit(smaller, unit)) break;
    if (comparison.Compare(smaller) == Verdict::kDifferent) program = std::move(smaller);
  }
  // Halves, quarters and so on down to single instructions, which are tried until none can go.
  for (size_t size = (program.items.size() + 1) / 2; size > 0;) {
    bool progress = false;
    for (size_t first = 0; first < program.items.size(); first += size) {
      Program smaller = program;
      if (!Drop(smaller, first, size)) continue;
      if (comparison.Compare(smaller) != Verdict::kDifferent) continue;
      program = std::move(smaller);
      progress = true;
    }
    if (size > 1) {
      size /= 2;
    } else if (!progress) {
      break;
    }
  }
  comparison.Compare(program);
  return program;
}

}  // namespace gcnjit::differential
