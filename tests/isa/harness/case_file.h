// A .case file in memory: sections, groups, statements (tests/isa/README.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "case_header.h"
#include "gcnjit/launch.h"
#include "harness/value.h"
#include "runtime/interpreter/wave.h"

namespace gcnjit::isa_tests {

// What a statement sets or expects.
struct Place {
  enum class Kind : uint8_t {
    kVgpr,
    kScalar,
    kScc,
    kMode,
    kMemory,
    kScratchBase,
    kVgprCount,
    kAccVgprCount
  };
  Kind kind = Kind::kScalar;
  int first = 0;        // VGPR number; kScalar: operand code
  int count = 1;        // registers
  std::string name;     // kMemory: buffer, "lds" or "gds"; kScalar: named register that depends on
                        // the generation ("flat_scratch", "xnack_mask", "ttmp3")
  uint32_t offset = 0;  // kMemory: first byte
  int Bits() const { return count == 2 ? 64 : 32; }
};

struct Statement {
  int line = 0;
  Place place;
  std::vector<Value> values;  // `lanes`: already one 64-bit value
};

struct Buffer {
  std::string name;  // "lds", "gds" or the buffer's
  uint32_t bytes = 0;
  bool readonly = false;
  std::vector<Value> values;  // repeat to fill the buffer; none: zeroes
};

struct ExpectedFault {
  FaultKind kind = FaultKind::kUnsupported;
  std::optional<int> lane;
  std::optional<Value> address;
};

struct Group {
  int line = 0;
  std::vector<Buffer> buffers;
  std::vector<Statement> inputs;
  std::vector<Statement> expectations;
  std::optional<int64_t> pc;  // relative to the section
  runtime::WaveEvent event = runtime::WaveEvent::kNone;
  std::optional<ExpectedFault> fault;
  int runs = 1;  // length of the scalar lists

  bool SetsExec() const;
  bool ExpectsMemory() const;
};

struct Section {
  int line = 0;
  CaseHeader header;
  std::string title;  // the header's text
  std::vector<Group> groups;
};

struct CaseFile {
  std::string name;
  std::vector<Section> sections;
};

// The error's message begins with "NAME:LINE: ".
Result<CaseFile> ParseCaseFile(const std::string& name, std::string_view text);
Result<CaseFile> ReadCaseFile(const std::string& path);

}  // namespace gcnjit::isa_tests
