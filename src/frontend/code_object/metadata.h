// The compiler's description of kernels and their arguments, from a code object's note records.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/code_object/checked_bytes.h"
#include "frontend/code_object/load_budget.h"
#include "gcnjit/error.h"
#include "gcnjit/program.h"

namespace gcnjit::frontend {

// The formats of a document's calls of printf, each "ID:NUMBER:SIZE:...:TEXT" (AMDGPUUsage,
// "amdhsa.printf"). All kernels of the document share them, and they may come after these.
using PrintfFormats = std::vector<std::string>;

// A kernel as the metadata tells it; target and version in `info` are filled in by the caller.
struct KernelMetadata {
  KernelInfo info;
  std::string symbol;  // v3 on: of the kernel descriptor, "name.kd"; v2: of amd_kernel_code_t
  std::shared_ptr<const PrintfFormats> printf_formats;
};

// Takes the kernels one by one, as they come; an Error ends the reading.
using TakeKernel = std::function<Result<void>(KernelMetadata)>;

// Code object v2: YAML text. `offset` is the text's place in the file, for messages.
Result<void> ReadYamlMetadata(std::string_view text, uint64_t offset, LoadBudget& budget,
                              const TakeKernel& take);

// Code object v3 to v6: MessagePack.
Result<void> ReadMessagePackMetadata(Bytes bytes, uint64_t offset, LoadBudget& budget,
                                     const TakeKernel& take);

// What the metadata's word (v3 spelling) means for the launch.
ArgumentKind ArgumentKindOf(std::string_view value_kind);

// What every kernel must satisfy: arguments inside the kernarg segment, plain text, sane sizes.
Result<void> CheckKernelInfo(const KernelInfo& info, uint64_t offset);

}  // namespace gcnjit::frontend
