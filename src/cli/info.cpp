// gcnjit info: what a code object holds.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/message.h"
#include "frontend/code_object/bundle.h"
#include "frontend/code_object/code_object.h"
#include "frontend/code_object/load_budget.h"
#include "frontend/code_object/target.h"
#include "runtime/state/lds_size.h"

namespace gcnjit::cli {
namespace {

struct InfoOptions {
  std::string file;
  std::string target;
  bool json = false;
};

int FailInfo(const std::string& message) {
  PrintMessage("gcnjit info: {}\n", message);
  return kExitBadInput;
}

const char* KindName(const ArgumentInfo& a) {
  switch (a.kind) {
    case ArgumentKind::kByValue: return "value";
    case ArgumentKind::kGlobalBuffer: return "buffer";
    case ArgumentKind::kDynamicLds: return "local";
    case ArgumentKind::kUnsupported: return "unsupported";
    case ArgumentKind::kHidden: return "hidden";
  }
  return "?";
}

// Bytes of static LDS, as the hardware allocates them.
uint32_t AllocatedLds(const KernelInfo& k) {
  const auto generation = frontend::GenerationOfCodeObject(k.target);
  const uint32_t bytes = k.group_segment_size;
  // More than there is cannot run.
  if (!generation || bytes > runtime::MostLdsBytes(*generation)) return bytes;
  return runtime::AllocatedLdsBytes(*generation, bytes);
}

nlohmann::json ToJson(const KernelInfo& k) {
  nlohmann::json arguments = nlohmann::json::array();
  for (const ArgumentInfo& a : k.arguments) {
    arguments.push_back({{"kind", KindName(a)},
                         {"name", a.name},
                         {"type", a.type_name},
                         {"value_kind", a.value_kind},
                         {"offset", a.offset},
                         {"size", a.size}});
  }
  return {{"name", k.name},
          {"sgprs", k.sgpr_count},
          {"vgprs", k.vgpr_count},
          {"lds_bytes", k.group_segment_size},
          {"allocated_lds_bytes", AllocatedLds(k)},
          {"scratch_bytes", k.private_segment_size},
          {"kernarg_bytes", k.kernarg_segment_size},
          {"max_workgroup_size", k.max_flat_workgroup_size},
          {"required_workgroup_size", k.reqd_workgroup_size},
          {"dynamic_stack", k.uses_dynamic_stack},
          {"metadata", k.has_metadata},
          {"arguments", arguments}};
}

void Print(const KernelInfo& k) {
  fmt::print("\nkernel {}\n", k.name);
  const uint32_t allocated = AllocatedLds(k);
  const std::string blocks =
      allocated == k.group_segment_size ? "" : fmt::format(" ({} allocated)", allocated);
  fmt::print(
      "  {} SGPRs, {} VGPRs, {} bytes of LDS{}, {} bytes of scratch{}, {} bytes of arguments\n",
      k.sgpr_count, k.vgpr_count, k.group_segment_size, blocks, k.private_segment_size,
      k.uses_dynamic_stack ? " and a dynamic stack" : "", k.kernarg_segment_size);
  if (k.reqd_workgroup_size[0] != 0) {
    fmt::print("  work-groups of {} x {} x {}\n", k.reqd_workgroup_size[0],
               k.reqd_workgroup_size[1], k.reqd_workgroup_size[2]);
  } else if (k.max_flat_workgroup_size != 0) {
    fmt::print("  work-groups of up to {} work-items\n", k.max_flat_workgroup_size);
  }
  if (!k.has_metadata) {
    fmt::print("  no metadata: arguments are passed as they are given (--arg, --kernarg)\n");
  }
  for (const ArgumentInfo& a : k.arguments) {
    if (a.kind == ArgumentKind::kHidden) continue;
    fmt::print("  argument {:<8} {:>4} bytes at {:>4}  {} {}\n", KindName(a), a.size, a.offset,
               a.type_name, a.name);
  }
}

std::string NameOfFormat(const frontend::CodeObject& object) {
  switch (object.platform) {
    case frontend::Platform::kHsa: break;
    case frontend::Platform::kMesa3d: return "mesa3d object";
    case frontend::Platform::kPal: return "PAL object (graphics driver)";
  }
  return fmt::format("code object version {}", object.version);
}

void PrintFunctions(const frontend::CodeObject& object) {
  for (const frontend::Symbol& symbol : object.symbols) {
    if (symbol.kind != frontend::SymbolKind::kFunction) continue;
    fmt::print("\nfunction {}\n  {} bytes of code at {:#x}: 'gcnjit disasm' shows them\n",
               symbol.name, symbol.size, symbol.address);
  }
}

// As a program is loaded that is run with this --target.
bool HasSramEcc(const frontend::CodeObject& object, const std::string& target) {
  const auto processor = frontend::ProcessorOfTarget(object.target, target);
  return processor && processor->sram_ecc;
}

// "key": [...] in an object that is printed, item by item: as one value a file's kernels would take
// many times its memory.
class PrintedList {
 public:
  explicit PrintedList(const char* key) { fmt::print("  \"{}\": [", key); }
  ~PrintedList() { fmt::print("{}],\n", is_empty_ ? "" : "\n  "); }
  PrintedList(const PrintedList&) = delete;
  PrintedList& operator=(const PrintedList&) = delete;

  void Add(const nlohmann::json& item) {
    std::string text;
    for (const char c : item.dump(2)) {
      text += c;
      if (c == '\n') text += "    ";
    }
    fmt::print("{}\n    {}", is_empty_ ? "" : ",", text);
    is_empty_ = false;
  }

 private:
  bool is_empty_ = true;
};

void PrintJson(const std::vector<frontend::CodeObject>& objects,
               const std::vector<frontend::BundleEntry>& entries, bool has_sram_ecc) {
  fmt::print("{{\n");
  {
    PrintedList bundle("bundle");
    for (const frontend::BundleEntry& entry : entries) {
      if (!entry.id.empty()) bundle.Add(entry.id);
    }
  }
  fmt::print("  \"code_object_version\": {},\n", objects[0].version);
  fmt::print("  \"format\": {},\n", nlohmann::json(NameOfFormat(objects[0])).dump());
  {
    PrintedList kernels("kernels");
    for (const frontend::CodeObject& object : objects) {
      for (const frontend::Kernel& kernel : object.kernels) kernels.Add(ToJson(kernel.info));
    }
  }
  fmt::print("  \"sram_ecc\": {},\n", has_sram_ecc);
  fmt::print("  \"target\": {}\n}}\n", nlohmann::json(objects[0].target).dump());
}

int Info(const InfoOptions& options) {
  const auto file = ReadFile(options.file);
  if (!file) return FailInfo(file.error().message);
  frontend::LoadBudget budget(file->size());
  std::vector<frontend::BundleEntry> entries;
  const auto selected = frontend::SelectCodeObjects(*file, options.target, budget, &entries);
  if (!selected) return FailInfo(fmt::format("{}: {}", options.file, selected.error().message));
  std::vector<frontend::CodeObject> objects;
  for (const frontend::BundleEntry& entry : *selected) {
    auto object = frontend::ParseCodeObject(entry.contents, budget);
    if (!object) return FailInfo(fmt::format("{}: {}", options.file, object.error().message));
    objects.push_back(std::move(*object));
  }

  if (options.json) {
    PrintJson(objects, entries, HasSramEcc(objects[0], options.target));
    return kExitDone;
  }
  if (!(*selected)[0].id.empty()) {
    fmt::print("bundle entries (--target chooses, * is chosen):\n");
    auto next = selected->begin();  // both are in the file's order, one is chosen of a bundle
    for (const frontend::BundleEntry& entry : entries) {
      while (next != selected->end() && next->bundle < entry.bundle) ++next;
      const bool chosen =
          next != selected->end() && next->bundle == entry.bundle && next->number == entry.number;
      fmt::print("  {} {}\n", chosen ? "*" : " ", entry.id);
    }
  }
  for (const frontend::CodeObject& object : objects) {
    fmt::print("{}, {}, {} kernel{}\n", object.target, NameOfFormat(object), object.kernels.size(),
               object.kernels.size() == 1 ? "" : "s");
    if (frontend::Has(object.generation, frontend::kSramEcc)) {
      const bool zeroes = HasSramEcc(object, options.target);
      fmt::print("runs {} SRAM-ECC: D16 loads {} the other half of the register\n",
                 zeroes ? "with" : "without", zeroes ? "zero" : "keep");
    }
    for (const frontend::Kernel& kernel : object.kernels) Print(kernel.info);
    if (object.platform == frontend::Platform::kPal) PrintFunctions(object);
  }
  return kExitDone;
}

}  // namespace

void AddInfo(CLI::App& app, Action& action) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* info =
      app.add_subcommand("info", "List the kernels of a code object and what they need");
  info->add_option("FILE", options->file, "ELF code object, offload bundle or HIP program")
      ->required();
  info->add_option("--target", options->target, "Which entry of a bundle, e.g. gfx906:xnack-");
  info->add_flag("--json", options->json, "Print as JSON");
  info->footer(
      "Examples:\n  gcnjit info kernels.co\n  gcnjit info --target gfx900 --json hip_program");
  info->callback([options, &action] { action = [options] { return Info(*options); }; });
}

}  // namespace gcnjit::cli
