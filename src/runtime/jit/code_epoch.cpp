#include "runtime/jit/code_epoch.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace gcnjit::runtime {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<const CodeEpoch*> users;  // guarded by mutex
};

// Never destroyed: threads may end after the program's static objects have.
Registry& AllUsers() {
  static Registry& registry = *new Registry;
  return registry;
}

}  // namespace

CodeEpoch::CodeEpoch() {
  Registry& all = AllUsers();
  const std::scoped_lock lock(all.mutex);
  all.users.push_back(this);
}

CodeEpoch::~CodeEpoch() {
  Registry& all = AllUsers();
  const std::scoped_lock lock(all.mutex);
  std::erase(all.users, this);
}

bool CodeEpoch::IsAnyIn(uint64_t generation) {
  Registry& all = AllUsers();
  const std::scoped_lock lock(all.mutex);
  return std::any_of(all.users.begin(), all.users.end(), [generation](const CodeEpoch* user) {
    return user->generation_.load(std::memory_order_seq_cst) == generation;
  });
}

}  // namespace gcnjit::runtime
