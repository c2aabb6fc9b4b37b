// Transformations of IR. Each keeps what running a block does to the wave's state and to memory;
// their order is in passes/pipeline.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "ir/function.h"

namespace gcnjit::ir {

// Computes what is constant, replaces operations by simpler or fewer ones.
void FoldInstructions(Function& function);
// Computes once what is computed several times in a block.
void NumberValues(Function& function);
// Removes masking of lanes that no operation reads.
void NarrowLanes(Function& function);
// Makes one 64-bit addition or subtraction of two 32-bit ones and a carry.
void RecombineWideAdds(Function& function);
// Computes lower halves alone where no operation reads the upper ones.
void NarrowHalves(Function& function);
// Divides lanes by a scalar in fewer steps.
void ShortenDivisions(Function& function);
// Takes loads' and stores' 64-bit lane addresses apart into a base and a 32-bit index.
void IndexAddresses(Function& function);
// Computes 64-bit sums of lanes by halves where only halves are read.
void SplitWideAdds(Function& function);
// Where several scalars are added to lanes, adds up the scalars first.
void GatherScalars(Function& function);
// Makes one write of an SGPR pair of two writes of its halves.
void PairWrites(Function& function);
// Adds up terms in the order in which they are computed.
void BalanceAdds(Function& function);
// Keeps integers that lanes outside of EXEC have from being taken for denormal floats.
void QuietLanes(Function& function);
// Removes operations without an effect whose results are not used.
void RemoveDead(Function& function);

// Not part of kOrder (pipeline.cpp): for group code whose waves start with the same SGPRs. The
// first wave's block leaves scalars for the others.
void ShareScalars(Function& function);
// Not part of kOrder: runs before it, on group code that is one block. Loads scalars once for all
// waves.
struct FixedMemory {
  int sgpr = 0;        // of the pair that has its address when waves start
  uint32_t bytes = 0;  // that no store changes
};
void ShareLoads(Function& function, std::span<const FixedMemory> fixed);
// Does a kLoadScalar load fixed memory alone?
bool IsFixed(const Function& function, const Inst& load, std::span<const FixedMemory> fixed);
// Not part of kOrder: for hosts with instructions for any function of three bits. Makes one
// operation of several bitwise ones of lanes.
void FuseBitwise(Function& function);

struct Pass {
  std::string_view name;  // as command lines spell it
  void (*run)(Function&);
};
// All of these by name, each once.
std::span<const Pass> Passes();
// nullptr if there is none of that name.
const Pass* FindPass(std::string_view name);

enum class PassMoment : uint8_t { kBefore, kAfter };
// Sees the function before and after each pass; a pass that runs twice is called NAME and NAME2.
using PassObserver = std::function<void(std::string_view name, PassMoment, const Function&)>;

// All passes in their order.
void Optimise(Function& function, const PassObserver& observer = {});
// What a function needs that has been through all passes when more becomes known of it, such as
// that all lanes pass a guard.
void OptimiseAgain(Function& function);

}  // namespace gcnjit::ir
