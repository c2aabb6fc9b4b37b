#include "cli/kernarg_warning.h"

#include "cli/message.h"
#include "runtime/launch/given_arguments.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::cli {

void WarnOfKernargSize(const Program& program, const std::string& kernel,
                       const Arguments& arguments) {
  const auto found = program.internal()->Find(kernel);
  if (!found) return;
  const KernelInfo& info = *(*found)->info;
  if (info.has_metadata && !arguments.segment()) return;
  const uint64_t given = runtime::GivenKernargBytes(info, arguments);
  const uint64_t stated =
      info.has_metadata ? info.kernarg_segment_size : (*found)->descriptor.kernarg_bytes;
  // Assemblers write 0 where the source says nothing. Compilers round sizes up.
  const auto rounded = [&](uint64_t align) { return (given + align - 1) / align * align; };
  if (stated == 0 || stated == given || stated == rounded(4) || stated == rounded(8)) return;
  PrintNote("warning: kernel '{}' has {} bytes of arguments by its {}, {} are given{}\n", kernel,
            stated, info.has_metadata ? "metadata" : "descriptor", given,
            given < stated ? "; the rest is zeros" : "");
}

}  // namespace gcnjit::cli
