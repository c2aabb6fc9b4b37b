// Items of offload bundles, of the test's code objects.
#pragma once

#include <string>

#include "tests/offload_bundles.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit {

inline const bundles::Item kHostItem = {"host-x86_64-unknown-linux", {}};

inline bundles::Item HipItem(const std::string& target, const std::string& test_file) {
  return {"hipv4-amdgcn-amd-amdhsa--" + target, ReadTestFile(test_file)};
}

}  // namespace gcnjit
