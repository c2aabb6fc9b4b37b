#include "cli/dap_stream.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "cli/parse_json.h"

namespace gcnjit::cli {

using nlohmann::json;

namespace {

// Of a message. A client has no use for more, and what is no client is not to fill the memory.
constexpr size_t kMostMessage = 64 << 20;
constexpr size_t kMostHeader = 4 << 10;

// What "Content-Length:" says in the header; nothing: it is not there, or wrong.
std::optional<size_t> LengthIn(std::string_view header) {
  constexpr std::string_view kField = "Content-Length:";
  const size_t at = header.find(kField);
  if (at == std::string_view::npos) return std::nullopt;
  header.remove_prefix(at + kField.size());
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  size_t length = 0;
  const auto [end, status] = std::from_chars(header.data(), header.data() + header.size(), length);
  if (status != std::errc() || length > kMostMessage) return std::nullopt;
  return length;
}

}  // namespace

// Some bytes; waits for them. False: there are no more.
bool DapStream::Read() {
  char some[4096];
  ssize_t got = 0;
  do got = ::read(in_, some, sizeof some);
  while (got < 0 && errno == EINTR);
  has_ended_ |= got <= 0;
  if (got > 0) bytes_.append(some, static_cast<size_t>(got));
  return got > 0;
}

void DapStream::TakeMessages() {
  while (true) {
    constexpr std::string_view kEnd = "\r\n\r\n";
    const size_t end = std::string_view(bytes_).substr(0, kMostHeader).find(kEnd);
    if (end == std::string::npos) {
      has_ended_ |= bytes_.size() >= kMostHeader;
      return;
    }
    const auto length = LengthIn(std::string_view(bytes_).substr(0, end));
    if (!length) {
      has_ended_ = true;  // where the next message begins is not known
      return;
    }
    const size_t begin = end + kEnd.size();
    if (bytes_.size() - begin < *length) return;
    auto message = ParseJson(std::string_view(bytes_).substr(begin, *length));
    bytes_.erase(0, begin + *length);
    if (message && message->is_object()) messages_.push_back(*std::move(message));
  }
}

std::optional<json> DapStream::Take() {
  while (messages_.empty() && !has_ended_) {
    if (Read()) TakeMessages();
  }
  if (messages_.empty()) return std::nullopt;
  json message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

void DapStream::Receive() {
  pollfd input = {in_, POLLIN, 0};
  while (!has_ended_ && ::poll(&input, 1, 0) == 1 && Read()) TakeMessages();
}

void DapStream::Write(json message) {
  message["seq"] = ++sequence_;
  // Names in files may be no text.
  const std::string text = message.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::string all = fmt::format("Content-Length: {}\r\n\r\n{}", text.size(), text);
  for (size_t at = 0; at < all.size();) {
    const ssize_t written = ::write(out_, all.data() + at, all.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      has_ended_ = true;
      return;
    }
    at += static_cast<size_t>(written);
  }
}

void DapStream::Respond(const json& request, json body) {
  Write({{"type", "response"},
         {"request_seq", request.value("seq", json(0))},
         {"success", true},
         {"command", request.value("command", json(""))},
         {"body", std::move(body)}});
}

void DapStream::Refuse(const json& request, const std::string& message) {
  Write({{"type", "response"},
         {"request_seq", request.value("seq", json(0))},
         {"success", false},
         {"command", request.value("command", json(""))},
         {"message", message},
         {"body", {{"error", {{"id", 1}, {"format", message}, {"showUser", true}}}}}});
}

void DapStream::Send(const std::string& event, json body) {
  Write({{"type", "event"}, {"event", event}, {"body", std::move(body)}});
}

}  // namespace gcnjit::cli
