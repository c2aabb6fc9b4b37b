// Random instructions of a given row and form, as machine code. What comes out decodes to that row
// and writes only registers that generated programs may write (registers.h).
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "differential/program.h"
#include "differential/random.h"
#include "differential/registers.h"
#include "isa/instruction.h"
#include "isa/opcode_table.h"

namespace gcnjit::differential {

// How a row is encoded: in its own format, or a vector instruction in one of the longer ones.
enum class Form : uint8_t { kHome, kVop3, kSdwa, kDpp };
std::vector<Form> FormsOf(frontend::Generation generation, const frontend::OpcodeRow& row);

// A field that is not left to chance.
struct Field {
  int word;
  int lo;
  int bits;
  uint32_t value;
};

class InstructionMaker {
 public:
  InstructionMaker(frontend::Generation generation, VgprPlan plan, Random& random)
      : generation_(generation),
        plan_(plan),
        random_(random),
        odd_(Has(generation, frontend::kEvenVgprTuples) ? 1 : 0) {}

  // Nothing if no try gave an instruction (the row may want what the registers do not allow).
  std::optional<Item> Make(const frontend::OpcodeRow& row, Form form,
                           std::initializer_list<Field> fields = {});

  // Operand codes. `registers` counts SGPRs, of which tuples are aligned.
  uint32_t ScalarDestination(int registers);
  uint32_t ScalarSource(frontend::OperandType type, bool allow_literal);
  uint32_t VectorSource(frontend::OperandType type, bool allow_literal);
  // VGPR numbers.
  uint32_t Vgpr(int registers);

 private:
  using OpcodeRow = frontend::OpcodeRow;
  using Words = encoding::Words;

  void Fill(const OpcodeRow& row, frontend::Format format, Form form);
  void FillScalar(const OpcodeRow& row, frontend::Format format);
  void FillSmrd(const OpcodeRow& row);
  void FillSmem(const OpcodeRow& row);
  void FillVector(const OpcodeRow& row, frontend::Format format);
  void FillSdwa(const OpcodeRow& row, frontend::Format format);
  void FillDpp(const OpcodeRow& row, frontend::Format format);
  void FillVop3(const OpcodeRow& row);
  void FillVop3p(const OpcodeRow& row);
  void FillMai(const OpcodeRow& row);
  void FillDs(const OpcodeRow& row);
  void FillBuffer(const OpcodeRow& row, frontend::Format format);
  uint32_t FillScratch();
  void FillFlat(const OpcodeRow& row, frontend::Format format);
  void FillMimg(const OpcodeRow& row);

  void Set(int word, int lo, int bits, uint32_t value) {
    encoding::SetField(words_[static_cast<size_t>(word)], lo, bits, value);
  }
  void FillIgnored(const OpcodeRow& row);
  // The sources (bit n) that neg and abs apply to.
  uint32_t SignedSources(const OpcodeRow& row, bool vop3) const;
  uint32_t SomeBits(uint32_t percent, uint32_t allowed) {
    return random_.Percent(percent) ? random_.Word() & allowed : 0;
  }
  uint32_t VectorDestination(const OpcodeRow& row);
  uint32_t AddressOffset(bool wide);
  // Data in AccVGPRs, and SCC, at those bits of the words.
  void FillUnified(int acc_word, int acc_bit, int scc_word, int scc_bit);
  bool IsUsable(const OpcodeRow& row, Item& item) const;

  const frontend::Generation generation_;
  const VgprPlan plan_;
  Random& random_;
  const uint32_t odd_;  // bit of a register's number that tuples must not have
  Words words_ = {};
};

// May a generated instruction write these?
bool WritesOnlyFreeRegisters(frontend::Generation generation, const VgprPlan& plan,
                             const frontend::Instruction& instruction);

}  // namespace gcnjit::differential
