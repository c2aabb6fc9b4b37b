// Structures, tables, functions and kernels.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "source_fuzz/generator.h"
#include "source_fuzz/pick.h"

namespace gcnjit::source_fuzz {
namespace {

// A value's bits as a u64; those of a vector's lanes one after the other.
std::string BitsOf(const std::string& value, Type type) {
  const auto lane = [&](const std::string& text) {
    if (!IsFloat(type.base)) return fmt::format("FACTOR64((u64){})", text);
    return fmt::format("FACTOR64((u64)AS({}, {}))", Name(Unsigned(type.base)), text);
  };
  if (type.lanes == 1) return lane(value);
  std::string sum = "0ul";
  for (int n = 0; n < type.lanes; ++n)
    sum = fmt::format("RotateLeft64({}, 5) + {}", sum, lane(fmt::format("{}.s{:x}", value, n)));
  return sum;
}

constexpr int kAtomicElements = 16;

}  // namespace

std::string Generator::NewName(const char* prefix) {
  return fmt::format("{}_{}", prefix, names_++);
}

Base Generator::AnyInteger() {
  return random_.Pick({Base::kI8, Base::kU8, Base::kI16, Base::kU16, Base::kI32, Base::kI32,
                       Base::kU32, Base::kU32, Base::kI64, Base::kU64});
}

Type Generator::AnyType() {
  const Base base = random_.Percent(20) ? random_.Pick({Base::kF32, Base::kF64}) : AnyInteger();
  return {base, random_.Percent(70) ? 1 : random_.Pick({2, 3, 4, 4, 8, 16})};
}

Program Generator::MakeProgram(int kernels) {
  Program program;
  MakeStructures(program);
  for (int n = static_cast<int>(random_.Below(3)); n > 0; --n) MakeTable(program);
  for (int n = static_cast<int>(random_.Below(4)); n > 0; --n) MakeFunction(program);
  for (int n = 0; n < kernels; ++n) program.kernels.push_back(MakeKernel(n));
  return program;
}

void Generator::MakeStructures(Program& program) {
  for (int count = static_cast<int>(random_.Between(1, 3)); count > 0; --count) {
    Structure structure;
    structure.name = NewName("S");
    if (random_.Percent(35)) {
      // Bytes in a dword: compilers load them with scalar instructions, from the first or another.
      std::string text = "typedef struct {";
      for (structure.bytes = 0; structure.bytes < 4; ++structure.bytes) {
        const Field field = {NewName("f"), {random_.Percent(70) ? Base::kU8 : Base::kI8}};
        text += fmt::format(" {} {};", Name(field.type), field.name);
        structure.fields.push_back(field);
      }
      program.types.push_back(fmt::format("{} }} ALIGNED(4) {};", text, structure.name));
      structures_.push_back(std::move(structure));
      continue;
    }
    const bool is_packed = random_.Percent(30);
    std::string text = "typedef struct {";
    int align = 1;
    for (int n = static_cast<int>(random_.Between(1, 5)); n > 0; --n) {
      const Field field = {NewName("f"),
                           {AnyInteger(), random_.Percent(75) ? 1 : random_.Pick({2, 3, 4})}};
      const int bytes = Bytes(field.type);
      if (!is_packed) {
        structure.bytes = (structure.bytes + bytes - 1) / bytes * bytes;
        align = std::max(align, bytes);
      }
      structure.bytes += bytes;
      text += fmt::format(" {} {};", Name(field.type), field.name);
      structure.fields.push_back(field);
    }
    structure.bytes = (structure.bytes + align - 1) / align * align;
    program.types.push_back(
        fmt::format("{} }} {}{};", text, is_packed ? "PACKED " : "", structure.name));
    program.types.push_back(fmt::format("typedef char size_of_{0}[sizeof({0}) == {1} ? 1 : -1];",
                                        structure.name, structure.bytes));
    structures_.push_back(std::move(structure));
  }
}

void Generator::MakeTable(Program& program) {
  Array table;
  table.name = NewName("table");
  table.type = {AnyInteger()};
  table.count = random_.Pick({3, 8, 16, 33});
  table.space = Space::kConstant;
  std::string text =
      fmt::format("CONSTANT {} {}[{}] = {{", Name(table.type), table.name, table.count);
  for (int n = 0; n < table.count; ++n)
    text += (n == 0 ? "" : ", ") + Literal(table.type.base).form;
  program.types.push_back(text + "};");
  tables_.push_back(std::move(table));
}

void Generator::MakeFunction(Program& program) {
  Callable callable;
  callable.name = NewName("g");
  callable.result = {random_.Percent(20) ? Base::kF32 : AnyInteger()};
  callable.range = IsFloat(callable.result.base) ? Range{kLaneGrain, kLaneSize}
                                                 : FullRange(callable.result.base);
  callable.cost = 16;
  scope_ = {};
  scope_.arrays = tables_;
  cost_ = 8;
  std::string head;
  for (int n = static_cast<int>(random_.Between(1, 4)); n > 0; --n) {
    Parameter parameter;
    const std::string name = NewName("x");
    head += head.empty() ? "" : ", ";
    const size_t kind = random_.Weighted({60, 15, 15, 10});
    if (kind == 0) {
      const Type type = AnyType();
      parameter.variable = {name, type,
                            IsFloat(type.base) || type.lanes > 1 ? Range{kLaneGrain, kLaneSize}
                                                                 : FullRange(type.base),
                            true, false};
      scope_.variables.push_back(parameter.variable);
      head += fmt::format("{} {}", Name(type), name);
    } else if (kind == 3) {
      parameter.kind = Parameter::Kind::kRecord;
      parameter.structure = random_.Percent(50) ? &structures_.front() : &structures_.back();
      scope_.records.push_back({name, parameter.structure});
      head += fmt::format("{} {}", parameter.structure->name, name);
    } else {
      parameter.kind = Parameter::Kind::kArray;
      const bool is_global = kind == 1;
      parameter.array = {name,
                         {AnyInteger(), random_.Percent(70) ? 1 : 4},
                         nullptr,
                         random_.Pick({2, 4, 8}),
                         is_global ? Space::kGlobal : Space::kPrivate,
                         false,
                         false};
      scope_.arrays.push_back(parameter.array);
      head += fmt::format("{} const {}* {}", is_global ? "GLOBAL" : "PRIVATE",
                          Name(parameter.array.type), name);
    }
    callable.parameters.push_back(std::move(parameter));
  }
  Function function;
  function.head =
      fmt::format("{}static {} {}({})", random_.Pick({"NOINLINE ", "ALWAYS_INLINE ", "", ""}),
                  Name(callable.result), callable.name, head);
  const Scope outside = scope_;
  for (int n = static_cast<int>(random_.Between(1, 4)); n > 0; --n) {
    if (random_.Percent(40)) {
      Declare(function.body);
    } else if (random_.Percent(20)) {
      DeclareArray(function.body);
    } else {
      function.body.push_back(OneStatement(2));
    }
  }
  function.body.push_back({"return $0;", {Storable(callable.result, 3)}, {}, true});
  scope_ = outside;
  program.functions.push_back(std::move(function));
  callables_.push_back(std::move(callable));
  cost_ = 1;
}

void Generator::AddInput(Kernel& kernel) {
  Array array;
  array.name = NewName("in");
  array.count = random_.Pick({5, 16, 37, 64, 200});
  array.space = Space::kGlobal;
  if (random_.Percent(30)) {
    array.structure = &structures_[random_.Below(static_cast<uint32_t>(structures_.size()))];
  } else {
    array.type = AnyType();
    if (random_.Percent(30))
      array.type = {random_.Pick({Base::kU8, Base::kI8, Base::kU16}), random_.Pick({2, 4, 4})};
    array.is_float = IsFloat(array.type.base);
  }
  const std::string element = array.structure ? array.structure->name : Name(array.type);
  const int bytes = array.structure ? array.structure->bytes : Bytes(array.type);
  Argument argument;
  argument.declaration = fmt::format("GLOBAL const {}*{} {}", element,
                                     random_.Percent(70) ? " RESTRICT" : "", array.name);
  argument.type = element + " const*";
  argument.is_buffer = true;
  argument.bytes = static_cast<uint64_t>(bytes) * static_cast<uint64_t>(array.count);
  argument.random = random_.Next();
  argument.is_float = array.is_float;
  argument.element_bytes = array.structure ? 1 : Bytes(array.type.base);
  argument.offset = static_cast<uint32_t>(bytes) * random_.Below(4);
  // Vectors and whole structures are aligned as their type wants; packed ones need not be.
  kernel.arguments.push_back(std::move(argument));
  scope_.arrays.push_back(std::move(array));
}

void Generator::AddValue(Kernel& kernel) {
  const bool is_small = random_.Percent(50);
  Variable variable;
  variable.name = NewName("n");
  variable.type = is_small ? Type{random_.Pick({Base::kI32, Base::kU32, Base::kI64})}
                           : Type{AnyInteger(), random_.Percent(80) ? 1 : random_.Pick({2, 4, 8})};
  variable.is_uniform = true;
  variable.range = is_small ? Range{0, 12} : FullRange(variable.type.base);
  Argument argument;
  argument.declaration = fmt::format("{} {}", Name(variable.type), variable.name);
  argument.type = Name(variable.type);
  argument.value.resize(static_cast<size_t>(Bytes(variable.type)));
  for (uint8_t& byte : argument.value) byte = is_small ? 0 : static_cast<uint8_t>(random_.Next());
  if (is_small) argument.value[0] = static_cast<uint8_t>(random_.Below(13));
  kernel.arguments.push_back(std::move(argument));
  scope_.variables.push_back(std::move(variable));
}

void Generator::AddOutput(Kernel& kernel) {
  Type type = AnyType();
  if (type.lanes == 3) type.lanes = 4;  // what a store leaves after the third lane is not defined
  const int elements = static_cast<int>(random_.Between(1, 4));
  const std::string buffer = NewName("out");
  const uint32_t items = std::bit_ceil(kernel.group_size * kernel.groups);
  Argument argument;
  argument.declaration =
      fmt::format("GLOBAL {}*{} {}", Name(type), random_.Percent(60) ? " RESTRICT" : "", buffer);
  argument.type = Name(type) + "*";
  argument.is_buffer = argument.is_output = true;
  argument.bytes = uint64_t{items} * static_cast<uint64_t>(elements * Bytes(type));
  argument.fill = 0xA5;
  kernel.arguments.push_back(std::move(argument));
  // Each work-item has elements of its own.
  std::string place = "gid";
  switch (random_.Below(5)) {
    case 0: place = fmt::format("(gid ^ {})", random_.Below(items)); break;
    case 1: place = fmt::format("({} - gid)", items - 1); break;
    case 2: place = fmt::format("(gid * {} & {})", random_.Below(50) * 2 + 1, items - 1); break;
    default: break;
  }
  const std::string own = NewName("o");
  kernel.body.push_back(
      {fmt::format("GLOBAL {}* {} = {} + {} * {};", Name(type), own, buffer, place, elements),
       {},
       {},
       true});
  scope_.arrays.push_back({own, type, nullptr, elements, Space::kGlobal, true, false});
}

void Generator::AddAtomics(Kernel& kernel) {
  for (int n = static_cast<int>(random_.Below(3)); n > 0; --n) {
    Array array;
    array.type = {random_.Pick({Base::kU32, Base::kU32, Base::kI32, Base::kU64})};
    array.count = kAtomicElements;
    const bool is_local = random_.Percent(50);
    array.space = is_local ? Space::kLocal : Space::kGlobal;
    array.name = NewName(is_local ? "lsum" : "sum");
    atomic_operations_.push_back(random_.Pick({"add", "add", "and", "or", "xor", "min", "max"}));
    if (is_local) {
      kernel.body.push_back(
          {fmt::format("GROUP_ARRAY({}, {}, {});", Name(array.type), array.name, array.count),
           {},
           {},
           true});
      kernel.body.push_back({fmt::format("for (u32 i = lid; i < {}; i += {}) {}[i] = 0x5a5a5a + i;",
                                         array.count, kernel.group_size, array.name),
                             {},
                             {},
                             true});
    } else {
      Argument argument;
      argument.declaration = fmt::format("GLOBAL {}* {}", Name(array.type), array.name);
      argument.type = Name(array.type) + "*";
      argument.is_buffer = argument.is_output = true;
      argument.bytes = static_cast<uint64_t>(array.count * Bytes(array.type));
      argument.fill = 0x5A;
      kernel.arguments.push_back(std::move(argument));
    }
    atomics_.push_back(std::move(array));
  }
  if (!atomics_.empty()) kernel.body.push_back({"BARRIER();", {}, {}, true});
}

// Every work-item writes elements of an array of the group, and then all may read them.
void Generator::AddGroupPhase(std::vector<Statement>& body) {
  Array array;
  if (!group_arrays_.empty() && random_.Percent(50)) {
    // Written anew: it is not read on the way.
    const auto found = std::ranges::find_if(
        scope_.arrays, [&](const Array& a) { return a.name == group_arrays_.back(); });
    if (found == scope_.arrays.end()) return;
    array = *found;
    scope_.arrays.erase(found);
    body.push_back({"BARRIER();", {}, {}, true});
  } else {
    array.name = NewName("group");
    array.type = {AnyInteger(), random_.Percent(75) ? 1 : random_.Pick({2, 4})};
    array.count = random_.Pick({16, 64, 64, 128, 256, 300});
    array.space = Space::kLocal;
    group_arrays_.push_back(array.name);
    body.push_back(
        {fmt::format("GROUP_ARRAY({}, {}, {});", Name(array.type), array.name, array.count),
         {},
         {},
         true});
  }
  const std::string counter = NewName("i");
  const Scope outside = scope_;
  scope_.variables.push_back({counter, {Base::kU32}, {0, array.count - 1}, false, false});
  Expression value = Storable(array.type, 3);
  scope_ = outside;
  body.push_back({fmt::format("for (u32 {0} = lid; {0} < {1}; {0} += {2}) {3}[{0}] = $0;", counter,
                              array.count, kernel_->group_size, array.name),
                  {std::move(value)},
                  {},
                  true});
  body.push_back({"BARRIER();", {}, {}, true});
  scope_.arrays.push_back(std::move(array));
}

void Generator::StoreResults(std::vector<Statement>& body) {
  std::vector<std::string> results;
  for (const Variable& variable : scope_.variables) {
    if (variable.is_mutable) results.push_back(BitsOf(variable.name, variable.type));
  }
  for (const Array& array : scope_.arrays) {
    if (array.space != Space::kPrivate) continue;
    const std::string sum = NewName("h");
    body.push_back(
        {fmt::format(
             "u64 {0} = 0; for (i32 i = 0; i < {1}; i++) {0} = RotateLeft64({0}, 5) + ({2});", sum,
             array.count, BitsOf(array.name + "[i]", array.type)),
         {},
         {},
         false});
    results.push_back(sum);
  }
  bool is_first = true;
  for (const Array& array : atomics_) {
    if (array.space != Space::kLocal) continue;
    if (std::exchange(is_first, false)) body.push_back({"BARRIER();", {}, {}, true});
    results.push_back(fmt::format("(u64){}[lid % {}]", array.name, array.count));
  }
  const uint32_t items = kernel_->group_size * kernel_->groups;
  Argument argument;
  argument.declaration = "GLOBAL u64* RESTRICT result";
  argument.type = "u64*";
  argument.is_buffer = argument.is_output = true;
  argument.bytes = uint64_t{items} * results.size() * 8;
  if (results.empty()) argument.bytes = 8;
  argument.fill = 0xC3;
  kernel_->arguments.push_back(std::move(argument));
  for (size_t n = 0; n < results.size(); ++n) {
    body.push_back(
        {fmt::format("result[gid * {} + {}] = {};", results.size(), n, results[n]), {}, {}, false});
  }
}

Kernel Generator::MakeKernel(int number) {
  Kernel kernel;
  kernel.name = fmt::format("k{}", number);
  kernel.group_size = random_.Pick({64u, 64u, 64u, 128u, 256u, 32u, 96u, 192u, 1u});
  kernel.groups = random_.Pick({1u, 2u, 3u, 5u});
  kernel.states_group_size = random_.Percent(50);
  kernel_ = &kernel;
  scope_ = {};
  scope_.arrays = tables_;
  atomics_.clear();
  atomic_operations_.clear();
  group_arrays_.clear();
  cost_ = 1;
  const Wide items = kernel.group_size * kernel.groups;
  kernel.body.push_back({"const u32 lid = LOCAL_ID;", {}, {}, true});
  kernel.body.push_back({"const u32 group = GROUP_ID;", {}, {}, true});
  kernel.body.push_back(
      {fmt::format("const u32 gid = group * {} + lid;", kernel.group_size), {}, {}, true});
  scope_.variables.push_back({"lid", {Base::kU32}, {0, kernel.group_size - 1}, false, false});
  scope_.variables.push_back({"group", {Base::kU32}, {0, kernel.groups - 1}, false, true});
  scope_.variables.push_back({"gid", {Base::kU32}, {0, items - 1}, false, false});
  for (uint32_t n = random_.Between(1, 3); n > 0; --n) AddInput(kernel);
  for (uint32_t n = random_.Between(1, 3); n > 0; --n) AddValue(kernel);
  for (uint32_t n = random_.Between(1, 2); n > 0; --n) AddOutput(kernel);
  AddAtomics(kernel);
  const bool has_phases = random_.Percent(50);
  for (uint32_t n = random_.Between(4, 10); n > 0; --n) {
    switch (random_.Weighted({40, 60, 12, has_phases ? 25 : 0})) {
      case 0: Declare(kernel.body); break;
      case 1: kernel.body.push_back(OneStatement(3)); break;
      case 2: DeclareArray(kernel.body); break;
      default: AddGroupPhase(kernel.body); break;
    }
  }
  StoreResults(kernel.body);
  kernel_ = nullptr;
  return kernel;
}

}  // namespace gcnjit::source_fuzz
