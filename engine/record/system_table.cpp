#include "engine/record/system_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/measure/geometric_mean.hpp"
#include "engine/record/table_values.hpp"
#include "engine/record/units.hpp"
#include "engine/variant/expression.hpp"

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
  switch (r->outcome) {
    case Outcome::measured:
    case Outcome::verified: return {std::nullopt, "no samples"};
    case Outcome::failed_verdict: return {std::nullopt, "FAIL"};
    default: return {std::nullopt, std::string(to_text(r->outcome))};
  }
}

/// Why rows have no time on problems.
struct Reason {
  std::string text, rows, problems;
};
/// What has the same text and the same `same` is said once, with every `other`.
void merge(std::vector<Reason>& reasons, std::string Reason::*same, std::string Reason::*other) {
  std::vector<Reason> merged;
  for (const Reason& x : reasons) {
    const auto at = std::find_if(merged.begin(), merged.end(),
                                 [&](const Reason& y) { return y.text == x.text && y.*same == x.*same; });
    if (at == merged.end())
      merged.push_back(x);
    else
      (*at).*other += ", " + x.*other;
  }
  reasons = std::move(merged);
}

struct Line {
  size_t row = 0;
  std::optional<size_t> problem;  ///< of the row; absent = the line is for all of them
};

class Builder {
 public:
  Builder(const SystemTable& spec, const TableRecords& records, std::span<const Record> baseline)
      : spec_(spec), records_(records), baseline_(baseline), unit_ns_(time_unit_ns(spec.unit).value_or(1e6)) {
    records_.resize(spec.rows.size());
    for (size_t r = 0; r < spec.rows.size(); ++r) {
      records_[r].resize(spec.rows[r].problems.size());
      if (spec.rows[r].from_baseline)
        for (size_t p = 0; p < records_[r].size(); ++p)
          records_[r][p] = find_baseline(spec.rows[r].problems[p], [&](const Record& b) {
            return b.variant == spec.rows[r].variant &&
                   (spec.rows[r].config.empty() || b.config_name == spec.rows[r].config);
          });
    }
    for (const Record& b : baseline) {
      const bool wanted = spec.baselines.empty() ||
                          std::find(spec.baselines.begin(), spec.baselines.end(), b.variant) != spec.baselines.end();
      if (wanted && std::find(names_.begin(), names_.end(), short_name(b)) == names_.end() && shared(b.problem))
        names_.push_back(short_name(b));
    }
  }

  TextTable build(double Statistics::*rank) const {
    TextTable table;
    table.keys = 0;
    for (const TableColumn& c : spec_.columns) {
      const bool key = c.value == "name" || c.value == "problem" || c.value == "whose";
      const bool words = key || c.value == "verdict" || c.value == "variant" || c.value == "config";
      if (key && table.keys == table.columns.size()) ++table.keys;
      if (c.value != "baseline")
        table.columns.push_back({c.title, !words && !(c.value == "published" && wordy(c.key))});
      else
        for (const std::string& name : names_) table.columns.push_back({c.title + " " + name, true});
    }
    table.keys = std::max<size_t>(table.keys, 1);
    const auto all = lines();
    const auto best = spec_.mark_best ? best_lines(all, rank) : std::vector<bool>(all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      std::vector<std::string> cells;
      for (const TableColumn& c : spec_.columns) {
        if (c.value != "baseline")
          cells.push_back(cell(all[i], c, best[i]));
        else
          for (const std::string& name : names_) cells.push_back(ratio_text(over_baseline(all[i], c, name)));
      }
      table.rows.push_back(std::move(cells));
    }
    for (const TableMean& m : spec_.means) add_mean(m, all, table);
    table.heading = heading();
    add_notes(table.notes);
    return table;
  }

 private:
  template <class Match>
  const Record* find_baseline(const Problem& problem, const Match& match) const {
    const auto at = std::find_if(baseline_.begin(), baseline_.end(),
                                 [&](const Record& b) { return b.statistics && b.problem == problem && match(b); });
    return at == baseline_.end() ? nullptr : &*at;
  }
  bool shared(const Problem& problem) const {
    return std::any_of(spec_.rows.begin(), spec_.rows.end(), [&](const TableRow& row) {
      return std::find(row.problems.begin(), row.problems.end(), problem) != row.problems.end();
    });
  }
  /// Whether a published column holds prose rather than figures.
  bool wordy(const std::string& key) const {
    for (const TableRow& row : spec_.rows)
      if (const auto it = row.published.find(key); it != row.published.end())
        for (const std::string& text : it->second)
          if (std::count(text.begin(), text.end(), ' ') > 2) return true;
    return false;
  }

  std::vector<Line> lines() const {
    std::vector<Line> out;
    if (!spec_.line_per_problem) {
      for (size_t r = 0; r < spec_.rows.size(); ++r)
        if (spec_.rows[r].shown)
          out.push_back({r, spec_.rows[r].problems.size() == 1 ? std::optional<size_t>(0) : std::nullopt});
      return out;
    }
    // Problems outermost, so that what is compared stands together.
    std::vector<Problem> problems;
    for (const TableRow& row : spec_.rows)
      for (const Problem& p : row.problems)
        if (std::find(problems.begin(), problems.end(), p) == problems.end()) problems.push_back(p);
    for (const Problem& problem : problems)
      if (was_run(problem))
        for (size_t r = 0; r < spec_.rows.size(); ++r)
          if (const auto p = index_of(spec_.rows[r], problem); p && spec_.rows[r].shown) out.push_back({r, *p});
    return out;
  }
  bool was_run(const Problem& problem) const {
    for (size_t r = 0; r < spec_.rows.size(); ++r)
      if (const auto p = index_of(spec_.rows[r], problem); p && !spec_.rows[r].from_baseline && records_[r][*p])
        return true;
    return false;
  }
  static std::optional<size_t> index_of(const TableRow& row, const Problem& problem) {
    const auto at = std::find(row.problems.begin(), row.problems.end(), problem);
    return at == row.problems.end() ? std::nullopt : std::optional<size_t>(size_t(at - row.problems.begin()));
  }
  /// The problems of `line` that a column speaks of.
  std::vector<size_t> chosen(const Line& line, const TableColumn& c) const {
    const TableRow& row = spec_.rows[line.row];
    std::vector<size_t> out;
    if (c.on_all)
      for (size_t p = 0; p < row.problems.size(); ++p) out.push_back(p);
    else if (const auto at = c.on ? index_of(row, *c.on) : line.problem)
      out.push_back(*at);
    return out;
  }
  template <class RecordOf>
  static Amount mean(const std::vector<size_t>& problems, double Statistics::*member, const RecordOf& record_of) {
    if (problems.empty()) return {};
    double sum = 0;
    for (const size_t p : problems) {
      const Amount one = amount_of(record_of(p), member);
      if (!one.ns) return one;
      sum += *one.ns;
    }
    return {sum / double(problems.size()), ""};
  }
  Amount ours(const Line& line, const TableColumn& c, double Statistics::*member) const {
    return mean(chosen(line, c), member, [&](size_t p) { return records_[line.row][p]; });
  }

  std::string cell(const Line& line, const TableColumn& c, bool best) const {
    const TableRow& row = spec_.rows[line.row];
    if (c.value == "name") return row.name + (best ? " (best)" : "");
    const auto problems = chosen(line, c);
    if (c.value == "published") {
      const auto it = row.published.find(c.key);
      if (it == row.published.end()) return "";
      if (it->second.size() == 1) return it->second[0];
      return problems.size() == 1 ? it->second[problems[0]] : "";
    }
    if (c.value == "problem") return problems.size() == 1 ? to_text(row.problems[problems[0]]) : "";
    if (c.value == "whose") {
      const auto it = problems.size() == 1 ? spec_.whose.find(to_text(row.problems[problems[0]])) : spec_.whose.end();
      return it == spec_.whose.end() ? "" : it->second;
    }
    if (c.value == "time") {
      const Amount amount = of_row(c.key, line, c);
      return amount.ns ? four_digits(*amount.ns / unit_ns_) : amount.word;
    }
    if (const auto member = statistic(c.value)) {
      const Amount amount = ours(line, c, member);
      return amount.ns ? four_digits(*amount.ns / unit_ns_) : amount.word;
    }
    if (c.value == "speedup") return ratio_text(speedup(line, c));
    const Record* record = problems.size() == 1 ? records_[line.row][problems[0]] : nullptr;
    // A baseline's record says nothing of what its kernel moves or holds.
    if (!record || row.from_baseline) return "";
    if (c.value == "variant") return record->variant;
    if (c.value == "config") return record->config_name.empty() ? to_text(record->config) : record->config_name;
    if (c.value == "parameter") {
      const auto it = record->config.find(c.key);
      return it == record->config.end() ? "" : fmt::format("{}", it->second);
    }
    return value_text(c.value, *record);
  }

  static std::string ratio_text(const std::optional<double>& ratio) {
    return ratio ? fmt::format("{:.2f}x", *ratio) : "";
  }
  /// The median of another row on the problems of this line.
  Amount of_row(const std::string& name, const Line& line, const TableColumn& c) const {
    const auto other =
        std::find_if(spec_.rows.begin(), spec_.rows.end(), [&](const auto& r) { return r.name == name; });
    if (other == spec_.rows.end()) return {};
    const size_t o = size_t(other - spec_.rows.begin());
    return mean(chosen(line, c), &Statistics::median, [&](size_t p) -> const Record* {
      const auto at = index_of(*other, spec_.rows[line.row].problems[p]);
      return at ? records_[o][*at] : nullptr;
    });
  }
  std::optional<double> speedup(const Line& line, const TableColumn& c) const {
    const Amount mine = ours(line, c, &Statistics::median);
    const Amount base = of_row(c.key, line, c);
    return mine.ns && base.ns ? std::optional(*base.ns / *mine.ns) : std::nullopt;
  }
  /// Two lines: the geometric mean of each column of ratios over the lines that take part, and the least.
  void add_mean(const TableMean& m, const std::vector<Line>& all, TextTable& table) const {
    std::vector<std::string> means, leasts;
    std::optional<size_t> words;  // where the first column of words is
    bool any = false;
    const auto add = [&](const auto& ratio_of) {
      std::vector<double> ratios;
      for (const Line& line : all)
        if (takes_part(m, line))
          if (const std::optional<double> ratio = ratio_of(line); ratio && *ratio > 0) ratios.push_back(*ratio);
      any |= !ratios.empty();
      means.push_back(ratio_text(geometric_mean(ratios)));
      leasts.push_back(ratios.empty() ? "" : ratio_text(*std::min_element(ratios.begin(), ratios.end())));
    };
    for (const TableColumn& c : spec_.columns) {
      if (c.value == "baseline") {
        for (const std::string& name : names_) add([&](const Line& line) { return over_baseline(line, c, name); });
      } else if (c.value == "speedup") {
        add([&](const Line& line) { return speedup(line, c); });
      } else {
        if (!words) words = means.size();
        means.emplace_back();
        leasts.emplace_back();
      }
    }
    if (!any || !words) return;
    means[*words] = m.title;
    leasts[*words] = "… the least";
    table.rows.push_back(std::move(means));
    table.rows.push_back(std::move(leasts));
  }
  bool takes_part(const TableMean& m, const Line& line) const {
    if (m.where.empty()) return true;
    if (!line.problem) return false;
    const auto value = evaluate(m.where, problem_names(spec_.rows[line.row].problems[*line.problem], {}));
    return value && *value != 0;
  }
  std::optional<double> over_baseline(const Line& line, const TableColumn& c, const std::string& name) const {
    const Amount mine = ours(line, c, &Statistics::median);
    const Amount base = mean(chosen(line, c), &Statistics::median, [&](size_t p) {
      return find_baseline(spec_.rows[line.row].problems[p], [&](const Record& b) { return short_name(b) == name; });
    });
    return mine.ns && base.ns ? std::optional(*base.ns / *mine.ns) : std::nullopt;
  }

  /// The fastest of our own lines, among those on the same problems.
  std::vector<bool> best_lines(const std::vector<Line>& all, double Statistics::*rank) const {
    const auto problems = [&](const Line& line) {
      const TableRow& row = spec_.rows[line.row];
      return line.problem ? std::vector<Problem>{row.problems[*line.problem]} : row.problems;
    };
    TableColumn whole;
    std::vector<std::optional<double>> scores;
    for (const Line& line : all) {
      whole.on_all = !line.problem;
      scores.push_back(spec_.rows[line.row].from_baseline ? std::nullopt : ours(line, whole, rank).ns);
    }
    std::vector<bool> best(all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      best[i] = scores[i].has_value();
      for (size_t k = 0; k < all.size() && best[i]; ++k)
        if (scores[k] && problems(all[k]) == problems(all[i]) && *scores[k] < *scores[i]) best[i] = false;
    }
    return best;
  }

  std::vector<std::string> heading() const {
    std::vector<std::string> out;
    const Record* any = nullptr;
    for (size_t r = 0; r < records_.size(); ++r)
      for (const Record* record : records_[r])
        if (record && !spec_.rows[r].from_baseline && !any) any = record;
    if (any) {
      const DeviceInfo& d = any->environment.device;
      out.push_back(
          fmt::format("Ours: {}, driver {}; {} cache, {} launches; times in {}, medians where no other "
                      "statistic is named.",
                      d.name.empty() ? "unknown device" : d.name, d.driver.empty() ? "unknown" : d.driver,
                      to_text(any->protocol.cache), to_text(any->protocol.launch), spec_.unit));
    }
    if (!spec_.source.empty())
      out.push_back(fmt::format("Published: {}{}{}.", spec_.device, spec_.device.empty() ? "" : "; ", spec_.source));
    if (!names_.empty()) {
      const Environment& e = baseline_.front().environment;
      out.push_back(fmt::format("Baseline: {}, {}.", e.program_version.empty() ? "of another file" : e.program_version,
                                e.device.name.empty() ? "unknown device" : e.device.name));
    }
    return out;
  }

  void add_notes(std::vector<std::string>& notes) const {
    std::vector<Reason> reasons;
    bool unmeasured_baseline = false, reported = false, compiled = false;
    for (size_t r = 0; r < records_.size(); ++r)
      for (size_t p = 0; p < records_[r].size(); ++p) {
        const Record* record = records_[r][p];
        if (spec_.rows[r].from_baseline) unmeasured_baseline |= !record;
        if (!record || spec_.rows[r].from_baseline) continue;
        compiled |= record->resources.compile != Compile::not_asked;
        reported |= record->resources.registers.has_value();
        if (record->statistics) continue;
        std::string text = record->verdict && !record->verdict->pass ? record->verdict->reason : record->message;
        text = text.substr(0, text.find('\n'));
        if (text.empty()) continue;
        reasons.push_back({text, spec_.rows[r].name, to_text(record->problem)});
      }
    merge(reasons, &Reason::problems, &Reason::rows);
    merge(reasons, &Reason::rows, &Reason::problems);
    for (const Reason& x : reasons) notes.push_back(fmt::format("{} on {}: {}", x.rows, x.problems, x.text));
    const bool resources = std::any_of(spec_.columns.begin(), spec_.columns.end(), [](const TableColumn& c) {
      return c.value == "registers" || c.value == "spill";
    });
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
  double unit_ns_;
  std::vector<std::string> names_;  ///< of the baseline's records to compare with
};

}  // namespace

std::string short_name(const Record& r) {
  if (!r.config_name.empty()) return r.variant + " " + r.config_name;
  return r.config.empty() ? r.variant : r.variant + " " + to_text(r.config);
}

TextTable system_table(const SystemTable& spec, const std::string& title, const TableRecords& records,
                       std::span<const Record> baseline, double Statistics::*rank) {
  TextTable table = Builder(spec, records, baseline).build(rank);
  table.title = title;
  return table;
}

}  // namespace attnscope
