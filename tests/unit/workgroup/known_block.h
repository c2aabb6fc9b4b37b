// A block of IR from text, and what is known of its values: %1 is v0, the lane's number; %2 is four
// times that; %3 and %4 are v1 and v2, of which nothing is known.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "ir/parser.h"
#include "workgroup/constant_lanes.h"

namespace gcnjit::workgroup {

inline ir::Function ParseKnownBlock(const std::string& lines) {
  ir::ParseResult parsed = ir::Parse(
      "block 0 instructions=1\nguest 0 0\n%1 = get_vgpr.v32 v0\n%2 = shl.v32 %1, 2\n%3 = "
      "get_vgpr.v32 v1\n%4 = get_vgpr.v32 v2\n" +
      lines + "exit end, 16\n");
  if (parsed.error) ADD_FAILURE() << parsed.error->line << ": " << parsed.error->message;
  return std::move(parsed.function);
}

inline ConstantLanes ValuesOf(const ir::Function& function) {
  ConstantRegisters registers;
  LaneValues ids;
  for (uint32_t lane = 0; lane < ids.size(); ++lane) ids[lane] = lane;
  registers.vgprs.emplace(0, ids);
  ConstantLanes values(function);
  values.Run(function.blocks[0], registers);
  return values;
}

}  // namespace gcnjit::workgroup
