// Random choices among what suits.
#pragma once

#include <vector>

#include "differential/random.h"
#include "source_fuzz/scope.h"

namespace gcnjit::source_fuzz {

template <typename Container, typename Suits>
const typename Container::value_type* Pick(const Container& all, differential::Random& random,
                                           Suits suits) {
  std::vector<const typename Container::value_type*> found;
  for (const auto& one : all) {
    if (suits(one)) found.push_back(&one);
  }
  return found.empty() ? nullptr : random.Pick(found);
}

template <typename Suits>
const Variable* PickVariable(const Scope& scope, differential::Random& random, Suits suits) {
  return Pick(scope.variables, random, suits);
}

}  // namespace gcnjit::source_fuzz
