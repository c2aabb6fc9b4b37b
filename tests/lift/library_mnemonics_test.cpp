// What real libraries use is compiled, not interpreted: library_mnemonics.txt has a line for each
// mnemonic with its targets.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "frontend/lift/lifter.h"
#include "frontend/lift/why_not_lifted.h"

namespace gcnjit::lift_tests {
namespace {

using frontend::Generation;
using frontend::OpcodeRow;

// Calls f for each row of the mnemonic on the target; returns how many there are.
template <typename F>
int ForEachRow(Generation generation, const std::string& mnemonic, F f) {
  int rows = 0;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const OpcodeRow& row = frontend::RowOf(n);
    if (!row.ExistsOn(generation) || row.Name(generation) != mnemonic) continue;
    ++rows;
    f(row);
  }
  return rows;
}

void ExpectCompiled(Generation generation, const std::string& mnemonic, const OpcodeRow& row) {
  const char* reason = frontend::WhyNotLifted(row.opcode);
  EXPECT_EQ(reason, nullptr) << mnemonic << " on " << frontend::TargetName(generation) << ": "
                             << reason;
}

TEST(LibraryMnemonics, AreCompiled) {
  std::ifstream file(GCNJIT_LIBRARY_MNEMONICS);
  ASSERT_TRUE(file);
  std::string without_old_form;
  int uses = 0;
  int old_forms = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string mnemonic;
    words >> mnemonic;
    bool on_old_targets = false;
    for (std::string target; words >> target; ++uses) {
      const auto generation = frontend::GenerationOfTarget(target);
      ASSERT_TRUE(generation) << target;
      const int rows = ForEachRow(*generation, mnemonic, [&](const OpcodeRow& row) {
        ExpectCompiled(*generation, mnemonic, row);
        on_old_targets |= row.ExistsOn(Generation::kGfx6) || row.ExistsOn(Generation::kGfx7);
      });
      EXPECT_GT(rows, 0) << mnemonic << " is not on " << target;
    }
    // On gfx6 and gfx7 the mnemonic may be another row's.
    for (const Generation old : {Generation::kGfx6, Generation::kGfx7}) {
      old_forms += ForEachRow(old, mnemonic,
                              [&](const OpcodeRow& row) { ExpectCompiled(old, mnemonic, row); });
    }
    if (!on_old_targets) without_old_form += " " + mnemonic;
  }
  EXPECT_GT(uses, 800);
  EXPECT_GT(old_forms, 450);
  fmt::print("on gfx6 and gfx7 there is no row of:{}\n", without_old_form);
}

}  // namespace
}  // namespace gcnjit::lift_tests
