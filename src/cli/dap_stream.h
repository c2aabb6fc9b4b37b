// Messages of the Debug Adapter Protocol on a pair of streams
// (https://microsoft.github.io/debug-adapter-protocol, "Base Protocol").
#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace gcnjit::cli {

class DapStream {
 public:
  // File descriptors.
  DapStream(int in, int out) : in_(in), out_(out) {}

  // The next message; waits for it. Nothing: there will be none.
  std::optional<nlohmann::json> Take();
  // Reads what has come, without waiting.
  void Receive();
  // What Take() would give of that; null: nothing.
  const nlohmann::json* Next() const { return messages_.empty() ? nullptr : &messages_.front(); }
  // There will be no more messages than have come.
  bool has_ended() const { return has_ended_; }
  // Because the input is none of the protocol's, which has been told.
  bool is_broken() const { return is_broken_; }

  void Respond(const nlohmann::json& request, nlohmann::json body);
  void Refuse(const nlohmann::json& request, const std::string& message);
  void Send(const std::string& event, nlohmann::json body = nlohmann::json::object());

 private:
  bool Read();
  void TakeMessages();
  void TakeMessage(std::string_view text);
  void Break(const std::string& why);
  void Write(nlohmann::json message);

  const int in_;
  const int out_;
  std::string bytes_;  // that are no whole message yet
  std::deque<nlohmann::json> messages_;
  bool has_ended_ = false;
  bool is_broken_ = false;
  uint64_t sequence_ = 0;
};

}  // namespace gcnjit::cli
