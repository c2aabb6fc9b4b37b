#include "runtime/jit/region_key.h"

#include <bit>

#include "runtime/disk_cache/byte_stream.h"

namespace gcnjit::runtime {

std::vector<std::byte> RegionKey(std::span<const std::byte> build, const JitOptions& options,
                                 const JitKey& key, const frontend::Processor& processor,
                                 CodeMap::CodeRange range, const Hash128& code, uint64_t pc,
                                 uint64_t kernel) {
  ByteWriter to;
  // The build stands for the compiler, the format of entries and how the wave's state is laid out.
  to.Put(static_cast<uint32_t>(build.size()));
  to.PutBytes(build);
  // Host features that code generation depends on have names, each of which means the same ones.
  to.Put(static_cast<uint32_t>(options.isa));
  to.Put(static_cast<uint8_t>(options.exact_state));
  to.Put(static_cast<uint32_t>(processor.generation));
  to.Put(static_cast<uint8_t>(processor.sram_ecc));
  to.Put(range.end - range.begin);
  to.Put(code.low);
  to.Put(code.high);
  to.Put(pc - range.begin);
  // Where else a kernel starts makes no difference (ShapeAssumptionsFor).
  to.Put(static_cast<uint8_t>(pc == kernel));
  to.Put(key.mode);
  to.Put(std::bit_cast<uint32_t>(key.vgprs));
  to.Put(std::bit_cast<uint64_t>(key.shape));
  return to.bytes();
}

}  // namespace gcnjit::runtime
