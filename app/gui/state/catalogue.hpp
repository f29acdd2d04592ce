// The list of variants as it is shown: which, in what order, and what is folded away.
#pragma once

#include <string>
#include <vector>

#include "app/gui/state/known.hpp"

namespace attnscope::gui {

class Catalogue {
 public:
  struct Row {
    size_t variant = 0;  ///< index into Known::variants
    WhyNot why;          ///< why it cannot run here, or at all; empty when it can
  };

  /// Made anew when any of these changed. `filter`: words of a name, title, summary or system; "" = all.
  void step(const Known&, const Problem&, const std::string& chosen, const std::string& filter);
  /// What did not load or compile, then what can run; the chosen one is among them even when it cannot.
  const std::vector<Row>& open() const { return open_; }
  /// The rest: what cannot run on this device or this problem.
  const std::vector<Row>& folded() const { return folded_; }

 private:
  uint64_t version_ = ~0ull;
  Problem problem_;
  std::string chosen_, filter_;
  std::vector<Row> open_, folded_;
};

}  // namespace attnscope::gui
