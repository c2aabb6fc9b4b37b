// Code objects in the oldest form of the API.
#include <map>

#include "fixture.h"

namespace gcnjit::hsa_tests {
namespace {

class CodeObjects : public KernelTest {
 protected:
  void SetUp() override {
    KernelTest::SetUp();
    file_ = ReadFile(GCNJIT_HSA_KERNELS);
    ASSERT_OK(hsa_code_object_deserialize(file_.data(), file_.size(), nullptr, &code_));
  }
  void TearDown() override {
    EXPECT_OK(hsa_code_object_destroy(code_));
    KernelTest::TearDown();
  }
  hsa_executable_t MakeExecutable() {
    hsa_executable_t executable = {0};
    EXPECT_OK(hsa_executable_create(HSA_PROFILE_BASE, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr,
                                    &executable));
    return executable;
  }
  template <typename T>
  static T Info(hsa_code_symbol_t symbol, hsa_code_symbol_info_t attribute) {
    T value = {};
    EXPECT_OK(hsa_code_symbol_get_info(symbol, attribute, &value));
    return value;
  }
  static std::string NameOf(hsa_code_symbol_t symbol) {
    std::string name(Info<uint32_t>(symbol, HSA_CODE_SYMBOL_INFO_NAME_LENGTH), ' ');
    EXPECT_OK(hsa_code_symbol_get_info(symbol, HSA_CODE_SYMBOL_INFO_NAME, name.data()));
    return name;
  }

  std::vector<char> file_;
  hsa_code_object_t code_ = {0};
};

TEST_F(CodeObjects, AreLoadedAndRun) {
  const hsa_executable_t loaded = MakeExecutable();
  std::fill(file_.begin(), file_.end(), 0);  // there is a copy
  ASSERT_OK(hsa_executable_load_code_object(loaded, gpu_, code_, nullptr));
  ASSERT_OK(hsa_executable_freeze(loaded, nullptr));
  EXPECT_EQ(hsa_executable_load_code_object(loaded, gpu_, code_, nullptr),
            HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  hsa_executable_symbol_t symbol = {0};
  ASSERT_OK(hsa_executable_get_symbol_by_name(loaded, "add_one.kd", &gpu_, &symbol));
  uint32_t* const words = Allocate<uint32_t>(64);
  const hsa_signal_t done = Signal(1);
  hsa_kernel_dispatch_packet_t packet = Packet("add_one", {Address(words)}, 64, 64, done);
  ASSERT_OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                           &packet.kernel_object));
  EXPECT_NE(packet.kernel_object, KernelObject("add_one")) << "the other executable's";
  Submit(queue_, packet);
  ASSERT_TRUE(Done(done));
  EXPECT_EQ(words[63], 1u);
  EXPECT_OK(hsa_executable_destroy(loaded));
}

// Every symbol says of itself what the executable's of the same name does.
TEST_F(CodeObjects, SymbolsAreTheExecutables) {
  std::map<std::string, hsa_code_symbol_t> symbols;
  ASSERT_OK(hsa_code_object_iterate_symbols(
      code_,
      [](hsa_code_object_t, hsa_code_symbol_t symbol, void* data) {
        auto& found = *static_cast<std::map<std::string, hsa_code_symbol_t>*>(data);
        found[NameOf(symbol)] = symbol;
        return HSA_STATUS_SUCCESS;
      },
      &symbols));
  EXPECT_EQ(symbols.count("add_one.kd"), 1u);
  EXPECT_EQ(symbols.count("counter"), 1u);
  size_t in_executable = 0;
  ASSERT_OK(hsa_executable_iterate_symbols(
      executable_,
      [](hsa_executable_t, hsa_executable_symbol_t, void* data) {
        ++*static_cast<size_t*>(data);
        return HSA_STATUS_SUCCESS;
      },
      &in_executable));
  EXPECT_EQ(symbols.size(), in_executable);
  for (const auto& [name, symbol] : symbols) {
    hsa_code_symbol_t found = {0}, also = {0};
    EXPECT_OK(hsa_code_object_get_symbol(code_, name.c_str(), &found));
    EXPECT_OK(hsa_code_object_get_symbol_from_name(code_, nullptr, name.c_str(), &also));
    EXPECT_EQ(found.handle, symbol.handle);
    EXPECT_EQ(also.handle, symbol.handle);
    const hsa_executable_symbol_t other = Symbol(name.c_str());
    // Names are looked at above; alignments of what has no address yet may be larger.
    for (uint32_t number = 0; number < 32; ++number) {
      if (number >= HSA_CODE_SYMBOL_INFO_NAME && number <= HSA_CODE_SYMBOL_INFO_MODULE_NAME)
        continue;
      if (number == HSA_CODE_SYMBOL_INFO_VARIABLE_ALIGNMENT) continue;
      uint64_t here = 0, there = 0;
      const auto status =
          hsa_code_symbol_get_info(symbol, static_cast<hsa_code_symbol_info_t>(number), &here);
      const auto wanted = hsa_executable_symbol_get_info(
          other, static_cast<hsa_executable_symbol_info_t>(number), &there);
      if (number > HSA_CODE_SYMBOL_INFO_KERNEL_CALL_CONVENTION) {
        EXPECT_EQ(status, HSA_STATUS_ERROR_INVALID_ARGUMENT) << number;
      } else {
        EXPECT_EQ(status, wanted) << name << " " << number;
        EXPECT_EQ(here, there) << name << " " << number;
      }
    }
  }
}

TEST_F(CodeObjects, Info) {
  const auto info = [&](hsa_code_object_info_t attribute, auto value) {
    EXPECT_OK(hsa_code_object_get_info(code_, attribute, &value)) << attribute;
    return value;
  };
  hsa_isa_t isa = {0};
  ASSERT_OK(hsa_agent_get_info(gpu_, HSA_AGENT_INFO_ISA, &isa));
  EXPECT_EQ(info(HSA_CODE_OBJECT_INFO_ISA, hsa_isa_t{0}).handle, isa.handle);
  EXPECT_EQ(info(HSA_CODE_OBJECT_INFO_MACHINE_MODEL, hsa_machine_model_t{}),
            HSA_MACHINE_MODEL_LARGE);
  EXPECT_EQ(info(HSA_CODE_OBJECT_INFO_PROFILE, hsa_profile_t{}), HSA_PROFILE_BASE);
  EXPECT_EQ(info(HSA_CODE_OBJECT_INFO_TYPE, hsa_code_object_type_t{}),
            HSA_CODE_OBJECT_TYPE_PROGRAM);
  char version[64];
  std::memset(version, 'x', sizeof version);
  ASSERT_OK(hsa_code_object_get_info(code_, HSA_CODE_OBJECT_INFO_VERSION, version));
  EXPECT_STREQ(version, "4.0");
  EXPECT_EQ(version[63], 0);
}

TEST_F(CodeObjects, SerializedIsWhatWasGiven) {
  static std::vector<char> memory;
  void* bytes = nullptr;
  size_t size = 0;
  const auto allocate = [](size_t wanted, hsa_callback_data_t data, void** address) {
    EXPECT_EQ(data.handle, 77u);
    memory.resize(wanted);
    *address = memory.data();
    return HSA_STATUS_SUCCESS;
  };
  ASSERT_OK(hsa_code_object_serialize(code_, allocate, {77}, nullptr, &bytes, &size));
  EXPECT_EQ(bytes, memory.data());
  EXPECT_EQ(size, file_.size());
  EXPECT_EQ(memory, file_);
  const auto refuse = [](size_t, hsa_callback_data_t, void**) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  };
  EXPECT_EQ(hsa_code_object_serialize(code_, refuse, {0}, nullptr, &bytes, &size),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  const auto nothing = [](size_t, hsa_callback_data_t, void**) { return HSA_STATUS_SUCCESS; };
  EXPECT_EQ(hsa_code_object_serialize(code_, nothing, {0}, nullptr, &bytes, &size),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
}

TEST_F(CodeObjects, WrongArguments) {
  hsa_code_object_t other = {0};
  EXPECT_EQ(hsa_code_object_deserialize(nullptr, 64, nullptr, &other),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_deserialize(file_.data(), 0, nullptr, &other),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_deserialize(file_.data(), file_.size(), nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_code_symbol_t symbol = {0};
  uint64_t value = 0;
  const hsa_executable_t executable = MakeExecutable();
  for (const uint64_t none : {uint64_t{0}, uint64_t{1} << 30, UINT64_MAX}) {
    EXPECT_EQ(hsa_code_object_destroy({none}), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    EXPECT_EQ(hsa_code_object_get_symbol({none}, "counter", &symbol),
              HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    EXPECT_EQ(hsa_code_object_get_info({none}, HSA_CODE_OBJECT_INFO_TYPE, &value),
              HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    EXPECT_EQ(hsa_code_symbol_get_info({none}, HSA_CODE_SYMBOL_INFO_TYPE, &value),
              HSA_STATUS_ERROR_INVALID_CODE_SYMBOL);
    EXPECT_EQ(hsa_executable_load_code_object(executable, gpu_, {none}, nullptr),
              HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  }
  EXPECT_EQ(hsa_executable_load_code_object({7777}, gpu_, code_, nullptr),
            HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  EXPECT_EQ(hsa_executable_load_code_object(executable, cpu_, code_, nullptr),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_code_object_get_symbol(code_, "none", &symbol),
            HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_EQ(hsa_code_object_get_symbol(code_, nullptr, &symbol), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_get_info(code_, static_cast<hsa_code_object_info_t>(7), &value),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_iterate_symbols(code_, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  // Bytes that are none, and beginnings of some, are found out when they are used.
  ASSERT_OK(hsa_code_object_get_symbol(code_, "counter", &symbol));
  for (size_t bytes = 1; bytes < file_.size(); bytes += file_.size() / 37) {
    hsa_code_object_t part = {0};
    ASSERT_OK(hsa_code_object_deserialize(file_.data(), bytes, nullptr, &part));
    EXPECT_NE(hsa_executable_load_code_object(executable, gpu_, part, nullptr), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_code_object_get_info(part, HSA_CODE_OBJECT_INFO_TYPE, &value),
              HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    EXPECT_OK(hsa_code_object_destroy(part));
    EXPECT_EQ(hsa_code_object_destroy(part), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  }
  EXPECT_EQ(NameOf(symbol), "counter");
  EXPECT_OK(hsa_executable_destroy(executable));
}

}  // namespace
}  // namespace gcnjit::hsa_tests
