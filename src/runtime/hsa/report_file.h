// Files that are written when the process ends.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

namespace gcnjit::hsa {

// The file appears complete or not at all, however the process ends: it is written beside `path`,
// as PATH.part-PROCESS, and renamed; symbolic links and permissions of an old file stay. The text
// says what has failed; `what` and `variable` are for it: "trace", "GCNJIT_TRACE".
std::string WriteReportFile(const std::string& path, const std::string& what,
                            const std::string& variable,
                            const std::function<void(std::FILE*)>& write);

}  // namespace gcnjit::hsa
