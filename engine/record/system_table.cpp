#include "engine/record/system_table.hpp"

#include "engine/record/columns.hpp"

namespace attnscope {
namespace {

/// Nanoseconds, or the word that stands for them.
struct Amount {
  std::optional<double> ns;
  std::string word;
};

Amount amount_of(const Record* r, double Statistics::*member) {
  if (!r) return {};
  if (r->statistics) return {(*r->statistics).*member, ""};
  if (r->outcome == Outcome::measured || r->outcome == Outcome::verified) return {std::nullopt, "no samples"};
  return {std::nullopt, r->outcome == Outcome::failed_verdict ? "FAIL" : std::string(to_text(r->outcome))};
}
std::string ratio_text(const std::optional<double>& ratio) { return ratio ? fmt::format("{:.2f}x", *ratio) : ""; }
std::string or_else(const std::string& text, const char* otherwise) { return text.empty() ? otherwise : text; }

struct Line {
  size_t row = 0;
  Problem problem;
};
/// A column as it is shown: one of a baseline is there for each of the baseline's kernels.
struct ShownColumn {
  const TableColumn* column = nullptr;
  std::string baseline;
  bool is_ratio() const { return column->value == "speedup" || column->value == "baseline"; }
};

constexpr auto kWords = std::to_array<std::string_view>({"name", "problem", "whose", "verdict", "variant", "config"});

class Builder {
 public:
  Builder(const SystemTable& spec, const TableRecords& records, std::span<const Record> baseline)
      : spec_(spec), records_(records), baseline_(baseline) {
    records_.resize(spec.rows.size());
    for (size_t r = 0; r < spec.rows.size(); ++r) {
      const TableRow& row = spec.rows[r];
      records_[r].resize(row.problems.size());
      for (size_t p = 0; row.from_baseline && p < row.problems.size(); ++p)
        records_[r][p] = find_baseline(row.problems[p], [&](const Record& b) {
          return b.variant == row.variant && (row.config.empty() || b.config_name == row.config);
        });
    }
    const auto problems = problems_of(spec);
    for (const Record& b : baseline)
      if (const std::string name = long_name(config_name(b));
          (spec.baselines.empty() || contains(spec.baselines, b.variant)) && !contains(names_, name) &&
          contains(problems, b.problem))
        names_.push_back(name);
    for (const TableColumn& c : spec.columns)
      if (c.value != "baseline")
        shown_.push_back({&c, ""});
      else
        for (const std::string& name : names_) shown_.push_back({&c, name});
    // Problems outermost, so that what is compared stands together.
    for (const Problem& problem : problems) {
      std::vector<Line> own;
      bool was_run = false;
      for (size_t r = 0; r < spec.rows.size(); ++r) {
        was_run |= !spec.rows[r].from_baseline && record_of(r, problem);
        if (spec.rows[r].shown && contains(spec.rows[r].problems, problem)) own.push_back({r, problem});
      }
      if (was_run) lines_.insert(lines_.end(), own.begin(), own.end());
    }
  }

  TextTable build(double Statistics::*rank) const {
    TextTable table;
    for (const auto& [c, baseline] : shown_) {
      const bool words = contains(kWords, c->value) || (c->value == "published" && wordy(c->key));
      table.columns.push_back({baseline.empty() ? c->title : c->title + " " + baseline, !words});
    }
    for (const Line& line : lines_) {
      std::vector<std::string>& cells = table.rows.emplace_back();
      for (const ShownColumn& s : shown_)
        cells.push_back(s.column->value == "name" && is_best(line, rank) ? row_of(line).name + " (best)"
                                                                         : cell(line, s));
    }
    for (const TableMean& m : spec_.means) add_mean(m, table);
    add_heading(table.heading);
    add_notes(table.notes);
    return table;
  }

 private:
  template <class Match>
  const Record* find_baseline(const Problem& problem, const Match& match) const {
    const auto at = std::ranges::find_if(
        baseline_, [&](const Record& b) { return b.statistics && b.problem == problem && match(b); });
    return at == baseline_.end() ? nullptr : &*at;
  }
  const Record* record_of(size_t row, const Problem& problem) const {
    const auto& problems = spec_.rows[row].problems;
    const auto at = std::ranges::find(problems, problem);
    return at == problems.end() ? nullptr : records_[row][size_t(at - problems.begin())];
  }
  const TableRow& row_of(const Line& line) const { return spec_.rows[line.row]; }
  /// Whether a published column holds prose rather than figures.
  bool wordy(const std::string& key) const {
    return std::ranges::any_of(spec_.rows, [&](const TableRow& row) {
      return std::ranges::any_of(at_or(row.published, key),
                                 [](const auto& x) { return std::ranges::count(x, ' ') > 2; });
    });
  }
  Amount ours(size_t row, const Problem& problem, double Statistics::*member) const {
    return amount_of(record_of(row, problem), member);
  }
  /// The median of another row, or of a baseline, on the problem of this line.
  Amount other(const Line& line, const ShownColumn& s) const {
    if (s.column->value == "baseline")
      return amount_of(
          find_baseline(line.problem, [&](const Record& b) { return long_name(config_name(b)) == s.baseline; }),
          &Statistics::median);
    for (size_t r = 0; r < spec_.rows.size(); ++r)
      if (spec_.rows[r].name == s.column->key) return ours(r, line.problem, &Statistics::median);
    return {};
  }
  std::optional<double> ratio(const Line& line, const ShownColumn& s) const {
    const Amount mine = ours(line.row, line.problem, &Statistics::median), base = other(line, s);
    return mine.ns && base.ns ? std::optional(*base.ns / *mine.ns) : std::nullopt;
  }

  std::string cell(const Line& line, const ShownColumn& s) const {
    const TableColumn& c = *s.column;
    const TableRow& row = row_of(line);
    const auto time = [&](const Amount& amount) {
      return amount.ns ? four_digits(*amount.ns / time_unit_ns(spec_.unit).value_or(1e6)) : amount.word;
    };
    if (c.value == "name") return row.name;
    if (s.is_ratio()) return ratio_text(ratio(line, s));
    if (c.value == "time") return time(other(line, s));
    const RecordColumn* column = find_column(c.value, RecordColumn::Use::value);
    if (column != nullptr && column->statistic != nullptr) return time(ours(line.row, line.problem, column->statistic));
    if (c.value == "published") {
      const auto it = row.published.find(c.key);
      if (it == row.published.end()) return "";
      if (it->second.size() == 1) return it->second[0];
      return it->second[size_t(std::ranges::find(row.problems, line.problem) - row.problems.begin())];
    }
    if (c.value == "problem") return to_text(line.problem);
    if (c.value == "whose") return at_or(spec_.whose, to_text(line.problem));
    const Record* record = record_of(line.row, line.problem);
    // A baseline's record says nothing of what its kernel moves or holds.
    if (!record || row.from_baseline) return "";
    if (c.value == "parameter")
      return record->config.contains(c.key) ? fmt::format("{}", record->config.at(c.key)) : "";
    return column_text(column != nullptr ? *column : *find_column(c.value, RecordColumn::Use::field), *record);
  }

  /// Two lines: the geometric mean of each column of ratios over the lines that take part, and the least.
  void add_mean(const TableMean& m, TextTable& table) const {
    std::vector<std::string> means(shown_.size()), leasts(shown_.size());
    bool any = false;
    for (size_t c = 0; c < shown_.size(); ++c) {
      std::vector<double> ratios;
      for (const Line& line : lines_)
        if (shown_[c].is_ratio() && takes_part(m, line))
          if (const auto x = ratio(line, shown_[c]); x && *x > 0) ratios.push_back(*x);
      if (ratios.empty()) continue;
      any = true;
      means[c] = ratio_text(geometric_mean(ratios));
      leasts[c] = ratio_text(*std::ranges::min_element(ratios));
    }
    const auto words = std::ranges::find_if(shown_, [](const ShownColumn& s) { return !s.is_ratio(); });
    if (!any || words == shown_.end()) return;
    means[size_t(words - shown_.begin())] = m.title;
    leasts[size_t(words - shown_.begin())] = "… the least";
    table.rows.push_back(std::move(means));
    table.rows.push_back(std::move(leasts));
  }
  static bool takes_part(const TableMean& m, const Line& line) {
    if (m.where.empty()) return true;
    const auto value = evaluate(m.where, problem_names(line.problem, {}));
    return value && *value != 0;
  }
  /// Whether it is the fastest of our own lines on the same problem.
  bool is_best(const Line& line, double Statistics::*rank) const {
    const auto score = [&](const Line& l) {
      return row_of(l).from_baseline ? std::nullopt : ours(l.row, l.problem, rank).ns;
    };
    const auto own = score(line);
    return spec_.mark_best && own && std::ranges::none_of(lines_, [&](const Line& l) {
             const auto theirs = l.problem == line.problem ? score(l) : std::nullopt;
             return theirs && *theirs < *own;
           });
  }

  void add_heading(std::vector<std::string>& out) const {
    const Record* any = nullptr;
    for (size_t r = 0; r < records_.size(); ++r)
      for (const Record* record : records_[r])
        if (record && !spec_.rows[r].from_baseline && !any) any = record;
    if (any) {
      const DeviceInfo& d = any->environment.device;
      add_line(out,
               "Ours: {}, driver {}; {} cache, {} launches; times in {}, medians where no other statistic is named.",
               or_else(d.name, "unknown device"), or_else(d.driver, "unknown"), to_text(any->protocol.cache),
               to_text(any->protocol.launch), spec_.unit);
    }
    if (!spec_.source.empty())
      add_line(out, "Published: {}{}{}.", spec_.device, spec_.device.empty() ? "" : "; ", spec_.source);
    if (names_.empty()) return;
    const Environment& e = baseline_.front().environment;
    add_line(out, "Baseline: {}, {}.", or_else(e.program_version, "of another file"),
             or_else(e.device.name, "unknown device"));
  }

  void add_notes(std::vector<std::string>& notes) const {
    struct Reason {
      std::string text, rows, problems;
    };
    std::vector<Reason> reasons;
    bool unmeasured_baseline = false, reported = false, compiled = false;
    for (size_t r = 0; r < records_.size(); ++r)
      for (const Record* record : records_[r]) {
        if (spec_.rows[r].from_baseline) unmeasured_baseline |= !record;
        if (!record || spec_.rows[r].from_baseline) continue;
        compiled |= record->resources.compile != Compile::not_asked;
        reported |= record->resources.registers.has_value();
        const std::string text = record->why().substr(0, record->why().find('\n'));
        if (!record->statistics && !text.empty())
          reasons.push_back({text, spec_.rows[r].name, to_text(record->problem)});
      }
    // A reason that several rows have on the same problems, then one that a row has on several, is printed once.
    for (const auto& [same, joined] :
         {std::pair(&Reason::problems, &Reason::rows), std::pair(&Reason::rows, &Reason::problems)}) {
      std::vector<Reason> merged;
      for (const Reason& x : reasons) {
        const auto at =
            std::ranges::find_if(merged, [&, s = same](const Reason& y) { return y.text == x.text && y.*s == x.*s; });
        if (at == merged.end())
          merged.push_back(x);
        else
          (*at).*joined += ", " + x.*joined;
      }
      reasons = std::move(merged);
    }
    for (const Reason& x : reasons) add_line(notes, "{} on {}: {}", x.rows, x.problems, x.text);
    const bool resources = std::ranges::any_of(
        spec_.columns, [](const TableColumn& c) { return c.value == "registers" || c.value == "spill"; });
    if (resources && compiled && !reported) notes.push_back("Registers and spills: not reported by this driver.");
    notes.insert(notes.end(), spec_.notes.begin(), spec_.notes.end());
    if (!names_.empty()) {
      notes.push_back("Speedups over a baseline are its median over ours: above 1.00x is faster than the baseline.");
      if (!spec_.baseline_note.empty()) notes.push_back(spec_.baseline_note);
    }
    if (unmeasured_baseline)
      notes.push_back(names_.empty() ? "Rows of a baseline get their numbers from a file: --baseline FILE."
                                     : "The baseline has no record of some rows and problems.");
  }

  const SystemTable& spec_;
  TableRecords records_;
  std::span<const Record> baseline_;
  std::vector<std::string> names_;  ///< of the baseline's records to compare with
  std::vector<ShownColumn> shown_;
  std::vector<Line> lines_;
};

}  // namespace

std::vector<Problem> problems_of(const SystemTable& table) {
  std::vector<Problem> out;
  for (const TableRow& row : table.rows)
    for (const Problem& p : row.problems)
      if (!contains(out, p)) out.push_back(p);
  return out;
}

TextTable system_table(const SystemTable& spec, const std::string& title, const TableRecords& records,
                       std::span<const Record> baseline, double Statistics::*rank) {
  TextTable table = Builder(spec, records, baseline).build(rank);
  table.title = title;
  return table;
}

}  // namespace attnscope
