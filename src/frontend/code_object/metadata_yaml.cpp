// The YAML that compilers write into code objects v2: block maps and lists, flow ones, plain and
// quoted texts of one line. https://yaml.org/spec/1.2.2. What else YAML has is refused: aliases,
// tags, directives, texts of several lines, keys that are not text.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "frontend/code_object/metadata.h"
#include "frontend/code_object/metadata_schema.h"

namespace gcnjit::frontend {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool IsFlowMark(char c) { return c == ',' || c == '[' || c == ']' || c == '{' || c == '}'; }

void AppendUtf8(std::string& text, uint32_t code) {
  const auto tail = [&](int shift) {
    text.push_back(static_cast<char>(0x80 | (code >> shift & 0x3F)));
  };
  if (code < 0x80) {
    text.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    text.push_back(static_cast<char>(0xC0 | code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    text.push_back(static_cast<char>(0xE0 | code >> 12));
    tail(6);
    tail(0);
  } else {
    text.push_back(static_cast<char>(0xF0 | (code >> 18 & 7)));
    tail(12);
    tail(6);
    tail(0);
  }
}

// Reads one document and gives it to the schema piece by piece, which bounds how deep the functions
// call each other. Each begins at what it reads; false: the budget or the schema has had enough, or
// the text is not this YAML.
class YamlReader {
 public:
  YamlReader(std::string_view text, LoadBudget& budget, MetadataSchema& schema)
      : text_(text), budget_(budget), schema_(schema) {}

  bool Run() {
    Next();
    if (IsMark("---")) {
      at_ += 3;
      Next();
    }
    if (!more_) return Refuse("there is nothing in it");
    return ReadBlock() && (!more_ || Refuse("something follows the document"));
  }

 private:
  struct Scalar {
    std::string_view text;
    bool is_quoted = false;
  };

  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n';
  }
  bool EndsWord(size_t ahead) const { return Peek(ahead) == '\n' || IsBlank(Peek(ahead)); }
  bool IsMark(std::string_view mark) const {
    return column_ == 0 && text_.substr(at_, mark.size()) == mark && EndsWord(mark.size());
  }
  bool IsItem() const { return Peek() == '-' && EndsWord(1); }
  bool IsValueMark() const { return Peek() == ':' && EndsWord(1); }
  bool IsFlow() const { return Peek() == '[' || Peek() == '{'; }

  bool Refuse(std::string_view what) {
    return schema_.Fail(fmt::format("not the YAML of a compiler in its line {}: {}", line_, what));
  }
  void SkipBlanks();
  void Next();
  bool EndLine();

  // These end at the next thing of the text, on whatever line it is.
  bool ReadBlock();
  bool ReadList(size_t column);
  bool ReadMap(size_t column, std::optional<Scalar> key);
  bool ReadValue(size_t column);

  // These end where the thing itself does.
  bool ReadFlow();
  bool ReadFlowMap();
  bool ReadFlowValue(bool in_flow);
  std::optional<Scalar> ReadScalar(bool in_flow);
  std::optional<Scalar> ReadPlain(bool in_flow);
  std::optional<Scalar> ReadSingleQuoted();
  std::optional<Scalar> ReadDoubleQuoted();
  bool ReadEscape();

  const std::string_view text_;
  LoadBudget& budget_;
  MetadataSchema& schema_;
  size_t at_ = 0;
  size_t line_ = 1;
  size_t line_begin_ = 0;
  // Of what Next has found: is there anything, and how far in?
  bool more_ = false;
  size_t column_ = 0;
  std::string unquoted_;  // what quotes stand for, where that is not what stands between them
};

// And a comment, up to the line's end.
void YamlReader::SkipBlanks() {
  const size_t begin = at_;
  while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
  if (Peek() == '#' && (at_ != begin || at_ == line_begin_)) {
    at_ = std::min(text_.find('\n', at_), text_.size());
  }
}

void YamlReader::Next() {
  const size_t begin = at_;
  for (SkipBlanks(); at_ < text_.size() && text_[at_] == '\n'; SkipBlanks()) {
    ++at_;
    ++line_;
    line_begin_ = at_;
  }
  column_ = at_ - line_begin_;
  const bool in_budget = budget_.Look(at_ - begin);
  more_ = in_budget && at_ < text_.size() && !IsMark("...") && !IsMark("---");
}

// After the last thing of a line.
bool YamlReader::EndLine() {
  SkipBlanks();
  if (Peek() != '\n') return Refuse("something follows a value, or its key is not text");
  Next();
  return true;
}

bool YamlReader::ReadBlock() {
  const size_t column = column_;
  if (IsItem()) return ReadList(column);
  if (IsFlow()) return ReadFlow() && EndLine();
  const auto scalar = ReadScalar(false);
  if (!scalar) return false;
  SkipBlanks();
  if (IsValueMark()) return ReadMap(column, scalar);
  return schema_.Text(scalar->text) && EndLine();
}

bool YamlReader::ReadList(size_t column) {
  if (!schema_.BeginList()) return false;
  while (more_ && column_ == column && IsItem()) {
    ++at_;
    Next();
    if (!(more_ && column_ > column ? ReadBlock() : schema_.Other())) return false;
  }
  if (more_ && column_ > column) return Refuse("a text of several lines");
  return schema_.End();
}

// `key`: the first one, which has been read.
bool YamlReader::ReadMap(size_t column, std::optional<Scalar> key) {
  if (!schema_.BeginMap()) return false;
  for (;;) {
    if (!schema_.Text(key->text)) return false;
    ++at_;  // the colon
    if (!ReadValue(column)) return false;
    if (!more_ || column_ < column) return schema_.End();
    if (column_ > column) return Refuse("a text of several lines");
    if (IsItem() || IsFlow()) return Refuse("a key that is not text");
    key = ReadScalar(false);
    if (!key) return false;
    SkipBlanks();
    if (!IsValueMark()) return Refuse("a key without a value");
  }
}

// What follows a key of the map in this column.
bool YamlReader::ReadValue(size_t column) {
  const size_t line = line_;
  Next();
  if (more_ && line_ == line) {
    if (IsItem()) return Refuse("a list on its key's line");
    return ReadFlowValue(false) && EndLine();
  }
  if (more_ && column_ > column) return ReadBlock();
  // A list may stand as far in as its key.
  if (more_ && column_ == column && IsItem()) return ReadList(column);
  return schema_.Other();
}

bool YamlReader::ReadFlow() {
  if (Peek() == '{') return ReadFlowMap();
  ++at_;
  if (!schema_.BeginList()) return false;
  for (Next(); Peek() != ']'; Next()) {
    if (!more_) return Refuse("a list without an end");
    if (!ReadFlowValue(true)) return false;
    Next();
    if (Peek() == ']') break;
    if (Peek() != ',') return Refuse("neither ',' nor ']' after an item");
    ++at_;
  }
  ++at_;
  return schema_.End();
}

bool YamlReader::ReadFlowMap() {
  ++at_;
  if (!schema_.BeginMap()) return false;
  for (Next(); Peek() != '}'; Next()) {
    if (!more_) return Refuse("a map without an end");
    if (IsFlow()) return Refuse("a key that is not text");
    const auto key = ReadScalar(true);
    if (!key || !schema_.Text(key->text)) return false;
    Next();
    const bool has_value = Peek() == ':';
    if (has_value) {
      ++at_;
      Next();
    }
    const bool is_something = has_value && Peek() != ',' && Peek() != '}';
    if (!(is_something ? ReadFlowValue(true) : schema_.Other())) return false;
    Next();
    if (Peek() == '}') break;
    if (Peek() != ',') return Refuse("neither ',' nor '}' after a value");
    ++at_;
  }
  ++at_;
  return schema_.End();
}

bool YamlReader::ReadFlowValue(bool in_flow) {
  if (IsFlow()) return ReadFlow();
  const auto scalar = ReadScalar(in_flow);
  if (!scalar) return false;
  constexpr std::string_view kNothing[] = {"~", "null", "Null", "NULL"};
  const bool is_nothing =
      !scalar->is_quoted && std::ranges::find(kNothing, scalar->text) != std::end(kNothing);
  return is_nothing ? schema_.Other() : schema_.Text(scalar->text);
}

std::optional<YamlReader::Scalar> YamlReader::ReadScalar(bool in_flow) {
  const size_t begin = at_;
  auto scalar = Peek() == '\''  ? ReadSingleQuoted()
                : Peek() == '"' ? ReadDoubleQuoted()
                                : ReadPlain(in_flow);
  if (!budget_.Look(at_ - begin)) return std::nullopt;
  return scalar;
}

std::optional<YamlReader::Scalar> YamlReader::ReadPlain(bool in_flow) {
  const char first = Peek();
  if (first == '&' || first == '*') {
    Refuse("aliases are not read");
    return std::nullopt;
  }
  const bool may_begin =
      first == '-' || first == '?' || first == ':'
          ? !EndsWord(1)
          : std::string_view("\n,[]{}#!|>%@`").find(first) == std::string_view::npos;
  if (!may_begin) {
    Refuse(fmt::format("no text begins with '{}'", first == '\n' ? ' ' : first));
    return std::nullopt;
  }
  const size_t begin = at_;
  size_t end = at_;  // without the blanks at the end
  for (; Peek() != '\n'; ++at_) {
    const char c = Peek();
    if (IsBlank(c)) continue;
    if (c == '#' && at_ != end) break;
    if (c == ':' && (EndsWord(1) || (in_flow && IsFlowMark(Peek(1))))) break;
    if (in_flow && IsFlowMark(c)) break;
    end = at_ + 1;
  }
  at_ = end;
  return Scalar{text_.substr(begin, end - begin), false};
}

std::optional<YamlReader::Scalar> YamlReader::ReadSingleQuoted() {
  unquoted_.clear();
  for (++at_; Peek() != '\n'; ++at_) {
    if (Peek() == '\'') {
      ++at_;
      if (Peek() != '\'') return Scalar{unquoted_, true};
    }
    unquoted_.push_back(Peek());
  }
  Refuse("a quoted text without an end in its line");
  return std::nullopt;
}

std::optional<YamlReader::Scalar> YamlReader::ReadDoubleQuoted() {
  unquoted_.clear();
  for (++at_; Peek() != '\n'; ++at_) {
    if (Peek() == '"') {
      ++at_;
      return Scalar{unquoted_, true};
    }
    if (Peek() != '\\') {
      unquoted_.push_back(Peek());
      continue;
    }
    ++at_;
    if (!ReadEscape()) {
      Refuse("an unknown escape in a quoted text");
      return std::nullopt;
    }
  }
  Refuse("a quoted text without an end in its line");
  return std::nullopt;
}

// After the backslash; ends at the last character.
bool YamlReader::ReadEscape() {
  static constexpr std::pair<char, uint32_t> kEscapes[] = {
      {'0', 0},   {'a', 7},     {'b', 8},    {'t', 9},    {'\t', 9},     {'n', 10},
      {'v', 11},  {'f', 12},    {'r', 13},   {'e', 27},   {' ', ' '},    {'"', '"'},
      {'/', '/'}, {'\\', '\\'}, {'N', 0x85}, {'_', 0xA0}, {'L', 0x2028}, {'P', 0x2029},
  };
  for (const auto& [letter, code] : kEscapes) {
    if (Peek() != letter) continue;
    AppendUtf8(unquoted_, code);
    return true;
  }
  const size_t digits = Peek() == 'x' ? 2 : Peek() == 'u' ? 4 : Peek() == 'U' ? 8 : 0;
  const std::string_view number = text_.substr(std::min(at_ + 1, text_.size()), digits);
  uint32_t code = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), code, 16);
  if (digits == 0 || number.size() != digits || error != std::errc() ||
      end != number.data() + digits) {
    return false;
  }
  AppendUtf8(unquoted_, code);
  at_ += digits;
  return true;
}

}  // namespace

Result<void> ReadYamlMetadata(std::string_view text, uint64_t offset, LoadBudget& budget,
                              const TakeKernel& take) {
  // The note's text ends in NUL characters, which YAML does not allow.
  text = text.substr(0, text.find('\0'));
  MetadataSchema schema(MetadataFormat::kV2, offset, budget, take);
  YamlReader reader(text, budget, schema);
  if (reader.Run()) return {};
  if (budget.is_spent()) return budget.error();
  return schema.error();
}

}  // namespace gcnjit::frontend
