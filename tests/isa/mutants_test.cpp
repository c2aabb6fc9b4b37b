// Can the cases fail? Each row is executed by the functions of its neighbours in the ISA table that
// have operands of the same sizes; at least one case must notice, unless the two are listed as
// equal below.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case_file.h"
#include "harness/run_case.h"
#include "isa/opcode_table.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::isa_tests {
namespace {

using frontend::Format;
using frontend::Generation;
using frontend::Opcode;
using frontend::OpcodeRow;

constexpr int kNeighbours = 8;  // mutants of one row
constexpr int kReach = 40;      // rows to look at in either direction

// Rows that do the same to everything a program can observe here.
const std::vector<std::set<std::string_view>> kEqual = {
    {"S_CMPK_EQ_I32", "S_CMPK_EQ_U32"},
    {"S_CMPK_LG_I32", "S_CMPK_LG_U32"},
    {"S_CMP_EQ_I32", "S_CMP_EQ_U32"},
    {"S_CMP_LG_I32", "S_CMP_LG_U32"},
    {"S_MEMTIME", "S_MEMREALTIME"},
    {"S_DCACHE_INV", "S_DCACHE_INV_VOL", "S_DCACHE_WB", "S_DCACHE_WB_VOL"},
    {"S_DCACHE_DISCARD", "S_DCACHE_DISCARD_X2"},
    {"V_MUL_LO_U32", "V_MUL_LO_I32"},
    {"V_RCP_F32", "V_RCP_IFLAG_F32"},
    {"V_QSAD_U8", "V_QSAD_PK_U16_U8"},
    {"V_MQSAD_U8", "V_MQSAD_PK_U16_U8"},
    {"V_ACCVGPR_READ_B32", "V_ACCVGPR_WRITE_B32"},  // what their operands may be is the decoder's
    {"BUFFER_WBINVL1", "BUFFER_WBINVL1_SC", "BUFFER_WBINVL1_VOL", "BUFFER_WBL2", "BUFFER_INVL2",
     "BUFFER_INV"},
    {"BUFFER_ATOMIC_FMIN_X2", "BUFFER_ATOMIC_MIN_F64"},  // CDNA 2's names
    {"BUFFER_ATOMIC_FMAX_X2", "BUFFER_ATOMIC_MAX_F64"},
    {"FLAT_ATOMIC_FMIN_X2", "FLAT_ATOMIC_MIN_F64"},
    {"FLAT_ATOMIC_FMAX_X2", "FLAT_ATOMIC_MAX_F64"},
    // They differ only in what a format with more components than the instruction gives stores.
    {"BUFFER_STORE_FORMAT_D16_X", "BUFFER_STORE_FORMAT_D16_XY"},
    {"BUFFER_STORE_FORMAT_D16_XYZ", "BUFFER_STORE_FORMAT_D16_XYZW"},
    {"BUFFER_STORE_FORMAT_D16_HI_X", "BUFFER_STORE_SHORT_D16_HI"},
    {"TBUFFER_STORE_FORMAT_D16_X", "TBUFFER_STORE_FORMAT_D16_XY"},
    {"TBUFFER_STORE_FORMAT_D16_XYZ", "TBUFFER_STORE_FORMAT_D16_XYZW"},
    // Where hardware computes the level they are refused, or it does not matter.
    {"IMAGE_SAMPLE_D", "IMAGE_SAMPLE_CD"},
    {"IMAGE_SAMPLE_D_CL", "IMAGE_SAMPLE_CD_CL"},
    {"IMAGE_SAMPLE_D_O", "IMAGE_SAMPLE_CD_O"},
    {"IMAGE_SAMPLE_D_CL_O", "IMAGE_SAMPLE_CD_CL_O"},
    {"IMAGE_GATHER4", "IMAGE_GATHER4_LZ"},
    {"IMAGE_GATHER4_CL", "IMAGE_GATHER4_L"},
    {"IMAGE_GATHER4_O", "IMAGE_GATHER4_LZ_O"},
    {"IMAGE_GATHER4_CL_O", "IMAGE_GATHER4_L_O"},
    {"IMAGE_SAMPLE_C_D", "IMAGE_SAMPLE_C_CD"},
    {"IMAGE_SAMPLE_C_D_CL", "IMAGE_SAMPLE_C_CD_CL"},
    {"IMAGE_SAMPLE_C_D_O", "IMAGE_SAMPLE_C_CD_O"},
    {"IMAGE_SAMPLE_C_D_CL_O", "IMAGE_SAMPLE_C_CD_CL_O"},
    {"IMAGE_GATHER4_C", "IMAGE_GATHER4_C_LZ"},
    {"IMAGE_GATHER4_C_CL", "IMAGE_GATHER4_C_L"},
    {"IMAGE_GATHER4_C_O", "IMAGE_GATHER4_C_LZ_O"},
    {"IMAGE_GATHER4_C_CL_O", "IMAGE_GATHER4_C_L_O"},
};

// Integer compares for which the sign does not matter, or whose result is always EXEC.
std::string CompareClass(const OpcodeRow& row) {
  std::string id = row.id;
  for (const char* relation : {"_F_", "_EQ_", "_NE_", "_T_"}) {
    const size_t at = id.find(relation);
    if (!id.starts_with("V_CMP") || at == id.npos) continue;
    char& type = id[at + std::string_view(relation).size()];
    if (type != 'I' && type != 'U') continue;
    type = 'I';
    if (std::string_view(relation) == "_T_" && id.starts_with("V_CMPX")) id.erase(5, 1);
    return id;
  }
  return {};
}

bool AreEqual(const OpcodeRow& a, const OpcodeRow& b) {
  if (const std::string compare = CompareClass(a); !compare.empty()) {
    if (compare == CompareClass(b)) return true;
  }
  for (const auto& set : kEqual) {
    if (set.contains(a.id) && set.contains(b.id)) return true;
  }
  return false;
}

// May `to` stand in for `from`: the same fields of Instruction are filled, with operands of the
// same sizes.
bool Fits(const OpcodeRow& from, const OpcodeRow& to, Generation g) {
  if (to.refusal != nullptr || runtime::ExecFunctionOf(to.opcode) == nullptr) return false;
  const Format format = to.On(g).format;
  if (format != Format::kNone && format != from.On(g).format) return false;
  if (BitsOf(from.dst) != BitsOf(to.dst)) return false;
  for (size_t n = 0; n < from.src.size(); ++n) {
    const bool has_from = from.src[n] != frontend::OperandType::NONE;
    const bool has_to = to.src[n] != frontend::OperandType::NONE;
    if (has_from != has_to || BitsOf(from.src[n]) != BitsOf(to.src[n])) return false;
  }
  return true;
}

std::vector<Opcode> MutantsOf(const OpcodeRow& row, Generation g) {
  std::vector<Opcode> mutants;
  const int base = static_cast<int>(row.opcode);
  for (int distance = 1; distance < kReach; ++distance) {
    for (const int index : {base + distance, base - distance}) {
      if (index < 0 || index >= frontend::kOpcodeCount) continue;
      const OpcodeRow& other = frontend::RowOf(index);
      if (mutants.size() < kNeighbours && Fits(row, other, g) && !AreEqual(row, other)) {
        mutants.push_back(other.opcode);
      }
    }
  }
  return mutants;
}

struct PlacedSection {
  const CaseFile* file;
  const Section* section;
  Assembled code;
};
using SectionsByRow = std::map<Opcode, std::vector<PlacedSection>>;

// The sections that exercise each row on a generation.
SectionsByRow Sections(const std::vector<CaseFile>& files, Generation g) {
  SectionsByRow result;
  for (const CaseFile& file : files) {
    const Result<std::vector<Assembled>> code = AssembleFile(file, g);
    if (!code) {
      ADD_FAILURE() << code.error().message;
      continue;
    }
    for (size_t n = 0; n < file.sections.size(); ++n) {
      const Section& section = file.sections[n];
      if (!section.header.Holds(g)) continue;
      std::set<Opcode> rows;
      for (const CaseInstruction& i : section.header.instructions) {
        rows.insert(*OpcodeNamed(g, i.mnemonic));
      }
      for (const Opcode row : rows) result[row].push_back({&file, &section, code.value()[n]});
    }
  }
  return result;
}

bool IsNoticed(const std::vector<PlacedSection>& sections, Generation g, Substitution planted) {
  for (const PlacedSection& s : sections) {
    if (!RunSection(*s.file, *s.section, s.code, g, planted).empty()) return true;
  }
  return false;
}

TEST(MutantsTest, CasesTellNeighboursApart) {
  std::vector<CaseFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(GCNJIT_CASE_DIR)) {
    if (entry.path().extension() != ".case") continue;
    Result<CaseFile> file = ReadCaseFile(entry.path().string());
    ASSERT_TRUE(file.ok()) << file.error().message;
    files.push_back(std::move(*file));
  }
  int planted = 0;
  std::set<Opcode> done;  // rows of an earlier generation in the list
  for (const Generation g :
       {Generation::kGfx900, Generation::kGfx6, Generation::kGfx906, Generation::kGfx908,
        Generation::kGfx90a, Generation::kGfx942, Generation::kGfx7, Generation::kGfx8}) {
    for (const auto& [opcode, sections] : Sections(files, g)) {
      const OpcodeRow& row = frontend::RowOf(opcode);
      // SOPP rows are branches and hints: several differ in nothing that one wave can see.
      if (row.refusal != nullptr || row.On(g).format == Format::kSopp) continue;
      if (!done.insert(opcode).second) continue;
      for (const Opcode mutant : MutantsOf(row, g)) {
        ++planted;
        EXPECT_TRUE(IsNoticed(sections, g, {opcode, mutant}))
            << row.id << " is not told from " << frontend::RowOf(mutant).id << " on "
            << frontend::TargetName(g) << " by " << sections.size() << " sections";
      }
    }
  }
  RecordProperty("planted", planted);
  EXPECT_GT(planted, 5000);
}

}  // namespace
}  // namespace gcnjit::isa_tests
