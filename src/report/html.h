// Text and tables of HTML pages. Whatever comes from outside goes through Escape.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gcnjit::report {

// As text, or as an attribute's value in quotes. What is no UTF-8, control characters but for line
// ends and tabs, and those that change the direction of text become U+FFFD.
std::string Escape(std::string_view text);

// "1,234,567"
std::string Count(uint64_t number);
// Four digits: "0.01234", "12.3", "1,234,567".
std::string Short(double number);
std::string Percent(double part, double whole);

// A cell of a table. Numbers stand at the right and are sorted as such.
struct Cell {
  std::string html;
  double value = 0;
  enum class Kind : uint8_t { kText, kCode, kNumber } kind = Kind::kText;
};
Cell TextCell(std::string_view text);
Cell CodeCell(std::string_view text);
Cell CountCell(uint64_t number);
Cell NumberCell(double number);
// With a bar whose length is `part` of `whole`.
Cell ShareCell(double part, double whole);
Cell NoCell();  // nothing is known

class Table {
 public:
  explicit Table(std::vector<std::string> titles) : titles_(std::move(titles)) {}
  void Add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  // `caption`: what it shows, for those who do not see it. Its order is that of Add, until the
  // reader asks for another.
  std::string Html(std::string_view caption) const;

 private:
  std::vector<std::string> titles_;  // texts of ours
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace gcnjit::report
