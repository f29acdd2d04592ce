#include "engine/page/page.hpp"

#include "engine/record/flat.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/report.hpp"
#include "engine/record/results.hpp"

namespace attnscope {
namespace {

/// Of a column, whose name says it.
const char* unit_text(std::string_view column) {
  constexpr std::pair<std::string_view, const char*> kEnds[] = {
      {"_ns", "ns"},         {"_us", "µs"},         {"_ms", "ms"},         {"bytes", "B"},
      {"bytes_driver", "B"}, {"noise", "fraction"}, {"drift", "fraction"}, {"fraction", "fraction"},
      {"tflops", "TFLOP/s"}, {"flops", "FLOP"},     {"gbps", "GB/s"}};
  for (const auto& [end, unit] : kEnds)
    if (column.ends_with(end)) return unit;
  return "";
}

Json json_of(const Cell& cell) {
  const auto json = [](const auto& x) {
    if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::monostate>)
      return Json(nullptr);
    else
      return Json(x);
  };
  return std::visit(json, cell);
}

/// Texts that repeat are there once.
struct Words {
  Json words = Json::array(), values = Json::array();
  std::map<std::string, size_t> known;

  void add(const std::string& text) {
    const auto [at, is_new] = known.try_emplace(text, known.size());
    if (is_new) words.push_back(text);
    values.push_back(at->second);
  }
  Json json() const { return {{"words", words}, {"values", values}}; }
};

/// One column of all records, as small as it goes: one value for all, or words and their numbers, or values.
Json column(const std::string& name, const char* unit, const std::vector<Cell>& cells) {
  Json json{{"name", name}, {"unit", unit}};
  if (std::ranges::all_of(cells, [&](const Cell& c) { return c == cells.front(); })) {
    json["all"] = json_of(cells.front());
    return json;
  }
  if (std::ranges::all_of(cells, [](const Cell& c) { return std::holds_alternative<std::string>(c); })) {
    Words words;
    for (const Cell& c : cells) words.add(std::get<std::string>(c));
    json["words"] = std::move(words.words);
    json["values"] = std::move(words.values);
    return json;
  }
  json["values"] = Json::array();
  for (const Cell& c : cells) json["values"].push_back(json_of(c));
  return json;
}

Json columns_of(std::span<const Record> records) {
  struct Column {
    std::string name;
    const char* unit;
    std::vector<Cell> cells;
  };
  std::vector<Column> columns;
  const auto unit_of = []<class T>(const T*, const Hint& hint) {
    return std::is_same_v<T, bool> ? "truth" : unit_text(hint.column);
  };
  for_each_problem_column(Problem{}, [&]<class T>(const char* name, const T&) {
    columns.push_back({name, std::is_same_v<T, bool> ? "truth" : "", {}});
  });
  for_each_column<Record>(nullptr, [&](const auto* value, const Hint& hint) {
    columns.push_back({hint.column, unit_of(value, hint), {}});
  });
  for (const Record& record : records) {
    auto at = columns.begin();
    for_each_problem_column(record.problem,
                            [&](const char*, const auto& part) { (at++)->cells.push_back(cell_of(part)); });
    for_each_column(&record, [&]<class T>(const T* value, const Hint& hint) {
      bool there = value != nullptr;
      if constexpr (std::is_arithmetic_v<T>) there = there && !(hint.zero != Zero::counted && !(*value > T{}));
      (at++)->cells.push_back(there ? cell_of(*value) : Cell());
    });
  }
  return mapped(columns, [](const Column& c) { return column(c.name, c.unit, c.cells); });
}

/// Sentences to read with a record: what is wrong with it, what it says itself, advice where there is any.
Json notes_of(const Record& record) {
  Json notes = Json::array();
  if (record.wrong() && !record.verdict->reason.empty()) notes.push_back(record.verdict->reason);
  if (!record.message.empty()) notes.push_back(record.message);
  if (record.statistics && std::abs(record.statistics->drift) > kDriftWarning)
    notes.push_back("The samples drift: the last third differs from the first by more than 5 %.");
  for (const Advice& advice : record.advice) notes.push_back(advice.text);
  return notes;
}

/// Values that many records share; a record's own are columns.
Json environment_json(const Environment& environment) {
  Json json = encode(environment);
  for (const char* own : {"time_utc", "shader_hash"}) json.erase(own);
  return json;
}

/// Five significant digits: for drawing.
Json drawn(std::span<const double> samples) {
  Json json = Json::array();
  for (const double s : samples) {
    if (!std::isfinite(s)) continue;
    const std::string text = fmt::format("{:.5g}", s);
    double round = 0;
    std::from_chars(text.data(), text.data() + text.size(), round);
    // Whole numbers are shorter.
    if (std::abs(round) < 9e15 && round == std::floor(round))
      json.push_back(int64_t(round));
    else
      json.push_back(round);
  }
  return json;
}

/// Points of samples that the whole page may hold, and of a record: they are thinned out, the least and largest kept.
constexpr size_t kMostPoints = 150'000, kPointsARecord = 240;

Json data_of(std::span<const Record> records) {
  Json json;
  json["count"] = records.size();
  json["columns"] = records.empty() ? Json::array() : columns_of(records);
  Words environments, commands;
  json["notes"] = Json::array();
  json["samples"] = Json::array();
  json["environments"] = Json::array();
  const size_t most = std::min(kPointsARecord, kMostPoints / std::max<size_t>(1, records.size()));
  for (const Record& record : records) {
    Json environment = environment_json(record.environment);
    environments.add(dump_line(environment));
    if (environments.words.size() > json["environments"].size()) json["environments"].push_back(std::move(environment));
    commands.add(command_of(record));
    json["notes"].push_back(notes_of(record));
    json["samples"].push_back(drawn(thinned(record.samples_ns, most)));
  }
  json["environment"] = environments.values;
  json["commands"] = commands.json();
  return json;
}

/// JSON within a script element: nothing in it can end the element or begin a comment.
std::string within_script(const Json& json) {
  std::string out;
  for (const char c : dump_line(json)) {
    if (c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", unsigned(c));
    else
      out += c;
  }
  return out;
}

std::string html_table(const TextTable& table) {
  std::string out = "<table><thead><tr>";
  for (const auto& column : table.columns) out += fmt::format("<th>{}</th>", xml_escaped(column.title));
  out += "</tr></thead><tbody>";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (size_t c = 0; c < row.size(); ++c)
      out += fmt::format("<td{}>{}</td>", table.columns[c].right ? " class=\"n\"" : "", xml_escaped(row[c]));
    out += "</tr>\n";
  }
  return out + "</tbody></table>";
}

/// "65 records of 24 problems and 8 variants on NVIDIA H200, 2026-11-21"
std::string lead(std::span<const Record> records) {
  std::map<std::string, int> problems, variants, devices;
  std::string from, to;
  for (const Record& r : records) {
    ++problems[to_text(r.problem)];
    ++variants[r.variant];
    if (!r.environment.device.name.empty()) ++devices[r.environment.device.name];
    const std::string day = r.environment.time_utc.substr(0, 10);
    if (day.empty()) continue;
    if (from.empty() || day < from) from = day;
    if (to.empty() || day > to) to = day;
  }
  const auto count = [](size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  std::string text = fmt::format("{} of {} and {}", count(records.size(), "record"), count(problems.size(), "problem"),
                                 count(variants.size(), "variant"));
  if (devices.size() == 1) text += " on " + devices.begin()->first;
  if (devices.size() > 1) text += " on " + count(devices.size(), "device");
  if (!from.empty()) text += ", " + from + (from == to ? "" : " to " + to);
  return text;
}

}  // namespace

std::vector<double> thinned(std::span<const double> samples, size_t most) {
  if (samples.size() <= most) return {samples.begin(), samples.end()};
  std::vector<double> out;
  const size_t blocks = most / 2;
  for (size_t i = 0; i < blocks; ++i) {
    const auto block =
        samples.subspan(i * samples.size() / blocks, (i + 1) * samples.size() / blocks - i * samples.size() / blocks);
    const auto [low, high] = std::ranges::minmax_element(block);
    out.push_back(low < high ? *low : *high);
    out.push_back(low < high ? *high : *low);
  }
  return out;
}

Result<PageAssets> read_page_assets(const std::filesystem::path& folder) {
  PageAssets assets;
  assets.style = TRY(read_text(folder / "page.css"));
  for (const char* part : {"data.js", "draw.js", "tables.js", "views.js", "page.js"}) {
    const auto text = TRY(read_text(folder / part));
    assets.script += text;
  }
  return assets;
}

std::string make_page(std::span<const Record> records, const PageAssets& assets, std::string_view heading) {
  const std::string title = xml_escaped(heading.empty() ? "attnscope report" : heading),
                    what = xml_escaped(lead(records));
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      // The page may load nothing, whatever is in it.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n";
  page += fmt::format("<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n", title, assets.style);
  page += fmt::format("<header class=\"top\"><div class=\"wrap\"><h1>{}</h1><p class=\"lead\">{}</p></div></header>\n",
                      title, what);
  page += "<nav id=\"nav\"></nav>\n<main class=\"wrap\" id=\"main\"></main>\n";
  page += "<noscript><div class=\"wrap\"><p>Without scripts there is the best of each problem alone.</p>" +
          html_table(best_table(records, {})) + "</div></noscript>\n";
  page += fmt::format("<footer class=\"wrap\">Made by attnscope {}. Times are GPU time of one execution.</footer>\n",
                      xml_escaped(ATTNSCOPE_VERSION));
  page += "<script type=\"application/json\" id=\"data\">" + within_script(data_of(records)) + "</script>\n";
  page += "<script>\n'use strict';\n(() => {\n" + assets.script + "})();\n</script>\n</body>\n</html>\n";
  return page;
}

std::string command_of(const Record& r) {
  // Versions of attnscope are numbers; what another program calls itself begins with its name.
  const std::string& version = r.environment.program_version;
  if (version.empty() || version.front() < '0' || version.front() > '9') return "";
  const bool timed = r.outcome == Outcome::measured || r.statistics;
  std::string text = timed ? "attnscope bench" : "attnscope verify";
  const auto add = [&](const char* option, const std::string& value) {
    text += fmt::format(" {} {}", option, shell_quoted(value));
  };
  if (!r.environment.device.name.empty()) add("--device", r.environment.device.name);
  add("--variant", r.variant);
  if (!r.config.empty()) add("--config", to_text(r.config));
  add("--problem", to_text(r.problem));
  if (r.seed != 1) add("--seed", fmt::format("{}", r.seed));
  if (!timed) return text;
  const Protocol usual;
  const Protocol& p = r.protocol;
  if (p.cache == CacheMode::cold) text += " --cold";
  if (p.launch != usual.launch) add("--launch", std::string(to_text(p.launch)));
  const auto number = [&](const char* option, auto Protocol::*member) {
    if (p.*member != usual.*member) add(option, fmt::format("{}", p.*member));
  };
  number("--warmup-ms", &Protocol::warmup_ms);
  number("--min-ms", &Protocol::min_ms);
  number("--max-ms", &Protocol::max_ms);
  number("--min-samples", &Protocol::min_samples);
  number("--max-samples", &Protocol::max_samples);
  number("--min-sample-us", &Protocol::min_sample_us);
  number("--noise", &Protocol::target_noise);
  return text;
}

}  // namespace attnscope
