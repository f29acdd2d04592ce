// attnscope export: a config's SPIR-V and what a program needs to dispatch it, to take into an engine.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands.hpp"
#include "app/cli/interrupt.hpp"
#include "app/cli/jobs.hpp"
#include "app/cli/places.hpp"
#include "app/cli/print.hpp"
#include "app/cli/tuned_config.hpp"
#include "engine/export/export.hpp"
#include "engine/record/results.hpp"
#include "engine/session/auto_choice.hpp"

namespace attnscope::cli {
namespace {

struct ExportOptions {
  CommonOptions common;
  std::string problem, variant = std::string(kAutoVariant), config, dir, prefix;
};

/// The one variant and config that are asked for.
struct Choice {
  std::string variant, chosen;
  Config config;
};

Result<Choice> choose(Opened& opened, const Problem& problem, const ExportOptions& o) {
  WorkOptions work;
  work.variants = {o.variant};
  if (!o.config.empty()) work.configs = {o.config};
  if (o.variant == "all" || o.config == "all") return bad_input("an export is of one variant and one config, not all");
  Result<std::vector<WorkItem>> jobs = make_jobs(opened, {problem}, work);
  if (!jobs) return jobs.error();
  const WorkItem& job = jobs->front();
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
  Result<ConfigChoice> config = opened.session->choose_config(problem, job.variant->name, "default");
  if (!config) return config.error();
  if (choice.chosen.empty()) choice.chosen = config->because;
  choice.config = std::move(config->config);
  return choice;
}

int export_config(ExportOptions& o) {
  const Problem problem = need(parse_problem(o.problem), "--problem", o.problem);
  if (const std::string why = o.prefix.empty() ? "" : exporting::not_a_prefix(o.prefix); !why.empty())
    return fail(o.common, about("--prefix", o.prefix, bad_input(why)));
  std::vector<VariantSource> sources = need(variant_sources(o.common));
  std::vector<Opened> opened = need(open_sessions(o.common, sources));
  catch_interrupts();
  Choice choice = need(choose(opened.front(), problem, o));
  const auto source =
      std::find_if(sources.rbegin(), sources.rend(), [&](const auto& s) { return s.name == choice.variant; });
  if (source == sources.rend()) return fail(o.common, internal_error("the variant's source is gone"));

  Result<std::vector<exporting::ExportedFile>> files = exporting::export_variant(
      {*source, problem, choice.config, opened.front().device, choice.chosen, cache_dir(), o.prefix});
  if (!files)
    return fail(o.common, about("--variant", fmt::format("{} --config {}", choice.variant, to_text(choice.config)),
                                files.error()));
  std::error_code error;
  std::filesystem::create_directories(o.dir, error);
  if (error) return fail(o.common, bad_input(fmt::format("{}: the folder cannot be made: {}", o.dir, error.message())));
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const exporting::ExportedFile& file : *files) {
    const std::filesystem::path path = std::filesystem::path(o.dir) / file.name;
    need(write_text(path, file.content));
    names.push_back(path.string());
  }
  if (o.common.json) {
    write_document(nlohmann::ordered_json{
        {"problem", to_text(problem)},
        {"variant", choice.variant},
        {"config", choice.config},
        {"chosen", choice.chosen},
        {"files",
         names}}.dump(2));
    return exit_ok;
  }
  if (!choice.chosen.empty()) print_err("note: {}\n", choice.chosen);
  print_out("{} on {}, {}:\n", choice.variant, to_text(problem), to_text(choice.config));
  for (const auto& name : names) print_out("  {}\n", name.get<std::string>());
  print_out("cc -O2 example.c -o example -lvulkan -lm && ./example, there, runs and checks it.\n");
  return exit_ok;
}

}  // namespace

void add_export(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("export", "A config's SPIR-V, constants, layout and a C example, to take home");
  auto o = std::make_shared<ExportOptions>();
  o->common.command = "export";
  o->common.executes = false;
  command->add_option("DIR", o->dir, "Folder to write to; made where there is none")->required()->type_name("DIR");
  command->add_option("--problem", o->problem, "What it is planned for")->required()->type_name("PROBLEM");
  command->add_option("--variant", o->variant, "Variant by name, or auto")
      ->type_name("NAME|auto")
      ->capture_default_str();
  command->add_option("--config", o->config, "A=1,B=2 over the defaults, a named config, default, or tuned")
      ->type_name("CONFIG");
  command
      ->add_option(
          "--prefix", o->prefix,
          "What every C name begins with; attn_ with the variant and a hash of problem and config unless given")
      ->type_name("NAME");
  add_device_options(*command, o->common);
  add_json_option(*command, o->common);
  on_typed(*command, chosen, o->common, [o] { return export_config(*o); });
}

}  // namespace attnscope::cli
