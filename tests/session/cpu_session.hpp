// Sessions on the software device with shipped variants.
#pragma once

#include "engine/session/session.hpp"
#include "tests/has.hpp"

namespace attnscope {

/// Warm from one test to the next; no test relies on that.
inline std::string cache_dir() { return std::string(std::getenv("XDG_CACHE_HOME")) + "/attnscope"; }

/// Those of these names; without names all.
inline std::vector<VariantSource> shipped_sources(const std::vector<std::string>& names = {}) {
  std::vector<VariantSource> all = *must(read_variant_sources({shipped("shaders")}));
  std::erase_if(
      all, [&](const VariantSource& s) { return !names.empty() && std::ranges::find(names, s.name) == names.end(); });
  EXPECT_GE(all.size(), names.size());
  return all;
}

/// Opens the software device and loads what has to load.
template <class S>
std::unique_ptr<S> ready(std::unique_ptr<S> session, const std::vector<VariantSource>& sources) {
  EXPECT_EQ(must(session->open("cpu"))->type, DeviceType::software);
  const auto variants = must(session->load_variants(sources));
  for (const VariantInfo& v : *variants) EXPECT_EQ(v.error, "") << v.name;
  return session;
}
inline std::unique_ptr<Session> cpu_session(const std::vector<VariantSource>& sources,
                                            const SessionOptions& options = {false, cache_dir()}) {
  return ready(make_local_session(options), sources);
}

/// The same by the real worker.
inline std::unique_ptr<Session> worker_session(const std::vector<VariantSource>& sources, double deadline_s = 60) {
  WorkerOptions options;
  options.command = {ATTNSCOPE_EXECUTABLE, "worker", "--cache-dir", cache_dir()};
  options.deadline_s = options.software_deadline_s = deadline_s;
  return ready(make_worker_session(options), sources);
}

/// Takes little time on the software device.
inline RunRequest small_run(const char* problem, const std::string& variant, const Config& config = {}) {
  RunRequest request{*parse_problem(problem), variant, config};
  request.protocol.warmup_ms = request.protocol.min_ms = 1;
  request.protocol.warmup_cap_ms = request.protocol.max_ms = 20;
  request.protocol.min_samples = 4;
  return request;
}
inline TrialsRequest trials_of(const char* problem, const std::string& variant, const std::vector<Config>& configs) {
  return {.problem = *parse_problem(problem), .variant = variant, .configs = configs};
}

/// Keeps the events of one kind.
template <class E>
auto keep(std::vector<E>& told) {
  return [&told](const Event& e) {
    if (const auto* one = std::get_if<E>(&e)) told.push_back(*one);
  };
}

/// Appends each stage that differs from the one before.
inline auto note_stages(std::vector<std::string>& stages) {
  return [&stages](const Event& e) {
    const auto* p = std::get_if<Progress>(&e);
    if (p != nullptr && (stages.empty() || stages.back() != p->stage)) stages.push_back(p->stage);
  };
}
inline std::string reason_of(const Record& r) { return r.verdict ? r.verdict->reason : r.message; }
/// Whether it came to this, and every part is in its reason.
template <class... Part>
::testing::AssertionResult ended(const Record& r, Outcome outcome, const Part&... part) {
  const std::string why = reason_of(r);
  if (r.outcome != outcome) return ::testing::AssertionFailure() << to_text(r.outcome) << ": " << why;
  return has(why, part...);
}

}  // namespace attnscope
