// attnscope completions: words that may be typed next (for scripts of shells), and the man page, from the options.

#include <sstream>

#include "app/cli/options.hpp"

namespace attnscope::cli {
namespace {

/// As text of the man page.
std::string plain(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    // A line that begins with a point or an apostrophe would be a request.
    if ((text[i] == '.' || text[i] == '\'') && i > 0 && text[i - 1] == '\n') out += "\\&";
    out += text[i] == '\\' ? "\\e" : text[i] == '-' ? "\\-" : std::string(1, text[i]);
  }
  return out;
}

/// The set of a check, "TEXT:{hot,cold}"; else the words of "NAME|all|auto"; for --variant also the variants there are.
std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t open = type.find('{'), close = type.find('}');
  const bool is_set = open != type.npos && close != type.npos;
  std::vector<std::string> values;
  std::istringstream words(is_set ? type.substr(open + 1, close - open - 1) : type.find('|') != type.npos ? type : "");
  for (std::string word; std::getline(words, word, is_set ? ',' : '|');)
    if (is_set || std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; })) values.push_back(word);
  if (option.check_lname("variant"))
    if (const auto variants = variant_sources(CommonOptions()))
      for (const VariantSource& variant : *variants) values.push_back(variant.name);
  return values;
}

/// "FILE", "N"; "" for a flag.
std::string argument_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0 || option.get_type_size_max() == 0) return "";
  const std::string type = option.get_type_name();
  return type.empty() ? "VALUE" : type.substr(0, type.find(':'));
}

/// "-v", "--version"; none of a positional.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& s : option.get_snames()) names.push_back("-" + s);
  for (const std::string& l : option.get_lnames()) names.push_back("--" + l);
  return names;
}

/// What the last word may become, by those before it. A shell may take "--option=value" for three words.
std::vector<std::string> completed(const CLI::App& app, std::vector<std::string> words) {
  if (words.empty() || words.back() == "=") words.emplace_back();
  std::erase(words, "=");
  std::string last = words.back(), before;
  words.pop_back();
  if (const size_t equal = last.find('='); last.starts_with("--") && equal != last.npos) {
    words.push_back(last.substr(0, equal));
    before = last.substr(0, equal + 1);
    last.erase(0, equal + 1);
  }
  const CLI::App* command = &app;
  const CLI::Option* waiting = nullptr;  // for its value
  for (const std::string& word : words) {
    if (std::exchange(waiting, nullptr) != nullptr) continue;
    const CLI::Option* option = word.starts_with('-') ? command->get_option_no_throw(word) : nullptr;
    if (option != nullptr && !argument_of(*option).empty()) waiting = option;
    if (const auto below = command->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == word; });
        !below.empty())
      command = below.front();
  }
  std::vector<std::string> all;
  if (waiting != nullptr) {
    all = values_of(*waiting);
  } else {
    for (const CLI::App* sub : command->get_subcommands({})) all.push_back(sub->get_name());
    for (const CLI::Option* option : command->get_options()) {
      const std::vector<std::string> names = option->get_positional() ? values_of(*option) : names_of(*option);
      all.insert(all.end(), names.begin(), names.end());
    }
  }
  std::erase_if(all, [&](const std::string& word) { return !word.starts_with(last); });
  for (std::string& word : all) word.insert(0, before);
  return all;
}

constexpr const char* kBash = R"sh(_attnscope() {
  COMPREPLY=($("${1/#\~/$HOME}" completions words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _attnscope attnscope
)sh";
constexpr const char* kZsh = R"sh(#compdef attnscope
local -a offered=(${(f)"$(${~words[1]} completions words -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
(( $#offered )) && compadd -- $offered
[[ $words[CURRENT] == -* ]] || _files
)sh";

/// The part of a command and of those below it; `words`: as it is typed after "attnscope".
void add_to_man(const CLI::App& command, const std::string& words, std::string& text) {
  text += words.empty() ? ".SH OPTIONS\n" : fmt::format(".SS {}\n{}\n", words, plain(command.get_description()));
  for (const CLI::Option* o : command.get_options()) {
    const std::vector<std::string> names = names_of(*o);
    const std::string argument = names.empty() ? "" : argument_of(*o);
    text += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", plain(names.empty() ? o->get_name() : joined(names)),
                        argument.empty() ? "" : " \\fI" + plain(argument) + "\\fR", plain(o->get_description()));
  }
  if (words.empty()) text += ".SH COMMANDS\n";
  for (const CLI::App* sub : command.get_subcommands({}))
    add_to_man(*sub, words + (words.empty() ? "" : " ") + sub->get_name(), text);
}

std::string man(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH ATTNSCOPE 1 \"\" \"attnscope {}\" \"User Commands\"\n.SH NAME\nattnscope \\- measure, verify and tune "
      "attention kernels in Vulkan\n.SH SYNOPSIS\n.B attnscope\n[\\fIoption\\fR ...]\n.br\n.B attnscope\n"
      "\\fIcommand\\fR [\\fIoption\\fR ...]\n.SH DESCRIPTION\n{}\n",
      ATTNSCOPE_VERSION, plain(app.get_description()));
  add_to_man(app, "", text);
  return text + fmt::format(".SH EXIT STATUS\n{}\n", plain(app.get_footer()));
}

struct CompletionOptions {
  const CLI::App* app = nullptr;
  std::string kind;
  std::vector<std::string> words;
};

int print_completions(CompletionOptions& o) {
  if (o.kind == "words")
    print_out("{}\n", joined(completed(*o.app, o.words), "\n"));
  else
    write_out(o.kind == "bash" ? kBash : o.kind == "zsh" ? kZsh : man(*o.app));
  return exit_ok;
}

}  // namespace

void add_completions(CLI::App& app, Action& chosen) {
  auto [command, o] =
      add_command(app, chosen, "completions", "Print the completions of a shell, or the man page", print_completions);
  o.app = &app;
  command.add_option("kind", o.kind, "bash, zsh or man; words: what the last of more words may become")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "man", "words"}));
  command.add_option("WORD", o.words, "After words and --: what was typed after attnscope");
}

}  // namespace attnscope::cli
