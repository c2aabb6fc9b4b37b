// Expressions of floats, and of vectors.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "source_fuzz/generator.h"
#include "source_fuzz/pick.h"

namespace gcnjit::source_fuzz {
namespace {

// Far from overflow and from denormals, results' own rounding included.
bool IsSafe(const Range& range, Base base) {
  const int most = base == Base::kF32 ? 100 : 900;
  return range.low >= -most && range.high <= most;
}

constexpr Range kStorable = {kLaneGrain, kLaneSize};

// LANES16 says which compilers may not see constants in 16-bit lanes.
std::string Lanes(Type type, const std::string& form) {
  return Bytes(type.base) == 2 ? fmt::format("LANES16({}, {})", Name(type), form) : form;
}

}  // namespace

Expression Generator::FloatLeaf(Base base) {
  if (random_.Percent(35)) {
    Expression loaded;
    if (Load({base}, 1, loaded)) return loaded;
  }
  if (random_.Percent(60)) {
    const Variable* v = Pick(scope_.variables, random_, [&](const Variable& v) {
      return v.type == Type{base} && (!uniform_only_ || v.is_uniform);
    });
    if (v) return Node(v->type, v->name, {}, v->range);
  }
  if (random_.Percent(60)) {
    // An integer of up to 24 bits: exact.
    Expression value = Between(-200, 200, 1);
    return Node({base}, fmt::format("(({})$0)", Name(base)), {std::move(value)}, {0, 8});
  }
  const int64_t number = static_cast<int64_t>(random_.Below(2001)) - 1000;
  const int scale = -static_cast<int>(random_.Below(9));
  const std::string text = fmt::format("(({})({}{}.0 * 0x1p{}))", Name(base), number < 0 ? "-" : "",
                                       number < 0 ? -number : number, scale);
  return Node({base}, text, {}, {scale, 10});
}

Expression Generator::Float(Base base, int depth) {
  if (depth <= 0) return FloatLeaf(base);
  const bool is_single = base == Base::kF32;
  Expression a = Float(base, depth - 1);
  Expression result;
  switch (random_.Below(9)) {
    case 0:
    case 1: {
      Expression b = Float(base, depth - 1);
      const Range range = {std::min(a.range.low, b.range.low),
                           std::max(a.range.high, b.range.high) + 1};
      result =
          Node({base}, random_.Percent(50) ? "($0 + $1)" : "($0 - $1)", {a, std::move(b)}, range);
      break;
    }
    case 2: {
      Expression b = Float(base, depth - 1);
      const Range range = {a.range.low + b.range.low, a.range.high + b.range.high};
      result = Node({base}, "($0 * $1)", {a, std::move(b)}, range);
      break;
    }
    case 3: {
      Expression b = Float(base, depth - 1);
      Expression c = Float(base, depth - 1);
      const Range range = {std::min(a.range.low + b.range.low, c.range.low),
                           std::max(a.range.high + b.range.high, c.range.high) + 1};
      result = Node({base}, is_single ? "__builtin_fmaf($0, $1, $2)" : "__builtin_fma($0, $1, $2)",
                    {a, std::move(b), std::move(c)}, range);
      break;
    }
    case 4: {
      // A divisor of 1 or more.
      Expression b = Float(base, depth - 1);
      const Range range = {a.range.low - b.range.high - 1 - (is_single ? 24 : 53), a.range.high};
      result = Node(
          {base},
          is_single ? "($0 / (__builtin_fabsf($1) + 1.0f))" : "($0 / (__builtin_fabs($1) + 1.0))",
          {a, std::move(b)}, range);
      break;
    }
    case 5: {
      const char* name = random_.Pick({"floor", "ceil", "trunc", "rint"});
      const Range range = {std::max<Wide>(a.range.low, 0), std::max<Wide>(a.range.high, 0) + 1};
      const std::string rounded = is_single ? fmt::format("__builtin_{}f($0)", name)
                                            : fmt::format("ROUNDED64({}, $0)", name);
      result = Node({base}, rounded, {a}, range);
      break;
    }
    case 6: {
      Expression b = Float(base, depth - 1);
      const Range range = {std::min(a.range.low, b.range.low),
                           std::max(a.range.high, b.range.high)};
      result = Node(
          {base},
          fmt::format("{}{}($0, $1)", random_.Pick({"Smaller", "Larger"}), is_single ? "" : "64"),
          {a, std::move(b)}, range);
      break;
    }
    case 7: {
      const std::string absolute = is_single ? "__builtin_fabsf($0)" : "__builtin_fabs($0)";
      result = Node({base}, random_.Percent(50) ? "(-$0)" : absolute, {a}, a.range);
      break;
    }
    default: {
      const Base other = is_single ? Base::kF64 : Base::kF32;
      Expression b = Float(other, depth - 1);
      result = Node({base}, fmt::format("(({})$0)", Name(base)), {std::move(b)}, {0, 0});
      result.range = {result.operands[0].range.low, result.operands[0].range.high + 1};
      break;
    }
  }
  return IsSafe(result.range, base) ? result : a;
}

Expression Generator::Storable(Type type, int depth) {
  if (type.lanes != 1) return Vector(type, depth);
  if (!IsFloat(type.base)) return Integer(type.base, depth);
  Expression value = Float(type.base, depth);
  return Inside(value.range, kStorable, type.base) ? value : FloatLeaf(type.base);
}

Expression Generator::Vector(Type type, int depth) {
  if (depth > 0 && !IsFloat(type.base) && random_.Percent(50))
    return VectorOperator(type, depth - 1);
  if (random_.Percent(40)) {
    Expression loaded;
    if (Load(type, depth, loaded)) return loaded;
  }
  if (random_.Percent(60)) {
    const Variable* v = Pick(scope_.variables, random_, [&](const Variable& v) {
      return v.type.base == type.base && v.type.lanes >= 2 && (!uniform_only_ || v.is_uniform);
    });
    if (v && v->type.lanes == type.lanes && random_.Percent(60)) return Node(type, v->name, {}, {});
    if (v) {
      std::string form = v->name + ".s";
      for (int n = 0; n < type.lanes; ++n)
        form += fmt::format("{:x}", random_.Below(static_cast<uint32_t>(v->type.lanes)));
      return Node(type, std::move(form), {}, {});
    }
  }
  if (type.lanes > 4) {
    // From two halves.
    const Type half = {type.base, type.lanes / 2};
    std::string form = fmt::format("AS({}, __builtin_shufflevector($0, $1", Name(type));
    for (int n = 0; n < type.lanes; ++n) form += fmt::format(", {}", n);
    std::vector<Expression> operands;
    operands.push_back(Vector(half, depth - 1));
    operands.push_back(Vector(half, depth - 1));
    return Node(type, form + "))", std::move(operands), {});
  }
  std::string form = fmt::format("VECTOR({}", Name(type));
  std::vector<Expression> operands;
  for (int n = 0; n < type.lanes; ++n) {
    form += fmt::format(", ${}", n);
    operands.push_back(Storable({type.base}, depth - 1));
  }
  return Node(type, Lanes(type, form + ")"), std::move(operands), {});
}

// Of integers. Lanes of signed types wrap by way of the unsigned type.
Expression Generator::VectorOperator(Type type, int depth) {
  const Type wide = {Unsigned(type.base), type.lanes};
  const int bits = Bytes(type.base) * 8;
  const std::string name = Name(type);
  switch (random_.Below(7)) {
    case 0:
    case 1:
      return Node(type,
                  fmt::format("AS({}, AS({}, $0) {} AS({}, $1))", name, Name(wide),
                              random_.Pick({"+", "-", "*"}), Name(wide)),
                  {Vector(type, depth), Vector(type, depth)}, {});
    case 2:
      return Node(type, fmt::format("($0 {} $1)", random_.Pick({"&", "|", "^"})),
                  {Vector(type, depth), Vector(type, depth)}, {});
    case 3: {
      const int count = static_cast<int>(random_.Below(static_cast<uint32_t>(bits)));
      const char* op = random_.Pick({"<<", ">>"});
      if (*op == '>' || !IsSigned(type.base)) {
        return Node(type, fmt::format("($0 {} ({}){})", op, Name(type.base), count),
                    {Vector(type, depth)}, {});
      }
      return Node(
          type,
          fmt::format("AS({}, AS({}, $0) << ({}){})", name, Name(wide), Name(wide.base), count),
          {Vector(type, depth)}, {});
    }
    case 4: {
      const Type from = {AnyInteger(), type.lanes};
      return Node(type, Lanes(type, fmt::format("CONVERT({}, $0)", name)), {Vector(from, depth)},
                  {});
    }
    case 5: {
      // A comparison gives 0 or -1 in each lane.
      return Node(type, fmt::format("AS({}, $0 {} $1)", name, random_.Pick({"<", ">", "==", "!="})),
                  {Vector(type, depth), Vector(type, depth)}, {});
    }
    default: {
      std::string form = "($0).s";
      for (int n = 0; n < type.lanes; ++n)
        form += fmt::format("{:x}", random_.Below(static_cast<uint32_t>(type.lanes)));
      return Node(type, std::move(form), {Vector(type, depth)}, {});
    }
  }
}

}  // namespace gcnjit::source_fuzz
