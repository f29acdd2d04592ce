#include "app/gui/script/script.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "app/gui/panels/panel.hpp"
#include "engine/input/file.hpp"
#include "engine/number.hpp"
#include "engine/record/results.hpp"

namespace attnscope::gui {
namespace {

struct Verb {
  const char* name;
  int least, most;    ///< words after it
  const char* usage;  ///< of those
};

constexpr int kAny = 1000;
constexpr const char* kBlank = " \t\r";
constexpr std::array verbs = {
    Verb{"device", 1, kAny, "SELECTOR"},
    Verb{"problem", 1, 1, "TEXT"},
    Verb{"variant", 1, 1, "NAME"},
    Verb{"set", 2, 2, "PARAMETER VALUE"},
    Verb{"config", 1, kAny, "TEXT"},
    Verb{"metric", 1, 1, "time|tflops|gbps"},
    Verb{"cache", 1, 1, "hot|cold"},
    Verb{"launch", 1, 1, "isolated|back-to-back"},
    Verb{"quiet", 1, 1, "on|off"},
    Verb{"measure", 1, 1, "on|off"},
    Verb{"tab", 1, 1, "PANEL"},
    Verb{"command", 1, kAny, "ID, as the palette's widgets are named"},
    Verb{"pin", 0, 0, ""},
    Verb{"unpin-all", 0, 0, ""},
    Verb{"add-problem", 1, 1, "TEXT"},
    Verb{"measure-all", 0, 0, ""},
    Verb{"cancel", 0, 0, ""},
    Verb{"retry", 0, 0, ""},
    Verb{"beside", 0, kAny, "COMMAND, as --worker takes it; nothing = another worker of this program"},
    Verb{"reload", 0, 0, ""},
    Verb{"undo", 0, 0, ""},
    Verb{"redo", 0, 0, ""},
    Verb{"click", 1, 1, "WIDGET"},
    Verb{"double-click", 1, 1, "WIDGET"},
    Verb{"right-click", 1, 1, "WIDGET"},
    Verb{"hover", 1, 3, "WIDGET, then DX DY"},
    Verb{"scroll", 2, 2, "WIDGET STEPS"},
    Verb{"drag", 2, 3, "WIDGET WIDGET, or WIDGET DX DY"},
    Verb{"key", 1, 1, "NAME, such as Ctrl+Z"},
    Verb{"type", 1, kAny, "TEXT"},
    Verb{"wait", 1, 2,
         "ready | verified | samples N | beside N | job | failure | search | trials N | frames N | seconds S, then "
         "timeout=S"},
    Verb{"picture", 1, 1, "FILE.png"},
    Verb{"picture-of", 2, 2, "WIDGET FILE.png"},
    Verb{"dump", 1, 1, "FILE.json, then every=S"},
    Verb{"export", 1, 1, "FILE.json"},
    Verb{"save", 2, 2, "WIDGET FILE, which ends in .png, .svg, .csv or .md"},
    Verb{"open", 1, 1, "FILE"},
    Verb{"save-session", 1, 1, "FILE.json"},
    Verb{"report", 1, 1, "FILE.html"},
    Verb{"reset-frames", 0, 0, ""},
    Verb{"frames", 0, 0, ""},
    Verb{"quit", 0, 0, ""},
};
constexpr std::array waits_plain = {"ready", "verified", "job", "failure", "search"};
constexpr std::array waits_counted = {"samples", "beside", "trials", "frames", "seconds"};

Error at(int line, const std::string& message) { return bad_input(fmt::format("Script line {}: {}", line, message)); }

/// Seconds, counts and pixels: nothing sensible is larger.
constexpr double kMostNumber = 1e6;

bool is_number(const std::string& text, double least) { return bool(parse_number<double>(text, {least, kMostNumber})); }

std::optional<double> number(const std::string& text) {
  const auto value = parse_number<double>(text, {0, kMostNumber});
  return value ? std::optional(*value) : std::nullopt;
}

Result<void> check_wait(const Action& a) {
  const std::string& what = a.words.front();
  const bool plain = std::find(waits_plain.begin(), waits_plain.end(), what) != waits_plain.end();
  const bool counted = std::find(waits_counted.begin(), waits_counted.end(), what) != waits_counted.end();
  if (!plain && !counted)
    return at(a.line, fmt::format("cannot wait for '{}'; allowed: {}, or {} with a number.", what,
                                  fmt::join(waits_plain, ", "), fmt::join(waits_counted, ", ")));
  if (counted && (a.words.size() != 2 || !number(a.words[1])))
    return at(a.line, fmt::format("'wait {}' takes one number.", what));
  if (plain && a.words.size() != 1) return at(a.line, fmt::format("'wait {}' takes nothing more.", what));
  return {};
}

Result<void> check(const Action& a) {
  const auto verb = std::find_if(verbs.begin(), verbs.end(), [&](const Verb& v) { return a.verb == v.name; });
  if (verb == verbs.end()) {
    std::vector<std::string> names;
    for (const Verb& v : verbs) names.emplace_back(v.name);
    return at(a.line, fmt::format("there is no action '{}'; there are: {}.", a.verb, fmt::join(names, ", ")));
  }
  const int count = int(a.words.size());
  if (count < verb->least || count > verb->most)
    return at(a.line, fmt::format("'{}' takes {}; {} given.", a.verb, *verb->usage ? verb->usage : "nothing", count));
  if (a.verb == "wait") return check_wait(a);
  if (a.verb == "tab") {
    const Panel* panel = panel_named(a.words[0]);
    if (panel && *panel->title) return {};
    std::vector<std::string> names;
    for (const Panel* p : all_panels())
      if (*p->title) names.emplace_back(p->name);
    return at(a.line,
              fmt::format("'tab {}': there is no such panel; there are {}.", a.words[0], fmt::join(names, ", ")));
  }
  if (a.verb == "hover" && count == 2) return at(a.line, "'hover' takes a widget, and then both DX and DY or neither.");
  if ((a.verb == "hover" || a.verb == "drag") && count == 3 &&
      !(is_number(a.words[1], -kMostNumber) && is_number(a.words[2], -kMostNumber)))
    return at(a.line, fmt::format("'{} {}': DX and DY are pixels, up to {} either way.", a.verb, a.rest, kMostNumber));
  if (a.verb == "scroll") {
    const bool down = a.words[1].starts_with('-');
    const auto steps = number(a.words[1].substr(down ? 1 : 0));
    if (!steps || *steps < 1 || *steps > 1000 || *steps != std::floor(*steps))
      return at(a.line, "'scroll' takes a widget and whole steps of the wheel, up (3) or down (-3).");
  }
  if (a.timeout_s || (a.every_s && a.verb != "dump"))
    return at(a.line, fmt::format("'{}' takes no timeout= or every=.", a.verb));
  // Words that are one of a few.
  std::string usage = verb->usage;
  if (count == 1 && usage.find('|') != std::string::npos) {
    std::stringstream choices(usage);
    for (std::string choice; std::getline(choices, choice, '|');)
      if (choice == a.words[0]) return {};
    return at(a.line, fmt::format("'{} {}': allowed are {}.", a.verb, a.words[0], usage));
  }
  return {};
}

}  // namespace

Result<std::vector<Action>> parse_script(const std::string& text) {
  std::vector<Action> script;
  std::stringstream lines(text);
  int number_of_line = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number_of_line;
    std::stringstream words(line);
    Action action;
    action.line = number_of_line;
    if (!(words >> action.verb) || action.verb.front() == '#') continue;
    const auto verb = std::find_if(verbs.begin(), verbs.end(), [&](const Verb& v) { return action.verb == v.name; });
    if (verb != verbs.end() && verb->most == kAny) {
      // A text as it stands: what is quoted in it may hold several spaces.
      const size_t from = line.find_first_not_of(kBlank, line.find(action.verb) + action.verb.size());
      if (from != line.npos) action.rest = line.substr(from, line.find_last_not_of(kBlank) + 1 - from);
      for (std::string word; words >> word;) action.words.push_back(word);
      if (auto fine = check(action); !fine) return fine.error();
      script.push_back(std::move(action));
      continue;
    }
    for (std::string word; words >> word;) {
      const bool timeout = word.starts_with("timeout="), every = word.starts_with("every=");
      if (!timeout && !every) {
        action.rest += (action.rest.empty() ? "" : " ") + word;
        action.words.push_back(word);
        continue;
      }
      const auto value = number(word.substr(word.find('=') + 1));
      if (!value) return at(number_of_line, fmt::format("'{}' takes seconds.", word));
      (timeout ? action.timeout_s : action.every_s) = *value;
    }
    if (auto fine = check(action); !fine) return fine.error();
    script.push_back(std::move(action));
  }
  return script;
}

Result<std::vector<Action>> read_script(const std::string& path) {
  auto text = read_file(path, kMaxSourceBytes, FileKind::any_input);
  if (!text) return bad_input("The action script " + text.error().message);
  return parse_script(*text);
}

}  // namespace attnscope::gui
