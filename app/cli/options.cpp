#include "app/cli/options.hpp"

#include <cstdlib>
#include "engine/input/text.hpp"
#include "engine/platform/system.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/search/search.hpp"
#include "engine/session/resources.hpp"
#include "engine/tune/search_space.hpp"
#include "engine/variant/source_files.hpp"

namespace attnscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr NumberRange<double> kDeadlineSeconds{0.01, 86'400};

/// Where a file of this name lies or would lie.
fs::path place_of(const fs::path& path) {
  std::error_code none;
  return fs::weakly_canonical(behind_links(fs::absolute(path, none)), none);
}

/// `dirs`, and those given.
Result<std::vector<fs::path>> folders(const char* option, const std::vector<std::string>& given,
                                      std::vector<fs::path> dirs = {}) {
  for (const std::string& dir : given) {
    std::error_code error;
    if (!fs::is_directory(dir, error))
      return bad_input("{} {}: there is no such folder{}", option, dir,
                       error ? fmt::format(" ({})", error.message()) : "");
    dirs.emplace_back(dir);
  }
  return dirs;
}

WorkerOptions worker_options(const CommonOptions& o) {
  WorkerOptions worker;
  if (o.deadline_s) worker.deadline_s = worker.software_deadline_s = *o.deadline_s;
  worker.session = session_options(o);
  worker.cancel = &interrupted();
  worker.cancel_ends_all = true;
  return worker;
}

Result<DeviceSession> open_named_gpu(const CommonOptions& o, std::string_view name) {
  if (!o.workers.empty()) return bad_input("--device gpu: needs a worker of its own here, so it excludes --worker");
  const GpuCatalogue catalogue = TRY(gpu_catalogue());
  const std::vector<const CatalogueGpu*> found = TRY(about("--device", o.device, find_gpus(catalogue, name)));
  if (found.size() != 1) return about("--device", o.device, bad_input("one GPU is needed"));
  OpenGpu open = TRY(open_gpu(o, catalogue, *found.front()));
  return DeviceSession{std::move(open.session), open.device, {}};
}

fs::path in_user_data(const char* name) {
  const fs::path dir = user_folder(UserFolder::data);
  return dir.empty() ? fs::path() : dir / name;
}

/// "" where nothing can be written. Who writes there makes it.
fs::path writable(const fs::path& dir) { return !dir.empty() && why_not_written(dir).empty() ? dir : fs::path(); }

}  // namespace

void add_folder_options(CLI::App& app, CommonOptions& o) {
  add_value(app, "--shaders", o.shaders, "DIR", "Folder of more variants, added to the shipped ones; repeatable");
  add_value(app, "--sources", o.sources, "DIR",
            "Folder of shaders that variants take from elsewhere (docs/adapters.md); repeatable");
}

void add_device_options(CLI::App& app, CommonOptions& o) {
  add_value(app, "--device", o.device, "NAME|cpu",
            "INDEX, part of a NAME, or cpu (a software device); default: the fastest real GPU, else software. Where "
            "nothing is executed also gpu:NAME (attnscope devices --all)");
  add_value(app, "--worker", o.workers, "COMMAND",
            "Command of a worker to measure through, such as 'ssh gpu-box attnscope worker'; repeatable");
  add_folder_options(app, o);
  add_number(app, "--deadline", o.deadline_s, kDeadlineSeconds,
             "Seconds of silence, or of one compile, after which a worker is ended and started again (60; 300 on a "
             "software device)",
             "SECONDS");
  app.add_flag("--validation", o.validation, "Vulkan validation layers with synchronization validation");
}

void add_json_option(CLI::App& app, CommonOptions& o) {
  app.add_flag("--json", o.json, "One JSON document on stdout and nothing else");
}

void add_common_options(CLI::App& app, CommonOptions& o) {
  add_device_options(app, o);
  add_json_option(app, o);
  app.add_flag("--quiet", o.quiet, "No progress on stderr");
}

void add_what_options(CLI::App& app, WorkOptions& o, const std::string& variants) {
  add_value(app, "--problem", o.problems, "PROBLEM",
            "BxHxSxD[:q=..][:kv=..][:dv=..][:causal][:f32|f16|bf16]…; repeatable")
      ->allow_extra_args();
  add_value(app, "--preset", o.presets, "NAME",
            "List of problems: a name in assets/presets, a preset file, or what test-backend-ops printed; repeatable");
  add_value(app, "--variant", o.variants, "NAME|all|auto", variants);
}

void add_work_options(CLI::App& app, WorkOptions& o) {
  add_what_options(app, o, "Variant by name, all, or auto: the one that suits each problem best; repeatable");
  add_value(
      app, "--config", o.configs, "CONFIG|default|tuned|all",
      "A=1,B=2 over the defaults, a named config, default, tuned (what `attnscope tune` found), or all; repeatable");
  add_number(app, "--seed", o.seed, NumberRange<uint64_t>{0, UINT64_MAX}, "Seed of the inputs")->capture_default_str();
  add_record_options(app, o);
}

void add_record_options(CLI::App& app, WorkOptions& o) {
  add_value(app, "--output", o.output, "FILE", "Also write the records to FILE.json, FILE.csv or FILE.md");
  app.add_flag("--no-history", o.no_history,
               "Do not remember these runs (attnscope history; ATTNSCOPE_HISTORY=off is the same for every command)");
}

void add_protocol_options(CLI::App& app, ProtocolChange& change) {
  const Protocol usual;
  using namespace protocol_range;
  const auto number = [&](const char* name, auto& value, auto otherwise, const auto& range, const char* help) {
    add_text(app, name, value, "N", help)->default_str(fmt::format("{}", otherwise))->check(in_range(range));
  };
  app.add_flag_callback(
      "--cold", [&change] { change.cache = CacheMode::cold; }, "Overwrite the L2 cache between samples");
  const std::string isolated(to_text(LaunchMode::isolated)), back_to_back(to_text(LaunchMode::back_to_back));
  app.add_option_function<std::string>(
         "--launch",
         [&change, isolated](const std::string& text) {
           change.launch = text == isolated ? LaunchMode::isolated : LaunchMode::back_to_back;
         },
         "isolated (a barrier between executions) or back-to-back")
      ->check(CLI::IsMember({isolated, back_to_back}))
      ->default_str(isolated);
  number("--warmup-ms", change.warmup_ms, usual.warmup_ms, milliseconds,
         "Warm up at least this long, and until samples have settled");
  number("--min-ms", change.min_ms, usual.min_ms, milliseconds,
         "Measure at least this long; raises --max-ms where that is less");
  number("--max-ms", change.max_ms, usual.max_ms, cap_ms, "Cap of the wall-clock time of one measurement");
  number("--min-samples", change.min_samples, usual.min_samples, samples,
         "Take at least this many samples; raises --max-samples where that is less");
  number("--max-samples", change.max_samples, usual.max_samples, samples, "Take at most this many samples");
  number("--min-sample-us", change.min_sample_us, usual.min_sample_us, sample_us,
         "Execute work that is shorter than this several times a sample");
  number("--noise", change.target_noise, usual.target_noise, noise,
         "Relative error of the median at which sampling may stop");
}

Result<std::vector<Problem>> wanted_problems(WorkOptions& o, const std::vector<std::string>& usual) {
  std::vector<Problem> problems;
  for (const std::string& text : o.problems) problems.push_back(TRY(about("--problem", text, parse_problem(text))));
  std::vector<std::string> presets = o.presets;
  if (problems.empty() && presets.empty() && !usual.empty()) {
    presets = usual;
    o.chosen_problems = false;
  }
  if (problems.empty() && presets.empty())
    return bad_input("There is nothing to run: give --problem (such as 2x8x512x64:f16) or --preset.");
  const bool no_variants = o.variants.empty(), no_configs = o.configs.empty();
  const bool preset_alone = presets.size() == 1 && problems.empty() && no_variants && no_configs;
  for (const std::string& name : presets) {
    fs::path data = TRY(data_dir());
    Preset preset = TRY(about("--preset", name, load_preset(data / "assets" / "presets", name)));
    if (!preset.left_out.empty()) print_err("* --preset {}: {}\n", name, preset.left_out);
    problems.insert(problems.end(), preset.problems.begin(), preset.problems.end());
    if (preset_alone) o.software_budget_s = preset.software_budget_s;
    if (no_variants) o.variants.insert(o.variants.end(), preset.variants.begin(), preset.variants.end());
    o.insist = o.insist && !no_variants;
    if (no_configs) o.configs.insert(o.configs.end(), preset.configs.begin(), preset.configs.end());
  }
  return problems;
}

Result<void> check_output(const std::string& output, bool junit) {
  if (output.empty()) return {};
  if (const auto format = result_format(output); !format && !(junit && is_junit(output)))
    return about("--output", output,
                 bad_input(format.error().message + (junit ? " JUnit XML goes to a file that ends in .xml." : "")));
  TRY(about("--output", output, check_free(output)));
  keep_working_unread();
  return {};
}

std::string to_seconds(std::string& text) {
  const Result<double> seconds = tune::parse_duration(text);
  if (!seconds) return seconds.error().message;
  text = fmt::format("{}", *seconds);
  return {};
}

/// Some runs of this process are not in the history, though they should be.
static std::atomic<bool> history_failed = false;

Result<void> write_output(const WorkOptions& o, const Results& results) {
  if (o.output.empty()) return {};
  Result<void> written = write_results(o.output, results);
  if (!written && !o.no_history && !history_file().empty() && !history_failed && !results.records.empty())
    written = bad_input(written.error().message +
                        " The finished runs are in the history: attnscope history export FILE --since TIME.");
  return about("--output", o.output, std::move(written));
}

Result<void> write_output(const WorkOptions& o, std::string_view text) {
  return o.output.empty() ? Result<void>() : about("--output", o.output, write_text(o.output, text));
}

bool same_file(const fs::path& a, const fs::path& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code none;
  return fs::equivalent(a, b, none) || place_of(a) == place_of(b);
}

Result<void> check_free(const fs::path& path) {
  std::error_code none;
  const fs::path trials = trials_dir();
  const bool journal = !trials.empty() && place_of(path).parent_path() == place_of(trials) && fs::exists(path, none);
  const char* own = same_file(path, history_file()) ? "the history of all runs"
                    : same_file(path, tuned_file()) ? "the cache of tuned configs"
                    : journal                       ? "a journal of trials"
                                                    : nullptr;
  if (own != nullptr) return bad_input("'{}' is {}: give another name.", path.string(), own);
  return check_writable(path);
}

Result<void> spare_input(const std::string& output, const std::string& input) {
  if (!same_file(output, input)) return {};
  return bad_input("--output {}: it is also the input ({}), whose records would be lost: give another name.", output,
                   input);
}

Result<std::vector<fs::path>> shader_dirs(const CommonOptions& o) {
  std::vector<fs::path> dirs{TRY(data_dir()) / "shaders"};
  if (const fs::path own = user_shaders_dir(); !own.empty()) dirs.push_back(own);
  return folders("--shaders", o.shaders, std::move(dirs));
}

Result<std::vector<fs::path>> source_dirs(const CommonOptions& o) { return folders("--sources", o.sources); }

Result<std::vector<VariantSource>> variant_sources(const CommonOptions& o) {
  std::vector<fs::path> dirs = TRY(shader_dirs(o));
  std::vector<fs::path> outside = TRY(source_dirs(o));
  for (const std::string& dir : o.shaders) {
    std::error_code error;  // what cannot be read is told below
    if (variant_folders(dir, error).empty() && !error)
      return about("--shaders", dir,
                   bad_input("there is no variant in it: a variant is a folder with a manifest.toml in this one"));
  }
  return read_variant_sources(dirs, outside);
}

Result<std::vector<std::vector<std::string>>> worker_commands(const CommonOptions& o) {
  std::vector<std::vector<std::string>> commands;
  for (const std::string& text : o.workers) commands.push_back(TRY(about("--worker", text, shell_words(text))));
  return commands;
}

const VariantInfo* find_variant(const std::vector<VariantInfo>& variants, std::string_view name) {
  return find_by(variants, name, &VariantInfo::name);
}

std::string names_of(const std::vector<VariantInfo>& variants) { return joined(variants, ", ", &VariantInfo::name); }

Result<const VariantInfo*> usable_variant(const DeviceSession& opened, const std::string& name, bool insist) {
  return about("--variant", name, search::usable_variant(opened.variants, name, opened.device, insist));
}

SessionOptions session_options(const CommonOptions& o) { return {o.validation, cache_dir()}; }

Result<std::vector<std::unique_ptr<Session>>> make_sessions(const CommonOptions& o) {
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<std::vector<std::string>> commands = TRY(worker_commands(o));
  if (commands.empty()) commands.emplace_back();
  for (const auto& command : commands) {
    WorkerOptions worker = worker_options(o);
    worker.command = command;
    sessions.push_back(make_worker_session(worker));
  }
  return sessions;
}

Result<std::vector<DeviceSession>> open_sessions(const CommonOptions& o) {
  // Options are checked before anything starts.
  return open_sessions(o, TRY(variant_sources(o)));
}

Result<std::vector<DeviceSession>> open_sessions(const CommonOptions& o, const std::vector<VariantSource>& sources) {
  std::vector<DeviceSession> devices = TRY(open_devices(o));
  // On equal names the last folder wins, as whoever tries a change to a shipped variant wants; but never in silence.
  for (const VariantSource& source : sources)
    if (!source.shadows.empty())
      print_err("note: the variant '{}' of --shaders replaces that of {}\n", source.name, source.shadows);
  for (DeviceSession& device : devices) device.variants = TRY(device.session->load_variants(sources));
  return devices;
}

Result<GpuCatalogue> gpu_catalogue() { return load_gpus(TRY(data_dir())); }

Result<OpenGpu> open_gpu(const CommonOptions& o, const GpuCatalogue& catalogue, const CatalogueGpu& gpu) {
  return attnscope::open_gpu(catalogue, gpu, driver_places(TRY(data_dir())), worker_options(o));
}

Result<std::vector<DeviceSession>> open_devices(const CommonOptions& o) {
  std::vector<DeviceSession> all;
  if (o.device.starts_with(kGpuPrefix)) {
    all.push_back(TRY(open_named_gpu(o, std::string_view(o.device).substr(kGpuPrefix.size()))));
  } else {
    std::vector<std::unique_ptr<Session>> sessions = TRY(make_sessions(o));
    for (size_t i = 0; i < sessions.size(); ++i) {
      Result<DeviceInfo> device = sessions[i]->open(o.device);
      if (!device) {
        Error error = o.device.empty() ? device.error() : about("--device", o.device, device.error());
        return o.workers.empty() ? error : about("--worker", o.workers[i], error);
      }
      all.push_back({std::move(sessions[i]), *device, {}});
    }
  }
  for (const DeviceSession& open : all)
    if (const std::string why = o.executes ? why_not_run(open.device) : ""; !why.empty()) return unsupported(why);
  return all;
}

Result<fs::path> data_dir() {
  std::vector<fs::path> candidates;
  std::error_code error;
  if (const char* given = std::getenv("ATTNSCOPE_DATA"); given != nullptr && *given != 0) {
    if (!fs::is_directory(fs::path(given) / "shaders", error))
      return bad_input(std::string("ATTNSCOPE_DATA is '") + given + "', which has no folder shaders/ in it.");
    return fs::path(given);
  }
  if (const fs::path self = executable(); !self.empty()) {
    const fs::path dir = self.parent_path(), up = dir.parent_path();
    candidates = {dir, up, up / "share" / "attnscope", up.parent_path().parent_path()};
  }
  candidates.emplace_back(ATTNSCOPE_SOURCE_DIR);
  std::string looked;
  for (const fs::path& c : candidates) {
    // A folder "shaders" alone could be anyone's; ours has the common part.
    if (fs::is_directory(c / "shaders" / "common", error)) return c;
    looked += "\n  " + (c / "shaders").string();
  }
  return bad_input(
      "Cannot find the kernels. Set ATTNSCOPE_DATA to the folder that has shaders/ and assets/. Looked for:" + looked);
}

std::string cache_dir() { return writable(user_folder(UserFolder::cache)).string(); }

fs::path history_file() {
  if (const char* given = std::getenv("ATTNSCOPE_HISTORY"); given != nullptr && *given != 0)
    return std::string_view(given) == "off" ? fs::path() : fs::path(given);
  return in_user_data("history.sqlite");
}

fs::path tuned_file() { return in_user_data("tuned.json"); }
fs::path trials_dir() { return writable(in_user_data("trials")); }
fs::path sessions_dir() { return writable(in_user_data("sessions")); }

fs::path user_shaders_dir(bool make) {
  const fs::path dir = in_user_data("shaders");
  std::error_code error;
  if (make && !dir.empty()) fs::create_directories(dir, error);
  return fs::is_directory(dir, error) ? dir : fs::path();
}

fs::path shipped_models_dir() {
  const Result<fs::path> data = data_dir();
  return data ? *data / "assets" / "models" : fs::path();
}

HistoryKeeper::HistoryKeeper(bool wanted) : wanted_(wanted && !history_file().empty()) {}

void HistoryKeeper::keep(std::span<const Record> records, bool live) {
  const std::lock_guard lock(mutex_);
  const std::vector<Record> worth = filtered(records, [&](const Record& r) { return worth_keeping(r, live); });
  if (!wanted_ || worth.empty()) return;
  const auto give_up = [&](const Error& error) {
    wanted_ = false;
    history_failed = true;
    history_.reset();
    waiting_.say(error.message + " These runs are not remembered; --no-history says so beforehand.");
  };
  if (!history_) {
    auto opened = History::open(history_file(), waiting_);
    if (!opened) return give_up(opened.error());
    history_ = *std::move(opened);
  }
  const auto added = history_->add(worth);
  if (history_->note() != told_) waiting_.say(told_ = history_->note());
  if (!added) give_up(added.error());
}

Result<History> open_history(bool to_write) {
  const fs::path file = history_file();
  if (file.empty())
    return bad_input("There is no history: ATTNSCOPE_HISTORY is 'off', or neither XDG_DATA_HOME nor HOME is set.");
  return to_write ? History::open(file, waiting()) : History::open_to_read(file, waiting());
}

void add_history_filter(CLI::App& app, HistoryFilterOptions& o, bool words) {
  const char* help =
      "A condition, such as variant=coopmat, head_dim>=128, device~H200 (contains), BLOCK_M=64; all must hold";
  if (words) add_text(app, "CONDITION", o.words, "FIELD=VALUE", help);
  add_value(app, "--where", o.words, "FIELD=VALUE", help);
  add_text(app, "--since", o.since, "DATE", "Only runs since a date in UTC such as 2026-11-21 or 2026-11-21T05:46");
  add_text(app, "--until", o.until, "DATE", "No newer runs; the day given is within");
}

Result<HistoryFilter> history_filter(const HistoryFilterOptions& o) {
  HistoryFilter filter;
  for (const std::string& word : o.words) filter.conditions.push_back(TRY(parse_condition(word)));
  if (!o.since.empty()) filter.since = TRY(about("--since", o.since, parse_date(o.since)));
  if (!o.until.empty()) filter.until = TRY(about("--until", o.until, parse_date(o.until)));
  return filter;
}

}  // namespace attnscope::cli
