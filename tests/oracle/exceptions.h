// The written list of disagreements with LLVM (exceptions.txt): what differs, where, and why.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "isa/generation.h"
#include "llvm_mc.h"

namespace gcnjit::oracle {

enum class Disagreement {
  kWeRefuse,     // LLVM disassembles the words, we do not
  kLlvmRefuses,  // the other way round
  kText,         // both accept, the text differs
  kRoundTrip,    // LLVM's assembler does not turn our text back into the words
};

struct Exception {
  std::string id;
  std::vector<std::string> targets;
  Disagreement kind = Disagreement::kText;
  // What must become of the words for both to agree; see Explains.
  std::string rule;
  std::string pattern;  // as written
  std::regex regex;     // on LLVM's text; on ours where LLVM refuses and for round trips
  std::string example_target;
  Words example = {};
  std::string reason;

  bool AppliesTo(const std::string& target) const;
  // Target, kind and pattern fit.
  bool AppliesTo(const std::string& target, Disagreement disagreement,
                 const std::string& text) const;
};

// Throws std::runtime_error with the line number if the file is not as it should be.
std::vector<Exception> LoadExceptions(const std::string& path);

// The words without what LLVM's syntax cannot say: fields that the instruction ignores, and VOP3's
// neg and abs of sources that are no floats. The words themselves if there is nothing of the kind.
Words Expressible(frontend::Generation generation, const Words& words);

// Whether `exception` explains why `words` are taken differently: target, kind and pattern fit and
// its rule holds.
bool Explains(const Exception& exception, const std::string& target,
              frontend::Generation generation, Disagreement kind, const Words& words,
              const std::string& text);

// Whether two exceptions whose rules clear fields explain it together: with both's cleared.
bool ExplainTogether(const Exception& first, const Exception& second, const std::string& target,
                     frontend::Generation generation, Disagreement kind, const Words& words,
                     const std::string& text);

}  // namespace gcnjit::oracle
