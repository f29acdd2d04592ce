// Options that several commands share, and what they become: problems, places, sessions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "engine/measure/protocol_change.hpp"
#include "engine/record/preset.hpp"
#include "engine/session/session.hpp"

namespace attnscope::cli {

struct CommonOptions {
  std::string command;  ///< "verify", for messages
  std::string device;
  std::vector<std::string> workers, shaders, sources;
  bool json = false, quiet = false, validation = false, in_process = false;
  std::optional<double> deadline_s;  ///< absent: WorkerOptions' own
};

/// What to run: the options --problem, --preset, --variant, --config, --seed, --output,
/// --no-history.
struct WorkOptions {
  std::vector<std::string> problems, presets, variants, configs;
  uint64_t seed = 1;
  std::string output;
  bool no_history = false;
  ProtocolChange modes = {};    ///< which of the tuned "auto" looks at
  bool insist = true;           ///< what cannot run is an error; not so for variants that a preset named
  bool chosen_problems = true;  ///< the problems were asked for; a variant need not take all of the usual ones
  /// Those of the preset, if all that is asked for is one.
  SoftwareTerms software = {};
};

/// Which of the common options a command takes.
void add_device_options(CLI::App&, CommonOptions&);
void add_output_options(CLI::App&, CommonOptions&);
void add_work_options(CLI::App&, WorkOptions&);
/// The first three of them, for commands that choose the config themselves; `variants`: help of --variant.
void add_what_options(CLI::App&, WorkOptions&, const std::string& variants);
void add_history_option(CLI::App&, WorkOptions&);
void add_protocol_options(CLI::App&, ProtocolChange&);

/// Prints one error, as text on stderr and with --json as a document on stdout too, and gives the exit code.
int fail(const CommonOptions&, const Error&);
/// The error with "--option value: " put before its message.
Error about(const std::string& option, const std::string& value, const Error&);

/// Problems of --problem and of --preset, in that order; the preset's variants and configs into empty options, and its
/// terms on software where it is all that is asked for.
/// `fallback`: the preset for when neither is given; "" = an error instead.
Result<std::vector<Problem>> wanted_problems(WorkOptions&, const std::string& fallback);

/// The --output path has a format and can be written; asked before long work starts.
Result<void> check_output(const WorkOptions&);

/// Folders of variants: the shipped one, then each --shaders.
Result<std::vector<std::filesystem::path>> shader_dirs(const CommonOptions&);
/// Folders of --sources.
Result<std::vector<std::filesystem::path>> source_dirs(const CommonOptions&);
/// The variants in those of shader_dirs(), with what they take from source_dirs().
Result<std::vector<VariantSource>> variant_sources(const CommonOptions&);
/// argv of each --worker; empty when there is none.
Result<std::vector<std::vector<std::string>>> worker_commands(const CommonOptions&);
SessionOptions session_options(const CommonOptions&);

/// A device with its variants loaded, ready to run.
struct Opened {
  std::unique_ptr<Session> session;
  DeviceInfo device;
  std::vector<VariantInfo> variants;
};
/// Sessions alone, one for each --worker, or one; nothing is opened.
Result<std::vector<std::unique_ptr<Session>>> make_sessions(const CommonOptions&);
/// The same, opened and loaded.
Result<std::vector<Opened>> open_sessions(const CommonOptions&);
/// With these variants, whatever --shaders says.
Result<std::vector<Opened>> open_sessions(const CommonOptions&, const std::vector<VariantSource>&);

}  // namespace attnscope::cli
