#include "confined/frames.h"

#include <algorithm>
#include <charconv>

#include "frontend/code_object/plain_text.h"

namespace gcnjit::confined {
namespace {

constexpr size_t kMostText = 4096;  // of a name

bool IsName(std::string_view text) {
  return text.size() <= kMostText && frontend::IsPlainText(text);
}

std::string_view TakeUpTo(char end, std::string_view& text) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view field = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return field;
}

}  // namespace

std::string WriteFrames(const SourceFrames& frames) {
  std::string text;
  for (const SourceFrame& frame : frames) {
    if (!IsName(frame.file) || !IsName(frame.function)) continue;
    text += std::to_string(frame.line) + "\t" + frame.file + "\t" + frame.function + "\n";
  }
  return text + "\n";
}

std::vector<SourceFrames> ReadFrames(std::string_view text, size_t count) {
  std::vector<SourceFrames> all(count);
  for (size_t address = 0; address < count && !text.empty();) {
    std::string_view line = TakeUpTo('\n', text);
    if (line.empty()) {
      ++address;
      continue;
    }
    const std::string_view number = TakeUpTo('\t', line);
    SourceFrame frame;
    std::from_chars(number.data(), number.data() + number.size(), frame.line);
    frame.file = TakeUpTo('\t', line);
    frame.function = line;
    const bool is_frame = !frame.file.empty() && IsName(frame.file) && IsName(frame.function);
    if (is_frame && all[address].size() < kMostFrames) all[address].push_back(std::move(frame));
  }
  return all;
}

}  // namespace gcnjit::confined
