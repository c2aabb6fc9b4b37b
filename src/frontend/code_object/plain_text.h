// Names out of files end up in messages on terminals and in JSON reports.
#pragma once

#include <string_view>

namespace gcnjit::frontend {

// May the text be shown as it is? UTF-8 without control characters.
bool IsPlainText(std::string_view text);

}  // namespace gcnjit::frontend
