// A page of HTML that needs nothing else: no network, no other file. It is complete without
// scripts; with them its tables can be sorted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gcnjit::report {

// A figure that stands out.
struct Tile {
  std::string value;
  std::string label;
};

class Page {
 public:
  // All are texts, which it escapes.
  Page(std::string_view title, std::string_view subtitle);

  void Tiles(const std::vector<Tile>& tiles);
  void Section(std::string_view heading, std::string_view anchor);
  void Heading(std::string_view text);  // within a section
  void Paragraph(std::string_view text);
  void Html(std::string_view html) { body_ += html; }

  std::string Finish();

 private:
  const std::string title_;
  std::string body_;
  std::string contents_;
  bool is_in_section_ = false;
};

}  // namespace gcnjit::report
