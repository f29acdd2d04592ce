#include "app/gui/editor/editor.hpp"

#include <fstream>
#include <regex>
#include <sstream>

#include "engine/record/json_fields.hpp"
#include "engine/record/results.hpp"
#include "engine/variant/source_files.hpp"

namespace attnscope::gui {
namespace {

/// "file:line: " or "file: " as a compiler begins a line with, and the empty token of glslang where it names none.
const std::regex kPlace(R"(([^ :]+\.(?:toml|comp|glsl|h|spv)):(?:(\d{1,8}):?)?[ \t]*(?:'' : *)?)");
constexpr size_t kLongestPlace = 300;

template <class Wanted>
void keep_at_hand(LoadedVariant& v, const std::vector<LoadedVariant>& before, const Wanted& wanted) {
  const LoadedVariant* old = find_by(before, v.name, &LoadedVariant::name);
  if (!old) return;
  for (const LoadedFile& file : old->files)
    if (wanted(file) && !find_by(v.files, file.name, &LoadedFile::name)) v.files.push_back(file);
}

}  // namespace

std::vector<Diagnostic> diagnostics_of(const std::string& variant, const std::string& error) {
  std::vector<Diagnostic> out;
  std::stringstream lines(error);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t") == line.npos) continue;
    std::smatch place;
    const std::string head = line.substr(0, kLongestPlace);
    if (!std::regex_search(head, place, kPlace, std::regex_constants::match_continuous)) {
      if (!out.empty() && (line.front() == ' ' || line.front() == '\t'))
        out.back().text += "\n" + line;
      else
        out.push_back({"", 0, line});
      continue;
    }
    Diagnostic d{place[1], place[2].matched ? size_t(std::stoul(place[2])) : 0, line.substr(size_t(place.length()))};
    if (d.file.starts_with(variant + "/")) d.file.erase(0, variant.size() + 1);
    // That it ended tells nothing beside why.
    if (!out.empty() && d.text.starts_with("compilation terminated")) continue;
    if (!contains(out, d)) out.push_back(std::move(d));
  }
  return out;
}

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
    const VariantInfo* info = find_by(infos, v.name, &VariantInfo::name);
    if (!info) continue;
    if (info->error.empty()) {
      versions.note(v.name, info->hash, texts_of(v));
    } else {
      // A text that is wrong may name its includes no more: they stay at hand.
      keep_at_hand(v, before, [](const LoadedFile& file) { return !file.own; });
      errors_[v.name] = diagnostics_of(v.name, info->error);
    }
    for (const LoadedFile& file : v.files) {
      there.insert(file.path.string());
      if (Document* open = find_at(documents_, file.path.string())) {
        open->writable = file.writable;
        read_again(*open, *file.text);
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
  d.theirs.reset();
  if (text == d.disk) return;
  if (d.dirty() && d.buffer.text() != text) {
    d.theirs = text;
    return;
  }
  d.disk = text;
  d.buffer.replace(text);
  d.compared_ = ~0ull;
}

std::vector<Editor::Tab> Editor::tabs(const std::string& name) const {
  std::vector<Tab> out;
  const LoadedVariant* v = variant(name);
  if (!v) return out;
  for (const LoadedFile& file : v->files) {
    const Document* d = find(file.path.string());
    out.push_back(
        {file.name, &file, d && d->dirty(), size_t(std::ranges::count(errors(name), file.name, &Diagnostic::file))});
  }
  return out;
}

Editor::Document& Editor::of(const LoadedFile& file) {
  const std::string path = file.path.string();
  if (Document* open = find_at(documents_, path)) return *open;
  Document& d = documents_[path];
  d.path = path;
  d.buffer = TextBuffer(*file.text);
  d.ink = Highlighter(file.name.ends_with(".toml") ? Language::toml : Language::glsl);
  d.disk = *file.text;
  d.writable = file.writable;
  if (const UnsavedText* kept = find_at(pending_, path)) {
    d.buffer.replace(kept->text);
    if (content_hash(d.disk) != kept->base_hash && d.buffer.text() != d.disk) d.theirs = d.disk;
    pending_.erase(path);
  }
  return d;
}

std::optional<SaveRequest> Editor::save(Document& d, bool over) {
  if (d.saving || (!d.dirty() && !d.theirs && !d.gone)) return std::nullopt;
  d.saving = true;
  return SaveRequest{d.path, d.buffer.text(), over ? std::nullopt : std::optional(d.disk)};
}

void Editor::saved(const SaveOutcome& out) {
  Document* open = find_at(documents_, out.request.path.string());
  if (!open) return;
  Document& d = *open;
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
  if (Version* known = find_by(v.all, hash, &Version::hash))
    known->texts = texts;
  else
    v.all.push_back({v.all.empty() ? 1 : v.all.back().number + 1, hash, texts});
}

namespace fs = std::filesystem;

SaveOutcome save_file(SaveRequest request) {
  SaveOutcome out{std::move(request), "", {}};
  const SaveRequest& r = out.request;
  const auto failed = [&](std::string why) {
    out.error = std::move(why);
    return out;
  };
  std::error_code error;
  const fs::path real = fs::weakly_canonical(r.path, error);
  if (error) return failed(fmt::format("'{}' cannot be written: {}.", r.path.string(), error.message()));
  if (r.text.size() > kMaxSourceBytes)
    return failed(fmt::format("'{}' is not written: {} bytes are more than the {} that a source may have.",
                              r.path.string(), r.text.size(), kMaxSourceBytes));
  if (r.expected && fs::exists(real, error)) {
    const Result<std::string> now = read_file(real, kMaxSourceBytes);
    if (!now) return failed(now.error().message);
    if (*now != *r.expected && *now != r.text) {
      out.theirs = *now;
      return out;
    }
  }
  if (const Result<void> written = write_text(real, r.text); !written) out.error = written.error().message;
  return out;
}

std::string why_no_name(const std::string& name) {
  std::string why = not_a_variant_name(name);
  return why.empty()    ? why
         : name.empty() ? "Give it a name."
                        : fmt::format("A variant cannot have this name: {}.", why);
}

Result<fs::path> copy_variant(const fs::path& folder, const fs::path& into, const std::string& name,
                              const std::map<std::string, std::string>& texts) {
  if (const std::string why = why_no_name(name); !why.empty()) return bad_input(fmt::format("'{}': {}", name, why));
  const fs::path target = into / name;
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error)))
    return bad_input(fmt::format("'{}' is there already: choose another name.", target.string()));
  fs::create_directories(into, error);
  if (error) return bad_input(fmt::format("'{}' cannot be made: {}.", into.string(), error.message()));
  // Found as a whole or not at all by whoever looks at the folder meanwhile.
  const fs::path made = into / fmt::format(".{}.new", name);
  fs::remove_all(made, error);
  error.clear();
  fs::create_directory(made, error);
  uint64_t bytes = 0;
  std::error_code ignored;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with('.') || !it->is_regular_file(ignored)) continue;
    bytes += it->file_size(ignored);
    if (bytes > kMaxFolderBytes) {
      fs::remove_all(made, ignored);
      return bad_input(
          fmt::format("'{}' holds more than the {} bytes that a variant may have.", folder.string(), kMaxFolderBytes));
    }
    const fs::path to = made / it->path().filename();
    fs::copy_file(it->path(), to, error);
    // What ships may be read-only; a copy is for editing.
    if (!error) fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write, fs::perm_options::add, error);
    if (error) break;
    const std::string* edited = find_at(texts, to.filename().string());
    if (edited && !(std::ofstream(to, std::ios::binary) << *edited).flush())
      error = std::make_error_code(std::errc::io_error);
    if (error) break;
  }
  if (!error) fs::rename(made, target, error);
  if (error) {
    const std::string why = error.message();
    fs::remove_all(made, ignored);
    return bad_input(fmt::format("'{}' cannot be copied to '{}': {}.", folder.string(), target.string(), why));
  }
  return target;
}

Watch::Watch(std::vector<fs::path> dirs, std::vector<fs::path> outside)
    : dirs_(std::move(dirs)), outside_(std::move(outside)) {
  // Twice: the folders are known when they are read.
  read();
  read();
}

/// What changes from now on is seen.
void Watch::read() {
  of_known_ = stamps();
  auto sources = read_variant_sources(dirs_, outside_);
  if (!sources) return;
  folders_ = source_folders(*sources, dirs_, outside_);
  known_.clear();
  for (VariantSource& s : *sources) known_[s.name] = std::move(s);
}

Watch::Stamps Watch::stamps() const {
  Stamps out;
  for (const fs::path& folder : folders_) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), last; !error && it != last; it.increment(error))
      if (const auto is = file_stamp(it->path())) out[it->path().string()] = *is;
  }
  return out;
}

std::vector<std::string> Watch::take(double now) {
  if (looked_for_.empty()) {
    if (now - looked_at_ < (began_ < 0 ? kPoll : kRest)) return {};
    looked_at_ = now;
    const Stamps before = std::exchange(last_, stamps());
    if (last_ == of_known_) began_ = -1;
    if (last_ == of_known_) return {};
    // It may be in the middle of being written: its stamps come to rest.
    if (began_ < 0) began_ = now;
    if (last_ != before && now - began_ < kLongest) return {};
  }
  began_ = -1;
  std::set<std::string> found = std::exchange(looked_for_, {});
  const std::map<std::string, VariantSource> before = known_;
  read();
  for (const auto& [name, source] : known_)
    if (const VariantSource* old = find_at(before, name); !old || !(*old == source)) found.insert(name);
  for (const auto& [name, source] : before)
    if (!known_.contains(name)) found.insert(name);
  return {found.begin(), found.end()};
}

}  // namespace attnscope::gui
