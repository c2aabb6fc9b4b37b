// The other process of ipc_test.cpp.
//
//   ipc_peer attach MEMORY BYTES GO DONE   adds 1 to each word of the memory, says so by DONE, and
//                                          goes on when GO is 0; ends with 0 if all was right
//   ipc_peer die MEMORY BYTES GO DONE      is killed while it has all of that
//   ipc_peer offer BYTES                   prints handles of memory, whose words are 3 times their
//                                          number, and of a signal of 5; waits until the signal is
//                                          0; ends with 0 if each word has become 1 more
//
// Handles are 64 hexadecimal digits.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

// Where it went wrong is the exit code.
#define CHECK(condition)                                               \
  do {                                                                 \
    if (!(condition)) {                                                \
      std::fprintf(stderr, "ipc_peer:%d: %s\n", __LINE__, #condition); \
      std::_Exit(1);                                                   \
    }                                                                  \
  } while (false)

constexpr uint64_t kLong = 20'000'000'000;

hsa_amd_ipc_memory_t HandleOf(const char* text) {
  hsa_amd_ipc_memory_t handle;
  for (size_t n = 0; n < sizeof handle; ++n) {
    const std::string digits(text + 2 * n, 2);
    reinterpret_cast<uint8_t*>(&handle)[n] =
        static_cast<uint8_t>(std::strtoul(digits.c_str(), nullptr, 16));
  }
  return handle;
}

void Print(const hsa_amd_ipc_memory_t& handle) {
  for (size_t n = 0; n < sizeof handle; ++n) {
    std::printf("%02x", reinterpret_cast<const uint8_t*>(&handle)[n]);
  }
  std::printf("\n");
  std::fflush(stdout);
}

bool IsZero(hsa_signal_t signal) {
  return hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, kLong,
                                   HSA_WAIT_STATE_BLOCKED) == 0;
}

hsa_amd_memory_pool_t FirstGpuPool() {
  hsa_amd_memory_pool_t pool = {0};
  hsa_iterate_agents(
      [](hsa_agent_t agent, void* data) {
        hsa_device_type_t type;
        hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
        if (type != HSA_DEVICE_TYPE_GPU) return HSA_STATUS_SUCCESS;
        return hsa_amd_agent_iterate_memory_pools(
            agent,
            [](hsa_amd_memory_pool_t found, void* to) {
              *static_cast<hsa_amd_memory_pool_t*>(to) = found;
              return HSA_STATUS_INFO_BREAK;
            },
            data);
      },
      &pool);
  return pool;
}

void Attach(char** argv, bool dies) {
  const hsa_amd_ipc_memory_t handle = HandleOf(argv[2]);
  const size_t bytes = std::strtoull(argv[3], nullptr, 10);
  const hsa_amd_ipc_signal_t go_handle = HandleOf(argv[4]), done_handle = HandleOf(argv[5]);
  void* memory = nullptr;
  CHECK(hsa_amd_ipc_memory_attach(&handle, bytes, 0, nullptr, &memory) == HSA_STATUS_SUCCESS);
  hsa_signal_t go, done;
  CHECK(hsa_amd_ipc_signal_attach(&go_handle, &go) == HSA_STATUS_SUCCESS);
  CHECK(hsa_amd_ipc_signal_attach(&done_handle, &done) == HSA_STATUS_SUCCESS);
  hsa_amd_pointer_info_t info = {};
  info.size = sizeof info;
  CHECK(hsa_amd_pointer_info(memory, &info, nullptr, nullptr, nullptr) == HSA_STATUS_SUCCESS);
  CHECK(info.type == HSA_EXT_POINTER_TYPE_IPC && info.agentBaseAddress == memory);
  CHECK(info.sizeInBytes >= bytes);
  auto* const words = static_cast<uint32_t*>(memory);
  for (size_t n = 0; n < bytes / sizeof(uint32_t); ++n) ++words[n];
  hsa_signal_store_screlease(done, 0);
  if (dies) std::raise(SIGKILL);
  CHECK(IsZero(go));
  CHECK(hsa_amd_memory_pool_free(memory) == HSA_STATUS_ERROR_INVALID_ALLOCATION);
  CHECK(hsa_amd_ipc_memory_detach(words + 1) == HSA_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK(hsa_amd_ipc_memory_detach(memory) == HSA_STATUS_SUCCESS);
  CHECK(hsa_amd_ipc_memory_detach(memory) == HSA_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK(hsa_signal_destroy(go) == HSA_STATUS_SUCCESS);
  CHECK(hsa_signal_destroy(go) == HSA_STATUS_ERROR_INVALID_SIGNAL);
}

void Offer(size_t bytes) {
  void* memory = nullptr;
  CHECK(hsa_amd_memory_pool_allocate(FirstGpuPool(), bytes, 0, &memory) == HSA_STATUS_SUCCESS);
  auto* const words = static_cast<uint32_t*>(memory);
  const auto count = static_cast<uint32_t>(bytes / sizeof(uint32_t));
  for (uint32_t n = 0; n < count; ++n) words[n] = 3 * n;
  hsa_amd_ipc_memory_t handle;
  CHECK(hsa_amd_ipc_memory_create(memory, bytes, &handle) == HSA_STATUS_SUCCESS);
  Print(handle);
  hsa_signal_t signal;
  CHECK(hsa_amd_signal_create(5, 0, nullptr, HSA_AMD_SIGNAL_IPC, &signal) == HSA_STATUS_SUCCESS);
  CHECK(hsa_amd_ipc_signal_create(signal, &handle) == HSA_STATUS_SUCCESS);
  Print(handle);
  CHECK(IsZero(signal));
  for (uint32_t n = 0; n < count; ++n) CHECK(words[n] == 3 * n + 1);
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(hsa_init() == HSA_STATUS_SUCCESS);
  const std::string role = argc > 1 ? argv[1] : "";
  if (argc == 6 && (role == "attach" || role == "die")) {
    Attach(argv, role == "die");
  } else if (argc == 3 && role == "offer") {
    Offer(std::strtoull(argv[2], nullptr, 10));
  } else {
    return 2;
  }
  CHECK(hsa_shut_down() == HSA_STATUS_SUCCESS);
}
