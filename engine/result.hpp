// Errors as values: the request, the limit, and the remedy.
#pragma once

#include "engine/standard.hpp"

namespace attnscope {

/// The kind of an error: the command line maps each to its documented exit code.
enum class ErrorKind {
  bad_input,      ///< shape, config, shader, manifest or file that cannot work (exit code 2)
  unsupported,    ///< no device, or the device lacks a feature that was asked for (3)
  device_lost,    ///< the device or the worker that held it went away (4)
  out_of_memory,  ///< device or host memory ran out (4)
  cancelled,      ///< the caller asked for it
  internal,       ///< a fault of ours; the message says where
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;  ///< one or more whole sentences for a person
};

// Errors of a kind: of a message, or of a format and what goes into it.
#define ATTNSCOPE_ERROR(name, kind)                                              \
  inline Error name(std::string message) { return {kind, std::move(message)}; }  \
  template <class A, class... B>                                                 \
  Error name(fmt::format_string<A, B...> text, A&& a, B&&... b) {                \
    return {kind, fmt::format(text, std::forward<A>(a), std::forward<B>(b)...)}; \
  }
ATTNSCOPE_ERROR(bad_input, ErrorKind::bad_input)
ATTNSCOPE_ERROR(unsupported, ErrorKind::unsupported)
ATTNSCOPE_ERROR(device_lost, ErrorKind::device_lost)
ATTNSCOPE_ERROR(cancelled_error, ErrorKind::cancelled)
ATTNSCOPE_ERROR(internal_error, ErrorKind::internal)

/// A value or an Error. `const T value = TRY(f());`, or by hand: `if (!r) return r.error();` then `*r`.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return !error_; }
  void operator*() const {}
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

/// The same, an error with "where: " before its message.
template <class T>
Result<T> within(std::string_view where, Result<T> result) {
  if (!result) return Error{result.error().kind, fmt::format("{}: {}", where, result.error().message)};
  return result;
}

}  // namespace attnscope

/// The value of a Result; its error is what the function (or lambda) around returns. A Result that has a name is given
/// as std::move(result). Stands alone, or is all that a variable gets.
#define TRY(...) ATTNSCOPE_TRY_NUMBERED(__COUNTER__, __VA_ARGS__)
#define ATTNSCOPE_TRY_NUMBERED(number, ...) ATTNSCOPE_TRY_NAMED(number, __VA_ARGS__)
#define ATTNSCOPE_TRY_NAMED(number, ...)                \
  __extension__({                                       \
    auto tried_##number = __VA_ARGS__;                  \
    if (!tried_##number) return tried_##number.error(); \
    *std::move(tried_##number);                         \
  })
