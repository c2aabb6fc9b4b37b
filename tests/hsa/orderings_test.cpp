// Functions that there are once for each memory ordering: each does what its name says. The names
// are those that the library exports; orderings themselves do not show here.
#include <dlfcn.h>

#include <functional>
#include <map>
#include <regex>

#include "fixture.h"

namespace gcnjit::hsa_tests {
namespace {

constexpr int64_t kBefore = 0b1100, kOperand = 0b1010;

// Checks a function, of whatever type, on something that holds kBefore.
using Check = std::function<void(void* function)>;

// Calls the check of each exported name that is an operation and "_" and an ordering; returns how
// many there are.
int CheckAll(const std::string& prefix, const std::map<std::string, Check>& checks) {
  const std::regex with_ordering(
      prefix + "(.*?)_(relaxed|acquire|release|acq_rel|scacquire|screlease|scacq_screl)");
  std::ifstream names(GCNJIT_HSA_NAMES);
  int count = 0;
  for (std::string name; std::getline(names, name);) {
    std::smatch parts;
    if (!std::regex_match(name, parts, with_ordering)) continue;
    const auto check = checks.find(parts[1]);
    if (check == checks.end()) continue;
    SCOPED_TRACE(name);
    void* const function = dlvsym(RTLD_DEFAULT, name.c_str(), "ROCR_1");
    if (function == nullptr) {
      ADD_FAILURE() << "not exported";
      continue;
    }
    check->second(function);
    ++count;
  }
  return count;
}

class Orderings : public HsaTest {};

TEST_F(Orderings, OfSignals) {
  const hsa_signal_t signal = Signal(0);
  const auto value = [&] { return hsa_signal_load_scacquire(signal); };
  const auto reset = [&] { hsa_signal_store_screlease(signal, kBefore); };
  // A function that changes the value to `after` and returns nothing.
  const auto changes = [&](int64_t after) -> Check {
    return [=](void* function) {
      reset();
      reinterpret_cast<void (*)(hsa_signal_t, int64_t)>(function)(signal, kOperand);
      EXPECT_EQ(value(), after);
    };
  };
  const Check load = [&](void* function) {
    reset();
    EXPECT_EQ(reinterpret_cast<int64_t (*)(hsa_signal_t)>(function)(signal), kBefore);
  };
  const Check exchange = [&](void* function) {
    reset();
    const auto call = reinterpret_cast<int64_t (*)(hsa_signal_t, int64_t)>(function);
    EXPECT_EQ(call(signal, kOperand), kBefore);
    EXPECT_EQ(value(), kOperand);
  };
  const Check cas = [&](void* function) {
    reset();
    const auto call = reinterpret_cast<int64_t (*)(hsa_signal_t, int64_t, int64_t)>(function);
    EXPECT_EQ(call(signal, kBefore + 1, kOperand), kBefore);
    EXPECT_EQ(value(), kBefore);
    EXPECT_EQ(call(signal, kBefore, kOperand), kBefore);
    EXPECT_EQ(value(), kOperand);
  };
  const Check wait = [&](void* function) {
    reset();
    const auto call = reinterpret_cast<decltype(&hsa_signal_wait_relaxed)>(function);
    EXPECT_EQ(call(signal, HSA_SIGNAL_CONDITION_LT, kBefore, 1000, HSA_WAIT_STATE_BLOCKED),
              kBefore);
    EXPECT_EQ(call(signal, HSA_SIGNAL_CONDITION_GTE, kBefore, kForever, HSA_WAIT_STATE_BLOCKED),
              kBefore);
    EXPECT_EQ(call(signal, HSA_SIGNAL_CONDITION_NE, kOperand, kForever, HSA_WAIT_STATE_ACTIVE),
              kBefore);
  };
  const int count = CheckAll("hsa_signal_", {{"load", load},
                                             {"store", changes(kOperand)},
                                             {"silent_store", changes(kOperand)},
                                             {"add", changes(kBefore + kOperand)},
                                             {"subtract", changes(kBefore - kOperand)},
                                             {"and", changes(kBefore & kOperand)},
                                             {"or", changes(kBefore | kOperand)},
                                             {"xor", changes(kBefore ^ kOperand)},
                                             {"exchange", exchange},
                                             {"cas", cas},
                                             {"wait", wait}});
  EXPECT_EQ(count, 60);
  EXPECT_OK(hsa_signal_destroy(signal));
}

TEST_F(Orderings, OfQueueIndices) {
  // No thread works on it, so that what is written stays.
  amd_queue_t memory = {};
  const hsa_queue_t* const queue = &memory.hsa_queue;
  constexpr uint64_t kRead = 5, kWritten = 9, kNew = 77;
  const auto reset = [&] {
    memory.read_dispatch_id = kRead;
    memory.write_dispatch_id = kWritten;
  };
  const auto loads = [&](uint64_t wanted) -> Check {
    return [=](void* function) {
      reset();
      EXPECT_EQ(reinterpret_cast<uint64_t (*)(const hsa_queue_t*)>(function)(queue), wanted);
    };
  };
  const auto stores = [&](uint64_t read, uint64_t written) -> Check {
    return [=, &memory](void* function) {
      reset();
      reinterpret_cast<void (*)(const hsa_queue_t*, uint64_t)>(function)(queue, kNew);
      EXPECT_EQ(memory.read_dispatch_id, read);
      EXPECT_EQ(memory.write_dispatch_id, written);
    };
  };
  const Check add = [&](void* function) {
    reset();
    const auto call = reinterpret_cast<uint64_t (*)(const hsa_queue_t*, uint64_t)>(function);
    EXPECT_EQ(call(queue, 3), kWritten);
    EXPECT_EQ(memory.write_dispatch_id, kWritten + 3);
    EXPECT_EQ(memory.read_dispatch_id, kRead);
  };
  const Check cas = [&](void* function) {
    reset();
    const auto call =
        reinterpret_cast<uint64_t (*)(const hsa_queue_t*, uint64_t, uint64_t)>(function);
    EXPECT_EQ(call(queue, kWritten + 1, kNew), kWritten);
    EXPECT_EQ(memory.write_dispatch_id, kWritten);
    EXPECT_EQ(call(queue, kWritten, kNew), kWritten);
    EXPECT_EQ(memory.write_dispatch_id, kNew);
    EXPECT_EQ(memory.read_dispatch_id, kRead);
  };
  const int count = CheckAll("hsa_queue_", {{"load_read_index", loads(kRead)},
                                            {"load_write_index", loads(kWritten)},
                                            {"store_read_index", stores(kNew, kWritten)},
                                            {"store_write_index", stores(kRead, kNew)},
                                            {"add_write_index", add},
                                            {"cas_write_index", cas}});
  EXPECT_EQ(count, 26);
}

}  // namespace
}  // namespace gcnjit::hsa_tests
