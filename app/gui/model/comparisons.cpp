#include "app/gui/model/comparisons.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/model/labels.hpp"
#include "app/gui/worker/ready.hpp"
#include "app/gui/worker/series.hpp"
#include "engine/measure/paired.hpp"
#include "engine/record/comparisons.hpp"
#include "engine/record/same_device.hpp"
#include "engine/search/pair.hpp"

namespace attnscope::gui {

namespace {

const SampleSummary& weighed(PinSummaries& all, const Pin& pin) {
  auto& summary = all[pin.id];
  if (!summary) summary = std::make_shared<const SampleSummary>(make_sample_summary(pin.record->samples_ns));
  return *summary;
}

PinComparison compared(Record live, const std::vector<Pin>& pins, PinSummaries evidence) {
  PinComparison out{std::move(live), {}, {}, std::move(evidence)};
  out.live_quantiles_ns = quantiles(out.live.samples_ns);
  const SampleSummary of_live = make_sample_summary(out.live.samples_ns);
  const auto enough = [](const Record& r) { return r.samples_ns.size() >= PinComparisons::kEnough; };
  for (const Pin& p : pins)
    if (enough(*p.record) && enough(out.live) && why_not_comparable(*p.record, out.live).empty())
      out.words[p.id] = compare_records(out.live, of_live, *p.record, weighed(out.evidence, p));
  return out;
}

}  // namespace

const Comparison* PinComparisons::verdict(uint64_t pin) const {
  if (!made_) return nullptr;
  const auto at = made_->words.find(pin);
  return at == made_->words.end() ? nullptr : &at->second;
}

void PinComparisons::step(const std::optional<Record>& live, const Pins& pins, double now) {
  if (!live || !live->statistics) return clear();
  const auto of_live = [&](const PinComparison& c) { return same_run(run_of(c.live), run_of(*live)); };
  // Of another run: what stood is not of what is shown now.
  if (made_ && !of_live(*made_)) clear();
  if (ready(making_)) {
    PinComparison made = making_.get();
    if (of_live(made)) made_ = std::move(made);
    made_at_ = now;
  }
  if (making_.valid() || (made_ && now - made_at_ < period(live->samples_ns.size()) && pins_ == pins.version())) return;
  pins_ = pins.version();
  making_ = std::async(std::launch::async, [record = *live, all = pins.all(),
                                            evidence = made_ ? made_->evidence : PinSummaries()]() mutable {
    return compared(std::move(record), all, std::move(evidence));
  });
}

bool complete(const Live& live) {
  if (!live.timed()) return false;
  const Protocol& p = live.began->protocol;
  const double ns = live.series.statistics()->mean * double(live.series.taken());
  const uint32_t each = live.sampling ? live.sampling->dispatches_per_sample : 1;
  return live.series.taken() >= p.min_samples && ns * each >= p.min_ms * 1e6;
}

std::string change_text(const Change& c, Metric metric, const Work& work) {
  const double a = in_metric(metric, c.before_ns, work), b = in_metric(metric, c.now_ns, work);
  std::string from = metric_text(metric, a), to = metric_text(metric, b);
  const size_t unit = from.find(' ');
  if (unit != from.npos && to.ends_with(from.substr(unit))) from.resize(unit);
  const double percent = a > 0 ? (b / a - 1) * 100 : 0;
  const std::string size = fmt::format("{:.{}f}", std::abs(percent), std::abs(percent) < 9.95 ? 1 : 0);
  const bool none = size == "0.0";
  return fmt::format("{} \u2192 {}, {}{} %", from, to, none ? "" : percent < 0 ? "\u2212" : "+", size);
}

void PreviousRun::leave(const Live& live) {
  if (!live.timed()) return;
  auto record = std::make_shared<const Record>(*live.record());
  newest_ = record;
  if (!complete(live)) return;
  if (complete_[0] && !same_run(run_of(*complete_[0]), run_of(*record))) complete_[1] = complete_[0];
  complete_[0] = std::move(record);
}

const Record* PreviousRun::beside(const Record& now) const {
  for (const auto& r : complete_)
    if (r && !same_run(run_of(*r), run_of(now)) && why_not_comparable(*r, now).empty()) return r.get();
  return nullptr;
}

void PreviousRun::step(const Live* timed, const DeviceState& known, double now) {
  if (!timed || !complete(*timed)) {
    change_.reset();
    series_ = 0;
    return;
  }
  if (timed->series.id() == series_ && now < due_) {
    // The number is the headline's; the word follows when it is due.
    if (change_) {
      change_->now_ns = timed->series.statistics()->median;
      change_->now_count = timed->series.statistics()->count;
    }
    return;
  }
  const auto record = *timed->record();
  const Record* other = beside(record);
  const bool another = timed->series.id() != series_ || (change_ && change_->before.get() != other);
  series_ = timed->series.id();
  due_ = now + kPeriod;
  if (!other) return change_.reset();
  if (another || !change_) {
    evidence_ = make_sample_summary(other->samples_ns);
    change_.emplace();
    change_->before = other == complete_[0].get() ? complete_[0] : complete_[1];
  }
  const Record* both[] = {other, &record};
  const auto names = labels_of(both, known);
  change_->before_name = names[0];
  change_->now_name = names[1];
  change_->before_ns = other->statistics->median;
  change_->now_ns = record.statistics->median;
  change_->before_count = other->samples_ns.size();
  change_->now_count = record.samples_ns.size();
  change_->word = compare_records(*other, evidence_, record, make_sample_summary(record.samples_ns));
}

CompareMatrix::Made CompareMatrix::make(const std::map<uint64_t, Pin>& pins, PinSummaries evidence,
                                        const std::vector<Pair>& pairs) {
  Made out{{}, std::move(evidence)};
  for (const auto& [row, column] : pairs) {
    const Pin &a = pins.at(row), &b = pins.at(column);
    MatrixCell cell;
    // Of two problems not even a ratio says anything.
    if (a.record->problem == b.record->problem && a.record->statistics && b.record->statistics &&
        b.record->statistics->median > 0)
      cell.ratio = a.record->statistics->median / b.record->statistics->median;
    cell.why_not = why_not_comparable(*b.record, *a.record);
    if (cell.why_not.empty()) {
      // Of the row, so the column is what it is held against.
      cell.word = compare_records(*b.record, weighed(out.evidence, b), *a.record, weighed(out.evidence, a));
      cell.ratio = cell.word.ratio;
    }
    out.cells[{row, column}] = std::move(cell);
  }
  return out;
}

void CompareMatrix::look(const Pins& pins, const std::vector<uint64_t>& rows, const std::vector<uint64_t>& columns) {
  step(pins);
  if (making_.valid()) return;
  std::map<uint64_t, Pin> taken;
  std::vector<Pair> missing;
  const auto take = [&](uint64_t id) {
    const Pin* pin = pins.find(id);
    if (pin) taken.try_emplace(id, *pin);
    return pin != nullptr;
  };
  for (const uint64_t row : rows)
    for (const uint64_t column : columns)
      if (row != column && missing.size() < kBatch && !cells_.contains({row, column}) && take(row) && take(column))
        missing.emplace_back(row, column);
  if (missing.empty()) return;
  making_ =
      std::async(std::launch::async, [taken, missing, evidence = evidence_] { return make(taken, evidence, missing); });
}

void CompareMatrix::step(const Pins& pins) {
  if (ready(making_)) {
    Made made = making_.get();
    made_ += made.cells.size();
    for (auto& [pair, cell] : made.cells) cells_[pair] = std::move(cell);
    evidence_ = std::move(made.evidence);
    pins_ = ~0ull;  // some may have gone meanwhile
  }
  if (pins_ == pins.version()) return;
  pins_ = pins.version();
  std::set<uint64_t> there;
  for (const Pin& p : pins.all()) there.insert(p.id);
  std::erase_if(cells_,
                [&](const auto& c) { return !there.contains(c.first.first) || !there.contains(c.first.second); });
  std::erase_if(evidence_, [&](const auto& e) { return !there.contains(e.first); });
}

const MatrixCell* CompareMatrix::cell(uint64_t row, uint64_t column) const {
  const auto at = cells_.find({row, column});
  return at == cells_.end() ? nullptr : &at->second;
}

std::string relation_text(const Comparison& c) {
  const std::string word(to_text(c.relation));
  if (c.relation == Relation::same || c.relation == Relation::unsure) return word;
  return fmt::format("{} {:.2f}\u00d7", word, c.ratio < 1 ? 1 / c.ratio : c.ratio);
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

std::string cell_text(const MatrixCell& cell) {
  if (cell.why_not.empty())
    return cell.word.relation == Relation::same || cell.word.relation == Relation::unsure
               ? fmt::format("{} {:.2f}\u00d7", to_text(cell.word.relation), cell.ratio)
               : relation_text(cell.word);
  return cell.ratio > 0 ? fmt::format("({:.2f}\u00d7)", cell.ratio) : "\u2013";
}

std::string cannot_run(const Inspection& i) {
  return i.broken ? "The shader does not compile" : "This config cannot run";
}

std::optional<BestRace::Verdict> BestRace::verdict() const {
  if (!word) return std::nullopt;
  switch (word->relation) {
    case Relation::faster: return Verdict::take;
    case Relation::same: return Verdict::equal;
    default: return Verdict::stay;
  }
}

Comparison word_of_race(const Record& shown, std::span<const uint32_t> shown_turns, const Record& best,
                        std::span<const uint32_t> best_turns) {
  for (const Record* r : {&shown, &best})
    if (r->outcome != Outcome::measured || r->samples_ns.empty())
      return {Relation::unsure, 1, 1, 1,
              fmt::format("{} {} is {}{}", r->variant, attnscope::to_text(r->config), attnscope::to_text(r->outcome),
                          r->verdict && !r->verdict->pass ? ": " + r->verdict->reason
                          : r->message.empty()            ? ""
                                                          : ": " + r->message)};
  return compare_raced({shown.samples_ns, shown_turns}, {best.samples_ns, best_turns},
                       shown.environment.device.type == DeviceType::software);
}

std::string word_text(const BestRace& race) {
  const std::string who = fmt::format("{} against {}, which is shown", race.best_name, race.shown_name);
  if (!race.word) return fmt::format("{}: {}", who, race.error);
  const Comparison& c = *race.word;
  std::string text = fmt::format("{}: {}", who, attnscope::to_text(c.relation));
  if (race.shown_ns > 0 && race.best_ns > 0) text += fmt::format(", {} ({})", ratio_text(c), interval_text(c));
  // Where turns scatter the medians of all may say otherwise than the ratio of neighbours.
  if (race.shown_ns > 0 && race.best_ns > 0 && c.relation != Relation::unsure)
    text += fmt::format(", {} \u2192 {}", time_text(race.shown_ns), time_text(race.best_ns));
  if (!c.reason.empty()) text += ": " + c.reason;
  return text;
}

void VersionsView::step(const Versions& versions, const SessionLog& tried, const Of& of) {
  if (versions_ == versions.version() && tried_ == tried.version() && of_ == of) return;
  versions_ = versions.version();
  tried_ = tried.version();
  of_ = of;
  rows_.clear();
  struct Found {
    std::shared_ptr<const Record> exact, newest;
  };
  std::map<std::string, Found> runs;
  for (const SessionLog::Entry& t : tried.entries()) {
    const Record& r = *t.record;
    if (r.variant != of.selection.variant || r.problem != of.selection.problem || r.protocol.cache != of.modes.cache ||
        r.protocol.launch != of.modes.launch || device_key(r.environment.device) != of.device)
      continue;
    Found& found = runs[r.environment.shader_hash];
    found.newest = t.record;
    if (r.config == of.selection.config) found.exact = t.record;
  }
  for (const Version& v : versions.of(of.selection.variant)) {
    Row row{v.number, v.hash, v.hash == of.hash, false, !v.texts.empty(), nullptr, false};
    if (const auto found = runs.find(v.hash); found != runs.end()) {
      row.same_config = found->second.exact != nullptr;
      row.record = row.same_config ? found->second.exact : found->second.newest;
    }
    rows_.push_back(std::move(row));
  }
  std::reverse(rows_.begin(), rows_.end());
  // The one that was correct last; where none was run here, the one that was there before.
  const std::vector<std::string>& order = versions.order(of.selection.variant);
  Row* last = nullptr;
  bool judged = false;
  for (const std::string& hash : order) {
    if (hash == of.hash) continue;
    const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.hash == hash; });
    if (row == rows_.end() || !row->texts) continue;
    const bool ran = row->record && row->record->verdict;
    const bool correct = ran && row->record->verdict->pass && row->record->outcome != Outcome::error;
    if ((ran && !correct) || (judged && !correct)) continue;
    judged = judged || correct;
    last = &*row;
  }
  if (last) last->good = true;
}

const VersionsView::Row* VersionsView::before() const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [](const Row& r) { return r.good; });
  return found == rows_.end() ? nullptr : &*found;
}

const VersionsView::Row* VersionsView::current() const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [](const Row& r) { return r.current; });
  return found == rows_.end() ? nullptr : &*found;
}

}  // namespace attnscope::gui
