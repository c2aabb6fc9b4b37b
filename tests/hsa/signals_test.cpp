// Signals: values, waiting, handlers.
#include "fixture.h"

namespace gcnjit::hsa_tests {
namespace {

class Signals : public HsaTest {};

TEST_F(Signals, Operations) {
  const hsa_signal_t signal = Signal(10);
  hsa_signal_add_relaxed(signal, 5);
  hsa_signal_subtract_screlease(signal, 3);
  EXPECT_EQ(hsa_signal_load_scacquire(signal), 12);
  hsa_signal_and_relaxed(signal, 8);
  hsa_signal_or_relaxed(signal, 3);
  hsa_signal_xor_relaxed(signal, 1);
  EXPECT_EQ(hsa_signal_load_relaxed(signal), 10);
  EXPECT_EQ(hsa_signal_exchange_scacq_screl(signal, -4), 10);
  EXPECT_EQ(hsa_signal_cas_scacq_screl(signal, 7, 8), -4);
  EXPECT_EQ(hsa_signal_cas_scacq_screl(signal, -4, 8), -4);
  EXPECT_EQ(hsa_signal_load_relaxed(signal), 8);
  hsa_signal_silent_store_relaxed(signal, 1);
  volatile hsa_signal_value_t* value = nullptr;
  ASSERT_OK(hsa_amd_signal_value_pointer(signal, &value));
  EXPECT_EQ(*value, 1);
  EXPECT_OK(hsa_signal_destroy(signal));
}

TEST_F(Signals, AreLaidOutAsKernelsExpect) {
  const hsa_signal_t signal = Signal(3);
  const auto* amd = reinterpret_cast<const amd_signal_t*>(signal.handle);
  EXPECT_EQ(signal.handle % 64, 0u);
  EXPECT_EQ(amd->kind, AMD_SIGNAL_KIND_USER);
  EXPECT_EQ(amd->value, 3);
  EXPECT_EQ(amd->event_mailbox_ptr, 0u);
}

TEST_F(Signals, WaitsEndInTime) {
  const hsa_signal_t signal = Signal(1);
  EXPECT_EQ(
      hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, kShort, HSA_WAIT_STATE_BLOCKED),
      1);
  std::thread other([signal] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    hsa_signal_subtract_screlease(signal, 1);
  });
  EXPECT_EQ(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, kForever,
                                      HSA_WAIT_STATE_BLOCKED),
            0);
  other.join();
  // Nothing tells of writes by kernels; they are noticed all the same.
  volatile hsa_signal_value_t* value = nullptr;
  ASSERT_OK(hsa_amd_signal_value_pointer(signal, &value));
  std::thread silent([value] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic_ref<int64_t>(const_cast<int64_t&>(*value)).store(9, std::memory_order_relaxed);
  });
  EXPECT_EQ(
      hsa_signal_wait_relaxed(signal, HSA_SIGNAL_CONDITION_GTE, 9, kForever, HSA_WAIT_STATE_ACTIVE),
      9);
  silent.join();
}

TEST_F(Signals, WaitAny) {
  hsa_signal_t signals[3] = {Signal(1), Signal(1), Signal(1)};
  hsa_signal_condition_t conditions[3] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ,
                                          HSA_SIGNAL_CONDITION_NE};
  hsa_signal_value_t values[3] = {0, 5, 1};
  hsa_signal_value_t value = 0;
  EXPECT_EQ(hsa_amd_signal_wait_any(3, signals, conditions, values, kShort, HSA_WAIT_STATE_BLOCKED,
                                    &value),
            UINT32_MAX);
  std::thread other([&] { hsa_signal_store_screlease(signals[1], 5); });
  EXPECT_EQ(hsa_amd_signal_wait_any(3, signals, conditions, values, kForever,
                                    HSA_WAIT_STATE_BLOCKED, &value),
            1u);
  EXPECT_EQ(value, 5);
  other.join();
  // Handles that are none are left out, not counted out.
  signals[0] = {12345};
  EXPECT_EQ(hsa_amd_signal_wait_any(3, signals, conditions, values, kForever,
                                    HSA_WAIT_STATE_BLOCKED, nullptr),
            1u);
  EXPECT_EQ(hsa_amd_signal_wait_any(1, signals, conditions, values, kForever,
                                    HSA_WAIT_STATE_BLOCKED, nullptr),
            UINT32_MAX);
}

TEST_F(Signals, HandlersAreCalledUntilTheyHaveEnough) {
  const hsa_signal_t signal = Signal(1);
  const hsa_signal_t ended = Signal(1);
  struct State {
    std::atomic<int> calls = 0;
    hsa_signal_t signal, ended;
  } state;
  state.signal = signal;
  state.ended = ended;
  const auto handler = [](hsa_signal_value_t value, void* data) {
    auto& seen = *static_cast<State*>(data);
    EXPECT_EQ(value, 0);
    if (++seen.calls < 3) return true;
    hsa_signal_store_screlease(seen.ended, 0);
    return false;
  };
  ASSERT_OK(hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ, 0, handler, &state));
  EXPECT_EQ(state.calls, 0);
  hsa_signal_store_screlease(signal, 0);
  EXPECT_TRUE(Done(ended));
  EXPECT_EQ(state.calls, 3);
}

TEST_F(Signals, HandlersWaitForTheirCondition) {
  struct Case {
    hsa_signal_condition_t condition;
    hsa_signal_value_t too_soon, holds;
  };
  for (const auto& [condition, too_soon, holds] :
       {Case{HSA_SIGNAL_CONDITION_EQ, 4, 5}, Case{HSA_SIGNAL_CONDITION_NE, 5, 4},
        Case{HSA_SIGNAL_CONDITION_LT, 6, 4}, Case{HSA_SIGNAL_CONDITION_GTE, 4, 6}}) {
    SCOPED_TRACE(condition);
    const hsa_signal_t signal = Signal(too_soon);
    const hsa_signal_t seen = Signal(0);
    const auto handler = [](hsa_signal_value_t value, void* data) {
      hsa_signal_store_screlease(*static_cast<hsa_signal_t*>(data), value);
      return false;
    };
    hsa_signal_t argument = seen;
    ASSERT_OK(hsa_amd_signal_async_handler(signal, condition, 5, handler, &argument));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(hsa_signal_load_scacquire(seen), 0);
    hsa_signal_store_screlease(signal, holds);
    EXPECT_EQ(
        hsa_signal_wait_scacquire(seen, HSA_SIGNAL_CONDITION_NE, 0, kLong, HSA_WAIT_STATE_BLOCKED),
        holds);
  }
}

// The place of a signal is used again, though a wait for the signal before is not over.
TEST_F(Signals, WaitsForADestroyedOneCountThemselvesOut) {
  const hsa_signal_t old = Signal(1);
  std::thread waiter([old] {
    hsa_signal_wait_scacquire(old, HSA_SIGNAL_CONDITION_EQ, 0, 10 * kShort, HSA_WAIT_STATE_BLOCKED);
  });
  const auto* const place = reinterpret_cast<const amd_signal_t*>(old.handle);
  const auto waiters = [place] { return __atomic_load_n(&place->reserved3[0], __ATOMIC_ACQUIRE); };
  while (waiters() == 0) std::this_thread::yield();
  EXPECT_OK(hsa_signal_destroy(old));
  const hsa_signal_t reused = Signal(1);
  ASSERT_EQ(reused.handle, old.handle);
  waiter.join();
  EXPECT_EQ(waiters(), 0u);
  EXPECT_OK(hsa_signal_destroy(reused));
}

TEST_F(Signals, WrongHandles) {
  EXPECT_EQ(hsa_signal_destroy({0}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_destroy({12345}), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_signal_create(0, 0, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_create(0, 1, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const hsa_signal_t signal = Signal(1);
  EXPECT_OK(hsa_signal_destroy(signal));
  EXPECT_EQ(hsa_signal_destroy(signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
  hsa_signal_store_screlease(signal, 77);
  EXPECT_EQ(hsa_signal_load_relaxed(signal), 0);
  EXPECT_EQ(hsa_signal_wait_relaxed({12345}, HSA_SIGNAL_CONDITION_EQ, 0, kForever,
                                    HSA_WAIT_STATE_BLOCKED),
            0);
  const auto handler = [](hsa_signal_value_t, void*) { return false; };
  EXPECT_EQ(hsa_amd_signal_async_handler({0}, HSA_SIGNAL_CONDITION_EQ, 0, handler, nullptr),
            HSA_STATUS_ERROR_INVALID_SIGNAL);
}

}  // namespace
}  // namespace gcnjit::hsa_tests
