// A launch under control, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "debug/session.h"
#include "gcnjit/gcnjit.h"
#include "runtime/launch/prepared_launch.h"
#include "tests/unit/code_object_files.h"

namespace gcnjit::debug {

class DebugRun {
 public:
  static constexpr uint64_t kBytes = 256 << 10;

  explicit DebugRun(const std::string& file) {
    auto program = Program::Load(device, ReadTestFile(file));
    if (!program) throw std::runtime_error(program.error().message);
    program_.emplace(std::move(*program));
    config.local.x = 256;
    config.threads = 1;
    config.engine = Engine::kInterpreter;
  }

  // A buffer of zeros, whose contents Memory() tells.
  DebugRun& Buffer() {
    buffers_.push_back(*device.Allocate(kBytes));
    arguments.Buffer(buffers_.back());
    return *this;
  }
  DebugRun& Value(uint32_t value) {
    arguments.Value(value);
    return *this;
  }

  std::vector<uint32_t> Memory() {
    std::vector<uint32_t> all;
    for (const uint64_t buffer : buffers_) {
      std::vector<uint32_t> words(kBytes / 4);
      std::memcpy(words.data(), device.Data(buffer, kBytes).data(), kBytes);
      all.insert(all.end(), words.begin(), words.end());
    }
    return all;
  }
  void ClearMemory() {
    for (const uint64_t buffer : buffers_) {
      std::memset(device.Data(buffer, kBytes).data(), 0, kBytes);
    }
  }

  // As gcnjit::Launch runs it.
  LaunchResult Plain(const std::string& kernel) {
    auto result = Launch(device, *program_, kernel, config, arguments);
    if (!result) throw std::runtime_error(result.error().message);
    return *result;
  }

  void Debug(const std::string& kernel, const std::function<void(Session&)>& use) {
    runtime::LoadedProgram& loaded = *program_->internal();
    const auto result = runtime::WithPreparedLaunch(
        loaded, kernel, config, arguments, [&](const runtime::LaunchState& launch) {
          runtime::CodeMap code(loaded.processor(), loaded.code_ranges());
          confined::LoadedLines lines({}, "", [](const std::string&) {});
          const KernelInfo& info = **program_->FindKernel(kernel);
          Session session({launch, info, config, arguments}, code, *loaded.memory(), lines);
          use(session);
        });
    if (!result) throw std::runtime_error(result.error().message);
  }

  Device device = *Device::Create();
  LaunchConfig config;
  Arguments arguments;

 private:
  std::optional<Program> program_;
  std::vector<uint64_t> buffers_;
};

// The first instruction of a kernel, from `from` on, that has this opcode.
inline uint64_t FindOpcode(const Session& session, frontend::Opcode opcode, uint64_t from) {
  const runtime::CodeMap& code = session.machine().code();
  for (uint64_t pc = from;;) {
    const runtime::CodeSlot slot = code.SlotAt(pc);
    if (slot.status != frontend::DecodeStatus::kOk) throw std::runtime_error("no such instruction");
    if (slot.instruction.opcode == opcode) return pc;
    pc += slot.instruction.size;
  }
}

// A number for all that the launch's waves hold.
inline uint64_t FingerprintOf(const Machine& machine) {
  uint64_t hash = machine.step();
  const auto mix = [&](const void* data, size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (size_t n = 0; n < bytes; ++n) hash = (hash ^ at[n]) * 0x100000001B3;
  };
  for (const auto& [number, group] : machine.groups()) {
    mix(&number, sizeof number);
    mix(group->state().lds, group->state().lds_bytes);
    for (uint32_t n = 0; n < group->wave_count(); ++n) {
      const runtime::WaveState& state = group->registers(n);
      mix(state.sgpr, sizeof state.sgpr);
      mix(&state.pc, sizeof state.pc);
      mix(&state.scc, sizeof state.scc);
      mix(state.vgpr, state.vgpr_count * sizeof state.vgpr[0]);
      const auto status = group->progress.schedule.status(n);
      mix(&status, sizeof status);
    }
  }
  return hash;
}

}  // namespace gcnjit::debug
