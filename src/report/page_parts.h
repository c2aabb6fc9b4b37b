// The style and the script of all pages.
#pragma once

#include <string_view>

namespace gcnjit::report {

extern const std::string_view kStyle;
extern const std::string_view kScript;
// Of the script, for the page's policy: no other one is run.
extern const std::string_view kScriptHash;

}  // namespace gcnjit::report
