#include "runtime/hsa/ipc.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/host/host_thread.h"

namespace gcnjit::hsa {
namespace {

using Pages = std::shared_ptr<const runtime::SharedPages>;

// What a handle consists of.
struct Name {
  IpcKind kind = IpcKind::kMemory;
  uint32_t process = 0;
  uint64_t nonce = 0;
  uint64_t serial = 0;
  uint64_t bytes = 0;
};
static_assert(sizeof(Name) == sizeof(hsa_amd_ipc_memory_t));

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

struct SocketAddress {
  sockaddr_un address = {};
  socklen_t bytes = 0;
};

// Abstract: no file is left when the process ends, however it does.
SocketAddress AddressOf(uint32_t process, uint64_t nonce) {
  SocketAddress made;
  made.address.sun_family = AF_UNIX;
  const std::string name = fmt::format("gcnjit-{}-{:016x}", process, nonce);
  std::memcpy(made.address.sun_path + 1, name.data(), name.size());
  made.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return made;
}

// No process can make this one wait for longer.
void LimitWaits(int socket, time_t seconds) {
  const timeval limit = {seconds, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

bool IsSameUser(int socket) {
  ucred peer = {};
  socklen_t bytes = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == geteuid();
}

// A byte, with a descriptor if there is one to send.
void SendDescriptor(int socket, int file) {
  char byte = file >= 0 ? 1 : 0;
  iovec part = {&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof file)] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (file >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(header), &file, sizeof file);
  }
  sendmsg(socket, &message, MSG_NOSIGNAL);
}

// -1: none came.
int ReceiveDescriptor(int socket) {
  char byte = 0;
  iovec part = {&byte, 1};
  int file = -1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof file)] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t received = 0;
  do {
    received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  const cmsghdr* const header = received == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(sizeof file)) {
    return -1;
  }
  std::memcpy(&file, CMSG_DATA(header), sizeof file);
  return file;
}

Error NoAnswer() {
  return {
      ErrorCode::kInvalidArgument,
      fmt::format("the process that has the memory does not give it ({})", std::strerror(errno))};
}

}  // namespace

Result<void> IpcServer::Start() {
  const auto refused = [] {
    return Error{ErrorCode::kOutOfResources,
                 fmt::format("no socket to share memory by ({})", std::strerror(errno))};
  };
  if (getrandom(&nonce_, sizeof nonce_, 0) != sizeof nonce_) return refused();
  const int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (listener < 0) return refused();
  Descriptor guard(listener);
  const SocketAddress at = AddressOf(static_cast<uint32_t>(getpid()), nonce_);
  constexpr int kMostWaiting = 128;
  if (bind(listener, reinterpret_cast<const sockaddr*>(&at.address), at.bytes) != 0 ||
      listen(listener, kMostWaiting) != 0) {
    return refused();
  }
  auto thread = runtime::HostThread::Start([this, listener] { Serve(listener); });
  if (!thread) return thread.error();
  thread->Detach();
  guard.Release();
  is_started_ = true;
  return {};
}

void IpcServer::Serve(int listener) {
  while (true) {
    const Descriptor client(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    if (client.number() >= 0) {
      Answer(client.number());
    } else if (errno != EINTR && errno != ECONNABORTED) {
      usleep(10'000);  // no descriptor is free, say
    }
  }
}

void IpcServer::Answer(int client) {
  if (!IsSameUser(client)) return;
  LimitWaits(client, 1);
  uint64_t serial = 0;
  if (recv(client, &serial, sizeof serial, 0) != sizeof serial) return;
  const Pages pages = Find(serial);
  SendDescriptor(client, pages == nullptr ? -1 : pages->file());
}

Pages IpcServer::Find(uint64_t serial) {
  const std::scoped_lock lock(mutex_);
  const auto found = offers_.find(serial);
  return found == offers_.end() ? nullptr : found->second.lock();
}

Result<hsa_amd_ipc_memory_t> IpcServer::Offer(IpcKind kind, const Pages& pages) {
  const std::scoped_lock lock(mutex_);
  if (!is_started_) {
    if (const auto started = Start(); !started) return started.error();
  }
  std::erase_if(offers_, [](const auto& offer) { return offer.second.expired(); });
  uint64_t serial = 0;
  for (const auto& [number, offered] : offers_) {
    if (offered.lock() == pages) serial = number;
  }
  if (serial == 0) {
    serial = ++last_serial_;
    offers_[serial] = pages;
  }
  const Name name = {kind, static_cast<uint32_t>(getpid()), nonce_, serial, pages->bytes()};
  return std::bit_cast<hsa_amd_ipc_memory_t>(name);
}

Result<Pages> IpcServer::Fetch(IpcKind kind, const hsa_amd_ipc_memory_t& handle) {
  const auto name = std::bit_cast<Name>(handle);
  if (name.kind != kind) {
    return Error{ErrorCode::kInvalidArgument, "this is not a handle of another process"};
  }
  const Descriptor client(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (client.number() < 0) {
    return Error{ErrorCode::kOutOfResources, std::strerror(errno)};
  }
  // Longer than the server waits for each of a few others.
  LimitWaits(client.number(), 10);
  const SocketAddress at = AddressOf(name.process, name.nonce);
  if (connect(client.number(), reinterpret_cast<const sockaddr*>(&at.address), at.bytes) != 0 ||
      !IsSameUser(client.number()) ||
      send(client.number(), &name.serial, sizeof name.serial, MSG_NOSIGNAL) != sizeof name.serial) {
    return NoAnswer();
  }
  const Descriptor file(ReceiveDescriptor(client.number()));
  if (file.number() < 0) return NoAnswer();
  auto pages = runtime::SharedPages::Import(file.number());
  if (pages && (*pages)->bytes() != name.bytes) {
    return Error{ErrorCode::kInvalidArgument, "the handle gives another size than the memory has"};
  }
  return pages;
}

}  // namespace gcnjit::hsa
