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

using exporting::ExportRequest;

Result<ExportRequest> request_of(const std::vector<VariantSource>& sources, const DeviceSession& opened,
                                 const Problem& problem, const std::string& variant, const Config& config) {
  const auto source = std::find_if(sources.rbegin(), sources.rend(), [&](const auto& s) { return s.name == variant; });
  if (source == sources.rend()) return internal_error("the variant's source is gone");
  return ExportRequest{
      .source = *source, .problem = problem, .config = config, .device = opened.device, .cache_dir = cache_dir()};
}

/// The newest verdict that the history has of the variant, as it is now, and the config on this device.
std::string known_verdict(std::optional<History>& history, const ExportRequest& r, const VariantInfo& variant) {
  HistoryFilter filter;
  for (const auto& [field, value] : {std::pair{"variant", variant.name}, {"problem", to_text(r.problem)}})
    filter.conditions.push_back({.field = field, .value = value});
  if (const auto page = history ? history->list(filter, 1000) : HistoryPage())
    for (const auto& [id, run] : page->entries)
      if (run.verdict && run.config == r.config && run.environment.shader_hash == variant.hash &&
          same_device(run.environment.device, r.device))
        return fmt::format("{} on {}, {}", run.verdict->pass ? "correct" : "WRONG", r.device.name,
                           run.environment.time_utc.substr(0, 10));
  return "not verified here";
}

/// Of the one variant and config that are asked for; it can be exported.
Result<ExportRequest> choose(const std::vector<VariantSource>& sources, DeviceSession& opened,
                             std::optional<History>& history, const Problem& problem, const ExportOptions& o) {
  const WorkItem job = TRY(one_job(opened, problem, o.variant, o.config));
  ExportRequest request = TRY(request_of(sources, opened, problem, job.variant->name, job.config));
  request.chosen = job.chosen;
  request.verified = known_verdict(history, request, *job.variant);
  TRY(about("--variant", fmt::format("{} --config {}", job.variant->name, to_text(job.config)),
            exporting::check_export(request)));
  return request;
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
      if (p.window != 0) other.window = 1;
      out.push_back(other);
    }
  return out;
}

/// The highest-ranked variant that can serve every shape with one config, for problems of this kind; nothing = none.
std::optional<ExportRequest> general_request(const std::vector<VariantSource>& sources, DeviceSession& opened,
                                             const Problem& problem) {
  const std::vector<Problem> shapes = other_shapes(problem);
  const Result<std::vector<VariantRank>> ranks = opened.session->rank_variants(shapes.front());
  if (!ranks) return std::nullopt;
  for (const VariantRank& rank : *ranks) {
    const Result<ConfigChoice> config = opened.session->choose_config(shapes.front(), rank.variant, "default");
    if (!config) continue;
    std::optional<ExportRequest> first;
    for (const Problem& shape : shapes) {
      const auto request = request_of(sources, opened, shape, rank.variant, config->config);
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
    fail(about("--prefix", o.prefix, bad_input(why)));
  std::vector<VariantSource> sources = need(variant_sources(o.common));
  std::vector<DeviceSession> opened = need(open_sessions(o.common, sources));
  catch_interrupts();
  std::optional<History> history;
  if (auto known = open_history()) history = *std::move(known);
  std::vector<ExportRequest> requests;
  Json entries = Json::array(), left_out = Json::array(), names = Json::array();
  std::optional<Error> refused;
  ExitCode code = exit_ok;
  for (size_t i = 0; i < problems.size(); ++i) {
    Result<ExportRequest> request = choose(sources, opened.front(), history, problems[i], o);
    if (!request) {
      if (outcome_of(request.error().kind) != Outcome::refused) fail(request.error());
      if (!refused) refused = request.error();
      // A device need not take all problems of a preset.
      if (i < o.work.problems.size()) code = worse(code, exit_code(request.error().kind));
      left_out.push_back({{"problem", to_text(problems[i])}, {"error", encode(request.error())}});
      if (problems.size() > 1)
        print_err("note: {} is left out: {}\n", to_text(problems[i]), request.error().message.substr(0, 200));
      continue;
    }
    entries.push_back({{"problem", to_text(problems[i])},
                       {"variant", request->source.name},
                       {"config", request->config},
                       {"chosen", request->chosen},
                       {"verified", request->verified},
                       {"general", false}});
    requests.push_back(*std::move(request));
  }
  if (requests.empty()) fail(*refused);
  const size_t asked = requests.size();
  // For what nobody named, of each kind of problem once.
  std::set<std::string> kinds;
  for (size_t i = 0; i < asked; ++i) {
    const Problem problem = requests[i].problem;
    Problem kind = other_shapes(problem).front();
    kind.batch = kind.heads_q = kind.heads_kv = 1;
    kind.scale.reset();
    if (kind.softcap != 0) kind.softcap = 1;
    if (!kind.varlen.empty()) kind.varlen = {1};
    if (kind.page_size != 0) kind.page_size = 16;
    if (!kinds.insert(to_text(kind)).second) continue;
    if (auto general = general_request(sources, opened.front(), problem)) {
      entries.push_back({{"problem", to_text(general->problem)},
                         {"variant", general->source.name},
                         {"config", general->config},
                         {"like", to_text(problem)},
                         {"general", true}});
      requests.push_back(std::move(*general));
    } else {
      print_err("note: no variant serves every shape of {}; for others nothing may be found\n", to_text(problem));
    }
  }
  std::vector<exporting::ExportedFile> files =
      need(o.rust ? exporting::export_crate(requests, o.prefix) : exporting::export_dispatch(requests, o.prefix));
  if (problems.size() == 1 && !o.rust)
    std::ranges::move(need(exporting::export_config(requests.front())), std::back_inserter(files));
  std::error_code error;
  std::filesystem::create_directories(o.dir, error);
  for (const char* folder : {"src", "examples"})
    if (o.rust && !error) std::filesystem::create_directories(std::filesystem::path(o.dir) / folder, error);
  if (error) fail(bad_input("{}: the folder cannot be made: {}", o.dir, error.message()));
  for (const exporting::ExportedFile& file : files) {
    const std::filesystem::path path = std::filesystem::path(o.dir) / file.name;
    need(write_text(path, file.content));
    names.push_back(path.string());
  }
  if (o.common.json) {
    write_document(Json{{"entries", entries}, {"left_out", left_out}, {"files", names}}.dump(2));
    return code;
  }
  for (const ExportRequest& r : std::span(requests).first(asked)) {
    if (!r.chosen.empty()) print_err("note: {}\n", r.chosen);
    print_out("{} on {}, {}: {}\n", r.source.name, to_text(r.problem), to_text(r.config), r.verified);
  }
  for (size_t i = asked; i < requests.size(); ++i)
    print_out("{} on any other shape like {}\n", requests[i].source.name, entries[i]["like"].get<std::string>());
  for (const auto& name : names) print_out("  {}\n", name.get<std::string>());
  if (!o.rust)
    print_out("cc -O2 example.c dispatch.c -o example -lvulkan -lm && ./example, there, runs and checks {}.\n",
              to_text(requests.front().problem));
  return code;
}

}  // namespace

void add_export(CLI::App& app, Action& chosen) {
  auto [command, o] = add_command(app, chosen, "export",
                                  "A config's SPIR-V, constants, layout and a C example, to take home", export_config);
  o.common.executes = false;
  command.add_option("DIR", o.dir, "Folder to write to; created if absent")->required()->type_name("DIR");
  add_value(command, "--problem", o.work.problems, "PROBLEM", "What it is planned for; repeatable");
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
