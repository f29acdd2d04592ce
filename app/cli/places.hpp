// The folders of the program's own data and of its caches.
#pragma once

#include <filesystem>

#include "engine/result.hpp"

namespace attnscope::cli {

/// The folder that holds shaders/ and assets/: ATTNSCOPE_DATA, else <executable>/.., else <executable>/../../.. (a
/// build tree), else the sources it was built from. The error lists where it looked.
Result<std::filesystem::path> data_dir();

/// Where every run is remembered: $ATTNSCOPE_HISTORY, else $XDG_DATA_HOME/attnscope/history.sqlite, else the same in
/// ~/.local/share. "" = nowhere: ATTNSCOPE_HISTORY is "off", or there is no home. It may be one that cannot be written.
std::filesystem::path history_file();

/// $XDG_CACHE_HOME/attnscope or ~/.cache/attnscope, which need not be there yet; "" when it cannot be written to.
std::string cache_dir();

/// In $XDG_DATA_HOME/attnscope or ~/.local/share/attnscope: the tuning cache, "" = there is no home; the folder of
/// journals of trials, "" = it cannot be written to. And the folder of tables that ship, or "".
std::filesystem::path tuned_file();
std::filesystem::path trials_dir();
std::filesystem::path shipped_tuned_dir();
/// Where the window keeps a session that another one takes the place of; it need not be there yet. "" = it cannot be
/// written to.
std::filesystem::path sessions_dir();

/// A person's own variants, searched by every command: shaders/ beside the tuning cache; "" where there is no such
/// folder, unless `make`.
std::filesystem::path user_shaders_dir(bool make = false);

}  // namespace attnscope::cli
