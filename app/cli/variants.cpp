// attnscope variants [NAME]: variants with their parameters, constraints and needs, and why one cannot run here.

#include "app/cli/options.hpp"
#include "engine/record/json_fields.hpp"
#include "engine/search/search.hpp"
#include "engine/session/fields_session.hpp"

namespace attnscope::cli {
namespace {

void print_list(const std::vector<VariantInfo>& variants) {
  size_t name = 7, system = 6, dtypes = 7;
  for (const VariantInfo& v : variants) {
    name = std::max(name, v.name.size());
    system = std::max(system, v.system.size());
    dtypes = std::max(dtypes, joined(v.dtypes, " ").size());
  }
  print_out("{:<{}}  {:<8}  {:<{}}  {:<{}}  title\n", "variant", name, "here", "system", system, "storage", dtypes);
  for (const VariantInfo& v : variants) {
    const char* state = !v.error.empty() ? "broken" : !v.why_not.empty() ? "no" : "yes";
    print_out("{:<{}}  {:<8}  {:<{}}  {:<{}}  {}\n", v.name, name, state, v.system, system, joined(v.dtypes, " "),
              dtypes, v.title);
    if (!v.why_not.empty()) print_out("{:<{}}  {}\n", "", name, v.why_not);
    // The rest of a compiler's messages is shown by `attnscope variants NAME`.
    if (!v.error.empty()) print_out("{:<{}}  {}\n", "", name, v.error.substr(0, v.error.find('\n')));
  }
}

void print_whole(const VariantInfo& v) {
  print_out("{}: {}\n", v.name, v.title);
  if (!v.error.empty()) {
    print_out("\nIt does not load:\n{}\n", v.error);
    return;
  }
  if (!v.summary.empty()) print_out("\n{}\n", v.summary);
  print_out("\nSystem {}; storage {}; shader hash {}\n", v.system.empty() ? "-" : v.system, joined(v.dtypes, " "),
            v.hash);
  print_out("Options of problems: {}\n", v.options.empty() ? "none" : joined(v.options, " "));
  print_out("Needs: {}\n", v.features.empty() ? "Vulkan 1.3 alone" : joined(v.features, " "));
  print_out("Here: {}\n", v.why_not.empty() ? "can run" : v.why_not);
  if (!v.parameters.empty()) print_out("\nParameters\n");
  for (const Parameter& p : v.parameters) {
    std::string values;
    for (const int64_t value : p.values) {
      values += (values.empty() ? "" : " ") + std::to_string(value);
      if (value == p.default_value) values += "*";
    }
    print_out("  {:<16} {}\n  {:<16} {}\n", p.name, p.meaning, "", values);
  }
  const auto rules = [](const char* title, const std::vector<ConstraintDecl>& list) {
    if (!list.empty()) print_out("\n{}\n", title);
    for (const ConstraintDecl& c : list) print_out("  {}\n      because {}\n", c.require, c.because);
  };
  rules("Problems it takes", v.supports);
  rules("Constraints", v.constraints);
  rules("No spills", v.no_spills);
  print_out("\nRank for --variant auto: {}\n", v.rank.empty() ? "none, 0" : v.rank);
  if (!v.configs.empty()) print_out("\nNamed configs\n");
  for (const NamedConfig& c : v.configs)
    print_out("  {:<12} {:<44} {}\n", c.name, to_text(Config(c.values)), c.purpose);
  for (const NamedConfig& c : v.configs)
    if (!c.suits.empty()) print_out("  {} is the default where {}\n", c.name, c.suits);
}

struct VariantsOptions {
  CommonOptions common;
  std::string name;
};

int list_variants(VariantsOptions& o) {
  std::vector<DeviceSession> opened = need(open_sessions(o.common));
  std::vector<VariantInfo> variants = opened.front().variants;
  if (!o.name.empty()) {
    const VariantInfo* it = find_variant(variants, o.name);
    if (it == nullptr) fail(about("NAME", o.name, search::no_such_variant(names_of(variants))));
    variants = std::vector<VariantInfo>{*it};
  }
  if (o.common.json)
    write_document(dump_pretty(Json{{"device", encode(opened.front().device)}, {"variants", encode(variants)}}));
  else if (!o.name.empty())
    print_whole(variants.front());
  else
    print_list(variants);
  const bool broken = std::ranges::any_of(variants, [](const VariantInfo& v) { return !v.error.empty(); });
  if (broken && !o.name.empty()) print_err("attnscope variants: {} does not load\n", o.name);
  return broken ? exit_bad_input : exit_ok;
}

}  // namespace

void add_variants(CLI::App& app, Action& chosen) {
  auto [command, o] =
      add_command(app, chosen, "variants", "List variants; with a NAME, everything about one", list_variants);
  o.common.executes = false;
  command.add_option("NAME", o.name, "One variant");
  add_common_options(command, o.common);
}

}  // namespace attnscope::cli
