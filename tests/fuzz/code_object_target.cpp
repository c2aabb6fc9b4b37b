// Any bytes as a file: bundles, ELF, notes and metadata, kernel descriptors, symbols, relocations;
// what is accepted is placed in guest memory, relocated and looked at.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontend/code_object/bundle.h"
#include "frontend/code_object/code_object.h"
#include "gcnjit/device.h"
#include "gcnjit/program.h"
#include "runtime/program/loaded_program.h"
#include "tests/fuzz/check.h"

namespace gcnjit::fuzz {
namespace {

// Pages that a file of a few KB asks for in vain make a run slow, not unsafe: the loader's own
// limit is tested by tests/unit/runtime/program/loader_robustness_test.cpp.
constexpr uint64_t kMaxImageBytes = 1 << 20;

bool IsLarge(std::span<const std::byte> file) {
  const auto entries = frontend::SelectCodeObjects(file, "");
  if (!entries) {
    Require(!entries.error().message.empty(), "an error without a message");
    return false;
  }
  for (const frontend::BundleEntry& entry : *entries) {
    const auto object = frontend::ParseCodeObject(entry.contents);
    if (object && object->image_bytes > kMaxImageBytes) return true;
  }
  return false;
}

void LookAt(const Program& program) {
  const auto& loaded = *program.internal();
  for (const KernelInfo& kernel : program.Kernels()) {
    const auto found = loaded.Find(kernel.name);
    Require(found.ok(), "a kernel that is listed is not found");
    Require(loaded.memory()->Readable((*found)->entry_address, 1), "a kernel begins nowhere");
    Require(loaded.memory()->Readable((*found)->descriptor_address, 64), "a descriptor is nowhere");
    for (const ArgumentInfo& argument : kernel.arguments) {
      Require(uint64_t{argument.offset} + argument.size <= kernel.kernarg_segment_size,
              "an argument lies outside the kernarg segment");
    }
  }
  for (const frontend::Symbol& symbol : loaded.symbols()) {
    const auto variable = program.FindVariable(std::string(symbol.name));
    if (!variable || variable->size == 0) continue;
    Require(loaded.memory()->InOneAllocation(variable->address, variable->size),
            "a variable lies outside the image");
  }
}

}  // namespace
}  // namespace gcnjit::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gcnjit;
  // A copy of its exact size: ASan sees every read beyond it.
  const auto bytes = std::as_bytes(std::span(data, size));
  const std::vector<std::byte> file(bytes.begin(), bytes.end());
  if (fuzz::IsLarge(file)) return 0;
  static Device device = *Device::Create();
  const auto program = Program::Load(device, file);
  if (program) {
    fuzz::LookAt(*program);
  } else {
    fuzz::Require(!program.error().message.empty(), "an error without a message");
  }
  return 0;
}
