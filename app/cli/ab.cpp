#include "app/cli/ab.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/exit_code.hpp"
#include "app/cli/history_keeper.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/output_file.hpp"
#include "app/cli/print.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/terminal.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/record/terminal.hpp"
#include "engine/search/pair.hpp"

namespace attnscope::cli {
namespace {

using search::kOfB;

struct Side {
  std::string variant, config;
};
struct Pair {
  Side a, b;
};

const VariantInfo* find(const Opened& opened, std::string_view name) {
  const auto it =
      std::find_if(opened.variants.begin(), opened.variants.end(), [&](const auto& v) { return v.name == name; });
  return it == opened.variants.end() ? nullptr : &*it;
}

/// VARIANT, VARIANT:CONFIG, or a config of the one --variant.
Result<Side> side_named(const Opened& opened, const std::string& text, const WorkOptions& work) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (find(opened, name) != nullptr) return Side{name, colon == std::string::npos ? "default" : text.substr(colon + 1)};
  if (work.variants.size() == 1 && work.variants.front() != "all" && colon == std::string::npos)
    return Side{work.variants.front(), text};
  std::string known;
  for (const VariantInfo& v : opened.variants) known += (known.empty() ? "" : ", ") + v.name;
  return bad_input(fmt::format(
      "--ab {}: it is neither VARIANT nor VARIANT:CONFIG, and a CONFIG alone needs one --variant; variants are: {}",
      text, known));
}

Result<void> check_variant(const Opened& opened, const std::string& name) {
  const VariantInfo* info = find(opened, name);
  if (info == nullptr) {
    std::string known;
    for (const VariantInfo& v : opened.variants) known += (known.empty() ? "" : ", ") + v.name;
    return bad_input(fmt::format("--variant {}: there is no such variant; there are: {}", name, known));
  }
  if (!info->error.empty()) return bad_input(fmt::format("{}: it does not load:\n{}", name, info->error));
  if (!info->why_not.empty())
    return unsupported(fmt::format("{}: it cannot run on {}: {}", name, opened.device.name, info->why_not));
  return {};
}

/// The variants of a folder, by the shipped folder's common files where it has none of its own.
Result<std::vector<VariantSource>> sources_in(const std::string& folder, const CommonOptions& common) {
  Result<std::vector<std::filesystem::path>> dirs = shader_dirs({});
  if (!dirs) return dirs.error();
  Result<std::vector<std::filesystem::path>> outside = source_dirs(common);
  if (!outside) return outside.error();
  auto own = read_variant_sources({folder});
  if (!own) return about("--ab-shaders", folder, own.error());
  dirs->emplace_back(folder);
  auto all = read_variant_sources(*dirs, *outside);
  if (!all) return about("--ab-shaders", folder, all.error());
  std::erase_if(*all, [&](const VariantSource& s) {
    return std::none_of(own->begin(), own->end(), [&](const VariantSource& o) { return o.name == s.name; });
  });
  if (all->empty())
    return bad_input(fmt::format("--ab-shaders {}: there is no variant in it (a folder with a manifest.toml)", folder));
  for (VariantSource& s : *all) s.shadows.clear();
  return all;
}

/// Of the variants that both folders have those that were named, else those that differ; B's under their own names.
Result<std::vector<VariantSource>> ab_sources(const AbOptions& o, const CommonOptions& common, const WorkOptions& work,
                                              std::vector<std::string>& variants) {
  auto a = sources_in(o.shaders[0], common);
  if (!a) return a.error();
  auto b = sources_in(o.shaders[1], common);
  if (!b) return b.error();
  const auto in = [](std::vector<VariantSource>& sources, const std::string& name) {
    const auto at = std::find_if(sources.begin(), sources.end(), [&](const auto& s) { return s.name == name; });
    return at == sources.end() ? nullptr : &*at;
  };
  const bool named = !work.variants.empty() && work.variants.front() != "all";
  std::vector<VariantSource> sources;
  const auto add = [&](const std::string& name) {
    sources.push_back(*in(*a, name));
    sources.push_back(search::renamed(*in(*b, name), name + std::string(kOfB)));
    variants.push_back(name);
  };
  if (named) {
    for (const std::string& name : work.variants) {
      for (const size_t i : {0, 1})
        if (in(i == 0 ? *a : *b, name) == nullptr)
          return bad_input(fmt::format("--variant {}: --ab-shaders {} has no such variant", name, o.shaders[i]));
      add(name);
    }
    return sources;
  }
  for (const VariantSource& s : *a)
    if (const VariantSource* other = in(*b, s.name);
        other != nullptr && (other->files != s.files || other->common != s.common || other->outside != s.outside))
      add(s.name);
  if (sources.empty())
    return bad_input(fmt::format("--ab-shaders {} {}: no variant is in both and differs", o.shaders[0], o.shaders[1]));
  return sources;
}

/// What is the same on both sides, whatever the folders' texts, would be measured against itself: of variants that
/// nobody named it is left out.
Result<void> leave_out_equals(const Opened& opened, const AbOptions& o, const WorkOptions& work,
                              std::vector<std::string>& variants) {
  std::string equal;
  std::erase_if(variants, [&](const std::string& name) {
    const VariantInfo *a = find(opened, name), *b = find(opened, name + std::string(kOfB));
    const bool same = a != nullptr && b != nullptr && !a->hash.empty() && a->hash == b->hash;
    if (same) equal += (equal.empty() ? "" : ", ") + name;
    return same;
  });
  const bool named = !work.variants.empty() && work.variants.front() != "all";
  if (equal.empty() || (!named && !variants.empty())) return {};
  return bad_input(
      fmt::format("--ab-shaders {} {}: {} is the same in both, with all that it takes from --sources, so there is "
                  "nothing to compare",
                  o.shaders[0], o.shaders[1], equal));
}

Result<std::vector<Pair>> pairs_of(const Opened& opened, const AbOptions& o, const WorkOptions& work,
                                   const std::vector<std::string>& variants) {
  std::vector<Pair> pairs;
  if (!o.sides.empty()) {
    auto a = side_named(opened, o.sides[0], work);
    if (!a) return a.error();
    auto b = side_named(opened, o.sides[1], work);
    if (!b) return b.error();
    pairs.push_back({std::move(*a), std::move(*b)});
  }
  const std::vector<std::string> configs = work.configs.empty() ? std::vector<std::string>{"default"} : work.configs;
  for (const std::string& name : variants)
    for (const std::string& config : configs) pairs.push_back({{name, config}, {name + std::string(kOfB), config}});
  for (const Pair& pair : pairs)
    for (const Side* side : {&pair.a, &pair.b}) {
      if (side->config == "all")
        return bad_input("--ab compares two configs; all of them are what bench --config all measures");
      if (Result<void> ok = check_variant(opened, side->variant); !ok) return ok.error();
    }
  return pairs;
}

Result<search::PairOutcome> measure(Session& session, const Pair& pair, const RaceRequest& asked, double tolerance,
                                    ProgressLine& progress) {
  RaceRequest request = asked;
  for (const Side* side : {&pair.a, &pair.b}) {
    const Result<ConfigChoice> choice = session.choose_config(asked.problem, side->variant, side->config);
    if (!choice) return about("--ab", side->config, choice.error());
    request.entries.push_back({side->variant, choice->config});
  }
  const auto sink = [&](const Event& event) {
    if (const auto* p = std::get_if<Progress>(&event)) progress.stage(p->stage);
  };
  return search::race_pair(session, request, tolerance, sink, interrupted());
}

ExitCode code_of(const Record& r) {
  switch (r.outcome) {
    case Outcome::failed_verdict: return exit_failed;
    case Outcome::refused: return exit_bad_input;
    case Outcome::cancelled: return exit_interrupted;
    case Outcome::error: return exit_lost;
    case Outcome::measured:
    case Outcome::compiled:
    case Outcome::planned:
    case Outcome::verified: break;
  }
  return exit_ok;
}

}  // namespace

int bench_ab(const AbOptions& o, const CommonOptions& common, WorkOptions& work, const ProtocolChange& change) {
  std::vector<Problem> problems = need(wanted_problems(work, ""));
  need(check_output(work));
  std::vector<std::string> variants;
  std::vector<Opened> opened = need(
      o.shaders.empty() ? open_sessions(common) : open_sessions(common, need(ab_sources(o, common, work, variants))));
  if (!opened.empty()) need(leave_out_equals(opened.front(), o, work, variants));
  catch_interrupts();
  const double tolerance = o.tolerance.value_or(kInterleavedTolerance);
  OutputFile output(common.command, work.output);
  HistoryKeeper history(common.command, !work.no_history);
  Results results;
  ExitCode code = exit_ok;
  std::optional<Error> failed;  // the first
  for (Opened& device : opened) {
    std::vector<Pair> pairs = need(pairs_of(device, o, work, variants));
    ProgressLine progress(problems.size() * pairs.size(),
                          common.quiet ? ProgressKind::none : ProgressKind::bar_or_lines);
    for (const Problem& problem : problems)
      for (const Pair& pair : pairs) {
        if (interrupted()) break;
        progress.begin(fmt::format("{} {} against {} {} on {}", pair.b.variant, pair.b.config, pair.a.variant,
                                   pair.a.config, to_text(problem)));
        RaceRequest request = search::pair_request(problem);
        request.protocol = changed(request.protocol, change);
        request.seed = work.seed;
        Result<search::PairOutcome> measured = measure(*device.session, pair, request, tolerance, progress);
        progress.finished();
        progress.clear();
        if (!measured) {
          code = worse(code, exit_code(measured.error().kind));
          print_err("attnscope bench: {} against {} on {}: {}\n", pair.b.variant, pair.a.variant, to_text(problem),
                    measured.error().message);
          if (!failed) failed = measured.error();
          continue;
        }
        for (Record& record : measured->race.records) {
          code = worse(code, code_of(record));
          output.keep(record);
          history.keep(record);
          results.records.push_back(std::move(record));
        }
        results.comparisons.push_back(std::move(measured->row));
      }
  }
  if (interrupted()) code = exit_interrupted;
  TextTable table = comparison_table(results.comparisons, tolerance);
  table.notes.emplace_back("Measured in turn, A B B A, in one process; the ratio is taken turn by turn.");
  if (common.json)
    write_document(failed && results.records.empty() ? dump_pretty(Json{{"error", encode(*failed)}})
                                                     : results_to_json(results));
  else if (!results.comparisons.empty())
    print_out("{}", render_terminal(table, output_width()));
  if (!results.comparisons.empty()) results.tables.push_back(std::move(table));
  need(output.write(results));
  return code;
}

}  // namespace attnscope::cli
