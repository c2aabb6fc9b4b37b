#include "source_fuzz/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace gcnjit::source_fuzz {
namespace {

using Block = std::vector<Statement>;

// All blocks and expressions, outer ones first. Pointers hold until the program changes.
struct Parts {
  std::vector<Block*> blocks;
  std::vector<Expression*> expressions;

  explicit Parts(Program& program) {
    for (Kernel& kernel : program.kernels) Add(kernel.body);
    for (Function& function : program.functions) Add(function.body);
  }
  void Add(Block& block) {
    blocks.push_back(&block);
    for (Statement& statement : block) {
      for (Expression& expression : statement.operands) Add(expression);
      for (Block& inner : statement.blocks) Add(inner);
    }
  }
  void Add(Expression& expression) {
    expressions.push_back(&expression);
    for (Expression& operand : expression.operands) Add(operand);
  }
};

class Reducer {
 public:
  Reducer(Program program, int attempts, const std::function<bool(const Program&)>& is_interesting)
      : best_(std::move(program)), attempts_(attempts), is_interesting_(is_interesting) {}

  Program Run() {
    for (bool has_changed = true; has_changed && attempts_ > 0;) {
      has_changed = false;
      has_changed |= RemoveAll(&Program::kernels);
      for (const int size : {8, 4, 2, 1}) has_changed |= RemoveStatements(size);
      has_changed |= RemoveAll(&Program::functions);
      has_changed |= RemoveAll(&Program::types);
      has_changed |= OpenBlocks();
      has_changed |= ReplaceExpressions();
    }
    return best_;
  }

 private:
  bool Try(Program candidate) {
    if (attempts_ <= 0) return false;
    --attempts_;
    if (!is_interesting_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  // `size` in a row, of each block, from its end on.
  bool RemoveStatements(int size) {
    bool has_changed = false;
    for (size_t block = 0; block < Parts(best_).blocks.size(); ++block) {
      for (int at = static_cast<int>(Parts(best_).blocks[block]->size()) - size; at >= 0; --at) {
        Program candidate = best_;
        Block& statements = *Parts(candidate).blocks[block];
        const auto begin = statements.begin() + at;
        if (at + size > static_cast<int>(statements.size())) continue;
        if (std::any_of(begin, begin + size, [](const Statement& s) { return s.is_fixed; }))
          continue;
        statements.erase(begin, begin + size);
        has_changed |= Try(std::move(candidate));
        if (block >= Parts(best_).blocks.size()) return has_changed;
      }
    }
    return has_changed;
  }

  template <typename T>
  bool RemoveAll(std::vector<T> Program::*list) {
    bool has_changed = false;
    for (size_t n = (best_.*list).size(); n-- > 0;) {
      Program candidate = best_;
      (candidate.*list).erase((candidate.*list).begin() + static_cast<ptrdiff_t>(n));
      has_changed |= Try(std::move(candidate));
    }
    return has_changed;
  }

  // The statements of a block in place of the statement that it belongs to.
  bool OpenBlocks() {
    bool has_changed = false;
    for (size_t block = 0; block < Parts(best_).blocks.size(); ++block) {
      for (size_t at = 0;
           block < Parts(best_).blocks.size() && at < Parts(best_).blocks[block]->size(); ++at) {
        Program candidate = best_;
        Block& statements = *Parts(candidate).blocks[block];
        if (statements[at].blocks.empty()) continue;
        Block inner;
        for (Block& one : statements[at].blocks) inner.insert(inner.end(), one.begin(), one.end());
        statements.erase(statements.begin() + static_cast<ptrdiff_t>(at));
        statements.insert(statements.begin() + static_cast<ptrdiff_t>(at), inner.begin(),
                          inner.end());
        has_changed |= Try(std::move(candidate));
      }
    }
    return has_changed;
  }

  bool ReplaceExpressions() {
    bool has_changed = false;
    for (size_t n = 0; n < Parts(best_).expressions.size(); ++n) {
      for (const Expression& smaller : Smaller(*Parts(best_).expressions[n])) {
        Program candidate = best_;
        *Parts(candidate).expressions[n] = smaller;
        if (!Try(std::move(candidate))) continue;
        has_changed = true;
        break;
      }
    }
    return has_changed;
  }

  static std::vector<Expression> Smaller(const Expression& whole) {
    std::vector<Expression> found;
    if (whole.type.lanes == 1 && !IsFloat(whole.type.base) &&
        whole.form.find('$') != std::string::npos) {
      const Wide value = std::clamp<Wide>(1, whole.range.low, whole.range.high);
      if (value >= 0 && value < 1000) {
        found.push_back({whole.type,
                         fmt::format("(({}){})", Name(whole.type), static_cast<int>(value)),
                         {},
                         {value, value}});
      }
    }
    for (const Expression& operand : whole.operands) {
      const bool fits =
          whole.type.lanes != 1 || Inside(operand.range, whole.range, whole.type.base);
      if (operand.type == whole.type && fits) found.push_back(operand);
    }
    return found;
  }

  Program best_;
  int attempts_;
  const std::function<bool(const Program&)>& is_interesting_;
};

}  // namespace

Program Reduce(Program program, int attempts,
               const std::function<bool(const Program&)>& is_interesting) {
  return Reducer(std::move(program), attempts, is_interesting).Run();
}

}  // namespace gcnjit::source_fuzz
