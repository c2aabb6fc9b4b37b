// Pages that the host's kernel has not been asked for yet: nothing has ever read or written them.
#pragma once

#include <cstdint>

namespace gcnjit::runtime {

// Of a private mapping of zeros: is the page that holds `address` one of these? False also where
// that cannot be found out.
bool IsUntouchedPage(uint64_t address);

}  // namespace gcnjit::runtime
