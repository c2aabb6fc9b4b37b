// Memory for other processes. A handle names the process that has the memory, and which it is; by
// it another process of the same user asks for a descriptor of the memory, over a socket.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "gcnjit/error.h"
#include "runtime/memory/shared_pages.h"

namespace gcnjit::hsa {

enum class IpcKind : uint32_t { kMemory = 0x4d6a6347, kSignal = 0x536a6347 };

class IpcServer {
 public:
  // Other processes can fetch the pages from now on, for as long as something here holds them.
  // Always the same handle for the same pages. Starts a thread when there is something to offer
  // for the first time.
  Result<hsa_amd_ipc_memory_t> Offer(IpcKind kind,
                                     const std::shared_ptr<const runtime::SharedPages>& pages);

  // What a handle stands for, which may be of this process too. kInvalidArgument: of nothing, or
  // the process is gone, or belongs to another user, or does not answer in time.
  static Result<std::shared_ptr<const runtime::SharedPages>> Fetch(
      IpcKind kind, const hsa_amd_ipc_memory_t& handle);

 private:
  // The caller holds mutex_.
  Result<void> Start();
  void Serve(int listener);
  void Answer(int client);
  std::shared_ptr<const runtime::SharedPages> Find(uint64_t serial);

  std::mutex mutex_;  // guards what follows
  bool is_started_ = false;
  uint64_t nonce_ = 0;  // in the socket's name: process numbers are used again
  uint64_t last_serial_ = 0;
  std::map<uint64_t, std::weak_ptr<const runtime::SharedPages>> offers_;
};

}  // namespace gcnjit::hsa
