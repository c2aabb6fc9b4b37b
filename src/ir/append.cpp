#include "ir/append.h"

namespace gcnjit::ir {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kMovesAll = true;
#else
constexpr bool kMovesAll = false;
#endif
constexpr size_t kMostMoved = 4096;  // for larger functions it would take too long

}  // namespace

Value Append(Function& function, Inst inst) {
  if (kMovesAll && function.insts.size() < kMostMoved) function.insts.shrink_to_fit();
  function.insts.push_back(inst);
  return {static_cast<uint32_t>(function.insts.size() - 1)};
}

}  // namespace gcnjit::ir
