// What the API has got for memory, queues and signals that most programs do without: attributes of
// shared virtual memory, descriptors of memory, queues of the host's, groups of signals.
#include <fcntl.h>
#include <unistd.h>

#include <map>
#include <random>
#include <set>

#include "fixture.h"
#include "runtime/hsa/newer_api.h"

namespace gcnjit::hsa_tests {
namespace {

constexpr uint64_t kLaterPage = 4096;
using Pair = hsa_amd_svm_attribute_pair_t;

class Svm : public HsaTest {
 protected:
  static uint64_t Ask(char* at, size_t bytes, uint64_t attribute) {
    Pair pair = {attribute, 99};
    EXPECT_OK(hsa_amd_svm_attributes_get(at, bytes, &pair, 1)) << attribute;
    return pair.value;
  }
  static uint64_t Access(char* at, size_t bytes, hsa_agent_t agent) {
    Pair pair = {HSA_AMD_SVM_ATTRIB_ACCESS_QUERY, agent.handle};
    EXPECT_OK(hsa_amd_svm_attributes_get(at, bytes, &pair, 1));
    EXPECT_EQ(pair.value, agent.handle);
    return pair.attribute;
  }
  static hsa_status_t Set(char* at, size_t bytes, std::vector<Pair> pairs) {
    return hsa_amd_svm_attributes_set(at, bytes, pairs.data(), pairs.size());
  }

  static constexpr uint64_t kPages = 64;
  std::vector<char> memory_ = std::vector<char>((kPages + 1) * kLaterPage);
  char* pages_ =
      memory_.data() + (kLaterPage - reinterpret_cast<uint64_t>(memory_.data()) % kLaterPage);
};

TEST_F(Svm, NothingIsSetAtFirst) {
  EXPECT_EQ(Ask(pages_, kLaterPage, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG),
            HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED);
  EXPECT_EQ(Ask(pages_, kLaterPage, HSA_AMD_SVM_ATTRIB_READ_ONLY), 0u);
  EXPECT_EQ(Ask(pages_, kLaterPage, HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY), 9u);
  EXPECT_EQ(Ask(pages_, kLaterPage, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION), 0u);
  EXPECT_EQ(Ask(pages_, kLaterPage, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION), 0u);
  EXPECT_EQ(Access(pages_, kLaterPage, gpu_), HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE);
}

// Whatever is set in whichever order, a range says what a table of pages does.
TEST_F(Svm, WhatWasSetIsAnswered) {
  struct PageState {
    std::map<uint64_t, uint64_t> plain;
    uint64_t access = HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE;
  };
  std::vector<PageState> table(kPages);
  for (PageState& page : table) page.plain[HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY] = 9;
  const std::vector<Pair> settings = {{HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG, 0},
                                      {HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG, 1},
                                      {HSA_AMD_SVM_ATTRIB_READ_ONLY, 0},
                                      {HSA_AMD_SVM_ATTRIB_READ_ONLY, 1},
                                      {HSA_AMD_SVM_ATTRIB_HIVE_LOCAL, 1},
                                      {HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 1},
                                      {HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY, 3},
                                      {HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY, 18},
                                      {HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, 0},
                                      {HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, cpu_.handle},
                                      {HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, gpu_.handle}};
  std::mt19937 random(11);
  for (int step = 0; step < 600; ++step) {
    const uint64_t first = random() % kPages, count = 1 + random() % (kPages - first);
    if (random() % 4 == 0) {
      const uint64_t access = 0x200 + random() % 3;
      ASSERT_OK(Set(pages_ + first * kLaterPage, count * kLaterPage, {{access, gpu_.handle}}));
      for (uint64_t n = first; n < first + count; ++n) table[n].access = access;
    } else {
      const Pair pair = settings[random() % settings.size()];
      // Whole pages around what is asked for.
      ASSERT_OK(Set(pages_ + first * kLaterPage + 5, count * kLaterPage - 9, {pair}));
      for (uint64_t n = first; n < first + count; ++n) table[n].plain[pair.attribute] = pair.value;
    }
    const uint64_t from = random() % kPages, pages = 1 + random() % (kPages - from);
    std::set<uint64_t> access;
    for (uint64_t n = from; n < from + pages; ++n) access.insert(table[n].access);
    EXPECT_EQ(Access(pages_ + from * kLaterPage, pages * kLaterPage, gpu_),
              access.size() == 1 ? *access.begin() : uint64_t{HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS});
    for (uint64_t attribute = 0; attribute <= HSA_AMD_SVM_ATTRIB_READ_MOSTLY; ++attribute) {
      if (attribute == HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION) continue;
      std::set<uint64_t> values;
      for (uint64_t n = from; n < from + pages; ++n) values.insert(table[n].plain[attribute]);
      uint64_t want = values.size() == 1 ? *values.begin() : 0;
      if (values.size() > 1 && attribute == HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG) want = 2;
      if (values.size() > 1 && attribute == HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY) {
        want = *values.begin();
      }
      EXPECT_EQ(Ask(pages_ + from * kLaterPage, pages * kLaterPage, attribute), want) << attribute;
    }
  }
}

TEST_F(Svm, WrongArguments) {
  Pair pair = {HSA_AMD_SVM_ATTRIB_READ_ONLY, 1};
  EXPECT_EQ(hsa_amd_svm_attributes_set(pages_, kLaterPage, nullptr, 1),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_svm_attributes_get(pages_, kLaterPage, nullptr, 1),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  char* const last = reinterpret_cast<char*>(UINT64_MAX - 100);
  for (const auto& [at, bytes] : std::vector<std::pair<char*, size_t>>{
           {pages_, 0}, {nullptr, kLaterPage}, {pages_, SIZE_MAX}, {last, 50}, {last, SIZE_MAX}}) {
    EXPECT_EQ(hsa_amd_svm_attributes_set(at, bytes, &pair, 1), HSA_STATUS_ERROR);
    EXPECT_EQ(hsa_amd_svm_attributes_get(at, bytes, &pair, 1), HSA_STATUS_ERROR);
    EXPECT_EQ(hsa_amd_svm_prefetch_async(at, bytes, gpu_, 0, nullptr, {0}), HSA_STATUS_ERROR);
  }
  EXPECT_EQ(Set(pages_, kLaterPage,
                {{HSA_AMD_SVM_ATTRIB_READ_ONLY, 1}, {HSA_AMD_SVM_ATTRIB_READ_ONLY, 0}}),
            HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_EQ(Set(pages_, kLaterPage, {{0x200, gpu_.handle}, {0x202, gpu_.handle}}),
            HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_EQ(Set(pages_, kLaterPage, {{0x200, 7}}), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(Set(pages_, kLaterPage, {{HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, 7}}),
            HSA_STATUS_ERROR_INVALID_AGENT);
  // Not to be set: an unknown one, a location of prefetches, a question, a mixture.
  for (const Pair& wrong :
       std::vector<Pair>{{8, 1}, {5, gpu_.handle}, {0x203, gpu_.handle}, {0, 2}, {UINT64_MAX, 1}}) {
    EXPECT_EQ(Set(pages_, kLaterPage, {{HSA_AMD_SVM_ATTRIB_READ_ONLY, 1}, wrong}),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  EXPECT_EQ(Ask(pages_, kLaterPage, HSA_AMD_SVM_ATTRIB_READ_ONLY), 0u) << "all or nothing";
  for (const uint64_t wrong : {uint64_t{8}, uint64_t{0x200}, UINT64_MAX}) {
    pair = {wrong, gpu_.handle};
    EXPECT_EQ(hsa_amd_svm_attributes_get(pages_, kLaterPage, &pair, 1),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  pair = {0x203, 7};
  EXPECT_EQ(hsa_amd_svm_attributes_get(pages_, kLaterPage, &pair, 1),
            HSA_STATUS_ERROR_INVALID_AGENT);
}

TEST_F(Svm, PrefetchesKeepTheirOrder) {
  const hsa_signal_t go = Signal(1), done = Signal(1);
  ASSERT_OK(hsa_amd_svm_prefetch_async(pages_, 4 * kLaterPage, gpu_, 1, &go, done));
  EXPECT_EQ(
      hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, kShort, HSA_WAIT_STATE_BLOCKED),
      1);
  EXPECT_EQ(Ask(pages_, kLaterPage, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION), 0u);
  hsa_signal_store_screlease(go, 0);
  ASSERT_TRUE(Done(done));
  EXPECT_EQ(Ask(pages_, 4 * kLaterPage, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION), gpu_.handle);
  EXPECT_EQ(Ask(pages_, 5 * kLaterPage, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION), 0u);
  EXPECT_EQ(hsa_amd_svm_prefetch_async(pages_, kLaterPage, {7}, 0, nullptr, done),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_svm_prefetch_async(pages_, kLaterPage, gpu_, 1, nullptr, done),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const hsa_signal_t none = {7};
  EXPECT_EQ(hsa_amd_svm_prefetch_async(pages_, kLaterPage, gpu_, 1, &none, done),
            HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_amd_svm_prefetch_async(pages_, kLaterPage, gpu_, 0, nullptr, none),
            HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_amd_memory_migrate(nullptr, PoolOf(gpu_, kCoarse), 0),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_migrate(pages_, PoolOf(gpu_, kCoarse), 1),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_migrate(pages_, {7}, 0), Amd(HSA_STATUS_ERROR_INVALID_MEMORY_POOL));
  EXPECT_EQ(hsa_amd_memory_migrate(pages_, PoolOf(gpu_, kCoarse), 0),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
}

class Descriptors : public HsaTest {};

TEST_F(Descriptors, MemoryGoesThroughThem) {
  auto* const words = Allocate<uint32_t>(4 * kLaterPage / 4);
  words[kLaterPage / 4 + 3] = 8;
  int file = -1;
  uint64_t offset = 0;
  ASSERT_OK(hsa::DmabufExport(words + kLaterPage / 4, kLaterPage, &file, &offset));
  EXPECT_EQ(offset, kLaterPage);
  size_t size = 0, metadata_size = 1;
  void* mapped = nullptr;
  const void* metadata = &size;
  ASSERT_OK(
      hsa_amd_interop_map_buffer(1, &gpu_, file, 0, &size, &mapped, &metadata_size, &metadata));
  EXPECT_EQ(size, 4 * kLaterPage);
  EXPECT_EQ(metadata_size, 0u);
  EXPECT_EQ(metadata, nullptr);
  auto* const other = static_cast<uint32_t*>(mapped);
  EXPECT_EQ(other[kLaterPage / 4 + 3], 8u);
  other[1] = 9;
  EXPECT_EQ(words[1], 9u);
  hsa_amd_pointer_info_t info = {};
  info.size = sizeof info;
  ASSERT_OK(hsa_amd_pointer_info(other, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_GRAPHICS);
  EXPECT_EQ(hsa_amd_ipc_memory_detach(mapped), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_pool_free(mapped), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  // As a handle of virtual memory, too.
  hsa::VmemHandle handle = {0};
  EXPECT_OK(hsa::VmemImport(file, &handle));
  EXPECT_OK(hsa::VmemHandleRelease(handle));
  EXPECT_OK(hsa_amd_interop_unmap_buffer(mapped));
  ASSERT_OK(hsa_amd_pointer_info(other, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  EXPECT_OK(hsa_amd_interop_unmap_buffer(mapped));
  EXPECT_OK(hsa_amd_interop_unmap_buffer(words));
  EXPECT_EQ(words[1], 9u);
  EXPECT_OK(hsa::DmabufClose(file));
  EXPECT_EQ(hsa::DmabufClose(file), HSA_STATUS_ERROR_RESOURCE_FREE);

  EXPECT_EQ(hsa::DmabufExport(nullptr, kLaterPage, &file, &offset),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::DmabufExport(words, 0, &file, &offset), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::DmabufExport(words, kLaterPage, nullptr, &offset),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::DmabufExport(&size, 8, &file, &offset), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  for (const size_t bytes : {4 * kLaterPage, SIZE_MAX, SIZE_MAX - kLaterPage}) {
    EXPECT_EQ(hsa::DmabufExport(words + 1, bytes, &file, &offset),
              HSA_STATUS_ERROR_INVALID_ALLOCATION);
  }
  void* host = nullptr;
  ASSERT_OK(hsa_amd_memory_pool_allocate(PoolOf(cpu_, kFine), kLaterPage, 0, &host));
  EXPECT_EQ(hsa::DmabufExport(host, kLaterPage, &file, &offset), HSA_STATUS_ERROR_INVALID_AGENT);
  for (const int wrong : {-1, STDIN_FILENO, 1 << 20}) {
    EXPECT_EQ(hsa_amd_interop_map_buffer(1, &gpu_, wrong, 0, &size, &mapped, nullptr, nullptr),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  EXPECT_EQ(hsa_amd_interop_map_buffer(0, &gpu_, 0, 0, &size, &mapped, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

class SoftQueues : public KernelTest {
 protected:
  hsa_region_t Region() { return {PoolOf(cpu_, kFine).handle}; }
};

TEST_F(SoftQueues, AreServedByTheHost) {
  const hsa_signal_t doorbell = Signal(-1);
  hsa_queue_t* queue = nullptr;
  ASSERT_OK(hsa_soft_queue_create(Region(), 16, HSA_QUEUE_TYPE_SINGLE,
                                  HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell, &queue));
  EXPECT_EQ(queue->size, 16u);
  EXPECT_EQ(queue->type, static_cast<uint32_t>(HSA_QUEUE_TYPE_SINGLE));
  EXPECT_EQ(queue->features, static_cast<uint32_t>(HSA_QUEUE_FEATURE_AGENT_DISPATCH));
  EXPECT_EQ(queue->doorbell_signal.handle, doorbell.handle);
  for (int n = 0; n < 16; ++n) {
    const auto* const packet = static_cast<const char*>(queue->base_address) + n * 64;
    EXPECT_EQ(*reinterpret_cast<const uint16_t*>(packet), HSA_PACKET_TYPE_INVALID);
  }
  hsa_agent_dispatch_packet_t packet = {};
  packet.header = HSA_PACKET_TYPE_AGENT_DISPATCH;
  packet.type = 0x8001;
  Submit(queue, packet);
  EXPECT_EQ(hsa_signal_load_scacquire(doorbell), 0);
  EXPECT_EQ(hsa_queue_load_write_index_relaxed(queue), 1u);
  const auto* const found = static_cast<const hsa_agent_dispatch_packet_t*>(queue->base_address);
  EXPECT_EQ(found->type, 0x8001);
  hsa_queue_store_read_index_screlease(queue, 1);
  EXPECT_EQ(hsa_queue_load_read_index_scacquire(queue), 1u);
  uint64_t value = 0;
  EXPECT_EQ(hsa::QueueGetInfo(queue, hsa::kQueueInfoAgent, &value), HSA_STATUS_ERROR_INVALID_QUEUE);
  EXPECT_OK(hsa_queue_destroy(queue));
  EXPECT_EQ(hsa_queue_destroy(queue), HSA_STATUS_ERROR_INVALID_QUEUE);
  EXPECT_EQ(hsa_signal_load_relaxed(doorbell), 0) << "it is the program's own";
}

TEST_F(SoftQueues, WrongArguments) {
  const hsa_signal_t bell = Signal(0);
  hsa_queue_t* queue = nullptr;
  const auto create = [&](hsa_region_t region, uint32_t size, uint32_t type, uint32_t features,
                          hsa_signal_t signal) {
    return hsa_soft_queue_create(region, size, type, features, signal, &queue);
  };
  for (const uint32_t size : {0u, 3u, 1u << 31, UINT32_MAX}) {
    EXPECT_EQ(create(Region(), size, 0, 1, bell), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  EXPECT_EQ(create({0}, 16, 0, 1, bell), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create({7}, 16, 0, 1, bell), HSA_STATUS_ERROR_INVALID_REGION);
  EXPECT_EQ(create(Region(), 16, 2, 1, bell), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(Region(), 16, 0, 0, bell), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(Region(), 16, 0, 1, {0}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(Region(), 16, 0, 1, {7}), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_soft_queue_create(Region(), 16, 0, 1, bell, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(SoftQueues, WhatADevicesQueueSays) {
  hsa_agent_t agent = {0};
  uint64_t doorbell = 0;
  ASSERT_OK(hsa::QueueGetInfo(queue_, hsa::kQueueInfoAgent, &agent));
  EXPECT_EQ(agent.handle, gpu_.handle);
  ASSERT_OK(hsa::QueueGetInfo(queue_, hsa::kQueueInfoDoorbellId, &doorbell));
  const auto* const signal = reinterpret_cast<const amd_signal_t*>(queue_->doorbell_signal.handle);
  EXPECT_EQ(doorbell, reinterpret_cast<uint64_t>(signal->hardware_doorbell_ptr));
  EXPECT_EQ(hsa::QueueGetInfo(queue_, 2, &doorbell), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::QueueGetInfo(queue_, 0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::QueueGetInfo(nullptr, 0, &doorbell), HSA_STATUS_ERROR_INVALID_QUEUE);
  EXPECT_EQ(hsa::SetAsyncScratchLimit(gpu_, 1 << 20), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::SetAsyncScratchLimit(cpu_, 1 << 20), HSA_STATUS_ERROR_INVALID_AGENT);
}

class SignalGroups : public HsaTest {};

TEST_F(SignalGroups, AnyOfThemEndsTheWait) {
  const std::vector<hsa_signal_t> signals = {Signal(1), Signal(2), Signal(3)};
  hsa_signal_group_t group = {0};
  ASSERT_OK(hsa_signal_group_create(3, signals.data(), 1, &cpu_, &group));
  const std::vector<hsa_signal_condition_t> conditions(3, HSA_SIGNAL_CONDITION_EQ);
  const std::vector<hsa_signal_value_t> wanted = {10, 20, 30};
  for (const auto wait : {hsa_signal_group_wait_any_relaxed, hsa_signal_group_wait_any_scacquire}) {
    for (size_t n = 0; n < signals.size(); ++n) {
      std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        hsa_signal_store_screlease(signals[n], wanted[n]);
      });
      hsa_signal_t signal = {0};
      hsa_signal_value_t value = 0;
      EXPECT_OK(
          wait(group, conditions.data(), wanted.data(), HSA_WAIT_STATE_BLOCKED, &signal, &value));
      later.join();
      EXPECT_EQ(signal.handle, signals[n].handle);
      EXPECT_EQ(value, wanted[n]);
      hsa_signal_store_relaxed(signals[n], 0);
    }
  }
  EXPECT_OK(hsa_signal_group_destroy(group));
  EXPECT_EQ(hsa_signal_group_destroy(group), HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
  hsa_signal_t signal = {0};
  hsa_signal_value_t value = 0;
  EXPECT_EQ(hsa_signal_group_wait_any_relaxed(group, conditions.data(), wanted.data(),
                                              HSA_WAIT_STATE_BLOCKED, &signal, &value),
            HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
}

TEST_F(SignalGroups, WrongArguments) {
  const hsa_signal_t signals[] = {Signal(1), {7}};
  const hsa_agent_t agent = {7};
  hsa_signal_group_t group = {0};
  EXPECT_EQ(hsa_signal_group_create(0, signals, 0, nullptr, &group),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_group_create(1, nullptr, 0, nullptr, &group),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_group_create(1, signals, 0, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_group_create(2, signals, 0, nullptr, &group),
            HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_signal_group_create(1, signals, 1, &agent, &group), HSA_STATUS_ERROR_INVALID_AGENT);
  ASSERT_OK(hsa_signal_group_create(1, signals, 0, nullptr, &group));
  hsa_signal_t signal = {0};
  hsa_signal_value_t value = 0;
  EXPECT_EQ(hsa_signal_group_wait_any_relaxed(group, nullptr, nullptr, HSA_WAIT_STATE_BLOCKED,
                                              &signal, &value),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_OK(hsa_signal_group_destroy(group));
}

}  // namespace
}  // namespace gcnjit::hsa_tests
