// Export of a history to a file of records.
#pragma once

#include <filesystem>

#include "engine/history/history.hpp"

namespace attnscope {

/// Every run that passes, into FILE.json (without loss) or FILE.csv (without samples and what drivers report raw),
/// however many there are: one at a time. Atomic. How many there were; the error names the file.
Result<size_t> export_history(History&, const HistoryFilter&, const std::filesystem::path& file);

}  // namespace attnscope
