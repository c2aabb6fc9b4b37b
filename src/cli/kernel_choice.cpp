#include "cli/kernel_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "confined/demangle.h"

namespace gcnjit::cli {
namespace {

constexpr size_t kMostListed = 8;
constexpr size_t kMostCompared = 256;  // characters of a name

std::string WithoutSpaces(std::string_view text) {
  std::string result(text);
  std::erase(result, ' ');
  return result;
}

// Where in a demangled function the name begins and ends: what is in brackets of any kind does not
// count, and "(anonymous namespace)" is in some.
struct NameParts {
  size_t begin = 0;      // after the return type
  size_t arguments = 0;  // of the template: where they begin, or where the name ends
  size_t end = 0;        // where the parameters begin
};

NameParts PartsOf(std::string_view text) {
  NameParts parts{0, text.size(), text.size()};
  int depth = 0;
  size_t opened = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '<' || c == '{' || c == '[') {
      if (depth++ == 0) opened = at;
    } else if (c == ')' || c == '>' || c == '}' || c == ']') {
      if (--depth != 0) continue;
      const bool ends = at + 1 == text.size() || text[at + 1] == ' ';
      if (c == ')' && ends) parts.end = opened;
      if (c == '>' && at + 1 < text.size() && text[at + 1] == '(') parts.arguments = opened;
      if (c == '>' && at + 1 == text.size()) parts.arguments = opened;
    } else if (c == ' ' && depth == 0 && at < parts.end) {
      parts.begin = at + 1;
    }
  }
  parts.arguments = std::min(parts.arguments, parts.end);
  if (parts.begin > parts.arguments) parts.begin = 0;
  return parts;
}

// All that a demangled name may be called, the most exact first, without spaces.
std::vector<std::string> FormsOf(const std::string& demangled) {
  const NameParts parts = PartsOf(demangled);
  const std::string_view text = demangled;
  std::vector<std::string> forms;
  for (const size_t begin : {size_t{0}, parts.begin}) {
    for (const size_t end : {text.size(), parts.end, parts.arguments}) {
      forms.push_back(WithoutSpaces(text.substr(begin, end - begin)));
    }
  }
  return forms;
}

// Levenshtein's.
size_t Distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kMostCompared);
  b = b.substr(0, kMostCompared);
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string Listed(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kMostListed);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

// Names that are no further from what was asked for than a third of it, the nearest first.
std::vector<std::string> Nearest(const std::vector<std::string>& demangled,
                                 const std::string& asked) {
  std::vector<std::pair<size_t, std::string>> near;
  const std::string wanted = WithoutSpaces(asked);
  for (const std::string& name : demangled) {
    size_t distance = SIZE_MAX;
    for (const std::string& form : FormsOf(name)) {
      const bool is_part = !wanted.empty() && form.find(wanted) != std::string::npos;
      distance = std::min(distance, is_part ? 1 : Distance(form, wanted));
    }
    if (distance <= std::max<size_t>(2, wanted.size() / 3)) near.emplace_back(distance, name);
  }
  std::ranges::stable_sort(near, {}, &std::pair<size_t, std::string>::first);
  std::vector<std::string> names;
  for (auto& [distance, name] : near) names.push_back(std::move(name));
  return names;
}

}  // namespace

Result<std::string> ChooseKernel(std::vector<std::string_view> kernels, const std::string& asked,
                                 const std::string& file) {
  std::ranges::sort(kernels);
  kernels.erase(std::unique(kernels.begin(), kernels.end()), kernels.end());
  if (kernels.empty()) return Error{ErrorCode::kNotFound, fmt::format("{} has no kernel", file)};
  if (asked.empty() && kernels.size() == 1) return std::string(kernels.front());
  if (std::ranges::binary_search(kernels, std::string_view(asked))) return asked;

  auto demangled = confined::Demangle(kernels);
  // Then they have only the names that the code object gives them.
  if (!demangled) demangled = std::vector<std::string>(kernels.begin(), kernels.end());
  if (asked.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} has {} kernels; choose one with --kernel: {}", file,
                             kernels.size(), Listed(*demangled))};
  }
  const std::string wanted = WithoutSpaces(asked);
  std::vector<size_t> found;
  for (size_t n = 0; n < kernels.size(); ++n) {
    if (std::ranges::count(FormsOf((*demangled)[n]), wanted) != 0) found.push_back(n);
  }
  if (found.size() == 1) return std::string(kernels[found.front()]);
  if (!found.empty()) {
    std::vector<std::string> names;
    for (const size_t n : found) names.push_back((*demangled)[n]);
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("'{}' is the name of {} kernels of {}: {}", asked, found.size(), file,
                             Listed(names))};
  }
  const std::vector<std::string> near = Nearest(*demangled, asked);
  const std::string names =
      near.empty() ? "it has " + Listed(*demangled) : "the nearest: " + Listed(near);
  return Error{
      ErrorCode::kNotFound,
      fmt::format("no kernel '{}' in {}; {}. 'gcnjit info' lists all", asked, file, names)};
}

}  // namespace gcnjit::cli
