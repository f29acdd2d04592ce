#include "app/gui/editor/versions.hpp"

#include <algorithm>

namespace attnscope::gui {

void Versions::note(const std::string& variant, const std::string& hash, const Texts& texts) {
  if (hash.empty()) return;
  OfVariant& v = variants_[variant];
  if (!v.order.empty() && v.order.back() == hash) return;
  ++version_;
  std::erase(v.order, hash);
  v.order.push_back(hash);
  const auto known = std::find_if(v.all.begin(), v.all.end(), [&](const Version& x) { return x.hash == hash; });
  if (known == v.all.end())
    v.all.push_back({v.all.empty() ? 1 : v.all.back().number + 1, hash, texts});
  else
    known->texts = texts;
  // What never changed is kept by its files, and costs the others nothing.
  const std::pair<std::string, std::string> name{variant, hash};
  std::erase(recent_, name);
  recent_.push_back(name);
  let_go();
}

void Versions::let_go() {
  size_t count = 0;
  for (size_t i = recent_.size(); i-- > 0;) {
    OfVariant& v = variants_[recent_[i].first];
    if (v.all.size() < 2 || ++count <= kKept) continue;
    std::ranges::find(v.all, recent_[i].second, &Version::hash)->texts.clear();
    recent_.erase(recent_.begin() + std::ptrdiff_t(i));
  }
}

const Version* Versions::find(const std::string& variant, const std::string& hash) const {
  for (const Version& v : of(variant))
    if (v.hash == hash) return &v;
  return nullptr;
}

}  // namespace attnscope::gui
