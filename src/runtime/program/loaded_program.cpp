#include "runtime/program/loaded_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "frontend/code_object/bundle.h"
#include "frontend/code_object/load_budget.h"
#include "frontend/code_object/target.h"
#include "gcnjit/device.h"
#include "runtime/host/time_limit.h"

namespace gcnjit::runtime {
namespace {

using frontend::CodeObject;
using frontend::LoadBudget;
using frontend::Relocation;
using frontend::Segment;

constexpr size_t kMaxListed = 20;  // names that an error message lists
// Of a kernel in a map, with what the map adds.
constexpr size_t kKernelNodeBytes = sizeof(std::string_view) + sizeof(LoadedKernel) + 48;

// All programs' code, by the end of each range of it.
struct CodeOwners {
  struct Owner {
    uint64_t begin = 0;
    std::weak_ptr<const LoadedProgram> program;
  };
  std::mutex mutex;
  std::map<uint64_t, Owner> by_end;

  static CodeOwners& Instance() {
    // Programs may go away after static objects, and when the host's memory has ended.
    alignas(CodeOwners) static std::byte storage[sizeof(CodeOwners)];
    static CodeOwners& owners = *new (storage) CodeOwners;
    return owners;
  }
};

std::byte* HostPointer(uint64_t address) { return reinterpret_cast<std::byte*>(address); }

std::string ListNames(const std::vector<KernelInfo>& kernels) {
  if (kernels.empty()) return "it has none";
  std::vector<std::string_view> names;
  for (const KernelInfo& kernel : kernels) {
    if (names.size() == kMaxListed) break;
    names.push_back(kernel.name);
  }
  const size_t rest = kernels.size() - names.size();
  return fmt::format("it has: {}{}", fmt::join(names, ", "),
                     rest == 0 ? "" : fmt::format(" and {} more", rest));
}

// What all of the objects are executed as.
Result<frontend::Processor> ProcessorOf(const std::vector<CodeObject>& objects,
                                        std::string_view device) {
  const CodeObject& first = objects.front();
  // Where no device is named, code for a generic processor is executed as what the rest is for.
  const auto specific = std::ranges::find_if(
      objects, [](const CodeObject& object) { return !frontend::IsGeneric(object.target); });
  const std::string_view device_of_generic =
      device.empty() && specific != objects.end() ? specific->target : device;
  const auto processor_of = [&](const CodeObject& object) {
    const bool is_generic = frontend::IsGeneric(object.target);
    return frontend::ProcessorOfTarget(object.target, is_generic ? device_of_generic : device)
        .value_or(object.generation);
  };
  const frontend::Processor processor = processor_of(first);
  for (const CodeObject& object : objects) {
    if (processor_of(object) != processor) {
      return Error{ErrorCode::kUnsupportedTarget,
                   fmt::format("no device runs code for {} and for {}: choose one of them",
                               first.target, object.target)};
    }
  }
  return processor;
}

}  // namespace

Result<std::shared_ptr<LoadedProgram>> LoadedProgram::Load(std::shared_ptr<GuestMemory> memory,
                                                           std::vector<CodeObject> objects,
                                                           LoadBudget& budget,
                                                           std::string_view device,
                                                           const Externals& externals) {
  for (const CodeObject& object : objects) {
    if (object.platform != frontend::Platform::kPal) continue;
    return Error{ErrorCode::kUnsupported,
                 "a PAL object (amdgcn-amd-amdpal): its shaders start in a state that a graphics "
                 "driver sets up, so gcnjit shows them (gcnjit disasm) but does not run them; "
                 "compile compute kernels with -target amdgcn-amd-amdhsa"};
  }
  const auto processor = ProcessorOf(objects, device);
  if (!processor) return processor.error();
  std::shared_ptr<LoadedProgram> program(
      new LoadedProgram(std::move(memory), objects.front().target, *processor));
  size_t kernels = 0;
  size_t symbols = 0;
  uint64_t image_bytes = 0;
  for (const CodeObject& object : objects) {
    kernels += object.kernels.size();
    symbols += object.symbols.size();
    image_bytes += object.image_bytes;
  }
  if (image_bytes > frontend::kMaxImageBytes) {
    return Error{ErrorCode::kInvalidCodeObject,
                 fmt::format("the images of {} code objects have {:#x} bytes together; at most "
                             "{:#x} are accepted",
                             objects.size(), image_bytes, frontend::kMaxImageBytes)};
  }
  if (!budget.Keep(kernels * (sizeof(KernelInfo) + kKernelNodeBytes)) ||
      !budget.Keep(symbols * (sizeof(frontend::Symbol) + sizeof(uint32_t)))) {
    return budget.error();
  }
  program->infos_.reserve(kernels);  // kernels_ points into it
  program->symbols_.reserve(symbols);
  program->variables_.reserve(symbols);
  for (CodeObject& object : objects) {
    if (auto result = program->Add(object, budget, externals); !result) return result.error();
  }
  std::ranges::sort(program->code_ranges_);
  program->SortVariables();
  CodeOwners& owners = CodeOwners::Instance();
  const std::scoped_lock lock(owners.mutex);
  for (const auto& [begin, end] : program->code_ranges_) {
    if (begin != end) owners.by_end[end] = {begin, program};
  }
  return program;
}

std::shared_ptr<const LoadedProgram> LoadedProgram::WithCodeAt(uint64_t address) {
  CodeOwners& owners = CodeOwners::Instance();
  const std::scoped_lock lock(owners.mutex);
  const auto above = owners.by_end.upper_bound(address);
  if (above == owners.by_end.end() || address < above->second.begin) return nullptr;
  return above->second.program.lock();
}

LoadedProgram::~LoadedProgram() {
  derived_.clear();  // it may refer to the code
  {
    CodeOwners& owners = CodeOwners::Instance();
    const std::scoped_lock lock(owners.mutex);
    for (const auto& [begin, end] : code_ranges_) {
      if (begin != end) owners.by_end.erase(end);
    }
  }
  for (const Image& image : images_) {
    // Fails only if the host refuses to unmap, and then nothing can be done about it here.
    (void)memory_->Free(image.base);
  }
}

Result<void> LoadedProgram::Add(CodeObject& object, LoadBudget& budget,
                                const Externals& externals) {
  // A segment of a few bytes takes a page of host memory.
  if (!budget.Keep(object.segments.size() * GuestMemory::kPageBytes)) return budget.error();
  const auto base = memory_->Allocate(object.image_bytes, "code object", GuestMemory::Access::kNone,
                                      GuestMemory::kPageBytes, GuestMemory::Pages::kSmall);
  if (!base) return base.error();
  const Image image = {*base, object.image_bytes, *base - object.image_begin};
  images_.push_back(image);
  CopyImage(object, image);
  if (auto result = Relocate(object, image, budget, externals); !result) return result;
  if (auto result = ProtectImage(object, image); !result) return result;
  if (auto result = AddKernels(object, image, budget); !result) return result;
  return AddSymbols(object, image, budget);
}

void LoadedProgram::CopyImage(const CodeObject& object, const Image& image) {
  for (const Segment& segment : object.segments) {
    const uint64_t begin = image.load_bias + segment.address;
    const uint64_t zeros = begin + segment.bytes.size();
    // Not where bytes and zeros meet: few bytes must not take a huge page.
    GuestMemory::WishHugePages(begin, zeros);
    GuestMemory::WishHugePages(zeros, begin + segment.memory_bytes);
    if (segment.bytes.empty()) continue;
    std::memcpy(HostPointer(begin), segment.bytes.data(), segment.bytes.size());
  }
}

Result<void> LoadedProgram::Relocate(const CodeObject& object, const Image& image,
                                     LoadBudget& budget, const Externals& externals) {
  for (const Relocation& relocation : object.relocations) {
    if (!budget.Look(sizeof relocation)) return budget.error();
    const auto external =
        relocation.symbol_is_undefined ? externals.find(relocation.symbol) : externals.end();
    const bool is_external = external != externals.end();
    if (relocation.symbol_is_undefined && !is_external) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("the code object needs the symbol '{}' from elsewhere; link it in, "
                               "since code objects are loaded on their own",
                               relocation.symbol)};
    }
    const uint64_t place = image.load_bias + relocation.address;
    const uint64_t symbol = is_external ? external->second
                                        : relocation.symbol_value +
                                              (relocation.symbol_is_absolute ? 0 : image.load_bias);
    const auto value = frontend::RelocatedValue(relocation.type, symbol,
                                                static_cast<uint64_t>(relocation.addend), place);
    if (!value) {
      return Error{ErrorCode::kInvalidCodeObject,
                   fmt::format("the relocation of type {} at address {:#x} ({}) does not fit in 32 "
                               "bits",
                               static_cast<uint32_t>(relocation.type), relocation.address,
                               relocation.symbol)};
    }
    std::memcpy(HostPointer(place), &*value, frontend::FieldBytes(relocation.type));
  }
  return {};
}

// Read-only first, so that a page which a writable segment shares with another stays writable. Code
// last: what is executed never changes, whatever the file says of its segment, and a page that has
// any code has no part that can be written. Linkers give code pages of its own.
//
// Memory that is shared with a host program is writable apart from code, as ROCm maps it:
// hipMemcpyToSymbol writes constants, which clang 21 puts into .rodata.
Result<void> LoadedProgram::ProtectImage(const CodeObject& object, const Image& image) {
  const bool all_writable = memory_->host() != nullptr;
  for (const bool writable : {false, true}) {
    for (const Segment& segment : object.segments) {
      if (segment.writable != writable) continue;
      auto result = memory_->Protect(image.load_bias + segment.address, segment.memory_bytes,
                                     writable || all_writable ? GuestMemory::Access::kReadWrite
                                                              : GuestMemory::Access::kReadOnly);
      if (!result) return result;
    }
  }
  for (const Segment& segment : object.segments) {
    if (!segment.executable) continue;
    auto result = memory_->Seal(image.load_bias + segment.address, segment.memory_bytes);
    if (!result) return result;
  }
  return {};
}

Result<void> LoadedProgram::AddKernels(CodeObject& object, const Image& image, LoadBudget& budget) {
  for (const Segment& segment : object.segments) {
    if (!segment.executable) continue;
    const uint64_t begin = image.load_bias + segment.address;
    code_ranges_.emplace_back(begin, begin + segment.memory_bytes);
  }
  for (frontend::Kernel& kernel : object.kernels) {
    if (!budget.Look(kernel.info.name.size())) return budget.error();
    if (kernels_.contains(kernel.info.name)) continue;
    const frontend::KernelDescriptor& descriptor = kernel.descriptor;
    const KernelInfo& info = infos_.emplace_back(std::move(kernel.info));
    kernels_.emplace(
        info.name,
        LoadedKernel{&info, descriptor, image.load_bias + descriptor.address,
                     image.load_bias + descriptor.entry, std::move(kernel.printf_formats)});
  }
  return {};
}

Result<void> LoadedProgram::AddSymbols(const CodeObject& object, const Image& image,
                                       LoadBudget& budget) {
  const auto is_in_image = [&](const frontend::Symbol& symbol) {
    // A broken file may put a symbol anywhere.
    const uint64_t offset = symbol.address - object.image_begin;
    return offset <= image.bytes && symbol.size <= image.bytes - offset;
  };
  size_t name_bytes = 0;
  for (const frontend::Symbol& symbol : object.symbols) {
    if (is_in_image(symbol)) name_bytes += symbol.name.size();
  }
  if (!budget.Keep(name_bytes) || !budget.Look(name_bytes)) return budget.error();
  char* name = names_.emplace_back(std::make_unique_for_overwrite<char[]>(name_bytes)).get();
  for (frontend::Symbol symbol : object.symbols) {
    if (!is_in_image(symbol)) continue;
    std::ranges::copy(symbol.name, name);
    symbol.name = {name, symbol.name.size()};
    symbol.address += image.load_bias;
    name += symbol.name.size();
    if (symbol.kind == frontend::SymbolKind::kVariable) {
      variables_.push_back(static_cast<uint32_t>(symbols_.size()));
    }
    symbols_.push_back(symbol);
  }
  return {};
}

// Of those with one name the first counts.
void LoadedProgram::SortVariables() {
  std::ranges::sort(variables_, {}, [&](uint32_t n) { return std::pair(symbols_[n].name, n); });
}

Result<const LoadedKernel*> LoadedProgram::Find(std::string_view name) const {
  const auto found = kernels_.find(name);
  if (found != kernels_.end()) return &found->second;
  return Error{ErrorCode::kNotFound, fmt::format("no kernel '{}' in the code object for {}; {}",
                                                 name, target_, ListNames(infos_))};
}

Result<Program::Variable> LoadedProgram::FindVariable(std::string_view name) const {
  const auto found =
      std::ranges::lower_bound(variables_, name, {}, [&](uint32_t n) { return symbols_[n].name; });
  if (found == variables_.end() || symbols_[*found].name != name) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("no variable '{}' in the code object for {}", name, target_)};
  }
  return Program::Variable{symbols_[*found].address, symbols_[*found].size};
}

}  // namespace gcnjit::runtime

namespace gcnjit {

Result<Program> Program::Load(Device& device, std::span<const std::byte> file,
                              const std::string& target, double timeout_seconds) {
  if (const auto checked = runtime::CheckTimeLimit(timeout_seconds); !checked) {
    return checked.error();
  }
  frontend::LoadBudget budget(file.size(), timeout_seconds);
  const auto entries = frontend::SelectCodeObjects(file, target, budget);
  if (!entries) return entries.error();
  std::vector<frontend::CodeObject> objects;
  for (const frontend::BundleEntry& entry : *entries) {
    auto object = frontend::ParseCodeObject(entry.contents, budget);
    if (!object) {
      if (entry.id.empty()) return object.error();
      return Error{object.error().code, fmt::format("entry '{}' of bundle {}: {}", entry.id,
                                                    entry.bundle, object.error().message)};
    }
    // The file's own word counts more than the bundle's.
    const std::string& wanted = target.empty() ? entry.target : target;
    if (!wanted.empty() && !frontend::TargetFits(object->target, wanted)) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("the code object is for {}, not for {}", object->target, wanted)};
    }
    objects.push_back(std::move(*object));
  }
  auto program = runtime::LoadedProgram::Load(device.memory(), std::move(objects), budget, target);
  if (!program) return program.error();
  return Program(std::move(*program));
}

const std::vector<KernelInfo>& Program::Kernels() const { return impl_->kernels(); }

Result<const KernelInfo*> Program::FindKernel(const std::string& name) const {
  const auto kernel = impl_->Find(name);
  if (!kernel) return kernel.error();
  return (*kernel)->info;
}

Result<Program::Variable> Program::FindVariable(const std::string& name) const {
  return impl_->FindVariable(name);
}

}  // namespace gcnjit
