// attnscope export: a config's SPIR-V and what a program needs to dispatch it, to take into an engine.

#include "engine/export/export.hpp"
#include "app/cli/jobs.hpp"
#include "engine/record/json_fields.hpp"

namespace attnscope::cli {
namespace {

struct ExportOptions {
  CommonOptions common;
  WorkOptions work;
  std::string variant = std::string(kAutoVariant), config, dir, prefix;
  bool rust = false;
};

/// The one variant and config that are asked for.
struct Choice {
  std::string variant, chosen;
  Config config;
};

Result<Choice> choose(DeviceSession& opened, const Problem& problem, const ExportOptions& o) {
  WorkOptions work;
  work.variants = {o.variant};
  if (!o.config.empty()) work.configs = {o.config};
  if (o.variant == "all" || o.config == "all") return bad_input("an export is of one variant and one config, not all");
  std::vector<WorkItem> jobs = TRY(make_jobs(opened, {problem}, work));
  const WorkItem& job = jobs.front();
  if (!job.why_not.empty()) return Error{job.kind, job.why_not};
  Choice choice{job.variant->name, job.chosen, job.config};
  if (job.tuned) {
    const TunedConfig tuned =
        tuned_config(*opened.session, opened.device, job.variant->name, job.variant->hash, problem, {});
    choice.chosen = tuned.note;
    if (tuned.config) {
      choice.config = *tuned.config;
      return choice;
    }
  }
  if (!job.adaptable) return choice;
  ConfigChoice config = TRY(opened.session->choose_config(problem, job.variant->name, "default"));
  if (choice.chosen.empty()) choice.chosen = config.because;
  choice.config = std::move(config.config);
  return choice;
}

Result<exporting::ExportRequest> request_of(const std::vector<VariantSource>& sources, const DeviceSession& opened,
                                            const Problem& problem, const Choice& choice, const std::string& prefix) {
  const auto source =
      std::find_if(sources.rbegin(), sources.rend(), [&](const auto& s) { return s.name == choice.variant; });
  if (source == sources.rend()) return internal_error("the variant's source is gone");
  return exporting::ExportRequest{*source, problem, choice.config, opened.device, choice.chosen, cache_dir(), prefix};
}

/// Shapes of the problem's kind that nobody asked for: what serves the first and the others alike serves any.
std::vector<Problem> other_shapes(const Problem& p) {
  std::vector<Problem> out;
  for (const uint32_t dim : {exporting::kGeneralDim, 32u, 96u})
    for (const bool causal : {false, true}) {
      if (causal && p.mask == MaskKind::causal) continue;
      Problem other = p;
      other.head_dim = other.v_dim = dim;
      other.causal = causal;
      if (p.varlen.empty()) other.seq_q = causal ? 1 : 33, other.seq_kv = 65;
      out.push_back(other);
    }
  return out;
}

/// The highest-ranked variant that can serve every shape with one config, for problems of this kind; nothing = none.
std::optional<exporting::ExportRequest> general_request(const std::vector<VariantSource>& sources,
                                                        DeviceSession& opened, const Problem& problem) {
  const std::vector<Problem> shapes = other_shapes(problem);
  const Result<std::vector<VariantRank>> ranks = opened.session->rank_variants(shapes.front());
  if (!ranks) return std::nullopt;
  for (const VariantRank& rank : *ranks) {
    const Result<ConfigChoice> config = opened.session->choose_config(shapes.front(), rank.variant, "default");
    if (!config) continue;
    std::optional<exporting::ExportRequest> first;
    for (const Problem& shape : shapes) {
      const auto request = request_of(sources, opened, shape, {rank.variant, "", config->config}, "");
      if (!request || !exporting::check_export(*request)) {
        first.reset();
        break;
      }
      if (!first) first = *request;
    }
    if (!first) continue;
    first->general = true;
    return first;
  }
  return std::nullopt;
}

int export_config(ExportOptions& o) {
  std::vector<Problem> problems = need(wanted_problems(o.work));
  if (const std::string why = o.prefix.empty() ? "" : exporting::not_a_prefix(o.prefix, o.rust); !why.empty())
    return fail(o.common, about("--prefix", o.prefix, bad_input(why)));
  std::vector<VariantSource> sources = need(variant_sources(o.common));
  std::vector<DeviceSession> opened = need(open_sessions(o.common, sources));
  catch_interrupts();
  std::vector<exporting::ExportRequest> requests;
  std::vector<Choice> choices;
  std::vector<exporting::ExportedFile> files;
  if (!o.work.presets.empty() && problems.size() > 1) {
    // A device need not take all problems of a preset.
    std::optional<Error> first;
    std::erase_if(problems, [&](const Problem& problem) {
      const Result<Choice> choice = choose(opened.front(), problem, o);
      if (!choice) print_err("note: {} is left out: {}\n", to_text(problem), choice.error().message.substr(0, 200));
      if (!choice && !first) first = choice.error();
      return !choice;
    });
    if (problems.empty()) return fail(o.common, *first);
  }
  for (const Problem& problem : problems) {
    const Choice& choice = choices.emplace_back(need(choose(opened.front(), problem, o)));
    const std::string what = fmt::format("{} --config {}", choice.variant, to_text(choice.config));
    requests.push_back(need(request_of(sources, opened.front(), problem, choice, o.prefix), "--variant", what));
    if (problems.size() == 1 && !o.rust)
      files = need(exporting::export_variant(requests.back()), "--variant", what);
    else
      need(exporting::check_export(requests.back()), "--variant", what);
  }
  // For what nobody named, of each kind of problem once.
  if (problems.size() > 1 || o.rust) {
    std::set<std::string> kinds;
    for (const Problem& problem : problems) {
      Problem kind = other_shapes(problem).front();
      kind.batch = kind.heads_q = kind.heads_kv = 1;
      kind.scale.reset();
      if (kind.window != 0) kind.window = 1;
      if (kind.softcap != 0) kind.softcap = 1;
      if (!kind.varlen.empty()) kind.varlen = {1};
      if (kind.page_size != 0) kind.page_size = 16;
      if (!kinds.insert(to_text(kind)).second) continue;
      if (auto general = general_request(sources, opened.front(), problem))
        requests.push_back(std::move(*general));
      else
        print_err("note: no variant serves every shape of {}; for others nothing may be found\n", to_text(problem));
    }
    files = need(o.rust ? exporting::export_crate(requests, o.prefix) : exporting::export_dispatch(requests, o.prefix));
  }
  std::error_code error;
  std::filesystem::create_directories(o.dir, error);
  for (const char* folder : {"src", "examples"})
    if (o.rust && !error) std::filesystem::create_directories(std::filesystem::path(o.dir) / folder, error);
  if (error) return fail(o.common, bad_input(fmt::format("{}: the folder cannot be made: {}", o.dir, error.message())));
  Json names = Json::array();
  for (const exporting::ExportedFile& file : files) {
    const std::filesystem::path path = std::filesystem::path(o.dir) / file.name;
    need(write_text(path, file.content));
    names.push_back(path.string());
  }
  if (o.common.json) {
    Json entries = Json::array();
    for (size_t i = 0; i < problems.size(); ++i)
      entries.push_back({{"problem", to_text(problems[i])},
                         {"variant", choices[i].variant},
                         {"config", choices[i].config},
                         {"chosen", choices[i].chosen}});
    Json document = problems.size() == 1 ? entries.front() : Json{{"entries", entries}};
    document["files"] = names;
    write_document(document.dump(2));
    return exit_ok;
  }
  for (size_t i = 0; i < problems.size(); ++i) {
    if (!choices[i].chosen.empty()) print_err("note: {}\n", choices[i].chosen);
    print_out("{} on {}, {}\n", choices[i].variant, to_text(problems[i]), to_text(choices[i].config));
  }
  for (const auto& name : names) print_out("  {}\n", name.get<std::string>());
  if (std::ranges::any_of(files, [](const auto& file) { return file.name == "example.c"; }))
    print_out("cc -O2 example.c -o example -lvulkan -lm && ./example, there, runs and checks it.\n");
  return exit_ok;
}

}  // namespace

void add_export(CLI::App& app, Action& chosen) {
  auto [command, o] = add_command(app, chosen, "export",
                                  "A config's SPIR-V, constants, layout and a C example, to take home", export_config);
  o.common.executes = false;
  command.add_option("DIR", o.dir, "Folder to write to; created if absent")->required()->type_name("DIR");
  add_value(command, "--problem", o.work.problems, "PROBLEM",
            "What it is planned for; repeatable: of several, dispatch.h and dispatch.c serve any shape");
  add_value(command, "--preset", o.work.presets, "NAME", "Named list of problems from assets/presets; repeatable");
  add_text(command, "--variant", o.variant, "NAME|auto", "Variant by name, or auto")->capture_default_str();
  add_value(command, "--config", o.config, "CONFIG", "A=1,B=2 over the defaults, a named config, default, or tuned");
  add_text(command, "--prefix", o.prefix, "NAME",
           "What every C name begins with; attn_ with the variant and a hash of problem and config unless given");
  command.add_flag("--rust", o.rust, "A Rust crate of the same, in place of the C files");
  add_device_options(command, o.common);
  add_json_option(command, o.common);
}

}  // namespace attnscope::cli
