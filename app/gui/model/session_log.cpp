#include "app/gui/model/session_log.hpp"

#include "app/gui/model/pins.hpp"

namespace attnscope::gui {
namespace {

void cut(std::string& text, size_t most) {
  if (text.size() <= most) return;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  text.resize(most);
}

std::string group_of(const Record& r) {
  return fmt::format("{}|{}|{}|{}", to_text(r.problem), device_key(r.environment.device), to_text(r.protocol.cache),
                     to_text(r.protocol.launch));
}

bool is_wrong(const Record& r) { return r.verdict && !r.verdict->pass; }

/// Of the row of a run: what is wrong takes no time from what was right.
auto row_key(const RunId& run, const Record& r) { return std::pair(run, is_wrong(r)); }

bool ranked(const Record& r) { return r.outcome == Outcome::measured && r.statistics.has_value(); }

/// A run of a few samples says less than the long one it would take the place of, as long as both are right.
bool glance(const Record& now, uint64_t had) {
  constexpr uint64_t kFew = 100;
  return ranked(now) && now.statistics->count < kFew && now.statistics->count < had / 4;
}

}  // namespace

void Remarks::set(const std::string& key, Remark remark) {
  cut(remark.name, kLongestName);
  cut(remark.note, kLongestNote);
  ++version_;
  if (remark.empty())
    all_.erase(key);
  else
    all_[key] = std::move(remark);
}

void SessionLog::note(const Record& record, bool earlier) {
  RunId run = run_id(record);
  const auto at = index_.find(row_key(run, record));
  const bool again = at != index_.end() && !earlier && !entries_[at->second].earlier;
  const bool untimed = record.outcome == Outcome::verified || record.outcome == Outcome::cancelled;
  if (again && ranked(*entries_[at->second].record) &&
      (untimed || glance(record, entries_[at->second].record->statistics->count)))
    return;
  auto kept = std::make_shared<const Record>(record);
  ++version_;
  if (again) {
    entries_[at->second].record = std::move(kept);
    return;
  }
  if (entries_.size() >= kKept) {
    // Rare enough to do it simply.
    entries_.erase(entries_.begin(), entries_.begin() + kKept / 10);
    index();
  }
  index_[row_key(run, record)] = entries_.size();
  entries_.push_back({next_++, std::move(kept), std::move(run), false, group_of(record), earlier});
}

std::shared_ptr<const Record> SessionLog::find(const RunId& run) const {
  std::shared_ptr<const Record> newest;
  for (const bool wrong : {false, true})
    if (const auto at = index_.find({run, wrong}); at != index_.end())
      if (const auto& r = entries_[at->second].record;
          !newest || r->environment.time_utc >= newest->environment.time_utc)
        newest = r;
  return newest;
}

const std::vector<SessionLog::Entry>& SessionLog::entries() const {
  if (ranked_ == version_) return entries_;
  ranked_ = version_;
  std::map<std::string_view, Entry*> best;
  std::map<std::string_view, uint64_t> most;   // samples
  std::map<RunId, std::string_view> wrong_at;  // when
  for (const Entry& e : entries_)
    if (is_wrong(*e.record)) wrong_at[e.run] = e.record->environment.time_utc;
  for (const Entry& e : entries_)
    if (ranked(*e.record)) most[e.group] = std::max(most[e.group], e.record->statistics->count);
  for (Entry& e : entries_) {
    e.best = false;
    if (!ranked(*e.record) || glance(*e.record, most[e.group])) continue;
    if (wrong_at.contains(e.run) && wrong_at[e.run] > e.record->environment.time_utc) continue;
    Entry*& least = best[e.group];
    if (!least || e.record->statistics->median < least->record->statistics->median) least = &e;
  }
  for (const auto& [group, entry] : best) entry->best = true;
  return entries_;
}

std::vector<SessionLog::Entry> SessionLog::remove(const std::set<uint64_t>& numbers) {
  const auto which = [&](const Entry& e) { return numbers.contains(e.number); };
  std::vector<Entry> out = filtered(entries_, which);
  if (out.empty()) return out;
  std::erase_if(entries_, which);
  index();
  ++version_;
  return out;
}

void SessionLog::put_back(const std::vector<Entry>& removed) {
  std::set<std::pair<RunId, bool>> measured;  // in this session, again
  for (const Entry& e : entries_)
    if (!e.earlier) measured.insert(row_key(e.run, *e.record));
  for (const Entry& e : removed) {
    if (!e.earlier && measured.contains(row_key(e.run, *e.record))) continue;  // the newer numbers stay
    entries_.insert(std::ranges::upper_bound(entries_, e.number, {}, &Entry::number), e);
  }
  index();
  ++version_;
}

void SessionLog::index() {
  index_.clear();
  for (size_t i = 0; i < entries_.size(); ++i) index_[row_key(entries_[i].run, *entries_[i].record)] = i;
}

void SessionLog::clear() {
  entries_.clear();
  index();
  ++version_;
}

std::set<std::string> last_wrong(const SessionLog& tried, const std::string& problem, const std::string& device) {
  std::map<std::string, const Record*> newest;
  for (const SessionLog::Entry& e : tried.entries()) {
    const Record& r = *e.record;
    if (!r.verdict || device_key(r.environment.device) != device || to_text(r.problem) != problem) continue;
    // The same run again keeps its place in the log: its time tells.
    const Record*& now = newest[r.variant];
    if (!now || r.environment.time_utc >= now->environment.time_utc) now = &r;
  }
  std::set<std::string> wrong;
  for (const auto& [variant, record] : newest)
    if (!record->verdict->pass) wrong.insert(variant);
  return wrong;
}

}  // namespace attnscope::gui
