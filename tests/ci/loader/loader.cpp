// A loader that is an HSA program, as LLVM libc's is: it runs the kernels _begin, _start and _end
// of a file, with the command line in memory of both, and serves what they ask for meanwhile. Its
// calls are those of LLVM's (libc/utils/gpu/loader/amdgpu, from LLVM 16 on).
//
//   loader FILE [ARGUMENT...]
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

namespace {

#define CHECK(call)                                                                   \
  do {                                                                                \
    const hsa_status_t status = call;                                                 \
    if (status != HSA_STATUS_SUCCESS && status != HSA_STATUS_INFO_BREAK) {            \
      std::fprintf(stderr, "loader: %s gave %#x\n", #call, static_cast<int>(status)); \
      std::exit(99);                                                                  \
    }                                                                                 \
  } while (false)

// That of program.cl.
struct Mailbox {
  uint32_t request;
  uint32_t value;
  char text[248];
};

template <typename Visit>
hsa_agent_t FindAgent(Visit is_wanted) {
  struct Search {
    Visit& is_wanted;
    hsa_agent_t found = {};
  } search{is_wanted};
  CHECK(hsa_iterate_agents(
      [](hsa_agent_t agent, void* data) {
        auto& into = *static_cast<Search*>(data);
        hsa_device_type_t type;
        CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
        if (!into.is_wanted(type)) return HSA_STATUS_SUCCESS;
        into.found = agent;
        return HSA_STATUS_INFO_BREAK;
      },
      &search));
  return search.found;
}

hsa_amd_memory_pool_t FindPool(hsa_agent_t agent, uint32_t flag) {
  struct Search {
    uint32_t flag;
    hsa_amd_memory_pool_t found = {};
  } search{flag};
  CHECK(hsa_amd_agent_iterate_memory_pools(
      agent,
      [](hsa_amd_memory_pool_t pool, void* data) {
        auto& into = *static_cast<Search*>(data);
        uint32_t flags = 0;
        hsa_amd_segment_t segment;
        CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
        CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
        if (segment == HSA_AMD_SEGMENT_GLOBAL && (flags & into.flag) != 0) into.found = pool;
        return HSA_STATUS_SUCCESS;
      },
      &search));
  return search.found;
}

struct Loader {
  hsa_agent_t gpu = FindAgent([](hsa_device_type_t type) { return type == HSA_DEVICE_TYPE_GPU; });
  hsa_agent_t cpu = FindAgent([](hsa_device_type_t type) { return type == HSA_DEVICE_TYPE_CPU; });
  hsa_amd_memory_pool_t kernargs = FindPool(cpu, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT);
  hsa_amd_memory_pool_t fine = FindPool(cpu, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED);
  hsa_amd_memory_pool_t coarse = FindPool(gpu, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
  hsa_executable_t executable = {};
  hsa_queue_t* queue = nullptr;
  Mailbox* mailbox = nullptr;
  int value = -1;  // that _end has said

  void* Allocate(hsa_amd_memory_pool_t pool, size_t bytes) const {
    void* memory = nullptr;
    CHECK(hsa_amd_memory_pool_allocate(pool, bytes, 0, &memory));
    CHECK(hsa_amd_agents_allow_access(1, &gpu, nullptr, memory));
    return memory;
  }

  void Load(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> image(std::istreambuf_iterator<char>(file), {});
    hsa_code_object_reader_t reader;
    uint32_t invalid = 0;
    CHECK(hsa_code_object_reader_create_from_memory(image.data(), image.size(), &reader));
    CHECK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO, "",
                                    &executable));
    CHECK(hsa_executable_load_agent_code_object(executable, gpu, reader, "", nullptr));
    CHECK(hsa_executable_freeze(executable, ""));
    CHECK(hsa_executable_validate(executable, &invalid));
    if (invalid != 0) std::exit(99);
    CHECK(hsa_code_object_reader_destroy(reader));
  }

  void Copy(void* to, hsa_agent_t to_agent, const void* from, hsa_agent_t from_agent,
            size_t bytes) const {
    hsa_signal_t done;
    CHECK(hsa_signal_create(1, 0, nullptr, &done));
    CHECK(hsa_amd_memory_async_copy(to, to_agent, from, from_agent, bytes, 0, nullptr, done));
    while (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                                     HSA_WAIT_STATE_ACTIVE) != 0) {
    }
    CHECK(hsa_signal_destroy(done));
  }

  // The program's variable is to point to the mailbox: from memory of the host's that is locked.
  void ConnectMailbox() {
    mailbox = static_cast<Mailbox*>(Allocate(fine, sizeof(Mailbox)));
    std::memset(mailbox, 0, sizeof(Mailbox));
    hsa_executable_symbol_t symbol;
    void* variable = nullptr;
    void* locked = nullptr;
    CHECK(hsa_executable_get_symbol_by_name(executable, "mailbox", &gpu, &symbol));
    CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS,
                                         &variable));
    CHECK(hsa_amd_memory_lock(&mailbox, sizeof mailbox, nullptr, 0, &locked));
    Copy(variable, gpu, locked, cpu, sizeof mailbox);
    CHECK(hsa_amd_memory_unlock(&mailbox));
  }

  void* CopyStrings(char** strings) const {
    size_t count = 0, bytes = 0;
    for (; strings[count] != nullptr; ++count) bytes += std::strlen(strings[count]) + 1;
    auto** pointers = static_cast<char**>(Allocate(fine, (count + 1) * sizeof(char*) + bytes));
    char* to = reinterpret_cast<char*>(pointers + count + 1);
    for (size_t n = 0; n < count; ++n) {
      pointers[n] = std::strcpy(to, strings[n]);
      to += std::strlen(to) + 1;
    }
    pointers[count] = nullptr;
    return pointers;
  }

  void Serve(const std::atomic<bool>& is_done) {
    std::atomic_ref<uint32_t> request(mailbox->request);
    while (!is_done) {
      const uint32_t wanted = request.load(std::memory_order_acquire);
      if (wanted == 1) std::puts(mailbox->text);
      if (wanted == 2) value = static_cast<int>(mailbox->value);
      if (wanted != 0) request.store(0, std::memory_order_release);
    }
  }

  // `arguments` are followed by what code objects of version 5 find after them.
  template <typename Arguments>
  void Run(const char* name, const Arguments& arguments) {
    hsa_executable_symbol_t symbol;
    CHECK(hsa_executable_get_symbol_by_name(executable, name, &gpu, &symbol));
    hsa_kernel_dispatch_packet_t packet{};
    uint32_t bytes = 0;
    bool has_dynamic_stack = false;
    const auto get = [&](hsa_executable_symbol_info_t info, void* into) {
      CHECK(hsa_executable_symbol_get_info(symbol, info, into));
    };
    get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &packet.kernel_object);
    get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &bytes);
    get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &packet.group_segment_size);
    get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &packet.private_segment_size);
    get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK, &has_dynamic_stack);
    if (has_dynamic_stack) packet.private_segment_size = 16 * 1024;
    void* kernarg = Allocate(kernargs, std::max<size_t>(bytes, sizeof arguments));
    std::memset(kernarg, 0, bytes);
    std::memcpy(kernarg, &arguments, sizeof arguments);
    packet.kernarg_address = kernarg;
    packet.workgroup_size_x = packet.workgroup_size_y = packet.workgroup_size_z = 1;
    packet.grid_size_x = packet.grid_size_y = packet.grid_size_z = 1;
    CHECK(hsa_signal_create(1, 0, nullptr, &packet.completion_signal));
    const uint64_t number = hsa_queue_add_write_index_relaxed(queue, 1);
    auto* slot = static_cast<hsa_kernel_dispatch_packet_t*>(queue->base_address) +
                 (number & (queue->size - 1));
    const uint32_t header = 1u << HSA_PACKET_HEADER_BARRIER |
                            HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    const uint32_t setup = 1u << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
    packet.header = HSA_PACKET_TYPE_INVALID;
    *slot = packet;
    std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(slot))
        .store(header | setup << 16, std::memory_order_release);
    hsa_signal_store_relaxed(queue->doorbell_signal, static_cast<hsa_signal_value_t>(number));
    std::atomic<bool> is_done = false;
    std::thread server([&] { Serve(is_done); });
    while (hsa_signal_wait_scacquire(packet.completion_signal, HSA_SIGNAL_CONDITION_EQ, 0,
                                     UINT64_MAX, HSA_WAIT_STATE_BLOCKED) != 0) {
    }
    is_done = true;
    server.join();
    CHECK(hsa_amd_memory_pool_free(kernarg));
    CHECK(hsa_signal_destroy(packet.completion_signal));
  }
};

}  // namespace

int main(int argc, char** argv, char** envp) {
  CHECK(hsa_init());
  CHECK(hsa_amd_register_system_event_handler(
      [](const hsa_amd_event_t*, void*) { return HSA_STATUS_ERROR; }, nullptr));
  Loader loader;
  loader.Load(argv[1]);
  loader.ConnectMailbox();
  uint32_t packets = 0;
  CHECK(hsa_agent_get_info(loader.gpu, HSA_AGENT_INFO_QUEUE_MAX_SIZE, &packets));
  CHECK(hsa_queue_create(loader.gpu, packets, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, UINT32_MAX,
                         UINT32_MAX, &loader.queue));
  struct {
    int argc;
    void* argv;
    void* envp;
    void* ret;
  } arguments{argc - 1, loader.CopyStrings(argv + 1), loader.CopyStrings(envp),
              loader.Allocate(loader.coarse, sizeof(int))};
  CHECK(hsa_amd_memory_fill(arguments.ret, 0, 1));
  loader.Run("_begin.kd", arguments);
  loader.Run("_start.kd", arguments);
  auto* ret = static_cast<int*>(loader.Allocate(loader.fine, sizeof(int)));
  loader.Copy(ret, loader.cpu, arguments.ret, loader.gpu, sizeof(int));
  loader.Run("_end.kd", *ret);
  CHECK(hsa_queue_destroy(loader.queue));
  CHECK(hsa_executable_destroy(loader.executable));
  CHECK(hsa_shut_down());
  return loader.value;
}
