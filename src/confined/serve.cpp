#include "confined/serve.h"

#include <cxxabi.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "confined/debug_information.h"
#include "confined/limits.h"
#include "confined/request.h"

namespace gcnjit::confined {
namespace {

bool Receive(void* bytes, size_t size) {
  for (size_t at = 0; at < size;) {
    const ssize_t got = ::read(STDIN_FILENO, static_cast<char*>(bytes) + at, size - at);
    if (got == 0 || (got < 0 && errno != EINTR)) return false;
    if (got > 0) at += static_cast<size_t>(got);
  }
  return true;
}

bool Send(const void* bytes, size_t size) {
  for (size_t at = 0; at < size;) {
    const ssize_t sent =
        ::send(STDIN_FILENO, static_cast<const char*>(bytes) + at, size - at, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return false;
    if (sent > 0) at += static_cast<size_t>(sent);
  }
  return true;
}

std::string Demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : name;
}

std::string DemangledLines(std::string_view lines) {
  std::string answer;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    answer += Demangled(std::string(lines.substr(0, end))) + "\n";
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return answer;
}

std::string Frames(DebugInformation& information, std::string_view body) {
  std::string answer;
  for (size_t at = 0; at + sizeof(uint64_t) <= body.size(); at += sizeof(uint64_t)) {
    uint64_t address;
    std::memcpy(&address, body.data() + at, sizeof address);
    answer += WriteFrames(information.FramesAt(address));
  }
  return answer;
}

}  // namespace

int ServeConfined() {
  if (!LimitThisProcess()) return EXIT_FAILURE;
  std::string object;
  std::optional<DebugInformation> information;
  RequestHeader header;
  while (Receive(&header, sizeof header)) {
    if (header.bytes > kMostBody) return EXIT_FAILURE;
    std::string body(header.bytes, '\0');
    if (!Receive(body.data(), body.size())) return EXIT_FAILURE;
    std::string answer;
    switch (header.kind) {
      case RequestKind::kObject:
        object = std::move(body);
        information.emplace(object);
        break;
      case RequestKind::kAddresses:
        if (information) answer = Frames(*information, body);
        break;
      case RequestKind::kNames: answer = DemangledLines(body); break;
    }
    const uint64_t size = answer.size();
    if (!Send(&size, sizeof size) || !Send(answer.data(), answer.size())) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

}  // namespace gcnjit::confined
