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
  std::set<const std::string*> seen;
  size_t count = 0, bytes = 0;
  for (size_t i = recent_.size(); i-- > 0;) {
    OfVariant& v = variants_[recent_[i].first];
    if (v.all.size() < 2) continue;
    Version& of =
        *std::find_if(v.all.begin(), v.all.end(), [&](const Version& x) { return x.hash == recent_[i].second; });
    ++count;
    for (const auto& [name, text] : of.texts)
      if (seen.insert(text.get()).second) bytes += text->size();
    // The newest of all stays whatever its size.
    if (count <= 1 || (count <= kKept && bytes <= kKeptBytes)) continue;
    of.texts.clear();
    recent_.erase(recent_.begin() + std::ptrdiff_t(i));
  }
}

const Version* Versions::find(const std::string& variant, const std::string& hash) const {
  for (const Version& v : of(variant))
    if (v.hash == hash) return &v;
  return nullptr;
}

void Versions::restore(const std::string& variant, std::vector<Version> versions) {
  OfVariant& v = variants_[variant];
  std::erase_if(recent_, [&](const auto& r) { return r.first == variant; });
  // What is loaded stays what is loaded.
  std::optional<Version> loaded;
  if (!v.order.empty()) loaded = *find(variant, v.order.back());
  v = {};
  for (const Version& of : versions) {
    v.order.push_back(of.hash);
    if (!of.texts.empty()) recent_.emplace_back(variant, of.hash);
  }
  std::sort(versions.begin(), versions.end(), [](const Version& a, const Version& b) { return a.number < b.number; });
  v.all = std::move(versions);
  ++version_;
  let_go();
  if (loaded) note(variant, loaded->hash, loaded->texts);
}

}  // namespace attnscope::gui
