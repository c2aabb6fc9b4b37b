// Code objects: good ones, their symbols, and files that are none.
#include <algorithm>

#include "fixture.h"

namespace gcnjit::hsa_tests {
namespace {

class Executables : public KernelTest {
 protected:
  // Loads a file into a fresh executable.
  hsa_status_t Load(const std::vector<char>& file) {
    hsa_code_object_reader_t reader;
    EXPECT_OK(hsa_code_object_reader_create_from_memory(file.data(), file.size(), &reader));
    hsa_executable_t executable;
    EXPECT_OK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                        nullptr, &executable));
    const hsa_status_t status =
        hsa_executable_load_agent_code_object(executable, gpu_, reader, nullptr, nullptr);
    EXPECT_OK(hsa_executable_destroy(executable));
    EXPECT_OK(hsa_code_object_reader_destroy(reader));
    return status;
  }
};

TEST_F(Executables, Kernels) {
  const hsa_executable_symbol_t symbol = Symbol("reverse_in_lds.kd");
  hsa_symbol_kind_t kind;
  ASSERT_OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind));
  EXPECT_EQ(kind, HSA_SYMBOL_KIND_KERNEL);
  uint32_t length = 0, kernarg = 0;
  ASSERT_OK(
      hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length));
  std::string name(length, '\0');
  ASSERT_OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data()));
  EXPECT_EQ(name, "reverse_in_lds.kd");
  ASSERT_OK(hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernarg));
  EXPECT_GE(kernarg, 12u);
  hsa_executable_symbol_t none;
  EXPECT_EQ(hsa_executable_get_symbol_by_name(executable_, "nothing.kd", &gpu_, &none),
            HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_EQ(hsa_executable_symbol_get_info({4711}, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind),
            HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
}

TEST_F(Executables, Variables) {
  const hsa_executable_symbol_t symbol = Symbol("counter");
  uint64_t address = 0;
  uint32_t size = 0;
  ASSERT_OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS,
                                           &address));
  ASSERT_OK(
      hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &size));
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(address), 7u);
  uint64_t object;
  EXPECT_EQ(
      hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Executables, SymbolsAreListed) {
  std::vector<std::string> names;
  ASSERT_OK(hsa_executable_iterate_agent_symbols(
      executable_, gpu_,
      [](hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t symbol, void* data) {
        uint32_t length = 0;
        hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length);
        std::string name(length, '\0');
        hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data());
        static_cast<std::vector<std::string>*>(data)->push_back(name);
        return HSA_STATUS_SUCCESS;
      },
      &names));
  std::sort(names.begin(), names.end());
  const std::vector<std::string> all = {"add_one.kd",
                                        "begin_sync.kd",
                                        "call_function.kd",
                                        "clock.kd",
                                        "count.kd",
                                        "counter",
                                        "give_function.kd",
                                        "look.kd",
                                        "look_at_id.kd",
                                        "reverse_in_lds.kd",
                                        "run_no_code.kd",
                                        "say_and_wait.kd",
                                        "set.kd",
                                        "sync_grid.kd",
                                        "table",
                                        "wait_and_trap.kd",
                                        "wait_for.kd",
                                        "write_far.kd"};
  EXPECT_EQ(names, all);
}

// Handles of hundreds of executables at once, each found by its own name, and none after its
// executable has gone, whose places are not given to later symbols.
TEST_F(Executables, HandlesOfSymbolsAreNotUsedAgain) {
  const std::vector<char> file = ReadFile(GCNJIT_HSA_KERNELS);
  hsa_code_object_reader_t reader;
  ASSERT_OK(hsa_code_object_reader_create_from_memory(file.data(), file.size(), &reader));
  struct Loaded {
    hsa_executable_t executable;
    hsa_executable_symbol_t kernel, variable;
  };
  const auto kind_of = [](hsa_executable_symbol_t symbol, hsa_symbol_kind_t* kind) {
    return hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, kind);
  };
  hsa_symbol_kind_t kind;
  std::vector<uint64_t> handles;
  for (int round = 0; round < 2; ++round) {
    std::vector<Loaded> all(100);
    for (Loaded& loaded : all) {
      ASSERT_OK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                          nullptr, &loaded.executable));
      ASSERT_OK(
          hsa_executable_load_agent_code_object(loaded.executable, gpu_, reader, nullptr, nullptr));
      ASSERT_OK(hsa_executable_get_symbol_by_name(loaded.executable, "add_one.kd", &gpu_,
                                                  &loaded.kernel));
      ASSERT_OK(hsa_executable_get_symbol_by_name(loaded.executable, "counter", nullptr,
                                                  &loaded.variable));
      handles.push_back(loaded.kernel.handle);
      handles.push_back(loaded.variable.handle);
    }
    for (const Loaded& loaded : all) {
      ASSERT_OK(kind_of(loaded.kernel, &kind));
      EXPECT_EQ(kind, HSA_SYMBOL_KIND_KERNEL);
      ASSERT_OK(kind_of(loaded.variable, &kind));
      EXPECT_EQ(kind, HSA_SYMBOL_KIND_VARIABLE);
    }
    for (const Loaded& loaded : all) ASSERT_OK(hsa_executable_destroy(loaded.executable));
    for (const uint64_t handle : handles) {
      EXPECT_EQ(kind_of({handle}, &kind), HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
    }
  }
  std::sort(handles.begin(), handles.end());
  EXPECT_EQ(std::adjacent_find(handles.begin(), handles.end()), handles.end());
  for (const uint64_t handle : {uint64_t{0}, uint64_t{1} << 20, uint64_t{1} << 63, UINT64_MAX - 63,
                                UINT64_MAX - 1, UINT64_MAX}) {
    EXPECT_EQ(kind_of({handle}, &kind), HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL) << handle;
  }
  EXPECT_OK(hsa_code_object_reader_destroy(reader));
}

TEST_F(Executables, StatesAndHandles) {
  hsa_executable_state_t state;
  ASSERT_OK(hsa_executable_get_info(executable_, HSA_EXECUTABLE_INFO_STATE, &state));
  EXPECT_EQ(state, HSA_EXECUTABLE_STATE_FROZEN);
  EXPECT_EQ(hsa_executable_freeze(executable_, nullptr), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  const std::vector<char> file = ReadFile(GCNJIT_HSA_KERNELS);
  hsa_code_object_reader_t reader;
  ASSERT_OK(hsa_code_object_reader_create_from_memory(file.data(), file.size(), &reader));
  EXPECT_EQ(hsa_executable_load_agent_code_object(executable_, gpu_, reader, nullptr, nullptr),
            HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  hsa_executable_t fresh;
  ASSERT_OK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                      nullptr, &fresh));
  EXPECT_EQ(hsa_executable_load_agent_code_object(fresh, cpu_, reader, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_executable_load_agent_code_object(fresh, gpu_, {99999}, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  EXPECT_EQ(hsa_executable_load_agent_code_object({99999}, gpu_, reader, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  EXPECT_OK(hsa_executable_destroy(fresh));
  EXPECT_EQ(hsa_executable_destroy(fresh), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  EXPECT_OK(hsa_code_object_reader_destroy(reader));
  EXPECT_EQ(hsa_code_object_reader_destroy(reader), HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  EXPECT_EQ(hsa_code_object_reader_create_from_memory(nullptr, 8, &reader),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_reader_create_from_file(-1, &reader), HSA_STATUS_ERROR_INVALID_FILE);
}

// Libraries of later releases have gfx9-generic's code in place of gfx900's and gfx906's.
TEST_F(Executables, CodeForAGenericProcessorIsLoadedAndRun) {
  const std::vector<char> file = ReadFile(GCNJIT_HSA_GENERIC_KERNELS);
  hsa_code_object_reader_t reader;
  ASSERT_OK(hsa_code_object_reader_create_from_memory(file.data(), file.size(), &reader));
  hsa_executable_t loaded;
  ASSERT_OK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                      nullptr, &loaded));
  ASSERT_OK(hsa_executable_load_agent_code_object(loaded, gpu_, reader, nullptr, nullptr));
  ASSERT_OK(hsa_executable_freeze(loaded, nullptr));
  hsa_executable_symbol_t symbol = {0};
  ASSERT_OK(hsa_executable_get_symbol_by_name(loaded, "add_one.kd", &gpu_, &symbol));
  uint32_t* const words = Allocate<uint32_t>(64);
  const hsa_signal_t done = Signal(1);
  hsa_kernel_dispatch_packet_t packet = Packet("add_one", {Address(words)}, 64, 64, done);
  ASSERT_OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                           &packet.kernel_object));
  Submit(queue_, packet);
  ASSERT_TRUE(Done(done));
  EXPECT_EQ(words[63], 1u);
  EXPECT_OK(hsa_executable_destroy(loaded));
  EXPECT_OK(hsa_code_object_reader_destroy(reader));
}

TEST_F(Executables, FilesThatAreNoCodeObjects) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(Load(std::vector<char>(1000, 'x')), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(told.starts_with("gcnjit: a code object was refused: ")) << told;
  const std::vector<char> file = ReadFile(GCNJIT_HSA_KERNELS);
  EXPECT_OK(Load(file));
  for (const size_t size : {size_t{1}, size_t{63}, size_t{64}, size_t{200}, file.size() / 2}) {
    EXPECT_NE(Load({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)}),
              HSA_STATUS_SUCCESS)
        << size;
  }
  // For a processor that this agent is not: gfx906 in e_flags.
  std::vector<char> other = file;
  other[48] = 0x2F;
  EXPECT_EQ(Load(other), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  // Single damaged bytes must do no harm, whatever they mean.
  for (size_t at = 0; at < file.size(); at += 97) {
    std::vector<char> damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
    Load(damaged);
  }
}

// As rocFFT's callbacks do. The other program stays while this one may go there again.
TEST_F(Executables, KernelsCallFunctionsOfOtherPrograms) {
  constexpr uint32_t kItems = 256;
  const std::vector<char> file = ReadFile(GCNJIT_HSA_KERNELS);
  auto* const function = Allocate<uint64_t>(1, kFine);
  auto* const values = Allocate<uint32_t>(kItems, kFine);
  const auto call = [&](uint64_t address) {
    for (uint32_t n = 0; n < kItems; ++n) values[n] = n;
    auto packet = Packet("call_function", {address, Address(values)}, kItems, 64, Signal(1));
    packet.private_segment_size = 16384;  // compilers assume so much of functions they do not know
    Submit(queue_, packet);
    ASSERT_TRUE(Done(packet.completion_signal));
    for (uint32_t n = 0; n < kItems; ++n) ASSERT_EQ(values[n], 2 * n + 1) << n;
  };
  std::vector<uint64_t> functions;
  for (int program = 0; program < 3; ++program) {
    hsa_code_object_reader_t reader;
    hsa_executable_t other;
    hsa_executable_symbol_t symbol;
    ASSERT_OK(hsa_code_object_reader_create_from_memory(file.data(), file.size(), &reader));
    ASSERT_OK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                        nullptr, &other));
    ASSERT_OK(hsa_executable_load_agent_code_object(other, gpu_, reader, nullptr, nullptr));
    ASSERT_OK(hsa_executable_get_symbol_by_name(other, "give_function.kd", &gpu_, &symbol));
    auto packet = Packet("give_function", {Address(function)}, 1, 1, Signal(1));
    ASSERT_OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                             &packet.kernel_object));
    Submit(queue_, packet);
    ASSERT_TRUE(Done(packet.completion_signal));
    functions.push_back(*function);
    const auto* const code = reinterpret_cast<const void*>(*function);
    uint64_t before = 0, after = 0;
    ASSERT_OK(hsa_memory_copy(&before, code, sizeof before));
    // Often enough that it is compiled.
    for (int n = 0; n < 50; ++n) call(*function);
    ASSERT_OK(hsa_executable_destroy(other));
    ASSERT_OK(hsa_code_object_reader_destroy(reader));
    ASSERT_OK(hsa_memory_copy(&after, code, sizeof after));
    EXPECT_EQ(after, before);
    for (const uint64_t each : functions) call(each);
  }
  std::sort(functions.begin(), functions.end());
  EXPECT_EQ(std::adjacent_find(functions.begin(), functions.end()), functions.end());
}

// Neither copies nor kernels change code, and there is no second view of it. It can be read.
TEST_F(KernelTest, CodeNeverChanges) {
  constexpr uint64_t kEntryOffset = 16;  // in a kernel descriptor: AMDGPUUsage
  const uint64_t descriptor = KernelObject("add_one");
  int64_t offset = 0;
  std::memcpy(&offset, reinterpret_cast<const void*>(descriptor + kEntryOffset), sizeof offset);
  auto* const code = reinterpret_cast<char*>(descriptor + static_cast<uint64_t>(offset));
  uint64_t before = 0, other[512] = {};
  ASSERT_OK(hsa_memory_copy(&before, code, sizeof before));
  const hsa_signal_t never = Signal(1);
  // From the code's first byte on, and from before its page to it.
  auto* const page = reinterpret_cast<char*>(reinterpret_cast<uint64_t>(code) & ~uint64_t{4095});
  for (char* const to : {code, page, page - 8}) {
    EXPECT_EQ(hsa_memory_copy(to, other, 16), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(hsa_amd_memory_async_copy(to, gpu_, other, cpu_, 16, 0, nullptr, never),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(hsa_amd_memory_fill(to, 0, 4), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    const hsa_pitched_ptr_t from = {other, 64, 64}, at = {to, 64, 64};
    const hsa_dim3_t zero = {0, 0, 0}, range = {16, 1, 1};
    EXPECT_EQ(hsa_amd_memory_async_copy_rect(&at, &zero, &from, &zero, &range, gpu_,
                                             hsaHostToDevice, 0, nullptr, never),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
    void* view = nullptr;
    EXPECT_EQ(hsa_amd_memory_lock(to, 16, nullptr, 0, &view), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  // The variable beside it is written as ever.
  uint64_t counter = 0;
  ASSERT_OK(hsa_executable_symbol_get_info(Symbol("counter"),
                                           HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &counter));
  EXPECT_OK(hsa_memory_copy(reinterpret_cast<void*>(counter), other, 4));
  static std::atomic<uint64_t> faulted;
  faulted = 0;
  ASSERT_OK(hsa_amd_register_system_event_handler(
      [](const hsa_amd_event_t* event, void*) {
        faulted = event->memory_fault.virtual_address;
        return HSA_STATUS_SUCCESS;
      },
      nullptr));
  Submit(queue_, Packet("add_one", {Address(code)}, 64, 64, Signal(1)));
  EXPECT_EQ(Failure(), HSA_STATUS_ERROR_MEMORY_FAULT);
  EXPECT_EQ(faulted, Address(page));  // all that is said of the address
  EXPECT_EQ(std::memcmp(&before, code, sizeof before), 0);
}

}  // namespace
}  // namespace gcnjit::hsa_tests
