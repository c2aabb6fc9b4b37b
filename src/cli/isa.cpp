// gcnjit isa: the instruction table, and how much of it is decoded, interpreted, compiled and
// tested.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/message.h"
#include "frontend/lift/lifter.h"
#include "frontend/lift/why_not_lifted.h"
#include "isa/opcode_table.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::cli {
namespace {

using frontend::Generation;
using frontend::Opcode;
using frontend::OpcodeRow;

struct IsaOptions {
  bool coverage = false;
  bool json = false;
  std::string target;
};

struct TestedRow {
  Opcode opcode;
  unsigned generations;  // bit 1 << Generation
};
constexpr TestedRow kTested[] = {
#include "generated/tested_rows.inc"
    {Opcode::kCount, 0},
};

bool IsTested(Opcode opcode, Generation g) {
  for (const TestedRow& row : kTested) {
    if (row.opcode == opcode) return ((row.generations >> static_cast<int>(g)) & 1) != 0;
  }
  return false;
}

const char* FormatName(frontend::Format format) {
  static constexpr const char* kNames[] = {
      "-",     "SOP1",  "SOP2", "SOPK",   "SOPC",    "SOPP",      "SMRD",   "SMEM",
      "VOP1",  "VOP2",  "VOPC", "VOP3",   "VOP3P",   "VOP3P-MAI", "VINTRP", "DS",
      "MUBUF", "MTBUF", "FLAT", "GLOBAL", "SCRATCH", "MIMG",      "EXP"};
  return kNames[static_cast<int>(format)];
}

struct Coverage {
  int decoded = 0;
  int compute = 0;  // of these, instructions of compute kernels
  int interpreted = 0;
  int compiled = 0;
  int tested = 0;
};

// Why a row is not executed, compiled or tested on a generation; empty if it is all three.
std::string HoleOf(const OpcodeRow& row, Generation g) {
  if (row.refusal != nullptr) return fmt::format("refused: {}", row.refusal);
  if (runtime::ExecFunctionOf(row.opcode) == nullptr) return "not interpreted";
  if (!IsTested(row.opcode, g)) return "not tested by a case in tests/isa";
  if (const char* reason = frontend::WhyNotLifted(row.opcode)) {
    return fmt::format("interpreted only: {}", reason);
  }
  return {};
}

int PrintCoverage(const std::vector<Generation>& generations, bool json_wanted) {
  std::array<Coverage, frontend::kGenerationCount> counts;
  struct Hole {
    Generation generation;
    const OpcodeRow* row;
    std::string reason;
  };
  std::vector<Hole> holes;
  for (int n = 0; n < frontend::kOpcodeCount; ++n) {
    const OpcodeRow& row = frontend::RowOf(n);
    for (const Generation g : generations) {
      if (!row.ExistsOn(g)) continue;
      Coverage& c = counts[static_cast<int>(g)];
      ++c.decoded;
      if (!row.Has(frontend::GRAPHICS)) ++c.compute;
      if (runtime::ExecFunctionOf(row.opcode) != nullptr) ++c.interpreted;
      if (frontend::LiftFunctionOf(row.opcode) != nullptr) ++c.compiled;
      if (IsTested(row.opcode, g)) ++c.tested;
      if (std::string reason = HoleOf(row, g); !reason.empty())
        holes.push_back({g, &row, std::move(reason)});
    }
  }
  if (json_wanted) {
    nlohmann::json json;
    for (const Generation g : generations) {
      const Coverage& c = counts[static_cast<int>(g)];
      nlohmann::json& entry = json[frontend::TargetName(g)];
      entry = {{"decoded", c.decoded},         {"compute", c.compute},
               {"interpreted", c.interpreted}, {"compiled", c.compiled},
               {"tested", c.tested},           {"holes", nlohmann::json::array()}};
      for (const Hole& hole : holes) {
        if (hole.generation != g) continue;
        entry["holes"].push_back({{"instruction", hole.row->Name(g)}, {"reason", hole.reason}});
      }
    }
    fmt::print("{}\n", json.dump(2));
    return kExitDone;
  }
  fmt::print("{:<12}{:>9}{:>9}{:>13}{:>10}{:>8}\n", "target", "decoded", "compute", "interpreted",
             "compiled", "tested");
  for (const Generation g : generations) {
    const Coverage& c = counts[static_cast<int>(g)];
    fmt::print("{:<12}{:>9}{:>9}{:>13}{:>10}{:>8}\n", frontend::TargetName(g), c.decoded, c.compute,
               c.interpreted, c.compiled, c.tested);
  }
  fmt::print("\nholes:\n");
  // One line a row and reason with the targets; the many rows of graphics formats in one line.
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> lines;
  for (const Hole& hole : holes) {
    const frontend::Format format = hole.row->On(hole.generation).format;
    const bool whole_format =
        format == frontend::Format::kExp || format == frontend::Format::kVintrp;
    const std::string name = whole_format ? fmt::format("(all of {})", FormatName(format))
                             : format == frontend::Format::kMimg
                                 ? fmt::format("(many of {})", FormatName(format))
                                 : std::string(hole.row->Name(hole.generation));
    std::vector<std::string>& targets = lines[{name, hole.reason}];
    const std::string target = frontend::TargetName(hole.generation);
    if (std::find(targets.begin(), targets.end(), target) == targets.end())
      targets.push_back(target);
  }
  for (const auto& [what, targets] : lines) {
    fmt::print("  {:<30}{}  [{}]\n", what.first, what.second, fmt::join(targets, " "));
  }
  return kExitDone;
}

int PrintTable(const std::vector<Generation>& generations, bool json_wanted) {
  nlohmann::json json = nlohmann::json::array();
  if (!json_wanted) {
    fmt::print("{:<8}{:<8}{:>6}{:>6}  {}\n", "target", "format", "op", "vop3", "instruction");
  }
  for (const Generation g : generations) {
    for (int n = 0; n < frontend::kOpcodeCount; ++n) {
      const OpcodeRow& row = frontend::RowOf(n);
      if (!row.ExistsOn(g)) continue;
      const frontend::OpcodeNumber number = row.On(g);
      const int vop3 = frontend::Vop3NumberOf(row, g);
      if (json_wanted) {
        json.push_back({{"target", frontend::TargetName(g)},
                        {"instruction", row.Name(g)},
                        {"id", row.id},
                        {"format", FormatName(number.format)},
                        {"opcode", number.number},
                        {"executable", row.refusal == nullptr}});
        if (vop3 >= 0) json.back()["vop3_opcode"] = vop3;
        continue;
      }
      fmt::print("{:<8}{:<8}{:>6}{:>6}  {}{}\n", frontend::TargetName(g), FormatName(number.format),
                 number.number, vop3 >= 0 ? std::to_string(vop3) : "", row.Name(g),
                 row.refusal != nullptr ? fmt::format("  (refused: {})", row.refusal) : "");
    }
  }
  if (json_wanted) fmt::print("{}\n", json.dump(2));
  return kExitDone;
}

int Isa(const IsaOptions& options) {
  std::vector<Generation> generations(std::begin(frontend::kGenerations),
                                      std::end(frontend::kGenerations));
  if (!options.target.empty()) {
    const auto generation = frontend::GenerationOfTarget(options.target);
    if (!generation) {
      PrintMessage("gcnjit isa: '{}' is no target that is emulated\n", options.target);
      return kExitBadInput;
    }
    generations = {*generation};
  }
  return options.coverage ? PrintCoverage(generations, options.json)
                          : PrintTable(generations, options.json);
}

}  // namespace

void AddIsa(CLI::App& app, Action& action) {
  auto options = std::make_shared<IsaOptions>();
  CLI::App* isa =
      app.add_subcommand("isa", "List the instructions, or how much of them is covered");
  isa->add_flag("--coverage", options->coverage,
                "Counts of decoded, interpreted, compiled and tested instructions, and each hole's "
                "reason");
  isa->add_option("--target", options->target, "Only this target, e.g. gfx803");
  isa->add_flag("--json", options->json, "Print as JSON");
  isa->footer("Examples:\n  gcnjit isa --target gfx900\n  gcnjit isa --coverage --json");
  isa->callback([options, &action] { action = [options] { return Isa(*options); }; });
}

}  // namespace gcnjit::cli
