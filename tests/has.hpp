// What tests include of the standard library, and what they ask of a text and of a result.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <mutex>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "engine/result.hpp"

namespace attnscope {

/// What stands between the spaces.
inline std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// Whether every part is in the text; a failure shows the text and the first that is not, or of one part that it is.
template <class... Part>
::testing::AssertionResult has(const std::string& text, const Part&... part) {
  std::string missing;
  [[maybe_unused]] const auto look = [&](const auto& one) {
    if (text.find(one) != std::string::npos) return true;
    missing = one;
    return false;
  };
  if ((look(part) && ...)) return ::testing::AssertionSuccess() << "all of it is in: " << text;
  return ::testing::AssertionFailure() << "'" << missing << "' is not in: " << text;
}

/// A Result or optional that has a value; without one the test ends with the error's message.
template <class R>
R must(R result) {
  if (result) return result;
  if constexpr (requires { result.error(); })
    throw std::runtime_error(result.error().message);
  else
    throw std::runtime_error("there is no value");
}

/// Whether a Result is an error whose message has every part.
template <class T, class... Part>
::testing::AssertionResult fails(const Result<T>& result, const Part&... part) {
  if (result) return ::testing::AssertionFailure() << "it is no error";
  return has(result.error().message, part...);
}
/// Of this kind, too.
template <class T, class... Part>
::testing::AssertionResult fails(const Result<T>& result, ErrorKind kind, const Part&... part) {
  if (!result && result.error().kind != kind)
    return ::testing::AssertionFailure() << "it is of another kind: " << result.error().message;
  return fails(result, part...);
}

}  // namespace attnscope
