#include "app/cli/bench_report.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/record/terminal.hpp"

namespace attnscope::cli {
namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// Features that every one of these variants asks for and the device does not have.
std::vector<std::string> lacking(const Opened& opened, const std::vector<std::string>& variants) {
  std::vector<std::string> common;
  bool first = true;
  for (const VariantInfo& v : opened.variants) {
    if (std::find(variants.begin(), variants.end(), v.name) == variants.end()) continue;
    std::vector<std::string> lacks;
    for (const std::string& feature : v.features)
      if (!opened.device.has(feature)) lacks.push_back(feature);
    if (first) common = lacks;
    std::erase_if(common,
                  [&](const std::string& f) { return std::find(lacks.begin(), lacks.end(), f) == lacks.end(); });
    first = false;
  }
  return common;
}

/// Variants that this device cannot run, and broken ones: one line each.
void add_missing(const Opened& opened, std::span<const Row> rows, std::vector<std::string>& notes) {
  std::vector<std::string> not_here, broken;
  for (const Row& row : rows) {
    if (!row.missing) continue;
    const auto info = std::find_if(opened.variants.begin(), opened.variants.end(),
                                   [&](const VariantInfo& v) { return v.name == row.record.variant; });
    add_once(info != opened.variants.end() && !info->error.empty() ? broken : not_here, row.record.variant);
  }
  if (!not_here.empty()) {
    const auto need = lacking(opened, not_here);
    notes.push_back(fmt::format("Not here: {} ({}`attnscope variants` says why).", fmt::join(not_here, ", "),
                                need.empty() ? "" : fmt::format("they need {}; ", fmt::join(need, ", "))));
  }
  if (!broken.empty())
    notes.push_back(fmt::format("Do not load: {} (`attnscope variants NAME` says why).", fmt::join(broken, ", ")));
}

/// What was not begun when the time was up: whole problems by name, others with their variants.
void add_left_out(std::span<const Row> rows, std::vector<std::string>& notes) {
  std::vector<std::string> problems, whole;  // in order
  std::map<std::string, std::vector<std::string>> variants;
  std::map<std::string, bool> begun;
  std::string why;
  size_t left_out = 0, wanted = 0;
  for (const Row& row : rows) {
    if (row.missing) continue;
    ++wanted;
    const std::string problem = to_text(row.record.problem);
    if (!row.left_out) {
      begun[problem] = true;
      continue;
    }
    ++left_out;
    why = row.record.message;
    add_once(problems, problem);
    add_once(variants[problem], row.record.variant);
  }
  if (left_out == 0) return;
  std::string note = fmt::format("{} of {} were left out. {}", left_out, wanted, why);
  for (const std::string& problem : problems) {
    if (begun[problem])
      note += fmt::format(" On {}: {}.", problem, fmt::join(variants[problem], ", "));
    else
      whole.push_back(problem);
  }
  if (!whole.empty()) note += fmt::format(" Everything on {}.", fmt::join(whole, ", "));
  notes.push_back(note);
}

}  // namespace

ReportOptions report_options(const Opened& opened, double Statistics::*rank) {
  ReportOptions options;
  options.rank = rank;
  for (const VariantInfo& v : opened.variants)
    for (const Parameter& p : v.parameters) options.defaults[v.name][p.name] = p.default_value;
  return options;
}

std::string bench_report(const Opened& opened, std::span<const Row> rows, const ReportOptions& options, size_t width) {
  std::vector<Record> tried;
  std::vector<std::string> problems;
  for (const Row& row : rows) {
    if (row.missing || row.left_out) continue;
    tried.push_back(row.record);
    add_once(problems, to_text(row.record.problem));
  }
  TextTable best = best_table(tried, options), all = short_table(tried, options);
  std::string title = opened.device.name;
  if (!tried.empty())
    title += fmt::format("; {} cache, {} launches", to_text(tried.front().protocol.cache),
                         to_text(tried.front().protocol.launch));
  std::vector<std::string> first;
  add_left_out(rows, first);
  add_missing(opened, rows, first);
  all.notes.insert(all.notes.begin(), first.begin(), first.end());
  // With one record a problem there is nothing to choose from.
  if (best.rows.empty() || tried.size() == problems.size()) {
    all.title = title;
    return render_terminal(all, width);
  }
  best.title = "Best of each problem on " + title;
  return render_terminal(best, width, true) + "\n" + render_terminal(all, width);
}

}  // namespace attnscope::cli
