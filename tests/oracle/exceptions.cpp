#include "exceptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "frontend/decode/decoder.h"
#include "frontend/disassemble/disassembler.h"
#include "isa/ignored_fields.h"

namespace gcnjit::oracle {
namespace {

using frontend::Generation;

std::string OurText(Generation generation, const Words& words) {
  frontend::Instruction instruction;
  if (Decode(generation, words, instruction) != frontend::DecodeStatus::kOk) return {};
  return Disassemble(generation, instruction);
}

std::string Without(const std::string& text, const char* pattern) {
  static std::map<std::string, std::regex> compiled;
  auto it = compiled.find(pattern);
  if (it == compiled.end()) it = compiled.emplace(pattern, std::regex(pattern)).first;
  return std::regex_replace(text, it->second, "");
}

// Rounding scalar register fields down to even numbers or multiples of four gives LLVM's text.
bool Align(Generation generation, const Words& words, const std::string& text,
           const char* ignored) {
  const std::string expected = ignored != nullptr ? Without(text, ignored) : text;
  const auto matches = [&](const Words& candidate) {
    const std::string ours = OurText(generation, candidate);
    return !ours.empty() && (ignored != nullptr ? Without(ours, ignored) : ours) == expected;
  };
  struct Field {
    size_t word;
    int lo;
  };
  // Where formats keep scalar operands. SBASE (word 0, bit 0) counts pairs, SRSRC (16) and SSAMP
  // (21) of word 1 count fours: rounding them is harmless.
  static constexpr Field kFields[] = {{0, 0}, {0, 6}, {0, 8},  {0, 16}, {1, 0},
                                      {1, 8}, {1, 9}, {1, 16}, {1, 18}};
  constexpr int kCount = static_cast<int>(std::size(kFields));
  const std::function<bool(Words, int, int)> search = [&](Words candidate, int from, int changes) {
    if (candidate != words && matches(candidate)) return true;
    if (changes == 3) return false;
    for (int i = from; i < kCount; ++i) {
      for (const uint32_t mask : {1u, 3u}) {
        Words next = candidate;
        next[kFields[i].word] &= ~(mask << kFields[i].lo);
        if (next != candidate && search(next, i + 1, changes + 1)) return true;
      }
    }
    return false;
  };
  return search(words, 0, 0);
}

struct Field {
  size_t word;
  uint32_t mask;
  bool operator==(const Field&) const = default;
};

// Fields that are cleared for LLVM's text, and what LLVM prints of them (a regular expression).
struct Clearing {
  std::vector<Field> fields;
  std::string printed;
};

// Clearing some of the fields gives LLVM's text, after what it prints of them is cut from both.
bool Clear(Generation generation, const Words& words, const std::string& text,
           const Clearing& clearing) {
  const std::vector<Field>& fields = clearing.fields;
  const char* ignored = clearing.printed.empty() ? nullptr : clearing.printed.c_str();
  const std::string expected = ignored != nullptr ? Without(text, ignored) : text;
  for (uint32_t subset = 1; subset < 1u << fields.size(); ++subset) {
    Words candidate = words;
    for (size_t i = 0; i < fields.size(); ++i) {
      if ((subset >> i & 1) != 0) candidate[fields[i].word] &= ~fields[i].mask;
    }
    if (candidate == words) continue;
    std::string ours = OurText(generation, candidate);
    if (ignored != nullptr) ours = Without(ours, ignored);
    if (!ours.empty() && ours == expected) return true;
    // The words may have a misaligned tuple besides.
    const bool few = std::popcount(subset) <= 2 || subset + 1 == 1u << fields.size();
    if (ours.empty() && few && Align(generation, candidate, text, ignored)) {
      return true;
    }
  }
  return false;
}

// A field for each bit of the words' masks.
std::vector<Field> Each(const Words& masks) {
  std::vector<Field> fields;
  for (size_t word = 0; word < masks.size(); ++word) {
    for (uint32_t left = masks[word]; left != 0; left &= left - 1) {
      fields.push_back({word, left & -left});
    }
  }
  return fields;
}

// Rules that clear fields, which can hold together.
const Clearing* ClearingOf(const std::string& rule) {
  static const std::map<std::string, Clearing> clearings = {
      {"clear-op-sel", {Each({0x7800, 0}), ""}},
      {"clear-vop3-modifiers", {Each({0x7F00, 0xE0000000}), R"(sext\(|\)|neg\(|-)"}},
      {"clear-packed-negation", {Each({0x0700, 0xE0000000}), R"( neg_(lo|hi):\[[01,]*\])"}},
      {"clear-packed-clamp", {Each({0x8000, 0}), " clamp"}},
      {"clear-output-modifier", {Each({0, 0x18000000}), R"( (mul|div):\d)"}},
      {"clear-modifiers",
       {Each({0xFF00, 0xF8000000}),
        R"( op_sel:\[[01,]*\]|sext\(|neg\(|\)|\||-| clamp| (mul|div):\d)"}},
      {"clear-dpp-modifiers", {Each({0, 0x00F00000}), R"(sext\(|\)|-|\|)"}},
      {"clear-tfe", {Each({0, 0x00800000}), " tfe"}},
      {"clear-flat-offset", {{{0, 0x1FFF}}, R"( offset:\d+)"}},
      {"clear-sdwa-unused", {{{1, 0x1800}}, ""}},
      {"clear-sdwa-signs", {Each({0, 0x30300000}), R"(\)|\||-)"}},
      // The same word may have the reserved DST_UNUSED.
      {"clear-sdwa-clamp", {Each({0, 0x3800}), " clamp"}},
  };
  const auto it = clearings.find(rule);
  return it != clearings.end() ? &it->second : nullptr;
}

// "v_add_f16_e32 v1", "0x1234", "v2"
std::vector<std::string> Operands(const std::string& text) {
  std::vector<std::string> operands;
  for (size_t from = 0; from != text.npos;) {
    const size_t comma = text.find(", ", from);
    operands.push_back(text.substr(from, comma - from));
    from = comma == text.npos ? comma : comma + 2;
  }
  return operands;
}

// A literal as a number, of all its bits or of the lower half.
bool IsNumber(const std::string& text, uint32_t literal) {
  const auto half = static_cast<uint16_t>(literal);
  return text == fmt::format("{:#x}", literal) || text == fmt::format("{:#x}", half) ||
         text == fmt::format("{}", static_cast<int32_t>(literal)) ||
         text == fmt::format("{}", static_cast<int16_t>(half));
}

// A literal by the name of an inline constant of 32 or of 16 bits.
bool IsConstant(const std::string& text, uint32_t literal) {
  struct Constant {
    const char* name;
    uint32_t f32;
    uint16_t f16;
  };
  static constexpr Constant kConstants[] = {
      {"0.5", 0x3f000000, 0x3800},       {"-0.5", 0xbf000000, 0xb800},
      {"1.0", 0x3f800000, 0x3c00},       {"-1.0", 0xbf800000, 0xbc00},
      {"2.0", 0x40000000, 0x4000},       {"-2.0", 0xc0000000, 0xc000},
      {"4.0", 0x40800000, 0x4400},       {"-4.0", 0xc0800000, 0xc400},
      {"0.15915494", 0x3e22f983, 0x3118}};
  return std::any_of(std::begin(kConstants), std::end(kConstants), [&](const Constant& constant) {
    return text == constant.name && (literal == constant.f32 || (literal & 0xFFFF) == constant.f16);
  });
}

// The texts differ at most in how they spell the literal: we as a number.
bool SpellsLiteral(Generation generation, const Words& words, const std::string& text) {
  const std::vector<std::string> ours = Operands(OurText(generation, words));
  const std::vector<std::string> theirs = Operands(text);
  return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                    [&](const std::string& a, const std::string& b) {
                      return a == b || (IsNumber(a, words[1]) &&
                                        (IsNumber(b, words[1]) || IsConstant(b, words[1])));
                    });
}

// "v[3:4]" as "v[2:3]".
std::string WithEvenTuples(const std::string& text) {
  static const std::regex tuple(R"(([va])\[(\d+):(\d+)\])");
  std::string result;
  auto end = text.cbegin();
  for (std::sregex_iterator it(text.begin(), text.end(), tuple), none; it != none; ++it) {
    const int first = std::stoi((*it)[2]);
    result.append(end, (*it)[0].first);
    result += fmt::format("{}[{}:{}]", (*it)[1].str(), first & ~1, std::stoi((*it)[3]) - first % 2);
    end = (*it)[0].second;
  }
  return result.append(end, text.cend());
}

// Words whose tuples are even can still have a misaligned tuple of scalars, or undefined modifiers.
bool IsExplainedBesides(Generation generation, const Words& words, const std::string& text) {
  if (Align(generation, words, text, nullptr)) return true;
  constexpr const char* kModifiers = R"( neg_(lo|hi):\[[01,]*\]| clamp|sext\(|neg\(|\)|\||-)";
  const Words bare = {words[0] & ~0x8700u, words[1] & ~0xE0000000u};
  const std::string ours = OurText(generation, bare);
  return bare != words && !ours.empty() && Without(ours, kModifiers) == Without(text, kModifiers);
}

// Rounding vector register fields down to even numbers gives LLVM's text with such tuples.
bool AlignVgprs(Generation generation, const Words& words, const std::string& text) {
  // LLVM's offset of FLAT is another exception, as are literals.
  const bool is_flat = text.starts_with("flat_");
  constexpr const char* kOffset = R"( offset:\d+)";
  const std::string expected = WithEvenTuples(is_flat ? Without(text, kOffset) : text);
  // Where formats keep vector registers: VOP1, VOP2 and VOPC, then VOP3 and memory.
  static constexpr std::pair<size_t, int> kFields[] = {{0, 0}, {0, 9},  {0, 17}, {1, 0}, {1, 8},
                                                       {1, 9}, {1, 16}, {1, 18}, {1, 24}};
  for (uint32_t subset = 1; subset < 1u << std::size(kFields); ++subset) {
    Words candidate = words;
    for (size_t n = 0; n < std::size(kFields); ++n) {
      if ((subset >> n & 1) != 0) candidate[kFields[n].first] &= ~(1u << kFields[n].second);
    }
    if (candidate == words) continue;
    if (is_flat) candidate[0] &= ~0x1FFFu;
    if (SpellsLiteral(generation, candidate, expected)) return true;
    if (std::popcount(subset) <= 2 && IsExplainedBesides(generation, candidate, expected)) {
      return true;
    }
  }
  return false;
}

// Constants of halves as LLVM 15 prints them for packed integers.
std::string WithHalfPatterns(const std::string& text) {
  static const std::pair<std::regex, const char*> kPatterns[] = {
      {std::regex(R"((^|, )-0\.5\b)"), "$010xb800"},
      {std::regex(R"((^|, )0\.5\b)"), "$010x3800"},
      {std::regex(R"((^|, )-1\.0\b)"), "$010xbc00"},
      {std::regex(R"((^|, )1\.0\b)"), "$010x3c00"},
      {std::regex(R"((^|, )-2\.0\b)"), "$010xc000"},
      {std::regex(R"((^|, )2\.0\b)"), "$010x4000"},
      {std::regex(R"((^|, )-4\.0\b)"), "$010xc400"},
      {std::regex(R"((^|, )4\.0\b)"), "$010x4400"},
      {std::regex(R"((^|, )0\.15915494\b)"), "$010x3118"}};
  // The first operand has no comma before it.
  const size_t blank = text.find(' ');
  std::string operands = blank == text.npos ? "" : text.substr(blank + 1);
  // The addend of dot products has 32 bits.
  std::string addend;
  if (text.starts_with("v_dot2")) {
    size_t comma = operands.find(", ");
    for (int n = 1; n < 3 && comma != operands.npos; ++n) comma = operands.find(", ", comma + 1);
    if (comma != operands.npos) addend = operands.substr(comma);
    operands.resize(operands.size() - addend.size());
  }
  for (const auto& [pattern, hexadecimal] : kPatterns) {
    operands = std::regex_replace(operands, pattern, hexadecimal);
  }
  return text.substr(0, blank) + " " + operands + addend;
}

using Rule = bool (*)(Generation, const Words&, const std::string&);

const std::map<std::string, Rule>& Rules() {
  static const std::map<std::string, Rule> rules = {
      {"none", [](Generation, const Words&, const std::string&) { return true; }},
      {"align", [](Generation g, const Words& words,
                   const std::string& text) { return Align(g, words, text, nullptr); }},
      {"align-vgprs", AlignVgprs},
      {"clear-gds",
       [](Generation g, const Words& words, const std::string& text) {
         const Words cleared = {words[0] & ~(1u << 16), words[1]};
         const std::string without = Without(text, " gds");
         return OurText(g, cleared) == without || AlignVgprs(g, cleared, without);
       }},
      {"clear-acc",
       [](Generation g, const Words& words, const std::string& text) {
         const Words cleared = {words[0], words[1] & ~(1u << 23)};
         return OurText(g, cleared) == text || AlignVgprs(g, cleared, text);
       }},
      {"half-patterns",
       [](Generation g, const Words& words, const std::string& text) {
         const std::string expected = WithHalfPatterns(text);
         return OurText(g, words) == expected ||
                Clear(g, words, expected, *ClearingOf("clear-packed-negation"));
       }},
      {"literal-spelling", SpellsLiteral},
      {"whole-result",
       [](Generation g, const Words& words, const std::string& text) {
         constexpr const char* kSelects = R"( (dst|src0)_(sel|unused):\w+)";
         const Words whole = {words[0], (words[1] & ~0x71F00u) | 0x40600};
         return whole != words && Without(OurText(g, whole), kSelects) == Without(text, kSelects);
       }},
      {"no-syntax", [](Generation g, const Words& words,
                       const std::string&) { return Expressible(g, words) != words; }},
      {"no-syntax-dropped",
       [](Generation g, const Words& words, const std::string& text) {
         const Words expressible = Expressible(g, words);
         constexpr const char* kModifiers = R"(sext\(|neg\(|\)|\||-| clamp)";
         return expressible != words &&
                (Without(OurText(g, expressible), kModifiers) == Without(text, kModifiers) ||
                 Align(g, expressible, text, kModifiers));
       }},
      {"reserved-bit-25", [](Generation, const Words& words,
                             const std::string&) { return (words[0] >> 25 & 1) != 0; }},
      {"mai-base-form",
       [](Generation g, const Words& words, const std::string& text) {
         // Without CBSZ, ABID, BLGP and bit 15, A and B in VGPRs, C in D's registers.
         constexpr uint32_t kD = 64;
         const Words base = {(words[0] & ~0xFFFFu) | kD, 256 | 256 << 9 | (256 + kD) << 18};
         const auto mnemonic = [](const std::string& of) { return of.substr(0, of.find(' ')); };
         return mnemonic(OurText(g, base)) == mnemonic(text);
       }},
  };
  return rules;
}

Disagreement ParseKind(const std::string& text) {
  if (text == "we-refuse") return Disagreement::kWeRefuse;
  if (text == "llvm-refuses") return Disagreement::kLlvmRefuses;
  if (text == "text") return Disagreement::kText;
  if (text == "round-trip") return Disagreement::kRoundTrip;
  throw std::runtime_error("unknown kind " + text);
}

void SetField(Exception& exception, const std::string& key, const std::string& value) {
  std::istringstream stream(value);
  if (key == "targets") {
    for (std::string target; stream >> target;) exception.targets.push_back(target);
  } else if (key == "kind") {
    exception.kind = ParseKind(value);
  } else if (key == "rule") {
    exception.rule = value;
    if (Rules().count(value) == 0 && ClearingOf(value) == nullptr)
      throw std::runtime_error("unknown rule " + value);
  } else if (key == "pattern") {
    exception.pattern = value;
    exception.regex = std::regex(value);
  } else if (key == "example") {
    stream >> exception.example_target >> std::hex >> exception.example[0] >> exception.example[1];
    if (!stream) throw std::runtime_error("an example is a target and two words");
  } else if (key == "reason") {
    exception.reason = value;
  } else {
    throw std::runtime_error("unknown key " + key);
  }
}

}  // namespace

bool Exception::AppliesTo(const std::string& target) const {
  return std::find(targets.begin(), targets.end(), target) != targets.end();
}

bool Exception::AppliesTo(const std::string& target, Disagreement disagreement,
                          const std::string& text) const {
  return kind == disagreement && AppliesTo(target) && std::regex_search(text, regex);
}

std::vector<Exception> LoadExceptions(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Exception> result;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    try {
      if (line[0] == '[' && line.back() == ']') {
        result.emplace_back().id = line.substr(1, line.size() - 2);
        continue;
      }
      const size_t colon = line.find(": ");
      if (colon == line.npos || result.empty()) throw std::runtime_error("expected key: value");
      SetField(result.back(), line.substr(0, colon), line.substr(colon + 2));
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  for (const Exception& e : result) {
    if (e.targets.empty() || e.pattern.empty() || e.rule.empty() || e.reason.empty() ||
        e.example_target.empty()) {
      throw std::runtime_error(fmt::format("{}: [{}] lacks a field", path, e.id));
    }
  }
  return result;
}

Words Expressible(Generation generation, const Words& words) {
  frontend::Instruction in;
  if (Decode(generation, words, in) != frontend::DecodeStatus::kOk) return words;
  const frontend::IgnoredFields ignored(generation, in.row(), in.encoding);
  Words result = words;
  for (size_t n = 0; n < result.size(); ++n) result[n] &= ~ignored.Mask(n);
  if (!ChangesIntegerSigns(in)) return result;
  for (size_t n = 0; n < in.row().src.size(); ++n) {
    if (TakesFloatModifiers(in.row(), n)) continue;
    result[1] &= ~(1u << (29 + n));
    if (in.encoding == frontend::Encoding::kVop3a) result[0] &= ~(1u << (8 + n));
  }
  return result;
}

bool Explains(const Exception& exception, const std::string& target, Generation generation,
              Disagreement kind, const Words& words, const std::string& text) {
  if (!exception.AppliesTo(target, kind, text)) return false;
  const Clearing* clearing = ClearingOf(exception.rule);
  if (clearing != nullptr) return Clear(generation, words, text, *clearing);
  return Rules().at(exception.rule)(generation, words, text);
}

bool ExplainTogether(const Exception& first, const Exception& second, const std::string& target,
                     Generation generation, Disagreement kind, const Words& words,
                     const std::string& text) {
  const Clearing* a = ClearingOf(first.rule);
  const Clearing* b = ClearingOf(second.rule);
  if (a == nullptr || b == nullptr || !first.AppliesTo(target, kind, text) ||
      !second.AppliesTo(target, kind, text)) {
    return false;
  }
  Clearing both = *a;
  for (const Field& field : b->fields) {
    const bool is_new = std::find(a->fields.begin(), a->fields.end(), field) == a->fields.end();
    if (is_new) both.fields.push_back(field);
  }
  if (!a->printed.empty() && !b->printed.empty()) both.printed += "|";
  both.printed += b->printed;
  return Clear(generation, words, text, both);
}

}  // namespace gcnjit::oracle
