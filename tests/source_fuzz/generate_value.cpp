// Expressions of integers: see generator.h for what keeps them well defined.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "source_fuzz/generator.h"
#include "source_fuzz/pick.h"

namespace gcnjit::source_fuzz {
namespace {

std::string UnsignedLiteral(Base base, Wide value) {
  const auto bits = static_cast<uint64_t>(value);
  if (Bytes(base) == 8) return fmt::format("(({}){:#x}ul)", Name(base), bits);
  return fmt::format("(({}){:#x}u)", Name(base), bits & (~uint64_t{0} >> (64 - Bytes(base) * 8)));
}

// The type in which arithmetic on `base` wraps: small types would be promoted to int.
Base Wrapping(Base base) { return Bytes(base) <= 4 ? Base::kU32 : Base::kU64; }

}  // namespace

Expression Generator::LiteralOf(Base base, Wide value) {
  std::string text;
  if (Bytes(base) < 8 && value > INT32_MIN && value <= INT32_MAX) {
    text = fmt::format("(({}){})", Name(base), static_cast<int64_t>(value));
  } else {
    text = UnsignedLiteral(base, value);
  }
  return Node({base}, std::move(text), {}, {value, value});
}

Expression Generator::Literal(Base base) {
  const Range full = FullRange(base);
  Wide value = 0;
  switch (random_.Below(6)) {
    case 0: value = random_.Below(4); break;
    case 1: value = Wide{1} << random_.Below(static_cast<uint32_t>(Bytes(base) * 8 - 1)); break;
    case 2: value = random_.Percent(50) ? full.low : full.high; break;
    case 3: value = static_cast<Wide>(random_.Next() & static_cast<uint64_t>(full.high)); break;
    case 4:
      value = IsSigned(base) ? -static_cast<Wide>(random_.Below(128)) : 255 & full.high;
      break;
    default: value = random_.Below(128); break;
  }
  return LiteralOf(base, std::clamp(value, full.low, full.high));
}

Expression Generator::Cast(Base base, Expression from) {
  if (from.type == Type{base}) return from;
  Range range = FullRange(base);
  if (Inside(from.range, range, base)) range = from.range;
  return Node({base}, fmt::format("(({})$0)", Name(base)), {std::move(from)}, range);
}

Expression Generator::IntegerLeaf(Base base) {
  if (random_.Percent(45)) {
    Expression loaded;
    if (Load({base}, 1, loaded)) return loaded;
  }
  if (random_.Percent(85)) {
    const bool exact = random_.Percent(60);
    const Variable* variable = PickVariable(scope_, random_, [&](const Variable& v) {
      return !IsFloat(v.type.base) && v.type.lanes == 1 && (!exact || v.type.base == base) &&
             (!uniform_only_ || v.is_uniform);
    });
    if (variable) return Cast(base, Node(variable->type, variable->name, {}, variable->range));
  }
  return Literal(base);
}

Expression Generator::Integer(Base base, int depth) {
  if (depth <= 0) return IntegerLeaf(base);
  switch (random_.Weighted({10, 30, 12, 8, 8, 8, 4, 6, 6})) {
    case 0: return IntegerLeaf(base);
    case 1: return IntegerOperator(base, depth - 1);
    case 2: return Plain(base, depth - 1);
    case 3: return Idiom(base, depth - 1);
    case 4: {
      Expression a = Integer(base, depth - 1);
      Expression b = Integer(base, depth - 1);
      const Range range = {std::min(a.range.low, b.range.low),
                           std::max(a.range.high, b.range.high)};
      return Node({base}, fmt::format("($0 ? $1 : $2)"),
                  {Condition(depth - 1), std::move(a), std::move(b)}, range);
    }
    case 5: return Cast(base, Integer(AnyInteger(), depth - 1));
    case 6: {
      if (uniform_only_) return IntegerLeaf(base);
      // A float whose integer part fits in 62 bits.
      const Base from = random_.Percent(50) ? Base::kF32 : Base::kF64;
      Expression value = Float(from, depth - 1);
      if (value.range.high > 30) return IntegerLeaf(base);
      const Wide size = Wide{1} << static_cast<int>(std::max<Wide>(value.range.high, 0));
      const Base over = random_.Percent(50) ? Base::kI32 : Base::kI64;
      return Cast(base, Node({over}, fmt::format("(({})$0)", Name(over)), {std::move(value)},
                             {-size, size}));
    }
    case 7: {
      if (uniform_only_) return IntegerLeaf(base);
      const Type from = {base, random_.Pick({2, 3, 4, 4, 8, 16})};
      const int lane = static_cast<int>(random_.Below(static_cast<uint32_t>(from.lanes)));
      return Node({base}, fmt::format("($0).s{:x}", lane), {Vector(from, depth - 1)},
                  FullRange(base));
    }
    default: {
      Expression called;
      if (!uniform_only_ && Call(base, depth - 1, called)) return called;
      return IntegerOperator(base, depth - 1);
    }
  }
}

// Operators that wrap.
Expression Generator::IntegerOperator(Base base, int depth) {
  const std::string name = Name(base);
  const std::string wide = Name(Wrapping(base));
  const int bits = Bytes(base) * 8;
  const Range full = FullRange(base);
  const auto pair = [&] {
    std::vector<Expression> operands;
    operands.push_back(Integer(base, depth));
    operands.push_back(random_.Percent(30) ? Literal(base) : Integer(base, depth));
    return operands;
  };
  switch (random_.Weighted({20, 14, 14, 10, 10, 12, 6, 6, 6, 4})) {
    case 0:
      return Node(
          {base},
          fmt::format("(({})(({})$0 {} ({})$1))", name, wide, random_.Pick({"+", "-"}), wide),
          pair(), full);
    case 1: {
      const char* factor = bits == 64 ? "FACTOR64" : "";
      return Node({base}, fmt::format("(({})({}(({})$0) * ({})$1))", name, factor, wide, wide),
                  pair(), full);
    }
    case 2:
      return Node({base}, fmt::format("(({})($0 {} $1))", name, random_.Pick({"&", "|", "^"})),
                  pair(), full);
    case 3:
      return Node({base}, fmt::format("(({})(({})$0 << ($1 & {})))", name, wide, bits - 1),
                  {Integer(base, depth), Integer(AnyInteger(), depth)}, full);
    case 4:
      return Node({base}, fmt::format("(({})($0 >> ($1 & {})))", name, bits - 1),
                  {Integer(base, depth), Integer(AnyInteger(), depth)}, full);
    case 5:
      return Node({base}, fmt::format("(({})({}))", name, random_.Pick({"~$0", "(i32)!$0"})),
                  {Integer(base, depth)}, full);
    case 6: {
      // Divisors from 1 on: neither 0 nor -1.
      const int most = random_.Pick({1, 7, 15, 100});
      Expression divisor = random_.Percent(40) ? LiteralOf(base, 1 + random_.Below(100))
                                               : Cast(base, Between(1, most, depth));
      const std::string dividend =
          bits >= 32 ? fmt::format("({})Hidden{}(({})$0)", name, bits, wide) : std::string("$0");
      return Node({base}, fmt::format("(({})({} {} $1))", name, dividend, random_.Pick({"/", "%"})),
                  {Integer(base, depth), std::move(divisor)}, full);
    }
    case 7:
      return Node({base}, fmt::format("(({})(0 - ({})$0))", name, wide), {Integer(base, depth)},
                  full);
    case 8:
      return Node({base}, fmt::format("(({})($0 & ({})$1))", name, name),
                  {Integer(base, depth), Literal(base)}, full);
    default: return Cast(base, Condition(depth));
  }
}

// Arithmetic as people write it, where the ranges show that it does not overflow.
Expression Generator::Plain(Base base, int depth) {
  const Base as = random_.Pick({Base::kI32, Base::kI32, Base::kI32, Base::kU32, Base::kI64});
  const auto small = [&] {
    return Cast(as, Between(as == Base::kU32 ? 0 : -static_cast<int>(random_.Below(5)),
                            random_.Pick({3, 15, 255}), depth));
  };
  Expression a = small();
  Expression b = small();
  const char* op = random_.Pick({"+", "-", "*"});
  Range range;
  if (*op == '+') {
    range = {a.range.low + b.range.low, a.range.high + b.range.high};
  } else if (*op == '-') {
    range = {a.range.low - b.range.high, a.range.high - b.range.low};
  } else {
    const auto [low, high] = std::minmax({a.range.low * b.range.low, a.range.low * b.range.high,
                                          a.range.high * b.range.low, a.range.high * b.range.high});
    range = {low, high};
  }
  if (!Inside(range, FullRange(as), as)) return Cast(base, std::move(a));
  const bool is_wide_product = as == Base::kI64 && *op == '*';
  return Cast(
      base,
      Node({as}, is_wide_product ? "((i64)FACTOR64((u64)$0) * $1)" : fmt::format("($0 {} $1)", op),
           {std::move(a), std::move(b)}, range));
}

// What compilers have instructions for.
Expression Generator::Idiom(Base base, int depth) {
  const auto make = [&](Base of, const char* form, int operands, Range range) {
    std::vector<Expression> values;
    for (int n = 0; n < operands; ++n) values.push_back(Integer(of, depth));
    return Cast(base, Node({of}, form, std::move(values), range));
  };
  const Range u32 = FullRange(Base::kU32);
  const Range i32 = FullRange(Base::kI32);
  const Range u64 = FullRange(Base::kU64);
  switch (random_.Below(24)) {
    case 0: return make(Base::kU32, "MulHighUnsigned($0, $1)", 2, u32);
    case 1: return make(Base::kI32, "MulHighSigned($0, $1)", 2, i32);
    case 2: return make(Base::kU32, "RotateBy7($0)", 1, u32);
    case 3: return make(Base::kU32, "RotateLeft($0, $1)", 2, u32);
    case 4: return make(Base::kU64, "RotateLeft64($0, $1)", 2, u64);
    case 5: return make(Base::kU32, "FunnelShift($0, $1, $2)", 3, u32);
    case 6: return make(Base::kI32, "MinSigned($0, $1)", 2, i32);
    case 7: return make(Base::kU32, "MaxUnsigned($0, $1)", 2, u32);
    case 8: return make(Base::kI64, "MaxSigned64($0, $1)", 2, FullRange(Base::kI64));
    case 9: return make(Base::kI32, "Clamp100($0)", 1, {-100, 100});
    case 10: return make(Base::kU32, "AbsoluteDifference($0, $1)", 2, u32);
    case 11: return make(Base::kU32, "Absolute($0)", 1, u32);
    case 12: return make(Base::kU32, "AddSaturated($0, $1)", 2, u32);
    case 13: return make(Base::kU32, "BitSelect($0, $1, $2)", 3, u32);
    case 14: return make(Base::kU32, "BitField($0, $1, $2)", 3, u32);
    case 15: return make(Base::kU32, "MulAdd24($0, $1, $2)", 3, u32);
    case 16: return make(Base::kU64, "MulAdd64((u32)$0, (u32)$1, $2)", 3, u64);
    case 17: return make(Base::kU32, "Dot4($0, $1)", 2, u32);
    case 18: return make(Base::kU32, "((u32)__builtin_popcount($0))", 1, {0, 32});
    case 19: return make(Base::kU64, "((u64)__builtin_popcountl($0))", 1, {0, 64});
    case 20: return make(Base::kU32, "((u32)__builtin_clz($0 | 1))", 1, {0, 31});
    case 21:
      return make(Base::kU64, "((u64)__builtin_ctzl($0 | 0x8000000000000000ul))", 1, {0, 63});
    case 22: return make(Base::kU32, "__builtin_bswap32($0)", 1, u32);
    default: return make(Base::kI32, "((i32)((u32)$0 << 11) >> 20)", 1, {-2048, 2047});
  }
}

Expression Generator::Condition(int depth) {
  const char* compare = random_.Pick({"<", "<=", ">", ">=", "==", "!="});
  const Range range = {0, 1};
  if (depth > 0 && random_.Percent(15)) {
    return Node({Base::kI32}, random_.Pick({"($0 && $1)", "($0 || $1)"}),
                {Condition(depth - 1), Condition(depth - 1)}, range);
  }
  if (!uniform_only_ && random_.Percent(15)) {
    const Base base = random_.Percent(60) ? Base::kF32 : Base::kF64;
    return Node({Base::kI32}, fmt::format("($0 {} $1)", compare),
                {Float(base, depth - 1), Float(base, depth - 1)}, range);
  }
  const Base base = AnyInteger();
  Expression left = Integer(base, depth - 1);
  Expression right = random_.Percent(50) ? Literal(base) : Integer(base, depth - 1);
  return Node({Base::kI32}, fmt::format("($0 {} $1)", compare), {std::move(left), std::move(right)},
              range);
}

Expression Generator::Between(int low, int high, int depth) {
  const auto inside = [&](const Range& range) { return range.low >= low && range.high <= high; };
  const auto usable = [&](const Variable& v) {
    return !IsFloat(v.type.base) && v.type.lanes == 1 && (!uniform_only_ || v.is_uniform) &&
           v.range.low >= -4096 && v.range.high <= 4096;
  };
  if (random_.Percent(75)) {
    const Variable* v = PickVariable(
        scope_, random_, [&](const Variable& v) { return usable(v) && inside(v.range); });
    const Variable* w = PickVariable(scope_, random_, usable);
    if (v && random_.Percent(60)) return Node(v->type, v->name, {}, v->range);
    if (w && Bytes(w->type.base) >= 4) {
      // A variable moved or stretched, as far as it stays within the bounds.
      const int room_up = high - static_cast<int>(w->range.high);
      const int room_down = low - static_cast<int>(w->range.low);
      const bool wraps = !IsSigned(w->type.base) && w->range.low + room_down < 0;
      if (room_down <= room_up && !wraps) {
        const int by = room_down + static_cast<int>(random_.Below(static_cast<uint32_t>(
                                       std::min(room_up - room_down, 64) + 1)));
        const Range moved = {w->range.low + by, w->range.high + by};
        const Expression variable = Node(w->type, w->name, {}, w->range);
        if (by >= 0) {
          Expression literal = LiteralOf(w->type.base, by);
          return Node(w->type, "($0 + $1)", {variable, std::move(literal)}, moved);
        }
        Expression literal = LiteralOf(w->type.base, -by);
        return Node(w->type, "($0 - $1)", {variable, std::move(literal)}, moved);
      }
    }
  }
  const int count = high - low + 1;
  if (count <= 1 || random_.Percent(15)) {
    return LiteralOf(
        Base::kI32,
        low + static_cast<int>(random_.Below(static_cast<uint32_t>(std::max(count, 1)))));
  }
  const Base base =
      random_.Pick({Base::kI32, Base::kU32, Base::kU32, Base::kU64, Base::kU16, Base::kI64});
  int mask = 1;
  while (mask * 2 <= count) mask *= 2;
  Expression masked = Node({Base::kI32}, fmt::format("((i32)($0 & {}))", mask - 1),
                           {Integer(base, depth - 1)}, {0, mask - 1});
  if (mask != count && random_.Percent(50)) {
    const Base unsigned_base = random_.Pick({Base::kU32, Base::kU64});
    masked = Node({Base::kI32},
                  fmt::format("((i32)(Hidden{}($0) % {}))", Bytes(unsigned_base) * 8, count),
                  {Integer(unsigned_base, depth - 1)}, {0, count - 1});
  }
  if (low == 0) return masked;
  const Range range = {masked.range.low + low, masked.range.high + low};
  return Node({Base::kI32}, fmt::format("($0 + ({}))", low), {std::move(masked)}, range);
}

bool Generator::Load(Type type, int depth, Expression& out) {
  if (!uniform_only_ && !IsFloat(type.base) && random_.Percent(20)) {
    const Record* record = Pick(scope_.records, random_, [&](const Record& r) {
      return std::ranges::any_of(r.structure->fields,
                                 [&](const Field& f) { return f.type == type; });
    });
    if (record) {
      const Field* field =
          Pick(record->structure->fields, random_, [&](const Field& f) { return f.type == type; });
      out = Node(type, record->name + "." + field->name, {}, FullRange(type.base));
      return true;
    }
  }
  // An array of it, or of structures or vectors that have it.
  const Array* array = Pick(scope_.arrays, random_, [&](const Array& a) {
    if (uniform_only_ && a.space != Space::kGlobal && a.space != Space::kConstant) return false;
    if (uniform_only_ && a.is_writable) return false;
    if (a.structure) {
      return std::ranges::any_of(a.structure->fields, [&](const Field& f) {
        return f.type == type || (type.lanes == 1 && f.type.base == type.base);
      });
    }
    if (IsFloat(type.base) && !a.is_float) return false;
    return a.type == type || (type.lanes == 1 && a.type.base == type.base);
  });
  if (!array) return false;
  Expression index = Between(0, array->count - 1, depth - 1);
  std::string form = fmt::format("{}[$0]", array->name);
  Type found = array->type;
  if (array->structure) {
    const Field* field = Pick(array->structure->fields, random_, [&](const Field& f) {
      return f.type == type || (type.lanes == 1 && f.type.base == type.base);
    });
    if (IsFloat(field->type.base) && !array->is_float) return false;
    form += "." + field->name;
    found = field->type;
  }
  if (found.lanes != type.lanes)
    form += fmt::format(".s{:x}", random_.Below(static_cast<uint32_t>(found.lanes)));
  Range range = IsFloat(type.base) ? Range{kLaneGrain, kLaneSize} : FullRange(type.base);
  out = Node(type, std::move(form), {std::move(index)}, range);
  return true;
}

bool Generator::Call(Base base, int depth, Expression& out) {
  const Callable* callable =
      Pick(callables_, random_, [&](const Callable& c) { return cost_ * c.cost <= kMaxCost; });
  if (!callable) return false;
  std::vector<Expression> operands;
  std::string form = callable->name + "(";
  for (const Parameter& parameter : callable->parameters) {
    if (!operands.empty()) form += ", ";
    form += fmt::format("${}", operands.size());
    if (parameter.kind == Parameter::Kind::kValue) {
      operands.push_back(Storable(parameter.variable.type, depth - 1));
      continue;
    }
    if (parameter.kind == Parameter::Kind::kRecord) {
      const Record* record = Pick(scope_.records, random_, [&](const Record& r) {
        return r.structure == parameter.structure;
      });
      if (!record) return false;
      operands.push_back(Node({Base::kI32}, record->name, {}, {}));
      continue;
    }
    const Array* array = Pick(scope_.arrays, random_, [&](const Array& a) {
      return a.space == parameter.array.space && a.structure == parameter.array.structure &&
             (a.structure || a.type == parameter.array.type) && a.count >= parameter.array.count &&
             (a.is_float || !parameter.array.is_float);
    });
    if (!array) return false;
    const int room = array->count - parameter.array.count;
    Expression index = Between(0, room, depth - 1);
    operands.push_back(
        Node({Base::kI32}, fmt::format("({} + $0)", array->name), {std::move(index)}, {}));
  }
  if (operands.size() > 9) return false;
  out = Node(callable->result, form + ")", std::move(operands), callable->range);
  if (IsFloat(base) != IsFloat(callable->result.base)) return false;
  if (!IsFloat(base)) out = Cast(base, std::move(out));
  return out.type.base == base;
}

}  // namespace gcnjit::source_fuzz
