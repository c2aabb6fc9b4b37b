// Scalar code that tests whether lanes wrap around: in code for whole work-groups, whose lanes are
// known but for scalars.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "backend_x64/compile/early_scalars.h"
#include "backend_x64/compile/lane_sums.h"
#include "ir/builder.h"
#include "ir/function.h"

namespace gcnjit::backend {

// The least and the largest of a value's lanes, as signed numbers in 64 bits.
struct Range {
  ir::Value least;
  ir::Value most;
};

class RangeTests {
 public:
  explicit RangeTests(ir::Function& function)
      : function_(function),
        early_(function),
        sums_(function, early_.is_early()),
        builder_(function, tests_) {}

  // Are the ends of its lanes known but for scalars, which are there before the first operation
  // that writes memory? `place` becomes theirs if it is before them.
  bool HasRange(ir::Value v, size_t& place) const { return HasRange(v, kMostDepth, place); }

  // Emit the following into a block of their own.
  ir::Builder& builder() { return builder_; }
  // Of what HasRange has held for, as long as it and what it is made of have not wrapped around as
  // numbers with a sign: that is tested, too.
  Range RangeOf(ir::Value v);
  // One of the two is a scalar.
  Range ProductOf(const Range& x, const Range& y);
  // That both ends are numbers of 32 bits, or of 31 without a sign.
  void Test(const Range& range, bool has_sign = true);
  // That lanes of which RangeOf is known have no sign.
  void TestNoSign(ir::Value v);
  void TestZero(ir::Value scalar);  // u32

  // Inserts all of it, and a guard of it, after the operation at that place of the block.
  void Insert(size_t place);

 private:
  static constexpr int kMostDepth = 6;

  // Of a scalar and numbers that are added to it, by all that have it.
  struct Ends {
    int64_t least = 0;
    int64_t most = 0;
    bool has_sign = true;
  };

  bool IsScalar(ir::Value v) const;
  bool HasRange(ir::Value v, int depth, size_t& place) const;
  std::optional<LaneSum> SumOf(ir::Value v) const;  // v32; no multiples
  Range RangeOfSum(const LaneSum& sum);
  void TestEnds();
  void Add(ir::Value beyond);

  ir::Function& function_;
  const EarlyScalars early_;
  const LaneSums sums_;
  ir::Block tests_;
  ir::Builder builder_;
  std::map<uint32_t, Range> ranges_;  // by value id
  std::map<uint32_t, Ends> ends_;     // by the scalar's id; 0: none
  std::set<uint32_t> zeros_;          // by value id, that are tested
  std::set<uint32_t> without_sign_;
  ir::Value beyond_;  // not 0: a test has failed
};

}  // namespace gcnjit::backend
