// Options that several commands share, and the problems, folders and sessions made from them.
#pragma once

#include <mutex>

#include "app/cli/commands.hpp"
#include "app/cli/print.hpp"
#include "engine/history/history.hpp"
#include "engine/record/preset.hpp"
#include "engine/record/results.hpp"
#include "engine/session/open_gpu.hpp"

namespace attnscope::cli {

struct CommonOptions {
  std::string device;
  std::vector<std::string> workers, shaders, sources;
  bool json = false, quiet = false, validation = false;
  bool executes = true;              ///< the command verifies or times; else a device may be one that cannot
  std::optional<double> deadline_s;  ///< absent: WorkerOptions' own
  ProgressKind progress(ProgressKind kind = ProgressKind::bar_or_lines) const {
    return quiet ? ProgressKind::none : kind;
  }
};

/// What to run: the options --problem, --preset, --variant, --config, --seed, --output, --no-history.
struct WorkOptions {
  std::vector<std::string> problems, presets, variants, configs;
  uint64_t seed = 1;
  std::string output;
  bool no_history = false;
  ProtocolChange modes = {};    ///< which of the tuned "auto" looks at
  bool insist = true;           ///< what cannot run is an error; not so for variants that a preset named
  bool chosen_problems = true;  ///< the problems were asked for; a variant need not take all of the usual ones
  /// The preset's, where one preset is all that is asked for.
  double software_budget_s = 0;
};

void add_device_options(CLI::App&, CommonOptions&);
/// The folders of variants and of their sources, which are part of them.
void add_folder_options(CLI::App&, CommonOptions&);
void add_json_option(CLI::App&, CommonOptions&);
/// Those of the device, --json and --quiet.
void add_common_options(CLI::App&, CommonOptions&);
void add_work_options(CLI::App&, WorkOptions&);
/// The first three of these, for commands that choose the config themselves; `variants`: help of --variant.
void add_what_options(CLI::App&, WorkOptions&, const std::string& variants);
/// --output and --no-history.
void add_record_options(CLI::App&, WorkOptions&);
void add_protocol_options(CLI::App&, ProtocolChange&);

/// The same, an error with "--option value: " before its message.
template <class T>
Result<T> about(const std::string& option, const std::string& value, Result<T> result) {
  return within(option + " " + value, std::move(result));
}
inline Error about(const std::string& option, const std::string& value, const Error& error) {
  return about(option, value, Result<void>(error)).error();
}

/// Ends a command with an error of its options or of the session, which is then printed, with --json as a document too.
struct CommandError {
  Error error;
};
[[noreturn]] inline void fail(Error error) { throw CommandError{std::move(error)}; }
/// The value, or the command ends with the error.
template <class T>
T need(Result<T> result) {
  if (!result) fail(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}
/// The same with the option that the error is about.
template <class T>
T need(Result<T> result, const std::string& option, const std::string& value) {
  return need(about(option, value, std::move(result)));
}

/// A command and its options; `work` runs when it is typed.
template <class Options>
std::pair<CLI::App&, Options&> add_command(CLI::App& app, Action& chosen, const char* name, const char* help,
                                           int (*work)(Options&)) {
  CLI::App* command = app.add_subcommand(name, help);
  auto o = std::make_shared<Options>();
  command->callback([&chosen, o, work] { chosen = [o, work] { return work(*o); }; });
  return {*command, *o};
}

/// Problems of --problem and of --preset, in that order; the preset's variants and configs into empty options, and its
/// budget on software where it is all that is asked for. `usual`: the presets for when neither is given, else an error.
Result<std::vector<Problem>> wanted_problems(WorkOptions&, const std::vector<std::string>& usual = {});

/// A file can be written under this name, and it is none that this program keeps.
Result<void> check_free(const std::filesystem::path&);
/// Before long work: the --output path has a format (`junit`: .xml too) and can be written.
inline bool is_junit(const std::string& output) { return output.ends_with(".xml"); }
Result<void> check_output(const std::string& output, bool junit = false);
/// Writes the file of --output, if there is to be one, in the format of its extension, or this text.
Result<void> write_output(const WorkOptions&, const Results&);
Result<void> write_output(const WorkOptions&, std::string_view text);
/// Whether both name one file, by whatever path or link, be it there or not. False where either is "".
bool same_file(const std::filesystem::path&, const std::filesystem::path&);
/// An error where `output` is the very file that is read, by whatever path or link: it would be written over with less.
Result<void> spare_input(const std::string& output, const std::string& input);

/// Folders of variants: the shipped one, then each --shaders.
Result<std::vector<std::filesystem::path>> shader_dirs(const CommonOptions&);
Result<std::vector<std::filesystem::path>> source_dirs(const CommonOptions&);
/// The variants in those of shader_dirs(), with what they take from source_dirs().
Result<std::vector<VariantSource>> variant_sources(const CommonOptions&);
/// argv of each --worker; empty when there is none.
Result<std::vector<std::vector<std::string>>> worker_commands(const CommonOptions&);
SessionOptions session_options(const CommonOptions&);

struct DeviceSession {
  std::unique_ptr<Session> session;
  DeviceInfo device;
  std::vector<VariantInfo> variants;
};
const VariantInfo* find_variant(const std::vector<VariantInfo>&, std::string_view name);
/// "naive, tiled".
std::string names_of(const std::vector<VariantInfo>&);
/// One that can run on the device, unless `insist` is false; the error names --variant.
Result<const VariantInfo*> usable_variant(const DeviceSession&, const std::string& name, bool insist = true);
/// Sessions alone, one for each --worker, or one; nothing is opened.
Result<std::vector<std::unique_ptr<Session>>> make_sessions(const CommonOptions&);
Result<std::vector<DeviceSession>> open_sessions(const CommonOptions&);
/// With these variants, whatever --shaders says.
Result<std::vector<DeviceSession>> open_sessions(const CommonOptions&, const std::vector<VariantSource>&);

/// The prefix of a --device that is only compiled for; its name follows.
inline constexpr std::string_view kGpuPrefix = "gpu:";

Result<GpuCatalogue> gpu_catalogue();
Result<OpenGpu> open_gpu(const CommonOptions&, const GpuCatalogue&, const CatalogueGpu&);

/// What --device and --worker say, opened, without variants. The error also of a device that cannot execute.
Result<std::vector<DeviceSession>> open_devices(const CommonOptions&);

/// Finite, decimal, and in its range, which help and errors name.
template <class T>
CLI::Validator in_range(const NumberRange<T>& range) {
  return {[range](const std::string& text) {
            const Result<T> number = parse_number<T>(text, range);
            return number ? std::string() : number.error().message;
          },
          fmt::format("{} to {}", range.least, range.most)};
}

/// For names of files, of which "" is none.
inline CLI::Validator not_empty() {
  return {[](const std::string& text) {
            return std::string(text.empty() ? "it is empty; leave the option out instead" : "");
          },
          ""};
}

/// An option whose argument is called `type`.
template <class T>
CLI::Option* add_text(CLI::App& app, const std::string& name, T& value, const char* type, const std::string& help) {
  return app.add_option(name, value, help)->type_name(type);
}
/// The same. It may not be empty. One that takes a list may be repeated, with one value each.
template <class T>
CLI::Option* add_value(CLI::App& app, const std::string& name, T& value, const char* type, const std::string& help) {
  CLI::Option* option = add_text(app, name, value, type, help);
  if constexpr (requires { value.push_back(std::string()); } && !std::is_same_v<T, std::string>)
    option->allow_extra_args(false);
  return option->check(not_empty());
}
/// The same of a number in a range.
template <class T, class R>
CLI::Option* add_number(CLI::App& app, const std::string& name, T& value, const NumberRange<R>& range,
                        const std::string& help, const char* type = "N") {
  return add_text(app, name, value, type, help)->check(in_range(range));
}

inline constexpr NumberRange<double> kPercent{0.001, 1000};

/// Of a fraction: "3%" is 0.03. The sign has to be there, since 0.03 alone could be either.
inline CLI::Option* add_percent(CLI::App& app, const std::string& name, std::optional<double>& fraction,
                                const std::string& help) {
  const auto to_fraction = [](std::string& text) {
    std::string_view number = text;
    if (number.ends_with('%')) number.remove_suffix(1);
    while (number.ends_with(' ')) number.remove_suffix(1);
    const Result<double> percent = parse_number<double>(number, kPercent);
    if (!text.ends_with('%') || !percent)
      return fmt::format("'{}' is not a percentage from {:g}% to {:g}%, such as 3%", text, kPercent.least,
                         kPercent.most);
    text = fmt::format("{}", *percent / 100);
    return std::string();
  };
  return add_text(app, name, fraction, "PERCENT", help)->transform(CLI::Validator(to_fraction, ""));
}

/// Makes a number of seconds of "60s", "5m", "1h" or "60", or returns what is wrong with it.
std::string to_seconds(std::string& text);
/// Of a time to go on for.
template <class T>
CLI::Option* add_duration(CLI::App& app, const std::string& name, T& seconds, const std::string& help) {
  return add_text(app, name, seconds, "TIME", help)->transform(CLI::Validator(to_seconds, ""));
}

/// The folder that holds shaders/ and assets/: ATTNSCOPE_DATA, else <executable>/.., else <executable>/../../.. (a
/// build tree), else the sources it was built from. The error lists where it looked.
Result<std::filesystem::path> data_dir();

/// Where every run is remembered: $ATTNSCOPE_HISTORY, else $XDG_DATA_HOME/attnscope/history.sqlite, else the same in
/// ~/.local/share. "" = nowhere: ATTNSCOPE_HISTORY is "off", or there is no home. It may be one that cannot be written.
std::filesystem::path history_file();

/// $XDG_CACHE_HOME/attnscope or ~/.cache/attnscope, which need not be there yet; "" when it cannot be written to.
std::string cache_dir();

/// In $XDG_DATA_HOME/attnscope or ~/.local/share/attnscope: the tuning cache, "" = there is no home; the folder of
/// journals of trials, "" = it cannot be written to. And the folder of the models that ship, or "".
std::filesystem::path tuned_file();
std::filesystem::path trials_dir();
std::filesystem::path shipped_models_dir();
/// Where the window keeps a session that another one takes the place of. "" = it cannot be written to.
std::filesystem::path sessions_dir();

/// A person's own variants: shaders/ beside the tuning cache; "" where there is no such folder, unless `make`.
std::filesystem::path user_shaders_dir(bool make = false);

/// Variants that would run on the device and rely on what the check found to fail, by what their manifests need.
std::vector<std::string> ruled_out(const CheckResult&, const std::vector<VariantInfo>&);

// Where a finished record goes: into the history of the user. A fault of the history is noted and ends nothing.

/// Any thread may call keep(). Nothing is opened before the first run.
class HistoryKeeper {
 public:
  /// Nothing is kept unless `wanted`, or where there is no place for it (history_file()).
  explicit HistoryKeeper(bool wanted);
  /// Keeps those that are worth keeping. A failure is one line on stderr, after which this process keeps no more.
  void keep(std::span<const Record>, bool live = false);
  void keep(const Record& record, bool live = false) { keep(std::span(&record, 1), live); }

 private:
  std::mutex mutex_;
  Waiting waiting_ = waiting();
  bool wanted_;
  std::optional<History> history_;
  std::string told_;  ///< the last note that was printed
};

/// The error: there is none, or it cannot be opened.
Result<History> open_history(bool to_write = false);

struct HistoryFilterOptions {
  std::vector<std::string> words;  ///< FIELD=VALUE
  std::string since, until;
};
/// --where, --since, --until and, where `words`, conditions without an option before them.
void add_history_filter(CLI::App&, HistoryFilterOptions&, bool words);
/// The error names the option.
Result<HistoryFilter> history_filter(const HistoryFilterOptions&);

}  // namespace attnscope::cli
