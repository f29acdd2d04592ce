#include "app/gui/model/comparisons.hpp"

#include "app/gui/model/labels.hpp"
#include "app/gui/model/run_list.hpp"

namespace attnscope::gui {
namespace {

constexpr uint64_t kKeptSteps = 300;  ///< for which what nobody asks for is kept: some seconds
constexpr size_t kAFrame = 50'000;    ///< samples that are weighed in a frame: some milliseconds

std::string three_digits(double r) { return fmt::format("{:.{}f}", r, r < 9.995 ? 2 : r < 99.95 ? 1 : 0); }

/// A number without its unit where that stands beside it.
std::string without_unit_of(const std::string& other, std::string text) {
  const size_t unit = text.find(' ');
  if (unit != text.npos && other.ends_with(text.substr(unit))) text.resize(unit);
  return text;
}

}  // namespace

const Compared* Comparisons::raced(const Record& a, const Record& b) const {
  return raced_.empty() ? nullptr : find_at(raced_, std::pair(run_id(a), run_id(b)));
}

void Comparisons::take(const RaceResult& result) {
  raced_.clear();
  all_.clear();
  for (size_t a = 0; a < result.records.size(); ++a)
    for (size_t b = 0; b < result.records.size(); ++b) {
      if (a == b) continue;
      const RowComparison row = compare_raced(result.records[b], result.turns[b].samples, result.records[a],
                                              result.turns[a].samples, kInterleavedTolerance);
      const bool timed = row.a.median_ns && row.b.median_ns;
      raced_[{run_id(result.records[a]), run_id(result.records[b])}] = {
          row.comparison, timed ? "" : row.comparison.reason, timed ? row.comparison.ratio : 0,
          true,           row.b.median_ns.value_or(0),        row.a.median_ns.value_or(0)};
    }
}

void Comparisons::step() {
  ++steps_;
  weighed_ = 0;
  std::erase_if(all_, [&](const auto& e) { return e.second.asked + kKeptSteps < steps_; });
  std::erase_if(summaries_, [](const auto& s) { return s.first.use_count() == 1; });
}

const SampleSummary& Comparisons::summary(const Shared& r) const {
  const auto [at, fresh] = summaries_.try_emplace(r);
  if (fresh) {
    at->second = make_sample_summary(r->samples_ns);
    weighed_ += r->samples_ns.size();
  }
  return at->second;
}

const Compared* Comparisons::of(const Shared& a, const Shared& b) const {
  Entry& entry = all_[{a, b}];
  entry.asked = steps_;
  if (entry.of) return &*entry.of;
  if (const Compared* in_turn = raced(*a, *b)) return &entry.of.emplace(*in_turn);
  if (weighed_ > kAFrame) return nullptr;
  Compared& c = entry.of.emplace();
  c.why_not = why_not_comparable(*b, *a);
  // Of two problems not even a ratio says anything.
  if (a->problem == b->problem && a->statistics && b->statistics && b->statistics->median > 0)
    c.ratio = a->statistics->median / b->statistics->median;
  if (!c.why_not.empty()) return &c;
  c.word = compare_records(*b, summary(b), *a, summary(a));
  c.ratio = c.word.ratio;
  return &c;
}

bool complete(const Live& live) {
  if (!live.timed()) return false;
  const Protocol& p = live.began->protocol;
  const double ns = live.series.statistics()->mean * double(live.series.taken());
  const uint32_t each = live.sampling ? live.sampling->dispatches_per_sample : 1;
  return live.series.taken() >= p.min_samples && ns * each >= p.min_ms * 1e6;
}

std::string change_text(const Change& c, Metric metric, const Work& work) {
  const double ratio = c.in_turn ? c.word.ratio : c.now_ns / c.before_ns,
               percent = ((metric == Metric::time ? ratio : 1 / ratio) - 1) * 100;
  const std::string size = fmt::format("{:.{}f}", std::abs(percent), std::abs(percent) < 9.95 ? 1 : 0);
  const bool none = size == "0.0";
  std::string part = ratio >= 2     ? times_text(ratio) + " slower"
                     : ratio <= 0.5 ? times_text(ratio) + " faster"
                                    : fmt::format("{}{} %",
                                                  none          ? ""
                                                  : percent < 0 ? "\u2212"
                                                                : "+",
                                                  size);
  // The medians of a race are no others that the screen has.
  if (c.in_turn) return part;
  const std::string to = metric_text(metric, in_metric(metric, c.now_ns, work)),
                    from = metric_text(metric, in_metric(metric, c.before_ns, work));
  return fmt::format("{} \u2192 {}, {}", without_unit_of(to, from), to, part);
}

std::string change_within(std::string text, bool unsure, const std::function<bool(const std::string&)>& fits) {
  if (const size_t comma = text.rfind(", "); comma != text.npos && !fits(text)) text.erase(0, comma + 2);
  return unsure && !fits(text) ? "" : text;
}

void PreviousRun::step(const Live* timed, const Comparisons::Shared& copy, const Comparisons& words,
                       const DeviceState& known, const Pins& pins) {
  std::shared_ptr<const Record> before;
  for (const auto& r : complete_)
    if (timed && complete(*timed) && copy && r && !before && run_id(*r) != run_id(*copy) &&
        why_not_comparable(*r, *copy).empty())
      before = r;
  // Beside a pin of that run its own time: one run has one median on the screen, until the run has far more to say.
  if (const Pin* pin = before ? pins.same(*before) : nullptr;
      pin && 2 * pin->record->samples_ns.size() >= before->samples_ns.size())
    before = pin->record;
  const Compared* word = before ? words.of(copy, before) : nullptr;
  if (!word || !word->why_not.empty()) return change_.reset();
  const Record* both[] = {before.get(), copy.get()};
  const auto names = labels_of(both, known);
  // The number is the headline's; the word is of some moments ago.
  const Statistics& now = *timed->series.statistics();
  change_ = Change{before,    names[0],  names[1], before->statistics->median, now.median, before->samples_ns.size(),
                   now.count, word->word};
  // What raced is told by the race, and its medians.
  change_->in_turn = word->in_turn;
  if (word->in_turn) std::tie(change_->now_ns, change_->before_ns) = std::pair(word->first_ns, word->second_ns);
}

std::string unsure_text(const Comparison& c) {
  return c.relation == Relation::unsure ? c.reason.substr(0, c.reason.find_first_of(",:")) : "";
}

std::string times_text(double ratio) { return three_digits(ratio > 0 && ratio < 1 ? 1 / ratio : ratio) + "\u00d7"; }

std::string relation_text(const Comparison& c) {
  std::string word(to_text(c.relation));
  if (c.relation == Relation::same || c.relation == Relation::unsure) return word;
  return word + " " + times_text(c.ratio);
}

std::string between_text(const Comparison& c) {
  const auto end = [](double ratio) { return times_text(ratio) + (ratio < 1 ? " faster" : " slower"); };
  if (c.relation == Relation::unsure) return fmt::format("{} to {}", end(c.low), end(c.high));
  const bool faster = c.relation == Relation::faster && c.low > 0;
  return three_digits(faster ? 1 / c.high : c.low) + "\u2013" + three_digits(faster ? 1 / c.low : c.high) + "\u00d7";
}

std::string raced_text(double first_ns, double second_ns) {
  const std::string second = time_text(second_ns);
  return fmt::format("{} vs {}", without_unit_of(second, time_text(first_ns)), second);
}

std::string beside_text(const Compared& c) {
  if (c.in_turn) return "in pairs; " + raced_text(c.first_ns, c.second_ns);
  return c.word.relation == Relation::unsure ? fmt::format("{}: {}", unsure_text(c.word), kRaceThem)
                                             : between_text(c.word);
}

Comparison turned_round(const Comparison& c) {
  Comparison other = c;
  if (c.ratio > 0 && c.low > 0 && c.high > 0) {
    other.ratio = 1 / c.ratio;
    other.low = 1 / c.high;
    other.high = 1 / c.low;
  }
  if (c.relation == Relation::faster) other.relation = Relation::slower;
  if (c.relation == Relation::slower) other.relation = Relation::faster;
  return other;
}

std::string cell_text(const Compared& cell) {
  if (cell.why_not.empty()) return relation_text(cell.word);
  return cell.ratio > 0 ? fmt::format("({:.2f}\u00d7)", cell.ratio) : "\u2013";
}

std::string cannot_run(const Inspection& i) {
  return i.broken                    ? "The shader does not compile"
         : i.no_nearest == i.why_not ? "This variant cannot run this problem here"
                                     : "This config cannot run";
}

std::string race_text(const RaceState& race) {
  const std::string who = fmt::format("{} against {}", race.second_name, race.first_name), none = race.no_time();
  if (!race.row) return fmt::format("{}: {}", who, race.error);
  if (!none.empty()) return fmt::format("{} could not be compared: {}", who, none);
  const Comparison& c = race.row->comparison;
  const std::string text = fmt::format("{}: {} ({})", who, relation_text(c), between_text(c));
  return c.reason.empty() ? text : text + ": " + c.reason;
}

std::string judged_text(const VersionRow& row) {
  if (!row.record) return "not run here";
  return std::string(verdict_of(*row.record)) + (row.same_config ? "" : ", another config");
}

VersionList list_versions(const Versions& versions, const SessionLog& tried, const VersionsOf& of) {
  std::vector<VersionRow> rows;
  struct Found {
    std::shared_ptr<const Record> exact, newest;
  };
  std::map<std::string, Found> runs;
  for (const SessionLog::Entry& t : tried.entries()) {
    const Record& r = *t.record;
    if (r.variant != of.selection.variant || r.problem != of.selection.problem || modes_of(r.protocol) != of.modes ||
        device_key(r.environment.device) != of.device)
      continue;
    Found& found = runs[r.environment.shader_hash];
    found.newest = t.record;
    if (r.config == of.selection.config) found.exact = t.record;
  }
  for (const Version& v : versions.of(of.selection.variant)) {
    VersionRow row{v.number, v.hash, v.hash == of.hash, false, nullptr, false};
    if (const Found* found = find_at(runs, v.hash)) {
      row.same_config = found->exact != nullptr;
      row.record = row.same_config ? found->exact : found->newest;
    }
    rows.push_back(std::move(row));
  }
  std::ranges::reverse(rows);
  // The one that was correct last; where none was run here, the one that was there before.
  const std::vector<std::string>& order = versions.history(of.selection.variant).order;
  VersionRow* last = nullptr;
  bool judged = false;
  for (const std::string& hash : order) {
    if (hash == of.hash) continue;
    VersionRow* row = find_by(rows, hash, &VersionRow::hash);
    if (!row) continue;
    const bool ran = row->record && row->record->verdict;
    const bool correct = ran && row->record->verdict->pass && row->record->outcome != Outcome::error;
    if ((ran && !correct) || (judged && !correct)) continue;
    judged = judged || correct;
    last = row;
  }
  if (last) last->good = true;
  return {std::move(rows)};
}

const Live* LiveRuns::shown() const {
  if (newest.selection != request_.selection || newest.modes != request_.modes || !device_state_.device) return nullptr;
  if (editor_.changing.contains(request_.selection.variant)) return nullptr;
  if (!newest.began) return &newest;
  const VariantInfo* v = request_.loaded();
  const Environment& e = newest.began->environment;
  return v && e.shader_hash == v->hash && same_device(e.device, *device_state_.device) ? &newest : nullptr;
}

std::pair<const Record*, std::span<const double>> LiveRuns::before() const {
  if (timed()) return {};
  // Its successor is not dispatched yet, or has not begun.
  if (newest.timed() && (newest.selection != request_.selection || newest.modes != request_.modes || !shown()))
    return {&*newest.began, newest.series.samples()};
  const Record* r = previous_.newest();
  return {r, r ? std::span<const double>(r->samples_ns) : std::span<const double>()};
}

const Compared* LiveRuns::verdict(const Pin& pin) const {
  if (!copy_ || !timed()) return nullptr;
  const Compared* c = comparisons.raced(*pin.record, *copy_->record);
  if (!c && std::min(pin.record->samples_ns.size(), copy_->record->samples_ns.size()) >= Comparisons::kEnough)
    c = comparisons.of(pin.record, copy_->record);
  return c && c->why_not.empty() ? c : nullptr;
}

std::optional<Comparison> LiveRuns::verdict(double median_ns, uint64_t samples) const {
  if (!copy_ || !timed() || copy_->record->samples_ns.size() < Comparisons::kEnough) return std::nullopt;
  const SampleSummary& shown = comparisons.summary(copy_->record);
  SampleSummary told = make_sample_summary(std::vector<double>(samples, median_ns));
  told.step = shown.step;
  return compare(shown, told, share_cpu(*copy_->record, *copy_->record));
}

std::string LiveRuns::why_no_verdict(const Pin& pin) const {
  const Live* live = timed();
  if (pin.record->problem != request_.selection.problem) return "other problem";
  if (pin.record->samples_ns.empty()) return "no samples";
  if (!live) return "live not timed yet";
  if (const LiveCopy* copy = this->copy()) {
    if (const Compared* c = comparisons.raced(*pin.record, *copy->record); c && !c->why_not.empty()) return c->why_not;
    if (const std::string why = why_not_comparable(*pin.record, *copy->record); !why.empty()) {
      // "not comparable: two cache modes, hot and cold": its middle.
      const size_t from = why.find(": ") == std::string::npos ? 0 : why.find(": ") + 2;
      return why.substr(from, why.find(',', from) - from);
    }
  }
  // A pin gets no more of them.
  if (pin.record->samples_ns.size() < Comparisons::kEnough) return "few samples";
  return live->series.statistics()->count < Comparisons::kEnough ? "too few samples" : "comparing";
}

void LiveRuns::make_copy(double now) {
  constexpr double kPeriod = 1.5, kSoon = 0.25;  // seconds from one copy to the next, and with twice as many samples
  const Live* live = timed();
  if (copy_ && (!live || copy_->series != live->series.id())) copy_.reset();
  if (!live) return;
  if (copy_) {
    const bool twice = live->series.statistics()->count >= 2 * copy_->record->samples_ns.size();
    if (copy_->taken == live->series.taken() || now - copied_at_ < (twice ? kSoon : kPeriod)) return;
  }
  copied_at_ = now;
  copy_ = {std::make_shared<const Record>(*live->record()), live->series.id(), live->series.taken()};
}

}  // namespace attnscope::gui
