#include "confined/demangle.h"

#include <algorithm>
#include <span>

#include "confined/process.h"
#include "frontend/code_object/plain_text.h"

namespace gcnjit::confined {

Result<std::vector<std::string>> Demangle(const std::vector<std::string_view>& names) {
  std::vector<std::string> result(names.begin(), names.end());
  std::string lines;
  std::vector<size_t> asked;
  for (size_t n = 0; n < names.size(); ++n) {
    if (!names[n].starts_with("_Z")) continue;
    asked.push_back(n);
    lines += std::string(names[n]) + "\n";
  }
  if (asked.empty()) return result;
  auto process = Process::Start(kThisProgram);
  if (!process) return process.error();
  const auto answer = process->Ask(RequestKind::kNames, std::as_bytes(std::span(lines)));
  if (!answer) return answer.error();
  std::string_view rest = *answer;
  for (const size_t n : asked) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    if (frontend::IsPlainText(rest.substr(0, end))) result[n] = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return result;
}

}  // namespace gcnjit::confined
