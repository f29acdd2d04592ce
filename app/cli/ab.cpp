#include "app/cli/bench_report.hpp"

#include "engine/record/json_fields.hpp"

namespace attnscope::cli {
namespace {

using search::kOfB;

/// What the git checkout that contains a folder is at; "" = there is none.
struct Checkout {
  std::string branch, commit;  ///< of the commit 12 digits
};
Checkout checkout_of(const std::filesystem::path& folder) {
  std::error_code none;
  const auto line = [](const std::filesystem::path& file) {
    const Result<std::string> text = read_text(file);
    return text ? text->substr(0, text->find('\n')) : std::string();
  };
  std::filesystem::path at = std::filesystem::canonical(folder, none);
  while (!none && !std::filesystem::exists(at / ".git", none) && at.has_relative_path()) at = at.parent_path();
  std::filesystem::path git = at / ".git";
  // In a linked work tree .git is a file.
  if (std::filesystem::is_regular_file(git, none))
    if (const std::string link = line(git); link.starts_with("gitdir: ")) git = at / link.substr(8);
  std::string head = line(git / "HEAD"), branch;
  if (head.starts_with("ref: ")) {
    const std::string ref = head.substr(5), heads = "refs/heads/";
    if (ref.starts_with(heads)) branch = ref.substr(heads.size());
    const std::string common = line(git / "commondir");
    const std::filesystem::path shared = common.empty() ? git : git / common;
    head = line(shared / ref);
    if (head.empty())
      if (const Result<std::string> packed = read_text(shared / "packed-refs"))
        if (const size_t found = packed->find(" " + ref + "\n"); found != std::string::npos && found >= 40)
          head = packed->substr(found - 40, 40);
  }
  return {branch, head.size() >= 40 ? head.substr(0, 12) : std::string()};
}

struct Side {
  std::string variant, config;
};
struct Pair {
  Side a, b;
};

/// VARIANT, VARIANT:CONFIG, or a config of the one --variant; without a variant default and tuned of what auto takes.
Result<Side> side_named(const DeviceSession& opened, const std::string& text, const WorkOptions& work) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (find_variant(opened.variants, name) != nullptr)
    return Side{name, colon == std::string::npos ? "default" : text.substr(colon + 1)};
  if (work.variants.size() == 1 && work.variants.front() != "all" && colon == std::string::npos)
    return Side{work.variants.front(), text};
  if (const bool any = work.variants.empty() || work.variants.front() == kAutoVariant;
      any && (asks_for_default(text) || text == kTuned))
    return Side{std::string(kAutoVariant), text};
  return bad_input(
      "--ab {}: it is neither VARIANT nor VARIANT:CONFIG, and a CONFIG alone needs one --variant; variants are: {}",
      text, names_of(opened.variants));
}

/// The variants of a folder of --ab-shaders; or those that take something from a folder of --ab-sources.
Result<std::vector<VariantSource>> sources_in(const AbOptions& o, size_t side, const CommonOptions& common) {
  const std::string& folder = o.folders()[side];
  CommonOptions places = common;
  if (o.sources.empty())
    places.shaders.clear();
  else
    places.sources.insert(places.sources.begin(), folder);
  std::vector<std::filesystem::path> dirs = TRY(shader_dirs(places));
  const std::vector<std::filesystem::path> outside = TRY(source_dirs(places));
  std::vector<VariantSource> own;
  if (o.sources.empty()) {
    own = TRY(about(o.option(), folder, read_variant_sources({folder})));
    dirs.emplace_back(folder);
  }
  auto all = TRY(about(o.option(), folder, read_variant_sources(dirs, outside)));
  std::erase_if(all, [&](const VariantSource& s) {
    return o.sources.empty() ? find_by(own, s.name, &VariantSource::name) == nullptr : s.outside.empty();
  });
  if (all.empty())
    return bad_input("{} {}: {}", o.option(), folder,
                     o.sources.empty() ? "there is no variant in it (a folder with a manifest.toml)"
                                       : "no variant takes a shader from it; --shaders has the manifests");
  for (VariantSource& s : all) s.shadows.clear();
  return all;
}

/// The variants in both folders that were named, else those that differ; B's under names of their own.
Result<std::vector<VariantSource>> ab_sources(const AbOptions& o, const CommonOptions& common, const WorkOptions& work,
                                              std::vector<std::string>& variants) {
  auto a = TRY(sources_in(o, 0, common));
  auto b = TRY(sources_in(o, 1, common));
  const auto in = [](std::vector<VariantSource>& sources, const std::string& name) {
    return find_by(sources, name, &VariantSource::name);
  };
  const bool named = !work.variants.empty() && work.variants.front() != "all";
  std::vector<VariantSource> sources;
  const auto add = [&](const std::string& name) {
    sources.push_back(*in(a, name));
    sources.push_back(search::renamed(*in(b, name), name + std::string(kOfB)));
    variants.push_back(name);
  };
  if (named) {
    for (const std::string& name : work.variants) {
      for (const size_t i : {0, 1})
        if (in(i == 0 ? a : b, name) == nullptr)
          return bad_input("--variant {}: {} {} has no such variant", name, o.option(), o.folders()[i]);
      add(name);
    }
    return sources;
  }
  for (const VariantSource& s : a)
    if (const VariantSource* other = in(b, s.name);
        other != nullptr && (other->files != s.files || other->common != s.common || other->outside != s.outside))
      add(s.name);
  if (sources.empty())
    return bad_input("{} {} {}: no variant is in both and differs", o.option(), o.folders()[0], o.folders()[1]);
  return sources;
}

/// Of variants that nobody named, what is the same on both sides whatever the folders' texts is left out.
Result<void> leave_out_equals(const DeviceSession& opened, const AbOptions& o, const WorkOptions& work,
                              std::vector<std::string>& variants) {
  std::vector<std::string> equal;
  std::erase_if(variants, [&](const std::string& name) {
    const VariantInfo *a = find_variant(opened.variants, name),
                      *b = find_variant(opened.variants, name + std::string(kOfB));
    const bool same = a != nullptr && b != nullptr && !a->hash.empty() && a->hash == b->hash;
    if (same) equal.push_back(name);
    return same;
  });
  const bool named = !work.variants.empty() && work.variants.front() != "all";
  if (equal.empty() || (!named && !variants.empty())) return {};
  return bad_input(
      "{} {} {}: {} is the same in both, with all that it takes from --sources, so there is nothing to compare",
      o.option(), o.folders()[0], o.folders()[1], joined(equal));
}

Result<std::vector<Pair>> pairs_of(const DeviceSession& opened, const AbOptions& o, const WorkOptions& work,
                                   const std::vector<std::string>& variants) {
  std::vector<Pair> pairs;
  if (!o.sides.empty()) {
    auto a = TRY(side_named(opened, o.sides[0], work));
    auto b = TRY(side_named(opened, o.sides[1], work));
    pairs.push_back({std::move(a), std::move(b)});
  }
  const std::vector<std::string> configs = work.configs.empty() ? std::vector<std::string>{"default"} : work.configs;
  for (const std::string& name : variants)
    for (const std::string& config : configs) pairs.push_back({{name, config}, {name + std::string(kOfB), config}});
  for (const Pair& pair : pairs)
    for (const Side* side : {&pair.a, &pair.b}) {
      if (side->config == "all")
        return bad_input("--ab compares two configs; all of them are what bench --config all measures");
      if (side->variant != kAutoVariant) TRY(usable_variant(opened, side->variant));
    }
  return pairs;
}

/// The config of a side on a problem, and of what auto takes the variant.
Result<RaceEntry> entry_of(const DeviceSession& device, const Side& side, const RaceRequest& asked) {
  Session& session = *device.session;
  const Problem& problem = asked.problem;
  if (side.variant == kAutoVariant) {
    const AutoChoice choice =
        TRY(side.config == kTuned ? choose_auto(session, device.device, device.variants, tuned_tables(), problem,
                                                asked.protocol.cache, asked.protocol.launch)
                                  : choose_untuned(session, device.device, tuned_tables().models, problem));
    return RaceEntry{choice.variant, choice.config};
  }
  if (side.config == kTuned) {
    const VariantInfo& info = *find_variant(device.variants, side.variant);
    const auto [config, note] = tuned_config(session, device.device, info, problem, asked.protocol);
    if (!config) return bad_input(note);
    return RaceEntry{side.variant, *config};
  }
  const ConfigChoice choice =
      TRY(about("--ab", side.config, session.choose_config(problem, side.variant, side.config)));
  return RaceEntry{side.variant, choice.config};
}

/// What is refused or wrong is an outcome of its record.
Result<RaceResult> measure(const DeviceSession& device, const Pair& pair, const RaceRequest& asked,
                           ProgressLine& progress) {
  RaceRequest request = asked;
  for (const Side* side : {&pair.a, &pair.b}) request.entries.push_back(TRY(entry_of(device, *side, asked)));
  return device.session->race(request, stages_on(progress), interrupted());
}

/// What tells the folders apart: the branches or commits that they are at, else their own names.
PairNames names_of(const AbOptions& o) {
  if (o.folders().empty()) return {};
  for (const bool by_checkout : {true, false}) {
    const auto name = [&](const std::string& folder) {
      const auto [branch, commit] = by_checkout ? checkout_of(folder) : Checkout();
      if (!branch.empty() || !commit.empty()) return branch.empty() ? commit : branch;
      const std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
      return (path.has_filename() ? path : path.parent_path()).filename().string();
    };
    const std::string a = name(o.folders()[0]), b = name(o.folders()[1]);
    if (!a.empty() && !b.empty() && a != b) return {a, b};
  }
  return {};
}

/// Where all rows agree in a column, a line of the heading has it.
void say_once(TextTable& table, const std::vector<std::string>& titles) {
  for (const std::string& title : titles) {
    const auto column = std::ranges::find(table.columns, title, &TextTable::Column::title);
    const size_t at = size_t(column - table.columns.begin());
    if (column == table.columns.end() || table.rows.empty() ||
        std::ranges::any_of(table.rows, [&](const auto& r) { return r[at] != table.rows[0][at]; }))
      continue;
    add_line(table.heading, "{}: {}.", title, table.rows[0][at]);
    table.columns.erase(column);
    for (auto& row : table.rows) row.erase(row.begin() + ptrdiff_t(at));
  }
}

/// "96 → 104"
std::string change_of(const RecordColumn& column, const Record& a, const Record& b) {
  const std::string before = column_text(column, a, {}), after = column_text(column, b, {});
  return before == after ? before : fmt::format("{} → {}", before, after);
}

using RecordPairs = std::vector<std::pair<const Record*, const Record*>>;
/// Registers and spills of both sides, where the driver reports them.
void add_resources(const RecordPairs& pairs, TextTable& table) {
  for (const char* name : {"registers", "spill"}) {
    const RecordColumn* column = find_column(name, RecordColumn::Use::value);
    const auto cells = mapped(pairs, [&](const auto& of) { return change_of(*column, *of.first, *of.second); });
    if (std::ranges::all_of(cells, [](const std::string& cell) { return cell.empty(); })) continue;
    table.columns.push_back({name, true, 2});
    for (size_t i = 0; i < cells.size(); ++i) table.rows[i].push_back(cells[i]);
  }
}

/// Both sides as the drivers of GPUs that are not here compile them.
Result<TextTable> compiled_elsewhere(const AbOptions& o, const CommonOptions& common,
                                     const std::vector<VariantSource>& sources, const std::vector<Problem>& problems,
                                     const std::vector<Pair>& pairs) {
  TextTable table;
  table.title = "Registers and spills, compiled for GPUs that are not here";
  table.columns = {{"GPU"}, {"variant"}, {"problem"}, {"registers", true}, {"spill", true}};
  const GpuCatalogue catalogue = TRY(gpu_catalogue());
  for (const CatalogueGpu* gpu : TRY(about("--gpu", o.gpus, find_gpus(catalogue, o.gpus)))) {
    CommonOptions one = common;
    one.device = std::string(kGpuPrefix) + gpu->name;
    const std::vector<DeviceSession> devices = TRY(open_devices(one));
    Session& session = *devices.front().session;
    TRY(session.load_variants(sources));
    for (const Problem& problem : problems)
      for (const Pair& pair : pairs) {
        std::vector<Record> records;
        for (const Side* side : {&pair.a, &pair.b}) {
          const auto config = session.choose_config(problem, side->variant, side->config);
          if (!config || interrupted()) break;
          records.push_back(TRY(session.run({.problem = problem,
                                             .variant = side->variant,
                                             .config = config->config,
                                             .verify = false,
                                             .measure = false},
                                            {}, interrupted())));
        }
        if (records.size() != 2) continue;  // what it refuses has no registers
        std::vector<std::string> row{gpu->name, pair.a.variant, to_text(problem)};
        for (const char* name : {"registers", "spill"})
          row.push_back(change_of(*find_column(name, RecordColumn::Use::value), records[0], records[1]));
        table.rows.push_back(std::move(row));
      }
  }
  return table;
}

/// What a person who reads the page alone asks: on what, when and how this was measured, of what, and what came out.
std::vector<std::string> heading_of(const AbOptions& o, const std::vector<DeviceSession>& opened,
                                    const Results& results) {
  std::vector<std::string> lines;
  const Record& first = results.records.front();
  for (const DeviceSession& device : opened)
    add_line(lines, "{}, driver {}; {} cache, {} launches; attnscope {}, {}.", device.device.name, device.device.driver,
             to_text(first.protocol.cache), to_text(first.protocol.launch), ATTNSCOPE_VERSION,
             first.environment.time_utc.substr(0, 10));
  const PairNames names = names_of(o);
  const auto& given = o.folders().empty() ? o.sides : o.folders();
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string commit = o.folders().empty() ? "" : checkout_of(given[i]).commit;
    add_line(lines, "{}: {}{}.", i == 0 ? names.a : names.b, given[i], commit.empty() ? "" : ", commit " + commit);
  }
  add_line(lines, "Command: `{}`", typed_command());
  std::vector<double> ratios;
  for (const RowComparison& row : results.comparisons)
    if (!ratio_text(row).empty()) ratios.push_back(row.comparison.ratio);
  if (const auto mean = geometric_mean(ratios))
    add_line(lines, "In all, {} takes {:.3f} times as long as {} (geometric mean of {}): {}.", names.b, *mean, names.a,
             ratios.size(), words_text(results.comparisons));
  return lines;
}

}  // namespace

int bench_ab(const AbOptions& o, const CommonOptions& common, WorkOptions& work, const ProtocolChange& change) {
  std::vector<Problem> problems = need(wanted_problems(work));
  need(check_output(work.output));
  std::vector<std::string> variants;
  const std::vector<VariantSource> sources =
      need(o.folders().empty() ? variant_sources(common) : ab_sources(o, common, work, variants));
  std::vector<DeviceSession> opened = need(open_sessions(common, sources));
  need(leave_out_equals(opened.front(), o, work, variants));
  catch_interrupts();
  const double tolerance = o.tolerance.value_or(kInterleavedTolerance);
  HistoryKeeper history(!work.no_history);
  Results results;
  ExitCode code = exit_ok;
  std::optional<Error> failed;       // the first
  std::vector<std::string> refused;  // by both
  std::vector<size_t> places;        // of each row's records
  for (DeviceSession& device : opened) {
    std::vector<Pair> pairs = need(pairs_of(device, o, work, variants));
    ProgressLine progress(problems.size() * pairs.size(), common.progress());
    for (const Problem& problem : problems)
      for (const Pair& pair : pairs) {
        if (interrupted()) break;
        progress.begin(fmt::format("{} {} against {} {} on {}", pair.b.variant, pair.b.config, pair.a.variant,
                                   pair.a.config, to_text(problem)));
        RaceRequest request = search::pair_request(problem);
        request.protocol = changed(request.protocol, change);
        request.seed = work.seed;
        Result<RaceResult> measured = measure(device, pair, request, progress);
        progress.finished();
        progress.clear();
        if (!measured) {
          code = worse(code, exit_code(measured.error().kind));
          print_err("attnscope bench: {} against {} on {}: {}\n", pair.b.variant, pair.a.variant, to_text(problem),
                    measured.error().message);
          if (!failed) failed = measured.error();
          continue;
        }
        RowComparison row = compare_raced(measured->records[0], measured->turns[0].samples, measured->records[1],
                                          measured->turns[1].samples, tolerance);
        // A variant need not take all problems of a preset.
        const bool left_out =
            !work.presets.empty() && row.a.outcome == Outcome::refused && row.b.outcome == Outcome::refused;
        for (Record& record : measured->records) {
          if (!left_out) code = worse(code, outcome_code(record.outcome));
          history.keep(record);
          results.records.push_back(std::move(record));
        }
        if (left_out) {
          add_line(refused, "{} ({})", to_text(problem), row.a.message);
          continue;
        }
        results.comparisons.push_back(std::move(row));
        places.push_back(results.records.size() - 2);
      }
  }
  if (interrupted()) code = exit_interrupted;
  std::vector<RowComparison> rows = results.comparisons;
  // One variant twice: the table has its name once.
  if (!o.folders().empty())
    for (RowComparison& row : rows) row.b.variant = row.a.variant;
  TextTable table = comparison_table(rows, tolerance, names_of(o));
  say_once(table, {"variant", "config"});
  RecordPairs records;
  for (const size_t at : places) records.emplace_back(&results.records[at], &results.records[at + 1]);
  add_resources(records, table);
  table.notes.emplace_back("Measured in turn, A B B A, in one process; the ratio is taken turn by turn.");
  const auto same = [](const RowComparison& row) {
    return row.a.variant == row.b.variant && row.a.config == row.b.config && row.a.outcome == Outcome::measured;
  };
  if (const auto twice = o.folders().empty() ? std::ranges::count_if(rows, same) : 0; twice > 0)
    add_line(table.notes, "{} of {} rows compare a config with itself: A and B name the same one there.", twice,
             rows.size());
  if (!refused.empty())
    add_line(table.notes, "{} problems are refused by both, {} first.", refused.size(), refused.front());
  if (results.comparisons.empty() && !refused.empty() && code == exit_ok) {
    code = exit_bad_input;
    print_err("attnscope bench: every problem is refused by both, {} first\n", refused.front());
  }
  if (common.json)
    write_document(failed && results.records.empty() ? dump_pretty(Json{{"error", encode(*failed)}})
                                                     : results_to_json(results));
  else if (!results.comparisons.empty())
    print_out("{}", render_terminal(table, output_width()));
  if (!results.comparisons.empty()) {
    const std::vector<std::string> head = heading_of(o, opened, results);
    table.heading.insert(table.heading.begin(), head.begin(), head.end());
    const PairNames names = names_of(o);
    table.title = fmt::format("Attention kernels: {} against {}", names.b, names.a);
    results.tables.push_back(std::move(table));
    // Of many problems also as a grid.
    constexpr size_t kMany = 4;
    FileComparison all;
    if (!o.folders().empty()) all.a = names.a, all.b = names.b;
    all.tolerance = tolerance;
    all.rows = rows;
    all.pairs = records;
    if (rows.size() >= kMany)
      if (auto grids = comparison_grids(all, {.by = {"head_dim", "seq_kv"}}))
        std::ranges::move(*grids, std::back_inserter(results.tables));
  }
  if (!o.gpus.empty() && !interrupted()) {
    TextTable elsewhere =
        need(compiled_elsewhere(o, common, sources, problems, need(pairs_of(opened.front(), o, work, variants))));
    if (!common.json) print_out("\n{}", render_terminal(elsewhere, output_width()));
    results.tables.push_back(std::move(elsewhere));
  }
  const bool page = !work.output.empty() && *result_format(work.output) == ResultFormat::markdown;
  const std::string text = render_markdown(results.tables);
  need(page && !text.empty() ? write_output(work, text) : write_output(work, results));
  return code;
}

}  // namespace attnscope::cli
