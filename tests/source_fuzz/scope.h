// What a program may name at one point of a function that is being made.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "source_fuzz/program.h"

namespace gcnjit::source_fuzz {

struct Field {
  std::string name;
  Type type;
};

struct Structure {
  std::string name;
  std::vector<Field> fields;
  int bytes = 0;
};

struct Variable {
  std::string name;
  Type type;
  Range range;  // see Range; of a mutable float, what may be assigned
  bool is_mutable = false;
  bool is_uniform = false;  // the same in all work-items, wherever it is read
};

enum class Space { kGlobal, kLocal, kPrivate, kConstant };

// An array, or memory from a pointer on.
struct Array {
  std::string name;
  Type type;                             // of an element, unless
  const Structure* structure = nullptr;  // it is one of these
  int count = 0;                         // elements, from 0
  Space space = Space::kPrivate;
  bool is_writable = false;
  bool is_float = false;  // may be read as floats: small integers, or stored as Range says
};

struct Record {  // a variable of a structure type
  std::string name;
  const Structure* structure = nullptr;
};

struct Parameter {
  enum class Kind { kValue, kArray, kRecord } kind = Kind::kValue;
  Variable variable;
  Array array;
  const Structure* structure = nullptr;
};

struct Callable {
  std::string name;
  Type result;
  Range range;
  std::vector<Parameter> parameters;
  int cost = 1;  // innermost statements that a call runs, at most
};

struct Scope {
  std::vector<Variable> variables;
  std::vector<Array> arrays;
  std::vector<Record> records;
};

}  // namespace gcnjit::source_fuzz
