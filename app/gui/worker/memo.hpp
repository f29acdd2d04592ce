// A value that is made of a key, and made anew when the key is another: no work in a frame while nothing changed.
#pragma once

#include "engine/standard.hpp"

namespace attnscope::gui {

template <class Key, class Value>
class Memo {
 public:
  /// `make` is called where `key` is another than last time.
  template <class Make>
  const Value& operator()(Key key, const Make& make) {
    if (key_ == key) return value_;
    value_ = make();
    key_ = std::move(key);
    ++made_;
    return value_;
  }
  /// As it was made last.
  const Value& value() const { return value_; }
  bool is_of(const Key& key) const { return key_ == key; }
  /// Values made so far, for whoever wants to know what a frame costs.
  uint64_t made() const { return made_; }

 private:
  std::optional<Key> key_;
  Value value_{};
  uint64_t made_ = 0;
};

}  // namespace attnscope::gui
