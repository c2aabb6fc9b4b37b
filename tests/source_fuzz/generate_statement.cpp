// Statements: see generator.h for what keeps them well defined.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "source_fuzz/generator.h"
#include "source_fuzz/pick.h"

namespace gcnjit::source_fuzz {
namespace {

std::string SpaceName(Space space) {
  switch (space) {
    case Space::kGlobal: return "GLOBAL const";
    case Space::kLocal: return "LOCAL const";
    case Space::kPrivate: return "PRIVATE const";
    case Space::kConstant: return "CONSTANT";
  }
  return "";
}

}  // namespace

std::vector<Statement> Generator::Block(int count, int depth) {
  const Scope outside = scope_;
  std::vector<Statement> block;
  for (int n = 0; n < count; ++n) {
    if (random_.Percent(25)) {
      Declare(block);
    } else {
      block.push_back(OneStatement(depth));
    }
  }
  scope_ = outside;
  return block;
}

Statement Generator::OneStatement(int depth) {
  Statement out;
  const size_t kind = depth > 0 ? random_.Weighted({30, 12, 12, 14, 5, 8, 5, 8, 10})
                                : random_.Weighted({30, 12, 0, 0, 0, 0, 0, 8, 0});
  switch (kind) {
    case 1:
      if (AssignElement(out)) return out;
      break;
    case 2: return If(depth - 1);
    case 3: return For(depth - 1);
    case 4: return While(depth - 1);
    case 5: return Walk(depth - 1);
    case 6: return Switch(depth - 1);
    case 7:
      if (Atomic(out)) return out;
      break;
    case 8:
      if (Sum(out)) return out;
      break;
    default: break;
  }
  if (Assign(out)) return out;
  if (AssignElement(out)) return out;
  return {";", {}, {}};
}

void Generator::Declare(std::vector<Statement>& block) {
  if (random_.Percent(15) && !structures_.empty()) {
    // A structure's copy.
    const Array* array =
        Pick(scope_.arrays, random_, [](const Array& a) { return a.structure != nullptr; });
    if (array) {
      const std::string name = NewName("s");
      block.push_back({fmt::format("{} {} = {}[$0];", array->structure->name, name, array->name),
                       {Between(0, array->count - 1, 2)},
                       {},
                       false});
      scope_.records.push_back({name, array->structure});
      return;
    }
  }
  const Type type = AnyType();
  const bool is_mutable = random_.Percent(60);
  uniform_only_ = !is_mutable && random_.Percent(50);
  Variable variable = {
      NewName(is_mutable ? "v" : "c"), type, {kLaneGrain, kLaneSize}, is_mutable, uniform_only_};
  Expression value = Storable(type, 3);
  uniform_only_ = false;
  if (!IsFloat(type.base)) variable.range = is_mutable ? FullRange(type.base) : value.range;
  if (IsFloat(type.base) && type.lanes == 1 && !is_mutable) variable.range = value.range;
  block.push_back(
      {fmt::format("{}{} {} = $0;", is_mutable ? "" : "const ", Name(type), variable.name),
       {std::move(value)},
       {}});
  scope_.variables.push_back(std::move(variable));
}

// All elements are written at once.
void Generator::DeclareArray(std::vector<Statement>& block) {
  Array array;
  array.name = NewName("a");
  array.type = AnyType();
  array.count = random_.Pick({2, 3, 4, 8, 8, 16, 20});
  array.space = Space::kPrivate;
  array.is_writable = true;
  array.is_float = IsFloat(array.type.base);
  block.push_back(
      {fmt::format("PRIVATE_ARRAY({}, {}, {});", Name(array.type), array.name, array.count),
       {},
       {},
       true});
  const std::string counter = NewName("i");
  const Scope outside = scope_;
  scope_.variables.push_back({counter, {Base::kI32}, {0, array.count - 1}, false, true});
  cost_ *= array.count;
  Expression value = Storable(array.type, 2);
  cost_ /= array.count;
  scope_ = outside;
  block.push_back({fmt::format("for (i32 {0} = 0; {0} < {1}; {0}++) {2}[{0}] = $0;", counter,
                               array.count, array.name),
                   {std::move(value)},
                   {},
                   true});
  scope_.arrays.push_back(std::move(array));
}

bool Generator::Assign(Statement& out) {
  if (random_.Percent(15)) {
    const Record* record = Pick(scope_.records, random_, [](const Record&) { return true; });
    if (record) {
      const Field& field = random_.Pick(record->structure->fields);
      out = {fmt::format("{}.{} = $0;", record->name, field.name), {Storable(field.type, 3)}, {}};
      return true;
    }
  }
  const Variable* found =
      Pick(scope_.variables, random_, [](const Variable& v) { return v.is_mutable; });
  if (!found) return false;
  const Variable variable = *found;
  const Type type = variable.type;
  if (type.lanes > 1 && random_.Percent(50)) {
    // One lane, mostly a known one.
    Expression value = Storable({type.base}, 3);
    const std::string lane =
        Bytes(type.base) == 2 ? fmt::format("LANES16({}, $0)", Name(type.base)) : std::string("$0");
    // LLVM up to 15 inserts bytes and 64-bit lanes at indices that are not known in the wrong
    // place.
    const bool is_known =
        (Bytes(type.base) != 2 && Bytes(type.base) != 4) || type.lanes == 3 || random_.Percent(60);
    if (is_known) {
      out = {fmt::format("{}.s{:x} = {};", variable.name,
                         random_.Below(static_cast<uint32_t>(type.lanes)), lane),
             {std::move(value)},
             {}};
    } else {
      out = {fmt::format("{}[$1] = {};", variable.name, lane),
             {std::move(value), Between(0, type.lanes - 1, 2)},
             {}};
    }
    return true;
  }
  if (!IsFloat(type.base) && type.lanes == 1 && random_.Percent(40)) {
    // Compound, on the type in which it wraps.
    if (IsSigned(type.base) || Bytes(type.base) < 4) {
      out = {fmt::format("{0} = ({1})((u64){0} {2} (u64)$0);", variable.name, Name(type),
                         random_.Pick({"+", "-", "*", "^"})),
             {Integer(type.base, 3)},
             {}};
    } else {
      out = {fmt::format("{} {}= $0;", variable.name, random_.Pick({"+", "-", "*", "^", "|", "&"})),
             {Integer(type.base, 3)},
             {}};
    }
    return true;
  }
  out = {fmt::format("{} = $0;", variable.name), {Storable(type, 4)}, {}};
  return true;
}

bool Generator::AssignElement(Statement& out) {
  const Array* found = Pick(scope_.arrays, random_, [](const Array& a) { return a.is_writable; });
  if (!found) return false;
  const Array array = *found;
  Expression index = Between(0, array.count - 1, 2);
  if (array.structure) {
    const Field& field = random_.Pick(array.structure->fields);
    if (IsFloat(field.type.base) && !array.is_float) return false;
    out = {fmt::format("{}[$0].{} = $1;", array.name, field.name),
           {std::move(index), Storable(field.type, 3)},
           {}};
    return true;
  }
  out = {fmt::format("{}[$0] = $1;", array.name), {std::move(index), Storable(array.type, 3)}, {}};
  return true;
}

Statement Generator::If(int depth) {
  Expression condition = Condition(2);
  const bool leaves = in_loop_ && random_.Percent(20);
  if (leaves)
    return {fmt::format("if ($0) {};", random_.Pick({"break", "continue"})),
            {std::move(condition)},
            {}};
  Statement out = {"if ($0) @0", {std::move(condition)}, {}};
  out.blocks.push_back(Block(random_.Between(1, 3), depth));
  if (random_.Percent(40)) {
    out.form += " else @1";
    out.blocks.push_back(Block(random_.Between(1, 3), depth));
  }
  return out;
}

Statement Generator::For(int depth) {
  const int trips = random_.Pick({1, 2, 3, 5, 8, 12});
  if (!MayLoop(trips)) return If(depth);
  const Base base = random_.Pick(
      {Base::kI32, Base::kI32, Base::kI32, Base::kU32, Base::kI64, Base::kU16, Base::kU64});
  const std::string counter = NewName("i");
  const std::string type = Name(base);
  Statement out;
  Range range = {0, trips - 1};
  bool is_uniform = true;
  const int shape = static_cast<int>(random_.Below(4));
  if (shape == 0) {
    out.form = fmt::format("for ({0} {1} = 0; {1} < {2}; {1}++) @0", type, counter, trips);
  } else if (shape == 1) {
    const int first = static_cast<int>(random_.Below(5));
    const int step = static_cast<int>(random_.Between(1, 3));
    range = {first, first + step * trips - 1};
    out.form = fmt::format("for ({0} {1} = {3}; {1} < {2}; {1} += {4}) @0", type, counter,
                           first + step * trips, first, step);
  } else if (shape == 2) {
    // As often as a value says that is not known when compiling.
    uniform_only_ = random_.Percent(60);
    is_uniform = uniform_only_;
    Expression bound = Between(0, trips, 2);
    uniform_only_ = false;
    out.form = fmt::format("for ({0} {1} = 0; {1} < ({0})$0; {1}++) @0", type, counter);
    out.operands.push_back(std::move(bound));
  } else {
    out.form = fmt::format("for ({0} {1} = {2}; {1} > 0; {1}--) @0", type, counter, trips);
    range = {1, trips};
  }
  const Scope outside = scope_;
  const bool was_in_loop = std::exchange(in_loop_, true);
  scope_.variables.push_back({counter, {base}, range, false, is_uniform});
  cost_ *= trips;
  out.blocks.push_back(Block(random_.Between(1, 3), depth));
  cost_ /= trips;
  in_loop_ = was_in_loop;
  scope_ = outside;
  return out;
}

// Over the bits of a value, which every iteration makes fewer.
Statement Generator::While(int depth) {
  constexpr int kTrips = 6;
  if (!MayLoop(kTrips)) return If(depth);
  const std::string bits = NewName("w");
  Statement out;
  out.operands.push_back(Integer(Base::kU32, 2));
  const bool was_in_loop = std::exchange(in_loop_, false);  // continue would skip the step
  const Scope outside = scope_;
  scope_.variables.push_back({bits, {Base::kU32}, {0, 63}, false, false});
  cost_ *= kTrips;
  out.blocks.push_back(Block(random_.Between(1, 2), depth));
  cost_ /= kTrips;
  scope_ = outside;
  in_loop_ = was_in_loop;
  out.form = fmt::format(
      "{{ u32 {0} = $0 & 63; while ({0}) {{ @0 {1}; }} }}", bits,
      fmt::format(fmt::runtime(random_.Percent(50) ? "{0} >>= 1" : "{0} &= {0} - 1"), bits));
  return out;
}

// A pointer that goes over an array.
Statement Generator::Walk(int depth) {
  const Array* found = Pick(scope_.arrays, random_, [](const Array& a) { return a.count >= 4; });
  if (!found) return For(depth);
  const Array array = *found;
  const int window = static_cast<int>(random_.Between(1, 3));
  const int step = static_cast<int>(random_.Between(1, 2));
  const int trips = std::min((array.count - window) / step, 10);
  if (trips < 1 || !MayLoop(trips)) return For(depth);
  const std::string pointer = NewName("p");
  const std::string counter = NewName("i");
  const std::string element = array.structure ? array.structure->name : Name(array.type);
  uniform_only_ = random_.Percent(70);
  const bool is_uniform = uniform_only_;
  const int room = array.count - window - (trips - 1) * step;
  std::vector<Expression> operands;
  operands.push_back(Between(0, room, 2));
  operands.push_back(Between(0, trips, 2));
  uniform_only_ = false;
  const Scope outside = scope_;
  const bool was_in_loop = std::exchange(in_loop_, false);  // continue would skip the step
  scope_.variables.push_back({counter, {Base::kI32}, {0, trips - 1}, false, is_uniform});
  Array walked = array;
  walked.name = pointer;
  walked.count = window;
  walked.is_writable = false;
  // Read often.
  scope_.arrays.push_back(walked);
  scope_.arrays.push_back(walked);
  cost_ *= trips;
  Statement out;
  out.form =
      fmt::format("{{ {} {}* {} = {} + $0; for (i32 {} = 0; {} < $1; {}++) {{ @0 {} += {}; }} }}",
                  SpaceName(array.space) == "CONSTANT" ? std::string("CONSTANT_POINTER")
                                                       : SpaceName(array.space),
                  element, pointer, array.name, counter, counter, counter, pointer, step);
  out.operands = std::move(operands);
  out.blocks.push_back(Block(random_.Between(1, 3), depth));
  cost_ /= trips;
  in_loop_ = was_in_loop;
  scope_ = outside;
  return out;
}

// Parts of each element of an array, as far as a value says that is the same in all work-items:
// what compilers load with scalar instructions, and address in many ways.
bool Generator::Sum(Statement& out) {
  const Array* found = Pick(scope_.arrays, random_, [](const Array& a) {
    return a.space == Space::kGlobal && !a.is_writable && !a.is_float && a.count >= 4;
  });
  const Variable* sum = Pick(scope_.variables, random_, [](const Variable& v) {
    return v.is_mutable && v.type.lanes == 1 &&
           (v.type.base == Base::kU32 || v.type.base == Base::kU64);
  });
  if (!found || !sum) return false;
  std::vector<std::string> parts;  // of an element
  if (found->structure) {
    for (const Field& field : found->structure->fields) {
      if (!IsFloat(field.type.base))
        parts.push_back("." + field.name + (field.type.lanes == 1 ? "" : ".s1"));
    }
  } else if (IsFloat(found->type.base)) {
    return false;
  } else if (found->type.lanes == 1) {
    parts.emplace_back();
  } else {
    for (int n = 0; n < found->type.lanes; ++n) parts.push_back(fmt::format(".s{:x}", n));
  }
  if (parts.empty()) return false;
  const int ahead = static_cast<int>(random_.Below(3));  // elements from the counter on
  const int most = std::min(found->count - ahead, 20);
  if (!MayLoop(most)) return false;
  const std::string type = Name(sum->type);
  const std::string counter = NewName("i");
  std::string body;
  for (uint32_t n = random_.Between(1, 4); n > 0; --n) {
    const auto part = [&] {
      return fmt::format("({}){}[{} + {}]{}", type, found->name, counter,
                         random_.Below(static_cast<uint32_t>(ahead + 1)), random_.Pick(parts));
    };
    body += fmt::format(" {} {}= {}{};", sum->name, random_.Pick({"+", "^", "-"}), part(),
                        random_.Percent(50) ? " * " + part() : std::string());
  }
  uniform_only_ = true;
  out = {fmt::format("for (i32 {0} = {1}; {0} < (i32)$0; {0}++) {{{2} }}", counter,
                     random_.Below(2), body),
         {Between(0, most, 2)},
         {}};
  uniform_only_ = false;
  return true;
}

Statement Generator::Switch(int depth) {
  Statement out;
  out.form = "switch ($0) { ";
  const int cases = static_cast<int>(random_.Between(2, 5));
  out.operands.push_back(Between(0, cases + 2, 2));
  const bool was_in_loop = std::exchange(in_loop_, false);  // break would be the switch's
  for (int n = 0; n < cases; ++n) {
    out.blocks.push_back(Block(static_cast<int>(random_.Between(1, 2)), depth));
    out.form += fmt::format(
        "{}: @{} {} ",
        n + 1 == cases && random_.Percent(60) ? std::string("default") : fmt::format("case {}", n),
        n, random_.Percent(75) ? "break;" : "/* on */");
  }
  in_loop_ = was_in_loop;
  out.form += "}";
  return out;
}

bool Generator::Atomic(Statement& out) {
  if (!kernel_ || atomics_.empty()) return false;
  const size_t n = random_.Below(static_cast<uint32_t>(atomics_.size()));
  const Array& array = atomics_[n];
  out = {fmt::format("ATOMIC({}, &{}[$0], $1);", atomic_operations_[n], array.name),
         {Between(0, array.count - 1, 2), Integer(array.type.base, 3)},
         {}};
  return true;
}

}  // namespace gcnjit::source_fuzz
