// What code objects come wrapped in: clang offload bundles, compressed ones too, several of them in
// a row, and the .hip_fatbin section of a HIP program or library.
// Source: LLVM ClangOffloadBundler, "Bundled Binary File Layout".
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcnjit/error.h"

namespace gcnjit::frontend {

class LoadBudget;
class UnpackedBytes;

// A device entry of a bundle; the file must not go away before. Host entries and empty ones are
// left out.
struct BundleEntry {
  std::string id;                       // as in the file: "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-"
  std::string target;                   // its target ID: "gfx906:xnack-"
  size_t bundle = 0;                    // which of the bundles in the file, from 0
  size_t number = 0;                    // which of the bundle's entries, from 0
  std::span<const std::byte> contents;  // the file's bytes, or `unpacked`
  std::shared_ptr<const UnpackedBytes> unpacked;  // of a compressed bundle
};

// All device entries in file order; what is in compressed bundles comes without its contents. A
// bare code object gives one entry without an id; anything that holds no code object is an Error
// that says what it is. The budget is the file's.
Result<std::vector<BundleEntry>> ListBundle(std::span<const std::byte> file);
Result<std::vector<BundleEntry>> ListBundle(std::span<const std::byte> file, LoadBudget& budget);

// The entries to load, one from each bundle that has a suitable one: a HIP program has a bundle for
// each of its source files. Suitable is the first whose target equals `target`, else the first that
// fits it (target.h); an empty `target` stands for the first one that is emulated at all. An Error
// lists the entries that were there. All of them, without their contents, are put into `listed`.
Result<std::vector<BundleEntry>> SelectCodeObjects(std::span<const std::byte> file,
                                                   std::string_view target);
Result<std::vector<BundleEntry>> SelectCodeObjects(std::span<const std::byte> file,
                                                   std::string_view target, LoadBudget& budget,
                                                   std::vector<BundleEntry>* listed = nullptr);

// The first of them.
Result<BundleEntry> SelectCodeObject(std::span<const std::byte> file, std::string_view target);

}  // namespace gcnjit::frontend
