// gcnjit disasm: the instructions of a code object, in LLVM's syntax; or its kernels' IR, or their
// host code.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "cli/commands.h"
#include "cli/disasm_host.h"
#include "cli/disasm_ir.h"
#include "cli/files.h"
#include "cli/kernel_choice.h"
#include "cli/launch_request.h"
#include "cli/message.h"
#include "cli/program_lines.h"
#include "cli/progress.h"
#include "cli/source_text.h"
#include "confined/source_lines.h"
#include "frontend/code_object/bundle.h"
#include "frontend/code_object/code_object.h"
#include "frontend/code_object/load_budget.h"
#include "frontend/decode/decoder.h"
#include "frontend/disassemble/disassembler.h"

namespace gcnjit::cli {
namespace {

struct DisasmOptions {
  std::string file;
  std::string local = "64";
  std::string kernel;
  std::string target;
  std::string ir;  // empty: no IR; else a moment, see KernelIr, or kNoValue: after all passes
  std::string
      host;  // empty: no host code; else avx2, avx512, or kNoValue: what this host would run
  std::string tuning;  // empty: this host's
  bool source = false;
};

// What the command line library makes of a flag without a value.
constexpr std::string_view kNoValue = "true";

int FailDisasm(const std::string& message) {
  PrintMessage("gcnjit disasm: {}\n", message);
  return kExitBadInput;
}

// Source lines between instructions.
class SourceComments {
 public:
  explicit SourceComments(std::span<const std::byte> object) : lines_(object) {}

  // The comments before the instructions at these addresses; empty where the place is the same.
  std::vector<std::string> Before(std::span<const uint64_t> pcs) {
    std::vector<std::string> comments;
    std::string last;
    for (const SourceFrames& frames : lines_.At(pcs)) {
      std::string comment = text_.Comment(frames);
      comments.push_back(comment == last ? std::string() : comment);
      last = std::move(comment);
    }
    NoteMissingLines(lines_.failure());
    return comments;
  }

 private:
  confined::SourceLines lines_;
  SourceText text_;
};

// Prints [begin, end) of a segment; what LLVM's assembler cannot be told comes as .long. Null: no
// source lines.
void Print(const frontend::CodeObject& object, uint64_t begin, uint64_t end,
           SourceComments* comments) {
  const std::span<const std::byte> bytes = object.AtAddress(begin, end - begin);
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  std::vector<uint64_t> pcs;
  std::vector<std::string> lines;
  for (size_t n = 0; n < words.size();) {
    frontend::Instruction instruction;
    const std::span<const uint32_t> rest = std::span<const uint32_t>(words).subspan(n);
    const uint64_t pc = begin + n * 4;
    size_t size = 1;
    std::string text;
    if (frontend::Decode(object.generation, rest, instruction) == frontend::DecodeStatus::kOk) {
      size = instruction.size / 4;
      text = frontend::DisassembleWords(object.generation, rest, instruction, pc);
    } else {
      text = fmt::format(".long {:#010x}", words[n]);
    }
    std::string encoding;
    for (size_t k = 0; k < size; ++k) encoding += fmt::format(" {:08X}", words[n + k]);
    pcs.push_back(pc);
    lines.push_back(fmt::format("\t{:<59} // {:012X}:{}\n", text, pc, encoding));
    n += size;
  }
  const std::vector<std::string> before =
      comments != nullptr ? comments->Before(pcs) : std::vector<std::string>(pcs.size());
  for (size_t n = 0; n < lines.size(); ++n) fmt::print("{}{}", before[n], lines[n]);
}

// Prints the code of one object, or of one of its kernels. False if it does not have that kernel.
bool PrintObject(const frontend::CodeObject& object, const std::string& kernel_name,
                 SourceComments* comments) {
  // Code is printed symbol by symbol: a function runs to the next one or to its segment's end.
  std::vector<frontend::Symbol> functions;
  for (const frontend::Symbol& symbol : object.symbols) {
    if (symbol.kind == frontend::SymbolKind::kFunction) functions.push_back(symbol);
  }
  std::ranges::stable_sort(functions, {}, &frontend::Symbol::address);
  uint64_t entry = 0;
  if (!kernel_name.empty()) {
    const auto kernel = std::find_if(object.kernels.begin(), object.kernels.end(),
                                     [&](const auto& k) { return k.info.name == kernel_name; });
    if (kernel == object.kernels.end()) return false;
    entry = kernel->descriptor.entry;
  }
  for (const frontend::Segment& segment : object.segments) {
    if (!segment.executable) continue;
    const uint64_t segment_end = segment.address + segment.bytes.size();
    uint64_t at = segment.address;
    while (at < segment_end) {
      const auto here = std::ranges::equal_range(functions, at, {}, &frontend::Symbol::address);
      const uint64_t end =
          here.end() == functions.end() ? segment_end : std::min(segment_end, here.end()->address);
      std::string names;
      uint64_t size = 0;
      for (const frontend::Symbol& f : here) {
        names += fmt::format("{:016x} <{}>:\n", f.address, f.name);
        size = std::max(size, f.size);
      }
      if (kernel_name.empty()) {
        fmt::print("{}", names);
        Print(object, at, end, comments);
        fmt::print("\n");
      } else if (entry >= at && entry < end) {
        fmt::print("{}", names);
        // The symbol of a v2 kernel stands at its descriptor, before the first instruction.
        Print(object, entry, std::max(entry, size != 0 ? std::min(end, at + size) : end), comments);
      }
      at = end;
    }
  }
  return true;
}

Result<backend::HostIsa> HostIsaOf(const std::string& name) {
  if (name == kNoValue) {
    std::string why_not;
    if (const auto isa = backend::ChooseHostIsa(&why_not)) return *isa;
    return Error{ErrorCode::kUnsupported, why_not};
  }
  for (const backend::HostIsa isa : {backend::HostIsa::kAvx2, backend::HostIsa::kAvx512}) {
    if (backend::NameOf(isa) == name) return isa;
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("--host takes avx2 or avx512, not '{}'", name)};
}

std::string TuningNames() {
  std::vector<std::string_view> names;
  for (const backend::Tuning& tuning : backend::Tunings()) names.push_back(tuning.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// The kernel's IR or host code, whichever is asked for.
Result<std::string> KernelText(const frontend::CodeObject& object, const frontend::Kernel& kernel,
                               const DisasmOptions& options) {
  if (options.host.empty()) {
    return KernelIr(object, kernel, options.ir == kNoValue ? std::string_view() : options.ir);
  }
  const auto isa = HostIsaOf(options.host);
  if (!isa) return isa.error();
  constexpr uint64_t kMostItems = 1024;
  const auto local = ParseTriple("--local", options.local, 1, kMostItems);
  if (!local) return local.error();
  const backend::Tuning* tuning =
      options.tuning.empty() ? &backend::HostTuning() : backend::FindTuning(options.tuning);
  if (tuning == nullptr) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--tuning takes {}, not '{}'", TuningNames(), options.tuning)};
  }
  const auto& [x, y, z] = local->values;
  if (x == 0 || y == 0 || z == 0 || x * y * z > kMostItems) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--local '{}': a work-group has 1 to {} work-items", options.local,
                             kMostItems)};
  }
  return KernelHostCode(
      object, kernel, *isa,
      {static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)}, *tuning);
}

// Prints what the JIT makes of the kernels, or of that of this name; sets *found if there was any.
Result<void> PrintKernels(const frontend::CodeObject& object, const DisasmOptions& options,
                          bool* found) {
  Progress progress;
  for (const frontend::Kernel& kernel : object.kernels) {
    if (!options.kernel.empty() && kernel.info.name != options.kernel) continue;
    // On a terminal the text itself shows it.
    if (::isatty(STDOUT_FILENO) != 1) progress.Show("compiling " + kernel.info.name);
    const auto text = KernelText(object, kernel, options);
    if (!text) return text.error();
    fmt::print("{}", *text);
    *found = true;
  }
  return {};
}

int Disasm(DisasmOptions options) {
  const auto file = ReadFile(options.file);
  if (!file) return FailDisasm(file.error().message);
  frontend::LoadBudget budget(file->size());
  const auto selected = frontend::SelectCodeObjects(*file, options.target, budget);
  if (!selected) return FailDisasm(fmt::format("{}: {}", options.file, selected.error().message));
  std::vector<frontend::CodeObject> objects;
  for (const frontend::BundleEntry& bundle_entry : *selected) {
    auto object = frontend::ParseCodeObject(bundle_entry.contents, budget);
    if (!object) return FailDisasm(fmt::format("{}: {}", options.file, object.error().message));
    objects.push_back(std::move(*object));
  }
  if (!options.kernel.empty()) {
    std::vector<std::string_view> kernels;
    for (const frontend::CodeObject& object : objects) {
      for (const frontend::Kernel& kernel : object.kernels) kernels.push_back(kernel.info.name);
    }
    auto kernel = ChooseKernel(std::move(kernels), options.kernel, options.file);
    if (!kernel) return FailDisasm(kernel.error().message);
    options.kernel = std::move(*kernel);
  }
  bool found = false;
  for (size_t n = 0; n < objects.size(); ++n) {
    if (!options.ir.empty() || !options.host.empty()) {
      const auto printed = PrintKernels(objects[n], options, &found);
      if (!printed) return FailDisasm(printed.error().message);
    } else {
      SourceComments comments((*selected)[n].contents);
      found =
          PrintObject(objects[n], options.kernel, options.source ? &comments : nullptr) || found;
    }
  }
  if (!found) {
    return FailDisasm(fmt::format("{} has no kernel '{}'; 'gcnjit info' lists its kernels",
                                  options.file, options.kernel));
  }
  return kExitDone;
}

}  // namespace

void AddDisasm(CLI::App& app, Action& action) {
  auto options = std::make_shared<DisasmOptions>();
  CLI::App* disasm = app.add_subcommand("disasm", "Disassemble a code object");
  disasm->add_option("FILE", options->file, "ELF code object, offload bundle or HIP program")
      ->required();
  disasm->add_option("--kernel", options->kernel, "Only this kernel");
  CLI::Option* source = disasm->add_flag(
      "--source", options->source, "Print source lines between the instructions, of code with -g");
  disasm->add_option("--target", options->target, "Which entry of a bundle, e.g. gfx906:xnack-");
  CLI::Option* ir = disasm->add_flag(
      "--ir", options->ir,
      "Print the JIT's intermediate code, with the guest's instructions between it; "
      "--ir=before:PASS and --ir=after:PASS: at that moment");
  ir->excludes(source);
  CLI::Option* host =
      disasm
          ->add_flag(
              "--host", options->host,
              "Print the JIT's host code, each piece under the intermediate operation and guest "
              "instruction that it is for; --host=avx2 and --host=avx512: for that host")
          ->excludes(ir)
          ->excludes(source);
  disasm
      ->add_option(
          "--local", options->local,
          "Work-group size that the host code is for: X[,Y[,Z]]; the JIT uses what it says "
          "about addresses")
      ->needs(host)
      ->capture_default_str();
  disasm
      ->add_option(
          "--tuning", options->tuning,
          "Processor model that the host code is for (default: this one): " + TuningNames())
      ->needs(host);
  disasm->footer(
      "Examples:\n"
      "  gcnjit disasm kernels.co --kernel saxpy\n"
      "  gcnjit disasm kernels.co --kernel saxpy --source\n"
      "  gcnjit disasm kernels.co --kernel saxpy --ir=before:fold\n"
      "  gcnjit disasm kernels.co --kernel saxpy --host=avx512\n"
      "  gcnjit disasm kernels.co --kernel sgemm --host --local 16,16");
  disasm->callback([options, &action] { action = [options] { return Disasm(*options); }; });
}

}  // namespace gcnjit::cli
