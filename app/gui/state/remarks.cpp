#include "app/gui/state/remarks.hpp"

namespace attnscope::gui {
namespace {

void cut(std::string& text, size_t most) {
  if (text.size() <= most) return;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  text.resize(most);
}

}  // namespace

const Remark* Remarks::of(const std::string& identity) const {
  const auto at = all_.find(identity);
  return at == all_.end() ? nullptr : &at->second;
}

void Remarks::set(const std::string& identity, Remark remark) {
  cut(remark.name, kLongestName);
  cut(remark.note, kLongestNote);
  if (remark.colour >= kRemarkColours) remark.colour = -1;
  ++version_;
  if (remark.empty())
    all_.erase(identity);
  else
    all_[identity] = std::move(remark);
}

void Remarks::clear() {
  all_.clear();
  ++version_;
}

}  // namespace attnscope::gui
