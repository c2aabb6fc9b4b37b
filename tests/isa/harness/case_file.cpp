#include "harness/case_file.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <sstream>

#include "isa/instruction.h"

namespace gcnjit::isa_tests {
namespace {

constexpr int kMaxRuns = 4096;
constexpr uint32_t kMaxBufferBytes = 1 << 24;

Error Mistake(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

std::optional<uint32_t> Number(std::string_view text) {
  uint32_t value = 0;
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct NamedRegister {
  std::string_view name;
  int code;  // -1: depends on the generation
  int count;
};
constexpr NamedRegister kNamed[] = {
    {"vcc", frontend::kCodeVccLo, 2},
    {"vcc_lo", frontend::kCodeVccLo, 1},
    {"vcc_hi", frontend::kCodeVccHi, 1},
    {"exec", frontend::kCodeExecLo, 2},
    {"exec_lo", frontend::kCodeExecLo, 1},
    {"exec_hi", frontend::kCodeExecHi, 1},
    {"m0", frontend::kCodeM0, 1},
    {"flat_scratch", -1, 2},
    {"flat_scratch_lo", -1, 1},
    {"flat_scratch_hi", -1, 1},
    {"xnack_mask", -1, 2},
    {"xnack_mask_lo", -1, 1},
    {"xnack_mask_hi", -1, 1},
};

constexpr int kMaxSgprNumber = 105;

// v7, a7, s7, v[2:3], s[4:7].
std::optional<Place> ParseRegister(std::string_view text) {
  if (text.size() < 2 || std::string_view("vas").find(text[0]) == std::string_view::npos) {
    return std::nullopt;
  }
  Place place;
  const bool is_scalar = text[0] == 's';
  const int base = text[0] == 'a' ? frontend::kFirstAccVgpr : 0;
  place.kind = is_scalar ? Place::Kind::kScalar : Place::Kind::kVgpr;
  const uint32_t limit = is_scalar ? kMaxSgprNumber : frontend::kMaxVgprs - 1;
  text.remove_prefix(1);
  std::string_view last = text;
  if (text.front() == '[') {
    const size_t colon = text.find(':');
    if (colon == text.npos || text.back() != ']') return std::nullopt;
    last = text.substr(colon + 1, text.size() - colon - 2);
    text = text.substr(1, colon - 1);
  }
  const auto first_number = Number(text);
  const auto last_number = Number(last);
  if (!first_number || !last_number || *last_number < *first_number || *last_number > limit) {
    return std::nullopt;
  }
  place.first = base + static_cast<int>(*first_number);
  place.count = static_cast<int>(*last_number - *first_number) + 1;
  return place;
}

std::optional<Place> ParsePlace(std::string_view text, const Group& group) {
  Place place;
  if (text == "scc") {
    place.kind = Place::Kind::kScc;
  } else if (text == "mode") {
    place.kind = Place::Kind::kMode;
  } else if (text == "vgprs") {
    place.kind = Place::Kind::kVgprCount;
  } else if (text == "acc_vgprs") {
    place.kind = Place::Kind::kAccVgprCount;
  } else if (text == "scratch_base") {
    place.kind = Place::Kind::kScratchBase;
    place.count = 2;
  } else {
    for (const NamedRegister& named : kNamed) {
      if (text != named.name) continue;
      place.first = named.code;
      place.count = named.count;
      if (named.code < 0) place.name = text;
      return place;
    }
    if (text.starts_with("ttmp") && Number(text.substr(4)).value_or(16) < 16) {
      place.first = -1;
      place.name = text;
      return place;
    }
    if (const auto reg = ParseRegister(text)) return reg;
    const size_t bracket = text.find('[');
    const std::string_view name = text.substr(0, bracket);
    bool known = name == "gds";
    for (const Buffer& buffer : group.buffers) known = known || name == buffer.name;
    if (!known) return std::nullopt;
    place.kind = Place::Kind::kMemory;
    place.name = name;
    if (bracket != text.npos) {
      const auto offset = Number(text.substr(bracket + 1, text.size() - bracket - 2));
      if (text.back() != ']' || !offset || *offset % 4 != 0) return std::nullopt;
      place.offset = *offset;
    }
  }
  return place;
}

// `1 0 1`, repeating over the lanes, as a mask.
Result<std::vector<Value>> ParseLaneBits(std::string_view text) {
  const Result<std::vector<Value>> bits = ParseValues(text, 32);
  if (!bits) return bits.error();
  Value mask{.is_qword = true, .symbol = {}};
  for (size_t lane = 0; lane < 64; ++lane) {
    const Value& bit = bits.value()[lane % bits.value().size()];
    if (bit.bits > 1 || bit.kind != Value::Kind::kBits) return Mistake("lanes: a list of 0 and 1");
    mask.bits |= bit.bits << lane;
  }
  return std::vector<Value>{mask};
}

class Parser {
 public:
  explicit Parser(std::string name) { file_.name = std::move(name); }

  Result<CaseFile> Parse(std::string_view text) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
      ++line_;
      const std::string_view stripped = StripLine(line);
      if (stripped.empty()) continue;
      const Result<void> parsed = ParseLine(stripped);
      if (!parsed) return At(line_, parsed.error());
    }
    if (const Result<void> closed = CloseGroup(); !closed) return At(line_, closed.error());
    if (file_.sections.empty()) return At(line_, Mistake("no section"));
    return std::move(file_);
  }

 private:
  Error At(int line, const Error& error) const {
    return {error.code, fmt::format("{}:{}: {}", file_.name, line, error.message)};
  }

  Result<void> ParseLine(std::string_view line) {
    if (line.front() == '[') return OpenSection(line);
    if (file_.sections.empty()) return Mistake("a file begins with a section");
    if (line == "--") {
      if (const Result<void> closed = CloseGroup(); !closed) return closed;
      OpenGroup();
      return {};
    }
    for (const std::string_view statement : SplitStatements(line)) {
      if (const Result<void> parsed = ParseStatement(statement); !parsed) return parsed;
    }
    return {};
  }

  Result<void> OpenSection(std::string_view line) {
    if (const Result<void> closed = CloseGroup(); !closed) return closed;
    Result<CaseHeader> header = ParseCaseHeader(line);
    if (!header) return header.error();
    Section section;
    section.line = line_;
    section.header = std::move(*header);
    section.title = line;
    file_.sections.push_back(std::move(section));
    OpenGroup();
    return {};
  }

  void OpenGroup() {
    Group group;
    group.line = line_ + 1;
    file_.sections.back().groups.push_back(std::move(group));
  }

  Group& group() { return file_.sections.back().groups.back(); }

  // Checks what can only be checked when all of a group has been read.
  Result<void> CloseGroup() {
    if (file_.sections.empty()) return {};
    Group& g = group();
    for (const auto* statements : {&g.inputs, &g.expectations}) {
      for (const Statement& statement : *statements) {
        if (!IsSeries(statement)) continue;
        const int length = static_cast<int>(statement.values.size());
        if (length == 1) continue;
        if (length > kMaxRuns || (g.runs != 1 && g.runs != length)) {
          return Mistake(fmt::format("line {}: a list of {} values beside one of {}",
                                     statement.line, length, g.runs));
        }
        g.runs = length;
      }
    }
    const bool says_something = !g.buffers.empty() || !g.inputs.empty() ||
                                !g.expectations.empty() || g.fault || g.pc ||
                                g.event != runtime::WaveEvent::kNone || nothing_changes_;
    if (!says_something) return Mistake(fmt::format("the group at line {} is empty", g.line));
    nothing_changes_ = false;
    return {};
  }

  static bool IsSeries(const Statement& s) {
    return s.place.kind != Place::Kind::kVgpr && s.place.kind != Place::Kind::kMemory &&
           s.place.count <= 2;
  }

  Result<void> ParseStatement(std::string_view text) {
    if (text == "unchanged") {
      nothing_changes_ = true;
      return {};
    }
    if (text.starts_with("buffer ")) return ParseBuffer(text.substr(7));
    if (text.starts_with("lds ") && text.find(':') == text.npos) {
      return ParseBuffer(text);
    }
    if (text.starts_with("gds =")) return ParseBuffer(text);
    // The ':' of s[4:5] is not the one of an expectation.
    const size_t bracket = text.find_first_of("[=: ");
    const bool indexed = bracket != text.npos && text[bracket] == '[';
    const size_t sign = text.find_first_of("=:", indexed ? text.find(']') : 0);
    if (sign == text.npos)
      return Mistake(fmt::format("neither an input nor expectation: {}", text));
    const bool expects = text[sign] == ':';
    const std::string_view name = StripLine(text.substr(0, sign));
    const std::string_view list = StripLine(text.substr(sign + 1));
    if (expects && name == "pc") return ParsePc(list);
    if (expects && name == "event") return ParseEvent(list);
    if (expects && name == "fault") return ParseFault(list);
    const auto place = ParsePlace(name, group());
    if (!place) return Mistake(fmt::format("unknown register or buffer: {}", name));
    return AddStatement(*place, list, expects);
  }

  Result<void> AddStatement(const Place& place, std::string_view list, bool expects) {
    const bool lanes = list.starts_with("lanes ");
    if (lanes && (place.Bits() != 64 || place.kind != Place::Kind::kScalar)) {
      return Mistake("`lanes` needs a 64-bit scalar");
    }
    Result<std::vector<Value>> values =
        lanes ? ParseLaneBits(list.substr(6)) : ParseValues(list, place.Bits());
    if (!values) return values.error();
    Statement statement{line_, place, std::move(*values)};
    const std::vector<Value>& v = statement.values;
    if (place.kind == Place::Kind::kVgpr && place.count <= 2 && v.size() > 64) {
      return Mistake("more than 64 lanes");
    }
    if (place.kind == Place::Kind::kMemory && !expects) {
      return Mistake("memory is set where it is declared");
    }
    for (const Value& value : v) {
      if (!expects && (value.kind != Value::Kind::kBits || value.ulps != 0)) {
        return Mistake("`_`, `*` and `~` are for expectations");
      }
      const bool is_lane_list = place.kind != Place::Kind::kMemory && place.count <= 2;
      if (is_lane_list && value.is_qword && place.Bits() == 32) {
        return Mistake("a 64-bit value in a 32-bit place");
      }
    }
    (expects ? group().expectations : group().inputs).push_back(std::move(statement));
    return {};
  }

  // NAME [readonly] [size BYTES] [= DWORDS]
  Result<void> ParseBuffer(std::string_view text) {
    Buffer buffer;
    const size_t sign = text.find('=');
    const std::vector<std::string_view> words = SplitWords(text.substr(0, sign));
    if (words.empty()) return Mistake("a buffer needs a name");
    buffer.name = words[0];
    for (size_t n = 1; n < words.size(); ++n) {
      if (words[n] == "readonly") {
        buffer.readonly = true;
      } else if (words[n] == "size" && n + 1 < words.size()) {
        const auto bytes = Number(words[++n]);
        if (!bytes || *bytes == 0 || *bytes > kMaxBufferBytes) return Mistake("bad size");
        buffer.bytes = *bytes;
      } else {
        return Mistake(fmt::format("unknown word: {}", words[n]));
      }
    }
    if (sign != text.npos) {
      Result<std::vector<Value>> values = ParseValues(text.substr(sign + 1), 32);
      if (!values) return values.error();
      buffer.values = std::move(*values);
    }
    if (buffer.bytes == 0) {
      for (const Value& value : buffer.values) buffer.bytes += value.is_qword ? 8 : 4;
    }
    if (buffer.bytes == 0) return Mistake("a buffer needs a size or contents");
    for (const Buffer& other : group().buffers) {
      if (other.name == buffer.name) return Mistake("declared twice: " + buffer.name);
    }
    group().buffers.push_back(std::move(buffer));
    return {};
  }

  Result<void> ParsePc(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (!negative && !text.starts_with('+')) return Mistake("pc : +BYTES or -BYTES");
    const auto offset = Number(text.substr(1));
    if (!offset) return Mistake("pc : +BYTES or -BYTES");
    group().pc = negative ? -static_cast<int64_t>(*offset) : static_cast<int64_t>(*offset);
    return {};
  }

  Result<void> ParseEvent(std::string_view text) {
    using runtime::WaveEvent;
    static const std::map<std::string_view, WaveEvent> kEvents = {
        {"end", WaveEvent::kEnd}, {"barrier", WaveEvent::kBarrier}, {"yield", WaveEvent::kYield}};
    const auto found = kEvents.find(text);
    if (found == kEvents.end()) return Mistake("event : end, barrier or yield");
    group().event = found->second;
    return {};
  }

  // KIND [lane N] [address VALUE]
  Result<void> ParseFault(std::string_view text) {
    static const std::map<std::string_view, FaultKind> kKinds = {
        {"memory_read", FaultKind::kMemoryRead},
        {"memory_write", FaultKind::kMemoryWrite},
        {"misaligned", FaultKind::kMisaligned},
        {"instruction_fetch", FaultKind::kInstructionFetch},
        {"illegal_instruction", FaultKind::kIllegalInstruction},
        {"unsupported", FaultKind::kUnsupported},
        {"illegal_register", FaultKind::kIllegalRegister},
        {"trap", FaultKind::kTrap},
    };
    const std::vector<std::string_view> words = SplitWords(text);
    if (words.empty() || !kKinds.contains(words[0])) return Mistake("unknown kind of fault");
    ExpectedFault fault{kKinds.at(words[0]), {}, {}};
    for (size_t n = 1; n + 1 < words.size(); n += 2) {
      if (words[n] == "lane") {
        const Result<std::vector<Value>> lane = ParseValues(words[n + 1], 32);
        if (!lane) return lane.error();
        fault.lane = static_cast<int>(static_cast<uint32_t>(lane.value()[0].bits));
      } else if (words[n] == "address") {
        const Result<std::vector<Value>> address = ParseValues(words[n + 1], 64);
        if (!address) return address.error();
        fault.address = address.value()[0];
      } else {
        return Mistake(fmt::format("unknown word: {}", words[n]));
      }
    }
    if (words.size() % 2 == 0) return Mistake("fault : KIND [lane N] [address VALUE]");
    group().fault = fault;
    return {};
  }

  CaseFile file_;
  int line_ = 0;
  bool nothing_changes_ = false;
};

}  // namespace

bool Group::SetsExec() const {
  for (const Statement& statement : inputs) {
    const Place& place = statement.place;
    if (place.kind == Place::Kind::kScalar && place.first >= frontend::kCodeExecLo) return true;
  }
  return false;
}

bool Group::ExpectsMemory() const {
  for (const Statement& statement : expectations) {
    if (statement.place.kind == Place::Kind::kMemory) return true;
  }
  return false;
}

Result<CaseFile> ParseCaseFile(const std::string& name, std::string_view text) {
  return Parser(name).Parse(text);
}

Result<CaseFile> ReadCaseFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{ErrorCode::kNotFound, path + ": cannot be read"};
  std::ostringstream text;
  text << file.rdbuf();
  return ParseCaseFile(path, text.str());
}

}  // namespace gcnjit::isa_tests
