// attnscope completions: the shell's completions and the man page, from the options as they are declared.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/commands.hpp"
#include "app/cli/exit_code.hpp"
#include "app/cli/print.hpp"

namespace attnscope::cli {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& s : option.get_snames()) names.push_back("-" + s);
  for (const std::string& l : option.get_lnames()) names.push_back("--" + l);
  return names;
}

/// With an argument: "FILE", "N"; "" for a flag.
std::string argument_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0 || option.get_type_size_max() == 0) return "";
  const std::string type = option.get_type_name();
  return type.empty() ? "VALUE" : type.substr(0, type.find(':'));
}

/// Options and subcommands of a command, and of the subcommands of that.
void add_words(const CLI::App& app, std::vector<std::string>& words) {
  for (const CLI::App* sub : app.get_subcommands({})) {
    words.push_back(sub->get_name());
    if (app.get_parent() != nullptr) add_words(*sub, words);
  }
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : names_of(*option)) words.push_back(name);
}

std::string bash(const CLI::App& app) {
  std::string cases;
  std::vector<std::string> commands, words;
  for (const CLI::App* sub : app.get_subcommands({})) {
    commands.push_back(sub->get_name());
    std::vector<std::string> own;
    add_words(*sub, own);
    cases += fmt::format("    {}) words='{}' ;;\n", sub->get_name(), fmt::join(own, " "));
  }
  add_words(app, words);
  return fmt::format(R"(_attnscope() {{
  local word command= words='{}' cur=${{COMP_WORDS[COMP_CWORD]}}
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in {}) command=$word; break ;; esac
  done
  case $command in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _attnscope attnscope
)",
                     fmt::join(words, " "), fmt::join(commands, "|"), cases);
}

std::string fish(const CLI::App& app) {
  std::string text;
  const auto add = [&](const CLI::App& of, const std::string& when) {
    for (const CLI::Option* option : of.get_options())
      for (const std::string& name : names_of(*option))
        text +=
            fmt::format("complete -c attnscope -n '{}' {} {}{} -d '{}'\n", when, name.starts_with("--") ? "-l" : "-s",
                        name.substr(name.find_first_not_of('-')), argument_of(*option).empty() ? "" : " -r",
                        replaced(replaced(option->get_description(), "\\", "\\\\"), "'", "\\'"));
  };
  add(app, "__fish_use_subcommand");
  for (const CLI::App* sub : app.get_subcommands({})) {
    text += fmt::format("complete -c attnscope -n __fish_use_subcommand -a {} -d '{}'\n", sub->get_name(),
                        replaced(sub->get_description(), "'", "\\'"));
    const std::string when = "__fish_seen_subcommand_from " + sub->get_name();
    add(*sub, when);
    for (const CLI::App* inner : sub->get_subcommands({}))
      text += fmt::format("complete -c attnscope -n '{}' -a {} -d '{}'\n", when, inner->get_name(),
                          replaced(inner->get_description(), "'", "\\'"));
  }
  return text;
}

std::string zsh(const CLI::App& app) {
  const auto quoted = [](const std::string& text) {
    return replaced(replaced(replaced(replaced(text, "'", "'\\''"), "[", "\\["), "]", "\\]"), ":", "\\:");
  };
  const auto arguments = [&](const CLI::App& of) {
    std::string text;
    for (const CLI::Option* option : of.get_options())
      for (const std::string& name : names_of(*option)) {
        const std::string argument = argument_of(*option);
        text += fmt::format(" \\\n      '*{}[{}]{}'", name, quoted(option->get_description()),
                            argument.empty() ? "" : ":" + quoted(argument) + ":_default");
      }
    return text;
  };
  std::string commands, cases;
  for (const CLI::App* sub : app.get_subcommands({})) {
    commands += fmt::format("    '{}:{}'\n", sub->get_name(), quoted(sub->get_description()));
    cases += fmt::format("    {}) _arguments{} \\\n      '*:file:_default' ;;\n", sub->get_name(), arguments(*sub));
  }
  return fmt::format(R"(#compdef attnscope
local -a commands
commands=(
{})
if (( CURRENT == 2 )); then
  _describe command commands
  _arguments{}
else
  shift words
  (( CURRENT-- ))
  case $words[1] in
{}  esac
fi
)",
                     commands, arguments(app), cases);
}

std::string man(const CLI::App& app) {
  const auto plain = [](const std::string& text) {
    std::string out = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
    // A line that begins with a point or an apostrophe would be a request.
    return replaced(replaced(out, "\n.", "\n\\&."), "\n'", "\n\\&'");
  };
  std::string text = fmt::format(
      ".TH ATTNSCOPE 1 \"\" \"attnscope {}\" \"User Commands\"\n.SH NAME\nattnscope \\- measure, verify and tune "
      "attention kernels in Vulkan\n.SH SYNOPSIS\n.B attnscope\n[\\fIoption\\fR ...]\n.br\n.B attnscope\n"
      "\\fIcommand\\fR [\\fIoption\\fR ...]\n.SH DESCRIPTION\n{}\n",
      ATTNSCOPE_VERSION, plain(app.get_description()));
  const auto add = [&](const CLI::App& of) {
    for (const CLI::Option* option : of.get_options()) {
      const std::vector<std::string> names = names_of(*option);
      const std::string argument = argument_of(*option);
      text += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n",
                          plain(names.empty() ? option->get_name() : fmt::format("{}", fmt::join(names, ", "))),
                          argument.empty() || names.empty() ? "" : " \\fI" + plain(argument) + "\\fR",
                          plain(option->get_description()));
    }
  };
  text += ".SH OPTIONS\n";
  add(app);
  text += ".SH COMMANDS\n";
  for (const CLI::App* sub : app.get_subcommands({})) {
    text += fmt::format(".SS {}\n{}\n", sub->get_name(), plain(sub->get_description()));
    add(*sub);
    for (const CLI::App* inner : sub->get_subcommands({})) {
      text +=
          fmt::format(".PP\n\\fB{} {}\\fR: {}\n", sub->get_name(), inner->get_name(), plain(inner->get_description()));
      add(*inner);
    }
  }
  return text + fmt::format(".SH EXIT STATUS\n{}\n", plain(app.get_footer()));
}

}  // namespace

void add_completions(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("completions", "Print the completions of a shell, or the man page");
  auto kind = std::make_shared<std::string>();
  command->add_option("kind", *kind, "bash, zsh, fish or man")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "man"}));
  command->callback([&app, &chosen, kind] {
    chosen = [&app, kind] {
      write_out(*kind == "bash" ? bash(app) : *kind == "zsh" ? zsh(app) : *kind == "fish" ? fish(app) : man(app));
      return int(exit_ok);
    };
  });
}

}  // namespace attnscope::cli
