#include "engine/record/comparisons.hpp"

#include <unordered_map>

#include "engine/record/columns.hpp"
#include "engine/record/json_of.hpp"

namespace attnscope {

std::string why_not_comparable(const Record& a, const Record& b) {
  const DeviceInfo &x = a.environment.device, &y = b.environment.device;
  const auto differ = [](std::string_view what, std::string_view one, std::string_view other) {
    return fmt::format("not comparable: {}, {} and {}", what, one.empty() ? "unknown" : one,
                       other.empty() ? "unknown" : other);
  };
  if (x.name != y.name || x.type != y.type || x.vendor_id != y.vendor_id || x.device_id != y.device_id)
    return differ("two devices", x.name, y.name);
  if (x.driver != y.driver || x.pipeline_uuid != y.pipeline_uuid) return differ("two drivers", x.driver, y.driver);
  // Software runs on whatever CPU is there; of that a record knows the operating system, if anything.
  const std::string &here = a.environment.host_os, &there = b.environment.host_os;
  if (x.type == DeviceType::software && !here.empty() && !there.empty() && here != there)
    return differ("two hosts", here, there);
  if (!(a.problem == b.problem)) return differ("two problems", to_text(a.problem), to_text(b.problem));
  const Protocol &p = a.protocol, &q = b.protocol;
  if (p.cache != q.cache) return differ("two cache modes", to_text(p.cache), to_text(q.cache));
  if (p.launch != q.launch) return differ("two launch modes", to_text(p.launch), to_text(q.launch));
  // Short work carries the barriers at a sample's ends: the fewer executions a sample, the more of them.
  const bool several = a.dispatches_per_sample > 1 || b.dispatches_per_sample > 1;
  if (several && p.min_sample_us != q.min_sample_us)
    return differ("two lengths of a sample", fmt::format("{} µs", p.min_sample_us),
                  fmt::format("{} µs", q.min_sample_us));
  return a.samples_ns.empty() || b.samples_ns.empty() ? "no samples" : "";
}

bool share_cpu(const Record& a, const Record& b) {
  const auto shares = [](const Record& r) { return r.environment.device.type == DeviceType::software; };
  return shares(a) || shares(b);
}

Comparison compare_records(const Record& a, const SampleSummary& of_a, const Record& b, const SampleSummary& of_b,
                           double tolerance) {
  if (std::string why = why_not_comparable(a, b); !why.empty()) return {.reason = std::move(why)};
  return compare(of_a, of_b, share_cpu(a, b), tolerance);
}

Comparison compare_records(const Record& a, const Record& b, double tolerance) {
  return compare_records(a, make_sample_summary(a.samples_ns), b, make_sample_summary(b.samples_ns), tolerance);
}

namespace {

/// Names what only one file has.
constexpr size_t kNamed = 5;

/// The times of records alike in all of it are of the same thing: what each part is called, and its text.
std::array<std::pair<const char*, std::string>, 9> parts_of(const Record& r, MatchAcross across = {}) {
  const DeviceInfo& d = r.environment.device;
  return {{{"device", d.name},
           {"type", std::string(to_text(d.type))},
           {"vendor_id", fmt::format("{:#x}", d.vendor_id)},
           {"device_id", fmt::format("{:#x}", d.device_id)},
           {"problem", to_text(r.problem)},
           {"variant", across.variant ? "" : r.variant},
           {"config", across.config || across.variant ? "" : to_text(r.config)},
           {"cache", std::string(to_text(r.protocol.cache))},
           {"launch", std::string(to_text(r.protocol.launch))}}};
}
std::string key_of(const Record& r, MatchAcross across = {}) {
  std::string key;
  for (const auto& [what, text] : parts_of(r, across)) key += text + "\n";
  return key;
}

bool measured(const Record& r) { return r.statistics || !r.samples_ns.empty(); }
bool passed(Outcome outcome) { return outcome == Outcome::measured || outcome == Outcome::verified; }
/// 0 can be read (run.hpp), but no ratio is made of it.
bool has_no_time(const Record& r) {
  return std::ranges::any_of(r.samples_ns, [](double ns) { return ns <= 0; });
}
bool judged(const Record& r) { return r.verdict && r.verdict->rows_checked > 0; }
bool has_ratio(const RowComparison& row) { return row.a.median_ns && row.b.median_ns && row.comparison.high > 0; }

bool same_config(const RowComparison& row) {
  return row.a.variant == row.b.variant && row.a.config == row.b.config && row.a.config_name == row.b.config_name;
}
ConfigName name_of(const ComparedSide& s) { return {s.variant, s.config, s.config_name, {}}; }

/// With all that tells two records apart.
std::string whole_name(const Record& r) {
  return fmt::format("{} on {} ({}, {}, {})", long_name(config_name(r)), to_text(r.problem), r.environment.device.name,
                     to_text(r.protocol.cache), to_text(r.protocol.launch));
}
/// The parts that differ, by a form of name, own text and the other's.
std::vector<std::string> differing(const Record& r, const Record& other, const char* form) {
  std::vector<std::string> told;
  const auto own = parts_of(r), its = parts_of(other);
  for (size_t i = 0; i < own.size(); ++i)
    if (own[i].second != its[i].second)
      told.push_back(fmt::format(fmt::runtime(form), own[i].first, own[i].second, its[i].second));
  return told;
}
/// A difference between a record and one of the same name among `others`: " with device_id 0x1".
std::string difference_of(const Record& r, const std::vector<const Record*>& others) {
  const auto same = std::ranges::find(others, whole_name(r), [](const Record* other) { return whole_name(*other); });
  const auto told = same == others.end() ? std::vector<std::string>() : differing(r, **same, "{} {}");
  return told.empty() ? "" : " with " + joined(told);
}
std::string time_or_outcome(const ComparedSide& s, const TimeUnit& unit) {
  return s.median_ns ? four_digits(*s.median_ns / unit.ns) : std::string(to_text(s.outcome));
}
std::string percent(double fraction) { return fmt::format("{:.3g} %", 100 * fraction); }

void add_only(const std::string& where, const std::vector<std::string>& names, std::vector<std::string>& notes) {
  if (names.empty()) return;
  const size_t shown = names.size() == kNamed + 1 ? names.size() : std::min(names.size(), kNamed);
  std::string note =
      fmt::format("Only in {}: {}", where, fmt::join(names.begin(), names.begin() + ptrdiff_t(shown), "; "));
  if (shown < names.size()) note += fmt::format("; and {} more", names.size() - shown);
  notes.push_back(note + ".");
}

void say_outcomes(RowComparison& row) {
  for (const auto& [side, name] : {std::pair(&row.a, "A"), std::pair(&row.b, "B")}) {
    if (passed(side->outcome)) continue;
    row.comparison.relation = Relation::unsure;
    std::string why = side->message;
    if (why.ends_with('.')) why.pop_back();  // a note's own end follows
    row.comparison.reason = fmt::format("{} is {}{}", name, to_text(side->outcome), why.empty() ? "" : ": " + why);
  }
}

/// The rows under a last note that says what the words mean.
TextTable table_of(std::span<const RowComparison> rows, std::string meaning, const PairNames& names_of_sides = {}) {
  TextTable table;
  std::vector<double> times;
  std::vector<ConfigName> names;
  bool one_config = true, one_device = true;
  for (const RowComparison& row : rows) {
    for (const ComparedSide* side : {&row.a, &row.b}) {
      if (side->median_ns) times.push_back(*side->median_ns);
      names.push_back(name_of(*side));
    }
    one_config = one_config && same_config(row);
    one_device = one_device && row.device == rows.front().device;
  }
  const auto& [a, b] = names_of_sides;
  const TimeUnit unit = choose_time_unit(times);
  const std::vector<std::string> configs = short_config_labels(names), labels = short_labels(names);
  const auto text = [](const char* title, size_t least) { return TextTable::Column{title, false, 0, least}; };
  if (!one_device) table.columns.push_back(text("device", kLeastVariant));
  table.columns.push_back(one_config ? text("variant", kLeastVariant) : text(a.c_str(), kLeastConfig));
  table.columns.push_back(text(one_config ? "config" : b.c_str(), kLeastConfig));
  table.columns.push_back(text("problem", kLeastProblem));
  for (const std::string& title :
       {fmt::format("{} {}", a, unit.name), fmt::format("{} {}", b, unit.name), fmt::format("{} / {}", b, a)})
    table.columns.push_back({title, true});
  table.columns.push_back({"99 %", true, 1});
  table.columns.push_back({b + " is"});
  Ordered<std::string, std::vector<std::string>> reasons;  // who has it
  for (size_t i = 0; i < rows.size(); ++i) {
    const RowComparison& row = rows[i];
    const Comparison& c = row.comparison;
    // Without samples to speak of there is a reason and no ratio.
    const bool ratio = has_ratio(row) && (c.relation != Relation::unsure || c.low != c.high);
    std::vector<std::string>& cells = table.rows.emplace_back();
    if (!one_device) cells.push_back(row.device);
    cells.insert(cells.end(),
                 {one_config ? row.b.variant : labels[2 * i], one_config ? configs[2 * i + 1] : labels[2 * i + 1],
                  to_text(row.problem), time_or_outcome(row.a, unit), time_or_outcome(row.b, unit),
                  ratio ? ratio_text(c) : "", ratio ? interval_text(c) : "", std::string(to_text(c.relation))});
    if (c.reason.empty()) continue;
    std::string reason = c.reason;
    for (const auto& [side, name] : {std::pair("A", a), std::pair("B", b)})
      if (c.reason.starts_with(side + std::string(" is "))) reason.replace(0, 1, name);
    add_line(reasons[reason], "{} on {}", labels[2 * i + 1], to_text(row.problem));
  }
  if (rows.size() > 1) table.notes.push_back(words_text(rows) + ".");
  add_line(table.notes, "{} / {} is the ratio of times, with its 99 % interval: {}", b, a, meaning);
  for (const auto& [reason, who] : reasons)
    table.notes.push_back(who.size() == 1 ? fmt::format("UNSURE, {}: {}.", who[0], reason)
                                          : fmt::format("UNSURE, {} rows, {} first: {}.", who.size(), who[0], reason));
  return table;
}

std::string row_text(const Record& r) {
  return fmt::format("{}, {} {} on {}", r.environment.device.name, r.variant, to_text(r.config), to_text(r.problem));
}

bool compiled(const Record& r) { return r.outcome == Outcome::compiled || r.outcome == Outcome::measured; }

}  // namespace

ComparedSide side_of(const Record& r) {
  const auto own = r.samples_ns.empty() ? r.statistics : summarize(r.samples_ns);
  return {.variant = r.variant,
          .config = r.config,
          .config_name = r.config_name,
          .shader_hash = r.environment.shader_hash,
          .outcome = r.outcome,
          .message = r.wrong() || !passed(r.outcome) ? r.why() : "",
          .median_ns = own ? std::optional(own->median) : std::nullopt,
          .samples = r.samples_ns.size()};
}

RowComparison row_of(const Record& a, const Record& b) {
  return {
      b.problem, b.environment.device.name, b.protocol.cache, b.protocol.launch, side_of(a), side_of(b), Comparison(),
      false};
}

RowComparison compare_raced(const Record& a, std::span<const uint32_t> turns_a, const Record& b,
                            std::span<const uint32_t> turns_b, double tolerance) {
  RowComparison row = row_of(a, b);
  row.interleaved = true;
  row.comparison = attnscope::compare_raced({a.samples_ns, turns_a}, {b.samples_ns, turns_b},
                                            a.environment.device.type == DeviceType::software, tolerance);
  say_outcomes(row);
  return row;
}

MatchedRecords match_records(std::span<const Record> a, std::span<const Record> b, MatchAcross across) {
  MatchedRecords matched;
  matched.across = across;
  // By key, in order; across drivers the last of each.
  const auto by_key = [&](std::span<const Record> records) {
    std::map<std::string, std::vector<const Record*>> all;
    for (const Record& r : records) {
      std::vector<const Record*>& of_key = all[key_of(r, across)];
      if (across.driver) of_key.clear();
      of_key.push_back(&r);
    }
    return all;
  };
  const auto own = by_key(a), waiting = by_key(b);
  std::map<std::string, size_t> taken;
  for (const Record& r : a) {
    const std::string key = key_of(r, across);
    if (across.driver && own.at(key).front() != &r) continue;
    const auto at = waiting.find(key);
    if (at == waiting.end() || taken[key] == at->second.size())
      matched.only_a.push_back(&r);
    else
      matched.pairs.emplace_back(&r, at->second[taken[key]++]);
  }
  std::map<std::string, size_t> seen;
  for (const Record& r : b)
    if (const std::string key = key_of(r, across); seen[key]++ >= taken[key])
      if (!across.driver || taken[key] == 0) matched.only_b.push_back(&r);
  return matched;
}

FileComparison compare_matched(const MatchedRecords& matched, double tolerance) {
  FileComparison out;
  out.tolerance = tolerance;
  for (const auto& [a, b] : matched.pairs) {
    if (!measured(*a) && !measured(*b) && (!passed(a->outcome) || passed(b->outcome))) {
      ++out.unmeasured;
      continue;
    }
    RowComparison& row = out.rows.emplace_back(row_of(*a, *b));
    out.pairs.emplace_back(a, b);
    Record was = *a;
    if (matched.across.driver) {
      was.environment.device.driver = b->environment.device.driver;
      was.environment.device.pipeline_uuid = b->environment.device.pipeline_uuid;
    }
    row.comparison = compare_records(was, *b, tolerance);
    say_outcomes(row);
  }
  std::set<std::string> in_both;
  for (const auto& pair : matched.pairs) in_both.insert(key_of(*pair.first));
  const auto tell = [&](const auto& records, const auto& others, std::vector<std::string>& names) {
    for (const Record* r : records)
      if (measured(*r))
        names.push_back(whole_name(*r) +
                        (in_both.contains(key_of(*r)) ? " measured once more" : difference_of(*r, others)));
  };
  tell(matched.only_a, matched.only_b, out.only_a);
  tell(matched.only_b, matched.only_a, out.only_b);
  // A row that A has more often than B counts as present in B.
  for (const Record* r : matched.only_a)
    if (passed(r->outcome) && !in_both.contains(key_of(*r))) out.missing.push_back(whole_name(*r));
  return out;
}

std::vector<std::string> least_difference(const MatchedRecords& matched) {
  std::optional<std::vector<std::string>> least;
  for (const Record* a : matched.only_a)
    for (const Record* b : matched.only_b) {
      std::vector<std::string> told = differing(*a, *b, "{} ({} and {})");
      if (!least || told.size() < least->size()) least = std::move(told);
    }
  return least.value_or(std::vector<std::string>{});
}

std::vector<const RowComparison*> surely_slower(std::span<const RowComparison> rows, double limit) {
  std::vector<const RowComparison*> out;
  for (const RowComparison& row : rows)
    if (row.comparison.relation == Relation::slower && row.comparison.low > 1 + limit) out.push_back(&row);
  return out;
}

std::vector<std::string> no_longer_passing(const FileComparison& files) {
  std::vector<std::string> out;
  for (size_t i = 0; i < files.rows.size(); ++i) {
    const RowComparison& row = files.rows[i];
    const auto& [a, b] = files.pairs[i];
    if (!passed(row.a.outcome)) continue;
    if (!passed(row.b.outcome))
      out.push_back(sentence_of(row));
    else if (!a->samples_ns.empty() && b->samples_ns.empty())
      add_line(out, "{}: B has no samples{}", whole_name(*b), b->message.empty() ? "" : ": " + b->message);
    else if (judged(*a) && !judged(*b))
      add_line(out, "{}: B has no verdict, or one of no rows", whole_name(*b));
    else if (has_no_time(*a) || has_no_time(*b))
      add_line(out, "{}: {} has a sample of 0 ns, so nothing can be told", whole_name(*b), has_no_time(*b) ? "B" : "A");
  }
  for (const std::string& name : files.missing) out.push_back(name + ": it is not in B");
  return out;
}

std::string sentence_of(const RowComparison& row) {
  std::string who = long_name(name_of(row.b));
  if (!same_config(row)) who += " against " + long_name(name_of(row.a));
  std::string text = fmt::format("{} on {}: ", who, to_text(row.problem));
  if (!has_ratio(row)) return text + row.comparison.reason;
  const Comparison& c = row.comparison;
  return text + fmt::format("{:.4f} ({:.4f} to {:.4f})", c.ratio, c.low, c.high);
}

std::string ratio_text(const Comparison& c) { return fmt::format("{:.4f}", c.ratio); }
std::string interval_text(const Comparison& c) { return fmt::format("{:.4f}–{:.4f}", c.low, c.high); }

std::string ratio_text(const RowComparison& row) { return has_ratio(row) ? ratio_text(row.comparison) : ""; }

std::string words_text(std::span<const RowComparison> rows) {
  std::array<size_t, kEnumerators<Relation>> count{};
  for (const RowComparison& row : rows) ++count[size_t(row.comparison.relation)];
  size_t i = 0;
  return joined(count, ", ", [&](size_t n) { return fmt::format("{} {}", n, to_text(Relation(i++))); });
}

TextTable comparison_table(std::span<const RowComparison> rows, double tolerance, const PairNames& names) {
  return table_of(
      rows,
      fmt::format("SAME within 1 ± {0}, FASTER or SLOWER where all of the interval is beyond.", percent(tolerance)),
      names);
}

TextTable comparison_table(const FileComparison& files) {
  TextTable table = table_of(files.rows, fmt::format("SAME where all of it is within 1 ± {}; FASTER or SLOWER where "
                                                     "the ratio is beyond, and all of the interval beyond {}.",
                                                     percent(files.tolerance), percent(files.tolerance / 2)));
  table.heading = {fmt::format("A: {}", files.a), fmt::format("B: {}", files.b)};
  add_only("A", files.only_a, table.notes);
  add_only("B", files.only_b, table.notes);
  if (files.unmeasured > 0) add_line(table.notes, "{} more rows were measured in neither.", files.unmeasured);
  return table;
}

std::string comparison_json(const FileComparison& files) {
  Json counts = Json::object();
  for (size_t i = 0; i < kEnumerators<Relation>; ++i)
    counts[std::string(to_text(Relation(i)))] =
        std::ranges::count_if(files.rows, [&](const auto& row) { return row.comparison.relation == Relation(i); });
  return dump_pretty(Json{{"schema", kRecordSchema},
                          {"program", "attnscope " ATTNSCOPE_VERSION},
                          {"a", files.a},
                          {"b", files.b},
                          {"tolerance", files.tolerance},
                          {"counts", counts},
                          {"comparisons", encode(files.rows)},
                          {"only_a", files.only_a},
                          {"only_b", files.only_b},
                          {"unmeasured", files.unmeasured}});
}

Result<std::vector<std::string>> failed_gates(std::span<const Record> records, const CompileGate& gate) {
  std::vector<std::string> failed;
  bool shared = false;
  std::unordered_map<std::string, const Record*> before;  // of several alike the first
  for (const Record& r : gate.baseline) before.emplace(row_text(r), &r);
  for (const Record& r : records) {
    const Resources& now = r.resources;
    const uint64_t spills = now.spills.value_or(now.spill_bytes.value_or(0));
    if (gate.spill && spills > 0)
      add_line(failed, "{}: it spills {}", row_text(r),
               now.spills ? fmt::format("{} times", spills) : fmt::format("{} bytes", spills));
    if (gate.registers && now.registers.value_or(0) > *gate.registers)
      add_line(failed, "{}: it takes {} registers, more than {}", row_text(r), *now.registers, *gate.registers);
    const auto found = before.find(row_text(r));
    if (found == before.end()) continue;
    const Record* base = found->second;
    shared = true;
    if (compiled(*base) && !compiled(r)) add_line(failed, "{}: it was compiled before", row_text(r));
    if (!compiled(*base) || !compiled(r)) continue;
    const auto compare = [&](const char* what, const std::optional<uint64_t>& then,
                             const std::optional<uint64_t>& after) {
      if (then && after && *after > *then) add_line(failed, "{}: {} {} → {}", row_text(r), what, *then, *after);
    };
    compare("registers", base->resources.registers, now.registers);
    compare("spills", base->resources.spills, now.spills);
    compare("spilled bytes", base->resources.spill_bytes, now.spills ? std::nullopt : now.spill_bytes);
  }
  if (!gate.baseline.empty() && !shared)
    return bad_input("The baseline has none of these configs on a GPU of that name.");
  return failed;
}

}  // namespace attnscope
