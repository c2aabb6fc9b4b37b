// What takes from a process all that computing does not need.
#pragma once

namespace gcnjit::confined {

// Memory, processor time and files are limited, and system calls that open or change anything fail
// from now on. False: the system does not let us.
bool LimitThisProcess();

}  // namespace gcnjit::confined
