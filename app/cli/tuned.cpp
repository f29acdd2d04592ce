// attnscope tuned: lists, exports and imports entries of the tuning cache.

#include "app/cli/jobs.hpp"
#include "app/cli/random_problem.hpp"
#include "engine/measure/units.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/tune/header.hpp"

namespace attnscope::cli {
namespace {

struct TunedOptions {
  CommonOptions common;
  std::string export_to;
  std::vector<std::string> imports;
  bool any_shape = false;
  uint64_t shapes = 1500;
  std::string regret;
};

/// Most leaves of the tree: some 10 kB of C.
constexpr size_t kMostLeaves = 128;

/// Problems drawn at random with what `auto` takes on them and what the model predicts of the others.
class PickSampler {
 public:
  explicit PickSampler(const DeviceSession& opened) : opened_(opened) {}
  std::vector<tune::PickSample> draw(Random& random, uint64_t count) {
    std::vector<tune::PickSample> out;
    for (uint64_t i = 0; i < count && !interrupted(); ++i) {
      tune::PickSample s{draw_problem(random), {}};
      const auto ranks = opened_.session->rank_variants(s.problem);
      if (!ranks) continue;
      tune::PredictedConfigs known = tune::predict(tuned_tables().models, opened_.device, s.problem, *ranks);
      const auto first = std::ranges::find_if(known.all, [&](const tune::Prediction& p) {
        return opened_.session->can_run(s.problem, p.variant, p.config);
      });
      known.all.erase(known.all.begin(), first);
      for (const tune::Prediction& p : known.all)
        s.losses[index(p.variant, p.config)] = std::max(0.0, std::log(p.us / known.all.front().us));
      if (known.all.empty())
        if (const auto choice = choose_untuned(*opened_.session, opened_.device, {}, s.problem))
          s.losses[index(choice->variant, choice->config)] = 0;
      if (!known.model.empty()) model = known.model;
      if (!s.losses.empty()) out.push_back(std::move(s));
    }
    return out;
  }
  std::vector<tune::CostConfig> choices;
  std::string model;

 private:
  size_t index(const std::string& variant, const Config& config) {
    const VariantInfo* info = find_variant(opened_.variants, variant);
    const tune::CostConfig choice{variant, info == nullptr ? "" : info->hash, config};
    const size_t at = size_t(std::ranges::find(choices, choice) - choices.begin());
    if (at == choices.size()) choices.push_back(choice);
    return at;
  }
  const DeviceSession& opened_;
};

/// A line for the heading, from a document of `attnscope regret --json`.
Result<std::string> measured_regret(const std::string& path) {
  const Json document = TRY(parse_json(TRY(read_text(path)), path));
  std::vector<double> ratios;
  if (document.is_object() && document.contains("regret") && document["regret"].is_array())
    for (const Json& row : document["regret"])
      if (row.is_object() && row.contains("regret") && row["regret"].is_number() && row["regret"].get<double>() > 0)
        ratios.push_back(row["regret"].get<double>());
  if (ratios.empty()) return bad_input("{} is not a document of attnscope regret --json.", path);
  return fmt::format("Measured on {} problems: auto takes {:.3f} times the best that a search finds; worst {:.3f}.",
                     ratios.size(), *geometric_mean(ratios), std::ranges::max(ratios));
}

Result<std::string> pick_header(const TunedOptions& o) {
  const std::string regret = o.regret.empty() ? "" : TRY(measured_regret(o.regret));
  std::vector<DeviceSession> devices = TRY(open_sessions(o.common));
  catch_interrupts();
  const DeviceSession& opened = devices.front();
  PickSampler sampler(opened);
  Random random(1);
  const std::vector<tune::PickSample> fitted = sampler.draw(random, o.shapes),
                                      others = sampler.draw(random, o.shapes / 4);
  if (interrupted()) return cancelled_error("it was interrupted");
  if (fitted.empty()) return unsupported("no variant can serve any of the problems");
  const tune::PickTree tree = tune::fit_pick(sampler.choices, fitted, kMostLeaves);
  const tune::PickRegret r = tune::regret_of(tree, others);
  std::vector<std::string> heading{
      fmt::format("A variant and config for any shape, for {}, {}.", opened.device.name, opened.device.driver),
      fmt::format(
          "Made by attnscope {} (tuned --export --any-shape), {}, by {}.", ATTNSCOPE_VERSION,
          stamp(opened.device).time_utc.substr(0, 10),
          sampler.model.empty() ? "the manifests: there is no model of the device" : "the model of " + sampler.model),
      fmt::format("Fitted to the choice of auto on {} problems. On {} others the pick is predicted to take {:.3f} "
                  "times what auto's choice takes (geometric mean);",
                  fitted.size(), r.problems, r.mean),
      fmt::format("worst {:.3f} ({}); on {} it is not known to run.", r.worst, to_text(r.worst_problem), r.unknown)};
  if (!regret.empty()) heading.push_back(regret);
  return tune::pick_source(tree, heading);
}

Result<void> import_all(const TunedOptions& o) {
  for (const std::string& path : o.imports) {
    const std::string text = TRY(about("--import", path, read_text(path)));
    std::vector<std::string> unread;
    std::vector<tune::TunedEntry> entries = TRY(about("--import", path, tune::tuned_from_json(text, path, &unread)));
    const std::filesystem::path file = tuned_file();
    if (file.empty()) return bad_input("--import needs a data folder: set XDG_DATA_HOME or HOME");
    // An entry of another machine: it is for any device of that name and driver.
    for (tune::TunedEntry& entry : entries) entry.device_uuid.clear();
    const std::vector<std::string> stored = TRY(tune::store_tuned(file, entries, waiting()));
    for (const std::string& note : stored) print_err("note: {}\n", note);
    print_err("note: {} entries of {} are kept{}\n", entries.size(), path,
              unread.empty() ? "" : fmt::format("; {} made no sense", unread.size()));
  }
  return {};
}

/// Says of each entry whether its source has changed since it was measured.
void mark_changed(const CommonOptions& common, std::vector<tune::TunedEntry>& entries) {
  std::map<std::string, std::string> hashes;
  if (const Result<std::vector<VariantSource>> here = variant_sources(common); here)
    for (const VariantSource& v : *here)
      if (const Result<std::string> hash = source_hash(v); hash) hashes[v.name] = *hash;
  for (tune::TunedEntry& e : entries) e.source_changed = at_or(hashes, e.variant, e.shader_hash) != e.shader_hash;
}

TextTable table_of(const std::vector<tune::TunedEntry>& entries) {
  TextTable table;
  table.columns = {{"problem"},       {"variant"},         {"config", false, 0, 16}, {"median", true},
                   {"gain", true, 2}, {"trials", true, 3}, {"when", false, 5},       {"device", false, 1, 8}};
  for (const tune::TunedEntry& e : entries) {
    const bool old = e.source_changed;
    table.rows.push_back({to_text(e.problem), e.variant, to_text(e.config),
                          old ? "source changed" : time_text(e.median_ns),
                          !old && e.default_ns > 0 ? fmt::format("{:.2f} x", e.default_ns / e.median_ns) : "",
                          fmt::format("{}", e.trials), e.time_utc.substr(0, 10), e.device});
  }
  return table;
}

int tuned(TunedOptions& o) {
  if (o.any_shape && o.export_to.empty()) fail(bad_input("--any-shape needs --export FILE.h"));
  need(import_all(o));
  std::vector<tune::TunedEntry> entries;
  for (const tune::TunedEntry& e : tuned_tables().user.entries)
    if (o.common.device.empty() || e.device_uuid == o.common.device ||
        lower_case(e.device).find(lower_case(o.common.device)) != std::string::npos)
      entries.push_back(e);
  std::ranges::stable_sort(entries, {},
                           [](const auto& e) { return std::tuple(e.device, to_text(e.problem), e.median_ns); });
  mark_changed(o.common, entries);
  if (!o.export_to.empty()) {
    const std::string extension = std::filesystem::path(o.export_to).extension().string();
    Result<std::string> text = std::string();
    if (o.any_shape) {
      text = extension == ".h" ? pick_header(o) : bad_input("a pick for any shape ends in .h");
    } else if (extension == ".h") {
      // A time that was measured of another source is not this one's.
      const size_t left_out = std::erase_if(entries, [](const auto& e) { return e.source_changed; });
      if (left_out > 0) print_err("note: {} left out, of variants whose sources have changed\n", left_out);
      text = tune::tuned_header(entries);
    } else if (extension == ".json") {
      // An exported entry names the kind of device, not this device.
      std::vector<tune::TunedEntry> anonymous = entries;
      for (tune::TunedEntry& e : anonymous) {
        e.device_uuid.clear();
        e.source_changed = false;
      }
      text = entries.empty() ? Result<std::string>(bad_input("there is no tuned config to export"))
                             : tune::tuned_to_json(anonymous);
    } else {
      text = bad_input("it ends in '{}'; a table ends in .json or .h", extension);
    }
    if (!text) fail(about("--export", o.export_to, text.error()));
    need(check_free(o.export_to), "--export", o.export_to);
    need(write_text(o.export_to, *text), "--export", o.export_to);
  }
  if (o.common.json) {
    for (tune::TunedEntry& e : entries)
      if (e.source_changed) e.median_ns = e.p20_ns = e.p80_ns = e.default_ns = 0;
    write_document(tune::tuned_to_json(entries));
  } else if (o.export_to.empty()) {
    if (entries.empty())
      print_out("Nothing is tuned{}: attnscope tune --problem 1x16x4096x128:f16\n",
                o.common.device.empty() ? "" : " on such a device");
    else
      print_out("{}", render_terminal(table_of(entries), output_width()));
  }
  return exit_ok;
}

}  // namespace

void add_tuned(CLI::App& app, Action& chosen) {
  auto [command, o] = add_command(app, chosen, "tuned", "List, export and import tuned configs", tuned);
  o.common.executes = false;
  add_value(command, "--device", o.common.device, "NAME", "Only of devices with this in their name, or of this UUID");
  add_folder_options(command, o.common);
  add_json_option(command, o.common);
  add_value(command, "--export", o.export_to, "FILE",
            "Write them to FILE.json, to import elsewhere, or FILE.h, a C header for an inference engine");
  command.add_flag("--any-shape", o.any_shape,
                   "Export FILE.h with a pick of variant and config for any shape on --device, as auto chooses");
  add_number(command, "--shapes", o.shapes, NumberRange<uint64_t>{20, 100'000},
             "Random problems that the pick is fitted to (1500)", "N");
  add_value(command, "--regret", o.regret, "FILE",
            "Say in the pick's heading what `attnscope regret --json` measured on that device");
  add_value(command, "--import", o.imports, "FILE",
            "Take over an exported FILE.json, for devices of the same name; repeatable");
}

}  // namespace attnscope::cli
