// Errors as values. The library never prints and never aborts on input: a caller's mistake or a
// broken file comes back as an Error, a guest fault as a FaultReport (see launch.h).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace gcnjit {

enum class ErrorCode {
  kInvalidArgument,    // the caller's request makes no sense (sizes, argument lists, options)
  kInvalidCodeObject,  // the file is not a well-formed code object
  kUnsupportedTarget,  // well-formed, but for a target that is not emulated
  kNotFound,           // no such kernel, symbol or bundle entry
  kOutOfResources,     // guest memory, LDS or registers over the limit
  kUnsupported,        // a feature that is not implemented; the message says which and what to do
  kTimeout,            // not done within the time that the caller has given
};

struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string message;  // one or two sentences: what is wrong, where, and what to do next
};

// A value or an Error. Check before use: value() on an error, or error() on a value, is a
// programming mistake, and throws.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Success or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return error_.value(); }

 private:
  std::optional<Error> error_;
};

}  // namespace gcnjit
