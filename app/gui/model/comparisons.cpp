#include "app/gui/model/comparisons.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/model/labels.hpp"
#include "app/gui/worker/series.hpp"
#include "engine/clock.hpp"
#include "engine/measure/paired.hpp"
#include "engine/record/compare_records.hpp"
#include "engine/record/comparisons.hpp"
#include "engine/record/same_device.hpp"
#include "engine/search/pair.hpp"

namespace attnscope::gui {

std::shared_ptr<const SampleSummary> SampleSummaryCache::of(const std::shared_ptr<const Record>& record) {
  Kept& kept = kept_[record.get()];
  // Another record may lie where one was that is gone.
  if (kept.record.lock() != record && !kept.making.valid()) {
    kept = {record, nullptr, {}};
    ++made_;
    if (record->samples_ns.size() <= kAtOnce)
      kept.evidence = std::make_shared<const SampleSummary>(make_sample_summary(record->samples_ns));
    else
      // Moved from, so that the record is not kept for as long as nobody takes the answer.
      kept.making = std::async(std::launch::async, [given = record]() mutable {
        const auto own = std::move(given);
        return std::make_shared<const SampleSummary>(make_sample_summary(own->samples_ns));
      });
  }
  if (kept.making.valid() && kept.making.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    kept.evidence = kept.making.get();
  std::shared_ptr<const SampleSummary> evidence = kept.evidence;
  if (kept_.size() > forget_at_) forget();
  return evidence;
}

void SampleSummaryCache::forget() {
  // One that is being weighed still is not expired.
  std::erase_if(kept_, [](const auto& k) { return k.second.record.expired(); });
  forget_at_ = std::max<size_t>(256, 2 * kept_.size());
}

void PinComparisons::clear() {
  made_.reset();
  making_.reset();
  left_.clear();
}

const Comparison* PinComparisons::verdict(uint64_t pin) const {
  if (!made_) return nullptr;
  const auto at = made_->words.find(pin);
  return at == made_->words.end() ? nullptr : &at->second;
}

void PinComparisons::step(const std::optional<Record>& live, const Pins& pins, double now, double budget_s) {
  if (!live || !live->statistics) return clear();
  // Of another run: what stood is not of what is shown now.
  if (made_ && !same_run(run_of(made_->live), run_of(*live))) clear();
  if (making_ && (!same_run(run_of(making_->live), run_of(*live)) || pins_ != pins.version())) {
    making_.reset();
    left_.clear();
  }
  if (!making_) {
    if (made_ && now - made_at_ < period(live->samples_ns.size()) && pins_ == pins.version()) return;
    making_ = PinComparison{*live, quantiles(live->samples_ns), {}};
    evidence_ = make_sample_summary(live->samples_ns);
    pins_ = pins.version();
    for (const Pin& p : pins.all())
      if (p.record->samples_ns.size() >= kEnough && live->samples_ns.size() >= kEnough &&
          why_not_comparable(*p.record, *live).empty())
        left_.emplace_back(p.id, p.record);
  }
  const auto began = Clock::now();
  bool over = false;
  std::erase_if(left_, [&](const auto& pin) {
    if (over) return false;
    const auto weighed = pins_weighed_.of(pin.second);
    if (weighed) making_->words[pin.first] = compare_records(making_->live, evidence_, *pin.second, *weighed);
    over = seconds_since(began) > budget_s;
    return weighed != nullptr;
  });
  if (!left_.empty()) return;
  made_ = std::move(making_);
  making_.reset();
  made_at_ = now;
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

CompareMatrix::Made CompareMatrix::make(std::map<uint64_t, Side> sides, const std::vector<Pair>& pairs) {
  Made out;
  for (auto& [id, side] : sides) {
    if (!side.evidence)
      side.evidence = std::make_shared<const SampleSummary>(make_sample_summary(side.record->samples_ns));
    out.evidence[id] = side.evidence;
  }
  for (const auto& [row, column] : pairs) {
    const Side &a = sides.at(row), &b = sides.at(column);
    MatrixCell cell;
    // Of two problems not even a ratio says anything.
    if (a.record->problem == b.record->problem && a.record->statistics && b.record->statistics &&
        b.record->statistics->median > 0)
      cell.ratio = a.record->statistics->median / b.record->statistics->median;
    cell.why_not = why_not_comparable(*b.record, *a.record);
    if (cell.why_not.empty()) {
      // Of the row, so the column is what it is held against.
      cell.word = compare_records(*b.record, *b.evidence, *a.record, *a.evidence);
      cell.ratio = cell.word.ratio;
    }
    out.cells[{row, column}] = std::move(cell);
  }
  return out;
}

void CompareMatrix::look(const Pins& pins, const std::vector<uint64_t>& rows, const std::vector<uint64_t>& columns) {
  step(pins);
  if (making_.valid()) return;
  std::map<uint64_t, Side> sides;
  std::vector<Pair> missing;
  const auto take = [&](uint64_t id) {
    if (sides.contains(id)) return true;
    const Pin* pin = pins.find(id);
    if (!pin) return false;
    const auto weighed = evidence_.find(id);
    sides[id] = {pin->record, weighed == evidence_.end() ? nullptr : weighed->second};
    return true;
  };
  for (const uint64_t row : rows)
    for (const uint64_t column : columns)
      if (row != column && missing.size() < kBatch && !cells_.contains({row, column}) && take(row) && take(column))
        missing.emplace_back(row, column);
  if (missing.empty()) return;
  making_ = std::async(std::launch::async, [sides = std::move(sides), missing = std::move(missing)]() mutable {
    return make(std::move(sides), missing);
  });
}

void CompareMatrix::step(const Pins& pins) {
  if (making_.valid() && making_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    Made made = making_.get();
    made_ += made.cells.size();
    for (auto& [pair, cell] : made.cells) cells_[pair] = std::move(cell);
    evidence_.merge(made.evidence);
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
