#include "ir/parser.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "ir/matrix.h"
#include "ir/text_format.h"

namespace gcnjit::ir {
namespace {

constexpr uint32_t kMaxValue = 1'000'000;  // a number in a text must not make us allocate more

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Up to the separator, which is removed too.
std::string_view Take(std::string_view& rest, std::string_view separators) {
  const size_t end = rest.find_first_of(separators);
  const std::string_view head = Trim(rest.substr(0, end));
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return head;
}

bool ParseUnsigned(std::string_view text, uint64_t* value) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *value, hex ? 16 : 10);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool ParseSigned(std::string_view text, int64_t* value) {
  const bool negative = text.starts_with("-");
  uint64_t magnitude = 0;
  if (!ParseUnsigned(text.substr(negative ? 1 : 0), &magnitude)) return false;
  *value = static_cast<int64_t>(negative ? ~magnitude + 1 : magnitude);
  return true;
}

bool ParseFloat(std::string_view text, uint32_t* bits) {
  if (text.find_first_of(".e") == std::string_view::npos || text.starts_with("0x")) return false;
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  *bits = std::bit_cast<uint32_t>(value);
  return error == std::errc() && end == text.data() + text.size();
}

int IndexIn(std::span<const std::string_view> names, std::string_view name) {
  for (size_t n = 0; n < names.size(); ++n) {
    if (names[n] == name) return static_cast<int>(n);
  }
  return -1;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  ParseResult Run() {
    FindLargestValue();
    std::string_view rest = text_;
    while (!rest.empty() && !result_.error) {
      ++line_;
      const size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
      line = Trim(line.substr(0, line.find(';')));
      if (!line.empty()) ParseLine(line);
    }
    return std::move(result_);
  }

 private:
  Function& function() { return result_.function; }
  Block& block() { return result_.function.blocks.back(); }

  bool Fail(std::string message) {
    if (!result_.error) result_.error = ParseError{line_, std::move(message)};
    return false;
  }

  // Named values keep their numbers; the constants between them get numbers above.
  void FindLargestValue() {
    uint32_t largest = 0;
    for (size_t at = text_.find('%'); at != std::string_view::npos; at = text_.find('%', at + 1)) {
      uint32_t id = 0;
      std::from_chars(text_.data() + at + 1, text_.data() + text_.size(), id);
      if (id <= kMaxValue && id > largest) largest = id;
    }
    function().insts.resize(size_t{largest} + 1);
    defined_.resize(size_t{largest} + 1);
  }

  void ParseLine(std::string_view line) {
    if (line.starts_with("pattern ")) {
      ParsePattern(line.substr(8));
    } else if (line.starts_with("block ")) {
      ParseBlock(line.substr(6));
    } else if (function().blocks.empty()) {
      Fail("expected a block");
    } else if (line.starts_with("guest ")) {
      ParseGuest(line.substr(6));
    } else {
      ParseInst(line);
    }
  }

  void ParsePattern(std::string_view rest) {
    uint64_t number = 0;
    if (!ParseUnsigned(Take(rest, "="), &number) || number != function().patterns.size()) {
      Fail(fmt::format("expected pattern {}", function().patterns.size()));
      return;
    }
    LanePattern pattern{};
    rest = Trim(rest);
    for (uint8_t& lane : pattern) {
      const std::string_view word = Take(rest, " ");
      uint64_t from = kNoLane;
      if (word != "-" && (!ParseUnsigned(word, &from) || from >= kLanes)) {
        Fail("a pattern is 64 lane numbers, or '-' for none");
        return;
      }
      lane = static_cast<uint8_t>(from);
      rest = Trim(rest);
    }
    if (!rest.empty()) Fail("a pattern is 64 lane numbers, or '-' for none");
    function().patterns.push_back(pattern);
  }

  void ParseBlock(std::string_view rest) {
    uint64_t begin = 0;
    uint64_t count = 0;
    const std::string_view address = Take(rest, " ");
    rest = Trim(rest);
    if (!ParseUnsigned(address, &begin) || !rest.starts_with("instructions=") ||
        !ParseUnsigned(rest.substr(13), &count) || count > UINT32_MAX) {
      Fail("expected: block ADDRESS instructions=N");
      return;
    }
    function().blocks.emplace_back();
    block().begin = begin;
    block().instruction_count = static_cast<uint32_t>(count);
    guest_ = 0;
  }

  void ParseGuest(std::string_view rest) {
    uint64_t index = 0;
    uint64_t pc = 0;
    if (!ParseUnsigned(Take(rest, " "), &index) || index > UINT16_MAX) {
      Fail("expected: guest INDEX [ADDRESS]");
      return;
    }
    guest_ = static_cast<uint16_t>(index);
    rest = Trim(rest);
    if (rest.empty()) return;
    auto& pcs = block().guest_pcs;
    if (!ParseUnsigned(rest, &pc)) {
      Fail(fmt::format("'{}' is not an address", rest));
    } else if (index == pcs.size()) {
      pcs.push_back(pc);
    } else if (index > pcs.size() || pcs[index] != pc) {
      Fail(fmt::format("guest instruction {} is not the next one", index));
    }
  }

  void ParseInst(std::string_view rest) {
    inst_ = {};
    inst_.guest = guest_;
    uint64_t id = 0;
    const bool has_result = rest.starts_with('%');
    if (has_result) {
      const std::string_view name = Take(rest, "=").substr(1);
      if (!ParseUnsigned(name, &id) || id == 0 || id > kMaxValue) {
        Fail(fmt::format("'%{}' is not a value's name", name));
        return;
      }
      if (defined_[id]) {
        Fail(fmt::format("%{} is defined twice", id));
        return;
      }
    }
    rest = Trim(rest);
    std::string_view attributes;
    if (const size_t brace = rest.find('{'); brace != std::string_view::npos) {
      attributes = rest.substr(brace + 1);
      rest = Trim(rest.substr(0, brace));
      if (!attributes.ends_with('}')) {
        Fail("expected '}'");
        return;
      }
      attributes.remove_suffix(1);
    }
    const size_t space = rest.find(' ');
    const std::string_view operands =
        space == std::string_view::npos ? std::string_view{} : rest.substr(space);
    if (!ParseOperation(rest.substr(0, space), has_result) || !ParseOperands(operands) ||
        !ParseAttributes(attributes)) {
      return;
    }
    Value value{static_cast<uint32_t>(id)};
    if (has_result) {
      function()[value] = inst_;
      defined_[id] = true;
    } else {
      value.id = static_cast<uint32_t>(function().insts.size());
      function().insts.push_back(inst_);
    }
    block().insts.push_back(value);
  }

  bool ParseOperation(std::string_view text, bool has_result) {
    const size_t dot = text.find('.');
    const std::string_view name = text.substr(0, dot);
    const std::string_view type =
        dot == std::string_view::npos ? std::string_view("void") : text.substr(dot + 1);
    for (int n = 0; n < static_cast<int>(Op::kCount); ++n) {
      if (InfoOf(static_cast<Op>(n)).name != name) continue;
      const int type_index = IndexIn(TypeNames(), type);
      if (type_index < 0) return Fail(fmt::format("no such type: '{}'", type));
      inst_.op = static_cast<Op>(n);
      inst_.type = static_cast<Type>(type_index);
      if (has_result == (inst_.type == Type::kVoid)) {
        return Fail(has_result ? "a result needs a type" : "a typed operation needs a result");
      }
      return true;
    }
    return Fail(fmt::format("no such operation: '{}'", name));
  }

  bool ParseOperands(std::string_view rest) {
    std::vector<std::string_view> operands;
    rest = Trim(rest);
    while (!rest.empty()) {
      operands.push_back(Take(rest, ","));
      rest = Trim(rest);
    }
    size_t first = 0;
    size_t end = operands.size();
    const auto need = [&](size_t count) {
      return end - first >= count || Fail("an operand is missing");
    };
    switch (FormatOf(inst_.op)) {
      case TextFormat::kConst: return Fail("constants stand where they are used");
      case TextFormat::kSgpr:
      case TextFormat::kSgpr64:
        if (!need(1) || !ParseRegister('s', operands[first++])) return false;
        break;
      case TextFormat::kVgpr:
      case TextFormat::kSetVgpr:
        if (!need(1) || !ParseRegister('v', operands[first++])) return false;
        break;
      case TextFormat::kExit: {
        if (!need(2)) return false;
        const int reason = IndexIn(ReasonNames(), operands[first++]);
        if (reason < 0) return Fail("no such reason to exit");
        inst_.imm = reason;
        if (!ParseTarget(0, operands[--end])) return false;
        break;
      }
      case TextFormat::kTargets:
      case TextFormat::kProceed:
        if (inst_.op == Op::kBranch || inst_.op == Op::kProceed) {
          if (!need(3) || !ParseTarget(1, operands[--end])) return false;
        } else if (!need(1)) {
          return false;
        }
        if (!ParseTarget(0, operands[--end])) return false;
        break;
      default: break;
    }
    for (; first < end; ++first) {
      if (inst_.argument_count == kMaxArguments) return Fail("too many operands");
      Value value;
      if (!ParseArgument(operands[first], &value)) return false;
      inst_.args[inst_.argument_count++] = value;
    }
    return true;
  }

  // The verifier looks whether there are so many.
  bool ParseRegister(char kind, std::string_view text) {
    uint64_t number = 0;
    if (!text.starts_with(kind) || !ParseUnsigned(text.substr(1), &number) || number >= kVgprs) {
      return Fail(fmt::format("'{}' is not a register {}N", text, kind));
    }
    inst_.imm = static_cast<int64_t>(number);
    return true;
  }

  bool ParseTarget(int n, std::string_view text) {
    return ParseUnsigned(text, &block().targets[n]) ||
           Fail(fmt::format("'{}' is not an address", text));
  }

  bool ParseArgument(std::string_view text, Value* value) {
    uint64_t number = 0;
    uint32_t bits = 0;
    if (text.starts_with('%')) {
      if (!ParseUnsigned(text.substr(1), &number) || number >= defined_.size() ||
          !defined_[number]) {
        return Fail(fmt::format("{} is not defined", text));
      }
      value->id = static_cast<uint32_t>(number);
      return true;
    }
    if (text == "true" || text == "false") {
      *value = Constant(Type::kU1, text == "true");
    } else if (text.ends_with(":u64") && ParseUnsigned(text.substr(0, text.size() - 4), &number)) {
      *value = Constant(Type::kU64, number);
    } else if (ParseUnsigned(text, &number) && number <= UINT32_MAX) {
      *value = Constant(Type::kU32, number);
    } else if (ParseFloat(text, &bits)) {
      *value = Constant(Type::kU32, bits);
    } else {
      return Fail(fmt::format("'{}' is not an operand", text));
    }
    return true;
  }

  Value Constant(Type type, uint64_t number) {
    Inst inst;
    inst.type = type;
    inst.guest = guest_;
    inst.imm = static_cast<int64_t>(number);
    const Value value{static_cast<uint32_t>(function().insts.size())};
    function().insts.push_back(inst);
    block().insts.push_back(value);
    return value;
  }

  bool ParseAttributes(std::string_view rest) {
    const TextFormat format = FormatOf(inst_.op);
    MemoryAccess access;
    bool is_access = format == TextFormat::kAccess;
    rest = Trim(rest);
    while (!rest.empty()) {
      const std::string_view attribute = Take(rest, ",");
      rest = Trim(rest);
      if (!ParseAttribute(format, attribute, &access)) {
        return Fail(fmt::format("'{}' is no attribute of {}", attribute, InfoOf(inst_.op).name));
      }
    }
    if (is_access) inst_.aux = access.Pack();
    return true;
  }

  bool ParseAttribute(TextFormat format, std::string_view text, MemoryAccess* access) {
    switch (format) {
      case TextFormat::kSetVgpr: inst_.aux = 1; return text == kActiveText;
      case TextFormat::kEnv: return ParseEnv(text);
      case TextFormat::kEnvRound: return ParseImm(FRoundNames(), text) || ParseEnv(text);
      case TextFormat::kEnvHalf:
        if (text.starts_with("half=")) return ParseImm(HalfRoundingNames(), text.substr(5));
        return ParseEnv(text);
      case TextFormat::kEnvPredicate: return ParseImm(PredicateNames(), text) || ParseEnv(text);
      case TextFormat::kPattern: return ParseNumber("pattern=", text, &inst_.imm);
      case TextFormat::kMaskPart: return ParseImm(MaskPartNames(), text);
      case TextFormat::kProceed:
      case TextFormat::kCount:
        if (text == kTestedText) return inst_.aux = 1, true;
        return ParseNumber("count=", text, &inst_.imm);
      case TextFormat::kNumber: return ParseNumber("number=", text, &inst_.imm);
      case TextFormat::kTable: return ParseNumber("table=", text, &inst_.imm);
      case TextFormat::kAccess: return ParseAccess(text, access);
      case TextFormat::kScalarLoad: {
        int64_t dwords = 0;
        if (ParseNumber("offset=", text, &inst_.imm)) return true;
        if (!ParseNumber("dwords=", text, &dwords)) return false;
        inst_.aux = static_cast<uint32_t>(dwords);
        return true;
      }
      case TextFormat::kPart: return ParseNumber("dword=", text, &inst_.imm);
      case TextFormat::kMatrix: return ParseMatrix(text);
      default: return false;
    }
  }

  static bool ParseNumber(std::string_view prefix, std::string_view text, int64_t* value) {
    return text.starts_with(prefix) && ParseSigned(text.substr(prefix.size()), value);
  }

  bool ParseImm(std::span<const std::string_view> names, std::string_view text) {
    const int n = IndexIn(names, text);
    if (n >= 0) inst_.imm = n;
    return n >= 0;
  }

  bool ParseEnv(std::string_view text) {
    const int rounding = IndexIn(RoundingNames(), text);
    if (rounding >= 0) {
      inst_.aux |= static_cast<uint32_t>(rounding) << FloatEnv::kRoundShift;
    } else if (text == "daz") {
      inst_.aux |= FloatEnv::kFlushInputs;
    } else if (text == "ftz") {
      inst_.aux |= FloatEnv::kFlushResults;
    } else {
      return false;
    }
    return true;
  }

  // What does not fit its field is lost; the verifier looks whether the rest makes sense.
  bool ParseMatrix(std::string_view text) {
    MatrixProduct product = MatrixProduct::Of(inst_);
    const auto parse = [&](std::string_view prefix, auto& field) {
      int64_t number = 0;
      if (!ParseNumber(prefix, text, &number)) return false;
      field = static_cast<std::remove_reference_t<decltype(field)>>(number);
      return true;
    };
    const int element = IndexIn(MatrixElementNames(), text);
    if (element >= 0) {
      product.shape.element = static_cast<MatrixElement>(element);
    } else if (text.starts_with("shape=")) {
      std::string_view rest = text.substr(6);
      uint8_t* const sizes[] = {&product.shape.m, &product.shape.n, &product.shape.k,
                                &product.shape.blocks};
      for (uint8_t* const size : sizes) {
        uint64_t number = 0;
        if (!ParseUnsigned(Take(rest, "x"), &number)) return false;
        *size = static_cast<uint8_t>(number);
      }
    } else if (!parse("d=", product.d) && !parse("c=", product.c) &&
               !parse("cbsz=", product.cbsz) && !parse("abid=", product.abid) &&
               !parse("blgp=", product.blgp)) {
      return false;
    }
    product.PutInto(inst_);
    return true;
  }

  bool ParseAccess(std::string_view text, MemoryAccess* access) {
    int64_t bytes = 0;
    if (ParseNumber("offset=", text, &inst_.imm)) return true;
    if (ParseNumber("bytes=", text, &bytes)) {
      access->bytes = static_cast<uint8_t>(bytes);
      return bytes >= 0 && bytes <= 255;
    }
    for (const std::string_view extension : {"index=sext<<", "index=zext<<"}) {
      int64_t shift = 0;
      if (!ParseNumber(extension, text, &shift)) continue;
      access->indexed = true;
      access->index_signed = extension[6] == 's';
      access->index_shift = static_cast<uint8_t>(shift);
      return shift >= 0 && shift <= 31;
    }
    const int atomic = IndexIn(AtomicNames(), text);
    if (atomic >= 0) {
      access->atomic = static_cast<AtomicOp>(atomic);
    } else if (text == "signed") {
      access->sign_extend = true;
    } else if (text == "flat") {
      access->space = Space::kFlat;
    } else if (text == "daz") {
      access->flush_inputs = true;
    } else if (text == "ftz") {
      access->flush_results = true;
    } else if (text == "quadwords") {
      access->quadwords = true;
    } else if (text == "wraps") {
      access->wraps = true;
    } else {
      return false;
    }
    return true;
  }

  const std::string_view text_;
  ParseResult result_;
  int line_ = 0;
  uint16_t guest_ = 0;
  Inst inst_;  // the one being read
  std::vector<bool> defined_;
};

}  // namespace

ParseResult Parse(std::string_view text) { return Parser(text).Run(); }

}  // namespace gcnjit::ir
