// The public C++ API of gcnjit: run AMD GCN code objects on the CPU.
//
//   auto device = gcnjit::Device::Create();
//   auto program = gcnjit::Program::Load(*device, file_bytes);
//   auto buffer = device->Allocate(4096);
//   auto result = gcnjit::Launch(*device, *program, "kernel", {.global = {1024}, .local = {64}},
//                                gcnjit::Arguments().Buffer(*buffer).Value(1024u));
//
// docs/api.md has a complete example; tests/unit/api_example.h is that example, built and run.
#pragma once

#include "gcnjit/cancellation.h"
#include "gcnjit/code_cache.h"
#include "gcnjit/device.h"
#include "gcnjit/error.h"
#include "gcnjit/launch.h"
#include "gcnjit/program.h"
