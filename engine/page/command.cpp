#include "engine/page/command.hpp"

namespace attnscope {

std::string shell_quoted(const std::string& word) {
  constexpr const char* kBare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.,:=/+@%";
  if (!word.empty() && word.find_first_not_of(kBare) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string command_of(const Record& r) {
  // Versions of attnscope are numbers; what another program calls itself begins with its name.
  const std::string& version = r.environment.program_version;
  if (version.empty() || version.front() < '0' || version.front() > '9') return "";
  const bool timed = r.outcome == Outcome::measured || r.statistics;
  std::string text = timed ? "attnscope bench" : "attnscope verify";
  const auto add = [&](const char* option, const std::string& value) {
    text += fmt::format(" {} {}", option, shell_quoted(value));
  };
  if (!r.environment.device.name.empty()) add("--device", r.environment.device.name);
  add("--variant", r.variant);
  if (!r.config.empty()) add("--config", to_text(r.config));
  add("--problem", to_text(r.problem));
  if (r.seed != 1) add("--seed", fmt::format("{}", r.seed));
  if (!timed) return text;
  const Protocol usual;
  const Protocol& p = r.protocol;
  if (p.cache == CacheMode::cold) text += " --cold";
  if (p.launch != usual.launch) add("--launch", std::string(to_text(p.launch)));
  const auto number = [&](const char* option, auto Protocol::*member) {
    if (p.*member != usual.*member) add(option, fmt::format("{}", p.*member));
  };
  number("--warmup-ms", &Protocol::warmup_ms);
  number("--min-ms", &Protocol::min_ms);
  number("--max-ms", &Protocol::max_ms);
  number("--min-samples", &Protocol::min_samples);
  number("--max-samples", &Protocol::max_samples);
  number("--min-sample-us", &Protocol::min_sample_us);
  number("--noise", &Protocol::target_noise);
  return text;
}

}  // namespace attnscope
