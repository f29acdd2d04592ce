// attnscope calibrate: measures what configs cost on a device, so that `auto` can predict the time of any problem.

#include "app/cli/jobs.hpp"
#include "engine/measure/units.hpp"
#include "engine/record/json_fields.hpp"

namespace attnscope::cli {
namespace {

// Of a group of problems (a head dim, with many or with few queries) the first three are tried with every named config;
// the others with those that took at most kNear times the best on one of them. Of the first head dim all variants are
// tried (those kFarVariant behind on its first problem once), of the others those that came within kNearVariant there.
// A problem that the user names is tried with what the model, where it can say, predicts to come within kNear.
constexpr double kNear = 1.4, kNearVariant = 1.5, kFarVariant = 4;
/// Of a problem with an option: as the model predicts the problem without.
constexpr double kNearWithOption = 1.7;
constexpr size_t kTriedWithAll = 3;
/// How well a model of these chooses: docs/performance.md, "Choosing".
constexpr size_t kFirstPrefill = 7, kFirstDecode = 5, kFirstHeadDims = 5;
/// A problem that would take longer, by the rate of the one before it (on software first a guess), is left out.
constexpr double kMostSeconds = 0.05, kSoftwareUsAFlop = 1e-4;

// The first three are a small one, a large one and one of few tiles: what is far behind on all three is so on all.
constexpr std::array kPrefill{"1x8x256x{}", "2x32x2048x{}", "1x4x768x{}:causal", "1x12x3008x{}",
                              "2x24x777x{}:kv=12:causal", "1x48x64x{}:q=320:kv=24", "4x40x1200x{}:causal",
                              // The rest, if there is time.
                              "1x16x1024x{}", "1x16x2048x{}:causal", "1x32x128x{}:q=2048", "1x14x512x{}:causal",
                              "1x4x8192x{}", "1x32x4096x{}:q=64:kv=8:causal", "1x12x2304x{}:q=410:kv=6",
                              // Few keys.
                              "2x40x64x{}:q=3000", "8x20x70x{}:q=90",
                              // Many tiles, whose keys nobody splits.
                              "4x40x1200x{}", "1x40x5000x{}:causal", "4x32x200x{}:q=4000"};
constexpr std::array kDecode{"16x32x1024x{}:q=1:kv=8", "1x32x2048x{}:q=4:kv=32:causal", "1x32x65536x{}:q=1:kv=8",
                             "8x24x8192x{}:q=8:kv=3:causal", "32x16x1500x{}:q=1:kv=16",
                             // The rest.
                             "1x32x8192x{}:q=1:kv=8", "1x8x600x{}:q=2:kv=8:causal", "1x16x4096x{}:q=64:kv=4",
                             "2x14x20000x{}:q=1:kv=2"};
constexpr std::array kPackedDecode{"8x32x576x{}:q=1:kvtype=f8e4m3",
                                   "1x32x8192x{}:q=1:kv=8:kvtype=q8_0",
                                   "1x4x40000x{}:q=2:causal:kvtype=f8e4m3",
                                   "16x32x1024x{}:q=1:kv=8:kvtype=q8_0",
                                   "8x24x8192x{}:q=8:kv=3:causal:kvtype=f8e4m3",
                                   "32x16x1500x{}:q=1:kvtype=q8_0",
                                   "1x32x160x{}:q=1:kvtype=q8_0",
                                   "2x14x20000x{}:q=1:kv=2:kvtype=q4_0"};
// What an option costs, of which a config may have much or little: on a large problem and on one of few tiles.
constexpr std::array kOptions{"2x32x2048x{}:softcap=30",    "1x4x768x{}:causal:softcap=30",
                              "2x32x2048x{}:mask",          "1x4x768x{}:causal:mask",
                              "2x32x2048x{}:kvtype=q8_0",   "1x4x768x{}:causal:kvtype=q8_0",
                              "2x32x2048x{}:mask=alibi",    "2x32x2048x{}:causal:window=512",
                              "1x32x8192x{}:q=1:kv=8:mask", "8x24x8192x{}:q=8:kv=3:causal:mask"};
// By how often people run them; the first five come first. f32, options and packed K and V: at the common ones.
constexpr std::array<uint32_t, 11> kHeadDims{128, 64, 256, 96, 192, 80, 160, 112, 72, 40, 32};
constexpr std::array<uint32_t, 3> kCommonHeadDims{128, 64, 256};

struct CalibrateOptions {
  CommonOptions common;
  std::vector<std::string> problems, variants;  ///< empty: the whole set, all variants
  std::string output;
  double budget_s = 180;
  bool report = false;  ///< nothing is measured
};

void print_report(const tune::CostModel& model) {
  print_out("{}: the choice for each problem by the model of the others ({}), its time over the best measured\n",
            model.device, model.time_utc);
  for (const tune::LeaveOneOut& g : tune::leave_one_out(model))
    print_out("  {:<9} {:>3} problems, geometric mean {:.3f}, worst {:.3f} ({})\n", g.group, g.problems, g.mean,
              g.worst, to_text(g.worst_problem));
}

int report(const CalibrateOptions& o) {
  if (!o.output.empty()) {
    const std::string text = need(read_text(o.output), "--output", o.output);
    print_report(need(tune::model_from_json(text, o.output), "--output", o.output));
    return exit_ok;
  }
  const std::vector<DeviceSession> devices = need(open_sessions(o.common));
  for (const DeviceSession& opened : devices) {
    const auto* model = tune::find_model(tuned_tables().models, opened.device);
    if (model == nullptr || model->device != opened.device.name)
      fail(bad_input("There is no model of {}: attnscope calibrate makes one.", opened.device.name));
    print_report(*model);
  }
  return exit_ok;
}

struct Group {
  bool all_variants = false;
  bool named_by_user = false;
  bool options = false;  ///< the problems are others of the model with an option each
  std::string kind = {};
  size_t core = 0;     ///< so many problems come before the rest of any group
  bool early = false;  ///< and before the core of others
  std::vector<Problem> problems = {};
  std::map<std::string, double> behind = {};  ///< of each config, at its best: its time over the least
};
struct Step {
  Group* group = nullptr;
  size_t index = 0;
  const Problem& problem() const { return group->problems[index]; }
};
/// What a model needs most comes first, since the time ends at some point.
std::vector<Step> steps_of(std::span<Group> groups) {
  std::vector<Step> steps;
  for (Group& g : groups)
    for (size_t i = 0; i < g.problems.size(); ++i) steps.push_back({&g, i});
  std::ranges::stable_sort(steps, {}, [](const Step& s) {
    return s.index >= s.group->core ? 2 : s.group->early ? 0 : 1;
  });
  return steps;
}

std::vector<Group> groups_of(const CalibrateOptions& o) {
  std::vector<Group> groups;
  for (const std::string& text : o.problems)
    groups.push_back(
        {.all_variants = true, .named_by_user = true, .problems = {need(parse_problem(text), "--problem", text)}});
  if (!groups.empty()) return groups;
  const auto add = [&](const char* kind, std::span<const char* const> texts, std::span<const uint32_t> dims,
                       const char* dtype, size_t core, size_t early_dims) {
    for (size_t d = 0; d < dims.size(); ++d) {
      Group g{.all_variants = d == 0,
              .options = texts.data() == kOptions.data(),
              .kind = kind,
              .core = core,
              .early = d < early_dims};
      for (const char* text : texts)
        g.problems.push_back(need(parse_problem(fmt::format(fmt::runtime(text), dims[d]) + dtype)));
      groups.push_back(std::move(g));
    }
  };
  add("prefill ", kPrefill, kHeadDims, ":f16", kFirstPrefill, kFirstHeadDims);
  add("decoding ", kDecode, kHeadDims, ":f16", kFirstDecode, kFirstHeadDims);
  add("options ", kOptions, kCommonHeadDims, ":f16", kOptions.size(), 0);
  add("packed ", kPackedDecode, kCommonHeadDims, ":f16", kFirstDecode, 0);
  add("f32 ", kPrefill, kCommonHeadDims, ":f32", kTriedWithAll, 0);
  return groups;
}

/// Goes on from the file where it is of this device and driver.
Result<tune::CostModel> begin(const std::filesystem::path& file, const DeviceSession& opened) {
  tune::CostModel fresh = tune::empty_model(opened.device);
  std::error_code none;
  if (!std::filesystem::exists(file, none) || std::filesystem::file_size(file, none) == 0) return fresh;
  const std::string text = TRY(read_text(file));
  if (!tune::is_model(text)) return bad_input("{} exists and is not a model: name another file.", file.string());
  Result<tune::CostModel> model = tune::model_from_json(text, file.string());
  if (!model) return bad_input(model.error().message + " Name another file, or move it away.");
  if (model->device != fresh.device || model->driver != fresh.driver)
    return bad_input("{} is the model of {} with {}: name another file, or move it away.", file.string(), model->device,
                     model->driver);
  for (const VariantInfo& v : opened.variants)
    if (model->drop_older(v.name, v.hash) > 0)
      print_err("note: {} has changed since {} was made: it is measured again\n", v.name, file.string());
  return std::move(*model);
}

/// What is measured is on disk so soon.
constexpr double kSaveEveryS = 10;

class Calibration {
 public:
  Calibration(DeviceSession& opened, std::span<const std::string> variants, tune::CostModel& model, double budget_s)
      : opened_(opened),
        budget_s_(budget_s),
        only_(variants),
        model_(model),
        us_a_flop_(opened.device.type == DeviceType::software ? kSoftwareUsAFlop : 0) {}

  /// Measures what the model does not have yet of a step, and has what `next` needs compiled meanwhile.
  Result<void> run(const Step& step, const Step* next) {
    Group& group = *step.group;
    std::map<std::string, double> took = known_times(step.problem());
    if (too_long(step.problem()))
      ++left_out_;
    else
      TRY(measure(step, next, took));
    if (took.empty()) return {};
    const double best = least(took);
    us_a_flop_ = best / flops(step.problem());
    for (const auto& [k, us] : took) {
      const auto [at, added] = group.behind.emplace(k, us / best);
      at->second = std::min(at->second, us / best);
      if (!group.all_variants) continue;
      const auto [v, first] = variants_.emplace(group.kind + k.substr(0, k.find(' ')), us / best);
      v->second = std::min(v->second, us / best);
    }
    return {};
  }
  bool has_time() const { return !interrupted() && seconds_since(start_) < budget_s_; }
  uint64_t trials() const { return trials_; }
  uint64_t left_out() const { return left_out_; }
  std::string spent() const {
    const auto share = [&](double ms) { return spent_.wall_ms > 0 ? 100 * ms / spent_.wall_ms : 0; };
    return fmt::format("{:.0f} % waiting for compiles, {:.0f} % references, {:.0f} % verdicts, {:.0f} % sampling",
                       share(spent_.waiting_ms), share(spent_.reference_ms), share(spent_.verifying_ms),
                       share(spent_.measuring_ms));
  }

 private:
  static double flops(const Problem& p) {
    return double(p.batch) * p.heads_q * p.seq_q * p.seq_kv * p.head_dim * (p.causal && p.seq_q > 1 ? 2 : 4);
  }
  static std::string key(const std::string& variant, const Config& config) { return variant + " " + to_text(config); }

  static double least(const std::map<std::string, double>& took) {
    return std::ranges::min_element(took, {}, [](const auto& of) { return of.second; })->second;
  }

  bool too_long(const Problem& problem) const { return us_a_flop_ * flops(problem) > kMostSeconds * 1e6; }

  std::map<std::string, double> known_times(const Problem& problem) const {
    std::map<std::string, double> took;
    if (const auto* known = find_by(model_.problems, problem, &tune::CostProblem::problem))
      for (const auto& row : known->rows) {
        const tune::CostConfig& c = model_.configs[size_t(row[0])];
        took[key(c.variant, c.config)] = row[5];
      }
    return took;
  }

  Result<const std::vector<VariantRank>*> ranks_of(const Problem& problem) {
    const auto [at, added] = ranks_.emplace(to_text(problem), std::vector<VariantRank>());
    if (added) at->second = TRY(opened_.session->rank_variants(problem));
    return &at->second;
  }

  bool competes(const std::string& variant) const { return only_.empty() || contains(only_, variant); }

  struct VariantConfigs {
    std::string variant;
    std::vector<ConfigWork> works;
  };
  Result<std::vector<VariantConfigs>> choose(const Step& step, const std::map<std::string, double>& took) {
    const Group& group = *step.group;
    const Problem& problem = step.problem();
    const std::vector<VariantRank>& ranks = *TRY(ranks_of(problem));
    std::map<std::string, double> predicted;
    const Problem plain = tune::without_options(problem);
    if (group.named_by_user || group.options)
      for (const tune::Prediction& p : tune::predict(model_, plain, *TRY(ranks_of(plain))))
        if (competes(p.variant)) predicted[key(p.variant, p.config)] = p.us;
    std::map<std::string, size_t> times;  // that a prediction goes by
    if (!predicted.empty())
      for (const tune::CostProblem& p : model_.problems)
        if (tune::alike(p.problem, problem) && tune::width(p.problem) == tune::width(problem) &&
            tune::without_options(p.problem) == p.problem)
          for (const auto& row : p.rows) {
            const tune::CostConfig& c = model_.configs[size_t(row[0])];
            ++times[key(c.variant, c.config)];
          }
    // Without enough of the variant that ranks highest the predictions are of wider head dims.
    const auto highest = std::ranges::max_element(
        ranks, {}, [](const VariantRank& rank) { return rank.why_not.empty() ? rank.rank : -1; });
    const bool of_own_width = highest != ranks.end() && std::ranges::any_of(highest->configs, [&](const ConfigWork& w) {
                                return times[key(highest->variant, w.config)] >= tune::kLeastRows;
                              });
    const auto promising = [&](const std::string& k) {
      if (predicted.empty()) return !group.options;
      const auto p = predicted.find(k);
      // What is legal with the option alone, as a way to read a packed type, has no prediction.
      if (plain != problem) return p == predicted.end() || p->second <= kNearWithOption * least(predicted);
      return p == predicted.end() ? !of_own_width || times[k] < tune::kLeastRows
                                  : p->second <= kNear * least(predicted);
    };
    const auto wanted = [&](const std::string& k) {
      if (took.contains(k) || !promising(k)) return false;
      const auto behind = group.behind.find(k);
      return group.options || step.index < kTriedWithAll || (behind != group.behind.end() && behind->second <= kNear);
    };
    std::vector<VariantConfigs> chosen;
    for (const VariantRank& rank : ranks) {
      if (!rank.why_not.empty() || !competes(rank.variant)) continue;
      const auto near = variants_.find(group.kind + rank.variant);
      const double limit = !group.all_variants ? kNearVariant : step.index > 0 ? kFarVariant : INFINITY;
      if (!group.options && limit < INFINITY && (near == variants_.end() || near->second > limit)) continue;
      const auto takes = [&](const ConfigWork& w) { return wanted(key(rank.variant, w.config)); };
      VariantConfigs of{rank.variant, filtered(rank.configs, takes)};
      if (!of.works.empty()) chosen.push_back(std::move(of));
    }
    return chosen;
  }

  static ConfigsOfVariant configs_of(const Problem& problem, const VariantConfigs& of) {
    return {problem, of.variant, mapped(of.works, &ConfigWork::config)};
  }

  Result<void> measure(const Step& step, const Step* next, std::map<std::string, double>& took) {
    const Problem& problem = step.problem();
    const std::vector<VariantConfigs> chosen = TRY(choose(step, took));
    if (chosen.empty()) return {};
    auto later = mapped(chosen, [&](const VariantConfigs& of) { return configs_of(problem, of); });
    if (next != nullptr && !too_long(next->problem()))
      for (const VariantConfigs& of : TRY(choose(*next, known_times(next->problem()))))
        later.push_back(configs_of(next->problem(), of));
    double best_ns = took.empty() ? 0 : 1e3 * least(took);
    for (const VariantConfigs& of : chosen) {
      if (!has_time()) break;
      const VariantInfo* info = find_variant(opened_.variants, of.variant);
      TrialsRequest request;
      request.problem = problem;
      request.variant = of.variant;
      request.configs = std::move(later.front().configs);
      later.erase(later.begin());
      request.next = later;
      request.protocol.min_sample_us = 100;
      request.best_ns = best_ns;
      request.judged_once = step.index > 0 || step.group->named_by_user;
      const EventSink sink = [&](const Event& event) {
        const auto* done = std::get_if<TrialDone>(&event);
        if (done == nullptr || done->trial.outcome != Outcome::measured) return;
        const Trial& t = done->trial;
        ++trials_;
        if (!t.dropped && (best_ns == 0 || t.median_ns < best_ns)) best_ns = t.median_ns;
        const ConfigWork& w = of.works[t.index];
        took[key(of.variant, w.config)] = t.median_ns / 1e3;
        model_.add(problem, of.variant, info == nullptr ? "" : info->hash, w, t.median_ns / 1e3);
      };
      spent_ += TRY(opened_.session->trials(request, sink, interrupted()));
    }
    ranks_.erase(to_text(problem));
    return {};
  }

  DeviceSession& opened_;
  const Clock::time_point start_ = Clock::now();
  const double budget_s_;
  std::span<const std::string> only_;  ///< empty: all
  tune::CostModel& model_;
  std::map<std::string, double> variants_;  ///< by kind and name: how near to the best at the first head dim
  std::map<std::string, std::vector<VariantRank>> ranks_;  ///< by problem: of this step and the next
  double us_a_flop_;                                       ///< of the best, on the problem before
  uint64_t trials_ = 0, left_out_ = 0;
  TrialsReport spent_;
};

int calibrate(CalibrateOptions& o) {
  if (o.report) return report(o);
  std::vector<Group> groups = groups_of(o);
  catch_interrupts();
  if (!o.output.empty()) need(check_free(o.output), "--output", o.output);
  std::vector<DeviceSession> devices = need(open_sessions(o.common));
  if (!o.output.empty() && devices.size() > 1)
    fail(about("--output", o.output,
               bad_input("It is one file, and there are {} devices: choose one by --device.", devices.size())));
  Json models = Json::array();
  for (DeviceSession& opened : devices) {
    for (const std::string& name : o.variants) need(usable_variant(opened, name));
    std::filesystem::path file = o.output;
    if (file.empty()) {
      if (tuned_file().empty()) fail(bad_input("There is no home folder to keep the model in: give --output FILE."));
      file = tune::model_file(tuned_file().parent_path() / "models", tune::empty_model(opened.device));
      if (const std::string why = why_not_written(file); !why.empty())
        fail(bad_input("The model '{}' cannot be kept: {}: give --output FILE.", file.string(), why));
      std::error_code none;
      std::filesystem::create_directories(file.parent_path(), none);
    }
    tune::CostModel model = need(begin(file, opened));
    const auto start = Clock::now();
    for (Group& g : groups) g.behind.clear();
    const std::vector<Step> steps = steps_of(groups);
    ProgressLine progress(steps.size(), o.common.progress());
    Calibration calibration(opened, o.variants, model, o.budget_s);
    Result<void> ok;
    const auto save = [&] {
      const Environment now = stamp(opened.device);
      model.time_utc = now.time_utc;
      model.program_version = now.program_version;
      return write_text(file, tune::model_to_json(model));
    };
    size_t done = 0;
    uint64_t saved = 0;
    auto saved_at = start;
    for (; done < steps.size() && calibration.has_time(); ++done) {
      progress.begin(to_text(steps[done].problem()));
      ok = calibration.run(steps[done], done + 1 < steps.size() ? &steps[done + 1] : nullptr);
      if (!ok) break;
      progress.finished();
      if (calibration.trials() == saved || seconds_since(saved_at) < kSaveEveryS) continue;
      need(save());
      saved = calibration.trials();
      saved_at = Clock::now();
    }
    if (calibration.trials() > saved) need(save());
    progress.clear();
    need(ok);
    if (o.common.json)
      models.push_back(need(parse_json(tune::model_to_json(model), "the model")));
    else if (calibration.trials() == 0)
      print_out("{}: {} configs on {} problems, nothing measured now\n", opened.device.name, model.configs.size(),
                model.problems.size());
    else
      print_out("{}: {} configs on {} problems, {} times measured now in {} ({}); kept in {}\n", opened.device.name,
                model.configs.size(), model.problems.size(), calibration.trials(),
                time_text(1e9 * seconds_since(start)), calibration.spent(), file.string());
    if (!o.common.json && calibration.trials() > 0) print_report(model);
    if (calibration.left_out() > 0)
      print_err("note: {} of {} problems left out: an execution would take more than {}\n", calibration.left_out(),
                steps.size(), time_text(1e9 * kMostSeconds));
    if (interrupted()) {
      print_err("Interrupted: the same command goes on from there.\n");
      return exit_interrupted;
    }
    if (done < steps.size())
      print_err("note: {} of {} problems are left: the same command goes on with them (--budget)\n",
                steps.size() - done, steps.size());
    if (model.problems.empty())
      fail(unsupported("Nothing was measured: no config that a model takes can run on these problems."));
  }
  if (o.common.json) write_document(dump_pretty(models.size() == 1 ? models[0] : Json{{"models", models}}));
  return exit_ok;
}

}  // namespace

void add_calibrate(CLI::App& app, Action& chosen) {
  auto [command, o] = add_command(
      app, chosen, "calibrate",
      "Measure what each config costs on a device, so that auto can predict which is the fastest", calibrate);
  add_common_options(command, o.common);
  add_text(command, "--variant", o.variants, "NAME", "Only these variants; repeatable");
  add_text(command, "--problem", o.problems, "PROBLEM",
           "Add these problems to the model, and no others, with the configs that it finds promising; repeatable");
  add_text(command, "--output", o.output, "FILE", "Keep the model in FILE.json (default: beside the tuned configs)");
  add_duration(command, "--budget", o.budget_s, "Go on for so long (180s); the same command goes on with what is left");
  command.add_flag("--report", o.report,
                   "Measure nothing: say how well the model (--output FILE: that one) chooses on problems left out");
}

}  // namespace attnscope::cli
