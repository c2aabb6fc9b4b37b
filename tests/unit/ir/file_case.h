// The cases of tests/filetests: their parts, and what is known where a case's code begins.
// README.md there has the format.
#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/analysis/region_shapes.h"
#include "ir/passes.h"

namespace gcnjit::ir {

struct FileCase {
  std::string name;
  std::string input;
  std::string expected;
};

struct CaseFile {
  std::vector<std::string> passes;
  std::string head;  // up to the first case
  std::vector<FileCase> cases;
};

CaseFile ReadCaseFile(const std::filesystem::path& path);
void WriteCaseFile(const std::filesystem::path& path, const CaseFile& file);
// The files with that extension in a folder of tests/filetests and the folders in it.
std::vector<std::filesystem::path> CaseFiles(const std::string& folder,
                                             const std::string& extension);
// folder_file, as tests are named.
std::string NameOfCaseFile(const std::filesystem::path& path);

// Texts without a block's line have one block, at 0.
inline constexpr std::string_view kImpliedBlock = "block 0x0 instructions=1\n";
bool HasBlocks(const std::string& text);
Function ParseCase(const std::string& text);

// The lines "; entry ..", "; interpreted ..", "; known ..", "; apart .." and "; fixed .." of a
// case.
struct CaseFacts {
  std::vector<VgprShape> vgprs;
  bool has_full_exec = false;
  std::vector<InterpretedStep> interpreted;
  // Values, by id, and their shapes, beside what the analysis finds.
  std::vector<std::pair<uint32_t, LaneShape>> known;
  SgprPairs apart;
  std::vector<FixedMemory> fixed;

  ShapeAssumptions Assumptions(const Function& function) const;
};
CaseFacts ReadCaseFacts(const std::string& text);

std::string ShapeText(const LanePatterns& patterns, LaneShape shape);
// Lanes of that shape, with random bases.
void FillLanes(std::mt19937_64& random, const VgprShape& shape, uint32_t (&lanes)[kLanes]);

}  // namespace gcnjit::ir
