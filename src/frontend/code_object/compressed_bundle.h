// Clang offload bundles that were compressed ("CCOB"), and what they unpack to.
// Source: LLVM ClangOffloadBundler, "Compression and Decompression"; clang/Driver/OffloadBundler.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "frontend/code_object/checked_bytes.h"
#include "frontend/code_object/load_budget.h"
#include "gcnjit/error.h"

namespace gcnjit::frontend {

inline constexpr std::string_view kCompressedMagic = "CCOB";

// Bytes on the heap, of which a part can be kept without a copy of it.
class UnpackedBytes {
 public:
  // Pages of the host's memory are taken when they are written. Without memory: no bytes.
  explicit UnpackedBytes(size_t size)
      : bytes_(static_cast<std::byte*>(std::malloc(size))), size_(bytes_ == nullptr ? 0 : size) {}

  std::byte* data() { return bytes_.get(); }
  Bytes bytes() const { return {bytes_.get(), size_}; }
  // `part` lies in bytes() and is all that is left of them.
  void KeepOnly(Bytes part);

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
  size_t size_ = 0;
};

struct CompressedBundle {
  UnpackedBytes contents;  // a plain bundle; the budget has lent them
  uint64_t end = 0;        // of the compressed one, in the file
};

// The bundle whose magic is at `begin`.
Result<CompressedBundle> Unpack(Bytes file, uint64_t begin, LoadBudget& budget);

}  // namespace gcnjit::frontend
