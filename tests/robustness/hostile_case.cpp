#include "robustness/hostile_case.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>

#include "gcnjit/device.h"
#include "robustness/frame.h"
#include "runtime/program/loaded_program.h"

namespace gcnjit::robustness {
namespace {

using File = std::vector<std::byte>;
using Random = std::mt19937_64;

constexpr uint64_t kBufferBytes = 16 * 1024;
constexpr uint64_t kMostInstructions = 20'000;
constexpr double kTimeout = 60;
constexpr uint64_t kCanaryBytes = 64 * 1024;
constexpr auto kCanary = std::byte{0xA5};

File Read(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// Host memory right before and right after the range that is the guest's.
class Canaries {
 public:
  explicit Canaries(uint64_t base) {
    for (const uint64_t at : {base - kCanaryBytes, base + runtime::GuestMemory::kRangeBytes}) {
      void* const page = ::mmap(reinterpret_cast<void*>(at), kCanaryBytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
      if (page == MAP_FAILED) continue;  // the host has something there already
      std::memset(page, static_cast<int>(kCanary), kCanaryBytes);
      pages_.push_back(static_cast<std::byte*>(page));
    }
  }
  ~Canaries() {
    for (std::byte* page : pages_) ::munmap(page, kCanaryBytes);
  }
  Canaries(const Canaries&) = delete;
  Canaries& operator=(const Canaries&) = delete;

  bool Intact() const {
    return std::ranges::all_of(pages_, [](const std::byte* page) {
      return std::all_of(page, page + kCanaryBytes, [](std::byte b) { return b == kCanary; });
    });
  }

 private:
  std::vector<std::byte*> pages_;
};

// Changes some dwords of the code at `begin`.
void MutateCode(Random& random, uint64_t begin, uint64_t dwords) {
  const auto at = [&](uint64_t index) { return reinterpret_cast<uint32_t*>(begin) + index; };
  for (uint64_t left = 1 + random() % 6; left != 0; --left) {
    uint32_t* const word = at(random() % dwords);
    switch (random() % 8) {
      case 0: *word = static_cast<uint32_t>(random()); break;
      case 1: *word = *at(random() % dwords); break;
      case 2: *word += static_cast<uint32_t>(random() % 16) - 8; break;
      default: *word ^= 1u << random() % 32; break;
    }
  }
}

class Case {
 public:
  Case(const std::vector<std::string>& files, uint64_t seed) : seed_(seed), random_(seed) {
    path_ = files[random_() % files.size()];
    file_ = Read(path_);
  }

  HostileResult Run() {
    result_.name = std::filesystem::path(path_).filename().string();
    if (!ChooseKernel()) return result_;
    const Canaries canaries(device_.memory()->base());
    std::string reference;
    for (const std::string& engine : Engines()) {
      const std::string text = RunEngine(engine);
      if (reference.empty()) {
        reference = text;
        result_.what = text.substr(0, text.find('\n'));
      }
      if (!canaries.Intact()) Find(engine + ": wrote to host memory beside the guest's");
      // What depends on a clock, as an address that is one, differs from run to run of any engine.
      if (text != reference && comparable_ && RunEngine(Engines().front()) == reference) {
        Find(fmt::format("the interpreter says\n{}\n{} says\n{}", reference, engine, text));
      }
    }
    return result_;
  }

 private:
  void Find(const std::string& what) {
    if (result_.finding.empty()) result_.finding = what;
  }

  // False: nothing of this file can be run.
  bool ChooseKernel() {
    const auto program = Program::Load(device_, file_);
    if (!program || program->Kernels().empty()) {
      result_.what = "refused";
      return false;
    }
    const std::vector<KernelInfo>& kernels = program->Kernels();
    kernel_ = kernels[random_() % kernels.size()];
    result_.name += " " + kernel_.name;
    const auto loaded = program->internal()->Find(kernel_.name);
    if (random_() % 4 == 0) MutateDescriptor((*loaded)->descriptor_address);
    for (const ArgumentInfo& argument : kernel_.arguments) AddArgument(argument);
    ChooseGeometry();
    mutation_seed_ = random_();
    mutates_code_ = random_() % 8 != 0;
    return true;
  }

  // Bits of the descriptor's 64 bytes, in the file.
  void MutateDescriptor(uint64_t address) {
    const auto* descriptor = reinterpret_cast<const std::byte*>(address);
    const auto found = std::search(file_.begin(), file_.end(), descriptor, descriptor + 64);
    if (found == file_.end()) return;
    for (uint64_t left = 1 + random_() % 3; left != 0; --left) {
      found[static_cast<ptrdiff_t>(random_() % 64)] ^= std::byte{1} << random_() % 8;
    }
  }

  void AddArgument(const ArgumentInfo& argument) {
    switch (argument.kind) {
      case ArgumentKind::kGlobalBuffer:
        buffers_.push_back(*device_.Allocate(kBufferBytes));
        arguments_.Buffer(buffers_.back());
        break;
      case ArgumentKind::kByValue: {
        std::vector<std::byte> value(argument.size);
        if (!value.empty()) value[0] = static_cast<std::byte>(random_() % 64);
        if (random_() % 4 == 0) {
          for (std::byte& b : value) b = static_cast<std::byte>(random_());
        }
        arguments_.Bytes(value);
        break;
      }
      case ArgumentKind::kDynamicLds: arguments_.Local(1024); break;
      case ArgumentKind::kUnsupported:
      case ArgumentKind::kHidden: break;
    }
  }

  void ChooseGeometry() {
    const uint32_t* required = kernel_.reqd_workgroup_size;
    uint32_t size = random_() % 2 == 0 ? 64 : 128;
    if (kernel_.max_flat_workgroup_size != 0) {
      size = std::min(size, kernel_.max_flat_workgroup_size);
    }
    config_.local.x = required[0] != 0 ? required[0] : size;
    config_.local.y = std::max(required[1], 1u);
    config_.local.z = std::max(required[2], 1u);
    config_.global = config_.local;
    config_.global.x = config_.local.x * 2 + (random_() % 4 == 0 ? 7 : 0);
    comparable_ = random_() % 4 != 0;
    config_.threads = comparable_ ? 1 : 2;
    config_.max_wave_instructions = kMostInstructions;
    config_.timeout_seconds = kTimeout;
  }

  std::string RunEngine(const std::string& engine) {
    const auto program = Program::Load(device_, file_);
    if (!program) return "refused: " + program.error().message;
    const runtime::LoadedProgram& loaded = *program->internal();
    const auto found = loaded.Find(kernel_.name);
    if (!found) return "refused: " + found.error().message;
    if (mutates_code_) Mutate(loaded, (*found)->entry_address);
    FillBuffers();
    std::vector<std::vector<std::byte>> code;
    for (const auto& [begin, end] : loaded.code_ranges()) {
      const auto* bytes = reinterpret_cast<const std::byte*>(begin);
      code.emplace_back(bytes, bytes + (end - begin));
    }
    LaunchConfig config = config_;
    UseEngine(engine, config);
    const auto result = Launch(device_, *program, kernel_.name, config, arguments_);
    size_t range = 0;
    for (const auto& [begin, end] : loaded.code_ranges()) {
      if (std::memcmp(reinterpret_cast<const void*>(begin), code[range++].data(), end - begin) !=
          0) {
        Find(engine + ": the guest's code has changed");
      }
    }
    if (!result) return "refused: " + result.error().message;
    switch (result->status) {
      case LaunchStatus::kDone:
        return fmt::format("done\n{} instructions", result->statistics.wave_instructions);
      case LaunchStatus::kFault: return fmt::format("fault: {}", result->fault->Describe());
      case LaunchStatus::kTimeout:
        if (result->fault) return "limit";  // where it stood differs
        Find(engine + ": not stopped by the instruction limit");
        break;
      case LaunchStatus::kCancelled: Find(engine + ": cancelled by nothing"); break;
    }
    return "time-out";
  }

  void Mutate(const runtime::LoadedProgram& loaded, uint64_t entry) const {
    uint64_t end = entry;
    for (const auto& [begin, range_end] : loaded.code_ranges()) {
      if (entry >= begin && entry < range_end) end = range_end;
    }
    for (const frontend::Symbol& symbol : loaded.symbols()) {
      if (symbol.address == entry && symbol.size >= 4) end = std::min(end, entry + symbol.size);
    }
    if (end - entry < 4) return;
    // As if the file had had it so: nothing has looked at the code yet.
    const uint64_t page = entry & ~(runtime::GuestMemory::kPageBytes - 1);
    ::mprotect(reinterpret_cast<void*>(page), end - page, PROT_READ | PROT_WRITE);
    Random random(mutation_seed_);
    MutateCode(random, entry, (end - entry) / 4);
  }

  // Small numbers: indices and lengths, more often than not.
  void FillBuffers() {
    Random random(seed_);
    for (const uint64_t buffer : buffers_) {
      const auto bytes = device_.Data(buffer, kBufferBytes);
      for (size_t n = 0; n + 4 <= bytes.size(); n += 4) {
        const auto value = static_cast<uint32_t>(random() % 256);
        std::memcpy(&bytes[n], &value, 4);
      }
    }
  }

  const uint64_t seed_;
  Random random_;
  std::string path_;
  File file_;
  Device device_ = *Device::Create();
  KernelInfo kernel_;
  Arguments arguments_;
  std::vector<uint64_t> buffers_;
  LaunchConfig config_;
  bool comparable_ = false;
  bool mutates_code_ = true;
  uint64_t mutation_seed_ = 0;
  HostileResult result_;
};

}  // namespace

HostileResult RunHostile(const std::vector<std::string>& files, uint64_t seed) {
  return Case(files, seed).Run();
}

}  // namespace gcnjit::robustness
