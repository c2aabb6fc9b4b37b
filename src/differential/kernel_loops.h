// Loops as compilers make them, in kernels that are launched: counted ones, ones that lanes leave
// one by one, ones within others; over rows, columns and single places of memory.
#pragma once

#include <cstdint>
#include <vector>

#include "differential/kernel_writer.h"

namespace gcnjit::differential {

class KernelLoops {
 public:
  explicit KernelLoops(KernelWriter& writer)
      : w_(writer), p_(writer.pointers()), random_(writer.random()) {}

  // `depth`: of loops around it, 0 or 1.
  void Add(uint32_t depth);

 private:
  using Opcode = frontend::Opcode;

  enum class Kind : uint8_t { kCounted, kTestedFirst, kOfLanes, kLeftEarly };
  // A load or store of each iteration.
  struct Stream {
    Access access;
    Pointer pointer;
    uint32_t offset = 0;  // bytes
    Source step;          // bytes
    bool step_grows = false;
    bool is_indexed = false;   // its address is worked out in each iteration
    bool is_gathered = false;  // likewise, from what has been loaded
    bool stores = false;
  };
  struct Loop {
    uint32_t depth = 0;
    Kind kind = Kind::kCounted;
    Source trips;
    uint32_t most_trips = 0;
    bool is_guarded = false;  // each iteration has an if around its loads
    bool has_atomics = false;
    bool has_scalars = false;  // it loads some, too
    int leaves = -1;           // a branch
    std::vector<Stream> streams = {};

    uint32_t counter() const { return kCounter + depth; }
    uint32_t saved() const { return kLoopExec + 4 * depth; }
    uint32_t done() const { return kLoopExec + 4 * depth + 2; }
    uint32_t lane_counter() const { return kLaneCounter + depth; }
  };

  void ChooseTrips(Loop& loop);
  Stream RandomLoad(const Loop& loop, uint32_t vgpr);
  void ChooseStep(const Loop& loop, uint32_t pattern, Stream& stream);
  Stream RandomStore(const Loop& loop, uint32_t vgpr);
  void FirstIndex(const Loop& loop, uint32_t pattern);
  void Counted(Loop& loop);
  void TestedFirst(Loop& loop);
  void OfLanes(Loop& loop);
  void Body(Loop& loop);
  void Load(const Loop& loop, const Stream& stream, uint32_t to);
  void StepOn(const Loop& loop);
  void Atomic();
  void ScalarLoad();

  KernelWriter& w_;
  KernelPointers& p_;
  Random& random_;
  // The only one of the kernel: those of one kind commute.
  const Access atomic_ = random_.Pick({Access::kAdd, Access::kAdd, Access::kSub, Access::kOr,
                                       Access::kXor, Access::kUmax, Access::kSmin});
};

}  // namespace gcnjit::differential
