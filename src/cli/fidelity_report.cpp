#include "cli/fidelity_report.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace gcnjit::cli {

std::string DescribeInstructions(const std::vector<InstructionCount>& instructions) {
  struct Share {
    uint64_t executed = 0;
    uint64_t mnemonics = 0;
  };
  constexpr Fidelity kKinds[] = {Fidelity::kExact,    Fidelity::kApproximate,
                                 Fidelity::kModelled, Fidelity::kHostDefined,
                                 Fidelity::kHint,     Fidelity::kUnsupported};
  std::array<Share, std::size(kKinds)> shares;
  uint64_t all = 0;
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{:>16}  {:<28} {:<22} {}\n", "executed", "instruction", "fidelity", "note");
  for (const InstructionCount& i : instructions) {
    const std::string fidelity = i.fidelity == Fidelity::kApproximate
                                     ? fmt::format("within {:g} ulp", i.ulp)
                                     : ToString(i.fidelity);
    fmt::format_to(out, "{:>16}  {:<28} {:<22} {}\n", i.executed, i.mnemonic, fidelity, i.note);
    shares[static_cast<size_t>(i.fidelity)].executed += i.executed;
    ++shares[static_cast<size_t>(i.fidelity)].mnemonics;
    all += i.executed;
  }
  text += '\n';
  for (const Fidelity kind : kKinds) {
    const Share& share = shares[static_cast<size_t>(kind)];
    if (share.mnemonics == 0) continue;
    fmt::format_to(out, "{:>16}  {} ({:.2f} %), {} instruction{}\n", share.executed, ToString(kind),
                   100.0 * static_cast<double>(share.executed) / static_cast<double>(all),
                   share.mnemonics, share.mnemonics == 1 ? "" : "s");
  }
  return text;
}

nlohmann::json InstructionsToJson(const std::vector<InstructionCount>& instructions) {
  nlohmann::json list = nlohmann::json::array();
  for (const InstructionCount& i : instructions) {
    nlohmann::json entry = {
        {"instruction", i.mnemonic}, {"executed", i.executed}, {"fidelity", ToString(i.fidelity)}};
    if (i.fidelity == Fidelity::kApproximate) entry["ulp"] = i.ulp;
    if (!i.note.empty()) entry["note"] = i.note;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace gcnjit::cli
