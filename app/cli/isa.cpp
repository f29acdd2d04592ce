// attnscope isa: prints a config's shaders as the driver's IR and assembly, and as SPIR-V.

#include "app/cli/jobs.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/session/fields_session.hpp"

namespace attnscope::cli {
namespace {

struct IsaOptions {
  CommonOptions common;
  WorkOptions work;
  std::string variant, config = "default", gpu, show;
};

/// Of one config what --show asks for; by default the last form of each executable, or SPIR-V where there is none.
Result<std::vector<ShaderText>> texts_of(DeviceSession& opened, const Problem& problem, const IsaOptions& o) {
  const WorkItem job = TRY(one_job(opened, problem, o.variant, o.config));
  std::vector<ShaderText> texts = TRY(opened.session->shader_texts({problem, job.variant->name, job.config}));
  const bool of_driver = std::ranges::any_of(texts, [](const auto& t) { return !t.executable.empty(); });
  if (!of_driver)
    print_err("note: {} returns no text of a shader; what follows is the SPIR-V that it is given\n",
              opened.device.driver.empty() ? opened.device.name : opened.device.driver);
  std::vector<ShaderText> shown;
  const std::string wanted = lower_case(o.show);
  for (size_t i = 0; i < texts.size(); ++i) {
    const ShaderText& t = texts.at(i);
    const bool last = i + 1 == texts.size() || texts.at(i + 1).executable != t.executable;
    const bool usual = of_driver ? last && !t.executable.empty() : true;
    if (wanted == "all" || (wanted.empty() ? usual : lower_case(t.name).find(wanted) != std::string::npos))
      shown.push_back(t);
  }
  if (shown.empty()) {
    std::vector<std::string> names;
    for (const ShaderText& t : texts)
      if (!contains(names, t.name)) names.push_back(t.name);
    return about("--show", o.show, bad_input("there is no such form; there are: all, {}", joined(names)));
  }
  return shown;
}

int show_isa(IsaOptions& o) {
  if (!o.gpu.empty()) o.common.device = std::string(kGpuPrefix) + o.gpu;
  const std::vector<Problem> problems = need(wanted_problems(o.work));
  if (problems.size() != 1) fail(bad_input("Give one --problem."));
  std::vector<DeviceSession> opened = need(open_sessions(o.common));
  catch_interrupts();
  const std::vector<ShaderText> texts = need(texts_of(opened.front(), problems.front(), o));
  if (o.common.json) {
    write_document(dump_pretty(Json{{"device", encode(opened.front().device)}, {"texts", encode(texts)}}));
    return exit_ok;
  }
  for (const ShaderText& t : texts)
    print_out("{}== {}{}{}: {} ==\n{}{}", &t == &texts.front() ? "" : "\n", t.pass, t.executable.empty() ? "" : ", ",
              t.executable, t.name, t.text, t.text.ends_with('\n') ? "" : "\n");
  return exit_ok;
}

}  // namespace

void add_isa(CLI::App& app, Action& chosen) {
  auto [command, o] = add_command(app, chosen, "isa",
                                  "A config's shaders as the driver has them (IR, assembly) and as SPIR-V", show_isa);
  o.common.executes = false;
  CLI::Option* gpu = add_value(command, "--gpu", o.gpu, "NAME", "A GPU of the catalogue (attnscope devices --all)");
  add_device_options(command, o.common);
  gpu->excludes(command.get_option("--device"));
  add_json_option(command, o.common);
  add_text(command, "--problem", o.work.problems, "PROBLEM", "BxHxSxD and options (docs/measuring.md)")->required();
  add_text(command, "--variant", o.variant, "NAME", "Variant by name")->required();
  add_value(command, "--config", o.config, "CONFIG", "A=1,B=2 over the defaults, a named config, or default")
      ->capture_default_str();
  add_value(command, "--show", o.show, "NAME",
            "Part of the name of a form, such as NIR, Assembly or SPIR-V, or all (default: the driver's last "
            "form, its assembly)");
}

}  // namespace attnscope::cli
