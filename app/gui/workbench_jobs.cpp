// What is measured in the background beside Measure all: points of the scaling plot, and where a result is wrong.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "app/gui/counted.hpp"
#include "app/gui/plot/across_chart.hpp"
#include "app/gui/workbench.hpp"
#include "engine/record/same_device.hpp"

namespace attnscope::gui {
namespace {

/// The run in flight as a point of a curve: what it is, with its statistics and without its samples.
std::shared_ptr<const Record> slim(const Live& live) {
  auto r = std::make_shared<Record>(*live.began);
  r->verdict = live.verdict;
  r->statistics = live.series.statistics();
  r->outcome = Outcome::measured;
  return r;
}

}  // namespace

std::string Workbench::why_not_again(const Record& r) const {
  const VariantInfo* v = known.variant(r.variant);
  if (!known.device || !same_device(*known.device, r.environment.device)) return "it is of another device";
  if (!v) return "there is no such variant now";
  return v->hash == r.environment.shader_hash ? "" : "its shader has changed since it was pinned";
}

std::string Workbench::job_text() const {
  if (before_after_.running) return "comparing two versions";
  if (best_race_.running) return "racing the best against what is shown";
  if (!across.job.running) return "";
  if (across.job.id == scaling.job) return "measuring along an axis";
  if (across.job.id == correctness.job) return "mapping the errors";
  return "measuring all";
}

std::vector<ScaledProblem> Workbench::scaling_problems() const {
  const bool software = known.device && known.device->type == DeviceType::software;
  return scaled_problems(asked.ask.problem, scaling.axis, scaling.values(asked.ask.problem, software));
}

std::vector<ScaleRow> Workbench::scaling_rows(size_t* left_out) const {
  std::vector<ScaleRow> rows;
  const std::string asked_key = run_key(asked_record_);
  bool pinned = false;
  for (const Pin* p : drawn_pins(pins, nullptr, left_out)) {
    pinned |= p->key == asked_key;
    rows.push_back({ScaleCurve::Kind::pin, p->id, name_of(*p), p->key, series_style(p->slot), p->shown, p->record});
  }
  // The same config pinned has the same points.
  if (pinned || !current_variant()) return rows;
  const Live* live = timed();
  rows.push_back({ScaleCurve::Kind::live, 0, name_of_asked(), asked_key, live_style(), true,
                  live ? slim(*live) : std::shared_ptr<const Record>()});
  return rows;
}

void Workbench::draw_scaling(const std::vector<uint32_t>& values) {
  DrawnScaling::Of of;
  of.rows = scaling_rows(&of.left_out);
  of.problem = asked.ask.problem;
  of.axis = scaling.axis;
  of.values = values;
  if (scaling.baseline && !scaling.baseline->series.empty())
    of.baseline = scaling.baseline->series.front().records.front();
  of.metric = asked.metric;
  of.log = scaling.log;
  of.tried = tried.version();
  of.known = known.version();
  of.live_samples = timed() ? timed()->series.taken() : 0;
  if (!drawn_scaling.stale(std::move(of), now_)) return;
  const DrawnScaling::Of& now = drawn_scaling.of();
  ScalingPlot plot = scaling_plot(now.rows, scaling_problems(), tried, scaling.baseline, asked.metric, scaling.log);
  plot.left_out += now.left_out;
  drawn_scaling.take(std::move(plot), known.device ? scaling_items().size() : 0);
}

std::vector<Job::Item> Workbench::scaling_items() const {
  std::vector<Job::Item> items;
  const std::vector<ScaleRow> rows = scaling_rows();
  const VariantInfo* now = current_variant();
  std::set<std::string> seen;
  for (const ScaledProblem& at : scaling_problems()) {
    if (!at.problem) continue;
    for (const ScaleRow& row : rows) {
      const bool live = row.kind == ScaleCurve::Kind::live;
      if (live ? !now || !now->error.empty() : !why_not_again(*row.own).empty()) continue;
      const ScalePoint point = scale_point(row, at, tried, asked.metric);
      const bool known_enough =
          point.state == PointState::refused || point.state == PointState::wrong ||
          (point.state == PointState::measured && point.record->statistics->count >= kEnoughForAPoint);
      if (known_enough || !seen.insert(row.key + "|" + at.text).second) continue;
      if (live)
        items.push_back({{*at.problem, asked.ask.variant, asked.ask.config}, asked.modes, asked_record_.seed});
      else
        items.push_back({{*at.problem, row.own->variant, row.own->config},
                         {row.own->protocol.cache, row.own->protocol.launch},
                         row.own->seed});
    }
  }
  return items;
}

std::optional<Job> Workbench::measure_scaling() {
  if (searched.measuring() || across.job.running) {
    say(Level::warning, "Something else is being measured: cancel it first, or wait for it.");
    return std::nullopt;
  }
  std::vector<std::string> left_out;
  for (const ScaleRow& row : scaling_rows())
    if (row.kind == ScaleCurve::Kind::pin)
      if (const std::string why = why_not_again(*row.own); !why.empty())
        left_out.push_back(fmt::format("{} ({})", row.name, why));
  if (!left_out.empty()) say(Level::info, fmt::format("Not measured: {}.", fmt::join(left_out, ", ")));
  Job made{.id = next_job_++, .items = scaling_items(), .quiet = quiet()};
  if (made.items.empty()) return std::nullopt;
  scaling.job = made.id;
  across.job = {made.id, 0, made.items.size(), {}, now_, true};
  return made;
}

void Workbench::adopt_baseline(const std::string& path, const std::vector<Record>& records, const std::string& error) {
  scaling.loading = false;
  scaling.path_error = error;
  if (!error.empty()) return;
  Baseline baseline = baseline_of(path, records);
  if (baseline.series.empty()) {
    scaling.path_error = fmt::format("{} holds no measured record.", path);
    return;
  }
  say(Level::info, fmt::format("Compared with {} of {}.", counted(records.size(), "record"), path));
  scaling.baseline = std::move(baseline);
}

std::optional<Job> Workbench::look_at_errors() {
  if (searched.measuring() || across.job.running) {
    say(Level::warning, "Something else is being measured: cancel it first, or wait for it.");
    return std::nullopt;
  }
  const VariantInfo* v = current_variant();
  if (!v || !v->error.empty() || !known.device) return std::nullopt;
  ErrorMapRequest request;
  request.problem = asked.ask.problem;
  request.variant = asked.ask.variant;
  request.config = asked.ask.config;
  request.seed = asked_record_.seed;
  // A head of another problem may not be one of this.
  auto& head = correctness.head;
  if (head && (head->first >= request.problem.batch || head->second >= request.problem.heads_q)) head.reset();
  request.worst_head = !head;
  if (head) std::tie(request.batch, request.head) = *head;
  Job made{.id = next_job_++, .items = {}, .quiet = false, .errors = request};
  correctness.asked(made.id, errors_key());
  across.job = {made.id, 0, 1, asked.ask, now_, true};
  return made;
}

std::string Workbench::errors_key() const { return run_key(asked_record_) + "|" + to_text(asked_record_.problem); }

void Workbench::on(const ErrorsKnown& news) {
  if (news.id == correctness.job) correctness.take(news.answer, news.error);
  if (across.job.id == news.id) across.job.running = false;
}

}  // namespace attnscope::gui
