#include "frontend/code_object/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "isa/target_features.h"

namespace gcnjit::frontend {
namespace {

constexpr std::string_view kXnackName = "xnack";
constexpr std::string_view kSramEccName = "sramecc";

struct Machine {
  uint32_t code;  // EF_AMDGPU_MACH
  const char* name;
  bool xnack = false;    // the processor has the feature
  bool sramecc = false;  // likewise
};

// Later processors are listed so that a refusal can name them.
constexpr Machine kMachines[] = {
    {0x20, "gfx600"},
    {0x21, "gfx601"},
    {0x3a, "gfx602"},
    {0x22, "gfx700"},
    {0x23, "gfx701"},
    {0x24, "gfx702"},
    {0x25, "gfx703"},
    {0x26, "gfx704"},
    {0x3b, "gfx705"},
    {0x28, "gfx801", true},
    {0x29, "gfx802"},
    {0x2a, "gfx803"},
    {0x3c, "gfx805"},
    {0x2b, "gfx810", true},
    {0x2c, "gfx900", true},
    {0x2d, "gfx902", true},
    {0x2e, "gfx904", true},
    {0x2f, "gfx906", true, true},
    {0x30, "gfx908", true, true},
    {0x31, "gfx909", true},
    {0x32, "gfx90c", true},
    {0x33, "gfx1010", true},
    {0x34, "gfx1011", true},
    {0x35, "gfx1012", true},
    {0x36, "gfx1030"},
    {0x37, "gfx1031"},
    {0x38, "gfx1032"},
    {0x39, "gfx1033"},
    {0x3d, "gfx1035"},
    {0x3e, "gfx1034"},
    {0x3f, "gfx90a", true, true},
    {0x41, "gfx1100"},
    {0x42, "gfx1013", true},
    {0x44, "gfx1103"},
    {0x45, "gfx1036"},
    {0x46, "gfx1101"},
    {0x47, "gfx1102"},
    {0x48, "gfx1200"},
    {0x4c, "gfx942", true, true},
    {0x4e, "gfx1201"},
    {0x51, "gfx9-generic", true},
    {0x52, "gfx10-1-generic", true},
    {0x53, "gfx10-3-generic"},
    {0x54, "gfx11-generic"},
    {0x59, "gfx12-generic"},
    {0x5f, "gfx9-4-generic", true, true},
};

constexpr uint32_t kMachMask = 0xFF;

// Generic processors and those of the emulated ones that their code runs on. Sources: LLVM
// AMDGPUUsage, "Generic Processors"; ROCr's table of ISAs (isa.cpp, ISAREG_ENTRY_GEN) and HIP's
// (getGenericTarget) say the same. gfx908 and gfx90a have none.
struct GenericProcessor {
  std::string_view name;
  Generation generation;  // where no device is named
  std::array<std::string_view, 3> processors;
};

constexpr GenericProcessor kGenericProcessors[] = {
    {"gfx9-generic", Generation::kGfx900, {"gfx900", "gfx902", "gfx906"}},
    {"gfx9-4-generic", Generation::kGfx942, {"gfx942"}},
};

constexpr std::string_view ProcessorName(std::string_view target) {
  return target.substr(0, target.find(':'));
}

const GenericProcessor* FindGeneric(std::string_view target) {
  const auto* const found =
      std::ranges::find(kGenericProcessors, ProcessorName(target), &GenericProcessor::name);
  return found == std::end(kGenericProcessors) ? nullptr : found;
}

bool RunsOn(const GenericProcessor& generic, std::string_view target) {
  const std::string_view name = ProcessorName(target);
  return !name.empty() && std::ranges::find(generic.processors, name) != generic.processors.end();
}

// A feature's two bits in e_flags from v4 on: unsupported, any, off, on.
std::string FeatureSuffix(std::string_view name, uint32_t bits) {
  if (bits == 2) return fmt::format(":{}-", name);
  if (bits == 3) return fmt::format(":{}+", name);
  return {};
}

// Sign of a feature in a target ID: '+', '-' or 0 where it is not named.
char FeatureSign(std::string_view target, std::string_view feature) {
  size_t at = target.find(':');
  while (at != std::string_view::npos) {
    const std::string_view rest = target.substr(at + 1);
    const std::string_view item = rest.substr(0, rest.find(':'));
    if (item.size() == feature.size() + 1 && item.substr(0, feature.size()) == feature) {
      return item.back();
    }
    at = target.find(':', at + 1);
  }
  return 0;
}

}  // namespace

std::string TargetOfFlags(uint32_t e_flags, int version) {
  for (const Machine& machine : kMachines) {
    if (machine.code != (e_flags & kMachMask)) continue;
    std::string target = machine.name;
    if (version >= 4) {
      return target + FeatureSuffix(kSramEccName, (e_flags >> 10) & 3) +
             FeatureSuffix(kXnackName, (e_flags >> 8) & 3);
    }
    // v3 has one bit a feature: on or off, no "any".
    if (machine.sramecc) target += (e_flags & 0x200) != 0 ? ":sramecc+" : ":sramecc-";
    if (machine.xnack) target += (e_flags & 0x100) != 0 ? ":xnack+" : ":xnack-";
    return target;
  }
  return fmt::format("machine {:#x}", e_flags & kMachMask);
}

std::string TargetOfIsaVersion(uint32_t major, uint32_t minor, uint32_t stepping) {
  if (major == 8 && minor == 0) {
    if (stepping == 0) return "gfx802";
    if (stepping == 1) return "gfx801:xnack+";
    if (stepping == 4) return "gfx803";
  }
  if (major == 8 && minor == 1 && stepping == 0) return "gfx810:xnack+";
  if (major == 9 && minor == 0 && stepping <= 7) {
    // Odd steppings are the even ones with xnack.
    const uint32_t processor = stepping & ~1u;
    return fmt::format("gfx90{}{}:xnack{}", processor, processor == 6 ? ":sramecc-" : "",
                       (stepping & 1) != 0 ? '+' : '-');
  }
  return fmt::format("gfx{}{}{:x}", major, minor, stepping);
}

std::optional<Generation> GenerationOfCodeObject(std::string_view target) {
  const GenericProcessor* const generic = FindGeneric(target);
  return generic != nullptr ? generic->generation : GenerationOfTarget(target);
}

std::optional<Processor> ProcessorOfTarget(std::string_view target, std::string_view device) {
  const GenericProcessor* const generic = FindGeneric(target);
  const bool is_device = generic != nullptr && RunsOn(*generic, device);
  const std::optional<Generation> generation =
      is_device ? GenerationOfTarget(device) : GenerationOfCodeObject(target);
  if (!generation) return std::nullopt;
  char sign = FeatureSign(target, kSramEccName);
  if (sign == 0) sign = FeatureSign(device, kSramEccName);
  return Processor(*generation, Has(*generation, kSramEcc) && sign != '-');
}

std::string TargetOf(const Processor& processor) {
  std::string target = TargetName(processor.generation);
  if (frontend::Has(processor.generation, frontend::kSramEcc))
    target += processor.sram_ecc ? ":sramecc+" : ":sramecc-";
  return target;
}

bool IsGeneric(std::string_view target) { return FindGeneric(target) != nullptr; }

bool TargetFits(std::string_view offered, std::string_view wanted) {
  if (!HasPlainFeatures(wanted)) return false;
  if (ProcessorName(offered) != ProcessorName(wanted)) {
    const GenericProcessor* const generic = FindGeneric(offered);
    if (generic == nullptr || !RunsOn(*generic, wanted)) return false;
  }
  for (const std::string_view feature : {kXnackName, kSramEccName}) {
    const char have = FeatureSign(offered, feature);
    const char want = FeatureSign(wanted, feature);
    if (have != 0 && want != 0 && have != want) return false;
  }
  return true;
}

}  // namespace gcnjit::frontend
