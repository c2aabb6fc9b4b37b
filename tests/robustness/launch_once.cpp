// launch_once FILE interp|jit|check: loads failing_allocations.cl, launches its kernel, and
// compares what it leaves. Exit code 0: as it should be; 1: not so; 2: refused, for the reason that
// it prints. To be run where the host's memory ends (failing_allocations.py): it uses nothing but
// the API.
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <vector>

#include "gcnjit/gcnjit.h"

namespace gcnjit::robustness {
namespace {

constexpr uint32_t kItems = 64 * 64;
constexpr uint32_t kGroup = 128;

std::vector<std::byte> ReadObject(const char* path) {
  std::vector<std::byte> bytes(1 << 20);
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) return {};
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  std::fclose(file);
  return bytes;
}

uint32_t Input(uint32_t n) { return n * 2654435761u >> 7; }

uint32_t Sum(uint32_t n) {
  uint32_t sum = 0;
  for (uint32_t k = Input(n) & 1023; k != 0; k >>= 1) sum += Input(k) / (k + 3);
  return sum;
}

int Refuse(const Error& error) {
  std::fprintf(stderr, "launch_once: %s\n", error.message.c_str());
  return 2;
}

int Run(const char* path, std::string_view engine) {
  auto device = Device::Create();
  if (!device) return Refuse(device.error());
  const auto program = Program::Load(*device, ReadObject(path));
  if (!program) return Refuse(program.error());
  const auto out = device->Allocate(kItems * 4);
  if (!out) return Refuse(out.error());
  const auto in = device->Allocate(kItems * 4);
  if (!in) return Refuse(in.error());
  const auto inputs = device->Data(*in, kItems * 4);
  for (uint32_t n = 0; n < kItems; ++n) {
    const uint32_t value = Input(n);
    std::memcpy(&inputs[n * 4], &value, 4);
  }
  LaunchConfig config;
  config.engine = engine == "jit" ? Engine::kJit : Engine::kInterpreter;
  config.compile_first = engine == "jit";
  config.check = engine == "check" ? kCheckAll : kCheckNothing;
  config.global.x = kItems;
  config.local.x = kGroup;
  config.threads = 4;
  config.timeout_seconds = 100;
  const auto done = Launch(*device, *program, "work", config,
                           Arguments().Buffer(*out).Buffer(*in).Local(kGroup * 4));
  if (!done) return Refuse(done.error());
  if (done->status != LaunchStatus::kDone || !done->findings.empty()) return 1;
  const auto results = device->Data(*out, kItems * 4);
  for (uint32_t n = 0; n < kItems; ++n) {
    const uint32_t expected = Sum(n ^ 1) + 1;
    if (std::memcmp(&results[n * 4], &expected, 4) != 0) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace gcnjit::robustness

int main(int argc, char** argv) try {
  return argc == 3 ? gcnjit::robustness::Run(argv[1], argv[2]) : 1;
} catch (const std::bad_alloc&) {
  std::fputs("launch_once: out of host memory\n", stderr);
  return 2;
}
