// Lanes that leave a loop one after the other. Compilers write
//   gone |= exec & leaves; exec &= ~gone
// because hardware has no shorter way to keep `gone` for the code after the loop. If none of
// EXEC's lanes is in `gone`, the second half is exec &= ~leaves. Then no iteration reads `gone`:
// all lanes that EXEC has lost are added to it when the loop is over.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ir/analysis/apart_masks.h"
#include "ir/function.h"

namespace gcnjit::ir {

// The function has one block, where the pairs `apart` have no lane in common with EXEC.
void SimplifyExitMasks(Function& alone, const SgprPairs& apart);

// In a loop that goes on with EXEC as `next_exec`: does the set_sgpr64 `set` collect the lanes that
// EXEC loses, and nothing else in the loop read them? `uses`: CountUses's.
bool IsCollector(const Function& function, const std::vector<uint32_t>& uses, Value set,
                 Value next_exec);

// The operations whose only use is such a `set`: the pair's old value, what is added, the sum.
std::array<Value, 3> OperationsOf(const Function& function, Value set);

}  // namespace gcnjit::ir
