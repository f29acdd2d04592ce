// Tuned configs as a C header, for an inference engine to include.
#pragma once

#include "engine/tune/cache.hpp"

namespace attnscope::tune {

/// A C99 header: the fastest entry of each problem, and a search for the nearest. The error: several devices, or none.
Result<std::string> tuned_header(std::span<const TunedEntry>);

/// tuned.h.in and pick.h.in, whole.
extern const char *const kTunedHeader, *const kPickHeader;
/// In a template: the text `by` at each place of `what`.
void put(std::string& text, std::string_view what, const std::string& by);
/// In a template: how a distance counts doublings for {q}, {kv}, {heads} and {group}, and {farthest}.
void put_weights(std::string& text);

/// A string literal, quotes included; what a literal cannot hold is replaced by '?'.
std::string c_string(std::string_view text);
/// "{1u, 2u}", never empty.
std::string c_array(std::span<const uint32_t>);
/// For a comment: no end of one, nothing but printable characters; anything else is '_'.
std::string c_comment(std::string_view text);

}  // namespace attnscope::tune
