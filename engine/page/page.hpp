// Records as one HTML page that needs no server, no network and no other file.
#pragma once

#include "engine/record/record.hpp"

namespace attnscope {

/// How the page looks and behaves: the files of assets/report.
struct PageAssets {
  std::string style;
  std::string script;  ///< all parts, in order
};
Result<PageAssets> read_page_assets(const std::filesystem::path& folder);

/// Values go into the page as JSON that no text can break out of; the script finds them under the records' own names.
std::string make_page(std::span<const Record>, const PageAssets&, std::string_view title = "");

/// At most `most` of the samples in the order taken: the least and the largest of each block.
std::vector<double> thinned(std::span<const double> samples, size_t most);

/// `attnscope bench` or `verify` as this run was, quoted for a shell; "" for another program's record.
std::string command_of(const Record&);

}  // namespace attnscope
