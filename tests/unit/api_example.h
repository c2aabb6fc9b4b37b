// The example of docs/api.md, built and run by api_example_test.cpp.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gcnjit/gcnjit.h"

// Runs the kernel `collatz(global uint* steps, uint first)` over 64 work-items.
inline int RunApiExample(const char* code_object, std::string& printed) {
  std::ifstream stream(code_object, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};

  auto device = gcnjit::Device::Create();
  if (!device) return printed = device.error().message, 1;
  const auto program = gcnjit::Program::Load(*device, std::as_bytes(std::span(file)));
  if (!program) return printed = program.error().message, 1;

  const auto steps = device->Allocate(64 * sizeof(uint32_t));
  if (!steps) return printed = steps.error().message, 1;
  gcnjit::LaunchConfig config;
  config.global = {.x = 64};
  config.local = {.x = 64};
  const auto result = gcnjit::Launch(*device, *program, "collatz", config,
                                     gcnjit::Arguments().Buffer(*steps).Value(uint32_t{1}));
  if (!result) return printed = result.error().message, 1;           // a mistake in the request
  if (result->fault) return printed = result->fault->Describe(), 1;  // the kernel went astray

  const auto* values = reinterpret_cast<const uint32_t*>(device->Data(*steps, 64 * 4).data());
  printed = "7 takes " + std::to_string(values[6]) + " steps\n";
  return 0;
}
