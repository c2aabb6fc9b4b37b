// The clang offload bundles of a file, one after the other.
// Source: LLVM ClangOffloadBundler, "Bundled Binary File Layout".
#pragma once

#include <functional>
#include <vector>

#include "frontend/code_object/bundle.h"
#include "frontend/code_object/checked_bytes.h"
#include "frontend/code_object/compressed_bundle.h"
#include "frontend/code_object/load_budget.h"
#include "gcnjit/error.h"

namespace gcnjit::frontend {

// Does it begin with one, compressed or not?
bool IsBundle(Bytes file);

// What is done with the device entries of one bundle. `unpacked` is what their contents lie in if
// the bundle is compressed, and goes away afterwards; null: they lie in the file.
using UseBundle =
    std::function<Result<void>(std::vector<BundleEntry> entries, UnpackedBytes* unpacked)>;

// In file order: a linker concatenates the bundles of a program's object files, with padding
// between.
Result<void> ForEachBundle(Bytes file, LoadBudget& budget, const UseBundle& use);

}  // namespace gcnjit::frontend
