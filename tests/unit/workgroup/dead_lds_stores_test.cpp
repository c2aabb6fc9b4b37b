// Stores to LDS that are not read before the work-group ends.
#include "workgroup/dead_lds_stores.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/workgroup/known_block.h"
#include "workgroup/lds_forwarding.h"

namespace gcnjit::workgroup {
namespace {

// The stores of a block that no load reads, in order: as numbers among its stores.
// `lines` may use ParseKnownBlock's values.
std::vector<int> Unread(const std::string& lines) {
  ir::Function function = ParseKnownBlock(lines);
  const ir::Block from = function.blocks[0];
  const ConstantLanes values = ValuesOf(function);
  ir::Block to;
  ir::Builder builder(function, to);
  const LdsForwarding lds(builder, /*lds_bytes=*/1024);
  DeadLdsStores uses;
  std::vector<ir::Value> stores;
  for (const ir::Value v : from.insts) {
    const ir::Inst& inst = function[v];
    if (inst.op == ir::Op::kStoreLds) stores.push_back(v);
    const bool is_lds = inst.op == ir::Op::kStoreLds || inst.op == ir::Op::kLoadLds;
    uses.Follow(inst, values, is_lds && lds.IsInside(inst, values), v);
  }
  std::vector<int> unread;
  for (const ir::Value v : uses.UnreadStores()) {
    for (size_t n = 0; n < stores.size(); ++n) {
      if (stores[n] == v) unread.insert(unread.begin(), static_cast<int>(n));
    }
  }
  return unread;
}
using Stores = std::vector<int>;

std::string Store(const std::string& lanes, int offset, int bytes = 4,
                  const std::string& address = "%2") {
  return "store_lds " + address + ", " + lanes +
         ", 0xffffffff, %1 {bytes=" + std::to_string(bytes) + ", offset=" + std::to_string(offset) +
         "}\n";
}
std::string Load(const std::string& lanes, int offset, const std::string& address = "%2",
                 int bytes = 4) {
  return "%9 = load_lds.v32 " + address + ", " + lanes +
         ", 0xffffffff {bytes=" + std::to_string(bytes) + ", offset=" + std::to_string(offset) +
         "}\n";
}
const std::string kAllLanes = "0xffffffffffffffff:u64";

TEST(DeadLdsStores, WhatIsNotRead) {
  EXPECT_EQ(Unread(Store(kAllLanes, 0)), Stores{0});
  EXPECT_EQ(Unread(Store(kAllLanes, 0) + Load(kAllLanes, 0)), Stores{});
  EXPECT_EQ(Unread(Load(kAllLanes, 0) + Store(kAllLanes, 0)), Stores{0});
  EXPECT_EQ(Unread(Store(kAllLanes, 0) + Load(kAllLanes, 256)), Stores{0});
  // One byte of one lane.
  EXPECT_EQ(Unread(Store(kAllLanes, 0) + Load("1:u64", 255, "0", 1)), Stores{});
  EXPECT_EQ(Unread(Store(kAllLanes, 0) + Load("1:u64", 256, "0", 1)), Stores{0});
  EXPECT_EQ(Unread(Store("1:u64", 0) + Load("2:u64", 0)), Stores{0});
}

TEST(DeadLdsStores, WhatIsOverwritten) {
  EXPECT_EQ(Unread(Store(kAllLanes, 0) + Store(kAllLanes, 0) + Load(kAllLanes, 0)), Stores{0});
  EXPECT_EQ(Unread(Store(kAllLanes, 0) + Store("0xff:u64", 0) + Load(kAllLanes, 0)), Stores{});
  EXPECT_EQ(Unread(Store(kAllLanes, 0) + Store("0xff:u64", 0) + Load("0xff:u64", 0)), Stores{0});
  EXPECT_EQ(Unread(Store(kAllLanes, 0) + Store(kAllLanes, 0, 2) + Load(kAllLanes, 0)), Stores{});
  EXPECT_EQ(Unread(Store(kAllLanes, 0) + Load(kAllLanes, 0) + Store(kAllLanes, 0)), Stores{1});
}

TEST(DeadLdsStores, WhatIsNotKnownReadsAll) {
  const std::string store = Store(kAllLanes, 0);
  EXPECT_EQ(Unread(store + Load(kAllLanes, 0, "%3")), Stores{});
  EXPECT_EQ(Unread(store + "%8 = get_sgpr64.u64 s2\n" + Load("%8", 512)), Stores{});
  EXPECT_EQ(Unread(store + "%8 = atomic_lds.v32 %2, 0:u64, 0xffffffff, %1 {bytes=4, add}\n"),
            Stores{});
  EXPECT_EQ(Unread(store + "%8 = load.v32 %3, %3, " + kAllLanes + " {bytes=4, flat}\n"), Stores{});
  EXPECT_EQ(Unread(store + "store %3, %3, " + kAllLanes + ", %1 {bytes=4, flat}\n"), Stores{});
  EXPECT_EQ(Unread(store + "%8 = load.v32 %3, %3, " + kAllLanes + " {bytes=4}\n"), Stores{0});
}

// Nor are these removed, which may lie anywhere or nowhere.
TEST(DeadLdsStores, StoresThatAreNotKnownStay) {
  EXPECT_EQ(Unread(Store(kAllLanes, 0, 4, "%3")), Stores{});
  EXPECT_EQ(Unread("%8 = get_sgpr64.u64 s2\n" + Store("%8", 0)), Stores{});
  EXPECT_EQ(Unread(Store(kAllLanes, 1024 - 128)), Stores{}) << "beyond the end";
  // What they overwrite is not known either.
  EXPECT_EQ(Unread(Store(kAllLanes, 0) + Store(kAllLanes, 0, 4, "%3") + Load(kAllLanes, 0)),
            Stores{});
}

}  // namespace
}  // namespace gcnjit::workgroup
