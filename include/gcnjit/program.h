// Loading code objects and looking at what is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gcnjit/error.h"
#include "gcnjit/export.h"

namespace gcnjit {

class Device;

namespace runtime {
class LoadedProgram;
}

// How a kernel argument is passed. Explicit kinds come from the kernel's source; the rest are
// "hidden" arguments that the compiler adds and the launch fills in.
enum class ArgumentKind {
  kByValue,       // bytes copied into the kernarg segment
  kGlobalBuffer,  // 64-bit address of global memory
  kDynamicLds,   // "dynamic_shared_pointer": the launch gives a size, the kernel gets an LDS offset
  kUnsupported,  // image, sampler, pipe, queue: refused at launch with its name
  kHidden,       // filled in by the launch; `value_kind` says with what
};

// One entry of a kernel's argument list, from its metadata
// (LLVM AMDGPUUsage, "Code Object Metadata").
struct ArgumentInfo {
  ArgumentKind kind = ArgumentKind::kByValue;
  std::string name;       // as in the source, may be empty
  std::string type_name;  // as in the source, may be empty
  std::string
      value_kind;       // the metadata's own word, v3 spelling, e.g. "global_buffer", "hidden_none"
  uint32_t offset = 0;  // bytes from the start of the kernarg segment
  uint32_t size = 0;    // bytes
  uint32_t pointee_align = 0;  // bytes, for kDynamicLds
};

// What a code object says of one kernel.
struct KernelInfo {
  std::string name;
  std::string target;           // e.g. "gfx900", "gfx906:xnack-"
  int code_object_version = 0;  // 2 to 6
  uint32_t sgpr_count = 0;
  uint32_t vgpr_count = 0;
  uint32_t group_segment_size = 0;              // static LDS, bytes
  uint32_t private_segment_size = 0;            // scratch a work-item, bytes
  uint32_t kernarg_segment_size = 0;            // bytes
  uint32_t kernarg_segment_align = 0;           // bytes
  uint32_t max_flat_workgroup_size = 0;         // work-items; 0: not stated
  uint32_t reqd_workgroup_size[3] = {0, 0, 0};  // zeros: not stated
  bool uses_dynamic_stack = false;
  // Hand-written assembly may describe no kernel: then nothing is known of its arguments, and they
  // are laid out as they are given (Arguments).
  bool has_metadata = true;
  std::vector<ArgumentInfo> arguments;  // in metadata order, hidden ones included
};

// A loaded code object: its segments live in the Device's guest memory until the last copy of the
// Program is gone. Copies share.
class Program {
 public:
  // A move is a copy: none is ever empty.
  Program(const Program&) = default;
  Program& operator=(const Program&) = default;

  // Loads an ELF code object (v2 to v6) or a clang offload bundle / HIP fat binary. From each
  // bundle in the file (a HIP program has one for each source file) the first entry that matches
  // `target` ("gfx900", "gfx906:xnack-"; empty: the first entry that is emulated at all) is taken;
  // if there is none, the error lists the entries that were there. Loading takes memory and time in
  // proportion to the file's size, whatever it says; after `timeout_seconds` (0: no limit) it ends
  // with ErrorCode::kTimeout.
  GCNJIT_API static Result<Program> Load(Device& device, std::span<const std::byte> file,
                                         const std::string& target = {},
                                         double timeout_seconds = 0);

  GCNJIT_API const std::vector<KernelInfo>& Kernels() const;
  GCNJIT_API Result<const KernelInfo*> FindKernel(const std::string& name) const;

  // Guest address and size in bytes of a global variable of the code object.
  struct Variable {
    uint64_t address = 0;
    uint64_t size = 0;
  };
  GCNJIT_API Result<Variable> FindVariable(const std::string& name) const;

  const std::shared_ptr<runtime::LoadedProgram>& internal() const { return impl_; }

 private:
  explicit Program(std::shared_ptr<runtime::LoadedProgram> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<runtime::LoadedProgram> impl_;
};

}  // namespace gcnjit
