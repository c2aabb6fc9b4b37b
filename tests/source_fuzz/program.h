// Random programs as trees: small enough to be cut down by rules, near enough to text to be printed
// as they are. Each is well defined in OpenCL C and in C++ (generator.h says how).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gcnjit::source_fuzz {

enum class Base : uint8_t { kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF32, kF64 };
inline constexpr int kBases = 10;

struct Type {
  Base base = Base::kI32;
  int lanes = 1;  // 1, 2, 3, 4, 8, 16
  bool operator==(const Type&) const = default;
};

inline bool IsFloat(Base base) { return base >= Base::kF32; }
inline bool IsSigned(Base base) { return !IsFloat(base) && static_cast<int>(base) % 2 == 0; }
int Bytes(Base base);
// Of a value in memory: three lanes take the room of four.
inline int Bytes(Type type) { return Bytes(type.base) * (type.lanes == 3 ? 4 : type.lanes); }
Base Unsigned(Base base);  // of the same width, integers and floats alike
std::string Name(Base base);
std::string Name(Type type);

using Wide = __int128;

// What a value may be. A scalar integer: from low to high. A scalar float: a multiple of 2^low less
// than 2^high in size, neither infinite nor NaN. Not kept for vectors: any value of the type,
// floats within kLaneGrain and kLaneSize.
struct Range {
  Wide low = 0;
  Wide high = 0;
};
inline constexpr int kLaneGrain = -40;
inline constexpr int kLaneSize = 40;
Range FullRange(Base base);  // of an integer type
bool Inside(const Range& inner, const Range& outer, Base base);

// `form` with operand n in place of "$n".
struct Expression {
  Type type;
  std::string form;
  std::vector<Expression> operands;
  Range range;
};
inline Expression Node(Type type, std::string form, std::vector<Expression> operands, Range range) {
  return {type, std::move(form), std::move(operands), range};
}

// `form` with operand n in place of "$n" and block n, in braces, in place of "@n".
struct Statement {
  std::string form;
  std::vector<Expression> operands;
  std::vector<std::vector<Statement>> blocks;
  // What keeps loops finite, barriers uniform and memory initialised is never taken away.
  bool is_fixed = false;
};

struct Function {
  std::string head;  // without the body
  std::vector<Statement> body;
};

// How an argument of a kernel is filled before a launch.
struct Argument {
  std::string declaration;  // in the kernel's head
  std::string type;         // for the call on the host
  bool is_buffer = false;
  bool is_output = false;      // compared afterwards
  uint64_t bytes = 0;          // of a buffer
  uint8_t fill = 0;            // of an output: each byte at first
  uint64_t random = 0;         // of an input: the seed of its contents
  bool is_float = false;       // of an input: f32 or f64 that are small integers
  int element_bytes = 1;       // of an input of floats
  std::vector<uint8_t> value;  // of a value
  uint32_t offset = 0;         // of a buffer: the pointer is so many bytes into it
};

struct Kernel {
  std::string name;
  std::vector<Argument> arguments;
  std::vector<Statement> body;
  uint32_t group_size = 64;
  uint32_t groups = 1;
  bool states_group_size = false;
};

struct Program {
  std::vector<std::string> types;   // structures and constant tables
  std::vector<Function> functions;  // called by later ones and by kernels
  std::vector<Kernel> kernels;
};

// The whole source; for the host with a function "call_NAME(void**)" for each kernel.
std::string Print(const Program& program);

}  // namespace gcnjit::source_fuzz
