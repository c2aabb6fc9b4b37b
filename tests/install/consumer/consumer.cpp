// Runs `add_one(unsigned* data)` of kernels.hip over 256 work-items.
#include <gcnjit/gcnjit.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream stream(argv[1], std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  auto device = gcnjit::Device::Create();
  if (!device) return std::puts(device.error().message.c_str()), 1;
  const auto program = gcnjit::Program::Load(*device, std::as_bytes(std::span(file)));
  if (!program) return std::puts(program.error().message.c_str()), 1;
  const auto data = device->Allocate(256 * 4);
  if (!data) return std::puts(data.error().message.c_str()), 1;
  gcnjit::LaunchConfig config;
  config.global = {.x = 256};
  config.local = {.x = 64};
  config.compile_first = true;
  for (int n = 0; n < 2; ++n) {
    const auto result =
        gcnjit::Launch(*device, *program, "add_one", config, gcnjit::Arguments().Buffer(*data));
    if (!result) return std::puts(result.error().message.c_str()), 1;
    if (result->fault) return std::puts(result->fault->Describe().c_str()), 1;
    if (result->statistics.compiled_regions == 0) return std::puts("nothing was compiled"), 1;
  }
  const auto* values = reinterpret_cast<const unsigned*>(device->Data(*data, 256 * 4).data());
  std::printf("%u %u\n", values[0], values[255]);
}
