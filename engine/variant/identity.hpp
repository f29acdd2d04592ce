// What of a manifest decides what runs.
#pragma once

#include <string>

#include <toml++/toml.h>

namespace attnscope {

/// The manifest in one spelling, without comments, and without what only names a config or chooses among variants
/// (title, summary, system, rank, the named configs): a new rank makes no new kernel, and what was tuned stays true.
std::string identity_text(const toml::table& manifest);

}  // namespace attnscope
