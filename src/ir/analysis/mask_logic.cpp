#include "ir/analysis/mask_logic.h"

#include <algorithm>

namespace gcnjit::ir {
namespace {

using Form = MaskLogic::Form;

// Where atom k is set.
constexpr std::array<uint64_t, MaskLogic::kMostAtoms> kSet = {
    0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC, 0xF0F0F0F0F0F0F0F0,
    0xFF00FF00FF00FF00, 0xFFFF0000FFFF0000, 0xFFFFFFFF00000000};

// What the table says of the other way of atom k.
uint64_t Flipped(uint64_t table, size_t k) {
  const int distance = 1 << k;
  return (table & kSet[k]) >> distance | (table & ~kSet[k]) << distance;
}

// The table with atoms k and k + 1 in each other's place.
uint64_t Swapped(uint64_t table, size_t k) {
  const int distance = 1 << k;
  const uint64_t first_alone = kSet[k] & ~kSet[k + 1];
  const uint64_t second_alone = kSet[k + 1] & ~kSet[k];
  return (table & ~(first_alone | second_alone)) | (table & first_alone) << distance |
         (table & second_alone) >> distance;
}

// The table with atom `from` in the later place `to`, and those between one place earlier.
uint64_t Moved(uint64_t table, size_t from, size_t to) {
  for (; from < to; ++from) table = Swapped(table, from);
  return table;
}

// A form's table with these atoms, among which its own are in the same order.
uint64_t TableFor(const Form& form, const Form& wanted) {
  uint64_t table = form.table;
  size_t place = wanted.count;
  // The last atom first, so that each is moved past places that no atom has.
  for (size_t k = form.count; k-- > 0;) {
    do --place;
    while (wanted.atoms[place] != form.atoms[k]);
    table = Moved(table, k, place);
  }
  return table;
}

void DropUnused(Form& form) {
  for (size_t k = form.count; k-- > 0;) {
    if (Flipped(form.table, k) != form.table) continue;
    form.table = Moved(form.table, k, form.count - 1);
    std::move(form.atoms.begin() + static_cast<std::ptrdiff_t>(k) + 1,
              form.atoms.begin() + static_cast<std::ptrdiff_t>(form.count),
              form.atoms.begin() + static_cast<std::ptrdiff_t>(k));
    form.atoms[--form.count] = {};
  }
}

Form Alone(Value mask) {
  Form form;
  form.atoms[0] = mask;
  form.count = 1;
  form.table = kSet[0];
  return form;
}

using Combine = uint64_t (*)(uint64_t, uint64_t);

// Nothing: they have too many atoms together.
std::optional<Form> Combined(const Form& a, const Form& b, Combine combine) {
  Form result;
  size_t x = 0, y = 0;
  while (x < a.count || y < b.count) {
    if (result.count == MaskLogic::kMostAtoms) return std::nullopt;
    const bool from_a = y == b.count || (x < a.count && a.atoms[x].id <= b.atoms[y].id);
    const bool from_b = x == a.count || (y < b.count && b.atoms[y].id <= a.atoms[x].id);
    result.atoms[result.count++] = from_a ? a.atoms[x] : b.atoms[y];
    x += from_a;
    y += from_b;
  }
  result.table = combine(TableFor(a, result), TableFor(b, result));
  DropUnused(result);
  return result;
}

bool IsNever(const Form& a, const Form& b, Combine combine) {
  const auto both = Combined(a, b, combine);
  return both && both->count == 0 && both->table == 0;
}

}  // namespace

std::optional<Form> MaskLogic::FormOf(const Inst& inst) {
  if (inst.type != Type::kU64) return std::nullopt;
  const auto of = [&](int n) { return FormOf(inst.args[n]); };
  switch (inst.op) {
    case Op::kConst: {
      const auto bits = static_cast<uint64_t>(inst.imm);
      if (bits != 0 && bits != ~uint64_t{0}) return std::nullopt;
      Form form;
      form.table = bits;
      return form;
    }
    case Op::kNot: return Combined(of(0), {}, [](uint64_t x, uint64_t) { return ~x; });
    case Op::kAnd: return Combined(of(0), of(1), [](uint64_t x, uint64_t y) { return x & y; });
    case Op::kOr: return Combined(of(0), of(1), [](uint64_t x, uint64_t y) { return x | y; });
    case Op::kXor: return Combined(of(0), of(1), [](uint64_t x, uint64_t y) { return x ^ y; });
    case Op::kAndNot: return Combined(of(0), of(1), [](uint64_t x, uint64_t y) { return x & ~y; });
    default: return std::nullopt;
  }
}

Form MaskLogic::FormOf(Value mask) {
  if (mask.id < forms_.size() && forms_[mask.id]) return *forms_[mask.id];
  constexpr int kDeepest = 32;
  if (depth_ == kDeepest) return Alone(mask);
  ++depth_;
  const Form form = FormOf(function_[mask]).value_or(Alone(mask));
  --depth_;
  if (forms_.size() <= mask.id) forms_.resize(function_.insts.size());
  forms_[mask.id] = form;
  return form;
}

bool MaskLogic::Implies(Value a, Value b) {
  return IsNever(FormOf(a), FormOf(b), [](uint64_t x, uint64_t y) { return x & ~y; });
}

bool MaskLogic::Excludes(Value a, Value b) {
  return IsNever(FormOf(a), FormOf(b), [](uint64_t x, uint64_t y) { return x & y; });
}

bool MaskLogic::Covers(Value a, Value b) {
  return IsNever(FormOf(a), FormOf(b), [](uint64_t x, uint64_t y) { return ~(x | y); });
}

}  // namespace gcnjit::ir
