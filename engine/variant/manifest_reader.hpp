// The parts of a manifest that describe a kernel of another engine (manifest_foreign.cpp). Internal to this module.
#pragma once

#include "engine/input/toml.hpp"
#include "engine/variant/manifest.hpp"

namespace attnscope {

/// `{ q = 0, k = { set = 1, binding = 2 }, dummy = [3, 4] }`; empty where the key is not there.
Bindings read_bindings(const TomlReader&, const std::string& key);
/// `[tensors]`, by role.
std::map<std::string, TensorDecl> read_tensors(const TomlReader&);
PushDecl read_push(const TomlReader&, const toml::table&);
std::map<uint32_t, PushDecl> read_uniforms(const TomlReader&);
std::map<std::string, TextDefine> read_texts(const TomlReader&);
std::string read_preamble(const TomlReader&);
/// What the manifest has for all passes: constants, push, texts, preamble. A pass's own come first.
void share(const TomlReader& root, std::vector<PassDecl>&);
/// The error is of a name in bindings that is nobody's, or of a scratch buffer that nothing can bind.
void check_bindings_known(const TomlReader& root, const Manifest&);

}  // namespace attnscope
