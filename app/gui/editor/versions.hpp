// The versions of each variant that were loaded, numbered in the order in which they came: "mytile #3".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/gui/worker/messages.hpp"

namespace attnscope::gui {

struct Version {
  int number = 1;
  std::string hash;  ///< of VariantInfo
  Texts texts;       ///< empty once they were let go
};

class Versions {
 public:
  /// Texts of so many versions are kept; the oldest go first.
  static constexpr size_t kKept = 50;

  /// What a variant is as loaded just now: a hash that was there before keeps its number.
  void note(const std::string& variant, const std::string& hash, const Texts&);
  /// In the order of their numbers.
  const std::vector<Version>& of(const std::string& variant) const {
    static const std::vector<Version> none;
    const auto found = variants_.find(variant);
    return found == variants_.end() ? none : found->second.all;
  }
  const Version* find(const std::string& variant, const std::string& hash) const;
  /// 0 = it was never loaded.
  int number(const std::string& variant, const std::string& hash) const {
    const Version* v = find(variant, hash);
    return v ? v->number : 0;
  }
  /// Hashes in the order in which they were loaded last, the newest at the end.
  const std::vector<std::string>& order(const std::string& variant) const {
    static const std::vector<std::string> none;
    const auto found = variants_.find(variant);
    return found == variants_.end() ? none : found->second.order;
  }
  /// Raised by every change.
  uint64_t version() const { return version_; }

 private:
  struct OfVariant {
    std::vector<Version> all;
    std::vector<std::string> order;
  };
  void let_go();
  std::map<std::string, OfVariant> variants_;
  std::vector<std::pair<std::string, std::string>> recent_;  ///< variant, hash: of those that have texts, oldest first
  uint64_t version_ = 0;
};

}  // namespace attnscope::gui
