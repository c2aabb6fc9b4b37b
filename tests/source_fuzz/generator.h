// Makes random programs that are well defined by construction:
//   - signed arithmetic is written on unsigned values, or its operands' ranges show that it cannot
//     overflow; shifts are masked, divisors positive;
//   - array indices are within bounds by their ranges; all memory is written before it is read;
//   - floats are finite, and far from overflow and denormals (Range), so every operation is IEEE's;
//     there is no contraction, and division is told to be exact;
//   - barriers are reached by whole groups; a work-item writes its own elements only, and reads
//   what
//     other ones wrote only after a barrier; atomics commute, and what they return is not used;
//   - loops are bounded.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "differential/random.h"
#include "source_fuzz/program.h"
#include "source_fuzz/scope.h"

namespace gcnjit::source_fuzz {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}
  Program MakeProgram(int kernels);

 private:
  // Expressions (generate_value.cpp). `depth`: operators above leaves, at most.
  Expression Value(Type type, int depth);
  Expression Integer(Base base, int depth);
  Expression IntegerLeaf(Base base);
  Expression IntegerOperator(Base base, int depth);
  Expression Plain(Base base, int depth);
  Expression Idiom(Base base, int depth);
  Expression Condition(int depth);
  Expression Float(Base base, int depth);
  Expression FloatLeaf(Base base);
  Expression Vector(Type type, int depth);
  Expression VectorOperator(Type type, int depth);
  Expression Cast(Base base, Expression from);
  Expression Literal(Base base);
  Expression LiteralOf(Base base, Wide value);
  // A float within kLaneGrain and kLaneSize, as variables and memory hold them.
  Expression Storable(Type type, int depth);
  // An integer in [low, high].
  Expression Between(int low, int high, int depth);
  bool Load(Type type, int depth, Expression& out);
  bool Call(Base base, int depth, Expression& out);

  // Statements (generate_statement.cpp).
  std::vector<Statement> Block(int count, int depth);
  Statement OneStatement(int depth);
  void Declare(std::vector<Statement>& block);
  void DeclareArray(std::vector<Statement>& block);
  bool Assign(Statement& out);
  bool AssignElement(Statement& out);
  Statement If(int depth);
  Statement For(int depth);
  Statement While(int depth);
  Statement Walk(int depth);
  bool Sum(Statement& out);
  Statement Switch(int depth);
  bool Atomic(Statement& out);
  bool MayLoop(int trips) const { return cost_ * trips <= kMaxCost; }

  // Functions and kernels (generate_program.cpp).
  void MakeStructures(Program& program);
  void MakeTable(Program& program);
  void MakeFunction(Program& program);
  Kernel MakeKernel(int number);
  void AddInput(Kernel& kernel);
  void AddValue(Kernel& kernel);
  void AddOutput(Kernel& kernel);
  void AddAtomics(Kernel& kernel);
  void AddGroupPhase(std::vector<Statement>& body);
  void StoreResults(std::vector<Statement>& body);

  Type AnyType();
  Base AnyInteger();
  std::string NewName(const char* prefix);

  static constexpr int kMaxCost = 600;

  differential::Random random_;
  Scope scope_;  // of the function being made
  std::vector<Callable> callables_;
  std::deque<Structure> structures_;
  std::vector<Array> tables_;
  std::vector<Array> atomics_;  // of the kernel: one an operation
  std::vector<std::string> atomic_operations_;
  Kernel* kernel_ = nullptr;               // being made; none in functions
  std::vector<std::string> group_arrays_;  // declared at the kernel's begin
  int names_ = 0;
  int cost_ = 1;               // how often the innermost loop's body runs
  bool uniform_only_ = false;  // leaves are the same in all work-items
  bool in_loop_ = false;       // break and continue may stand here
};

}  // namespace gcnjit::source_fuzz
