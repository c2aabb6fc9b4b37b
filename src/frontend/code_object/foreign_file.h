// What files are that people take for code objects, and what to do with them.
#pragma once

#include <optional>

#include "frontend/code_object/checked_bytes.h"
#include "gcnjit/error.h"

namespace gcnjit::frontend {

// Of an ELF file that is no 64-bit AMDGPU one but has to do with GPUs; nullopt: of all others.
std::optional<Error> WhatElfIs(Bytes file);

// Of a file that is neither ELF nor a bundle.
Error WhatFileIs(Bytes file);

}  // namespace gcnjit::frontend
