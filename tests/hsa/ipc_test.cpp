// Memory and signals that two processes have; ipc_peer is the other one.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "fixture.h"

extern char** environ;

namespace gcnjit::hsa_tests {
namespace {

constexpr size_t kBytes = 3 * 4096;
constexpr uint32_t kWords = kBytes / sizeof(uint32_t);

std::string TextOf(const hsa_amd_ipc_memory_t& handle) {
  std::string text;
  for (size_t n = 0; n < sizeof handle; ++n) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", reinterpret_cast<const uint8_t*>(&handle)[n]);
    text += digits;
  }
  return text;
}

hsa_amd_ipc_memory_t HandleOf(const std::string& text) {
  hsa_amd_ipc_memory_t handle = {};
  for (size_t n = 0; n < sizeof handle && 2 * n + 2 <= text.size(); ++n) {
    reinterpret_cast<uint8_t*>(&handle)[n] =
        static_cast<uint8_t>(std::stoul(text.substr(2 * n, 2), nullptr, 16));
  }
  return handle;
}

// The peer, with its output. It is killed with the test.
class Peer {
 public:
  explicit Peer(std::vector<std::string> arguments) {
    std::string program = GCNJIT_IPC_PEER;
    std::vector<char*> argv = {program.data()};
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    EXPECT_EQ(posix_spawn(&process_, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = fdopen(ends[0], "r");
  }
  ~Peer() {
    std::fclose(output_);
    if (process_ > 0) Kill();
  }
  std::string Line() {
    char text[256] = {};
    return std::fgets(text, sizeof text, output_) == nullptr ? "" : text;
  }
  // How it ended, as of waitpid.
  int End() {
    int status = -1;
    waitpid(process_, &status, 0);
    process_ = -1;
    return status;
  }
  void Kill() {
    kill(process_, SIGKILL);
    End();
  }

 private:
  pid_t process_ = -1;
  FILE* output_ = nullptr;
};

class Ipc : public KernelTest {
 protected:
  hsa_signal_t SharedSignal(hsa_signal_value_t value) {
    hsa_signal_t signal = {0};
    EXPECT_OK(hsa_amd_signal_create(value, 0, nullptr, HSA_AMD_SIGNAL_IPC, &signal));
    return signal;
  }
  static std::string TextOf(hsa_signal_t signal) {
    hsa_amd_ipc_signal_t handle = {};
    EXPECT_OK(hsa_amd_ipc_signal_create(signal, &handle));
    return hsa_tests::TextOf(handle);
  }
};

TEST_F(Ipc, AnotherProcessHasOurMemoryAndSignals) {
  uint32_t* const words = Allocate<uint32_t>(kWords);
  for (uint32_t n = 0; n < kWords; ++n) words[n] = n;
  const hsa_signal_t go = SharedSignal(1), done = SharedSignal(1);
  hsa_amd_ipc_memory_t handle = {};
  ASSERT_OK(hsa_amd_ipc_memory_create(words, kBytes, &handle));
  hsa_amd_ipc_memory_t again = {};
  ASSERT_OK(hsa_amd_ipc_memory_create(words, kBytes, &again));
  EXPECT_EQ(std::memcmp(&handle, &again, sizeof handle), 0);
  for (uint32_t n = 0; n < kWords; ++n) ASSERT_EQ(words[n], n) << "it is what it was";
  Peer peer(
      {"attach", hsa_tests::TextOf(handle), std::to_string(kBytes), TextOf(go), TextOf(done)});
  ASSERT_TRUE(Done(done));
  for (uint32_t n = 0; n < kWords; ++n) ASSERT_EQ(words[n], n + 1);
  // Kernels use it as ever.
  const hsa_signal_t added = Signal(1);
  Submit(queue_, Packet("add_one", {Address(words)}, kWords, 64, added));
  ASSERT_TRUE(Done(added));
  EXPECT_EQ(words[kWords - 1], kWords + 1);
  hsa_signal_store_screlease(go, 0);
  EXPECT_EQ(peer.End(), 0);
  EXPECT_EQ(hsa_signal_load_relaxed(go), 0) << "the peer has destroyed its own only";
  EXPECT_OK(hsa_amd_memory_pool_free(words));
  EXPECT_OK(hsa_signal_destroy(go));
  EXPECT_EQ(hsa_signal_destroy(go), HSA_STATUS_ERROR_INVALID_SIGNAL);
}

TEST_F(Ipc, WeHaveAnotherProcesssMemoryAndSignals) {
  Peer peer({"offer", std::to_string(kBytes)});
  const hsa_amd_ipc_memory_t memory = HandleOf(peer.Line());
  const hsa_amd_ipc_signal_t signal = HandleOf(peer.Line());
  void* first = nullptr;
  void* second = nullptr;
  ASSERT_OK(hsa_amd_ipc_memory_attach(&memory, kBytes, 1, &gpu_, &first));
  ASSERT_OK(hsa_amd_ipc_memory_attach(&memory, kBytes, 0, nullptr, &second));
  EXPECT_NE(first, second);
  auto* const words = static_cast<uint32_t*>(first);
  for (uint32_t n = 0; n < kWords; ++n) ASSERT_EQ(words[n], 3 * n);
  hsa_amd_pointer_info_t info = {};
  info.size = sizeof info;
  ASSERT_OK(hsa_amd_pointer_info(words + 1, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_IPC);
  EXPECT_EQ(info.agentBaseAddress, first);
  EXPECT_EQ(info.sizeInBytes, kBytes);
  EXPECT_EQ(info.agentOwner.handle, gpu_.handle);
  EXPECT_OK(hsa_amd_ipc_memory_detach(second));
  const hsa_signal_t added = Signal(1);
  Submit(queue_, Packet("add_one", {Address(words)}, kWords, 64, added));
  ASSERT_TRUE(Done(added));
  hsa_signal_t theirs = {0};
  ASSERT_OK(hsa_amd_ipc_signal_attach(&signal, &theirs));
  EXPECT_EQ(hsa_signal_load_relaxed(theirs), 5);
  // By a packet, so that it is our queue that ends the peer's wait.
  hsa_signal_store_relaxed(theirs, 1);
  hsa_barrier_and_packet_t barrier = {};
  barrier.header = HSA_PACKET_TYPE_BARRIER_AND;
  barrier.completion_signal = theirs;
  Submit(queue_, barrier);
  EXPECT_EQ(peer.End(), 0);
  // The peer is gone, what we have of it stays; more there is not to be had.
  EXPECT_EQ(words[7], 22u);
  EXPECT_EQ(hsa_signal_load_relaxed(theirs), 0);
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&memory, kBytes, 0, nullptr, &second),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_signal_attach(&signal, &theirs), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_OK(hsa_amd_ipc_memory_detach(first));
  EXPECT_EQ(hsa_amd_ipc_memory_detach(first), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Ipc, TheOtherProcessDies) {
  uint32_t* const words = Allocate<uint32_t>(kWords);
  const hsa_signal_t go = SharedSignal(1), done = SharedSignal(1);
  hsa_amd_ipc_memory_t handle = {};
  ASSERT_OK(hsa_amd_ipc_memory_create(words, kBytes, &handle));
  Peer peer({"die", hsa_tests::TextOf(handle), std::to_string(kBytes), TextOf(go), TextOf(done)});
  EXPECT_EQ(WTERMSIG(peer.End()), SIGKILL);
  EXPECT_TRUE(Done(done));
  EXPECT_EQ(words[5], 1u);
  EXPECT_EQ(
      hsa_signal_wait_scacquire(go, HSA_SIGNAL_CONDITION_EQ, 0, kShort, HSA_WAIT_STATE_BLOCKED), 1);
  hsa_signal_store_screlease(go, 0);
  EXPECT_TRUE(Done(go));
  EXPECT_OK(hsa_signal_destroy(go));
  EXPECT_OK(hsa_signal_destroy(done));
  EXPECT_OK(hsa_amd_memory_pool_free(words));
}

TEST_F(Ipc, OneProcessMayBeBoth) {
  uint32_t* const words = Allocate<uint32_t>(kWords);
  words[9] = 8;
  hsa_amd_ipc_memory_t handle = {};
  ASSERT_OK(hsa_amd_ipc_memory_create(words, kBytes, &handle));
  void* attached = nullptr;
  ASSERT_OK(hsa_amd_ipc_memory_attach(&handle, kBytes, 0, nullptr, &attached));
  EXPECT_NE(attached, words);
  auto* const other = static_cast<uint32_t*>(attached);
  EXPECT_EQ(other[9], 8u);
  // What is attached can be given on.
  hsa_amd_ipc_memory_t second = {};
  EXPECT_OK(hsa_amd_ipc_memory_create(attached, kBytes, &second));
  // It is there as long as anything has it, but its handle only as long as the allocation.
  EXPECT_OK(hsa_amd_memory_pool_free(words));
  other[9] = 7;
  void* third = nullptr;
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&handle, kBytes, 0, nullptr, &third),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ASSERT_OK(hsa_amd_ipc_memory_attach(&second, kBytes, 0, nullptr, &third));
  EXPECT_EQ(static_cast<uint32_t*>(third)[9], 7u);
  EXPECT_OK(hsa_amd_ipc_memory_detach(attached));
  EXPECT_OK(hsa_amd_ipc_memory_detach(third));
}

TEST_F(Ipc, WrongArguments) {
  // Of 1,000 bytes: as asked for, or as many as it takes.
  char* const memory = Allocate<char>(1000);
  hsa_amd_ipc_memory_t handle = {};
  for (const size_t bytes :
       {size_t{0}, size_t{999}, size_t{1001}, size_t{8192}, SIZE_MAX, size_t{0x7FFFFFFFF000}}) {
    EXPECT_EQ(hsa_amd_ipc_memory_create(memory, bytes, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT)
        << bytes;
  }
  char local[64];
  EXPECT_EQ(hsa_amd_ipc_memory_create(nullptr, 1000, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_memory_create(local, 64, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_memory_create(memory + 1, 999, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_memory_create(memory, 1000, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_OK(hsa_amd_ipc_memory_create(memory, 4096, &handle));
  ASSERT_OK(hsa_amd_ipc_memory_create(memory, 1000, &handle));

  void* attached = nullptr;
  const hsa_agent_t none = {3};
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&handle, 1000, 1, &none, &attached),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&handle, 1000, 1, nullptr, &attached),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_memory_attach(&handle, 1000, 0, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  for (const size_t bytes : {size_t{0}, size_t{4097}, SIZE_MAX}) {
    EXPECT_EQ(hsa_amd_ipc_memory_attach(&handle, bytes, 0, nullptr, &attached),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  hsa_signal_t signal = {0};
  EXPECT_EQ(hsa_amd_ipc_signal_attach(&handle, &signal), HSA_STATUS_ERROR_INVALID_ARGUMENT)
      << "it is memory";
  // Handles of which any part is another one.
  for (size_t n = 0; n < sizeof handle; ++n) {
    hsa_amd_ipc_memory_t wrong = handle;
    reinterpret_cast<uint8_t*>(&wrong)[n] ^= 0x10;
    EXPECT_EQ(hsa_amd_ipc_memory_attach(&wrong, 1000, 0, nullptr, &attached),
              HSA_STATUS_ERROR_INVALID_ARGUMENT)
        << n;
  }
  EXPECT_EQ(hsa_amd_ipc_memory_detach(nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_memory_detach(memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_ipc_memory_detach(local), HSA_STATUS_ERROR_INVALID_ARGUMENT);

  const hsa_signal_t own = Signal(1);
  EXPECT_EQ(hsa_amd_ipc_signal_create(own, &handle), HSA_STATUS_ERROR_INVALID_ARGUMENT)
      << "it was not made for it";
  EXPECT_EQ(hsa_amd_ipc_signal_create({5}, &handle), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_amd_ipc_signal_create(SharedSignal(1), nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_signal_create(1, 0, nullptr, 4, &signal), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

// A thread that waits for a signal may still look at it when it is gone.
TEST_F(Ipc, SignalsAreDestroyedUnderWaiters) {
  for (int n = 0; n < 20; ++n) {
    const hsa_signal_t signal = SharedSignal(1);
    std::thread waiter([&] {
      hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 77, 2'000'000,
                                HSA_WAIT_STATE_BLOCKED);
    });
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    EXPECT_OK(hsa_signal_destroy(signal));
    waiter.join();
  }
}

}  // namespace
}  // namespace gcnjit::hsa_tests
