#include "engine/session/session.hpp"

#include "engine/session/error_map.hpp"

namespace attnscope {

Result<std::vector<VariantInfo>> Session::load_one_by_one(const std::vector<VariantSource>& sources,
                                                          const std::function<void(const std::string&)>& begin) {
  for (const VariantSource& source : sources) begin(source.name);
  return load_variants(sources);
}

Result<ConfigChoice> Session::choose_config(const Problem&, const std::string&, const std::string&) {
  return internal_error("This session chooses no configs.");
}

Result<std::vector<VariantRank>> Session::rank_variants(const Problem&) {
  return internal_error("This session ranks no variants.");
}

Result<SpaceBatch> Session::plan_space(const Problem&, const std::string&, const SpaceRequest&,
                                       const std::atomic<bool>&) {
  return internal_error("This session plans no config spaces.");
}

Result<TrialsReport> Session::trials(const TrialsRequest&, const EventSink&, const std::atomic<bool>&) {
  return internal_error("This session makes no trials.");
}

Result<RaceResult> Session::race(const RaceRequest&, const EventSink&, const std::atomic<bool>&) {
  return internal_error("This session races nothing.");
}

Result<NeighbourPlans> Session::plan_neighbours(const Problem&, const std::string&, const Config&) {
  return internal_error("This session does not plan neighbours.");
}

Result<std::vector<ShaderText>> Session::shader_texts(const TextRequest&) {
  return internal_error("This session shows no shaders.");
}

Result<PeaksAnswer> Session::peaks(const PeaksRequest&, const EventSink&, const std::atomic<bool>&) {
  return internal_error("This session measures no peaks.");
}

Result<ErrorMapAnswer> Session::error_map(const ErrorMapRequest&, const EventSink&, const std::atomic<bool>&) {
  return internal_error("This session maps no errors.");
}

Result<CheckResult> Session::check(const CheckRequest&, const EventSink&, const std::atomic<bool>&) {
  return internal_error("This session checks no drivers.");
}

}  // namespace attnscope
