// A device with a program of this folder, and launches that must end well.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gcnjit/gcnjit.h"

namespace gcnjit::concurrency {

inline constexpr const char* kTargets[] = {"gfx600", "gfx700", "gfx803", "gfx900", "gfx906"};

inline std::vector<std::byte> ReadProgram(const std::string& name) {
  std::ifstream file(GCNJIT_CONCURRENCY_DATA "/" + name, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto view = std::as_bytes(std::span(bytes));
  return {view.begin(), view.end()};
}

inline Program LoadProgram(Device& device, const std::string& name) {
  return Program::Load(device, ReadProgram(name)).value();
}

template <typename T>
T* DataOf(Device& device, uint64_t address, size_t count) {
  return reinterpret_cast<T*>(device.Data(address, count * sizeof(T)).data());
}

inline LaunchConfig Line(uint32_t global, uint32_t local, Engine engine, unsigned threads) {
  LaunchConfig config;
  config.global.x = global;
  config.local.x = local;
  config.engine = engine;
  config.compile_first = true;
  config.threads = threads;
  return config;
}

inline void RunToEnd(Device& device, const Program& program, const std::string& kernel,
                     const LaunchConfig& config, const Arguments& arguments) {
  const auto result = Launch(device, program, kernel, config, arguments);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->status, LaunchStatus::kDone)
      << (result->fault ? result->fault->Describe() : "time-out");
}

}  // namespace gcnjit::concurrency
