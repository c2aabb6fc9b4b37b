// The state that the tests run IR on.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ir/evaluator.h"

namespace gcnjit::ir {

struct IrMachine {
  static constexpr uint64_t kMemoryBase = 0x7000'0000'0000;
  static constexpr int kVgprs = 8;

  std::array<uint32_t, 128> sgpr{};
  uint32_t scc = 0;
  uint32_t mode = 0;
  std::array<std::array<uint32_t, kLanes>, kVgprs> vgpr{};
  std::vector<std::byte> lds = std::vector<std::byte>(1024);
  std::vector<std::byte> memory = std::vector<std::byte>(1024);  // from kMemoryBase on

  EvaluatorResult Run(const Function& function, size_t block = 0) {
    EvaluatorState state;
    state.sgpr = sgpr.data();
    state.scc = &scc;
    state.mode = &mode;
    state.vgpr = reinterpret_cast<uint32_t(*)[kLanes]>(vgpr.data());
    state.lds = lds.data();
    state.lds_bytes = static_cast<uint32_t>(lds.size());
    state.memory = [this](uint64_t address, void* data, uint32_t bytes, bool is_write) {
      const uint64_t at = address - kMemoryBase;
      if (at > memory.size() || bytes > memory.size() - at) return false;
      if (is_write) {
        std::memcpy(memory.data() + at, data, bytes);
      } else {
        std::memcpy(data, memory.data() + at, bytes);
      }
      return true;
    };
    return Evaluate(function, function.blocks[block], state);
  }
  friend bool operator==(const IrMachine&, const IrMachine&) = default;
};

}  // namespace gcnjit::ir
