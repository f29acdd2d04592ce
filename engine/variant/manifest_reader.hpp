// Reading one table of a manifest. Internal to this module.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/input/toml.hpp"
#include "engine/result.hpp"
#include "engine/variant/manifest.hpp"

namespace attnscope {

// Reads the keys of one TOML table, and remembers which were asked for, so that the rest can be refused. The first
// error wins; reading goes on with empty values so that callers need no checks in between.
class ManifestReader {
 public:
  ManifestReader(const toml::table& table, std::string file, std::string where, std::optional<Error>& error)
      : table_(table), file_(std::move(file)), where_(std::move(where)), error_(error) {}

  void fail(const toml::node& node, const std::string& message) const { fail_at(node.source().begin.line, message); }
  void fail(const std::string& message) const { fail_at(table_.source().begin.line, message); }

  const toml::node* get(const std::string& key) {
    known_.insert(key);
    return table_.get(key);
  }
  std::string text(const std::string& key, bool required = false) {
    const toml::node* node = get(key);
    if (!node) {
      if (required) miss(key);
      return {};
    }
    if (const auto value = node->value_exact<std::string>()) {
      if (required && value->empty()) fail(*node, fmt::format("{}'{}' is empty", where_, key));
      return *value;
    }
    fail(*node, fmt::format("{}'{}' must be a string", where_, key));
    return {};
  }
  // An expression may be written as a bare number or truth value.
  std::string expression(const toml::node& node, const std::string& what) const {
    if (const auto value = node.value_exact<std::string>()) return *value;
    if (const auto value = node.value_exact<int64_t>()) return fmt::format("{}", *value);
    if (const auto value = node.value_exact<double>()) return fmt::format("{}", *value);
    if (const auto value = node.value_exact<bool>()) return *value ? "1" : "0";
    fail(node, fmt::format("{}'{}' must be an expression (a string or a number)", where_, what));
    return {};
  }
  std::string expression(const std::string& key, bool required = false) {
    const toml::node* node = get(key);
    if (node) return expression(*node, key);
    if (required) miss(key);
    return {};
  }
  std::vector<std::string> texts(const std::string& key) {
    std::vector<std::string> out;
    for_each(key, [&](const toml::node& node) {
      if (const auto value = node.value_exact<std::string>())
        out.push_back(*value);
      else
        fail(node, fmt::format("{}'{}' must be a list of strings", where_, key));
    });
    return out;
  }
  template <class F>
  void for_each(const std::string& key, F f) {
    const toml::node* node = get(key);
    if (!node) return;
    if (const toml::array* array = node->as_array()) {
      for (const toml::node& item : *array) f(item);
    } else {
      fail(*node, fmt::format("{}'{}' must be a list", where_, key));
    }
  }
  // Every [[key]] table, each with a reader of its own.
  template <class F>
  void tables(const std::string& key, F f) {
    for_each(key, [&](const toml::node& node) {
      const toml::table* table = node.as_table();
      if (!table) {
        fail(node, fmt::format("{}'{}' must be tables, written [[{}]]", where_, key, key));
        return;
      }
      const auto name = (*table)["name"].value<std::string>();
      ManifestReader reader(*table, file_, name ? fmt::format("{} '{}': ", key, *name) : key + ": ", error_);
      f(reader);
      reader.finish();
    });
  }
  std::map<std::string, std::string> expressions(const std::string& key) {
    std::map<std::string, std::string> out;
    if (const toml::table* table = sub_table(key))
      for (const auto& [name, node] : *table) out[std::string(name.str())] = expression(node, std::string(name.str()));
    return out;
  }
  const toml::table* sub_table(const std::string& key) {
    const toml::node* node = get(key);
    if (!node) return nullptr;
    if (!node->is_table())
      fail(*node, fmt::format("{}'{}' must be a table, written {{ NAME = value }} or [{}]", where_, key, key));
    return node->as_table();
  }
  int64_t integer(const toml::node& node, const std::string& what) const {
    if (const auto value = node.value_exact<int64_t>()) return *value;
    fail(node, fmt::format("{}'{}' must be an integer", where_, what));
    return 0;
  }
  // A key that is missing is reported after unknown ones, since the cause is often a typo there.
  void miss(const std::string& key) {
    if (missing_.empty()) missing_ = key;
  }
  void finish() const {
    for (const auto& [key, node] : table_)
      if (!known_.contains(std::string(key.str())))
        fail_at(key.source().begin.line,
                fmt::format("{}unknown key '{}'; known here: {}{}", where_, key.str(), fmt::join(known_, ", "),
                            of_manifest(key.str()) ? " (a key of the manifest stands above its first [table])" : ""));
    if (!missing_.empty()) fail(fmt::format("{}needs the key '{}'", where_, missing_));
  }

 private:
  /// Whether it is a key of the whole manifest, which TOML takes as one of the table above it.
  bool of_manifest(std::string_view key) const {
    constexpr std::array keys{"title",   "summary",  "dtypes", "options",     "features",
                              "sources", "preamble", "rank",   "extra_bytes", "nondeterministic"};
    return !where_.empty() && std::ranges::find(keys, key) != keys.end();
  }
  void fail_at(uint32_t line, const std::string& message) const {
    if (!error_) error_ = bad_input(fmt::format("{}:{}: {}", file_, line, message));
  }

  const toml::table& table_;
  std::string file_, where_;
  std::optional<Error>& error_;
  std::set<std::string> known_;
  std::string missing_;
};

// What describes a kernel of another engine (manifest_foreign.cpp).

/// `{ q = 0, k = { set = 1, binding = 2 }, dummy = [3, 4] }`; empty where the key is not there.
Bindings read_bindings(ManifestReader&, const std::string& key);
/// `[tensors]`, by role.
std::map<std::string, TensorDecl> read_tensors(ManifestReader&);
PushDecl read_push(ManifestReader&, const toml::table*);
std::map<uint32_t, PushDecl> read_uniforms(ManifestReader&);
std::map<std::string, TextDefine> read_texts(ManifestReader&);
std::string read_preamble(ManifestReader&);
/// What the manifest has for all passes: constants, push, texts, preamble. A pass's own come first.
void share(ManifestReader& root, std::vector<PassDecl>&);
/// Names in bindings that are nobody's, and scratch buffers that nothing can bind: the first is the reader's error.
void check_bindings_known(const ManifestReader& root, const Manifest&);

}  // namespace attnscope
