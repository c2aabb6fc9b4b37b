// The order of the passes.
#include <cstdio>
#include <cstdlib>

#include "ir/passes.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace gcnjit::ir {
namespace {

// clang-format off
constexpr Pass kPasses[] = {
    {"fold",      FoldInstructions},
    {"gvn",       NumberValues},
    {"narrow",    NarrowLanes},
    {"recombine", RecombineWideAdds},
    {"halves",    NarrowHalves},
    {"divisions", ShortenDivisions},
    {"index",     IndexAddresses},
    {"split",     SplitWideAdds},
    {"scalars",   GatherScalars},
    {"pair",      PairWrites},
    {"balance",   BalanceAdds},
    {"quiet",     QuietLanes},
    {"dce",       RemoveDead},
    {"bitwise",   FuseBitwise},
};

// Narrowing needs masks that are equal to be one value; recombining needs carries that are not
// masked; both leave new work for folding. Addresses that have been indexed leave sums of which an
// index or a compare wants the lower half alone.
constexpr Pass kOrder[] = {
    {"fold",      FoldInstructions},
    {"gvn",       NumberValues},
    {"narrow",    NarrowLanes},
    {"recombine", RecombineWideAdds},
    {"halves",    NarrowHalves},
    {"fold2",     FoldInstructions},
    {"gvn2",      NumberValues},
    {"divisions", ShortenDivisions},
    {"index",     IndexAddresses},
    {"halves2",   NarrowHalves},
    {"split",     SplitWideAdds},
    {"scalars",   GatherScalars},
    {"gvn3",      NumberValues},
    {"pair",      PairWrites},
    {"balance",   BalanceAdds},
    {"quiet",     QuietLanes},
    {"dce",       RemoveDead},
};
// clang-format on

// A pass that leaves malformed IR is a bug of ours, which must not become wrong code.
[[maybe_unused]] void CheckAfter(std::string_view pass, const Function& function) {
  const auto messages = Verify(function);
  if (messages.empty()) return;
  std::fprintf(stderr, "malformed IR after %.*s: %s\n%s", static_cast<int>(pass.size()),
               pass.data(), messages.front().c_str(), Print(function).c_str());
  std::abort();
}

}  // namespace

std::span<const Pass> Passes() { return kPasses; }

const Pass* FindPass(std::string_view name) {
  for (const Pass& pass : kPasses) {
    if (pass.name == name) return &pass;
  }
  return nullptr;
}

void Optimise(Function& function, const PassObserver& observer) {
  for (const Pass& pass : kOrder) {
    if (observer) observer(pass.name, PassMoment::kBefore, function);
    pass.run(function);
#ifndef NDEBUG
    CheckAfter(pass.name, function);
#endif
    if (observer) observer(pass.name, PassMoment::kAfter, function);
  }
}

void OptimiseAgain(Function& function) {
  FoldInstructions(function);
  IndexAddresses(function);
  NarrowHalves(function);
  RemoveDead(function);
}

}  // namespace gcnjit::ir
