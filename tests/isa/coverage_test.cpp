// Every executable row has a case on every generation that has it.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <string>

#include "isa/opcode_table.h"

namespace gcnjit::isa_tests {
namespace {

using frontend::Generation;
using frontend::Opcode;

struct TestedRow {
  Opcode opcode;
  unsigned generations;
};
constexpr TestedRow kTestedRows[] = {
#include "generated/tested_rows.inc"
};

TEST(CoverageTest, EveryExecutableRowHasACase) {
  std::map<Opcode, unsigned> tested;
  for (const TestedRow& row : kTestedRows) tested[row.opcode] = row.generations;
  int pairs = 0;
  int missing = 0;
  std::string list;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const frontend::OpcodeRow& row = frontend::RowOf(n);
    if (row.refusal != nullptr) continue;
    std::string where;
    for (const Generation g : frontend::kGenerations) {
      if (!row.ExistsOn(g)) continue;
      ++pairs;
      if (((tested[row.opcode] >> static_cast<int>(g)) & 1) != 0) continue;
      ++missing;
      where += std::string(" ") + frontend::TargetName(g);
    }
    if (!where.empty()) list += std::string(row.id) + ":" + where + "\n";
  }
  EXPECT_EQ(missing, 0) << "of " << pairs
                        << " executable (row, generation) pairs, without a case:\n"
                        << list;
  std::cout << pairs << " executed, " << missing << " failed\n";
}

}  // namespace
}  // namespace gcnjit::isa_tests
