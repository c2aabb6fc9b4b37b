#include "cli/dap_stream.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "cli/message.h"
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
  constexpr std::string_view kLineEnd = "\r\n";
  while (!header.empty() && !header.starts_with(kField)) {
    const size_t line = header.find(kLineEnd);
    header.remove_prefix(line == header.npos ? header.size() : line + kLineEnd.size());
  }
  header = header.substr(0, header.find(kLineEnd));
  header.remove_prefix(std::min(kField.size(), header.size()));
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  size_t length = 0;
  const char* const end = header.data() + header.size();
  const auto [next, status] = std::from_chars(header.data(), end, length);
  if (status != std::errc() || next != end || length > kMostMessage) return std::nullopt;
  return length;
}

}  // namespace

// Where the next message begins is not known.
void DapStream::Break(const std::string& why) {
  has_ended_ = true;
  is_broken_ = true;
  PrintMessage("gcnjit debug: the input is none of the Debug Adapter Protocol: {}\n", why);
}

// Some bytes; waits for them. False: there are no more.
bool DapStream::Read() {
  char some[4096];
  ssize_t got = 0;
  do got = ::read(in_, some, sizeof some);
  while (got < 0 && errno == EINTR);
  if (got < 0) Break(std::strerror(errno));
  if (got == 0 && !bytes_.empty()) Break("it ends within a message");
  has_ended_ |= got <= 0;
  if (got > 0) bytes_.append(some, static_cast<size_t>(got));
  return got > 0;
}

void DapStream::TakeMessages() {
  while (true) {
    constexpr std::string_view kEnd = "\r\n\r\n";
    const size_t end = std::string_view(bytes_).substr(0, kMostHeader).find(kEnd);
    if (end == std::string::npos) {
      if (bytes_.size() >= kMostHeader) {
        Break(fmt::format("a header has no end within {} bytes", kMostHeader));
      }
      return;
    }
    const auto length = LengthIn(std::string_view(bytes_).substr(0, end));
    if (!length) {
      return Break(fmt::format("expected 'Content-Length: NUMBER', {} at most", kMostMessage));
    }
    const size_t begin = end + kEnd.size();
    if (bytes_.size() - begin < *length) return;
    TakeMessage(std::string_view(bytes_).substr(begin, *length));
    bytes_.erase(0, begin + *length);
  }
}

// What cannot be read has no number, by which it could be answered.
void DapStream::TakeMessage(std::string_view text) {
  auto message = ParseJson(text);
  if (message && message->is_object()) return messages_.push_back(*std::move(message));
  const std::string why = fmt::format(
      "a message of {} bytes is left out: it is no JSON object, or has too many values in values\n",
      text.size());
  PrintMessage("gcnjit debug: {}", why);
  Send("output", {{"category", "important"}, {"output", why}});
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
