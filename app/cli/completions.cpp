// attnscope completions: the shell's completions and the man page, from the options as they are declared.

#include <sstream>

#include <fmt/ranges.h>

#include "app/cli/options.hpp"

namespace attnscope::cli {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

struct OptionText {
  std::vector<std::string> names = {};  ///< "-v", "--version"; none of a positional
  std::string argument = {};            ///< "FILE", "N"; "" for a flag
  std::string name;                     ///< the first, or that of a positional
  std::vector<std::string> values;
  std::string help;
};
/// A command as it is typed after "attnscope": "", "history", "history diff".
struct Typed {
  std::string words;
  const CLI::App* app;
  std::vector<OptionText> options;
};

/// What may stand there: the set that a check has, "TEXT:{hot,cold}"; else the words of "NAME|all|auto", and for the
/// name of a variant those that there are.
std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t open = type.find('{'), close = type.find('}');
  const bool is_set = open != type.npos && close != type.npos;
  std::vector<std::string> values;
  std::istringstream words(is_set ? type.substr(open + 1, close - open - 1) : type.find('|') != type.npos ? type : "");
  for (std::string word; std::getline(words, word, is_set ? ',' : '|');)
    if (is_set || std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; })) values.push_back(word);
  static const auto variants = variant_sources(CommonOptions());
  if (option.check_lname("variant") && variants)
    for (const VariantSource& variant : *variants) values.push_back(variant.name);
  return values;
}

OptionText text_of(const CLI::Option& option) {
  OptionText text{.name = option.get_name(), .values = values_of(option), .help = option.get_description()};
  for (const std::string& s : option.get_snames()) text.names.push_back("-" + s);
  for (const std::string& l : option.get_lnames()) text.names.push_back("--" + l);
  if (option.get_items_expected_max() == 0 || option.get_type_size_max() == 0) return text;
  const std::string type = option.get_type_name();
  text.argument = type.empty() ? "VALUE" : type.substr(0, type.find(':'));
  return text;
}

void add_typed(const CLI::App& app, const std::string& words, std::vector<Typed>& all) {
  Typed& typed = all.emplace_back(Typed{words, &app, {}});
  for (const CLI::Option* option : app.get_options()) typed.options.push_back(text_of(*option));
  for (const CLI::App* sub : app.get_subcommands({}))
    add_typed(*sub, words + (words.empty() ? "" : " ") + sub->get_name(), all);
}

/// The pattern of a shell's `case` that a command matches with the next word added: "' bench'|'history diff'".
std::string longer_ones(const std::vector<Typed>& all) {
  std::vector<std::string> patterns;
  for (const Typed& t : all)
    if (!t.words.empty()) patterns.push_back((t.words.find(' ') == t.words.npos ? "' " : "'") + t.words + "'");
  return fmt::format("{}", fmt::join(patterns, "|"));
}
/// The same of options after which a value comes: "' --device'|'bench --device'".
std::string with_argument(const std::vector<Typed>& all) {
  std::vector<std::string> patterns;
  for (const Typed& t : all)
    for (const OptionText& option : t.options)
      for (const std::string& name : option.names)
        if (!option.argument.empty()) patterns.push_back(fmt::format("'{} {}'", t.words, name));
  return fmt::format("{}", fmt::join(patterns, "|"));
}

std::string bash(const std::vector<Typed>& all) {
  std::map<std::string, std::vector<std::string>> arguments;  // what may follow, and the options that it may follow
  std::string cases;
  for (const Typed& t : all) {
    std::vector<std::string> words;
    for (const CLI::App* sub : t.app->get_subcommands({})) words.push_back(sub->get_name());
    for (const OptionText& o : t.options) {
      words.insert(words.end(), o.names.begin(), o.names.end());
      if (o.names.empty()) words.insert(words.end(), o.values.begin(), o.values.end());
      for (const std::string& name : o.names)
        if (!o.argument.empty())
          arguments[fmt::format("{}", fmt::join(o.values, " "))].push_back(fmt::format("'{} {}'", t.words, name));
    }
    cases += fmt::format("    '{}') words='{}' ;;\n", t.words, fmt::join(words, " "));
  }
  std::string after;
  for (const auto& [values, options] : arguments)
    after += fmt::format("    {}) words='{}' ;;\n", fmt::join(options, "|"), values);
  return fmt::format(R"(_attnscope() {{
  # "--option=value" is three words here.
  local word at= last= words= cur=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  if [[ $cur == = ]]; then cur=
  elif [[ $before == = ]]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ $word == = ]] && continue
    case "$at $last" in {}) last=; continue ;; esac
    case "$at $word" in {}) at="${{at:+$at }}$word" ;; esac
    last=$word
  done
  case $at in
{}  esac
  case "$at $before" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _attnscope attnscope
)",
                     with_argument(all), longer_ones(all), cases, after);
}

std::string zsh(const std::vector<Typed>& all) {
  const auto quoted = [](const std::string& text) {
    return replaced(replaced(replaced(replaced(text, "'", "'\\''"), "[", "\\["), "]", "\\]"), ":", "\\:");
  };
  std::string cases;
  for (const Typed& t : all) {
    std::string commands, arguments;
    for (const CLI::App* sub : t.app->get_subcommands({}))
      commands += fmt::format("\n      '{}:{}'", sub->get_name(), quoted(sub->get_description()));
    std::string first = commands.empty() ? "" : " \\\n      '1: :->command'";
    for (const OptionText& o : t.options) {
      const std::string action = o.values.empty() ? "_default" : fmt::format("({})", fmt::join(o.values, " "));
      if (o.names.empty() && !o.values.empty()) first = fmt::format(" \\\n      '1:{}:{}'", o.name, action);
      for (const std::string& name : o.names)
        arguments +=
            fmt::format(" \\\n      '*{}{}[{}]{}'", name, o.argument.empty() || !name.starts_with("--") ? "" : "=",
                        quoted(o.help), o.argument.empty() ? "" : ":" + quoted(o.argument) + ":" + action);
    }
    cases += fmt::format("  '{}')\n    below=({})\n    _arguments{}{} \\\n      '*:file:_default' ;;\n", t.words,
                         commands, arguments, first);
  }
  return fmt::format(R"(#compdef attnscope
local state at= last= word
local -a below
local -i i from=1
for (( i = 2; i < CURRENT; ++i )); do
  case "$at $last" in
    {}) last=; continue ;;
  esac
  case "$at $words[i]" in
    {}) at="${{at:+$at }}$words[i]"; from=i ;;
  esac
  last=$words[i]
done
words=("${{(@)words[from,-1]}}")
(( CURRENT -= from - 1 ))
case $at in
{}esac
[[ $state == command ]] && _describe command below
)",
                     with_argument(all), longer_ones(all), cases);
}

std::string man(const CLI::App& app, const std::vector<Typed>& all) {
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
  for (const Typed& t : all) {
    if (t.app == &app)
      text += ".SH OPTIONS\n";
    else
      text += fmt::format(".SS {}\n{}\n", t.words, plain(t.app->get_description()));
    for (const OptionText& o : t.options) {
      text += fmt::format(
          ".TP\n\\fB{}\\fR{}\n{}\n", plain(o.names.empty() ? o.name : fmt::format("{}", fmt::join(o.names, ", "))),
          o.argument.empty() || o.names.empty() ? "" : " \\fI" + plain(o.argument) + "\\fR", plain(o.help));
    }
    if (t.app == &app) text += ".SH COMMANDS\n";
  }
  return text + fmt::format(".SH EXIT STATUS\n{}\n", plain(app.get_footer()));
}

}  // namespace

void add_completions(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("completions", "Print the completions of a shell, or the man page");
  auto kind = std::make_shared<std::string>();
  command->add_option("kind", *kind, "bash, zsh or man")->required()->check(CLI::IsMember({"bash", "zsh", "man"}));
  command->callback([&app, &chosen, kind] {
    chosen = [&app, kind] {
      std::vector<Typed> all;
      add_typed(app, "", all);
      write_out(*kind == "bash" ? bash(all) : *kind == "zsh" ? zsh(all) : man(app, all));
      return int(exit_ok);
    };
  });
}

}  // namespace attnscope::cli
