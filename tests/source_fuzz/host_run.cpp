#include "source_fuzz/host_run.h"

#include <dlfcn.h>
#include <ucontext.h>

#include <cstdlib>
#include <memory>
#include <vector>

namespace gcnjit::source_fuzz {
namespace {

constexpr size_t kStackBytes = 512 * 1024;

using Call = void (*)(void**);

struct Item {
  ucontext_t context;
  std::unique_ptr<std::byte[]> stack;
  bool is_done = false;
};

// Of the group that runs. A barrier has no argument, so these are not in an object.
ucontext_t scheduler;
Item* current = nullptr;
Call entry = nullptr;
void** entry_arguments = nullptr;

void GiveWay() { swapcontext(&current->context, &scheduler); }

void Begin() {
  entry(entry_arguments);
  current->is_done = true;
}

void RunGroup(std::vector<Item>& items, uint32_t& local_id) {
  for (Item& item : items) {
    getcontext(&item.context);
    item.context.uc_stack.ss_sp = item.stack.get();
    item.context.uc_stack.ss_size = kStackBytes;
    item.context.uc_link = &scheduler;
    item.is_done = false;
    makecontext(&item.context, Begin, 0);
  }
  for (bool is_left = true; is_left;) {
    is_left = false;
    for (size_t n = 0; n < items.size(); ++n) {
      if (items[n].is_done) continue;
      local_id = static_cast<uint32_t>(n);
      current = &items[n];
      swapcontext(&scheduler, &items[n].context);
      is_left = is_left || !items[n].is_done;
    }
  }
}

}  // namespace

HostLibrary::HostLibrary(const std::string& path)
    : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}

HostLibrary::~HostLibrary() {
  if (handle_) dlclose(handle_);
}

Buffers HostLibrary::Run(const Kernel& kernel) const {
  Buffers buffers = InitialBuffers(kernel);
  const auto symbol = [&](const std::string& name) { return dlsym(handle_, name.c_str()); };
  entry = reinterpret_cast<Call>(symbol("call_" + kernel.name));
  *static_cast<void (**)()>(symbol("fuzz_barrier")) = GiveWay;
  uint32_t& local_id = *static_cast<uint32_t*>(symbol("fuzz_local_id"));
  uint32_t& group_id = *static_cast<uint32_t*>(symbol("fuzz_group_id"));

  // Values are aligned as their types want, pointers as the device's are.
  std::vector<std::unique_ptr<std::byte, decltype(&std::free)>> places;
  const auto place = [&](size_t bytes) {
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(128, (bytes + 255) / 128 * 128));
    places.emplace_back(memory, std::free);
    return memory;
  };
  std::vector<void*> pointers(kernel.arguments.size());
  std::vector<void*> arguments(kernel.arguments.size());
  for (size_t n = 0; n < arguments.size(); ++n) {
    const Argument& argument = kernel.arguments[n];
    if (argument.is_buffer) {
      pointers[n] = place(buffers[n].size() + argument.offset) + argument.offset;
      std::copy(buffers[n].begin(), buffers[n].end(), static_cast<std::byte*>(pointers[n]));
      arguments[n] = &pointers[n];
    } else {
      std::byte* value = place(argument.value.size());
      for (size_t at = 0; at < argument.value.size(); ++at)
        value[at] = std::byte{argument.value[at]};
      arguments[n] = value;
    }
  }
  entry_arguments = arguments.data();

  std::vector<Item> items(kernel.group_size);
  for (Item& item : items) item.stack.reset(new std::byte[kStackBytes]);
  for (group_id = 0; group_id < kernel.groups; ++group_id) RunGroup(items, local_id);
  for (size_t n = 0; n < arguments.size(); ++n) {
    const auto* from = static_cast<const std::byte*>(pointers[n]);
    if (kernel.arguments[n].is_buffer)
      std::copy(from, from + buffers[n].size(), buffers[n].begin());
  }
  return buffers;
}

}  // namespace gcnjit::source_fuzz
