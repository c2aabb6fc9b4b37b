#include "report/page.h"

#include <fmt/format.h>

#include "report/html.h"
#include "report/page_parts.h"

namespace gcnjit::report {

Page::Page(std::string_view title, std::string_view subtitle)
    : title_(Escape(title)),
      body_(fmt::format("<header><h1>{}</h1>\n<p class=\"dim\">{}</p></header>\n", Escape(title),
                        Escape(subtitle))) {}

void Page::Tiles(const std::vector<Tile>& tiles) {
  body_ += "<dl class=\"tiles\">\n";
  for (const Tile& tile : tiles) {
    body_ +=
        fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", Escape(tile.label), Escape(tile.value));
  }
  body_ += "</dl>\n";
}

void Page::Section(std::string_view heading, std::string_view anchor) {
  body_ += fmt::format("{}<section id=\"{}\"><h2>{}</h2>\n", is_in_section_ ? "</section>\n" : "",
                       Escape(anchor), Escape(heading));
  contents_ += fmt::format("<a href=\"#{}\">{}</a>\n", Escape(anchor), Escape(heading));
  is_in_section_ = true;
}

void Page::Heading(std::string_view text) { body_ += fmt::format("<h3>{}</h3>\n", Escape(text)); }

void Page::Paragraph(std::string_view text) {
  body_ += fmt::format("<p class=\"note\">{}</p>\n", Escape(text));
}

std::string Page::Finish() {
  if (is_in_section_) body_ += "</section>\n";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src '{}'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>{}</style></head>\n<body>\n<nav>{}</nav>\n<main>\n{}</main>\n"
      "<script>{}</script>\n</body></html>\n",
      kScriptHash, title_, kStyle, contents_, body_, kScript);
}

}  // namespace gcnjit::report
