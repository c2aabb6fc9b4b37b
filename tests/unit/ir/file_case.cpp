#include "tests/unit/ir/file_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "ir/parser.h"
#include "ir/verifier.h"

namespace gcnjit::ir {
namespace {

constexpr std::string_view kPassLine = "; pass: ";
constexpr std::string_view kCaseLine = "; case: ";
constexpr std::string_view kExpectLine = "; expect\n";

// `vN run=R zeros=Z STEP`
VgprShape ParseEntry(const std::string& text) {
  VgprShape shape;
  int run = 0, zeros = 0, used = 0;
  unsigned step = 0, by = 0;
  char op = ' ';
  if (std::sscanf(text.c_str(), "v%d run=%d zeros=%d %u%n%c%u", &shape.vgpr, &run, &zeros, &step,
                  &used, &op, &by) < 4) {
    ADD_FAILURE() << "not an entry: " << text;
  }
  shape.run = static_cast<uint8_t>(run);
  shape.zeros = static_cast<uint8_t>(zeros);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t n = op == '%' ? lane % by : op == '/' ? lane / by : lane;
    shape.offsets[lane] = n * step;
  }
  return shape;
}

InterpretedStep ParseInterpreted(const std::string& text) {
  InterpretedStep step;
  std::istringstream words(text);
  std::string pc, next;
  words >> pc >> next;
  step.pc = std::stoull(pc, nullptr, 16);
  step.next = std::stoull(next, nullptr, 16);
  for (std::string name; words >> name;) {
    const size_t number = std::stoul(name.substr(1));
    if (name[0] == 'v') step.written.set(number);
    if (name[0] == 's') step.written_sgprs.set(number);
  }
  return step;
}

// The number of `sN`.
size_t SgprNumber(const std::string& name) { return std::stoul(name.substr(1)); }

}  // namespace

CaseFile ReadCaseFile(const std::filesystem::path& path) {
  CaseFile file;
  std::ifstream lines(path);
  std::string line;
  std::string* target = &file.head;
  while (std::getline(lines, line)) {
    line += '\n';
    if (line.starts_with(kPassLine)) {
      std::istringstream words(line.substr(kPassLine.size()));
      for (std::string word; words >> word;) file.passes.push_back(word);
    }
    if (line.starts_with(kCaseLine)) {
      file.cases.emplace_back();
      file.cases.back().name = line.substr(kCaseLine.size());
      target = &file.cases.back().input;
    } else if (line == kExpectLine && !file.cases.empty()) {
      target = &file.cases.back().expected;
    } else {
      *target += line;
    }
  }
  for (FileCase& test : file.cases) {  // between the cases
    while (test.expected.ends_with("\n\n")) test.expected.pop_back();
  }
  return file;
}

void WriteCaseFile(const std::filesystem::path& path, const CaseFile& file) {
  std::ofstream out(path);
  out << file.head;
  for (const FileCase& test : file.cases) {
    out << kCaseLine << test.name << test.input << kExpectLine << test.expected << '\n';
  }
}

std::vector<std::filesystem::path> CaseFiles(const std::string& folder,
                                             const std::string& extension) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root(GCNJIT_FILETESTS);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string NameOfCaseFile(const std::filesystem::path& path) {
  return path.parent_path().filename().string() + '_' + path.stem().string();
}

bool HasBlocks(const std::string& text) {
  return text.starts_with("block ") || text.find("\nblock ") != std::string::npos;
}

Function ParseCase(const std::string& text) {
  ParseResult parsed = Parse(HasBlocks(text) ? text : std::string(kImpliedBlock) + text);
  if (parsed.error) {
    ADD_FAILURE() << "line " << parsed.error->line << ": " << parsed.error->message << '\n' << text;
    return {};
  }
  EXPECT_EQ(Verify(parsed.function), std::vector<std::string>{}) << text;
  return std::move(parsed.function);
}

ShapeAssumptions CaseFacts::Assumptions(const Function& function) const {
  ShapeAssumptions assumptions;
  assumptions.blocks_apart = false;
  assumptions.entries = {function.blocks[0].begin};
  assumptions.at_entry = vgprs;
  assumptions.has_full_exec = has_full_exec;
  assumptions.interpreted = interpreted;
  return assumptions;
}

CaseFacts ReadCaseFacts(const std::string& text) {
  CaseFacts facts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string semicolon, kind, name;
    words >> semicolon >> kind >> name;
    if (semicolon != ";") continue;
    if (line == "; entry exec full") {
      facts.has_full_exec = true;
    } else if (kind == "entry") {
      facts.vgprs.push_back(ParseEntry(line.substr(line.find(name))));
    } else if (kind == "interpreted") {
      facts.interpreted.push_back(ParseInterpreted(line.substr(line.find(name))));
    } else if (kind == "known") {
      int run = 0;
      words >> run;
      facts.known.emplace_back(std::stoul(name.substr(1)), LaneShape{static_cast<uint8_t>(run)});
    } else if (kind == "apart") {
      facts.apart.set(SgprNumber(name));
    } else if (kind == "fixed") {
      uint32_t bytes = 0;
      words >> bytes;
      facts.fixed.push_back({static_cast<int>(SgprNumber(name)), bytes});
    }
  }
  return facts;
}

std::string ShapeText(const LanePatterns& patterns, LaneShape shape) {
  std::ostringstream out;
  out << "run=" << int{shape.run} << " zeros=" << int{shape.zeros};
  const auto& offsets = patterns[shape.offsets].offsets;
  if (shape.offsets == LanePatterns::kUniform) return out.str();
  // Up to where the offsets begin again.
  int period = shape.run;
  const auto repeats = [&](int by) {
    for (int lane = by; lane < kLanes; ++lane) {
      if (offsets[lane] != offsets[lane - by]) return false;
    }
    return true;
  };
  while (period > 1 && repeats(period / 2)) period /= 2;
  for (int lane = 0; lane < period; ++lane) {
    // The first and last ones of many that go up steadily.
    if (lane >= 2 && lane + 1 < period &&
        offsets[lane + 1] - offsets[lane] == offsets[lane] - offsets[lane - 1]) {
      if (out.str().back() != '.') out << " ..";
      continue;
    }
    out << ' ' << std::hex << offsets[lane] << std::dec;
  }
  return out.str();
}

void FillLanes(std::mt19937_64& random, const VgprShape& shape, uint32_t (&lanes)[kLanes]) {
  for (int first = 0; first < kLanes; first += shape.run) {
    const uint32_t bits = random() % 3 == 0 ? ~0u - random() % 64 : static_cast<uint32_t>(random());
    const uint32_t base = shape.zeros >= 32 ? 0 : bits >> shape.zeros << shape.zeros;
    for (int lane = first; lane < first + shape.run; ++lane) {
      lanes[lane] = base + shape.offsets[lane];
    }
  }
}

}  // namespace gcnjit::ir
