#include "app/gui/editor/editor.hpp"

#include <sstream>

#include "engine/record/json_fields.hpp"

namespace attnscope::gui {
namespace {

bool is_file(const std::string& name) {
  return name.find(' ') == name.npos && (name.ends_with(".toml") || name.ends_with(".comp") ||
                                         name.ends_with(".glsl") || name.ends_with(".h") || name.ends_with(".spv"));
}

}  // namespace

std::vector<Diagnostic> diagnostics_of(const std::string& variant, const std::string& error) {
  std::vector<Diagnostic> out;
  std::stringstream lines(error);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t") == line.npos) continue;
    Diagnostic d;
    const size_t colon = line.find(':');
    std::string file = line.substr(0, colon);
    if (colon == line.npos || !is_file(file)) {
      if (!out.empty() && (line.front() == ' ' || line.front() == '\t'))
        out.back().text += "\n" + line;
      else
        out.push_back({"", 0, line});
      continue;
    }
    if (file.starts_with(variant + "/")) file.erase(0, variant.size() + 1);
    d.file = file;
    size_t at = colon + 1;
    size_t digits = at;
    while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits]))) ++digits;
    if (digits > at && digits - at < 9) {
      d.line = size_t(std::stoul(line.substr(at, digits - at)));
      at = digits;
      if (at < line.size() && line[at] == ':') ++at;
    }
    const size_t text = line.find_first_not_of(" \t", at);
    d.text = text == line.npos ? "" : line.substr(text);
    // glslang quotes an empty token where it has none to name.
    if (d.text.starts_with("'' : ")) d.text.erase(0, 5);
    const size_t trim = d.text.find_first_not_of(' ');
    if (trim != d.text.npos) d.text.erase(0, trim);
    // That it ended tells nothing beside why.
    if (!out.empty() && d.text == "compilation terminated") continue;
    if (std::find(out.begin(), out.end(), d) == out.end()) out.push_back(std::move(d));
  }
  return out;
}

namespace {

template <class Wanted>
void keep_at_hand(LoadedVariant& v, const std::vector<LoadedVariant>& before, const Wanted& wanted) {
  const auto old = std::find_if(before.begin(), before.end(), [&](const LoadedVariant& o) { return o.name == v.name; });
  if (old == before.end()) return;
  for (const LoadedFile& file : old->files)
    if (wanted(file) &&
        std::none_of(v.files.begin(), v.files.end(), [&](const LoadedFile& f) { return f.name == file.name; }))
      v.files.push_back(file);
}

}  // namespace

bool Editor::Document::dirty() const {
  if (compared_ != buffer.version()) {
    compared_ = buffer.version();
    dirty_ = buffer.text() != disk;
  }
  return dirty_;
}

void Editor::loaded(const std::vector<LoadedVariant>& variants, const std::vector<VariantInfo>& infos) {
  const std::vector<LoadedVariant> before = std::exchange(variants_, variants);
  std::set<std::string> there;
  errors_.clear();
  for (LoadedVariant& v : variants_) {
    const auto info = std::find_if(infos.begin(), infos.end(), [&](const VariantInfo& i) { return i.name == v.name; });
    if (info == infos.end()) continue;
    if (info->error.empty()) {
      versions.note(v.name, info->hash, texts_of(v));
    } else {
      // A text that is wrong may name its includes no more: they stay at hand.
      keep_at_hand(v, before, [](const LoadedFile& file) { return !file.own; });
      errors_[v.name] = diagnostics_of(v.name, info->error);
    }
    for (const LoadedFile& file : v.files) {
      there.insert(file.path.string());
      if (const auto open = documents_.find(file.path.string()); open != documents_.end()) {
        open->second.writable = file.writable;
        read_again(open->second, *file.text);
      } else if (pending_.contains(file.path.string())) {
        of(file);
      }
    }
    // Somebody removed the file; what was typed into it is still somebody's work, and saving writes it again.
    keep_at_hand(v, before, [&](const LoadedFile& file) {
      const Document* d = find(file.path.string());
      return file.own && d && d->dirty();
    });
  }
  for (auto& [path, d] : documents_) d.gone = !there.contains(path);
}

void Editor::read_again(Document& d, const std::string& text) {
  if (text == d.disk) {
    d.theirs.reset();
    return;
  }
  if (!d.dirty() || d.buffer.text() == text) {
    d.disk = text;
    d.buffer.replace(text);
    d.theirs.reset();
  } else {
    d.theirs = text;
  }
  d.compared_ = ~0ull;
}

std::vector<Editor::Tab> Editor::tabs(const std::string& name) const {
  std::vector<Tab> out;
  const LoadedVariant* v = variant(name);
  if (!v) return out;
  for (const LoadedFile& file : v->files) {
    const Document* d = find(file.path.string());
    const auto& all = errors(name);
    out.push_back(
        {file.name, &file, d && d->dirty(),
         size_t(std::count_if(all.begin(), all.end(), [&](const Diagnostic& e) { return e.file == file.name; }))});
  }
  return out;
}

Editor::Document& Editor::of(const LoadedFile& file) {
  const std::string path = file.path.string();
  if (const auto found = documents_.find(path); found != documents_.end()) return found->second;
  Document& d = documents_[path];
  d.path = path;
  d.buffer = TextBuffer(*file.text);
  d.ink = Highlighter(language_of(file.name));
  d.disk = *file.text;
  d.writable = file.writable;
  if (const auto kept = pending_.find(path); kept != pending_.end()) {
    d.buffer.replace(kept->second.text);
    if (content_hash(d.disk) != kept->second.base_hash && d.buffer.text() != d.disk) d.theirs = d.disk;
    pending_.erase(kept);
  }
  return d;
}

const Editor::Document* Editor::find(const std::string& path) const {
  const auto found = documents_.find(path);
  return found == documents_.end() ? nullptr : &found->second;
}

std::optional<SaveRequest> Editor::save(Document& d, bool over) {
  if (d.saving || (!d.dirty() && !d.theirs && !d.gone)) return std::nullopt;
  d.saving = true;
  return SaveRequest{d.path, d.buffer.text(), over ? std::nullopt : std::optional(d.disk)};
}

void Editor::saved(const SaveOutcome& out) {
  const auto found = documents_.find(out.request.path.string());
  if (found == documents_.end()) return;
  Document& d = found->second;
  d.saving = false;
  d.compared_ = ~0ull;
  if (!out.error.empty()) return;
  if (out.theirs) {
    d.theirs = out.theirs;
    return;
  }
  d.disk = out.request.text;
  d.theirs.reset();
  d.gone = false;
}

Json to_json(const UnsavedText& t) { return {{"path", t.path}, {"text", t.text}, {"base", t.base_hash}}; }

void from_json(const Json& j, UnsavedText& t) {
  Fields(j).need("path", t.path).need("text", t.text).need("base", t.base_hash);
}

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
