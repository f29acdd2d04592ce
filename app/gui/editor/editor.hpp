// What a compiler or the manifest's reader said, at the lines it said it of.
#pragma once

#include <nlohmann/json.hpp>

#include "app/gui/editor/text_buffer.hpp"
#include "app/gui/worker/messages.hpp"
#include "engine/record/json.hpp"

namespace attnscope::gui {

// Writing an edited file, and copying a variant. May wait for the disk, so on a thread of its own.

struct SaveRequest {
  std::filesystem::path path;
  std::string text;
  /// What the file held when it was read; another text there now is not overwritten, unless it is nullopt.
  std::optional<std::string> expected;
};
struct SaveOutcome {
  SaveRequest request;
  std::string error;                  ///< "" = it was written, or was not for `theirs`
  std::optional<std::string> theirs;  ///< what the file holds instead of `expected`; nothing was written
};
/// As a whole or not at all, with the file's permissions; a link stays one, and what it leads to is written.
SaveOutcome save_file(SaveRequest);

/// Copies a variant's folder as `name` into `into` (made if need be), links as the files that they lead to; `texts`, by
/// file name, in place of what those files hold. The new folder. Errors: the name is no folder's name, or taken; what
/// could not be read or written, and nothing is left.
Result<std::filesystem::path> copy_variant(const std::filesystem::path& folder, const std::filesystem::path& into,
                                           const std::string& name,
                                           const std::map<std::string, std::string>& texts = {});
/// Why it cannot be a variant's name; "" when it can.
std::string why_no_name(const std::string& name);

/// Watches the folders of variants, and says which variants changed when somebody saved, whatever the editor.
class Watch {
 public:
  static constexpr double kPoll = 0.1;     ///< seconds between two looks at the files' times: some hundred take 0.2 ms
  static constexpr double kRest = 0.06;    ///< the same while files change
  static constexpr double kLongest = 0.5;  ///< a folder that never rests is read this often all the same

  /// What the folders hold now is what is compared with.
  Watch(std::vector<std::filesystem::path> dirs, std::vector<std::filesystem::path> outside);
  /// Names of variants that changed, are new or gone; each once, and none that was only touched. `now`: seconds.
  std::vector<std::string> take(double now);
  /// Tells of these even when they are as they were: somebody saved them from here.
  void look(const std::vector<std::string>& names) { looked_for_.insert(names.begin(), names.end()); }

 private:
  /// A change is all that names, sizes, times or inodes can show.
  using Stamps = std::map<std::string, std::array<int64_t, 4>>;
  Stamps stamps() const;
  void read();
  std::vector<std::filesystem::path> dirs_, outside_, folders_;
  std::map<std::string, VariantSource> known_;
  Stamps of_known_, last_;
  double looked_at_ = -1e9, began_ = -1;  ///< changes that have not come to rest
  std::set<std::string> looked_for_;
};

struct Diagnostic {
  std::string file;  ///< as SourceFile::name; "" = of the variant as a whole
  size_t line = 0;   ///< counted from 1; 0 = of the file as a whole
  std::string text;
  bool operator==(const Diagnostic&) const = default;
};

/// Of VariantInfo::error: lines "file:line: text" (engine/shader/compiler.hpp) and "variant/manifest.toml: text".
std::vector<Diagnostic> diagnostics_of(const std::string& variant, const std::string& error);

// The versions of each variant that were loaded, numbered in the order in which they came: "mytile #3".

struct Version {
  int number = 1;
  std::string hash;  ///< of VariantInfo
  Texts texts;
};

class Versions {
 public:
  /// What a variant is as loaded just now: a hash that was there before keeps its number.
  void note(const std::string& variant, const std::string& hash, const Texts&);
  struct OfVariant {
    std::vector<Version> all;        ///< in the order of their numbers
    std::vector<std::string> order;  ///< hashes as they were loaded last, the newest at the end
  };
  const OfVariant& history(const std::string& variant) const {
    static const OfVariant none;
    const OfVariant* found = find_at(variants_, variant);
    return found ? *found : none;
  }
  const std::vector<Version>& of(const std::string& variant) const { return history(variant).all; }
  const Version* find(const std::string& variant, const std::string& hash) const {
    return find_by(of(variant), hash, &Version::hash);
  }
  /// 0 = it was never loaded.
  int number(const std::string& variant, const std::string& hash) const {
    const Version* v = find(variant, hash);
    return v ? v->number : 0;
  }
  uint64_t version() const { return version_; }

 private:
  std::map<std::string, OfVariant> variants_;
  uint64_t version_ = 0;
};

// The texts of the variants as a person edits them: what is unsaved, what changed on disk meanwhile, what the compiler
// said of which line, and the versions so far. Knows nothing of ImGui, threads or the disk.

struct UnsavedText {
  std::string path, text;
  std::string base_hash;  ///< of what the file held when the edits began (content_hash)
  bool operator==(const UnsavedText&) const = default;
};

class Editor {
 public:
  struct Document {
    std::string path;
    TextBuffer buffer;
    Highlighter ink;
    std::string disk;                   ///< what the file held when it was read last
    std::optional<std::string> theirs;  ///< what it holds now, beside edits that began with something else
    bool writable = false;
    bool gone = false;    ///< it is in no variant any more
    bool saving = false;  ///< on its way to the disk
    float top = 0;        ///< the first line in view

    bool dirty() const;

   private:
    mutable uint64_t compared_ = ~0ull;
    mutable bool dirty_ = false;
    friend class Editor;
  };
  struct Tab {
    std::string name;  ///< as SourceFile::name
    const LoadedFile* file = nullptr;
    bool dirty = false;
    size_t errors = 0;
  };

  /// What a link has just read and loaded.
  void loaded(const std::vector<LoadedVariant>&, const std::vector<VariantInfo>&);
  const LoadedVariant* variant(const std::string& name) const { return find_by(variants_, name, &LoadedVariant::name); }
  /// Files that a person may want to see first: the manifest, the shaders, own files; then includes.
  std::vector<Tab> tabs(const std::string& variant) const;
  /// The chosen file of a variant; its first shader until one was chosen. "" = it has none.
  std::string chosen(const std::string& name) const {
    const LoadedVariant* v = variant(name);
    if (!v || v->files.empty()) return "";
    if (const auto* file = find_at(chosen_, name); file && find_by(v->files, *file, &LoadedFile::name)) return *file;
    return v->files[v->files.size() > 1 ? 1 : 0].name;
  }
  void choose(const std::string& name, const std::string& file) { chosen_[name] = file; }
  /// The text of a file of a variant; nullptr where there is no such file. Stays where it is for as long as this lives.
  Document* document(const std::string& name, const std::string& file) {
    const LoadedVariant* v = variant(name);
    const LoadedFile* found = v ? find_by(v->files, file, &LoadedFile::name) : nullptr;
    return found ? &of(*found) : nullptr;
  }
  const Document* find(const std::string& path) const { return find_at(documents_, path); }
  const std::vector<Diagnostic>& errors(const std::string& name) const {
    static const std::vector<Diagnostic> none;
    const auto* found = find_at(errors_, name);
    return found ? *found : none;
  }

  /// `over`: also where the file holds something else by now. Nothing where there is nothing to save.
  std::optional<SaveRequest> save(Document&, bool over = false);
  void saved(const SaveOutcome&);
  /// Gives the edits up for what the file holds.
  void discard(Document& d) {
    if (d.theirs) d.disk = *std::exchange(d.theirs, std::nullopt);
    d.buffer.replace(d.disk);
    d.compared_ = ~0ull;
  }
  std::vector<std::string> unsaved() const {
    std::vector<std::string> out;
    for (const auto& [path, d] : documents_)
      if (d.dirty()) out.push_back(path);
    return out;
  }

  /// Variants of which a file was saved and not read since: no number of them is of what is on disk.
  std::set<std::string> changing;
  std::vector<std::string> variants_with(const std::filesystem::path& path) const {
    const auto has = [&](const LoadedVariant& v) { return find_by(v.files, path, &LoadedFile::path) != nullptr; };
    return mapped(filtered(variants_, has), &LoadedVariant::name);
  }

  Versions versions;
  /// Puts a version's texts into the editor, unsaved. The number of files that now differ from the disk.
  size_t restore(const std::string& name, const Version& v) {
    size_t changed = 0;
    for (const auto& [file, text] : v.texts)
      if (Document* d = document(name, file); d && d->buffer.text() != *text) {
        d->buffer.replace(*text);
        if (d->dirty() && changed++ == 0) choose(name, file);
      }
    return changed;
  }

  std::vector<UnsavedText> kept() const {
    std::vector<UnsavedText> out;
    for (const auto& [path, d] : documents_)
      if (d.dirty()) out.push_back({path, d.buffer.text(), content_hash(d.disk)});
    for (const auto& [path, text] : pending_) out.push_back(text);
    return out;
  }
  void restore_unsaved(std::vector<UnsavedText> texts) {
    for (UnsavedText& t : texts) {
      std::string path = t.path;
      pending_[std::move(path)] = std::move(t);
    }
  }

 private:
  Document& of(const LoadedFile&);
  void read_again(Document&, const std::string& text);
  std::vector<LoadedVariant> variants_;
  std::map<std::string, std::vector<Diagnostic>> errors_;
  std::map<std::string, Document> documents_;   ///< by path
  std::map<std::string, std::string> chosen_;   ///< file, by variant
  std::map<std::string, UnsavedText> pending_;  ///< of the last session, until their files are read
};

Json to_json(const UnsavedText&);
/// Throws what the JSON library throws where it is none.
void from_json(const Json&, UnsavedText&);

}  // namespace attnscope::gui
