// Short names of configs in one table: only the parameters that differ.
#pragma once

#include "engine/record/record.hpp"

namespace attnscope {

/// A config and what is known of it.
struct ConfigName {
  std::string variant;
  Config config;
  std::string name = {};  ///< of the manifest's named config ("default" for the defaults), "" when it is none
  Config defaults = {};   ///< the variant's; empty where they are not known
};
/// A record's own.
ConfigName config_name(const Record&, const Config& defaults = {});

/// A label for each, in order: its name where it has one, else the parameters that differ from the defaults (where
/// those are unknown: in which this variant's configs here differ), as --config takes them. Where two different configs
/// of a variant would have the same label, both are shown whole. "" for a config without parameters.
std::vector<std::string> short_config_labels(std::span<const ConfigName>);
/// The same with the variant before it: "tiled BLOCK_M=16,BLOCK_N=32", "tiled default", "peer".
std::vector<std::string> short_labels(std::span<const ConfigName>);

}  // namespace attnscope
