#include "source_fuzz/program.h"

#include <fmt/format.h>

namespace gcnjit::source_fuzz {
namespace {

constexpr const char* kNames[kBases] = {"i8",  "u8",  "i16", "u16", "i32",
                                        "u32", "i64", "u64", "f32", "f64"};
constexpr int kBytes[kBases] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

void PrintBlock(const std::vector<Statement>& block, int depth, std::string& out);

void PrintExpression(const Expression& expression, std::string& out) {
  const std::string& form = expression.form;
  for (size_t n = 0; n < form.size(); ++n) {
    if (form[n] != '$') {
      out += form[n];
    } else {
      PrintExpression(expression.operands[static_cast<size_t>(form[++n] - '0')], out);
    }
  }
}

void PrintStatement(const Statement& statement, int depth, std::string& out) {
  out.append(static_cast<size_t>(depth) * 2, ' ');
  const std::string& form = statement.form;
  for (size_t n = 0; n < form.size(); ++n) {
    if (form[n] == '$') {
      PrintExpression(statement.operands[static_cast<size_t>(form[++n] - '0')], out);
    } else if (form[n] == '@') {
      out += "{\n";
      PrintBlock(statement.blocks[static_cast<size_t>(form[++n] - '0')], depth + 1, out);
      out.append(static_cast<size_t>(depth) * 2, ' ');
      out += "}";
    } else {
      out += form[n];
    }
  }
  out += "\n";
}

void PrintBlock(const std::vector<Statement>& block, int depth, std::string& out) {
  for (const Statement& statement : block) PrintStatement(statement, depth, out);
}

void PrintKernel(const Kernel& kernel, std::string& out) {
  if (kernel.states_group_size) out += fmt::format("GROUP_SIZE_IS({})\n", kernel.group_size);
  out += fmt::format("KERNEL void {}(", kernel.name);
  std::string call;
  for (size_t n = 0; n < kernel.arguments.size(); ++n) {
    const Argument& argument = kernel.arguments[n];
    out += (n == 0 ? "" : ", ") + argument.declaration;
    call += fmt::format("{}*({}*)args[{}]", n == 0 ? "" : ", ", argument.type, n);
  }
  out += ") {\n";
  PrintBlock(kernel.body, 1, out);
  out += fmt::format(
      "}}\n#ifdef __cplusplus\nextern \"C\" void call_{}(void** args) {{ {}({}); "
      "}}\n#endif\n\n",
      kernel.name, kernel.name, call);
}

}  // namespace

int Bytes(Base base) { return kBytes[static_cast<int>(base)]; }

Base Unsigned(Base base) {
  switch (Bytes(base)) {
    case 1: return Base::kU8;
    case 2: return Base::kU16;
    case 4: return Base::kU32;
    default: return Base::kU64;
  }
}

std::string Name(Base base) { return kNames[static_cast<int>(base)]; }

std::string Name(Type type) {
  return type.lanes == 1 ? Name(type.base) : fmt::format("{}x{}", Name(type.base), type.lanes);
}

Range FullRange(Base base) {
  const int bits = Bytes(base) * 8;
  const Wide half = Wide{1} << (bits - 1);
  return IsSigned(base) ? Range{-half, half - 1} : Range{0, half * 2 - 1};
}

bool Inside(const Range& inner, const Range& outer, Base base) {
  // The multiples of 2^n are multiples of 2^(n-1) as well.
  if (IsFloat(base)) return inner.low >= outer.low && inner.high <= outer.high;
  return inner.low >= outer.low && inner.high <= outer.high;
}

std::string Print(const Program& program) {
  std::string out = "#include \"dialect.h\"\n\n";
  for (const std::string& type : program.types) out += type + "\n";
  for (const Function& function : program.functions) {
    out += function.head + " {\n";
    PrintBlock(function.body, 1, out);
    out += "}\n\n";
  }
  for (const Kernel& kernel : program.kernels) PrintKernel(kernel, out);
  return out;
}

}  // namespace gcnjit::source_fuzz
